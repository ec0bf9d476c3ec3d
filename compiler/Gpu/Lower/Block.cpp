// The kernel's function, and which op is emitted where. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Emitter.h"
#include "compiler/Gpu/Lower/Families.h"

#include "compiler/Support/Diagnostics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pavage::gpu {

static constexpr StringLiteral sharedName = "pavage_shared";

Emitter::Emitter(ModuleOp module, const target::GpuTarget &target, int numWarps)
    : b(module.getContext()), loc(module.getLoc()), module(module), target(target), numWarps(numWarps) {}

LogicalResult Emitter::unsupported(Operation *op, const Twine &why) {
  InFlightDiagnostic error = support::emitNumbered(op->getLoc(), 240) << "'" << op->getName() << "' ";
  std::string reason = why.str();
  return error << (reason.empty() ? "has no lowering to " : reason + ", on ") << target.name;
}

// --- the function ----------------------------------------------------------------------------------------------------

LLVM::LLVMFuncOp Emitter::createFunction(func::FuncOp kernel) {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    // A pointer argument arrives as one; other addresses are numbers until they are used.
    types.push_back(isa<tile::PtrType>(type) ? registerType(type) : memoryType(type));
  }
  b.setInsertionPointAfter(kernel);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  auto made = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  made->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  made->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr({numThreads(), 1, 1}));
  for (NamedAttribute attribute : kernel->getDiscardableAttrs()) {
    made->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (auto divisor = kernel.getArgAttrOfType<IntegerAttr>(index, tile::kDivisibilityAttr);
        divisor && isa<tile::PtrType>(argument.getType())) {
      int64_t align = std::min<int64_t>(divisor.getInt() & -divisor.getInt(), 128);
      made.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(align));
    }
  }
  return made;
}

LogicalResult Emitter::emitKernel(func::FuncOp kernel) {
  loc = kernel.getLoc();
  if (!kernel.getBody().hasOneBlock()) {
    return kernel.emitError("is not structured: expected one block");
  }
  function = createFunction(kernel);
  // The entry block holds what all others may use and stays open; the body begins in the next.
  entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  tid = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  lane = bitAnd(tid, i32(31));
  warp = numWarps == 1 ? i32(0) : lshr(tid, 5);
  for (auto [argument, lowered] : llvm::zip(kernel.getArguments(), entry->getArguments())) {
    bindScalar(argument, argument.getType().isInteger(1) ? fromMemory(lowered, argument.getType()) : Value(lowered));
  }
  Block *body = newBlock();
  LLVM::BrOp::create(b, loc, ValueRange(), body);
  b.setInsertionPointToStart(body);
  if (failed(emitBlock(kernel.getBody().front()))) {
    return failure();
  }
  LLVM::ReturnOp::create(b, loc, ValueRange());
  kernel.erase();
  return success();
}

Value Emitter::shared(int64_t bytes) {
  if (!sharedBase) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto array = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    auto global = LLVM::GlobalOp::create(b, loc, array, /*isConstant=*/false, LLVM::Linkage::External, sharedName,
                                         Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
    b.setInsertionPoint(entry->getTerminator());
    sharedBase = LLVM::AddressOfOp::create(b, loc, global);
  }
  return gepBytes(sharedBase, bytes);
}

int64_t Emitter::scratchOffset(Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(tilegpu::kScratchAttr);
  assert(offset && "the schedule gave scratch to each op that asks for it");
  return offset.getInt();
}

// --- ops -------------------------------------------------------------------------------------------------------------

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(emitOp(&op))) {
      return failure();
    }
  }
  loc = block.getTerminator()->getLoc();
  return success();
}

static Value programNumber(Emitter &e, Operation *op) {
  Type type = e.b.getI32Type();
  unsigned axis =
      isa<tile::ProgramIdOp>(op) ? cast<tile::ProgramIdOp>(op).getAxis() : 3 + cast<tile::NumProgramsOp>(op).getAxis();
  switch (axis) {
  case 0:
    return NVVM::BlockIdXOp::create(e.b, e.loc, type);
  case 1:
    return NVVM::BlockIdYOp::create(e.b, e.loc, type);
  case 2:
    return NVVM::BlockIdZOp::create(e.b, e.loc, type);
  case 3:
    return NVVM::GridDimXOp::create(e.b, e.loc, type);
  case 4:
    return NVVM::GridDimYOp::create(e.b, e.loc, type);
  default:
    return NVVM::GridDimZOp::create(e.b, e.loc, type);
  }
}

static void emitIota(Emitter &e, tile::IotaOp op) {
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(op.getType());
  unsigned width = op.getType().getElementType().getIntOrFloatBitWidth();
  Values elements;
  for (unsigned reg = 0; reg < Emitter::numRegisters(op.getType()); ++reg) {
    Value index = e.resize(e.coordinate(layout, 0, reg), width, /*isSigned=*/false);
    elements.push_back(e.add(index, e.constant(index.getType(), op.getStart())));
  }
  e.bindElements(op, elements);
}

/// One element of a pointer tile moved by a number of elements.
static Value movePointer(Emitter &e, tile::AddPtrOp op, Value pointer, Value offset) {
  auto element = cast<tile::PtrType>(tile::elementTypeOf(op.getType())).getPointee();
  return e.gep(pointer, e.memoryType(element), e.resize(offset, 64, /*isSigned=*/true));
}

static Value bitcastElement(Emitter &e, tile::BitcastOp op, Value value) {
  Type to = e.registerType(tile::elementTypeOf(op.getType()));
  if (value.getType() == to) {
    return value;
  }
  bool isToPointer = isa<LLVM::LLVMPointerType>(to);
  return isToPointer ? Value(LLVM::IntToPtrOp::create(e.b, e.loc, to, value))
                     : LLVM::PtrToIntOp::create(e.b, e.loc, to, value);
}

static FailureOr<Values> emitElement(Emitter &e, Operation *op, ValueRange operands) {
  if (auto move = dyn_cast<tile::AddPtrOp>(op)) {
    return Values{movePointer(e, move, operands[0], operands[1])};
  }
  if (auto cast = dyn_cast<tile::BitcastOp>(op)) {
    return Values{bitcastElement(e, cast, operands[0])};
  }
  if (isa<tile::DivOp, tile::RemOp, tile::ShlOp, tile::ShrOp>(op)) {
    return emitTotalIntElement(e, op, operands);
  }
  if (isa<tile::CastOp>(op) || isa<CastOpInterface>(op)) {
    return emitCastElement(e, op, operands);
  }
  if (isa<math::MathDialect>(op->getDialect())) {
    return emitMathElement(e, op, operands);
  }
  return emitArithElement(e, op, operands);
}

LogicalResult Emitter::emitElementwise(Operation *op) {
  // A whole word at a time where the op allows it and all of its tiles have words of one size.
  unsigned lanes = perWord(op->getResult(0).getType());
  bool isPacked = lanes > 1 && isPackedArith(*this, op);
  for (Value operand : op->getOperands()) {
    isPacked &= perWord(operand.getType()) == lanes;
  }
  SmallVector<Values> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isPacked ? Values(words(operand)) : elements(operand));
  }
  size_t count = 1;
  for (const Values &values : operands) {
    count = std::max(count, values.size());
  }
  SmallVector<Values> results(op->getNumResults());
  for (size_t index = 0; index < count; ++index) {
    Values row;
    for (const Values &values : operands) {
      // The condition of a select may be one scalar.
      row.push_back(values[values.size() == 1 ? 0 : index]);
    }
    FailureOr<Values> made = emitElement(*this, op, row);
    if (failed(made)) {
      return failure();
    }
    for (auto [list, value] : llvm::zip(results, *made)) {
      list.push_back(value);
    }
  }
  for (auto [result, list] : llvm::zip(op->getResults(), results)) {
    isPacked ? bindWords(result, list) : bindElements(result, list);
  }
  return success();
}

LogicalResult Emitter::emitConstant(Operation *op) {
  Type type = op->getResult(0).getType(), element = tile::elementTypeOf(type);
  Type in = registerType(element);
  auto make = [&](Attribute value) -> Value {
    APInt bits = isa<FloatAttr>(value) ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                                       : cast<IntegerAttr>(value).getValue();
    if (isa<FloatType>(in)) {
      return LLVM::ConstantOp::create(b, loc, in,
                                      b.getFloatAttr(in, APFloat(cast<FloatType>(in).getFloatSemantics(), bits)));
    }
    bits = bits.zextOrTrunc(in.getIntOrFloatBitWidth());
    return LLVM::ConstantOp::create(b, loc, in, b.getIntegerAttr(in, bits));
  };
  if (isa<ub::PoisonOp>(op)) {
    bindWords(op->getResult(0), Values(numRegisters(type) / perWord(type), zero(wordType(type))));
    return success();
  }
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || dense.isSplat()) {
    Value one = make(dense ? dense.getSplatValue<Attribute>() : value);
    unsigned lanes = perWord(type);
    Value word = lanes == 1 ? one : vectorOf(Values(lanes, one));
    bindWords(op->getResult(0), Values(numRegisters(type) / lanes, word));
    return success();
  }
  // Elements that differ come from constant memory, each thread's own.
  Type inMemory = memoryType(element);
  SmallVector<char> bytes;
  for (Attribute item : dense.getValues<Attribute>()) {
    APInt bits =
        isa<FloatAttr>(item) ? cast<FloatAttr>(item).getValue().bitcastToAPInt() : cast<IntegerAttr>(item).getValue();
    uint64_t raw = bits.zextOrTrunc(64).getZExtValue();
    for (int64_t byte = 0; byte < bytesOf(element); ++byte) {
      bytes.push_back(static_cast<char>(raw >> (8 * byte)));
    }
  }
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto array = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(b, loc, array, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    "pavage.constant." + std::to_string(numConstants++),
                                    b.getStringAttr(StringRef(bytes.data(), bytes.size())), /*alignment=*/8,
                                    /*addrSpace=*/4);
  }
  Value base = LLVM::AddressOfOp::create(b, loc, global);
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(type);
  Values all;
  for (unsigned reg = 0; reg < numRegisters(type); ++reg) {
    Value index = i32(0);
    for (auto [axis, extent] : llvm::enumerate(layout.getExtents())) {
      index = add(mul(index, i32(extent)), coordinate(layout, axis, reg));
    }
    if (Value inside = isInside(layout, reg)) {
      index = select(inside, index, i32(0));
    }
    Value address = gep(base, inMemory, index);
    all.push_back(fromMemory(LLVM::LoadOp::create(b, loc, inMemory, address, bytesOf(element)), element));
  }
  bindElements(op->getResult(0), all);
  return success();
}

LogicalResult Emitter::emitOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp, ub::PoisonOp>([&](Operation *) { return emitConstant(op); })
      .Case<scf::ForOp>([&](Operation *) { return emitFor(op); })
      .Case<scf::WhileOp>([&](Operation *) { return emitWhile(op); })
      .Case<scf::IfOp>([&](Operation *) { return emitIf(op); })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([&](Operation *) {
        bindScalar(op->getResult(0), programNumber(*this, op));
        return success();
      })
      .Case([&](tile::IotaOp iota) { return emitIota(*this, iota), success(); })
      .Case([&](tile::HintOp hint) {
        bindWords(hint, Values(words(hint.getSrc())));
        return success();
      })
      .Case([&](tile::AssumeOp) { return success(); })
      .Case<tile::BarrierOp, tilegpu::BarrierOp>([&](Operation *) { return barrier(), success(); })
      .Case<tile::LoadOp, tile::BlockLoadOp>([&](Operation *) { return emitLoad(*this, op); })
      .Case<tile::StoreOp, tile::BlockStoreOp>([&](Operation *) { return emitStore(*this, op); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](Operation *) { return emitAtomic(*this, op); })
      .Case<tile::AssertOp>([&](Operation *) { return emitAssert(*this, op); })
      .Case<tile::PrintOp>([&](Operation *) { return emitPrint(*this, op); })
      .Case<tile::InlinePtxOp>([&](Operation *) { return emitInlinePtx(*this, op); })
      .Case<tile::SplatOp, tile::UnsplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp, tile::TransOp,
            tile::JoinOp, tile::SplitOp, tile::CatOp, tile::SliceOp>([&](Operation *) { return emitShape(*this, op); })
      .Case([&](tilegpu::ConvertOp convert) { return emitConvert(*this, convert); })
      .Case([&](tile::ReduceOp reduce) { return emitReduce(*this, reduce); })
      .Case([&](tile::ScanOp scan) { return emitScan(*this, scan); })
      .Case([&](tile::SortOp sort) { return emitSort(*this, sort); })
      .Case([&](tile::GatherOp gather) { return emitGather(*this, gather); })
      .Case([&](tile::HistogramOp histogram) { return emitHistogram(*this, histogram); })
      .Case<tilegpu::AllocOp, tilegpu::WriteOp, tilegpu::ReadOp, tilegpu::CopyAsyncOp, tilegpu::GatherAsyncOp,
            tilegpu::CommitOp, tilegpu::WaitOp>([&](Operation *) { return emitRing(*this, op); })
      .Case([&](tilegpu::MmaOp mma) { return emitMma(*this, mma); })
      .Case([&](tilegpu::DotFmaOp dot) { return emitDotFma(*this, dot); })
      .Default([&](Operation *) {
        bool isArithmetic =
            isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
            isa<tile::AddPtrOp, tile::BitcastOp, tile::CastOp, tile::DivOp, tile::RemOp, tile::ShlOp, tile::ShrOp>(op);
        return isArithmetic ? emitElementwise(op) : unsupported(op);
      });
}

} // namespace pavage::gpu

// The lowered function: arguments, the loop over programs, calls back to the launch. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"
#include "compiler/Cpu/Lower/Passes.h"

#include "compiler/Support/Diagnostics.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "runtime/Artifact/Abi.h"

#define DEBUG_TYPE "pavage-cpu-lower-tiles"

namespace pavage::cpu {
#define GEN_PASS_DEF_LOWERTILESPASS
#include "compiler/Cpu/Lower/Passes.h.inc"
} // namespace pavage::cpu

using namespace mlir;

namespace pavage::cpu {

static constexpr StringLiteral exitName = "pavage.exit_if";

func::FuncOp Emitter::createFunction(func::FuncOp kernel) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), word = b.getI64Type();
  auto type = b.getFunctionType({pointer, pointer, word, word, pointer}, {b.getI32Type()});
  b.setInsertionPointAfter(kernel);
  auto function = func::FuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  // Neither the slots nor the scratch memory are reached by any other pointer.
  for (unsigned index : {0, 1, 4}) {
    function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  }
  function.setArgAttr(4, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  fields.slots = entry->getArgument(0);
  fields.launch = entry->getArgument(1);
  fields.scratch = entry->getArgument(4);
  fields.scratchAddress = LLVM::PtrToIntOp::create(b, loc, word, fields.scratch);
  return function;
}

static Value at(OpBuilder &b, Location loc, Value base, int64_t offset) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value Emitter::loadLaunchField(Type type, int64_t offset) {
  return LLVM::LoadOp::create(b, loc, type, at(b, loc, fields.launch, offset));
}

void Emitter::bindArguments(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    Type lowered = loweredElement(argument.getType());
    Value slot = at(b, loc, fields.slots, 8 * argument.getArgNumber());
    Value value = LLVM::LoadOp::create(b, loc, memoryType(argument.getType()), slot);
    if (lowered.isInteger(1)) {
      value = ops().resize(ops().andI(value, 1), 1, false);
    }
    scalars.map(argument, value);
  }
}

void Emitter::exitIf(Value error) {
  if (!module.lookupSymbol(exitName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(b, loc, exitName, b.getFunctionType({b.getI32Type()}, {}));
    function.setPrivate();
  }
  func::CallOp::create(b, loc, exitName, TypeRange(), error);
}

void Emitter::pollCancel() {
  Ops o = ops();
  Value flag = LLVM::LoadOp::create(b, loc, b.getI32Type(), fields.cancel, 4, /*isVolatile=*/true);
  exitIf(o.select(o.cmp(Ops::Pred::ne, flag, 0), o.constant(o.i(32), PAVAGE_INTERRUPTED), o.constant(o.i(32), 0)));
}

static StringRef dtypeOf(Type element, bool isSigned) {
  if (isa<tile::PtrType>(element)) {
    return "ptr";
  }
  if (auto integer = dyn_cast<IntegerType>(element)) {
    switch (integer.getWidth()) {
    case 1:
      return "i1";
    case 8:
      return isSigned ? "i8" : "u8";
    case 16:
      return isSigned ? "i16" : "u16";
    case 32:
      return isSigned ? "i32" : "u32";
    default:
      return isSigned ? "i64" : "u64";
    }
  }
  return element.isF64()                ? "fp64"
         : element.isF32()              ? "fp32"
         : element.isF16()              ? "fp16"
         : element.isBF16()             ? "bf16"
         : isa<Float8E5M2Type>(element) ? "fp8e5"
                                        : "fp8e4nv";
}

unsigned Emitter::addSite(StringRef kind, StringRef text, Location at, Type type, bool hex, bool isSigned) {
  support::Place place = support::placeOf(at);
  SmallVector<NamedAttribute> entries{
      b.getNamedAttr("kind", b.getStringAttr(kind)),
      b.getNamedAttr("text", b.getStringAttr(text)),
      b.getNamedAttr("file", b.getStringAttr(place.file)),
      b.getNamedAttr("line", b.getI64IntegerAttr(place.line)),
      b.getNamedAttr("column", b.getI64IntegerAttr(place.column)),
  };
  if (type) {
    entries.push_back(b.getNamedAttr("dtype", b.getStringAttr(dtypeOf(tile::elementTypeOf(type), isSigned))));
    entries.push_back(b.getNamedAttr("shape", b.getDenseI64ArrayAttr(tile::shapeOf(type))));
    entries.push_back(b.getNamedAttr("hex", b.getBoolAttr(hex)));
  }
  sites.push_back(b.getDictionaryAttr(entries));
  return sites.size() - 1;
}

Value Emitter::callLaunch(int64_t fieldOffset, ArrayRef<Value> arguments, bool hasResult) {
  Value function = loadLaunchField(fields.launch.getType(), fieldOffset);
  SmallVector<Value> operands{function, fields.context};
  operands.append(arguments.begin(), arguments.end());
  SmallVector<Type> inputs;
  for (Value operand : ArrayRef<Value>(operands).drop_front()) {
    inputs.push_back(operand.getType());
  }
  Type result = hasResult ? Type(b.getI32Type()) : LLVM::LLVMVoidType::get(b.getContext());
  auto call = LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(result, inputs), operands);
  return hasResult ? call.getResult() : Value();
}

LogicalResult Emitter::emitKernel(func::FuncOp kernel) {
  module = kernel->getParentOfType<ModuleOp>();
  loc = kernel.getLoc();
  if (!kernel.getBody().hasOneBlock()) {
    return kernel.emitError("is not structured: expected one block");
  }
  if (kernel.getNumResults() != 0) {
    return kernel.emitError("has results; a kernel has none");
  }
  func::FuncOp function = createFunction(kernel);
  Type pointer = fields.launch.getType(), word = b.getI64Type();
  fields.context = loadLaunchField(pointer, offsetof(PavageLaunch, context));
  fields.cancel = loadLaunchField(pointer, offsetof(PavageLaunch, cancel));
  for (int axis = 0; axis < 3; ++axis) {
    fields.grid[axis] = loadLaunchField(word, offsetof(PavageLaunch, grid) + 8 * axis);
  }
  bindArguments(kernel);
  Block &entry = function.getBody().front();
  auto loop = scf::ForOp::create(b, loc, entry.getArgument(2), entry.getArgument(3), i64(1));
  func::ReturnOp::create(b, loc, ops().constant(b.getI32Type(), 0));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Ops o = ops();
  fields.program = loop.getInductionVar();
  Value rest = fields.program;
  for (int axis = 0; axis < 3; ++axis) {
    Value place = axis < 2 ? o.binary<arith::RemUIOp>(rest, fields.grid[axis]) : rest;
    rest = axis < 2 ? o.binary<arith::DivUIOp>(rest, fields.grid[axis]) : rest;
    fields.pid[axis] = o.resize(place, 32, false);
  }
  pollCancel();
  if (failed(emitBlock(kernel.getBody().front()))) {
    return failure();
  }
  function->setAttr(sitesAttr, b.getArrayAttr(sites));
  function->setAttr(scratchBytesAttr, kernel->getAttr(scratchBytesAttr));
  kernel.erase();
  return success();
}

} // namespace pavage::cpu

namespace {

struct LowerTiles : pavage::cpu::impl::LowerTilesPassBase<LowerTiles> {
  using LowerTilesPassBase::LowerTilesPassBase;

  void runOnOperation() override {
    const pavage::target::CpuTarget *target = pavage::target::findCpuTarget(level);
    if (!target) {
      emitError(UnknownLoc::get(&getContext())) << "unknown CPU level '" << level << "'";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr("tile.kernel")) {
        kernels.push_back(function);
      }
    }
    for (func::FuncOp kernel : kernels) {
      if (!kernel->hasAttr(pavage::cpu::scratchBytesAttr)) {
        kernel.emitError("has no buffer plan; run pavage-cpu-plan-buffers first");
        return signalPassFailure();
      }
      OpBuilder builder(&getContext());
      if (failed(pavage::cpu::Emitter(builder, *target, check).emitKernel(kernel))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace

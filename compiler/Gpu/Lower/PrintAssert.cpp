// device_assert and device_print, by the calls that CUDA's driver and the virtual GPU answer. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//   assert   one thread that holds a false element calls __assertfail(text, file, line, kernel), which ends the launch
//   print    the first thread that holds an element calls vprintf: "pid (0, 0, 0) idx (3, 5) prefix 7"
//
// Threads print when they come to it, so the lines of one op stand in no order.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Placed.h"
#include "compiler/Gpu/Lower/Scalars.h"

#include "compiler/Support/Diagnostics.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

static LLVM::LLVMFuncOp declare(Emitter &e, StringRef name, Type result, ArrayRef<Type> types) {
  if (auto known = e.module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(e.module.getBody());
  return LLVM::LLVMFuncOp::create(e.b, e.loc, name, LLVM::LLVMFunctionType::get(result, types));
}

/// A text that ends in a zero, as a generic pointer. Equal texts are one.
static Value textAddress(Emitter &e, StringRef text) {
  std::string bytes = text.str() + '\0';
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto known : e.module.getOps<LLVM::GlobalOp>()) {
    if (known.getName().starts_with("pavage_text_")) {
      ++count;
      if (auto value = dyn_cast_or_null<StringAttr>(known.getValueOrNull()); value && value.getValue() == bytes) {
        global = known;
      }
    }
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(e.module.getBody());
    auto array = LLVM::LLVMArrayType::get(e.b.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(e.b, e.loc, array, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    "pavage_text_" + std::to_string(count), e.b.getStringAttr(bytes), /*alignment=*/1,
                                    /*addrSpace=*/1);
  }
  Type generic = LLVM::LLVMPointerType::get(e.b.getContext());
  return LLVM::AddrSpaceCastOp::create(e.b, e.loc, generic, LLVM::AddressOfOp::create(e.b, e.loc, global));
}

static Value isFirstThread(Emitter &e) { return e.compare(Predicate::eq, e.tid, e.i32(0)); }

// --- assert ----------------------------------------------------------------------------------------------------------

LogicalResult emitAssert(Emitter &e, Operation *op) {
  auto assertion = cast<tile::AssertOp>(op);
  Values conditions = e.elements(assertion.getCondition()), masks;
  if (assertion.getMask()) {
    masks = e.elements(assertion.getMask());
  }
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(assertion.getCondition().getType());
  Value isBad;
  for (auto [reg, condition] : llvm::enumerate(conditions)) {
    Value bad = e.bitXor(condition, e.boolean(true));
    if (!masks.empty()) {
      bad = e.bitAnd(bad, masks[masks.size() == 1 ? 0 : reg]);
    }
    if (layout) {
      bad = e.both(bad, e.isInside(layout, reg));
    }
    isBad = isBad ? e.bitOr(isBad, bad) : bad;
  }
  if (!layout) {
    isBad = e.bitAnd(isBad, isFirstThread(e));
  }
  Type pointer = LLVM::LLVMPointerType::get(e.b.getContext());
  Type none = LLVM::LLVMVoidType::get(e.b.getContext());
  LLVM::LLVMFuncOp fail =
      declare(e, "__assertfail", none, {pointer, pointer, e.b.getI32Type(), pointer, e.b.getI64Type()});
  support::Place place = support::placeOf(op->getLoc());
  auto kernel = e.b.getInsertionBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
  e.when(isBad, [&] {
    Value operands[] = {textAddress(e, assertion.getMessage()), textAddress(e, place.file), e.i32(place.line),
                        textAddress(e, kernel.getName()), e.i64(1)};
    LLVM::CallOp::create(e.b, e.loc, fail, operands);
  });
  return success();
}

// --- print -----------------------------------------------------------------------------------------------------------

namespace {
/// One value as vprintf takes it.
struct Shown {
  std::string format;
  Value value;
};
} // namespace

static Shown show(Emitter &e, Value value, Type element, bool isSigned, bool hex) {
  Scalars o{e};
  if (isa<tile::PtrType>(element)) {
    return {"0x%016llx", LLVM::PtrToIntOp::create(e.b, e.loc, o.i(64), value)};
  }
  if (isa<FloatType>(element)) {
    return {"%g", o.cast(value, element, o.f64(), false, false)};
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isLong = width == 64;
  Value wide = o.resize(value, isLong ? 64 : 32, isSigned && width > 1 && !hex);
  if (hex) {
    return {"0x%0" + std::to_string(std::max(1u, width / 4)) + (isLong ? "llx" : "x"), wide};
  }
  return {std::string(isLong ? "%ll" : "%") + (isSigned ? "d" : "u"), wide};
}

static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text) {
    result += c == '%' ? "%%" : std::string(1, c);
  }
  return result;
}

/// vprintf(format, address of the values in local memory).
static void printf(Emitter &e, const std::string &format, ArrayRef<Value> values) {
  MLIRContext *context = e.b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  LLVM::LLVMFuncOp vprintf = declare(e, "vprintf", e.b.getI32Type(), {pointer, pointer});
  SmallVector<Type> types(ValueRange(values).getTypes());
  auto record = LLVM::LLVMStructType::getLiteral(context, types);
  Value buffer;
  {
    OpBuilder::InsertionGuard guard(e.b);
    auto kernel = e.b.getInsertionBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
    e.b.setInsertionPointToStart(&kernel.getBody().front());
    buffer = LLVM::AllocaOp::create(e.b, e.loc, pointer, record, e.i32(1), /*alignment=*/8);
  }
  for (auto [index, value] : llvm::enumerate(values)) {
    Value slot = LLVM::GEPOp::create(e.b, e.loc, pointer, record, buffer,
                                     ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    LLVM::StoreOp::create(e.b, e.loc, value, slot);
  }
  LLVM::CallOp::create(e.b, e.loc, vprintf, ValueRange{textAddress(e, format), buffer});
}

static void printOperand(Emitter &e, tile::PrintOp op, Value operand, bool isSigned) {
  Type i32 = e.b.getI32Type(), element = operand ? tile::elementTypeOf(operand.getType()) : Type();
  tilegpu::LayoutAttr layout = operand ? tilegpu::layoutOf(operand.getType()) : tilegpu::LayoutAttr();
  Values elements = operand ? e.elements(operand) : Values{Value()};
  Value first = layout ? e.isFirstCopy(layout) : isFirstThread(e);
  for (auto [reg, value] : llvm::enumerate(elements)) {
    Value condition = layout ? e.both(first, e.isInside(layout, reg)) : first;
    e.when(condition, [&] {
      std::string format = "pid (%d, %d, %d) ";
      Values values{NVVM::BlockIdXOp::create(e.b, e.loc, i32), NVVM::BlockIdYOp::create(e.b, e.loc, i32),
                    NVVM::BlockIdZOp::create(e.b, e.loc, i32)};
      if (layout) {
        Values index = coordinatesOf(e, layout, reg);
        format += "idx (";
        for (size_t axis = 0; axis < index.size(); ++axis) {
          format += axis ? ", %d" : "%d";
        }
        format += ") ";
        llvm::append_range(values, index);
      }
      format += escaped(op.getPrefix());
      if (value) {
        Shown shown = show(e, value, element, isSigned, op.getHex());
        format += shown.format;
        values.push_back(shown.value);
      }
      printf(e, format + "\n", values);
    });
  }
}

LogicalResult emitPrint(Emitter &e, Operation *op) {
  auto print = cast<tile::PrintOp>(op);
  if (print.getArgs().empty()) {
    printOperand(e, print, Value(), false);
  }
  for (auto [operand, isSigned] : llvm::zip(print.getArgs(), print.getIsSigned())) {
    printOperand(e, print, operand, isSigned);
  }
  return success();
}

} // namespace pavage::gpu

// Verifiers and effects of the memory ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

static Type pointeeLike(Type ptr) { return withElementType(ptr, cast<PtrType>(elementTypeOf(ptr)).getPointee()); }

static LogicalResult verifyValue(Operation *op, Type ptr, Type value, StringRef what) {
  if (value != pointeeLike(ptr)) {
    return op->emitOpError("expected ") << what << " of type " << pointeeLike(ptr) << ", got " << value;
  }
  return success();
}

static LogicalResult verifyMask(Operation *op, Type ptr, Value mask) {
  Type expected = withElementType(ptr, IntegerType::get(op->getContext(), 1));
  if (mask && mask.getType() != expected) {
    return op->emitOpError("expected a mask of type ") << expected << ", got " << mask.getType();
  }
  return success();
}

/// A read; a volatile one also counts as a write, so that it is neither dropped nor merged.
static void addReadEffects(bool isVolatile, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (isVolatile) {
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

LogicalResult AddPtrOp::verify() {
  if (shapeOf(getPtr().getType()) != shapeOf(getOffset().getType())) { // addptr_c1
    return emitOpError("expected an offset of the pointer's shape, got ")
           << getOffset().getType() << " for " << getPtr().getType();
  }
  return success();
}

LogicalResult BitcastOp::verify() { // bitcast_c1 is the trait Elementwise
  Type from = getSrc().getType(), to = getResult().getType();
  Type a = elementTypeOf(from), b = elementTypeOf(to);
  auto wide = [](Type type) { return isa<PtrType>(type) || type.isInteger(64); };
  if (!wide(a) || !wide(b) || (!isa<PtrType>(a) && !isa<PtrType>(b))) { // bitcast_c2
    return emitOpError("expected a pointer and a pointer or i64, got ") << a << " and " << b;
  }
  return success();
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other) {
  build(builder, state, pointeeLike(ptr.getType()), ptr, mask, other, Cache::None, Eviction::Normal, false);
}

void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReadEffects(getIsVolatile(), effects);
}

LogicalResult LoadOp::verify() {
  if (failed(verifyMask(*this, getPtr().getType(), getMask())) ||                          // load_c1
      failed(verifyValue(*this, getPtr().getType(), getResult().getType(), "a result"))) { // load_c3
    return failure();
  }
  if (!getOther()) {
    return success();
  }
  if (!getMask()) { // load_c2
    return emitOpError("expected a mask where other is given");
  }
  return verifyValue(*this, getPtr().getType(), getOther().getType(), "other");
}

LogicalResult StoreOp::verify() {
  if (failed(verifyValue(*this, getPtr().getType(), getValue().getType(), "a value"))) { // store_c1
    return failure();
  }
  return verifyMask(*this, getPtr().getType(), getMask()); // store_c2
}

static bool legalAtomic(AtomicKind kind, Type element) {
  bool isInt = element.isInteger() && !element.isInteger(1);
  bool isFloat = isa<FloatType>(element) && element.getIntOrFloatBitWidth() >= 16;
  switch (kind) {
  case AtomicKind::AddF:
  case AtomicKind::MaxF:
  case AtomicKind::MinF:
    return isFloat;
  case AtomicKind::Xchg:
    return isInt || isFloat;
  default:
    return isInt;
  }
}

LogicalResult AtomicRMWOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyValue(*this, ptr, getValue().getType(), "a value")) || // atomic_rmw_c1
      failed(verifyValue(*this, ptr, getResult().getType(), "a result")) ||
      failed(verifyMask(*this, ptr, getMask()))) { // atomic_rmw_c2
    return failure();
  }
  if (!legalAtomic(getKind(), elementTypeOf(getValue().getType()))) { // atomic_rmw_c3
    return emitOpError("has no ") << stringifyAtomicKind(getKind()) << " of " << elementTypeOf(getValue().getType());
  }
  return success();
}

LogicalResult AtomicCASOp::verify() {
  if (failed(verifyValue(*this, getPtr().getType(), getValue().getType(), "a value"))) { // atomic_cas_c1
    return failure();
  }
  Type element = elementTypeOf(getValue().getType());
  if (element.getIntOrFloatBitWidth() < 16) {
    return emitOpError("expected elements of 16, 32 or 64 bits, got ") << element;
  }
  return success();
}

/// The constraints that block_load and block_store share.
template <typename OpT> static LogicalResult verifyBlock(OpT op, Type tileType) {
  auto tile = cast<RankedTensorType>(tileType);
  size_t rank = tile.getRank();
  if (op.getOffsets().size() != rank || op.getStrides().size() != rank || op.getExtents().size() != rank) { // c1
    return op.emitOpError("expected ") << rank << " offsets, strides and extents, got " << op.getOffsets().size()
                                       << ", " << op.getStrides().size() << " and " << op.getExtents().size();
  }
  int32_t previous = -1;
  for (int32_t axis : op.getChecked()) { // c2
    if (axis <= previous || axis >= static_cast<int32_t>(rank)) {
      return op.emitOpError("expected ascending axes below ") << rank << " in checked, got " << axis;
    }
    previous = axis;
  }
  Type pointee = cast<PtrType>(op.getBase().getType()).getPointee();
  if (tile.getElementType() != pointee) { // c3
    return op.emitOpError("expected elements of type ") << pointee << ", got " << tile.getElementType();
  }
  return success();
}

void BlockLoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReadEffects(getIsVolatile(), effects);
}

LogicalResult BlockLoadOp::verify() {
  if (failed(verifyBlock(*this, getResult().getType()))) {
    return failure();
  }
  Type pointee = cast<PtrType>(getBase().getType()).getPointee();
  if (getOther() && getOther().getType() != pointee) { // block_load_c4
    return emitOpError("expected other of type ") << pointee << ", got " << getOther().getType();
  }
  return success();
}

LogicalResult BlockStoreOp::verify() { return verifyBlock(*this, getValue().getType()); }

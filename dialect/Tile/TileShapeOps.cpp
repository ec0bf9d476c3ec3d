// Verifiers of the shape ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

/// The result must be a tile like `expected`.
static LogicalResult verifyResult(Operation *op, Type result, Type expected) {
  if (!isSameTile(result, expected)) {
    return op->emitOpError("expected a result of type ") << expected << ", got " << result;
  }
  return success();
}

static LogicalResult verifySameElement(Operation *op, Type source, Type result) {
  if (elementTypeOf(source) != elementTypeOf(result)) {
    return op->emitOpError("expected elements of type ") << elementTypeOf(source) << ", got " << elementTypeOf(result);
  }
  return success();
}

static LogicalResult verifyAxis(Operation *op, int32_t axis, int64_t count) {
  if (axis < 0 || axis >= count) {
    return op->emitOpError("expected an axis in 0 .. ") << count - 1 << ", got " << axis;
  }
  return success();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getRank() != 1 || !(type.getElementType().isInteger(32) || type.getElementType().isInteger(64))) { // iota_c1
    return emitOpError("expected a rank-1 tile of i32 or i64, got ") << type;
  }
  return success();
}

LogicalResult SplatOp::verify() { // splat_c1
  return verifyResult(*this, getResult().getType(), withElementType(getResult().getType(), getSrc().getType()));
}

LogicalResult UnsplatOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  if (source.getNumElements() != 1) { // unsplat_c1
    return emitOpError("expected a tile of one element, got ") << source;
  }
  return verifyResult(*this, getResult().getType(), source.getElementType()); // unsplat_c2
}

LogicalResult ExpandDimsOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  if (failed(verifyAxis(*this, getAxis(), source.getRank() + 1))) { // expand_dims_c1
    return failure();
  }
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + getAxis(), 1);
  return verifyResult(*this, getResult().getType(), tileOrScalar(shape, source.getElementType())); // expand_dims_c2
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (source.getRank() != result.getRank()) { // broadcast_c1
    return emitOpError("expected a result of rank ") << source.getRank() << ", got " << result;
  }
  for (auto [axis, extents] : llvm::enumerate(llvm::zip(source.getShape(), result.getShape()))) { // broadcast_c2
    auto [from, to] = extents;
    if (from != to && from != 1) {
      return emitOpError("expected extent ") << to << " or 1 on source axis " << axis << ", got " << from;
    }
  }
  return verifySameElement(*this, source, result); // broadcast_c3
}

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (source.getNumElements() != result.getNumElements()) { // reshape_c1
    return emitOpError("expected a result of ") << source.getNumElements() << " elements, got " << result;
  }
  return verifySameElement(*this, source, result); // reshape_c2
}

LogicalResult TransOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  SmallVector<int64_t> shape;
  llvm::SmallBitVector seen(source.getRank());
  for (int32_t axis : getOrder()) { // trans_c1
    if (axis < 0 || axis >= source.getRank() || seen.test(axis)) {
      return emitOpError("expected order to be a permutation of the axes 0 .. ") << source.getRank() - 1;
    }
    seen.set(axis);
    shape.push_back(source.getDimSize(axis));
  }
  if (!seen.all()) {
    return emitOpError("expected order to be a permutation of the axes 0 .. ") << source.getRank() - 1;
  }
  return verifyResult(*this, getResult().getType(), tileOrScalar(shape, source.getElementType())); // trans_c2
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> shape(shapeOf(getLhs().getType()));
  shape.push_back(2);
  return verifyResult(*this, getResult().getType(), tileOrScalar(shape, elementTypeOf(getLhs().getType()))); // join_c1
}

LogicalResult SplitOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  if (source.getShape().back() != 2) { // split_c1
    return emitOpError("expected a last extent of 2, got ") << source;
  }
  return verifyResult(*this, getLhs().getType(),
                      tileOrScalar(source.getShape().drop_back(), source.getElementType())); // split_c2
}

LogicalResult CatOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType()), rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getRank() != rhs.getRank()) { // cat_c1
    return emitOpError("expected operands of one rank, got ") << lhs << " and " << rhs;
  }
  if (failed(verifySameElement(*this, lhs, rhs)) || failed(verifyAxis(*this, getAxis(), lhs.getRank()))) {
    return failure();
  }
  SmallVector<int64_t> shape(lhs.getShape());
  for (int64_t axis = 0; axis < lhs.getRank(); ++axis) { // cat_c2
    if (axis == getAxis()) {
      shape[axis] += rhs.getDimSize(axis);
    } else if (rhs.getDimSize(axis) != shape[axis]) {
      return emitOpError("expected extent ")
             << shape[axis] << " on rhs axis " << axis << ", got " << rhs.getDimSize(axis);
    }
  }
  return verifyResult(*this, getResult().getType(), tileOrScalar(shape, lhs.getElementType()));
}

LogicalResult SliceOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getResult().getType());
  size_t rank = source.getRank();
  if (getOffsets().size() != rank || getStrides().size() != rank || result.getRank() != source.getRank()) { // slice_c1
    return emitOpError("expected ") << rank << " offsets and strides and a result of that rank, got " << result;
  }
  for (size_t axis = 0; axis < rank; ++axis) { // slice_c2
    int64_t first = getOffsets()[axis], last, reach, steps = result.getDimSize(axis) - 1;
    bool wraps = llvm::MulOverflow(steps, getStrides()[axis], reach) || llvm::AddOverflow(first, reach, last);
    if (wraps || std::min(first, last) < 0 || std::max(first, last) >= source.getDimSize(axis)) {
      InFlightDiagnostic error = emitOpError("expected indices in 0 .. ")
                                 << source.getDimSize(axis) - 1 << " on axis " << axis << ", got " << first << " .. ";
      return wraps ? error << "beyond 64 bits" : error << last;
    }
  }
  return verifySameElement(*this, source, result);
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), index = cast<RankedTensorType>(getIndex().getType());
  if (source.getRank() != index.getRank()) { // gather_c1
    return emitOpError("expected an index of rank ") << source.getRank() << ", got " << index;
  }
  if (failed(verifyAxis(*this, getAxis(), source.getRank()))) {
    return failure();
  }
  for (int64_t axis = 0; axis < source.getRank(); ++axis) { // gather_c2
    if (axis != getAxis() && index.getDimSize(axis) != source.getDimSize(axis)) {
      return emitOpError("expected extent ")
             << source.getDimSize(axis) << " on index axis " << axis << ", got " << index.getDimSize(axis);
    }
  }
  return verifyResult(*this, getResult().getType(),
                      tileOrScalar(index.getShape(), source.getElementType())); // gather_c3
}

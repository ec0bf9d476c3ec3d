// Verifiers and folds of TileGPU's ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/TileGPU/TileGPU.h"

#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "dialect/TileGPU/TileGPUOps.cpp.inc"

using namespace mlir;
using namespace pavage;
using namespace pavage::tilegpu;

LogicalResult ConvertOp::verify() {
  Type source = getSrc().getType(), result = getResult().getType();
  if (!tile::isSameTile(source, result)) { // convert_c1
    return emitOpError("expected a result like ") << source << ", got " << result;
  }
  if (!layoutOf(source) || !layoutOf(result)) {
    return emitOpError("expected a layout on both sides, got ") << source << " and " << result;
  }
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getResult().getType()) {
    return getSrc();
  }
  auto inner = getSrc().getDefiningOp<ConvertOp>();
  if (!inner) {
    return {};
  }
  // Once converted, twice converted.
  getSrcMutable().assign(inner.getSrc());
  return getResult();
}

static LogicalResult verifySlot(Operation *op, Type tile, RingType ring) {
  if (!tile::isSameTile(tile, ring.getTile())) { // write_c1, read_c1
    return op->emitOpError("expected a tile like the slot's ") << ring.getTile() << ", got " << tile;
  }
  return success();
}

LogicalResult WriteOp::verify() { return verifySlot(*this, getValue().getType(), getRing().getType()); }

LogicalResult ReadOp::verify() { return verifySlot(*this, getResult().getType(), getRing().getType()); }

LogicalResult CopyAsyncOp::verify() {
  RankedTensorType tile = getRing().getType().getTile();
  size_t rank = tile.getRank();
  if (getOffsets().size() != rank || getStrides().size() != rank || getExtents().size() != rank) { // copy_async_c1
    return emitOpError("expected ") << rank << " offsets, strides and extents";
  }
  if (getBase().getType().getPointee() != tile.getElementType()) { // copy_async_c2
    return emitOpError("expected a pointer to ") << tile.getElementType() << ", got " << getBase().getType();
  }
  if (getThreads().getExtents() != tile.getShape()) {
    return emitOpError("expected threads for extents [") << tile.getShape() << "]";
  }
  return success();
}

LogicalResult GatherAsyncOp::verify() {
  RankedTensorType tile = getRing().getType().getTile();
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  if (pointers.getShape() != tile.getShape() || // gather_async_c1
      cast<tile::PtrType>(pointers.getElementType()).getPointee() != tile.getElementType()) {
    return emitOpError("expected pointers to the slot's ") << tile << ", got " << pointers;
  }
  if (getMask() && tile::shapeOf(getMask().getType()) != tile.getShape()) { // gather_async_c2
    return emitOpError("expected a mask of the slot's shape, got ") << getMask().getType();
  }
  return success();
}

static LogicalResult verifyProduct(Operation *op, ArrayRef<int64_t> a, ArrayRef<int64_t> b, ArrayRef<int64_t> acc) {
  size_t rank = acc.size();
  bool fits = (rank == 2 || rank == 3) && a.size() == rank && b.size() == rank;
  if (!fits || a[rank - 2] != acc[rank - 2] || b[rank - 1] != acc[rank - 1] || a[rank - 1] != b[rank - 2] ||
      a.drop_back(2) != acc.drop_back(2) || b.drop_back(2) != acc.drop_back(2)) { // mma_c1, dot_fma_c1
    return op->emitOpError("expected M x K, K x N and M x N, got [") << a << "], [" << b << "] and [" << acc << "]";
  }
  return success();
}

LogicalResult MmaOp::verify() {
  if (getShape().size() != 3) { // mma_c2
    return emitOpError("expected three entries of shape, got ") << getShape().size();
  }
  return verifyProduct(*this, tile::shapeOf(getA().getType()), tile::shapeOf(getB().getType()),
                       tile::shapeOf(getAcc().getType()));
}

LogicalResult DotFmaOp::verify() {
  return verifyProduct(*this, getA().getType().getTile().getShape(), getB().getType().getTile().getShape(),
                       tile::shapeOf(getAcc().getType()));
}

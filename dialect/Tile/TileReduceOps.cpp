// Verifiers of reductions, scans and their kin. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

/// C1-C2 of reduce and scan: sources of one shape and an axis within it.
static LogicalResult verifySources(Operation *op, ValueRange sources, int32_t axis) {
  if (sources.empty()) {
    return op->emitOpError("expected at least one source");
  }
  ArrayRef<int64_t> shape = shapeOf(sources.front().getType());
  for (Value source : sources) {
    if (shapeOf(source.getType()) != shape) {
      return op->emitOpError("expected sources of one shape, got ")
             << sources.front().getType() << " and " << source.getType();
    }
  }
  if (axis < 0 || axis >= static_cast<int32_t>(shape.size())) {
    return op->emitOpError("expected an axis in 0 .. ") << shape.size() - 1 << ", got " << axis;
  }
  return success();
}

/// C4-C5: the region combines two tuples of scalars into one, without side effects.
static LogicalResult verifyCombine(Operation *op, ValueRange sources, Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 * sources.size()) {
    return op->emitOpError("expected a region with ")
           << 2 * sources.size() << " arguments, got " << block.getNumArguments();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != sources.size()) {
    return op->emitOpError("expected the region to yield ") << sources.size() << " values";
  }
  for (auto [index, source] : llvm::enumerate(sources)) {
    Type element = elementTypeOf(source.getType());
    for (Type got : {block.getArgument(index).getType(), block.getArgument(index + sources.size()).getType(),
                     yield.getValues()[index].getType()}) {
      if (got != element) {
        return op->emitOpError("expected the region to combine ") << element << ", got " << got;
      }
    }
  }
  for (Operation &inner : block.without_terminator()) {
    if (!isMemoryEffectFree(&inner)) {
      return op->emitOpError("expected a combine region without side effects").attachNote(inner.getLoc())
             << "'" << inner.getName() << "' has them";
    }
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxis()))) { // reduce_c1, reduce_c2
    return failure();
  }
  SmallVector<int64_t> shape(shapeOf(getSrcs().front().getType()));
  shape.erase(shape.begin() + getAxis());
  for (auto [source, result] : llvm::zip(getSrcs(), getResults())) { // reduce_c3
    Type expected = tileOrScalar(shape, elementTypeOf(source.getType()));
    if (!isSameTile(result.getType(), expected)) {
      return emitOpError("expected a result of type ") << expected << ", got " << result.getType();
    }
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getSrcs(), getCombine()); }

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxis()))) { // scan_c1, scan_c2
    return failure();
  }
  for (auto [source, result] : llvm::zip(getSrcs(), getResults())) { // scan_c3
    if (result.getType() != source.getType()) {
      return emitOpError("expected a result of type ") << source.getType() << ", got " << result.getType();
    }
  }
  return success();
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getSrcs(), getCombine()); }

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (source.getRank() != 1 || result.getRank() != 1 || !result.getElementType().isInteger(32)) { // histogram_c1
    return emitOpError("expected a rank-1 source and a rank-1 result of i32, got ") << source << " and " << result;
  }
  if (getMask() && shapeOf(getMask().getType()) != source.getShape()) { // histogram_c2
    return emitOpError("expected a mask of the source's shape, got ") << getMask().getType();
  }
  return success();
}

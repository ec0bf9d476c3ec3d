// Folders and canonical forms of the shape ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever only moves elements leaves a tile of equal elements alone, so shape ops over tile.splat (and over splat
// constants) become tile.splat; pairs that undo or repeat each other become one op or none.
#include "dialect/Tile/TileFolding.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pavage::tile;

/// The constant result of an op that only moves elements of a constant whose elements are all alike.
static Attribute foldSplatConstant(Attribute constant, Type type) {
  Attribute element = splatElement(constant);
  return element ? constantOf(type, element) : Attribute();
}

/// op(splat x) is splat x.
static LogicalResult movesSplat(Operation *op, PatternRewriter &rewriter) {
  auto splat = op->getOperand(0).getDefiningOp<SplatOp>();
  if (!splat) {
    return failure();
  }
  rewriter.replaceOpWithNewOp<SplatOp>(op, op->getResult(0).getType(), splat.getSrc());
  return success();
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getNumElements() != 1) {
    return {};
  }
  auto start = static_cast<uint64_t>(getStart());
  unsigned width = type.getElementTypeBitWidth();
  return DenseElementsAttr::get(type, APInt(64, start).zextOrTrunc(width));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) { return foldSplatConstant(adaptor.getSrc(), getResult().getType()); }

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>()) {
    return splat.getSrc();
  }
  return splatElement(adaptor.getSrc());
}

/// The elements of a constant in another shape.
static OpFoldResult foldReshape(Value source, Attribute constant, Type type) {
  if (source.getType() == type) {
    return source;
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  return dense ? OpFoldResult(dense.reshape(cast<ShapedType>(type))) : OpFoldResult();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldReshape(getSrc(), adaptor.getSrc(), getResult().getType());
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  return movesSplat(op, rewriter);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  Operation *source = getSrc().getDefiningOp();
  if (isa_and_nonnull<ReshapeOp, ExpandDimsOp>(source) && source->getOperand(0).getType() == getResult().getType()) {
    return source->getOperand(0);
  }
  return foldReshape(getSrc(), adaptor.getSrc(), getResult().getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  Operation *source = op.getSrc().getDefiningOp();
  if (isa_and_nonnull<ReshapeOp, ExpandDimsOp>(source)) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getResult().getType(), source->getOperand(0));
    return success();
  }
  return movesSplat(op, rewriter);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getResult().getType()) {
    return getSrc();
  }
  return foldSplatConstant(adaptor.getSrc(), getResult().getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (auto source = op.getSrc().getDefiningOp<BroadcastOp>()) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getResult().getType(), source.getSrc());
    return success();
  }
  return movesSplat(op, rewriter);
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  auto isIdentity = [](ArrayRef<int32_t> order) {
    for (auto [axis, source] : llvm::enumerate(order)) {
      if (static_cast<int32_t>(axis) != source) {
        return false;
      }
    }
    return true;
  };
  if (isIdentity(getOrder())) {
    return getSrc();
  }
  return foldSplatConstant(adaptor.getSrc(), getResult().getType());
}

LogicalResult TransOp::canonicalize(TransOp op, PatternRewriter &rewriter) {
  if (auto source = op.getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t axis : op.getOrder()) {
      order.push_back(source.getOrder()[axis]);
    }
    rewriter.replaceOpWithNewOp<TransOp>(op, op.getResult().getType(), source.getSrc(), order);
    return success();
  }
  return movesSplat(op, rewriter);
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getLhs() && getRhs() == split.getRhs()) {
    return split.getSrc();
  }
  Attribute lhs = splatElement(adaptor.getLhs());
  return lhs && lhs == splatElement(adaptor.getRhs()) ? constantOf(getResult().getType(), lhs) : TypedAttr();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getSrc().getDefiningOp<JoinOp>()) {
    results.append({join.getLhs(), join.getRhs()});
    return success();
  }
  Attribute half = foldSplatConstant(adaptor.getSrc(), getLhs().getType());
  if (!half) {
    return failure();
  }
  results.append({half, half});
  return success();
}

/// The two slices of one tile that lie side by side along `axis` and make up all of it.
OpFoldResult CatOp::fold(FoldAdaptor adaptor) {
  Attribute element = splatElement(adaptor.getLhs());
  if (element && element == splatElement(adaptor.getRhs())) {
    return constantOf(getResult().getType(), element);
  }
  auto lhs = getLhs().getDefiningOp<SliceOp>(), rhs = getRhs().getDefiningOp<SliceOp>();
  if (!lhs || !rhs || lhs.getSrc() != rhs.getSrc() || lhs.getSrc().getType() != getResult().getType()) {
    return {};
  }
  auto isOne = [](int64_t stride) { return stride == 1; };
  if (!llvm::all_of(lhs.getStrides(), isOne) || !llvm::all_of(rhs.getStrides(), isOne)) {
    return {};
  }
  for (auto [axis, offset] : llvm::enumerate(lhs.getOffsets())) {
    bool isCut = static_cast<int32_t>(axis) == static_cast<int32_t>(getAxis());
    int64_t expected = isCut ? shapeOf(lhs.getResult().getType())[axis] : 0;
    if (offset != 0 || rhs.getOffsets()[axis] != expected) {
      return {};
    }
  }
  return lhs.getSrc();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // The same type means everything, in order; strides of -1 turn an axis round and offsets tell.
  bool isWhole = getSrc().getType() == getResult().getType() &&
                 llvm::all_of(getOffsets(), [](int64_t offset) { return offset == 0; });
  if (isWhole) {
    return getSrc();
  }
  return foldSplatConstant(adaptor.getSrc(), getResult().getType());
}

LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  if (auto source = op.getSrc().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> offsets, strides;
    for (size_t axis = 0; axis < op.getOffsets().size(); ++axis) {
      // The stride of an axis of extent 1 may be anything, so nothing is multiplied by it.
      bool moves = op.getOffsets()[axis] != 0, steps = shapeOf(op.getResult().getType())[axis] > 1;
      offsets.push_back(source.getOffsets()[axis] + (moves ? op.getOffsets()[axis] * source.getStrides()[axis] : 0));
      strides.push_back(steps ? source.getStrides()[axis] * op.getStrides()[axis] : 1);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getResult().getType(), source.getSrc(), offsets, strides);
    return success();
  }
  if (auto cat = op.getSrc().getDefiningOp<CatOp>()) {
    // All of the slice within one of the two.
    int32_t axis = cat.getAxis();
    int64_t middle = shapeOf(cat.getLhs().getType())[axis];
    int64_t first = op.getOffsets()[axis];
    int64_t steps = shapeOf(op.getResult().getType())[axis] - 1;
    int64_t last = steps == 0 ? first : first + steps * op.getStrides()[axis];
    bool inLhs = std::max(first, last) < middle, inRhs = std::min(first, last) >= middle;
    if (!inLhs && !inRhs) {
      return rewriter.notifyMatchFailure(op, "reaches into both halves");
    }
    SmallVector<int64_t> offsets(op.getOffsets());
    offsets[axis] -= inLhs ? 0 : middle;
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getResult().getType(), inLhs ? cat.getLhs() : cat.getRhs(), offsets,
                                         op.getStrides());
    return success();
  }
  return movesSplat(op, rewriter);
}

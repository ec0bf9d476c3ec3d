// Folders and canonical forms of the memory ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileFolding.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pavage::tile;

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> offset = constantInteger(adaptor.getOffset());
  return offset && offset->isZero() ? getPtr() : Value();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getResult().getType()) {
    return getSrc();
  }
  auto source = getSrc().getDefiningOp<BitcastOp>();
  return source && source.getSrc().getType() == getResult().getType() ? source.getSrc() : Value();
}

/// What a masked-off access gives; null for pointers, of which there are no constants.
static Value zeroOf(PatternRewriter &rewriter, Location loc, Type type) {
  if (isa<PtrType>(elementTypeOf(type))) {
    return nullptr;
  }
  return arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  if (isConstantMask(op.getMask(), true)) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getMaskMutable().clear();
      op.getOtherMutable().clear();
    });
    return success();
  }
  if (!isConstantMask(op.getMask(), false)) {
    return failure();
  }
  Value instead = op.getOther() ? op.getOther() : zeroOf(rewriter, op.getLoc(), op.getResult().getType());
  if (!instead) {
    return rewriter.notifyMatchFailure(op, "no constant of a pointer type");
  }
  rewriter.replaceOp(op, instead);
  return success();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  if (isConstantMask(op.getMask(), true)) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  if (isConstantMask(op.getMask(), false)) {
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}

LogicalResult AtomicRMWOp::canonicalize(AtomicRMWOp op, PatternRewriter &rewriter) {
  if (isConstantMask(op.getMask(), true)) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  // One with an order stays: it orders other accesses even when it touches nothing itself.
  if (isConstantMask(op.getMask(), false) && op.getOrder() == MemOrder::Relaxed) {
    rewriter.replaceOp(op, zeroOf(rewriter, op.getLoc(), op.getResult().getType()));
    return success();
  }
  return failure();
}

namespace {
/// What constant offsets and extents say about an axis of a block.
enum class Side { Inside, Outside, Unknown };
} // namespace

template <class Op> static Side sideOf(Op op, int32_t axis, int64_t size) {
  std::optional<APInt> offset = constantInteger(op.getOffsets()[axis]), extent = constantInteger(op.getExtents()[axis]);
  int64_t last;
  if (!offset || llvm::AddOverflow(offset->getSExtValue(), size - 1, last)) {
    return Side::Unknown; // not constant, or wraps
  }
  if (!extent) {
    return last < 0 ? Side::Outside : Side::Unknown;
  }
  int64_t first = offset->getSExtValue(), end = extent->getSExtValue();
  return first >= 0 && last < end ? Side::Inside : last < 0 || first >= end ? Side::Outside : Side::Unknown;
}

/// Drops the checks that are known to hold; `outside` tells that one is known to fail in every lane.
template <class Op> static LogicalResult simplifyChecks(Op op, Type tile, bool &outside, PatternRewriter &rewriter) {
  SmallVector<int32_t> checked;
  outside = false;
  for (int32_t axis : op.getChecked()) {
    Side side = sideOf(op, axis, shapeOf(tile)[axis]);
    outside |= side == Side::Outside;
    if (side != Side::Inside) {
      checked.push_back(axis);
    }
  }
  if (checked.size() == op.getChecked().size()) {
    return failure();
  }
  rewriter.modifyOpInPlace(op, [&] { op.setChecked(checked); });
  return success();
}

LogicalResult BlockLoadOp::canonicalize(BlockLoadOp op, PatternRewriter &rewriter) {
  bool outside;
  Type type = op.getResult().getType();
  LogicalResult changed = simplifyChecks(op, type, outside, rewriter);
  if (outside && (op.getOther() || !isa<PtrType>(elementTypeOf(type)))) {
    if (op.getOther()) {
      rewriter.replaceOpWithNewOp<SplatOp>(op, type, op.getOther());
    } else {
      rewriter.replaceOp(op, zeroOf(rewriter, op.getLoc(), type));
    }
    return success();
  }
  if (op.getChecked().empty() && op.getOther()) { // nothing is outside
    rewriter.modifyOpInPlace(op, [&] { op.getOtherMutable().clear(); });
    return success();
  }
  return changed;
}

LogicalResult BlockStoreOp::canonicalize(BlockStoreOp op, PatternRewriter &rewriter) {
  bool outside;
  LogicalResult changed = simplifyChecks(op, op.getValue().getType(), outside, rewriter);
  if (outside) {
    rewriter.eraseOp(op);
    return success();
  }
  return changed;
}

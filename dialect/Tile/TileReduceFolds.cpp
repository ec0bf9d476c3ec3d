// Folders and canonical forms of reductions, scans and sort. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileFolding.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pavage::tile;

/// Over an axis of extent 1 nothing is combined: only the axis goes.
LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  if (shapeOf(op.getSrcs().front().getType())[op.getAxis()] != 1) {
    return failure();
  }
  SmallVector<Value> results;
  for (auto [source, result] : llvm::zip(op.getSrcs(), op.getResults())) {
    if (shapeOf(result.getType()).empty()) {
      results.push_back(UnsplatOp::create(rewriter, op.getLoc(), result.getType(), source));
    } else {
      results.push_back(ReshapeOp::create(rewriter, op.getLoc(), result.getType(), source));
    }
  }
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult ScanOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (shapeOf(getSrcs().front().getType())[getAxis()] != 1) {
    return failure();
  }
  results.append(getSrcs().begin(), getSrcs().end());
  return success();
}

OpFoldResult SortOp::fold(FoldAdaptor) {
  return shapeOf(getSrc().getType()).back() == 1 ? OpFoldResult(getSrc()) : OpFoldResult();
}

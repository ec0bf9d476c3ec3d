// Folders and canonical forms of hints and checks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileFolding.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pavage::tile;

/// A hint whose entries are all 1 promises nothing.
OpFoldResult HintOp::fold(FoldAdaptor) {
  for (ArrayRef<int64_t> list : {getContiguity(), getDivisibility(), getConstancy()}) {
    if (llvm::any_of(list, [](int64_t entry) { return entry != 1; })) {
      return {};
    }
  }
  return getSrc();
}

LogicalResult AssumeOp::canonicalize(AssumeOp op, PatternRewriter &rewriter) {
  if (!isConstantMask(op.getCondition(), true)) {
    return failure();
  }
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (isConstantMask(op.getCondition(), true) || isConstantMask(op.getMask(), false)) {
    rewriter.eraseOp(op);
    return success();
  }
  if (isConstantMask(op.getMask(), true)) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  return failure();
}

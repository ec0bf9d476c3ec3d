// Sorting and counting. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Ref Session::sort(const Ref &x, std::optional<int64_t> axis, bool descending) {
  if (!checkTile(x, "sort")) {
    return {};
  }
  if (x->dtype.isPointer()) {
    return fail(Code::ReduceType, "expected numbers to sort, got " + describe(*x));
  }
  std::optional<int64_t> place = axisOf(x, axis.value_or(-1), "sort");
  if (!place) {
    return {};
  }
  // The op sorts the last axis; another one changes places with it.
  int64_t last = x->shape.size() - 1;
  SmallVector<int64_t> order;
  llvm::append_range(order, llvm::seq<int64_t>(0, last + 1));
  std::swap(order[*place], order[last]);
  Ref turned = trans(x, ArrayRef<int64_t>(order));
  Ref sorted = tile(create<tile::SortOp>(turned->ir.getType(), turned->ir, descending, x->dtype.isSigned()), x->dtype);
  return trans(sorted, ArrayRef<int64_t>(order));
}

Ref Session::topk(const Ref &x, int64_t k, std::optional<int64_t> axis, bool descending) {
  Ref sorted = sort(x, axis, descending);
  if (!sorted) {
    return {};
  }
  int64_t place = *axisOf(x, axis.value_or(-1), "topk");
  if (k < 1 || k > x->shape[place]) {
    return fail(Code::BadShape,
                "expected k in 1 .. " + Twine(x->shape[place]) + " for topk of " + describe(*x) + ", got " + Twine(k));
  }
  Shape shape = x->shape;
  shape[place] = k;
  return slice(sorted, SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape.size(), 1), shape);
}

Ref Session::histogram(const Ref &x, int64_t bins, const Ref &mask) {
  if (!checkTile(x, "histogram")) {
    return {};
  }
  if (!x->dtype.isInteger() || x->shape.size() != 1) {
    return fail(Code::ReduceType, "expected integers of rank 1 for histogram, got " + describe(*x));
  }
  mlir::Value maskIr;
  if (!checkShape(bins, "the bins of histogram") || !accessMask(x, mask, maskIr)) {
    return {};
  }
  return tile(create<tile::HistogramOp>(irType(&context(), i32, bins), x->ir, maskIr), i32);
}

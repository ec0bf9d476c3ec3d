// x[...]: new axes, whole axes, single slices, and slices with constant bounds. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Ref Session::slice(const Ref &x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides, ArrayRef<int64_t> shape) {
  bool isWhole = ArrayRef<int64_t>(x->shape) == shape && llvm::all_of(offsets, [](int64_t o) { return o == 0; }) &&
                 llvm::all_of(strides, [](int64_t s) { return s == 1; });
  if (isWhole) {
    return x;
  }
  return tile(create<tile::SliceOp>(irType(&context(), x->dtype, shape), x->ir, offsets, strides), x->dtype);
}

namespace {
struct Stretch {
  int64_t first, count, step;
};
} // namespace

/// start:stop:step of an axis by Python's rules.
static Stretch resolve(const pv_index_item &item, int64_t extent) {
  int64_t step = item.has_step ? item.step : 1;
  auto clamped = [&](int64_t at, int64_t low, int64_t high) {
    at += at < 0 ? extent : 0;
    return std::min(std::max(at, low), high);
  };
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  int64_t start = item.has_start ? clamped(item.start, low, high) : step > 0 ? 0 : extent - 1;
  int64_t stop = item.has_stop ? clamped(item.stop, low, high) : step > 0 ? extent : -1;
  int64_t distance = step > 0 ? stop - start : start - stop, size = step > 0 ? step : -step;
  return {start, distance <= 0 ? 0 : (distance - 1) / size + 1, step};
}

Ref Session::index(const Ref &given, ArrayRef<pv_index_item> items) {
  Ref x = toTensor(given);
  if (!x) {
    return {};
  }
  // A scalar has no axis that a plain colon could keep; as in Triton it then says nothing.
  SmallVector<pv_index_item> written(items);
  if (x->shape.empty()) {
    llvm::erase_if(written, [](const pv_index_item &i) { return i.kind == PV_INDEX_ALL; });
    items = written;
  }
  size_t consumed = llvm::count_if(items, [](const pv_index_item &i) { return i.kind != PV_INDEX_NEW_AXIS; });
  if (consumed > x->shape.size()) {
    return fail(Code::BadIndex, "expected at most " + Twine(x->shape.size()) + " indices for " + describe(*x) +
                                    ", got " + Twine(consumed));
  }
  // Constant parts first, in one slice; then run-time indices, each by a gather; then the axes that come and go.
  SmallVector<int64_t> offsets(x->shape.size(), 0), strides(x->shape.size(), 1);
  Shape kept = x->shape, shape;
  SmallVector<std::pair<size_t, Ref>> gathers;
  size_t axis = 0;
  for (const pv_index_item &item : items) {
    if (item.kind == PV_INDEX_NEW_AXIS) {
      shape.push_back(1);
      continue;
    }
    int64_t extent = x->shape[axis];
    if (item.kind == PV_INDEX_ALL) {
      shape.push_back(extent);
    } else if (item.kind == PV_INDEX_SLICE) {
      if (item.has_step && item.step == 0) {
        return fail(Code::BadIndex, "expected a slice with a step other than 0, got 0");
      }
      Stretch range = resolve(item, extent);
      if (range.count == 0) {
        return fail(Code::BadIndex, "expected a slice with at least one element of axis " + Twine(axis) + " of " +
                                        describe(*x) + ", got none");
      }
      offsets[axis] = range.first;
      strides[axis] = range.step;
      kept[axis] = range.count;
      shape.push_back(range.count);
    } else if (item.kind == PV_INDEX_AT) {
      Ref at(item.at);
      if (!checkNumber(at, "an index")) {
        return {};
      }
      if (!at->dtype.isInteger() || !at->isScalar() || (at->dtype.isBool())) {
        return fail(Code::BadIndex, "expected an integer scalar as index, got " + describe(*at));
      }
      if (!at->number) {
        gathers.push_back({axis, at});
      } else {
        Wide place = at->number->integer;
        if (place < -extent || place >= extent) {
          return fail(Code::BadIndex, "expected an index in " + Twine(-extent) + " .. " + Twine(extent - 1) +
                                          " for axis " + Twine(axis) + " of " + describe(*x) + ", got " +
                                          toString(place));
        }
        offsets[axis] = int64_t(place < 0 ? place + extent : place);
        kept[axis] = 1;
      }
    } else {
      return fail(Code::BuilderMisuse, "expected an index kind, got number " + Twine(int(item.kind)));
    }
    ++axis;
  }
  for (; axis < x->shape.size(); ++axis) {
    shape.push_back(x->shape[axis]);
  }
  Ref part = x->shape.empty() ? x : slice(x, offsets, strides, kept);
  for (auto &[place, at] : gathers) {
    Shape one = part->shape;
    one[place] = 1;
    part = gather(part, asTileOf(at, one), place);
    if (!part) {
      return {};
    }
  }
  return reshape(part, shape);
}

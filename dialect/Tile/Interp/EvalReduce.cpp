// Reductions, scans, sorting, histograms. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All positions of a reduction take the same steps in the same order, so one evaluation of the combine region serves a
// whole row of lanes: the region's scalar ops are evaluated on data of many lanes. A tile [outer, N, inner] is first
// laid out as [N, outer * inner]; step i of a fold then combines rows. Only a region with control flow is run position
// by position.
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

namespace {
/// Rows of `width` elements, one for each index on the folded axis.
struct Rows {
  Type element;
  int64_t bytes; ///< of an element
  int64_t width;
  std::vector<uint8_t> data;
  std::vector<uint8_t> poison; ///< empty = none

  /// `count` rows from `first` on, one after the other.
  Datum get(int64_t first, int64_t count) const {
    Datum datum;
    datum.type = element;
    datum.bytes.assign(data.begin() + first * width * bytes, data.begin() + (first + count) * width * bytes);
    if (!poison.empty()) {
      datum.poison.assign(poison.begin() + first * width, poison.begin() + (first + count) * width);
    }
    return datum;
  }

  void put(int64_t first, int64_t count, const Datum &datum) {
    int64_t lanes = count * width;
    if (datum.numElements() == lanes) {
      std::copy(datum.bytes.begin(), datum.bytes.end(), data.begin() + first * width * bytes);
    } else { // a yielded constant
      for (int64_t i = 0; i < lanes; ++i) {
        std::copy_n(datum.bytes.begin(), bytes, data.begin() + (first * width + i) * bytes);
      }
    }
    if (!datum.poison.empty()) {
      poison.resize(data.size() / bytes);
    }
    for (int64_t i = 0; i < lanes && !poison.empty(); ++i) {
      poison[first * width + i] = datum.isPoison(datum.numElements() == 1 ? 0 : i);
    }
  }
};

/// A reduce or scan under way.
class Fold {
public:
  Fold(State &state, Region &region, Data sources, int32_t axis);

  int64_t getExtent() const { return extent; }
  /// Rows left .. left + count become combine(those, rows right ..), put into rows target .. ; false on an error.
  bool combine(int64_t left, int64_t right, int64_t target, int64_t count);
  /// The first `count` rows as the value of a result, in the tile's own order.
  void finish(unsigned index, Value result, int64_t count);

private:
  bool isLaneWise() const;
  bool run(SmallVectorImpl<Datum> &arguments, int64_t lanes, SmallVectorImpl<Datum> &yielded);

  State &state;
  Region &region;
  int64_t outer = 1, extent, inner = 1;
  std::vector<Rows> rows; ///< of each source
  bool laneWise;
};
} // namespace

Fold::Fold(State &state, Region &region, Data sources, int32_t axis) : state(state), region(region) {
  ArrayRef<int64_t> shape = shapeOf(sources.front()->type);
  extent = shape[axis];
  for (int64_t size : shape.take_front(axis)) {
    outer *= size;
  }
  for (int64_t size : shape.drop_front(axis + 1)) {
    inner *= size;
  }
  for (const Datum *source : sources) {
    Rows &row = rows.emplace_back();
    row.element = elementTypeOf(source->type);
    row.bytes = elementBytes(source->type);
    row.width = outer * inner;
    row.data.resize(source->bytes.size());
    row.poison.resize(source->poison.size());
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < extent; ++i) {
        int64_t from = (o * extent + i) * inner, to = i * row.width + o * inner;
        std::copy_n(source->bytes.begin() + from * row.bytes, inner * row.bytes, row.data.begin() + to * row.bytes);
        if (!row.poison.empty()) {
          std::copy_n(source->poison.begin() + from, inner, row.poison.begin() + to);
        }
      }
    }
  }
  laneWise = isLaneWise();
}

bool Fold::isLaneWise() const {
  for (Operation &inside : region.front().without_terminator()) {
    auto isScalar = [](Type type) { return !isa<RankedTensorType>(type); };
    if (!HandlerTable::get().find(&inside).isElementwise || !llvm::all_of(inside.getOperandTypes(), isScalar) ||
        !llvm::all_of(inside.getResultTypes(), isScalar)) {
      return false;
    }
  }
  return true;
}

bool Fold::run(SmallVectorImpl<Datum> &arguments, int64_t lanes, SmallVectorImpl<Datum> &yielded) {
  if (laneWise) {
    return state.evaluateRegion(region, arguments, yielded);
  }
  size_t tuple = rows.size();
  SmallVector<Datum> results(tuple);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Datum> single;
    for (const Datum &argument : arguments) {
      Datum &one = single.emplace_back(Datum::scalar(argument.type, argument.bits(lane)));
      if (argument.isPoison(lane)) {
        one.poison.assign(1, 1);
      }
    }
    if (!state.evaluateRegion(region, single, yielded)) {
      return false;
    }
    for (size_t i = 0; i < tuple; ++i) {
      llvm::append_range(results[i].bytes, yielded[i].bytes);
      results[i].poison.push_back(yielded[i].isPoison(0));
      results[i].type = yielded[i].type;
    }
  }
  yielded.assign(results.begin(), results.end());
  return true;
}

bool Fold::combine(int64_t left, int64_t right, int64_t target, int64_t count) {
  SmallVector<Datum> arguments, yielded;
  for (int64_t first : {left, right}) {
    for (const Rows &row : rows) {
      arguments.push_back(row.get(first, count));
    }
  }
  if (!run(arguments, count * outer * inner, yielded)) {
    return false;
  }
  for (auto [row, datum] : llvm::zip(rows, yielded)) {
    row.put(target, count, datum);
  }
  return true;
}

void Fold::finish(unsigned index, Value result, int64_t count) {
  const Rows &row = rows[index];
  Datum &datum = state.define(result);
  if (!row.poison.empty()) {
    datum.poison.resize(datum.numElements());
  }
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = i * row.width + o * inner, to = (o * count + i) * inner;
      std::copy_n(row.data.begin() + from * row.bytes, inner * row.bytes, datum.bytes.begin() + to * row.bytes);
      if (!row.poison.empty()) {
        std::copy_n(row.poison.begin() + from, inner, datum.poison.begin() + to);
      }
    }
  }
}

/// 64 lanes fold every 64th element, then a tree over the lanes; see the op's page.
static bool evalReduce(State &state, Operation *op, Data in) {
  auto reduce = cast<ReduceOp>(op);
  constexpr int64_t lanes = 64;
  Fold fold(state, reduce.getCombine(), in, reduce.getAxis());
  int64_t extent = fold.getExtent();
  for (int64_t first = lanes; first < extent; first += lanes) {
    if (!fold.combine(0, first, 0, std::min(lanes, extent - first))) {
      return false;
    }
  }
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    int64_t count = std::min(half, extent - half);
    if (count > 0 && !fold.combine(0, half, 0, count)) {
      return false;
    }
  }
  for (auto [index, result] : llvm::enumerate(reduce.getResults())) {
    fold.finish(index, result, 1);
  }
  return true;
}

static bool evalScan(State &state, Operation *op, Data in) {
  auto scan = cast<ScanOp>(op);
  Fold fold(state, scan.getCombine(), in, scan.getAxis());
  int64_t extent = fold.getExtent();
  for (int64_t step = 1; step < extent; ++step) {
    int64_t at = scan.getReverse() ? extent - 1 - step : step;
    if (!fold.combine(scan.getReverse() ? at + 1 : at - 1, at, at, 1)) {
      return false;
    }
  }
  for (auto [index, result] : llvm::enumerate(scan.getResults())) {
    fold.finish(index, result, extent);
  }
  return true;
}

// ---- Sort

/// A number that orders like the element; NaN after everything, in both directions.
template <class K> static uint64_t sortKey(typename K::Storage bits, bool isSigned, bool descending) {
  if constexpr (K::isFloat) {
    if (K::load(bits) != K::load(bits)) {
      return UINT64_MAX;
    }
  }
  uint64_t sign = uint64_t(1) << (K::width - 1), pattern = 0;
  std::memcpy(&pattern, &bits, sizeof(bits));
  uint64_t mask = sign | (sign - 1);
  if constexpr (K::isFloat) {
    pattern = (pattern & sign) != 0 ? ~pattern & mask : pattern | sign;
  } else if (isSigned) {
    pattern ^= sign;
  }
  return descending ? ~pattern & mask : pattern;
}

static bool evalSort(State &state, Operation *op, Data in) {
  auto sort = cast<SortOp>(op);
  const Datum &source = *in[0];
  Datum &result = state.define(op->getResult(0));
  int64_t extent = shapeOf(source.type).back(), lanes = result.numElements();
  bool isSigned = sort.getIsSigned() && !elementTypeOf(source.type).isInteger(1); // a bool is 0 or 1
  bool known = withKind(source.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    std::vector<std::pair<uint64_t, Storage>> row(extent);
    for (int64_t first = 0; first < lanes; first += extent) {
      for (int64_t i = 0; i < extent; ++i) {
        Storage bits = elements<Storage>(source)[first + i];
        row[i] = {sortKey<K>(bits, isSigned, sort.getDescending()), bits};
      }
      std::sort(row.begin(), row.end()); // equal keys are equal bits, but for NaN
      for (int64_t i = 0; i < extent; ++i) {
        elements<Storage>(result)[first + i] = row[i].second;
      }
    }
  });
  if (!source.poison.empty()) {
    result.poison.resize(lanes);
    for (int64_t first = 0; first < lanes; first += extent) {
      auto begin = source.poison.begin() + first;
      bool any = std::any_of(begin, begin + extent, [](uint8_t bad) { return bad != 0; });
      std::fill_n(result.poison.begin() + first, extent, any);
    }
  }
  return known;
}

static bool evalHistogram(State &state, Operation *op, Data in) {
  const Datum &source = *in[0], *mask = in.size() > 1 ? in[1] : nullptr;
  Datum &result = state.define(op->getResult(0));
  std::fill(result.bytes.begin(), result.bytes.end(), 0);
  bool isPoison = false;
  for (int64_t i = 0, lanes = source.numElements(); i < lanes; ++i) {
    isPoison |= mask && mask->isPoison(i);
    if (mask && mask->bytes[i] == 0) {
      continue;
    }
    isPoison |= source.isPoison(i);
    uint64_t bin = source.bits(i);
    if (bin < static_cast<uint64_t>(result.numElements())) {
      ++elements<uint32_t>(result)[bin];
    }
  }
  if (isPoison) {
    result.poison.assign(result.numElements(), 1);
  }
  return true;
}

void pavage::tile::addReduceHandlers(HandlerTable &table) {
  table.add<ReduceOp>(evalReduce);
  table.add<ScanOp>(evalScan);
  table.add<SortOp>(evalSort);
  table.add<HistogramOp>(evalHistogram);
}

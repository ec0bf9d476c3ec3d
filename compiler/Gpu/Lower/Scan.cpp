// Scans. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis is cut into runs of bits that lie in one kind of place, from the lowest up. After each run, every element
// holds the scan of its block (all bits so far), and every place of the block knows the block's total:
//
//     registers   one after the other takes in the total of those before it
//     lanes       the totals are scanned by shuffles, in log2 steps; each lane then takes in its neighbour's
//     warps       all totals go through scratch memory; each thread folds those before its own warp
//
// Reversed, an index counts from the end: every bit means its opposite. Padding, which otherwise comes last and reaches
// nobody, then comes first: a prefix that consists of padding only is left out.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Fold.h"

using namespace mlir;
using pavage::layout::Place;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

namespace {
class Scan {
public:
  Scan(Emitter &e, tile::ScanOp op)
      : e(e), fold(e, op.getCombine(), op.getSrcs(), op.getAxis()), totals(fold.columns), isReverse(op.getReverse()),
        op(op) {}

  LogicalResult run();

private:
  Values total(unsigned reg) const {
    Values tuple;
    for (const Values &column : totals) {
      tuple.push_back(column[reg]);
    }
    return tuple;
  }
  void setTotal(unsigned reg, ValueRange tuple) {
    for (auto [column, value] : llvm::zip(totals, tuple)) {
      column[reg] = value;
    }
  }
  /// Registers with no bit of what is done: one for each block.
  SmallVector<unsigned> blocks() const {
    SmallVector<unsigned> result;
    for (unsigned reg = 0; reg < numRegisters(); ++reg) {
      if ((reg & doneRegisters) == 0) {
        result.push_back(reg);
      }
    }
    return result;
  }
  unsigned numRegisters() const { return fold.columns.front().size(); }

  /// combine(prefix, x), or x alone where the prefix, which begins at `lowest` of the axis (see Fold::isValid), is
  /// padding.
  Values after(ValueRange prefix, ValueRange x, int64_t lowest, int64_t threadBits) {
    std::optional<Value> isValid = isReverse ? fold.isValid(lowest, threadBits) : std::optional(Value());
    return isValid ? fold.combine(prefix, x, *isValid, x) : Values(x);
  }
  /// Every element of the block takes in the prefix where `condition` holds.
  void takeIn(unsigned block, ValueRange prefix, Value condition, int64_t lowest, int64_t threadBits);

  void scanRegisters(Axis::Run run);
  void scanLanes(Axis::Run run, bool isLast);
  void scanWarps(const WarpExchange &exchange, Axis::Run run);

  Emitter &e;
  Fold fold;
  SmallVector<Values> totals; ///< of the block of a register
  bool isReverse;
  tile::ScanOp op;
  unsigned doneRegisters = 0;     ///< register bits of the axis that are done
  int64_t openBits = ~int64_t(0); ///< axis bits that are not
  int64_t scratchAt = 0;          ///< of the next exchange
};
} // namespace

void Scan::takeIn(unsigned block, ValueRange prefix, Value condition, int64_t lowest, int64_t threadBits) {
  for (unsigned reg = 0; reg < numRegisters(); ++reg) {
    if ((reg & ~doneRegisters) != block) {
      continue;
    }
    Values x = fold.get(reg), with = after(prefix, x, lowest, threadBits);
    fold.put(reg, condition ? fold.select(condition, with, x) : with);
  }
}

void Scan::scanRegisters(Axis::Run run) {
  unsigned count = 1u << run.count, all = fold.axis->placeMask(Place::Register, run.first, run.count);
  auto registerAt = [&](unsigned position) {
    unsigned index = isReverse ? count - 1 - position : position, reg = 0;
    for (int bit = 0; bit < run.count; ++bit) {
      reg |= index >> bit & 1 ? 1u << fold.axis->bits[run.first + bit].number : 0;
    }
    return reg;
  };
  for (unsigned block : blocks()) {
    if ((block & all) != 0) {
      continue;
    }
    unsigned before = block | registerAt(0);
    Values sum = total(before);
    for (unsigned position = 1; position < count; ++position) {
      unsigned here = block | registerAt(position);
      int64_t lowest = fold.indexOf(before);
      // A block of one element is its own total.
      bool isOne = total(here) == fold.get(here);
      takeIn(here, sum, Value(), lowest, openBits);
      sum = isOne ? fold.get(here) : after(sum, total(here), lowest, openBits);
      before = here;
    }
    setTotal(block, sum);
  }
  doneRegisters |= all;
}

void Scan::scanLanes(Axis::Run run, bool isLast) {
  uint32_t mask = fold.axis->placeMask(Place::Lane, run.first, run.count);
  uint32_t lowest = 1u << fold.axis->bits[run.first].number;
  // The lane of the last of all positions, and of the one before the own.
  auto lastOf = [&](uint32_t bits) {
    return isReverse ? e.bitAnd(e.lane, e.i32(~int64_t(bits))) : e.bitOr(e.lane, e.i32(bits));
  };
  Value others = e.bitAnd(e.lane, e.i32(~int64_t(mask)));
  Value moved = isReverse ? e.add(e.bitOr(e.lane, e.i32(~int64_t(mask))), e.i32(lowest))
                          : e.sub(e.bitAnd(e.lane, e.i32(mask)), e.i32(lowest));
  Value neighbour = e.bitOr(others, e.bitAnd(moved, e.i32(mask)));
  Value hasNeighbour = e.compare(Predicate::ne, e.bitAnd(e.lane, e.i32(mask)), e.i32(isReverse ? mask : 0));
  int64_t open = openBits & ~(((int64_t(1) << run.count) - 1) << run.first);
  for (unsigned block : blocks()) {
    Values scanned = total(block);
    bool isOne = scanned == fold.get(block) && doneRegisters == 0;
    uint32_t below = 0;
    int64_t higher = openBits;
    for (int bit = 0; bit < run.count; ++bit) {
      uint32_t own = 1u << fold.axis->bits[run.first + bit].number;
      int64_t axisBit = int64_t(1) << (run.first + bit);
      higher &= ~axisBit;
      Value from = lastOf(below);
      from = isReverse ? e.bitOr(from, e.i32(own)) : e.bitAnd(from, e.i32(~int64_t(own)));
      Values before;
      for (Value value : scanned) {
        before.push_back(shuffleFrom(e, value, from));
      }
      Values with = after(before, scanned, fold.indexOf(block) + axisBit, higher);
      Value takes = e.compare(isReverse ? Predicate::eq : Predicate::ne, e.bitAnd(e.lane, e.i32(own)), e.i32(0));
      scanned = fold.select(takes, with, scanned);
      below |= own;
    }
    if (isOne) {
      fold.put(block, scanned);
    } else {
      Values prefix;
      for (Value value : scanned) {
        prefix.push_back(shuffleFrom(e, value, neighbour));
      }
      // Reversed, the prefix begins one position above the own.
      int64_t above = isReverse ? int64_t(1) << run.first : 0;
      takeIn(block, prefix, hasNeighbour, fold.indexOf(block) + above, openBits);
    }
    if (!isLast) {
      Values sum;
      for (Value value : scanned) {
        sum.push_back(shuffleFrom(e, value, lastOf(mask)));
      }
      setTotal(block, sum);
    }
  }
  openBits = open;
}

void Scan::scanWarps(const WarpExchange &exchange, Axis::Run run) {
  SmallVector<unsigned> own = blocks();
  SmallVector<Values> sources;
  for (const Values &column : totals) {
    Values &source = sources.emplace_back();
    for (unsigned block : own) {
      source.push_back(column[block]);
    }
  }
  int64_t offset = scratchAt;
  SmallVector<Values> all = exchangeWarps(e, exchange, fold.elements, sources, offset);
  scratchAt = offset;
  unsigned count = 1u << run.count;
  layout::Vectors numbers(5, 0);
  for (int bit = 0; bit < run.count; ++bit) {
    numbers[fold.axis->bits[run.first + bit].number] = layout::Vector(1) << bit;
  }
  Value position = e.bitXor(e.mapThread({}, numbers), e.i32(isReverse ? count - 1 : 0));
  Value isLater = e.compare(Predicate::ne, position, e.i32(0));
  int64_t open = openBits & ~(((int64_t(1) << run.count) - 1) << run.first);
  for (auto [number, block] : llvm::enumerate(own)) {
    auto totalOf = [&](unsigned at) {
      unsigned index = isReverse ? count - 1 - at : at;
      Values tuple;
      for (const Values &column : all) {
        tuple.push_back(column[number << run.count | index]);
      }
      return tuple;
    };
    Values sum = totalOf(0), prefix = sum;
    for (unsigned at = 1; at < count; ++at) {
      if (at > 1) {
        prefix = fold.select(e.compare(Predicate::eq, position, e.i32(at)), sum, prefix);
      }
      int64_t lowest = int64_t(isReverse ? count - at : at - 1) << run.first;
      sum = after(sum, totalOf(at), fold.indexOf(block) + lowest, open);
    }
    int64_t above = isReverse ? int64_t(1) << run.first : 0;
    takeIn(block, prefix, isLater, fold.indexOf(block) + above, openBits);
    setTotal(block, sum);
  }
  openBits = open;
}

LogicalResult Scan::run() {
  if (!fold.axis) {
    return e.unsupported(op, "has a layout that is no order along its axis");
  }
  auto exchanges = scanExchanges(fold.layout, *fold.axis);
  scratchAt = exchanges.empty() ? 0 : e.scratchOffset(op);
  size_t exchange = 0;
  std::vector<Axis::Run> runs = fold.axis->runs();
  for (auto [number, run] : llvm::enumerate(runs)) {
    switch (run.place) {
    case Place::Register:
      scanRegisters(run);
      break;
    case Place::Lane:
      scanLanes(run, number + 1 == runs.size());
      break;
    default:
      scanWarps(exchanges[exchange++], run);
    }
    openBits &= ~(((int64_t(1) << run.count) - 1) << run.first);
  }
  for (auto [result, column] : llvm::zip(op.getResults(), fold.columns)) {
    e.bindElements(result, column);
  }
  return failure(fold.hasFailed());
}

LogicalResult emitScan(Emitter &e, tile::ScanOp op) { return Scan(e, op).run(); }

} // namespace pavage::gpu

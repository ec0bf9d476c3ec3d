// Reductions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis is folded bit by bit, first the bits between registers, then those between lanes, then those between warps,
// each kind from the highest bit down: at every step an element takes in the one half an interval above it.
//
//     registers   r  <- combine(r, r + h)                    arithmetic
//     lanes       both lanes of a pair get combine(lower, upper)   a butterfly of shuffles
//     warps       every thread reads all warps' values from scratch memory and folds them
//
// So every copy of a result has the same bits. Padding lies above every element: the upper half of a pair is left out
// where it has none.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Fold.h"

using namespace mlir;
using pavage::layout::Place;

namespace pavage::gpu {

/// Elements of one register type from lane ^ offset, several short ones in a word.
static Values shuffleAll(Emitter &e, Type element, Values elements, uint32_t offset) {
  unsigned perWord = std::max<int64_t>(1, 4 / Emitter::bytesOf(element));
  if (perWord == 1 || elements.size() == 1) {
    for (Value &value : elements) {
      value = shuffleXor(e, value, offset);
    }
    return elements;
  }
  Registers source = Registers::of(e, element, elements);
  Gathered result(e, element, elements.size(), 1);
  for (uint32_t first = 0; first < elements.size(); first += perWord) {
    SmallVector<uint32_t> registers;
    for (uint32_t reg = first; reg < std::min<uint32_t>(first + perWord, elements.size()); ++reg) {
      registers.push_back(reg);
    }
    result.put(registers, shuffleXor(e, source.bits(registers), offset));
  }
  return result.elements();
}

static void foldRegisters(Fold &fold) {
  for (int bit = static_cast<int>(fold.axis->bits.size()) - 1; bit >= 0; --bit) {
    if (fold.axis->bits[bit].place != Place::Register) {
      continue;
    }
    unsigned step = 1u << fold.axis->bits[bit].number;
    unsigned done = fold.axis->placeMask(Place::Register, bit, fold.axis->bits.size() - bit);
    for (unsigned reg = 0; reg < fold.columns.front().size(); ++reg) {
      if ((reg & done) != 0) {
        continue;
      }
      std::optional<Value> isValid = fold.isValid(fold.indexOf(reg | step), ~int64_t(0));
      if (isValid) {
        fold.put(reg, fold.combine(fold.get(reg), fold.get(reg | step), *isValid, fold.get(reg)));
      }
    }
  }
  // What is left, in order: the registers of the result.
  unsigned folded = fold.axis->placeMask(Place::Register);
  for (Values &column : fold.columns) {
    Values kept;
    for (unsigned reg = 0; reg < column.size(); ++reg) {
      if ((reg & folded) == 0) {
        kept.push_back(column[reg]);
      }
    }
    column = kept;
  }
}

static void foldLanes(Fold &fold) {
  Emitter &e = fold.e;
  int64_t open = 0; ///< axis bits of lanes and warps that are not folded
  for (auto [bit, place] : llvm::enumerate(fold.axis->bits)) {
    open |= place.place == Place::Register ? 0 : int64_t(1) << bit;
  }
  for (int bit = static_cast<int>(fold.axis->bits.size()) - 1; bit >= 0; --bit) {
    if (fold.axis->bits[bit].place != Place::Lane) {
      continue;
    }
    uint32_t offset = 1u << fold.axis->bits[bit].number;
    open &= ~(int64_t(1) << bit);
    std::optional<Value> isValid = fold.isValid(int64_t(1) << bit, open);
    SmallVector<Values> others;
    for (auto [element, column] : llvm::zip(fold.elements, fold.columns)) {
      others.push_back(shuffleAll(e, element, column, offset));
    }
    bool isPlain = fold.isCommutative && isValid && !*isValid;
    Value isUpper = isPlain ? Value() : isOdd(e, offset, 0);
    for (unsigned reg = 0; reg < fold.columns.front().size(); ++reg) {
      Values own = fold.get(reg), other;
      for (const Values &column : others) {
        other.push_back(column[reg]);
      }
      if (isPlain) {
        fold.put(reg, fold.combine(own, other, Value(), own));
        continue;
      }
      Values lower = fold.select(isUpper, other, own), upper = fold.select(isUpper, own, other);
      fold.put(reg, isValid ? fold.combine(lower, upper, *isValid, lower) : lower);
    }
  }
}

static void foldWarps(Fold &fold, Operation *op) {
  auto exchanges = reduceExchanges(fold.layout, *fold.axis);
  if (exchanges.empty()) {
    return;
  }
  const WarpExchange &exchange = exchanges.front();
  int64_t offset = fold.e.scratchOffset(op);
  SmallVector<Values> all = exchangeWarps(fold.e, exchange, fold.elements, fold.columns, offset);
  SmallVector<int64_t> indices; ///< that the bits of a warp's number stand for
  for (auto [bit, place] : llvm::enumerate(fold.axis->bits)) {
    if (place.place == Place::Warp) {
      indices.push_back(int64_t(1) << bit);
    }
  }
  auto indexOf = [&](unsigned warp) {
    int64_t index = 0;
    for (auto [bit, value] : llvm::enumerate(indices)) {
      index += warp >> bit & 1 ? value : 0;
    }
    return index;
  };
  unsigned count = fold.columns.front().size();
  fold.columns = all;
  for (int bit = exchange.count - 1; bit >= 0; --bit) {
    for (unsigned reg = 0; reg < count; ++reg) {
      for (unsigned warp = 0; warp < 1u << bit; ++warp) {
        unsigned lower = reg << exchange.count | warp, upper = lower | 1u << bit;
        if (indexOf(upper & ((1u << exchange.count) - 1)) < fold.axis->extent) {
          fold.put(lower, fold.combine(fold.get(lower), fold.get(upper), Value(), {}));
        }
      }
    }
  }
  for (Values &column : fold.columns) {
    Values kept;
    for (unsigned reg = 0; reg < count; ++reg) {
      kept.push_back(column[reg << exchange.count]);
    }
    column = kept;
  }
}

LogicalResult emitReduce(Emitter &e, tile::ReduceOp op) {
  Fold fold(e, op.getCombine(), op.getSrcs(), op.getAxis());
  if (!fold.axis) {
    return e.unsupported(op, "has a layout that is no order along its axis");
  }
  foldRegisters(fold);
  foldLanes(fold);
  foldWarps(fold, op);
  for (auto [result, column] : llvm::zip(op.getResults(), fold.columns)) {
    e.bindElements(result, column);
  }
  return failure(fold.hasFailed());
}

} // namespace pavage::gpu

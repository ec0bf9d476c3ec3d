// Sorting along the last axis: a bitonic network. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements become unsigned keys whose order is the wanted one, with NaN above all numbers and padding above NaN. Stage
// s = 1, 2, .. sorts blocks of 2^s; every other block is sorted the other way round, by keys that are complemented for
// the time. A step compares places that differ in one bit of the axis:
//
//     registers   (a, b) <- (min, max)
//     lanes       min or max of the own key and the one of lane ^ bit
//     warps       the same through scratch memory, some registers at a time
#include "compiler/Gpu/Lower/Exchange.h"
#include "compiler/Gpu/Lower/Families.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Place;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

namespace {
class Sort {
public:
  Sort(Emitter &e, tile::SortOp op)
      : e(e), op(op), element(op.getType().getElementType()), attribute(tilegpu::layoutOf(op.getType())),
        layout(attribute.getLayout()), axis(axisOf(layout, layout.rank() - 1)),
        elementBits(element.isInteger(1) ? 1 : 8 * Emitter::bytesOf(element)),
        keyBytes(sortKeyBytes(Emitter::bytesOf(element))) {}

  LogicalResult run();

private:
  Value key(int64_t value) { return e.constant(e.b.getIntegerType(8 * keyBytes), value); }
  Value toKey(Value value);
  Value fromKey(Value key);
  /// Keys of negative infinity and of NaN are those above this one.
  int64_t lastNumber() const;
  int64_t sign() const { return int64_t(1) << (elementBits - 1); }
  int64_t ones() const { return elementBits == 64 ? -1 : (int64_t(1) << elementBits) - 1; }
  bool isFloat() const { return isa<FloatType>(element); }

  /// All ones where an axis bit of register `reg` of this thread is set, else 0: what the thread adds, and the
  /// constant.
  struct Mask {
    Value thread; ///< null: nothing
    bool fixed = false;
  };
  Mask maskOf(int bit, unsigned reg);
  void complement(int stage);
  void compareWith(int bit);
  Values exchangeWarps(uint32_t offset);

  Emitter &e;
  tile::SortOp op;
  Type element;
  tilegpu::LayoutAttr attribute;
  layout::Layout layout;
  std::optional<Axis> axis;
  unsigned elementBits;
  int64_t keyBytes;
  Values keys;
  bool hasExchanged = false;
};
} // namespace

int64_t Sort::lastNumber() const {
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  // Types without infinity have NaN above their largest number.
  APFloat most =
      llvm::APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics) : APFloat::getLargest(semantics);
  return most.bitcastToAPInt().getSExtValue() | sign();
}

Value Sort::toKey(Value value) {
  unsigned width = 8 * keyBytes;
  Value bits = element.isInteger(1) ? value : toBits(e, value, element);
  bits = e.resize(bits, width, /*isSigned=*/false);
  bool isDescending = op.getDescending();
  if (!isFloat()) {
    bool isSigned = op.getIsSigned() && !element.isInteger(1);
    int64_t turned = (isSigned ? sign() : 0) ^ (isDescending ? ones() : 0);
    return e.bitXor(bits, key(turned));
  }
  Value isNegative = e.compare(Predicate::ne, e.bitAnd(bits, key(sign())), key(0));
  int64_t positive = sign() ^ (isDescending ? ones() : 0), negative = isDescending ? 0 : ones();
  Value number = e.bitXor(bits, e.select(isNegative, key(negative), key(positive)));
  Value nan = e.bitOr(bits, key(sign()));
  return e.select(e.compare(Predicate::ugt, nan, key(lastNumber() & ones())), nan, number);
}

Value Sort::fromKey(Value sorted) {
  bool isDescending = op.getDescending();
  Value bits;
  if (!isFloat()) {
    bool isSigned = op.getIsSigned() && !element.isInteger(1);
    bits = e.bitXor(sorted, key((isSigned ? sign() : 0) ^ (isDescending ? ones() : 0)));
  } else {
    Value isNan = e.compare(Predicate::ugt, sorted, key(lastNumber() & ones()));
    Value hasSign = e.compare(Predicate::ne, e.bitAnd(sorted, key(sign())), key(0));
    // Ascending, positive numbers have the sign set; descending, negative ones.
    Value ascending = e.select(hasSign, key(sign()), key(ones())),
          descending = e.select(hasSign, key(0), key(ones() ^ sign()));
    Value number = e.bitXor(sorted, isDescending ? descending : ascending);
    bits = e.select(isNan, e.bitAnd(sorted, key(ones() ^ sign())), number);
  }
  bits = e.resize(bits, elementBits, /*isSigned=*/false);
  return element.isInteger(1) ? bits : fromBits(e, bits, element);
}

Sort::Mask Sort::maskOf(int bit, unsigned reg) {
  if (bit <= 0 || bit >= static_cast<int>(axis->bits.size())) {
    return {}; // before the first stage, and in the last, nothing is complemented
  }
  Axis::Bit place = axis->bits[bit];
  if (place.place == Place::Register) {
    return {Value(), (reg >> place.number & 1) != 0};
  }
  layout::Vectors images(5, 0);
  images[place.number] = 1;
  Value set = place.place == Place::Lane ? e.mapThread(images, {}) : e.mapThread({}, images);
  return {e.resize(e.sub(e.i32(0), set), 8 * keyBytes, /*isSigned=*/true), false};
}

/// From the complements of one stage to those of the next.
void Sort::complement(int stage) {
  for (unsigned reg = 0; reg < keys.size(); ++reg) {
    Mask before = maskOf(stage - 1, reg), now = maskOf(stage, reg);
    for (Value thread : {before.thread, now.thread}) {
      keys[reg] = thread ? e.bitXor(keys[reg], thread) : keys[reg];
    }
    if (before.fixed != now.fixed) {
      keys[reg] = e.bitXor(keys[reg], key(-1));
    }
  }
}

Values Sort::exchangeWarps(uint32_t offset) {
  unsigned chunk = sortChunk(keys.size(), keyBytes, e.numThreads());
  Type type = keys.front().getType();
  Value base = e.shared(e.scratchOffset(op));
  Value own = e.gep(base, type, e.tid), other = e.gep(base, type, e.bitXor(e.tid, e.i32(32 * offset)));
  Values received;
  for (unsigned first = 0; first < keys.size(); first += chunk) {
    if (hasExchanged) {
      e.barrier(); // the keys before have been read
    }
    hasExchanged = true;
    for (unsigned reg = 0; reg < chunk; ++reg) {
      Value at = e.gepBytes(own, int64_t(reg) * e.numThreads() * keyBytes);
      LLVM::StoreOp::create(e.b, e.loc, keys[first + reg], at, keyBytes);
    }
    e.barrier();
    for (unsigned reg = 0; reg < chunk; ++reg) {
      Value at = e.gepBytes(other, int64_t(reg) * e.numThreads() * keyBytes);
      received.push_back(LLVM::LoadOp::create(e.b, e.loc, type, at, keyBytes));
    }
  }
  return received;
}

void Sort::compareWith(int bit) {
  auto lower = [&](Value a, Value c) -> Value { return LLVM::UMinOp::create(e.b, e.loc, a, c); };
  auto upper = [&](Value a, Value c) -> Value { return LLVM::UMaxOp::create(e.b, e.loc, a, c); };
  Axis::Bit place = axis->bits[bit];
  uint32_t step = 1u << place.number;
  if (place.place == Place::Register) {
    for (unsigned reg = 0; reg < keys.size(); ++reg) {
      if ((reg & step) == 0) {
        Value a = keys[reg], c = keys[reg | step];
        keys[reg] = lower(a, c);
        keys[reg | step] = upper(a, c);
      }
    }
    return;
  }
  bool isLane = place.place == Place::Lane;
  Values others;
  if (isLane) {
    for (Value key : keys) {
      others.push_back(shuffleXor(e, key, step));
    }
  } else {
    others = exchangeWarps(step);
  }
  Value isUpper = isOdd(e, isLane ? step : 0, isLane ? 0 : step);
  for (auto [own, other] : llvm::zip(keys, others)) {
    own = e.select(isUpper, upper(own, other), lower(own, other));
  }
}

LogicalResult Sort::run() {
  if (!axis) {
    return e.unsupported(op, "has a layout that is no order along its last axis");
  }
  int bits = static_cast<int>(axis->bits.size());
  for (auto [reg, value] : llvm::enumerate(e.elements(op.getSrc()))) {
    Value isInside = axis->isPadded() ? e.isInside(attribute, reg) : Value();
    Value made = toKey(value);
    keys.push_back(isInside ? e.select(isInside, made, key(-1)) : made);
  }
  for (int stage = 1; stage <= bits; ++stage) {
    complement(stage);
    for (int bit = stage - 1; bit >= 0; --bit) {
      compareWith(bit);
    }
  }
  Values sorted;
  for (Value key : keys) {
    sorted.push_back(fromKey(key));
  }
  e.bindElements(op, sorted);
  return success();
}

LogicalResult emitSort(Emitter &e, tile::SortOp op) { return Sort(e, op).run(); }

} // namespace pavage::gpu

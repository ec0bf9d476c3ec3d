// Conversions between number types, exact to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A narrow float is read and written by integer arithmetic on the bits of an f32 (by the hardware for f16 where it
// can): the hardware's conversion to bf16 flushes denormals, and none exists for f8.
#include "compiler/Cpu/Lower/Ops.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace pavage::cpu {

namespace {
/// A float format of 1 + exponentBits + mantissaBits bits.
struct Format {
  unsigned exponentBits, mantissaBits;
  bool hasInfinity;

  explicit Format(Type type) {
    if (type.isF16()) {
      exponentBits = 5, mantissaBits = 10, hasInfinity = true;
    } else if (type.isBF16()) {
      exponentBits = 8, mantissaBits = 7, hasInfinity = true;
    } else if (isa<Float8E5M2Type>(type)) {
      exponentBits = 5, mantissaBits = 2, hasInfinity = true;
    } else {
      exponentBits = 4, mantissaBits = 3, hasInfinity = false;
    }
  }
  unsigned width() const { return 1 + exponentBits + mantissaBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  unsigned dropped() const { return 23 - mantissaBits; }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  uint32_t magnitudeMask() const { return (1u << (width() - 1)) - 1; }
  uint32_t largestFinite() const { return hasInfinity ? infinity() - 1 : magnitudeMask() - 1; }
  uint32_t quietNan() const { return hasInfinity ? infinity() | (1u << (mantissaBits - 1)) : magnitudeMask(); }
  /// The least place: all numbers are multiples of 2 to this power.
  int leastPlace() const { return 1 - bias() - static_cast<int>(mantissaBits); }
};
} // namespace

// --- reading ---------------------------------------------------------------------------------------------------------

Value Ops::widen(Value x, Type narrow) {
  Format format(narrow);
  if (narrow.isF16() && target.hasHalf) {
    return arith::ExtFOp::create(b, loc, like(f32(), x), bitcast(x, narrow));
  }
  Value word = resize(x, 32, false);
  if (narrow.isBF16()) {
    return bitcast(shl(word, 16), f32());
  }
  Value sign = shl(andI(word, 1u << (format.width() - 1)), 32 - format.width());
  Value magnitude = andI(word, format.magnitudeMask());
  Value normal = add(shl(magnitude, format.dropped()), uint64_t(127 - format.bias()) << 23);
  // Below the least normal number: a count of least places, which times that place is exact.
  Value count = arith::SIToFPOp::create(b, loc, like(f32(), x), magnitude);
  Value tiny = bitcast(mulF(count, std::ldexp(1.0, format.leastPlace())), i(32));
  Value result = select(cmp(Pred::ult, magnitude, uint64_t(1) << format.mantissaBits), tiny, normal);
  if (format.hasInfinity) {
    Value special = orI(shl(andI(magnitude, (1u << format.mantissaBits) - 1), format.dropped()), 0x7f800000u);
    result = select(cmp(Pred::uge, magnitude, format.infinity()), special, result);
  } else {
    result = select(cmp(Pred::eq, magnitude, format.magnitudeMask()), constantLike(result, 0x7fc00000u), result);
  }
  return bitcast(orI(result, sign), f32());
}

// --- writing ---------------------------------------------------------------------------------------------------------

Value Ops::narrow(Value x, Type narrow, bool towardZero, bool saturate) {
  Format format(narrow);
  if (narrow.isF16() && target.hasHalf && !towardZero && !saturate) {
    return bitcast(arith::TruncFOp::create(b, loc, like(narrow, x), x).getResult(), i(16));
  }
  Value word = bitcast(x, i(32));
  Value magnitude = andI(word, 0x7fffffffu);
  unsigned dropped = format.dropped();
  // Rounds to nearest even by adding just below half of the last kept place, and its own bit; a carry into the exponent
  // is right.
  Value rounded = magnitude;
  if (!towardZero) {
    Value lastKept = andI(shrU(magnitude, dropped), 1);
    rounded = add(add(magnitude, (1u << (dropped - 1)) - 1), lastKept);
  }
  Value result = sub(shrU(rounded, dropped), uint64_t(127 - format.bias()) << format.mantissaBits);
  if (format.exponentBits < 8) {
    // Below the least normal number: a count of least places. Scaling by a power of two is exact there.
    Value limit = constantLike(magnitude, uint64_t(128 - format.bias()) << 23);
    Value isTiny = cmp(Pred::ult, magnitude, limit);
    Value safe = bitcast(select(isTiny, magnitude, constantLike(magnitude, 0)), f32());
    Value scaled = mulF(safe, std::ldexp(1.0, -format.leastPlace()));
    Value whole = towardZero ? scaled : subF(addF(scaled, 8388608.0), 8388608.0);
    Value count = arith::FPToSIOp::create(b, loc, word.getType(), whole);
    result = select(isTiny, count, result);
  }
  uint32_t tooLarge = saturate ? format.largestFinite() : format.hasInfinity ? format.infinity() : format.quietNan();
  uint32_t beyond = towardZero ? format.largestFinite() : tooLarge;
  result = select(cmp(Pred::ugt, result, format.largestFinite()), constantLike(result, beyond), result);
  Value isInfinite = cmp(Pred::eq, magnitude, 0x7f800000u);
  result = select(isInfinite, constantLike(result, tooLarge), result);
  Value nan = constantLike(result, format.quietNan());
  if (format.hasInfinity) {
    nan = orI(nan, andI(shrU(magnitude, dropped), (1u << format.mantissaBits) - 1));
  }
  result = select(cmp(Pred::ugt, magnitude, 0x7f800000u), nan, result);
  Value sign = shl(shrU(word, 31), format.width() - 1);
  return resize(orI(result, sign), format.width(), false);
}

Value Ops::demoteToOdd(Value x, bool towardZero) {
  Value nearest = arith::TruncFOp::create(b, loc, like(f32(), x), x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), nearest);
  Value word = bitcast(nearest, i(32));
  Value grew = cmpF(FPred::OGT, absF(back), absF(x));
  Value truncated = select(grew, sub(word, 1), word);
  if (towardZero) {
    return bitcast(truncated, f32());
  }
  Value inexact = cmpF(FPred::ONE, back, x);
  return bitcast(select(inexact, orI(truncated, 1), word), f32());
}

// --- any to any ------------------------------------------------------------------------------------------------------

/// float to integer: toward zero, saturating, NaN gives 0.
static Value toInteger(Ops &o, Value x, unsigned width, bool isSigned) {
  Type result = o.like(o.i(width), x);
  double least = isSigned ? -std::ldexp(1.0, width - 1) : 0, beyond = std::ldexp(1.0, isSigned ? width - 1 : width);
  // The conversion sees 0 in the lanes that it cannot convert.
  Value tooSmall = o.cmpF(Ops::FPred::OLT, x, o.constantFLike(x, least));
  Value tooLarge = o.cmpF(Ops::FPred::OGE, x, o.constantFLike(x, beyond));
  Value bad = o.orI(o.orI(tooSmall, tooLarge), o.isNan(x));
  Value safe = o.select(bad, o.constantFLike(x, 0), x);
  unsigned step = std::max(width, 32u);
  Type wide = o.like(o.i(step), x);
  Value converted = isSigned ? arith::FPToSIOp::create(o.b, o.loc, wide, safe).getResult()
                             : arith::FPToUIOp::create(o.b, o.loc, wide, safe).getResult();
  converted = o.resize(converted, width, false);
  uint64_t greatest = isSigned ? (uint64_t(1) << (width - 1)) - 1 : ~uint64_t(0);
  converted = o.select(tooLarge, o.constant(result, greatest), converted);
  uint64_t lowest = isSigned ? uint64_t(1) << (width - 1) : 0;

  return o.select(tooSmall, o.constant(result, lowest), converted);
}

/// A 64-bit integer as the f64 that rounds to any format of at most 32 bits as the integer itself would.
static Value integerToOdd(Ops &o, Value x, bool isSigned) {
  Type result = o.like(o.f64(), x);
  Value magnitude = x, sign;
  if (isSigned) {
    sign = o.shrS(x, 63);
    magnitude = o.sub(o.xorI(x, sign), sign);
  }
  // Of more than 53 digits the lower 11 become one sticky digit.
  Value isLong = o.cmp(Ops::Pred::ne, o.shrU(magnitude, 53), 0);
  Value lost = o.cmp(Ops::Pred::ne, o.andI(magnitude, 2047), 0);
  Value kept = o.orI(o.andI(magnitude, ~uint64_t(2047)), o.shl(o.resize(lost, 64, false), 11));
  Value exact = arith::UIToFPOp::create(o.b, o.loc, result, o.select(isLong, kept, magnitude));
  if (!isSigned) {
    return exact;
  }
  return o.bitcast(o.orI(o.bitcast(exact, o.i(64)), o.shl(o.andI(sign, 1), 63)), o.f64());
}

static Value fromInteger(Ops &o, Value x, Type to, bool isSigned) {
  if (Ops::width(x) == 1) {
    isSigned = false;
  }
  bool isF8 = isa<Float8E4M3FNType, Float8E5M2Type>(to);
  if (to.isF32() || to.isF64()) {
    if (Ops::width(x) < 32) {
      x = o.resize(x, 32, isSigned);
      isSigned = true;
    }
    return isSigned ? arith::SIToFPOp::create(o.b, o.loc, o.like(to, x), x).getResult()
                    : arith::UIToFPOp::create(o.b, o.loc, o.like(to, x), x).getResult();
  }
  if (Ops::width(x) < 32) { // exact in f32
    Value wide = fromInteger(o, x, o.f32(), isSigned);
    return o.narrow(wide, to, false, isF8);
  }
  Value wide = Ops::width(x) == 64 ? integerToOdd(o, x, isSigned) : fromInteger(o, x, o.f64(), isSigned);
  return o.narrow(o.demoteToOdd(wide, false), to, false, isF8);
}

Value Ops::cast(Value x, Type from, Type to, bool isSigned, bool towardZero) {
  bool fromInt = from.isInteger(), toInt = to.isInteger();
  if (fromInt && toInt) {
    if (to.isInteger(1) && !from.isInteger(1)) {
      return cmp(Pred::ne, x, 0);
    }
    return resize(x, to.getIntOrFloatBitWidth(), isSigned);
  }
  if (fromInt) {
    return fromInteger(*this, x, to, isSigned);
  }
  if (from == to) {
    return x;
  }
  Value number = isNarrowFloat(from) ? widen(x, from) : x;
  if (to.isInteger(1)) {
    return cmpF(FPred::UNE, number, constantFLike(number, 0));
  }
  if (toInt) {
    return toInteger(*this, number, to.getIntOrFloatBitWidth(), isSigned);
  }
  if (to.isF64()) {
    return from.isF64() ? number : arith::ExtFOp::create(b, loc, like(f64(), x), number).getResult();
  }
  if (to.isF32()) {
    if (!from.isF64()) {
      return number;
    }
    return towardZero ? demoteToOdd(x, true) : arith::TruncFOp::create(b, loc, like(f32(), x), x).getResult();
  }
  // Rounding an f64 to odd first keeps enough digits, and cutting those that are odd cuts the f64 itself.
  Value single = from.isF64() ? demoteToOdd(x, false) : number;
  bool isF8 = isa<Float8E4M3FNType, Float8E5M2Type>(to);
  return narrow(single, to, towardZero, isF8);
}

} // namespace pavage::cpu

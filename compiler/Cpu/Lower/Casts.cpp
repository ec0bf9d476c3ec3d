// Conversions between number types, exact to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A narrow float is read and written by integer arithmetic on the bits of an f32 (by the hardware for f16 where it
// can): the hardware's conversion to bf16 flushes denormals, and none exists for f8.
#include "compiler/Cpu/Lower/Ops.h"

#include "compiler/Support/ShortFloats.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace pavage::cpu {

using support::FloatFormat;

// --- reading ---------------------------------------------------------------------------------------------------------

Value Ops::widen(Value x, Type narrow) {
  FloatFormat format(narrow);
  if (narrow.isF16() && target.hasHalf) {
    return arith::ExtFOp::create(b, loc, like(f32(), x), bitcast(x, narrow));
  }
  Value word = resize(x, 32, false);
  if (narrow.isBF16()) {
    return bitcast(shl(word, 16), f32());
  }
  Value sign = shl(andI(word, 1u << (format.width() - 1)), 32 - format.width());
  Value magnitude = andI(word, format.magnitudeMask());
  Value result = support::ShortFloats<Ops>{*this, format}.readFinite(magnitude);
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
  FloatFormat format(narrow);
  if (narrow.isF16() && target.hasHalf && !towardZero && !saturate) {
    return bitcast(arith::TruncFOp::create(b, loc, like(narrow, x), x).getResult(), i(16));
  }
  Value word = bitcast(x, i(32));
  Value magnitude = andI(word, 0x7fffffffu);
  Value result = support::ShortFloats<Ops>{*this, format}.writeNumber(magnitude, towardZero, saturate);
  Value nan = constantLike(result, format.quietNan());
  if (format.hasInfinity) {
    nan = orI(nan, andI(shrU(magnitude, format.dropped()), (1u << format.mantissaBits) - 1));
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
  Value wide = Ops::width(x) == 64 ? support::integerToOdd(o, x, isSigned) : fromInteger(o, x, o.f64(), isSigned);
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

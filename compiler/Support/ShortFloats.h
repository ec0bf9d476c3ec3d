// Float formats below f32, read and written by integer arithmetic. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Back ends write these formulas with what they have for arithmetic, as those of DoubleMath.h; beside that list
//
//   Ops   shrU, resize, signedToFloat(x, element), unsignedToFloat(x, element), toSigned(x, element)
#ifndef PAVAGE_COMPILER_SUPPORT_SHORTFLOATS_H
#define PAVAGE_COMPILER_SUPPORT_SHORTFLOATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <cmath>
#include <cstdint>

namespace pavage::support {

/// A float format of 1 + exponentBits + mantissaBits bits.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  bool hasInfinity;

  explicit FloatFormat(mlir::Type type) {
    bool isE4M3 = llvm::isa<mlir::Float8E4M3FNType>(type);
    hasInfinity = !isE4M3;
    exponentBits = type.isBF16() || type.isF32() ? 8 : isE4M3 ? 4 : 5;
    mantissaBits = type.getIntOrFloatBitWidth() - 1 - exponentBits;
  }
  unsigned width() const { return 1 + exponentBits + mantissaBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// Digits of an f32 that the format lacks.
  unsigned dropped() const { return 23 - mantissaBits; }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  uint32_t magnitudeMask() const { return (1u << (width() - 1)) - 1; }
  uint32_t largestFinite() const { return hasInfinity ? infinity() - 1 : magnitudeMask() - 1; }
  uint32_t quietNan() const { return hasInfinity ? infinity() | (1u << (mantissaBits - 1)) : magnitudeMask(); }
  /// What a number beyond the largest becomes.
  uint32_t tooLarge(bool saturates) const {
    return saturates ? largestFinite() : hasInfinity ? infinity() : quietNan();
  }
  /// All numbers are multiples of 2 to this power.
  int leastPlace() const { return 1 - bias() - static_cast<int>(mantissaBits); }
};

template <class Ops> struct ShortFloats {
  Ops &o;
  FloatFormat format;
  using V = mlir::Value;
  using Pred = typename Ops::Pred;

  /// The f32 bits of a finite number, from its bits without the sign, both i32.
  V readFinite(V magnitude) {
    V normal = o.add(o.shl(magnitude, format.dropped()), uint64_t(127 - format.bias()) << 23);
    // Below the least normal number: a count of least places, which times that place is exact.
    V count = o.signedToFloat(magnitude, o.f32());
    V tiny = o.bitcast(o.mulF(count, std::ldexp(1.0, format.leastPlace())), o.i(32));
    return o.select(o.cmp(Pred::ult, magnitude, uint64_t(1) << format.mantissaBits), tiny, normal);
  }

  /// The format's bits without the sign of any number but NaN, from its f32 bits without the sign, both i32.
  V writeNumber(V magnitude, bool towardZero, bool saturates) {
    V rounded = magnitude;
    unsigned dropped = format.dropped();
    if (!towardZero && dropped > 0) {
      // To nearest even by adding just below half of the last kept place, and its own bit; a carry into the exponent is
      // right.
      V lastKept = o.andI(o.shrU(magnitude, dropped), 1);
      rounded = o.add(o.add(magnitude, (1u << (dropped - 1)) - 1), lastKept);
    }
    V result = o.sub(o.shrU(rounded, dropped), uint64_t(127 - format.bias()) << format.mantissaBits);
    if (format.exponentBits < 8) {
      // Below the least normal number: a count of least places. Scaling by a power of two is exact there.
      V limit = o.constantLike(magnitude, uint64_t(128 - format.bias()) << 23);
      V isTiny = o.cmp(Pred::ult, magnitude, limit);
      V safe = o.bitcast(o.select(isTiny, magnitude, o.constantLike(magnitude, 0)), o.f32());
      V scaled = o.mulF(safe, std::ldexp(1.0, -format.leastPlace()));
      V whole = towardZero ? scaled : o.subF(o.addF(scaled, 8388608.0), 8388608.0);
      result = o.select(isTiny, o.toSigned(whole, o.i(32)), result);
    }
    uint32_t tooLarge = format.tooLarge(saturates), beyond = towardZero ? format.largestFinite() : tooLarge;
    result = o.select(o.cmp(Pred::ugt, result, format.largestFinite()), o.constantLike(result, beyond), result);
    return o.select(o.cmp(Pred::eq, magnitude, 0x7f800000u), o.constantLike(result, tooLarge), result);
  }
};

/// A 64-bit integer as the f64 that rounds to any format of at most 32 bits as the integer itself would.
template <class Ops> mlir::Value integerToOdd(Ops &o, mlir::Value x, bool isSigned) {
  mlir::Value magnitude = x, sign;
  if (isSigned) {
    sign = o.shrS(x, 63);
    magnitude = o.sub(o.xorI(x, sign), sign);
  }
  // Of more than 53 digits the lower 11 become one sticky digit.
  mlir::Value isLong = o.cmp(Ops::Pred::ne, o.shrU(magnitude, 53), 0);
  mlir::Value lost = o.cmp(Ops::Pred::ne, o.andI(magnitude, 2047), 0);
  mlir::Value kept = o.orI(o.andI(magnitude, ~uint64_t(2047)), o.shl(o.resize(lost, 64, false), 11));
  mlir::Value exact = o.unsignedToFloat(o.select(isLong, kept, magnitude), o.f64());
  return isSigned ? o.bitcast(o.orI(o.bitcast(exact, o.i(64)), o.andI(sign, uint64_t(1) << 63)), o.f64()) : exact;
}

} // namespace pavage::support

#endif // PAVAGE_COMPILER_SUPPORT_SHORTFLOATS_H

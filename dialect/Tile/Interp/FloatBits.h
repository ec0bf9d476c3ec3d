// Bit patterns of floats narrower than f32: exact reading, correctly rounded writing. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
// Every value of f16, bf16, f8E4M3FN and f8E5M2 is a float exactly, so reading needs no rounding. Writing rounds a
// double once, to nearest even or toward zero. What exceeds the largest finite number becomes infinity (f8E4M3FN, which
// has none: NaN) or, when saturating, that number. A NaN stays one, with its sign.
#ifndef PAVAGE_DIALECT_TILE_INTERP_FLOATBITS_H
#define PAVAGE_DIALECT_TILE_INTERP_FLOATBITS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace pavage::tile {

enum class RoundMode : uint8_t { NearestEven, TowardZero };
enum class OverflowMode : uint8_t { Infinity, Saturate };

/// A format of one sign bit, `exponentBits` and `mantissaBits`. Without infinities the highest exponent holds numbers
/// too, and NaN is the pattern of all ones.
template <int exponentBits, int mantissaBits, bool hasInfinity> struct NarrowFloat {
  static constexpr int width = 1 + exponentBits + mantissaBits;
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr int leastExponent = 1 - bias;
  static constexpr uint32_t signBit = 1u << (width - 1);
  static constexpr uint32_t mantissaMask = (1u << mantissaBits) - 1;
  static constexpr uint32_t exponentMask = ((1u << exponentBits) - 1) << mantissaBits;
  static constexpr uint32_t infinity = exponentMask;
  static constexpr uint32_t largestFinite = hasInfinity ? infinity - 1 : signBit - 2;
  static constexpr uint32_t quietNan = hasInfinity ? infinity | (1u << (mantissaBits - 1)) : signBit - 1;

  static constexpr bool isNan(uint32_t bits) {
    return (bits & (signBit - 1)) > (hasInfinity ? infinity : largestFinite);
  }

  static float read(uint32_t bits) {
    uint32_t sign = (bits & signBit) << (32 - width), magnitude = bits & (signBit - 1);
    if (isNan(bits)) {
      uint32_t payload = hasInfinity ? (bits & mantissaMask) << (23 - mantissaBits) : 0x400000u;
      return std::bit_cast<float>(sign | 0x7f800000u | payload);
    }
    if (hasInfinity && magnitude == infinity) {
      return std::bit_cast<float>(sign | 0x7f800000u);
    }
    if constexpr (exponentBits == 8) { // bf16: the upper half of an f32
      return std::bit_cast<float>(sign | (magnitude << (23 - mantissaBits)));
    } else {
      if ((magnitude & exponentMask) == 0) { // a multiple of the least place; the product is exact
        float value = static_cast<float>(magnitude) * std::bit_cast<float>((127u + leastExponent - mantissaBits) << 23);
        return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
      }
      return std::bit_cast<float>(sign | ((magnitude << (23 - mantissaBits)) + ((127u - bias) << 23)));
    }
  }

  static uint32_t write(double value, RoundMode round = RoundMode::NearestEven,
                        OverflowMode overflow = OverflowMode::Infinity) {
    uint64_t bits = std::bit_cast<uint64_t>(value), magnitude = bits & (UINT64_MAX >> 1);
    uint32_t sign = static_cast<uint32_t>(bits >> 63) << (width - 1);
    constexpr uint64_t doubleInfinity = uint64_t(0x7ff) << 52;
    if (magnitude > doubleInfinity) {
      uint32_t payload = hasInfinity ? static_cast<uint32_t>(magnitude >> (52 - mantissaBits)) & mantissaMask : 0;
      return sign | quietNan | payload;
    }
    uint32_t tooLarge = overflow == OverflowMode::Saturate ? largestFinite : hasInfinity ? infinity : quietNan;
    if (magnitude == doubleInfinity) {
      return sign | tooLarge;
    }
    int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent < -1022) { // far below the least number of any of these formats
      return sign;
    }
    uint64_t digits = (magnitude & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
    int drop = 52 - mantissaBits + (exponent < leastExponent ? leastExponent - exponent : 0);
    drop = drop > 54 ? 54 : drop; // then nothing is kept, and less than half of a place is lost
    uint64_t kept = digits >> drop, rest = digits & ((uint64_t(1) << drop) - 1), half = uint64_t(1) << (drop - 1);
    if (round == RoundMode::NearestEven && (rest > half || (rest == half && (kept & 1) != 0))) {
      ++kept; // may carry into the exponent, which is right
    }
    uint64_t result = kept + (exponent > leastExponent ? uint64_t(exponent - leastExponent) << mantissaBits : 0);
    if (result > largestFinite) {
      return sign | (round == RoundMode::TowardZero ? largestFinite : tooLarge);
    }
    return sign | static_cast<uint32_t>(result);
  }
};

using HalfBits = NarrowFloat<5, 10, true>;
using BrainBits = NarrowFloat<8, 7, true>;
using E4M3Bits = NarrowFloat<4, 3, false>;
using E5M2Bits = NarrowFloat<5, 2, true>;

/// The double that, rounded again to at most 51 bits, gives what the exact `value + error` would give; `error` is less
/// than half a place of `value` (rounding to odd).
inline double roundToOdd(double value, double error) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if (error == 0 || (bits & 1) != 0 || !std::isfinite(value)) {
    return value;
  }
  bool grows = (error > 0) == (value > 0);
  return std::bit_cast<double>(grows ? bits + 1 : bits - 1);
}

/// x * y + z for numbers of at most 24 bits whose product is exact in double; see roundToOdd.
inline double fmaToOdd(double x, double y, double z) {
  double product = x * y, sum = product + z;
  double kept = sum - product, error = (product - (sum - kept)) + (z - kept); // exact (two-sum)
  return roundToOdd(sum, error);
}

/// The float nearest to `value`, or the next one toward zero.
inline float narrowToFloat(double value, RoundMode round) {
  float result = static_cast<float>(value);
  if (round == RoundMode::TowardZero && std::isfinite(value) &&
      std::fabs(static_cast<double>(result)) > std::fabs(value)) {
    result = std::bit_cast<float>(std::bit_cast<uint32_t>(result) - 1);
  }
  return result;
}

/// A double that rounds to any format of at most 24 bits as the integer itself would.
inline double integerToOdd(uint64_t magnitude) {
  if (magnitude >> 53 != 0) { // 11 bits less, the last one sticky
    magnitude = ((magnitude >> 11) | ((magnitude & 0x7ff) != 0)) << 11;
  }
  return static_cast<double>(magnitude);
}

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_FLOATBITS_H

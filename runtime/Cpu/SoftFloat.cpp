// Narrow float conversions in integer arithmetic. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/SoftFloat.h"

#include <bit>

namespace pavage::cpu {

/// Rounds an IEEE number of `FromExponent` + `FromMantissa` bits to a narrower one, to nearest, ties to even.
template <int FromExponent, int FromMantissa, int ToExponent, int ToMantissa> static uint16_t narrow(uint64_t bits) {
  constexpr uint64_t fromMask = (uint64_t(1) << FromMantissa) - 1;
  constexpr int fromTop = (1 << FromExponent) - 1, toTop = (1 << ToExponent) - 1;
  constexpr int rebias = (fromTop >> 1) - (toTop >> 1);
  uint16_t sign = static_cast<uint16_t>((bits >> (FromExponent + FromMantissa)) << (ToExponent + ToMantissa));
  uint64_t mantissa = bits & fromMask;
  int exponent = static_cast<int>((bits >> FromMantissa) & fromTop);
  constexpr uint16_t infinity = static_cast<uint16_t>(toTop << ToMantissa);
  if (exponent == fromTop) {
    if (mantissa == 0) {
      return sign | infinity;
    }
    uint16_t quiet = static_cast<uint16_t>(1u << (ToMantissa - 1));
    return static_cast<uint16_t>(sign | infinity | quiet | (mantissa >> (FromMantissa - ToMantissa)));
  }
  // value = significand * 2^(place), with the result's last place at least that of its subnormals.
  uint64_t significand = exponent == 0 ? mantissa : mantissa | (uint64_t(1) << FromMantissa);
  int target = (exponent == 0 ? 1 : exponent) - rebias; // biased exponent of the result if it is normal
  int shift = FromMantissa - ToMantissa;
  if (target < 1) {
    shift += 1 - target;
    target = 1;
  }
  if (shift > 62) {
    return sign;
  }
  uint64_t kept = significand >> shift, lost = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  kept += lost > half || (lost == half && (kept & 1) != 0);
  // The hidden bit carries into the exponent: a subnormal that rounds up becomes normal, the largest becomes infinity.
  uint64_t result = kept + (uint64_t(target - 1) << ToMantissa);
  return static_cast<uint16_t>(result >= infinity ? sign | infinity : sign | result);
}

uint16_t roundToHalf(double value) { return narrow<11, 52, 5, 10>(std::bit_cast<uint64_t>(value)); }
uint16_t roundToBfloat(double value) { return narrow<11, 52, 8, 7>(std::bit_cast<uint64_t>(value)); }
uint16_t roundToHalf(float value) { return narrow<8, 23, 5, 10>(std::bit_cast<uint32_t>(value)); }
uint16_t roundToBfloat(float value) { return narrow<8, 23, 8, 7>(std::bit_cast<uint32_t>(value)); }

float extendHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 0x1f, mantissa = bits & 0x3ff;
  if (exponent == 0x1f) {
    uint32_t quiet = mantissa != 0 ? 0x400000 : 0;
    return std::bit_cast<float>(sign | 0x7f800000 | quiet | (mantissa << 13));
  }
  if (exponent == 0) {
    if (mantissa == 0) {
      return std::bit_cast<float>(sign);
    }
    int leading = std::countl_zero(mantissa) - 21; // places from the hidden bit's
    mantissa = (mantissa << leading) & 0x3ff;
    exponent = static_cast<uint32_t>(1 - leading);
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

float extendBfloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  bool isNan = (bits & 0x7f80) == 0x7f80 && (bits & 0x7f) != 0;
  return std::bit_cast<float>(isNan ? wide | 0x400000 : wide);
}

} // namespace pavage::cpu

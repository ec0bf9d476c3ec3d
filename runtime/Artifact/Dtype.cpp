// Names, sizes and exact values of element types. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/Dtype.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace pavage::artifact {

namespace {
struct Info {
  std::string_view name;
  unsigned size;
};
} // namespace

static constexpr Info infos[dtypeCount] = {
    {"none", 0}, {"i1", 1},   {"i8", 1},   {"i16", 2},  {"i32", 4},     {"i64", 8},
    {"u8", 1},   {"u16", 2},  {"u32", 4},  {"u64", 8},  {"fp8e4nv", 1}, {"fp8e5", 1},
    {"fp16", 2}, {"bf16", 2}, {"fp32", 4}, {"fp64", 8}, {"ptr", 8},
};

unsigned dtypeSize(Dtype dtype) { return infos[static_cast<unsigned>(dtype)].size; }

std::string_view dtypeName(Dtype dtype) { return infos[static_cast<unsigned>(dtype)].name; }

std::optional<Dtype> parseDtype(std::string_view name) {
  for (unsigned i = 0; i < dtypeCount; ++i) {
    if (infos[i].name == name) {
      return static_cast<Dtype>(i);
    }
  }
  return std::nullopt;
}

bool isFloat(Dtype dtype) {
  return dtype == Dtype::F8E4M3 || dtype == Dtype::F8E5M2 || dtype == Dtype::F16 || dtype == Dtype::BF16 ||
         dtype == Dtype::F32 || dtype == Dtype::F64;
}

/// The value of a small binary float. `hasInfinity` false: the all-ones pattern alone is NaN (E4M3FN).
static double decode(uint32_t bits, int exponentBits, int mantissaBits, bool hasInfinity) {
  uint32_t mantissaMask = (1u << mantissaBits) - 1;
  uint32_t exponentMask = (1u << exponentBits) - 1;
  int bias = static_cast<int>(exponentMask >> 1);
  uint32_t mantissa = bits & mantissaMask;
  uint32_t exponent = (bits >> mantissaBits) & exponentMask;
  double sign = (bits >> (mantissaBits + exponentBits)) & 1 ? -1.0 : 1.0;
  if (exponent == exponentMask) {
    if (hasInfinity) {
      double special =
          mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
      return std::copysign(special, sign);
    }
    if (mantissa == mantissaMask) {
      return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    }
  }
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<double>(mantissa), 1 - bias - mantissaBits);
  }
  return sign * std::ldexp(static_cast<double>(mantissa | (1u << mantissaBits)),
                           static_cast<int>(exponent) - bias - mantissaBits);
}

double loadFloat(Dtype dtype, const void *bytes) {
  uint8_t b8;
  uint16_t b16;
  uint32_t b32;
  double b64;
  switch (dtype) {
  case Dtype::F8E4M3:
  case Dtype::F8E5M2:
    std::memcpy(&b8, bytes, 1);
    return dtype == Dtype::F8E4M3 ? decode(b8, 4, 3, false) : decode(b8, 5, 2, true);
  case Dtype::F16:
    std::memcpy(&b16, bytes, 2);
    return decode(b16, 5, 10, true);
  case Dtype::BF16:
    std::memcpy(&b16, bytes, 2);
    return std::bit_cast<float>(static_cast<uint32_t>(b16) << 16);
  case Dtype::F32:
    std::memcpy(&b32, bytes, 4);
    return std::bit_cast<float>(b32);
  case Dtype::F64:
    std::memcpy(&b64, bytes, 8);
    return b64;
  default:
    return 0;
  }
}

} // namespace pavage::artifact

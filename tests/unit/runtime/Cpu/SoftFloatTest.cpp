// Narrow float conversions against the hardware and the compiler. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Cpu/SoftFloat.h"

#include "runtime/Cpu/ObjectLoader.h"
#include "tests/unit/runtime/Cpu/CompileC.h"

#include <bit>
#include <cmath>
#include <random>

using namespace pavage::cpu;

TEST(SoftFloat, HalvesComeBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = static_cast<uint16_t>(bits);
    float value = extendHalf(half);
    bool isNan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
    ASSERT_EQ(std::isnan(value), isNan);
    uint16_t expected = isNan ? half | 0x200 : half;
    ASSERT_EQ(roundToHalf(value), expected) << bits;
    ASSERT_EQ(roundToHalf(static_cast<double>(value)), expected) << bits;
  }
}

TEST(SoftFloat, BfloatsComeBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t bfloat = static_cast<uint16_t>(bits);
    float value = extendBfloat(bfloat);
    bool isNan = (bits & 0x7f80) == 0x7f80 && (bits & 0x7f) != 0;
    uint16_t expected = isNan ? bfloat | 0x40 : bfloat;
    ASSERT_EQ(roundToBfloat(value), expected) << bits;
    ASSERT_EQ(roundToBfloat(static_cast<double>(value)), expected) << bits;
  }
}

/// The neighbour of x that is nearest, ties to even, by search over all halves.
static uint16_t nearestHalf(double x) {
  static const auto values = [] {
    std::vector<double> all;
    for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
      all.push_back(extendHalf(static_cast<uint16_t>(bits)));
    }
    return all;
  }();
  uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  double magnitude = std::fabs(x);
  if (magnitude >= 65520) { // half-way to what would come after the largest
    return sign | 0x7c00;
  }
  size_t above = static_cast<size_t>(std::lower_bound(values.begin(), values.end(), magnitude) - values.begin());
  if (above == values.size()) {
    return static_cast<uint16_t>(sign | (values.size() - 1));
  }
  if (values[above] == magnitude || above == 0) {
    return static_cast<uint16_t>(sign | above);
  }
  double up = values[above] - magnitude, down = magnitude - values[above - 1];
  bool isUp = up < down || (up == down && above % 2 == 0);
  return static_cast<uint16_t>(sign | (isUp ? above : above - 1));
}

TEST(SoftFloat, RoundsToTheNearestHalf) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300000; ++i) {
    // Values around halves and around the middle between two of them.
    double base = extendHalf(static_cast<uint16_t>(random() % 0x7c00));
    double next = extendHalf(static_cast<uint16_t>(random() % 0x7c00));
    double x = (i % 2 ? base + (next - base) / 2 : std::ldexp(double(random() % 100000), int(random() % 50) - 45));
    if (i % 3 == 0) {
      x = std::nextafter(x, random() % 2 ? 1e9 : -1e9);
    }
    x = random() % 2 ? x : -x;
    ASSERT_EQ(roundToHalf(x), nearestHalf(x)) << x;
    float narrow = static_cast<float>(x);
    ASSERT_EQ(roundToHalf(narrow), nearestHalf(narrow)) << narrow;
  }
  EXPECT_EQ(roundToHalf(65519.99), 0x7bff);
  EXPECT_EQ(roundToHalf(65520.0), 0x7c00);
  EXPECT_EQ(roundToHalf(-1e300), 0xfc00);
  EXPECT_EQ(roundToHalf(std::ldexp(1.0, -25)), 0) << "a tie goes to even";
  EXPECT_EQ(roundToHalf(std::nextafter(std::ldexp(1.0, -25), 1.0)), 1);
  EXPECT_EQ(roundToHalf(5e-324), 0);
  EXPECT_EQ(roundToHalf(-0.0), 0x8000);
}

TEST(SoftFloat, RoundsToTheNearestBfloat) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 1000000; ++i) {
    uint32_t bits = static_cast<uint32_t>(random());
    if ((bits & 0x7f800000) == 0x7f800000) {
      continue;
    }
    // Of a float the rounding is that of its upper half-word.
    uint32_t expected = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    ASSERT_EQ(roundToBfloat(std::bit_cast<float>(bits)), expected) << bits;
    ASSERT_EQ(roundToBfloat(static_cast<double>(std::bit_cast<float>(bits))), expected) << bits;
  }
  // One rounding, not two: as float this double would become a tie.
  EXPECT_EQ(roundToBfloat(1 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40)), 0x3f81);
}

// The conventions by which compiled code calls them.
TEST(SoftFloat, CompiledCodeCallsThem) {
  auto object = loadObject(compileC(R"(
    unsigned short narrowHalf(float x) { _Float16 h = x; return __builtin_bit_cast(unsigned short, h); }
    unsigned short narrowHalfD(double x) { _Float16 h = x; return __builtin_bit_cast(unsigned short, h); }
    float widenHalf(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
    unsigned short narrowBf(float x) { __bf16 h = x; return __builtin_bit_cast(unsigned short, h); }
    unsigned short narrowBfD(double x) { __bf16 h = x; return __builtin_bit_cast(unsigned short, h); }
    float widenBf(unsigned short x) { return __builtin_bit_cast(__bf16, x); }
  )"));
  ASSERT_TRUE(object) << object.error().render();
  auto narrow = [&](const char *name) { return reinterpret_cast<unsigned short (*)(float)>(object->function(name)); };
  auto narrowD = [&](const char *name) { return reinterpret_cast<unsigned short (*)(double)>(object->function(name)); };
  auto widen = [&](const char *name) { return reinterpret_cast<float (*)(unsigned short)>(object->function(name)); };
  for (float x : {0.0f, -1.5f, 0.1f, 70000.0f, 1e-8f, 3.14159f}) {
    EXPECT_EQ(narrow("narrowHalf")(x), roundToHalf(x));
    EXPECT_EQ(narrowD("narrowHalfD")(x), roundToHalf(static_cast<double>(x)));
    EXPECT_EQ(narrow("narrowBf")(x), roundToBfloat(x));
    EXPECT_EQ(narrowD("narrowBfD")(x), roundToBfloat(static_cast<double>(x)));
    EXPECT_EQ(widen("widenHalf")(roundToHalf(x)), extendHalf(roundToHalf(x)));
    EXPECT_EQ(widen("widenBf")(roundToBfloat(x)), extendBfloat(roundToBfloat(x)));
  }
}

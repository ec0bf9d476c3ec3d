// Narrow float formats against llvm::APFloat. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/FloatBits.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <gtest/gtest.h>
#include <random>

using llvm::APFloat;
using llvm::APInt;
using namespace pavage::tile;

namespace {
template <class FormatT> struct Semantics;
template <> struct Semantics<HalfBits> {
  static const llvm::fltSemantics &get() { return APFloat::IEEEhalf(); }
};
template <> struct Semantics<BrainBits> {
  static const llvm::fltSemantics &get() { return APFloat::BFloat(); }
};
template <> struct Semantics<E4M3Bits> {
  static const llvm::fltSemantics &get() { return APFloat::Float8E4M3FN(); }
};
template <> struct Semantics<E5M2Bits> {
  static const llvm::fltSemantics &get() { return APFloat::Float8E5M2(); }
};

template <class FormatT> class FloatBits : public testing::Test {
public:
  static constexpr uint32_t patterns = 1u << FormatT::width;

  static double reference(uint32_t bits) {
    APFloat value(Semantics<FormatT>::get(), APInt(FormatT::width, bits));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }

  static uint32_t reference(double number, RoundMode round) {
    APFloat value(number);
    bool losesInfo;
    auto mode = round == RoundMode::NearestEven ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero;
    value.convert(Semantics<FormatT>::get(), mode, &losesInfo);
    return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
  }

  static void checkWrite(double number) {
    for (RoundMode round : {RoundMode::NearestEven, RoundMode::TowardZero}) {
      uint32_t expected = reference(number, round), got = FormatT::write(number, round);
      if (FormatT::isNan(expected)) {
        ASSERT_TRUE(FormatT::isNan(got)) << number;
      } else {
        ASSERT_EQ(got, expected) << number << (round == RoundMode::NearestEven ? " to nearest" : " toward zero");
      }
      // Saturation changes nothing but what would be infinite or, for a number, NaN.
      uint32_t magnitude = expected & (FormatT::signBit - 1);
      if (number == number && magnitude > FormatT::largestFinite) {
        expected = (expected & FormatT::signBit) | FormatT::largestFinite;
      }
      uint32_t saturated = FormatT::write(number, round, OverflowMode::Saturate);
      if (number != number) {
        ASSERT_TRUE(FormatT::isNan(saturated));
      } else {
        ASSERT_EQ(saturated, expected) << number << " saturating";
      }
    }
  }

  static void checkAround(double number) {
    for (double sign : {1.0, -1.0}) {
      checkWrite(sign * number);
      checkWrite(sign * std::nextafter(number, 0));
      checkWrite(sign * std::nextafter(number, INFINITY));
    }
  }
};

using Formats = testing::Types<HalfBits, BrainBits, E4M3Bits, E5M2Bits>;
TYPED_TEST_SUITE(FloatBits, Formats);
} // namespace

TYPED_TEST(FloatBits, ReadsEveryPattern) {
  for (uint32_t bits = 0; bits < TestFixture::patterns; ++bits) {
    double expected = TestFixture::reference(bits), got = TypeParam::read(bits);
    ASSERT_EQ(TypeParam::isNan(bits), expected != expected) << bits;
    if (expected != expected) {
      ASSERT_TRUE(got != got) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<uint64_t>(got), std::bit_cast<uint64_t>(expected)) << bits;
    }
    ASSERT_EQ(std::signbit(got), (bits & TypeParam::signBit) != 0) << bits;
  }
}

TYPED_TEST(FloatBits, WritesBackEveryPattern) {
  for (uint32_t bits = 0; bits < TestFixture::patterns; ++bits) {
    if (TypeParam::isNan(bits)) {
      uint32_t got = TypeParam::write(TypeParam::read(bits));
      ASSERT_TRUE(TypeParam::isNan(got));
      ASSERT_EQ(got & TypeParam::signBit, bits & TypeParam::signBit);
    } else {
      ASSERT_EQ(TypeParam::write(TypeParam::read(bits)), bits);
    }
  }
}

TYPED_TEST(FloatBits, RoundsAtAndBesideEveryMidpoint) {
  for (uint32_t bits = 0; bits < TypeParam::largestFinite; ++bits) {
    double low = TypeParam::read(bits), high = TypeParam::read(bits + 1);
    TestFixture::checkAround(low + (high - low) / 2);
    TestFixture::checkAround(low + (high - low) / 4);
  }
  double largest = TypeParam::read(TypeParam::largestFinite), before = TypeParam::read(TypeParam::largestFinite - 1);
  TestFixture::checkAround(largest);
  TestFixture::checkAround(largest + (largest - before) / 2); // from here on: overflow
  TestFixture::checkAround(2 * largest);
}

TYPED_TEST(FloatBits, WritesAnyDouble) {
  std::mt19937_64 random(7);
  for (double number : {0.0, -0.0, double(INFINITY), -double(INFINITY), double(NAN), 5e-324, -5e-324, 2e-308, 1e308}) {
    TestFixture::checkWrite(number);
  }
  for (int i = 0; i < 200000; ++i) {
    TestFixture::checkWrite(std::bit_cast<double>(random()));
    // Near the format's own range.
    TestFixture::checkWrite(std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 50) - 90));
  }
}

TEST(NarrowToFloat, RoundsTowardZero) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300000; ++i) {
    double number = i % 2 ? std::bit_cast<double>(random())
                          : std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 300) - 200);
    for (RoundMode round : {RoundMode::NearestEven, RoundMode::TowardZero}) {
      APFloat value(number);
      bool losesInfo;
      value.convert(APFloat::IEEEsingle(),
                    round == RoundMode::NearestEven ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero, &losesInfo);
      float got = narrowToFloat(number, round);
      if (!value.isNaN()) {
        ASSERT_EQ(std::bit_cast<uint32_t>(got), value.bitcastToAPInt().getZExtValue()) << number;
      }
    }
  }
}

TEST(IntegerToOdd, RoundsLikeTheInteger) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200000; ++i) {
    uint64_t number = random() >> (random() % 64);
    if (i % 4 == 0) { // just beside a midpoint of bf16
      number = ((random() >> 55 | 1) << (1 + random() % 54)) + (random() % 3) - 1;
    }
    APFloat value(APFloat::BFloat());
    value.convertFromAPInt(APInt(64, number), false, APFloat::rmNearestTiesToEven);
    ASSERT_EQ(BrainBits::write(integerToOdd(number)), value.bitcastToAPInt().getZExtValue()) << number;
  }
}

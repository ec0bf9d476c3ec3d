// Floating-point instructions: rounding, NaN, flushing, fusing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Sim/SimTest.h"

#include <cmath>

namespace pavage::sim {
namespace {

using U = Values<u32>;
using H = Values<u16>;
using F = Values<float>;
using D = Values<double>;
constexpr u32 canonicalNan = 0x7fffffff;
const float inf = INFINITY;

std::vector<u32> pattern(const F &x) {
  std::vector<u32> b;
  for (float v : x) {
    b.push_back(floatBits(v));
  }
  return b;
}

TEST(SimFloat, NanIsCanonical) {
  EXPECT_EQ((lanes<u32>("add.f32 %d, %a, %b;", U{0x7fc00001, 0xff800001, floatBits(inf)},
                        U{floatBits(1), floatBits(1), floatBits(-inf)})),
            (U{canonicalNan, canonicalNan, canonicalNan}));
  EXPECT_EQ((lanes<u32>("mul.f32 %d, %a, %b;", pattern({0}), pattern({inf}))), (U{canonicalNan}));
  EXPECT_EQ((lanes<u16>("add.f16 %d, %a, %b;", H{0x7e01}, H{0x3c00})), (H{0x7fff}));
  EXPECT_EQ((lanes<u32>("sqrt.rn.f32 %d, %a;", pattern({-1, -0.0f, 4}))), (U{canonicalNan, 0x80000000, floatBits(2)}));
}

TEST(SimFloat, DirectedRounding) {
  U tiny = {floatBits(0x1p-30f)};
  U one = {floatBits(1)};
  EXPECT_EQ((lanes<u32>("add.rn.f32 %d, %a, %b;", one, tiny)), one);
  EXPECT_EQ((lanes<u32>("add.rp.f32 %d, %a, %b;", one, tiny)), (U{0x3f800001}));
  EXPECT_EQ((lanes<u32>("add.rz.f32 %d, %a, %b;", one, tiny)), one);
  EXPECT_EQ((lanes<u32>("sub.rm.f32 %d, %a, %b;", one, tiny)), (U{0x3f7fffff}));
  EXPECT_EQ((lanes<u32>("div.rz.f32 %d, %a, %b;", one, U{floatBits(3)})), (U{0x3eaaaaaa}));
  EXPECT_EQ((lanes<u32>("div.rn.f32 %d, %a, %b;", one, U{floatBits(3)})), (U{0x3eaaaaab}));
  EXPECT_EQ((lanes<u32>("fma.rm.f32 %d, %a, %b, %c;", one, one, U{floatBits(-0x1p-40f)})), (U{0x3f7fffff}));
  EXPECT_EQ((lanes<u64>("add.rp.f64 %d, %a, %b;", Values<u64>{doubleBits(1)}, Values<u64>{doubleBits(0x1p-60)})),
            (Values<u64>{doubleBits(1) + 1}));
}

TEST(SimFloat, FlushAndSaturate) {
  U denormal = {0x00000001, 0x80000001, 0x00800000};
  EXPECT_EQ((lanes<u32>("add.ftz.f32 %d, %a, %b;", denormal, U{0, 0x80000000, 0})), (U{0, 0x80000000, 0x00800000}));
  EXPECT_EQ((lanes<u32>("add.f32 %d, %a, %b;", denormal, U{0, 0x80000000, 0})), denormal);
  EXPECT_EQ((lanes<u32>("mul.ftz.f32 %d, %a, %b;", pattern({0x1p-100f}), pattern({0x1p-40f}))), (U{0}));
  EXPECT_EQ((lanes<u32>("add.sat.f32 %d, %a, %b;", pattern({2, -3, 0.25f, NAN}), pattern({0, 0, 0.25f, 0}))),
            pattern({1, 0, 0.5f, 0}));
  EXPECT_EQ((lanes<u32>("fma.rn.sat.f32 %d, %a, %b, %c;", pattern({2}), pattern({3}), pattern({0}))), pattern({1}));
  EXPECT_EQ((lanes<u32>("setp.eq.ftz.f32 %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", U{1}, U{0})), (U{1}));
}

TEST(SimFloat, FmaRoundsOnce) {
  float a = 1 + 0x1p-12f;
  EXPECT_EQ((lanes<u32>("fma.rn.f32 %d, %a, %b, %c;", pattern({a}), pattern({a}), pattern({-1 - 0x1p-11f}))),
            pattern({0x1p-24f}));
  // f16: 2049 * 1 + 0.5... the product is exact, the sum is rounded once. 2048 + 1 + 2^-11 lies above the midpoint.
  EXPECT_EQ((lanes<u16>("fma.rn.f16 %d, %a, %b, %c;", H{0x6800}, H{0x3c00}, H{0x3c01})), (H{0x6801}));
  EXPECT_EQ((lanes<u16>("fma.rn.f16 %d, %a, %b, %c;", H{0x6800}, H{0x3c00}, H{0x3c00})), (H{0x6800})); // tie to even
  EXPECT_EQ((lanes<u16>("fma.rn.relu.f16 %d, %a, %b, %c;", H{0xbc00}, H{0x3c00}, H{0})), (H{0}));
  EXPECT_EQ((lanes<u32>("fma.rn.f16x2 %d, %a, %b, %c;", U{0x3c004000}, U{0x40004000}, U{0x3c003c00})), (U{0x42004500}));
}

/// Against a computation in long double, which holds every f16 and bf16 product and sum exactly.
TEST(SimFloat, HalfFmaAgainstExactArithmetic) {
  auto half = [](u16 h) {
    int e = (h >> 10) & 31, m = h & 1023;
    long double v = e == 0 ? std::ldexp((long double)m, -24) : std::ldexp((long double)(m + 1024), e - 25);
    return h & 0x8000 ? -v : v;
  };
  auto round = [&](long double x) {
    u16 best = 0;
    long double error = INFINITY;
    for (u32 h = 0; h < 0x7c00; ++h) { // small enough for a few cases
      long double d = std::fabs(half(static_cast<u16>(h)) - std::fabs(x));
      if (d < error || (d == error && !(h & 1))) {
        error = d;
        best = static_cast<u16>(h);
      }
    }
    return static_cast<u16>(best | (std::signbit(x) ? 0x8000 : 0));
  };
  H a, b, c;
  u32 seed = 12345;
  auto next = [&] {
    seed = seed * 1664525 + 1013904223;
    return static_cast<u16>(((seed >> 8) & 0x83ff) | ((10 + (seed >> 26) % 8) << 10));
  };
  for (int k = 0; k < 32; ++k) {
    a.push_back(next()), b.push_back(next()), c.push_back(next());
  }
  H out = lanes<u16>("fma.rn.f16 %d, %a, %b, %c;", a, b, c);
  for (int k = 0; k < 32; ++k) {
    EXPECT_EQ(out[k], round(half(a[k]) * half(b[k]) + half(c[k]))) << a[k] << " " << b[k] << " " << c[k];
  }
}

TEST(SimFloat, MinMax) {
  EXPECT_EQ((lanes<u32>("min.f32 %d, %a, %b;", pattern({1, NAN, NAN, -0.0f, 0.0f}), pattern({2, 5, NAN, 0.0f, -0.0f}))),
            (U{floatBits(1), floatBits(5), canonicalNan, 0x80000000, 0x80000000}));
  EXPECT_EQ((lanes<u32>("max.NaN.f32 %d, %a, %b;", pattern({1, NAN, -0.0f}), pattern({2, 5, 0.0f}))),
            (U{floatBits(2), canonicalNan, 0}));
  EXPECT_EQ((lanes<u16>("max.f16 %d, %a, %b;", H{0x3c00, 0x7e00}, H{0x4000, 0x4000})), (H{0x4000, 0x4000}));
}

TEST(SimFloat, CompareWithNan) {
  auto test = [](const char *op) {
    return lanes<u32>(std::string("setp.") + op + ".f32 %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", pattern({1, NAN, 2}),
                      pattern({1, 1, 1}));
  };
  EXPECT_EQ(test("eq"), (U{1, 0, 0}));
  EXPECT_EQ(test("ne"), (U{0, 0, 1}));
  EXPECT_EQ(test("neu"), (U{0, 1, 1}));
  EXPECT_EQ(test("equ"), (U{1, 1, 0}));
  EXPECT_EQ(test("gt"), (U{0, 0, 1}));
  EXPECT_EQ(test("leu"), (U{1, 1, 0}));
  EXPECT_EQ(test("num"), (U{1, 0, 1}));
  EXPECT_EQ(test("nan"), (U{0, 1, 0}));
}

TEST(SimFloat, ApproximationsAreClose) {
  F x = {0.5f, 1, 2, 3.25f, 0.001f, 10};
  auto check = [&](const char *op, double (*f)(double), double bound) {
    U out = lanes<u32>(std::string(op) + " %d, %a;", pattern(x));
    for (size_t k = 0; k < x.size(); ++k) {
      double want = f(x[k]);
      EXPECT_NEAR(bitsFloat(out[k]), want, std::fabs(want) * bound + 1e-12) << op << " of " << x[k];
    }
  };
  check("ex2.approx.f32", [](double v) { return std::exp2(v); }, 0x1p-22);
  check("lg2.approx.f32", [](double v) { return std::log2(v); }, 0x1p-21);
  check("sin.approx.f32", [](double v) { return std::sin(v); }, 0x1p-20);
  check("rsqrt.approx.f32", [](double v) { return 1 / std::sqrt(v); }, 0x1p-22);
  check("tanh.approx.f32", [](double v) { return std::tanh(v); }, 0x1p-11);
  check("rcp.approx.ftz.f32", [](double v) { return 1 / v; }, 0x1p-23);
  EXPECT_EQ((lanes<u32>("ex2.approx.ftz.f32 %d, %a;", pattern({-inf, inf}))), pattern({0, inf}));
}

TEST(SimFloat, SignsAndProperties) {
  EXPECT_EQ((lanes<u32>("neg.f32 %d, %a;", U{0x3f800000, 0x7fc00001})), (U{0xbf800000, 0xffc00001}));
  EXPECT_EQ((lanes<u32>("copysign.f32 %d, %a, %b;", pattern({-1, 1}), pattern({3, -4}))), pattern({-3, 4}));
  EXPECT_EQ((lanes<u32>("testp.subnormal.f32 %p0, %a; selp.u32 %d, 1, 0, %p0;", U{1, 0, 0x00800000})), (U{1, 0, 0}));
  EXPECT_EQ((lanes<u32>("testp.infinite.f32 %p0, %a; selp.u32 %d, 1, 0, %p0;", pattern({inf, 1, NAN}))), (U{1, 0, 0}));
  EXPECT_EQ((lanes<u16>("neg.bf16 %d, %a;", H{0x3f80})), (H{0xbf80}));
  EXPECT_EQ((lanes<u16>("mul.bf16 %d, %a, %b;", H{0x3fc0}, H{0x4000})), (H{0x4040}));
}

} // namespace
} // namespace pavage::sim

// Operators and functions: values and dtypes, in both sinks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <cmath>

using namespace pavage;
using namespace pavage::testing;

namespace {
template <typename T> DType dtypeFor();
template <> DType dtypeFor<int32_t>() { return i32; }
template <> DType dtypeFor<uint32_t>() { return u32; }
template <> DType dtypeFor<float>() { return f32; }
template <> DType dtypeFor<double>() { return f64; }
template <> DType dtypeFor<int8_t>() { return i8; }
template <> DType dtypeFor<uint8_t>() { return u8; }
template <> DType dtypeFor<int64_t>() { return i64; }

/// f of whole input tiles x (and y), stored as R.
template <typename R, typename T>
std::vector<R> map2(const std::vector<T> &x, const std::vector<T> &y,
                    const std::function<Value(Builder &, Value, Value)> &f) {
  auto kernel = [&](Builder &b, std::vector<Value> &a) {
    Value i = b.arange(0, x.size());
    Value r = f(b, b.load(a[1] + i), b.load(a[2] + i));
    EXPECT_EQ(r.dtype(), dtypeFor<R>()) << r.typeText();
    b.store(a[0] + i, r);
  };
  DType d = dtypeFor<T>();
  return runBoth(kernel, {zeros<R>(dtypeFor<R>(), x.size()), array(d, x), array(d, y)}).args[0].template as<R>();
}

Value op2(Builder &b, pv_binary_op op, const Value &x, const Value &y) { return b.binary(op, x, y); }
} // namespace

#define BINARY(R, OP, X, Y, ...)                                                                                       \
  EXPECT_EQ((map2<R>(X, Y, [](Builder &b, Value x, Value y) { return op2(b, OP, x, y); })),                            \
            (std::vector<R> __VA_ARGS__))

TEST(Elementwise, IntegersAreTotal) {
  std::vector<int32_t> x = {7, -7, 7, INT32_MIN, INT32_MIN, INT32_MAX}, y = {2, 2, 0, -1, 31, 33};
  BINARY(int32_t, PV_FLOORDIV, x, y, {3, -3, -1, INT32_MIN, -69273666, 65075262});
  BINARY(int32_t, PV_MOD, x, y, {1, -1, 7, 0, -2, 1});
  BINARY(int32_t, PV_SHL, x, y, {28, -28, 7, 0, 0, 0});
  BINARY(int32_t, PV_SHR, x, y, {1, -2, 7, -1, -1, 0});
  BINARY(int32_t, PV_ADD, x, y, {9, -5, 7, INT32_MAX, INT32_MIN + 31, INT32_MIN + 32});
  BINARY(int32_t, PV_CDIV, x, y, {4, -3, 0, INT32_MIN, -69273666, 65075263});
  std::vector<int32_t> p = {-8, 8, -7, 7, 0, 1}, q = {2, -2, -2, -2, 5, 1000};
  BINARY(int32_t, PV_CDIV, p, q, {-4, -4, 4, -3, 0, 1});
  std::vector<uint32_t> u = {7, 0xFFFFFFFF, 5}, v = {2, 16, 0};
  BINARY(uint32_t, PV_FLOORDIV, u, v, {3, 0x0FFFFFFF, 0xFFFFFFFF});
  BINARY(uint32_t, PV_SHR, u, v, {1, 0xFFFF, 5});
  BINARY(uint32_t, PV_UMULHI, u, v, {0, 15, 0});
  BINARY(uint32_t, PV_MAXIMUM, u, v, {7, 0xFFFFFFFF, 5});
}

TEST(Elementwise, FloatDivisionAndRemainder) {
  std::vector<float> x = {7, -7.5f, 1, 0}, y = {2, 2, 0, 5};
  BINARY(float, PV_DIV, x, y, {3.5f, -3.75f, INFINITY, 0});
  BINARY(float, PV_FDIV, x, y, {3.5f, -3.75f, INFINITY, 0});
  std::vector<float> z = {2, 2, 3, 5};
  BINARY(float, PV_MOD, x, z, {1, -1.5f, 1, 0});
}

TEST(Elementwise, ExtremaAndNaN) {
  std::vector<float> x = {1, NAN, -0.0f, 3}, y = {2, 5, 0.0f, NAN};
  auto bits = [](std::vector<float> v) {
    std::vector<uint32_t> r(v.size());
    std::memcpy(r.data(), v.data(), 4 * v.size());
    return r;
  };
  auto run = [&](pv_binary_op op) {
    return bits(map2<float>(x, y, [op](Builder &b, Value a, Value c) { return b.binary(op, a, c); }));
  };
  EXPECT_EQ(run(PV_MAXIMUM), bits({2, 5, 0.0f, 3}));
  EXPECT_EQ(run(PV_MINIMUM), bits({1, 5, -0.0f, 3}));
  std::vector<uint32_t> wins = run(PV_MAXIMUM_NAN);
  EXPECT_EQ(wins[0], bits({2})[0]);
  EXPECT_NE(wins[1] & 0x7FFFFF, 0u);
  EXPECT_EQ(wins[1] & 0x7F800000, 0x7F800000u);
}

TEST(Elementwise, LogicAndSelection) {
  std::vector<int32_t> x = {0, 1, 2, -3}, y = {5, 0, 7, 8};
  EXPECT_EQ((map2<int32_t>(x, y,
                           [](Builder &b, Value p, Value q) {
                             Value both = b.binary(PV_LOGICAL_AND, p, q), one = b.binary(PV_LOGICAL_OR, p, q);
                             return b.where(both, p, b.where(one, 100, -1)) +
                                    b.cast(b.unary(PV_LOGICAL_NOT, p), i32) * 1000;
                           })),
            (std::vector<int32_t>{1100, 100, 2, -3}));
}

TEST(Elementwise, Powers) {
  std::vector<int32_t> x = {2, -3, 0, 7}, e = {10, 3, 0, 2};
  BINARY(int32_t, PV_POW, x, e, {1024, -27, 1, 49});
  EXPECT_EQ((map2<int32_t>(x, e, [](Builder &b, Value p, Value) { return b.binary(PV_POW, p, 5); })),
            (std::vector<int32_t>{32, -243, 0, 16807}));
  std::vector<int32_t> base = {1, -1, 2, -1}, minus = {-3, -3, -1, -2};
  BINARY(int32_t, PV_POW, base, minus, {1, -1, 0, 1});
  std::vector<float> f = {1.5f, -2, 0, 3};
  EXPECT_EQ((map2<float>(f, f, [](Builder &b, Value p, Value) { return b.binary(PV_POW, p, 3); })),
            (std::vector<float>{3.375f, -8, 0, 27}));
  std::vector<float> half = map2<float>(f, f, [](Builder &b, Value p, Value) { return b.binary(PV_POW, p, 0.5); });
  EXPECT_NEAR(half[0], std::sqrt(1.5f), 1e-6);
  EXPECT_NEAR(half[3], std::sqrt(3.0f), 1e-6);
}

TEST(Elementwise, Casts) {
  std::vector<float> x = {300.7f, -1.5f, NAN, -3e9f, 0.5f, INFINITY};
  EXPECT_EQ((map2<int8_t>(x, x, [](Builder &b, Value v, Value) { return b.cast(v, i8); })),
            (std::vector<int8_t>{127, -1, 0, -128, 0, 127}));
  EXPECT_EQ((map2<uint8_t>(x, x, [](Builder &b, Value v, Value) { return b.cast(v, u8); })),
            (std::vector<uint8_t>{255, 0, 0, 0, 0, 255}));
  EXPECT_EQ((map2<float>(x, x, [](Builder &b, Value v, Value) { return b.cast(b.cast(v, f8e4nv), f32); }))[0], 288);
  EXPECT_EQ((map2<float>(x, x, [](Builder &b, Value v, Value) { return b.cast(b.cast(v, f8e4nv), f32); }))[3], -448);
  EXPECT_EQ((map2<int32_t>(x, x, [](Builder &b, Value v, Value) { return b.cast(b.cast(v, i1), i32); })),
            (std::vector<int32_t>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ((map2<int32_t>(x, x, [](Builder &b, Value v, Value) { return b.bitcast(v, i32); }))[4], 0x3F000000);
  std::vector<int8_t> s = {-1, 5};
  EXPECT_EQ((map2<int64_t>(s, s, [](Builder &b, Value v, Value) { return b.cast(b.bitcast(v, u8), i64); })),
            (std::vector<int64_t>{255, 5}));
  EXPECT_EQ((map2<double>(s, s, [](Builder &b, Value v, Value) { return b.cast(v, f64); })),
            (std::vector<double>{-1, 5}));
}

TEST(Elementwise, SmallFloatsRoundOncePerOperator) {
  std::vector<float> x = {1, 2048, 65504}, y = {0.0004883f, 1, 65504};
  // float16: 1 + 2^-11 rounds to even; 2048 + 1 too; the largest number doubled is infinite.
  EXPECT_EQ(
      (map2<float>(x, y, [](Builder &b, Value p, Value q) { return b.cast(b.cast(p, f16) + b.cast(q, f16), f32); })),
      (std::vector<float>{1, 2048, INFINITY}));
  // fp8 has no arithmetic of its own: float32 and one rounding back, saturating.
  std::vector<float> small = {1.125f, 448, 0.5f}, other = {1.125f, 448, 0.25f};
  EXPECT_EQ(
      (map2<float>(small, other,
                   [](Builder &b, Value p, Value q) { return b.cast(b.cast(p, f8e4nv) * b.cast(q, f8e4nv), f32); })),
      (std::vector<float>{1.25f, 448, 0.125f}));
}

TEST(Elementwise, Functions) {
  std::vector<float> x = {0.25f, 0.5f, 0.75f};
  using F = double (*)(double);
  struct Case {
    pv_unary_op op;
    F reference;
  };
  const Case cases[] = {{PV_EXP, std::exp},
                        {PV_EXP2, std::exp2},
                        {PV_EXPM1, std::expm1},
                        {PV_LOG, std::log},
                        {PV_LOG2, std::log2},
                        {PV_LOG10, std::log10},
                        {PV_LOG1P, std::log1p},
                        {PV_SIN, std::sin},
                        {PV_COS, std::cos},
                        {PV_TAN, std::tan},
                        {PV_ASIN, std::asin},
                        {PV_ACOS, std::acos},
                        {PV_ATAN, std::atan},
                        {PV_SINH, std::sinh},
                        {PV_COSH, std::cosh},
                        {PV_TANH, std::tanh},
                        {PV_ASINH, std::asinh},
                        {PV_ATANH, std::atanh},
                        {PV_SQRT, std::sqrt},
                        {PV_CBRT, std::cbrt},
                        {PV_ERF, std::erf},
                        {PV_ERFC, std::erfc},
                        {PV_FLOOR, std::floor},
                        {PV_CEIL, std::ceil},
                        {PV_TRUNC, std::trunc},
                        {PV_ROUND, std::round},
                        {PV_RINT, std::rint},
                        {PV_SIGMOID, [](double v) { return 1 / (1 + std::exp(-v)); }},
                        {PV_RSQRT, [](double v) { return 1 / std::sqrt(v); }}};
  for (const Case &c : cases) {
    std::vector<float> got = map2<float>(x, x, [&](Builder &b, Value v, Value) { return b.unary(c.op, v); });
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(got[i], c.reference(x[i]), 2e-6 * std::max(1.0, std::fabs(c.reference(x[i])))) << "op " << c.op;
    }
    // float16 goes through float32 and keeps its type.
    std::vector<float> half = map2<float>(x, x, [&](Builder &b, Value v, Value) {
      Value h = b.unary(c.op, b.cast(v, f16));
      EXPECT_EQ(h.dtype(), f16);
      return b.cast(h, f32);
    });
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(half[i], c.reference(x[i]), 1e-3 * std::max(1.0, std::fabs(c.reference(x[i])))) << "op " << c.op;
    }
  }
}

TEST(Elementwise, ClassesAndBits) {
  std::vector<float> x = {1, -INFINITY, NAN, -0.0f};
  auto run = [&](pv_unary_op op) {
    return map2<int32_t>(x, x, [&](Builder &b, Value v, Value) { return b.cast(b.unary(op, v), i32); });
  };
  EXPECT_EQ(run(PV_ISNAN), (std::vector<int32_t>{0, 0, 1, 0}));
  EXPECT_EQ(run(PV_ISINF), (std::vector<int32_t>{0, 1, 0, 0}));
  EXPECT_EQ(run(PV_ISFINITE), (std::vector<int32_t>{1, 0, 0, 1}));
  EXPECT_EQ(run(PV_SIGNBIT)[1], 1);
  EXPECT_EQ(run(PV_SIGNBIT)[3], 1);
  std::vector<int32_t> n = {0, 1, 12, -1};
  auto bits = [&](pv_unary_op op) {
    return map2<int32_t>(n, n, [&](Builder &b, Value v, Value) { return b.unary(op, v); });
  };
  EXPECT_EQ(bits(PV_POPC), (std::vector<int32_t>{0, 1, 2, 32}));
  EXPECT_EQ(bits(PV_CLZ), (std::vector<int32_t>{32, 31, 28, 0}));
  EXPECT_EQ(bits(PV_CTZ), (std::vector<int32_t>{32, 0, 2, 0}));
  EXPECT_EQ(bits(PV_FFS), (std::vector<int32_t>{0, 1, 3, 1}));
  EXPECT_EQ(bits(PV_ABS), (std::vector<int32_t>{0, 1, 12, 1}));
  EXPECT_EQ(bits(PV_NEG), (std::vector<int32_t>{0, -1, -12, 1}));
  EXPECT_EQ(bits(PV_INVERT), (std::vector<int32_t>{-1, -2, -13, 0}));
}

TEST(Elementwise, ClampFmaAndSoftmax) {
  std::vector<float> x = {-5, 0.5f, 9}, y = {1, 2, 3};
  EXPECT_EQ((map2<float>(x, y, [](Builder &b, Value v, Value) { return b.clamp(v, -1, 1); })),
            (std::vector<float>{-1, 0.5f, 1}));
  EXPECT_EQ((map2<float>(x, y, [](Builder &b, Value v, Value w) { return b.fma(v, w, 0.5); })),
            (std::vector<float>{-4.5f, 1.5f, 27.5f}));
  std::vector<float> s = map2<float>(x, y, [](Builder &b, Value, Value w) { return b.softmax(w); });
  double total = std::exp(-2.0) + std::exp(-1.0) + 1;
  EXPECT_NEAR(s[0], std::exp(-2.0) / total, 1e-6);
  EXPECT_NEAR(s[2], 1 / total, 1e-6);
}

TEST(Elementwise, PointerMinusUnsigned) {
  // The offset is negated in 64 bits.
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    b.store(a[0], b.load((a[1] + 3) - a[2]) + b.load(a[1] + (a[2] - 1)));
  };
  Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 1), array<int32_t>(i32, {10, 20, 30, 40}), scalar(u32, 2)});
  EXPECT_EQ(o.args[0].as<int32_t>()[0], 40);
}

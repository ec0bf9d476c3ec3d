// Reductions, scans, dot, sort and their widening, in both sinks. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <cmath>

using namespace pavage;
using namespace pavage::testing;

namespace {
template <typename R> std::vector<R> run(DType d, size_t n, const std::function<Value(Builder &)> &make) {
  auto kernel = [&](Builder &b, std::vector<Value> &a) {
    Value v = make(b);
    EXPECT_EQ(v.dtype(), d) << v.typeText();
    EXPECT_EQ(v.numel(), static_cast<int64_t>(n));
    put(b, a[0], v);
  };
  return runBoth(kernel, {zeros<R>(d, n)}).args[0].template as<R>();
}
using I = std::vector<int32_t>;
using F = std::vector<float>;

Value grid(Builder &b) { return b.reshape(b.arange(0, 15), {3, 5}); }
} // namespace

TEST(Reduce, Sums) {
  EXPECT_EQ(run<int32_t>(i32, 3, [](Builder &b) { return b.reduce(PV_SUM, grid(b), 1); }), (I{10, 35, 60}));
  EXPECT_EQ(run<int32_t>(i32, 5, [](Builder &b) { return b.reduce(PV_SUM, grid(b), -2); }), (I{15, 18, 21, 24, 27}));
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduce(PV_SUM, grid(b)); }), I{105});
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduce(PV_PROD, b.arange(1, 7), 0); }), I{720});
  record([](Builder &b, std::vector<Value> &) {
    auto sum = [&](DType d, DType as = {}) { return b.reduce(PV_SUM, b.full({4}, 1, d), 0, false, as).dtype(); };
    EXPECT_EQ(sum(i8), i32);
    EXPECT_EQ(sum(i16), i32);
    EXPECT_EQ(sum(u8), u32);
    EXPECT_EQ(sum(i1), u32);
    EXPECT_EQ(sum(i64), i64);
    EXPECT_EQ(sum(f16), f16);
    EXPECT_EQ(sum(bf16), bf16);
    EXPECT_EQ(sum(f32), f32);
    EXPECT_EQ(sum(i8, i64), i64);
    EXPECT_EQ(sum(f16, f32), f32);
    auto max = [&](DType d) { return b.reduce(PV_MAX, b.full({4}, 1, d), 0).dtype(); };
    EXPECT_EQ(max(i8), i32);
    EXPECT_EQ(max(u16), i32);
    EXPECT_EQ(max(u32), u32);
    EXPECT_EQ(max(f16), f32);
    EXPECT_EQ(max(bf16), f32);
    EXPECT_EQ(max(f64), f64);
    EXPECT_EQ(b.cumulate(PV_SUM, b.full({4}, 1, u8), 0).dtype(), u32);
    EXPECT_EQ(b.cumulate(PV_SUM, b.full({4}, 1, f16), 0).dtype(), f16);
    EXPECT_EQ(b.reduce(PV_SUM, grid(b), 1, true).shape(), (std::vector<int64_t>{3, 1}));
    EXPECT_EQ(b.reduce(PV_SUM, grid(b), {}, true).shape(), (std::vector<int64_t>{1, 1}));
    EXPECT_EQ(b.reduceWithIndex(PV_MAX, b.full({4}, 1, f16), 0).first.dtype(), f32);
    EXPECT_EQ(b.reduceWithIndex(PV_MAX, b.full({4}, 1, f16), 0).second.dtype(), i32);
  });
  // float16 sums are accumulated in float32 and rounded once: 2048 + 1 + 1 is 2050.
  EXPECT_EQ(run<float>(f32, 1,
                       [](Builder &b) {
                         Value x = b.where(b.arange(0, 3) == 0, b.full({3}, 2048, f16), b.full({3}, 1, f16));
                         return b.cast(b.reduce(PV_SUM, x, 0), f32);
                       }),
            F{2050});
}

TEST(Reduce, Bits) {
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduce(PV_XOR_SUM, b.arange(0, 7), 0); }), I{7});
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduce(PV_REDUCE_OR, b.arange(0, 6), 0); }), I{7});
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduce(PV_REDUCE_AND, b.arange(4, 8), 0); }), I{4});
}

TEST(Reduce, ExtremaIgnoreNaN) {
  auto data = [](Builder &b) {
    // nan, 1, 5, 5, nan, -2, 1000
    Value i = b.arange(0, 7);
    Value x = b.where(i == 0, NAN, b.where(i == 1, 1.0, 5.0));
    return b.where(i == 4, NAN, b.where(i == 5, -2.0, b.where(i == 6, 1000.0, x)));
  };
  auto both = [&](pv_reduce_op op) {
    return run<float>(f32, 3, [&](Builder &b) {
      auto [value, index] = b.reduceWithIndex(op, data(b), 0);
      Value plain = b.reduce(op, data(b), 0), i = b.arange(0, 3);
      return b.where(i == 0, plain, b.where(i == 1, value, b.cast(index, f32)));
    });
  };
  EXPECT_EQ(both(PV_MAX), (F{1000, 1000, 6}));
  EXPECT_EQ(both(PV_MIN), (F{-2, -2, 5}));
  // Ties go to the lowest index, across the lanes of a long axis too.
  EXPECT_EQ(run<int32_t>(i32, 1,
                         [](Builder &b) {
                           Value x = b.cast(b.arange(0, 1000) % 70 == 69, f32);
                           return b.reduceWithIndex(PV_MAX, x, 0).second;
                         }),
            I{69});
  // All NaN: index 0.
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduceWithIndex(PV_MIN, b.full({9}, NAN, f32), 0).second; }),
            I{0});
}

TEST(Reduce, ArgmaxOfEveryAxis) {
  EXPECT_EQ(run<int32_t>(i32, 5, [](Builder &b) { return b.reduceWithIndex(PV_MAX, grid(b) % 7, 0).second; }),
            (I{1, 1, 2, 2, 0}));
  EXPECT_EQ(run<int32_t>(i32, 1, [](Builder &b) { return b.reduceWithIndex(PV_MAX, grid(b) % 7, {}).second; }), I{6});
}

TEST(Reduce, OwnCombineFunction) {
  // The product and the count of positive numbers, as a pair; the function has an if and a call.
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    std::vector<Value> xs = {b.arange(1, 6), b.full({5}, 1, i64)};
    std::vector<Value> r = b.reduce(xs, 0, [&](std::vector<Value> v) {
      b.callBegin("combine");
      Variable p = b.declare("p");
      b.assign(p, v[0] * v[2]);
      b.if_(b.read(p) > 100, [&] { b.assign(p, b.read(p) - 1); });
      b.return_(Value::tuple(std::vector<Value>{b.read(p), v[1] + v[3]}));
      Value pair = b.callEnd();
      return std::vector<Value>{pair.item(0), pair.item(1)};
    });
    b.store(a[0], r[0]);
    b.store(a[0] + 1, b.cast(r[1], i32));
  };
  Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 2)});
  // The stated tree over 1 2 3 4 5: ((1*5) * 3) and (2*4), then 15 * 8 = 120, less 1.
  EXPECT_EQ(o.args[0].as<int32_t>(), (I{119, 5}));
}

TEST(Reduce, Scans) {
  EXPECT_EQ(run<int32_t>(i32, 6, [](Builder &b) { return b.cumulate(PV_SUM, b.reshape(b.arange(1, 7), {2, 3}), 1); }),
            (I{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(run<int32_t>(i32, 6, [](Builder &b) { return b.cumulate(PV_SUM, b.reshape(b.arange(1, 7), {2, 3}), -2); }),
            (I{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(run<int32_t>(i32, 4, [](Builder &b) { return b.cumulate(PV_PROD, b.arange(1, 5), 0, true); }),
            (I{24, 24, 12, 4}));
  EXPECT_EQ(run<int32_t>(i32, 5,
                         [](Builder &b) {
                           std::vector<Value> xs = {b.arange(0, 5) * 3 % 4};
                           return b.scan(xs, 0, [&](std::vector<Value> v) {
                             return std::vector<Value>{b.binary(PV_MAXIMUM, v[0], v[1])};
                           })[0];
                         }),
            (I{0, 3, 3, 3, 3}));
}

TEST(Reduce, SortAndTopk) {
  auto data = [](Builder &b) { return b.reshape((b.arange(0, 10) * 7) % 10 - 4, {2, 5}); };
  EXPECT_EQ(run<int32_t>(i32, 10, [&](Builder &b) { return b.sort(data(b)); }), (I{-4, -3, 0, 3, 4, -2, -1, 1, 2, 5}));
  EXPECT_EQ(run<int32_t>(i32, 10, [&](Builder &b) { return b.sort(data(b), 0, true); }),
            (I{1, 3, 5, 2, 4, -4, -2, 0, -3, -1}));
  EXPECT_EQ(run<int32_t>(i32, 4, [&](Builder &b) { return b.topk(data(b), 2); }), (I{4, 3, 5, 2}));
  EXPECT_EQ(run<int32_t>(i32, 3, [&](Builder &b) { return b.topk(b.arange(0, 7), 3, 0, false); }), (I{0, 1, 2}));
}

TEST(Reduce, Histogram) {
  EXPECT_EQ(run<int32_t>(i32, 4,
                         [](Builder &b) {
                           Value x = b.arange(0, 11) % 5;
                           return b.histogram(x, 4, b.arange(0, 11) > 0);
                         }),
            (I{2, 2, 2, 2}));
}

TEST(Reduce, Dot) {
  auto x = [](Builder &b, DType d) { return b.cast(b.reshape(b.arange(0, 15), {3, 5}) - 7, d); };
  auto y = [](Builder &b, DType d) { return b.cast(b.reshape(b.arange(0, 10), {5, 2}) - 4, d); };
  I expected;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      int sum = 0;
      for (int k = 0; k < 5; ++k) {
        sum += (i * 5 + k - 7) * (k * 2 + j - 4);
      }
      expected.push_back(sum);
    }
  }
  F real(expected.begin(), expected.end());
  for (DType d : {f16, bf16, f32, f8e4nv, f8e5}) {
    if (d != f8e5) { // 7 takes three digits
      EXPECT_EQ(run<float>(f32, 6, [&](Builder &b) { return b.dot(x(b, d), y(b, d)); }), real) << d.name();
    }
  }
  EXPECT_EQ(run<int32_t>(i32, 6, [&](Builder &b) { return b.dot(x(b, i8), y(b, i8)); }), expected);
  EXPECT_EQ(run<double>(f64, 6, [&](Builder &b) { return b.dot(x(b, f64), y(b, f64)); }),
            std::vector<double>(expected.begin(), expected.end()));
  F more;
  for (int v : expected) {
    more.push_back(v + 0.5f);
  }
  EXPECT_EQ(
      run<float>(f32, 6, [&](Builder &b) { return b.dot(x(b, f16), y(b, f16), {.acc = b.full({3, 2}, 0.5, f32)}); }),
      more);
  EXPECT_EQ(run<float>(f32, 12,
                       [&](Builder &b) {
                         Value p = b.broadcastTo(b.reshape(x(b, f32), {1, 1, 3, 5}), {2, 1, 3, 5});
                         Value q = b.broadcastTo(b.reshape(y(b, f32), {1, 1, 5, 2}), {2, 1, 5, 2});
                         return b.dot(p, q);
                       }),
            [&] {
              F twice = real;
              twice.insert(twice.end(), real.begin(), real.end());
              return twice;
            }());
  record([&](Builder &b, std::vector<Value> &) {
    EXPECT_EQ(b.dot(x(b, f16), y(b, f16), {.outDType = f16}).dtype(), f16);
    EXPECT_EQ(b.dot(x(b, f8e5), y(b, f8e4nv)).dtype(), f32);
  });
}

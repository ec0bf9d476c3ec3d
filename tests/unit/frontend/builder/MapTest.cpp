// map_elementwise in both sinks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

using namespace pavage;
using namespace pavage::testing;

using Results = std::vector<Value>;

TEST(Map, ControlFlowAndOtherResultTypes) {
  // f(x) = x * x where x > 2, else -1, and whether x is even: the results have types of their own.
  auto kernel = [](Builder &b, std::vector<Value> &args) {
    Value x = b.reshape(b.arange(0, 15), {3, 5});
    Results r = b.map(std::vector<Value>{x}, [&](std::vector<Value> a) {
      EXPECT_EQ(a.size(), 1u);
      EXPECT_EQ(a[0].rank(), 0u);
      Variable v = b.declare("v");
      b.if_(a[0] > 2, [&] { b.assign(v, b.cast(a[0] * a[0], i64)); }, [&] { b.assign(v, b.cast(Operand(-1), i64)); });
      return Results{b.read(v), b.cast(a[0] % 2 == 0, f32)};
    });
    EXPECT_EQ(r[0].dtype(), i64);
    EXPECT_EQ(r[1].dtype(), f32);
    EXPECT_EQ(r[0].shape(), (std::vector<int64_t>{3, 5}));
    put(b, args[0], r[0]);
    put(b, args[1], r[1]);
  };
  Outcome o = runBoth(kernel, {zeros<int64_t>(i64, 15), zeros<float>(f32, 15)});
  for (int64_t i = 0; i < 15; ++i) {
    EXPECT_EQ(o.args[0].as<int64_t>()[i], i > 2 ? i * i : -1);
    EXPECT_EQ(o.args[1].as<float>()[i], i % 2 ? 0 : 1);
  }
}

TEST(Map, SeveralTilesAndPack) {
  // Two elements at a time: sum and difference of neighbours; the second tile is broadcast.
  auto kernel = [](Builder &b, std::vector<Value> &args) {
    Value x = b.arange(0, 6);
    Results r = b.map(
        std::vector<Value>{x, b.toTensor(10)},
        [&](std::vector<Value> a) {
          EXPECT_EQ(a.size(), 4u);
          return Results{a[0] + a[1] * a[2], a[1] - a[0] * a[3]};
        },
        2);
    EXPECT_EQ(r.size(), 1u);
    put(b, args[0], r[0]);
  };
  EXPECT_EQ(runBoth(kernel, {zeros<int32_t>(i32, 6)}).args[0].as<int32_t>(),
            (std::vector<int32_t>{10, 1, 32, -17, 54, -35}));
  auto scalar = [](Builder &b, std::vector<Value> &args) {
    Results r = b.map(std::vector<Value>{b.toTensor(4)}, [&](std::vector<Value> a) { return Results{a[0] + 1}; });
    EXPECT_EQ(r[0].rank(), 0u);
    put(b, args[0], r[0]);
  };
  EXPECT_EQ(runBoth(scalar, {zeros<int32_t>(i32, 1)}).args[0].as<int32_t>()[0], 5);
}

TEST(Map, Errors) {
  auto error = [](const std::function<void(Builder &)> &make) {
    return std::string(recordError([&](Builder &b, std::vector<Value> &) { make(b); }).what());
  };
  auto has = [](const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  auto same = [](std::vector<Value> a) { return a; };
  has(error([&](Builder &b) { b.map(std::vector<Value>{b.arange(0, 6)}, same, 4); }),
      "expected a pack that divides the 6 elements of int32[6], got 4");
  has(error([&](Builder &b) { b.map(std::vector<Value>{b.arange(0, 6)}, same, -1); }),
      "expected a pack that divides the 6 elements of int32[6], got -1");
  has(error([&](Builder &b) {
        b.map(std::vector<Value>{b.arange(0, 6)}, [&](std::vector<Value> a) { return Results{a[0]}; }, 2);
      }),
      "expected results of the mapped function in multiples of the pack 2, got 1");
  has(error([&](Builder &b) { b.map(std::vector<Value>{b.arange(0, 6), b.arange(0, 5)}, same); }), "6");
}

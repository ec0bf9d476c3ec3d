// Bounds, steps and trip counts of for. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

using namespace pavage;
using namespace pavage::testing;

namespace {
/// Sum, count and last index of a loop; bounds are arguments unless they are literals.
template <typename T> struct Trips {
  T sum, count, last;
  bool operator==(const Trips &) const = default;
};

template <typename T> DType dtypeFor();
template <> DType dtypeFor<int32_t>() { return i32; }
template <> DType dtypeFor<int64_t>() { return i64; }
template <> DType dtypeFor<uint32_t>() { return u32; }
template <> DType dtypeFor<uint64_t>() { return u64; }
template <> DType dtypeFor<int8_t>() { return i8; }

template <typename T> Trips<T> expected(__int128 lo, __int128 hi, __int128 step) {
  Trips<T> t{0, 0, 77};
  for (__int128 i = lo; step > 0 ? i < hi : i > hi; i += step) {
    t = {static_cast<T>(t.sum + static_cast<T>(i)), static_cast<T>(t.count + 1), static_cast<T>(i)};
  }
  return t;
}

template <typename T> void check(T lo, T hi, T step, bool leaves = false) {
  using Wide = __int128;
  DType d = dtypeFor<T>();
  // Each of the three as an argument or as a literal.
  for (int literals = 0; literals < 8; ++literals) {
    bool narrowLiterals = sizeof(T) == 8 || sizeof(T) == 1;
    if (narrowLiterals && literals == 7) {
      continue; // all literals have their own dtype
    }
    auto kernel = [&](Builder &b, std::vector<Value> &a) {
      auto bound = [&](int i, T value) -> Operand { return literals & (1 << i) ? Operand(value) : Operand(a[1 + i]); };
      Variable sum = b.declare("sum"), count = b.declare("count"), last = b.declare("last");
      Value zero = b.cast(0, d), one = b.cast(1, d);
      b.assign(sum, zero);
      b.assign(count, zero);
      b.assign(last, b.cast(77, d));
      b.for_(bound(0, lo), bound(1, hi), bound(2, step), [&](Value i) {
        Value v = b.cast(i, d);
        b.assign(sum, b.read(sum) + v);
        b.assign(count, b.read(count) + one);
        b.assign(last, v);
        if (leaves) {
          b.if_(b.read(count) == 1000, [&] { b.break_(); });
        }
      });
      b.store(a[0], b.read(sum));
      b.store(a[0] + 1, b.read(count));
      b.store(a[0] + 2, b.read(last));
    };
    auto bits = [](T v) { return static_cast<uint64_t>(static_cast<int64_t>(v)); };
    Outcome o =
        runBoth(kernel, {array<T>(d, {0, 0, 0}), scalar(d, bits(lo)), scalar(d, bits(hi)), scalar(d, bits(step))});
    std::vector<T> got = o.args[0].as<T>();
    EXPECT_EQ((Trips<T>{got[0], got[1], got[2]}), expected<T>(Wide(lo), Wide(hi), Wide(step)))
        << "range(" << +lo << ", " << +hi << ", " << +step << ") with literals " << literals;
  }
}
} // namespace

TEST(Loop, PlainBounds) {
  for (bool leaves : {false, true}) {
    check<int32_t>(0, 0, 1, leaves);
    check<int32_t>(0, 1, 1, leaves);
    check<int32_t>(2, 11, 3, leaves);
    check<int32_t>(-5, 5, 4, leaves);
    check<int32_t>(7, 3, 1, leaves);
  }
}

TEST(Loop, NegativeSteps) {
  for (bool leaves : {false, true}) {
    check<int32_t>(5, 0, -1, leaves);
    check<int32_t>(10, -10, -7, leaves);
    check<int32_t>(0, 5, -1, leaves);
    check<int64_t>(5, -5, -2, leaves);
  }
}

TEST(Loop, EndsOfTheRange) {
  for (bool leaves : {false, true}) {
    check<int32_t>(INT32_MAX - 5, INT32_MAX, 1, leaves);
    check<int32_t>(INT32_MAX - 5, INT32_MAX, 4, leaves);
    check<int32_t>(INT32_MIN + 5, INT32_MIN, -4, leaves);
    check<int32_t>(INT32_MIN, INT32_MAX, INT32_MAX, leaves);
    check<int32_t>(INT32_MAX, INT32_MIN, INT32_MIN, leaves);
    check<int64_t>(INT64_MAX - 7, INT64_MAX, 3, leaves);
    check<int64_t>(INT64_MIN, INT64_MAX, INT64_MAX, leaves);
    check<int64_t>(INT64_MAX, INT64_MIN, INT64_MIN, leaves);
    check<uint32_t>(UINT32_MAX - 9, UINT32_MAX, 4, leaves);
    check<uint32_t>(0, UINT32_MAX, UINT32_MAX / 3, leaves);
    check<uint64_t>(UINT64_MAX - 9, UINT64_MAX, 4, leaves);
    check<uint64_t>(0, UINT64_MAX, UINT64_MAX / 3, leaves);
  }
  check<int8_t>(100, 127, 9);
}

TEST(Loop, StepZeroAtRunTimeMakesNoTrip) {
  auto kernel = [](Builder &b, std::vector<Value> &a) { b.for_(0, 5, a[1], [&](Value i) { b.store(a[0], i + 1); }); };
  Outcome o = runBoth(kernel, {array<int32_t>(i32, {-1}), scalar(i32, 0)});
  EXPECT_EQ(o.args[0].as<int32_t>()[0], -1);
}

TEST(Loop, IndexDtypeIsPromoted) {
  record(
      [](Builder &b, std::vector<Value> &a) {
        auto dtype = [&](const Operand &lo, const Operand &hi, const Operand &step) {
          DType d;
          b.for_(lo, hi, step, [&](Value i) { d = i.dtype(); });
          return d;
        };
        EXPECT_EQ(dtype(0, a[0], {}), i32);
        EXPECT_EQ(dtype(0, a[1], {}), i64);
        EXPECT_EQ(dtype(a[0], a[1], 2), i64);
        EXPECT_EQ(dtype(0, a[2], 1), u32);
        EXPECT_EQ(dtype(0, a[3], 1), i32);
        EXPECT_EQ(dtype(0, int64_t(1) << 40, 1), i64);
        EXPECT_EQ(dtype(a[2], 0, -1), i64);
      },
      {{"a", i32}, {"b", i64}, {"c", u32}, {"d", i8}});
}

TEST(Loop, ShapeOfTheIr) {
  std::vector<Param> params = {{"p", ptr(i32)}, {"n", i32}};
  auto loop = [&](const Operand &step, bool leaves) {
    return record(
        [&](Builder &b, std::vector<Value> &a) {
          b.for_(0, a[1], step, [&](Value i) {
            b.store(a[0], i);
            if (leaves) {
              b.if_(i > 3, [&] { b.break_(); });
            }
          });
        },
        params);
  };
  EXPECT_NE(loop(1, false).find("scf.for %"), std::string::npos);
  EXPECT_NE(loop(1, false).find(": i32 {"), std::string::npos) << loop(1, false);
  EXPECT_NE(loop(32, false).find(": i64 {"), std::string::npos) << loop(32, false);
  EXPECT_NE(loop(-1, false).find("scf.for"), std::string::npos);
  EXPECT_NE(loop(1, true).find("scf.while"), std::string::npos);
  EXPECT_EQ(loop(1, true).find("scf.for"), std::string::npos);
}

TEST(Loop, UnassignedVariablesAreNotCarried) {
  std::string text = record(
      [](Builder &b, std::vector<Value> &a) {
        Variable x = b.declare("x"), y = b.declare("y");
        b.assign(x, a[1] + 1);
        b.assign(y, a[1] + 2);
        b.for_(0, a[1], {}, [&](Value i) {
          b.while_([&] { return b.read(y) < 3; }, [&] { b.store(a[0], b.read(x)); });
          b.assign(y, b.read(y));
          b.store(a[0], b.read(x) + i);
        });
      },
      {{"p", ptr(i32)}, {"n", i32}});
  EXPECT_EQ(text.find("iter_args"), std::string::npos) << text;
}

TEST(Loop, HintsBecomeAttributes) {
  std::string text = record(
      [](Builder &b, std::vector<Value> &a) {
        pv_loop_options o{};
        o.num_stages = 3;
        o.flatten = 1;
        b.forBegin(0, a[0], 1, &o);
        EXPECT_TRUE(b.loopNext());
        EXPECT_FALSE(b.loopNext());
        b.loopEnd();
        b.hint("num_warps", 8);
      },
      {{"n", i32}});
  EXPECT_NE(text.find("tile.num_stages = 3"), std::string::npos) << text;
  EXPECT_NE(text.find("tile.flatten"), std::string::npos) << text;
  EXPECT_NE(text.find("tile.num_warps = 8"), std::string::npos) << text;
}

TEST(Loop, ZeroTripsKeepWhatWasThere) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Variable x = b.declare("x");
    b.assign(x, b.full({3}, 5, i32));
    b.for_(0, a[1], {}, [&](Value i) { b.assign(x, b.full({3}, i, i32)); });
    put(b, a[0], b.read(x));
  };
  for (int n : {0, 1, 4}) {
    Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 3), scalar(i32, n)});
    EXPECT_EQ(o.args[0].as<int32_t>(), std::vector<int32_t>(3, n ? n - 1 : 5));
  }
}

TEST(Loop, CertainTripsAssign) {
  // range(0, 4) runs, so x is assigned behind it.
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Variable x = b.declare("x");
    b.for_(0, 4, {}, [&](Value i) { b.assign(x, i * 2); });
    b.store(a[0], b.read(x));
  };
  EXPECT_EQ(runBoth(kernel, {zeros<int32_t>(i32, 1)}).args[0].as<int32_t>()[0], 6);
}

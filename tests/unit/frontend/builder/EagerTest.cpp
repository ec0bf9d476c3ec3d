// What only the eager sink has: values that can be read. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

using namespace pavage;
using namespace pavage::testing;

namespace {
Outcome eagerly(const Kernel &kernel, std::vector<Arg> args = {}) {
  Outcome o = runEager(kernel, std::move(args));
  EXPECT_EQ(o.text, "");
  return o;
}
} // namespace

TEST(Eager, ValuesAreReadable) {
  eagerly(
      [](Builder &b, std::vector<Value> &a) {
        EXPECT_TRUE(b.isEager());
        Value x = b.arange(0, 4) * a[0];
        EXPECT_EQ(b.read<int32_t>(x), (std::vector<int32_t>{0, 3, 6, 9}));
        EXPECT_EQ(b.read<float>(b.cast(x, f32) / 2), (std::vector<float>{0, 1.5f, 3, 4.5f}));
        EXPECT_EQ(a[0].constantInt(), 3);
        EXPECT_EQ((a[0] * 2).constantInt(), 6);
        EXPECT_EQ(b.cast(a[0], f16).constantFloat(), 3.0);
        EXPECT_EQ(b.bitcast(Value(a[0] - 4), u32).constantInt(), int64_t(UINT32_MAX));
        EXPECT_EQ(b.text(x), "[0, 3, 6, 9]");
        EXPECT_EQ(b.text(b.reshape(b.arange(0, 20), {2, 10})),
                  "[[0, 1, 2, ..., 7, 8, 9], [10, 11, 12, ..., 17, 18, 19]]");
        EXPECT_EQ(b.text(b.arange(0, 4) < 2, 2), "[True, ..., False]");
        EXPECT_EQ(b.text(b.full({2}, 0.1, f32)), "[0.10000000149011612, 0.10000000149011612]");
        EXPECT_EQ(b.text(a[0]), "3");
      },
      {scalar(i32, 3)});
}

TEST(Eager, TextOfARecordedValueIsItsType) {
  record([](Builder &b, std::vector<Value> &) {
    EXPECT_EQ(b.text(b.arange(0, 4)), "int32[4]");
    EXPECT_EQ(b.text(b.full({2}, 5, i32)), "[5, 5]");
    EXPECT_EQ(b.text(Value::literal(2.5)), "2.5");
  });
}

TEST(Eager, DeadCodeTouchesNothing) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Variable seen = b.declare("seen");
    b.assign(seen, 0);
    b.for_(0, 3, {}, [&](Value i) {
      b.if_(i == 1, [&] { b.break_(); });
      b.assign(seen, b.read(seen) + 1);
      b.store(a[0] + i * 1000, 7); // out of bounds from the second trip on
    });
    EXPECT_EQ(b.read(seen).constantInt(), 1);
    b.return_();
    b.store(a[0] + 99, 1);
    b.for_(0, 1000000000, {}, [&](Value) {});
  };
  EXPECT_EQ(eagerly(kernel, {zeros<int32_t>(i32, 2)}).args[0].as<int32_t>(), (std::vector<int32_t>{7, 0}));
}

TEST(Eager, AssertsPrintsAndAssumptions) {
  auto failing = [](Builder &b, std::vector<Value> &) {
    b.setLocation("k.py", 4, 2);
    b.deviceAssert(b.arange(0, 3) < 2, "too large");
  };
  Outcome o = runEager(failing, {});
  EXPECT_EQ(o.error, 501);
  EXPECT_NE(o.text.find("too large"), std::string::npos) << o.text;
  auto fine = [](Builder &b, std::vector<Value> &) {
    b.deviceAssert(b.arange(0, 3) < 2, "too large", b.arange(0, 3) != 2);
    b.assume(b.programId(0) == 0);
    b.devicePrint("x = ", std::vector<Value>{b.arange(0, 3), Value::literal(2)});
    b.debugBarrier();
  };
  EXPECT_NE(runBoth(fine, {}).printed.find("x = "), std::string::npos);
}

TEST(Eager, ProgramsAreSeparate) {
  Value kept;
  auto kernel = [&](Builder &b, std::vector<Value> &a) {
    Value pid = b.programId(0) + b.programId(1) * 3;
    b.store(a[0] + pid, b.numPrograms(0) * 10 + pid);
    if (kept) {
      EXPECT_THROW(kept + 1, Error);
    }
    kept = pid;
  };
  Outcome o = runEager(kernel, {zeros<int32_t>(i32, 6)}, {3, 2});
  EXPECT_EQ(o.args[0].as<int32_t>(), (std::vector<int32_t>{30, 31, 32, 33, 34, 35}));
  EXPECT_EQ(kept.typeText(), "int32"); // queries outlive the run
}

TEST(Eager, ConditionsOfRecordedCodeCannotBeRead) {
  auto kernel = [](Builder &b, std::vector<Value> &) {
    std::vector<Value> xs = {b.arange(0, 4)};
    b.reduce(xs, 0, [&](std::vector<Value> v) {
      EXPECT_FALSE(v[0].constantInt());
      return std::vector<Value>{v[0]};
    });
  };
  eagerly(kernel);
}

TEST(Eager, ManyValuesDoNotPileUp) {
  // Handles that are dropped free what they hold: this loop would need 40 GB otherwise.
  auto kernel = [](Builder &b, std::vector<Value> &) {
    Value x = b.full({1024, 128}, 0, f64);
    for (int i = 0; i < 400; ++i) {
      x = x + 1;
    }
    EXPECT_EQ(b.read<double>(b.reduce(PV_MAX, x))[0], 400);
  };
  eagerly(kernel);
}

// Loads, stores, atomics, block pointers and descriptors, in both sinks. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <cmath>

using namespace pavage;
using namespace pavage::testing;

namespace {
std::vector<Value> list(std::initializer_list<int> values) {
  std::vector<Value> r;
  for (int v : values) {
    r.push_back(Value::literal(v));
  }
  return r;
}
std::vector<float> counted(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) {
    v[i] = static_cast<float>(i);
  }
  return v;
}
} // namespace

TEST(Memory, MaskedVectorAddOverAGrid) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value i = b.programId(0) * 7 + b.arange(0, 7), mask = i < a[3];
    b.store(a[0] + i, b.load(a[1] + i, {.mask = mask}) + b.load(a[2] + i, {.mask = mask, .other = 5}), {.mask = mask});
  };
  for (int n : {1, 7, 20}) {
    Outcome o = runBoth(kernel, {zeros<float>(f32, n), array(f32, counted(n)), array(f32, counted(n)), scalar(i32, n)},
                        {(n + 6) / 7});
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(o.args[0].as<float>()[i], 2.0f * i);
    }
  }
}

TEST(Memory, OtherAndScalarMasks) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value i = b.arange(0, 4);
    Value x = b.load(a[1] + i, {.mask = i != 2, .other = -1.5});
    Value y = b.load(a[1] + i, {.mask = a[2] > 0});
    b.store(a[0] + i, x + y * 10);
  };
  auto run = [&](int32_t flag) {
    return runBoth(kernel, {zeros<float>(f32, 4), array(f32, counted(4)), scalar(i32, flag)}).args[0].as<float>();
  };
  EXPECT_EQ(run(0), (std::vector<float>{0, 1, -1.5f, 3}));
  EXPECT_EQ(run(1), (std::vector<float>{0, 11, 18.5f, 33}));
}

TEST(Memory, BoolsAreBytes) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value i = b.arange(0, 4), x = b.load(a[1] + i);
    EXPECT_EQ(x.dtype(), i1);
    b.store(a[0] + i, ~x);
  };
  Outcome o = runBoth(kernel, {zeros<uint8_t>(i1, 4), array<uint8_t>(i1, {0, 1, 1, 0})});
  EXPECT_EQ(o.args[0].as<uint8_t>(), (std::vector<uint8_t>{1, 0, 0, 1}));
}

TEST(Memory, StoresCastAndBroadcast) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    b.store(a[0] + b.arange(0, 3), 2.75);
    b.store(a[0] + (b.expandDims(b.arange(0, 2), {1}) * 3 + b.expandDims(b.arange(0, 3), {0}) + 3),
            b.expandDims(b.arange(0, 3), {0}));
  };
  Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 9)});
  EXPECT_EQ(o.args[0].as<int32_t>(), (std::vector<int32_t>{2, 2, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(Memory, Atomics) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value same = a[0] + b.arange(0, 4) * 0;
    Value old = b.atomic(PV_ATOMIC_ADD, same, b.arange(1, 5));
    b.store(a[1] + b.arange(0, 4), old);
    b.atomic(PV_ATOMIC_MAX, a[0] + 1, 7);
    b.atomic(PV_ATOMIC_MIN, a[0] + 2, -7);
    b.atomic(PV_ATOMIC_OR, a[0] + 3, 12);
    b.atomic(PV_ATOMIC_XOR, a[0] + 4, 5);
    b.atomic(PV_ATOMIC_AND, a[0] + 5, 6);
    Value before = b.atomic(PV_ATOMIC_XCHG, a[0] + 6, 11);
    Value seen = b.atomicCas(a[0] + 7, 1, 9, "acquire", "cta");
    b.store(a[1] + 4, before * 10 + seen);
    b.atomic(PV_ATOMIC_ADD, a[0] + b.arange(0, 4), 100, b.arange(0, 4) == 3, "relaxed", "sys");
  };
  Outcome o = runBoth(kernel, {array<int32_t>(i32, {0, 3, 3, 3, 3, 3, 3, 1}), zeros<int32_t>(i32, 5)});
  EXPECT_EQ(o.args[0].as<int32_t>(), (std::vector<int32_t>{10, 7, -7, 115, 6, 2, 11, 9}));
  EXPECT_EQ(o.args[1].as<int32_t>(), (std::vector<int32_t>{0, 1, 3, 6, 31}));
}

TEST(Memory, BlockPointers) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    const int64_t block[] = {2, 4}, order[] = {1, 0};
    Value p = b.makeBlockPtr(a[1], list({3, 5}), list({5, 1}), list({0, 0}), block, order);
    p = b.advance(p, list({2, 3}));
    put(b, a[0], b.load(p, {.boundaryCheck = {0, 1}}));
    put(b, a[0] + 8, b.load(p, {.boundaryCheck = {0, 1}, .padding = "nan"}));
    Value q = b.makeBlockPtr(a[2], list({3, 5}), list({5, 1}), list({-1, 2}), block);
    b.store(q, b.reshape(b.arange(1, 9), {2, 4}), {.boundaryCheck = {-1, 0}});
    EXPECT_EQ(p.dtype(), f32);
    EXPECT_EQ(p.shape(), (std::vector<int64_t>{2, 4}));
    EXPECT_EQ(b.part(p, PV_PART_SHAPE, 1).constantInt(), 5);
  };
  Outcome o = runBoth(
      kernel, {zeros<float>(f32, 16), array(f32, counted(15), {3, 5}), array(f32, std::vector<float>(15), {3, 5})});
  std::vector<float> got = o.args[0].as<float>();
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 8), (std::vector<float>{13, 14, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(got[8], 13);
  EXPECT_TRUE(std::isnan(got[10]) && std::isnan(got[12]));
  std::vector<float> stored = o.args[2].as<float>();
  EXPECT_EQ(std::vector<float>(stored.begin(), stored.begin() + 5), (std::vector<float>{0, 0, 5, 6, 7}));
  EXPECT_EQ(stored[7], 0);
}

TEST(Memory, Descriptors) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    const int64_t block[] = {2, 3}, row[] = {1, 2};
    Value d = b.makeDescriptor(a[1], list({3, 5}), list({5, 1}), block);
    put(b, a[0], b.descriptorLoad(d, list({1, 4})));
    b.descriptorStore(d, list({2, 4}), b.full({2, 3}, 99, f32));
    b.descriptorAtomic(PV_ATOMIC_ADD, d, list({0, 0}), b.full({2, 3}, 0.5, f32));
    Value r = b.makeDescriptor(a[1], list({3, 5}), list({5, 1}), row);
    Value rows = b.arange(0, 4) - 1;
    put(b, a[0] + 6, b.descriptorGather(r, rows, 1));
    b.descriptorScatter(r, b.full({4, 2}, -1, f32), rows, 2);
  };
  Outcome o = runBoth(kernel, {zeros<float>(f32, 14), array(f32, counted(15), {3, 5})});
  EXPECT_EQ(o.args[0].as<float>(), (std::vector<float>{9, 0, 0, 14, 0, 0, 0, 0, 1.5f, 2.5f, 6.5f, 7.5f, 11, 12}));
  EXPECT_EQ(o.args[1].as<float>(),
            (std::vector<float>{0.5f, 1.5f, -1, -1, 4, 5.5f, 6.5f, -1, -1, 9, 10, 11, -1, -1, 99}));
}

TEST(Memory, OutOfBoundsIsFound) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    b.setLocation("k.py", 9, 4);
    b.store(a[0] + b.arange(0, 4), 1);
  };
  Outcome recorded = runRecorded(kernel, {zeros<int32_t>(i32, 3)}), eager = runEager(kernel, {zeros<int32_t>(i32, 3)});
  EXPECT_EQ(eager.error, 500);
  for (const Outcome &o : {recorded, eager}) {
    EXPECT_NE(o.text.find("writes outside every argument"), std::string::npos) << o.text;
    EXPECT_NE(o.text.find("lane 3"), std::string::npos) << o.text;
  }
}

TEST(Memory, PointersCompareAndCast) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value p = a[0] + 1;
    b.store(a[0], b.cast(p == a[0] + 1, i32) + b.cast(p > a[0], i32) * 10 +
                      b.cast(b.cast(p, i64) - b.cast(a[0], i64), i32) * 100);
    b.store(b.cast(b.cast(a[0], u64) + 4, ptr(i32)), 8);
  };
  Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 2)});
  EXPECT_EQ(o.args[0].as<int32_t>(), (std::vector<int32_t>{411, 8}));
}

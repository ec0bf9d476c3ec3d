// Philox against its published vectors, and the numbers made from it. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <cmath>

using namespace pavage;
using namespace pavage::testing;

namespace {
using U = std::vector<uint32_t>;

U philox(uint32_t c, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    std::vector<Value> r = b.philoxImpl({a[1], a[2], a[3], a[4]}, {a[5], a[6]}, 10);
    for (int i = 0; i < 4; ++i) {
      b.store(a[0] + i, r[i]);
    }
  };
  auto s = [](uint32_t v) { return scalar(u32, v); };
  return runBoth(kernel, {zeros<uint32_t>(u32, 4), s(c), s(c1), s(c2), s(c3), s(k0), s(k1)}).args[0].as<uint32_t>();
}

/// Philox 4x32-10 in plain C++.
U reference(uint64_t seed, uint64_t offset) {
  uint32_t c[4] = {uint32_t(offset), uint32_t(offset >> 32), 0, 0}, k[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * c[0], b = uint64_t(0xCD9E8D57) * c[2];
    uint32_t next[4] = {uint32_t(b >> 32) ^ c[1] ^ k[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ k[1], uint32_t(a)};
    std::copy(next, next + 4, c);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return {c[0], c[1], c[2], c[3]};
}
} // namespace

TEST(Random, PublishedVectors) {
  // From the Random123 distribution (kat_vectors, philox4x32 10).
  EXPECT_EQ(philox(0, 0, 0, 0, 0, 0), (U{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0u, ~0u, ~0u, ~0u, ~0u, ~0u), (U{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0),
            (U{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, SeedAndOffset) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value i = b.arange(0, 5);
    std::vector<Value> r = b.random4(PV_RANDINT, a[1], i);
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(r[k].dtype(), u32);
      b.store(a[0] + (i * 4 + k), r[k]);
    }
    b.store(a[0] + (i + 20), b.random(PV_RANDINT, a[1], b.cast(i, i64) + (int64_t(7) << 33)));
  };
  for (uint64_t seed : {uint64_t(0), uint64_t(42), uint64_t(0x123456789ABCDEF0)}) {
    U got = runBoth(kernel, {zeros<uint32_t>(u32, 25), scalar(i64, seed)}).args[0].as<uint32_t>();
    for (uint64_t i = 0; i < 5; ++i) {
      EXPECT_EQ(U(got.begin() + i * 4, got.begin() + i * 4 + 4), reference(seed, i));
      EXPECT_EQ(got[20 + i], reference(seed, (uint64_t(7) << 33) + i)[0]);
    }
  }
}

TEST(Random, UniformAndNormal) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value i = b.arange(0, 1000);
    b.store(a[0] + i, b.random(PV_RAND, 7, i));
    b.store(a[1] + i, b.random(PV_RANDN, 7, i));
    std::vector<Value> four = b.random4(PV_RANDN, 7, i);
    b.store(a[2] + i, four[0]);
  };
  Outcome o = runBoth(kernel, {zeros<float>(f32, 1000), zeros<float>(f32, 1000), zeros<float>(f32, 1000)});
  std::vector<float> u = o.args[0].as<float>(), n = o.args[1].as<float>();
  EXPECT_EQ(o.args[1].bytes, o.args[2].bytes);
  double mean = 0, squares = 0, uniform = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(u[i] >= 0 && u[i] < 1);
    int32_t x = static_cast<int32_t>(reference(7, i)[0]);
    EXPECT_EQ(u[i], static_cast<float>(x < 0 ? -x - 1 : x) * 4.6566127342e-10f);
    uniform += u[i] / 1000.0;
    mean += n[i] / 1000.0;
    squares += n[i] * n[i] / 1000.0;
  }
  EXPECT_NEAR(uniform, 0.5, 0.05);
  EXPECT_NEAR(mean, 0, 0.15);
  EXPECT_NEAR(squares, 1, 0.2);
}

TEST(Random, WideCounters) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Value zero = b.cast(0, u64);
    std::vector<Value> r = b.philox(0, {zero, zero, zero, zero});
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(r[i].dtype(), u64);
      b.store(a[0] + i, r[i]);
    }
  };
  // From the Random123 distribution (philox4x64 10).
  EXPECT_EQ(runBoth(kernel, {zeros<uint64_t>(u64, 4)}).args[0].as<uint64_t>(),
            (std::vector<uint64_t>{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
}

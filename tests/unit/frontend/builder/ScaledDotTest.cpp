// dot_scaled: formats, scales, packing and checks, in both sinks. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <cmath>

using namespace pavage;
using namespace pavage::testing;

namespace {

constexpr int64_t M = 3, N = 5, K = 64;

/// The value of four bits: sign, two of exponent, one of mantissa.
float fp4(unsigned bits) {
  static const float magnitude[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return (bits & 8 ? -1 : 1) * magnitude[bits & 7];
}

std::vector<uint8_t> bytes(size_t count, unsigned seed) {
  std::vector<uint8_t> r(count);
  for (uint8_t &b : r) {
    seed = seed * 1664525 + 1013904223;
    b = seed >> 24;
  }
  return r;
}

Value loadTile(Builder &b, const Value &p, std::initializer_list<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape) {
    n *= extent;
  }
  return b.reshape(b.load(p + b.arange(0, n)), shape);
}

using Scale = std::vector<uint8_t>;
std::vector<float> multiply(const std::vector<float> &x, const std::vector<float> &y) {
  std::vector<float> r(M * N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      for (int64_t k = 0; k < K; ++k) {
        r[i * N + j] += x[i * K + k] * y[k * N + j];
      }
    }
  }
  return r;
}

} // namespace

// Small powers of two as scales keep every sum exact in float32.
TEST(ScaledDot, Fp4OnBothSidesPackedEitherWay) {
  Scale sx = {127, 128, 126, 129, 127, 126}, sy = {127, 126, 129, 127, 128, 127, 126, 127, 127, 128};
  for (bool outer : {false, true}) {
    // Packed along M, the left side needs an even M: one more row, which is left out of the result.
    int64_t rows = outer ? M + 1 : M, columns = outer ? N + 1 : N;
    std::vector<uint8_t> x = bytes(rows * K / 2, 1), y = bytes(columns * K / 2, 2);
    Scale wideX = sx, wideY = sy;
    wideX.resize(rows * K / 32, 127);
    wideY.resize(columns * K / 32, 127);
    std::vector<float> a(M * K), c(K * N);
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t i = 0; i < M; ++i) {
        uint8_t packed = outer ? x[i / 2 * K + k] : x[i * K / 2 + k / 2];
        bool high = (outer ? i : k) % 2 != 0;
        a[i * K + k] = std::ldexp(fp4(high ? packed >> 4 : packed & 15), sx[i * 2 + k / 32] - 127);
      }
      for (int64_t j = 0; j < N; ++j) {
        uint8_t packed = outer ? y[k * columns / 2 + j / 2] : y[k / 2 * N + j];
        bool high = (outer ? j : k) % 2 != 0;
        c[k * N + j] = std::ldexp(fp4(high ? packed >> 4 : packed & 15), sy[j * 2 + k / 32] - 127);
      }
    }
    auto kernel = [&](Builder &b, std::vector<Value> &args) {
      auto shape = [&](int64_t i, int64_t j) { return std::vector<int64_t>{i, j}; };
      auto load = [&](const Value &p, std::vector<int64_t> s) {
        return b.reshape(b.load(p + b.arange(0, s[0] * s[1])), s);
      };
      Value left = load(args[0], outer ? shape(rows / 2, K) : shape(M, K / 2));
      Value right = load(args[2], outer ? shape(K, columns / 2) : shape(K / 2, N));
      Value r = b.dotScaled({left, load(args[1], shape(rows, 2)), "e2m1", outer},
                            {right, load(args[3], shape(columns, 2)), "e2m1", outer});
      EXPECT_EQ(r.shape(), shape(rows, columns));
      EXPECT_EQ(r.dtype(), f32);
      put(b, args[4], r);
    };
    std::vector<float> got = runBoth(kernel, {array(u8, x), array(u8, wideX), array(u8, y), array(u8, wideY),
                                              zeros<float>(f32, rows * columns)})
                                 .args[4]
                                 .as<float>();
    std::vector<float> want = multiply(a, c);
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t j = 0; j < N; ++j) {
        EXPECT_EQ(got[i * columns + j], want[i * N + j]) << outer << " " << i << " " << j;
      }
    }
  }
}

TEST(ScaledDot, FloatsByBitsOrByTypeGroupsOf16AndAccumulator) {
  // Left: e5m2 as bytes, 1.0 everywhere, scales 2^(row). Right: bf16 as values, without scales.
  Scale sx = {127, 127, 127, 127, 128, 128, 128, 128, 129, 129, 129, 129}; // [3, 64 / 16]
  auto kernel = [&](Builder &b, std::vector<Value> &args) {
    Value x = b.full({M, K}, 0x3C, u8), y = b.full({K, N}, 3, bf16);
    Value scale = loadTile(b, args[0], {M, K / 16});
    Value acc = b.full({M, N}, 1000, f32);
    put(b, args[1], b.dotScaled({x, scale, "e5m2"}, {y, {}, "bf16"}, acc));
    // e4m3 scales, and an fp16 side: the other side becomes fp16.
    Value e4m3 = b.cast(b.full({N, K / 32}, 1.5, f32), f8e4nv);
    put(b, args[2],
        b.dotScaled({b.full({M, K}, 2, f16), {}, "fp16"}, {b.cast(b.full({K, N}, 0.5, f32), f8e4nv), e4m3, "e4m3"}));
  };
  Outcome o = runBoth(kernel, {array(u8, sx), zeros<float>(f32, M * N), zeros<float>(f32, M * N)});
  for (int64_t i = 0; i < M * N; ++i) {
    EXPECT_EQ(o.args[1].as<float>()[i], 1000 + 192.0f * static_cast<float>(1 << (i / N)));
    EXPECT_EQ(o.args[2].as<float>()[i], 64 * 2 * 0.75f);
  }
}

TEST(ScaledDot, EndsOfTheScale) {
  // 0 is 2^-127, not 0; 255 is NaN.
  auto kernel = [&](Builder &b, std::vector<Value> &args) {
    Value x = b.full({1, 32}, 0x38, u8), y = b.full({32, 1}, 0x38, u8); // 1.0 as e4m3
    Value least = b.full({1, 1}, 0, u8), most = b.full({1, 1}, 254, u8), nan = b.full({1, 1}, 255, u8);
    put(b, args[0], b.dotScaled({x, least, "e4m3"}, {y, most, "e4m3"}));
    put(b, args[1], b.dotScaled({x, nan, "e4m3"}, {y, {}, "e4m3"}));
  };
  Outcome o = runBoth(kernel, {zeros<float>(f32, 1), zeros<float>(f32, 1)});
  EXPECT_EQ(o.args[0].as<float>()[0], 32.0f);
  EXPECT_TRUE(std::isnan(o.args[1].as<float>()[0]));
}

TEST(ScaledDot, Errors) {
  auto error = [](const std::function<void(Builder &)> &make) {
    return std::string(recordError([&](Builder &b, std::vector<Value> &) { make(b); }).what());
  };
  auto tile = [](Builder &b, std::initializer_list<int64_t> shape, DType d) { return b.full(shape, 0, d); };
  auto has = [](const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error([&](Builder &b) { b.dotScaled({tile(b, {3, 64}, u8), {}, "e3m2"}, {tile(b, {64, 5}, u8), {}, "e4m3"}); }),
      "expected 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16' for the format of the left side of dot_scaled, got 'e3m2'");
  has(error([&](Builder &b) { b.dotScaled({tile(b, {3, 64}, u8), {}, "e4m3"}, {tile(b, {64, 5}, f32), {}, "bf16"}); }),
      "expected bfloat16 or uint16 elements for the format bf16 of the right side of dot_scaled, got float32[64, 5]");
  has(error([&](Builder &b) { b.dotScaled({tile(b, {3, 32}, u8), {}, "e2m1"}, {tile(b, {32, 5}, u8), {}, "e4m3"}); }),
      "got uint8[3, 32] and uint8[32, 5], which are [3, 64] and [32, 5] unpacked");
  has(error([&](Builder &b) {
        b.dotScaled({tile(b, {3, 64}, u8), tile(b, {3, 3}, u8), "e4m3"}, {tile(b, {64, 5}, u8), {}, "e4m3"});
      }),
      "expected the extents [3] and then 64 / 32 or / 16 for the scales of the left side of dot_scaled, got "
      "uint8[3, 3]");
  has(error([&](Builder &b) {
        b.dotScaled({tile(b, {3, 64}, u8), tile(b, {3, 2}, f16), "e4m3"}, {tile(b, {64, 5}, u8), {}, "e4m3"});
      }),
      "expected uint8 (e8m0) or float8e4nv for the scales of the left side of dot_scaled, got float16[3, 2]");
  has(error([&](Builder &b) {
        b.dotScaled({tile(b, {3, 64}, u8), tile(b, {3, 2}, u8), "e4m3"},
                    {tile(b, {64, 5}, u8), tile(b, {5, 4}, u8), "e4m3"});
      }),
      "expected groups of one size on both sides of dot_scaled, got 32 and 16 elements to a scale");
  has(error([&](Builder &b) {
        b.dotScaled({tile(b, {3, 64}, u8), {}, "e4m3", true}, {tile(b, {64, 5}, u8), {}, "e4m3"});
      }),
      "expected elements packed along K for the format e4m3 of the left side of dot_scaled, got k_pack False");
  has(error([&](Builder &b) {
        b.dotScaled({tile(b, {3, 64}, u8), {}, "e4m3"}, {tile(b, {64, 5}, u8), {}, "e4m3"}, {}, false, f16);
      }),
      "expected float32 as result of dot_scaled, got float16");
}

// cvt: saturation, rounding, narrow formats. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Sim/SimTest.h"

#include <cmath>

namespace pavage::sim {
namespace {

using U = Values<u32>;
using I = Values<i32>;
using L = Values<u64>;
using H = Values<u16>;
const float inf = INFINITY;

U pattern(const std::vector<float> &x) {
  U b;
  for (float v : x) {
    b.push_back(floatBits(v));
  }
  return b;
}

TEST(SimConvert, FloatToIntegerSaturates) {
  EXPECT_EQ((lanes<i32>("cvt.rzi.s32.f32 %d, %a;", pattern({1.9f, -1.9f, 3e9f, -3e9f, NAN, inf}))),
            (I{1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX}));
  EXPECT_EQ((lanes<u32>("cvt.rzi.u32.f32 %d, %a;", pattern({1.9f, -1.9f, 5e9f, NAN}))), (U{1, 0, ~0u, 0}));
  EXPECT_EQ((lanes<u64>("cvt.rzi.s64.f32 %d, %a;", pattern({-2.5f, 1e30f, NAN}))),
            (L{u64(-2), u64(INT64_MAX), u64(1) << 63}));
  EXPECT_EQ((lanes<u64>("cvt.rzi.u64.f32 %d, %a;", pattern({2.5f, 1e30f, -1}))), (L{2, ~u64(0), 0}));
  EXPECT_EQ((lanes<i32>("cvt.rni.s32.f32 %d, %a;", pattern({0.5f, 1.5f, 2.5f, -0.5f}))), (I{0, 2, 2, 0}));
  EXPECT_EQ((lanes<i32>("cvt.rmi.s32.f32 %d, %a;", pattern({-0.5f, 1.5f}))), (I{-1, 1}));
  EXPECT_EQ((lanes<i32>("cvt.rpi.s32.f32 %d, %a;", pattern({-0.5f, 1.5f}))), (I{0, 2}));
  EXPECT_EQ((lanes<i32>("cvt.rzi.s8.f32 %d, %a;", pattern({200, -200, 5.5f}))), (I{127, -128, 5}));
  EXPECT_EQ((lanes<u16>("cvt.rzi.u8.f32 %d, %a;", pattern({300, -4}))), (H{255, 0}));
}

TEST(SimConvert, IntegerToFloatRounds) {
  EXPECT_EQ((lanes<u32>("cvt.rn.f32.s32 %d, %a;", I{16777217, -16777217, INT32_MIN})),
            pattern({16777216.0f, -16777216.0f, -2147483648.0f}));
  EXPECT_EQ((lanes<u32>("cvt.rp.f32.u32 %d, %a;", U{16777217})), pattern({16777218.0f}));
  EXPECT_EQ((lanes<u32>("cvt.rn.f32.u64 %d, %a;", L{~u64(0)})), pattern({18446744073709551616.0f}));
  EXPECT_EQ((lanes<u64>("cvt.rn.f64.u32 %d, %a;", U{~0u})), (L{doubleBits(4294967295.0)}));
  EXPECT_EQ((lanes<u16>("cvt.rn.f16.s32 %d, %a;", I{2049, 100000, -3})), (H{0x6800, 0x7c00, 0xc200}));
  EXPECT_EQ((lanes<u16>("cvt.rn.f16.u64 %d, %a;", L{2051, ~u64(0)})), (H{0x6802, 0x7c00}));
}

TEST(SimConvert, Integers) {
  EXPECT_EQ((lanes<u64>("cvt.s64.s32 %d, %a;", I{-5})), (L{u64(-5)}));
  EXPECT_EQ((lanes<u64>("cvt.u64.u32 %d, %a;", I{-5})), (L{0xfffffffb}));
  EXPECT_EQ((lanes<u32>("cvt.u32.u64 %d, %a;", L{0x1234567890})), (U{0x34567890}));
  EXPECT_EQ((lanes<u32>("cvt.s32.s16 %d, %a;", H{0xfffe})), (U{0xfffffffe}));
  EXPECT_EQ((lanes<u32>("cvt.u32.u8 %d, %a;", H{0xfffe})), (U{0xfe}));
  EXPECT_EQ((lanes<u32>("cvt.s32.s8 %d, %a;", U{0x1fe})), (U{0xfffffffe}));
  EXPECT_EQ((lanes<u16>("cvt.u16.u32 %d, %a;", U{0x12345678})), (H{0x5678}));
  EXPECT_EQ((lanes<u32>("cvt.u8.u32 %d, %a;", U{0x12345678})), (U{0x78}));
  EXPECT_EQ((lanes<u32>("cvt.u16.s8 %d, %a;", U{0x80})), (U{0xff80}))
      << "extended by the source, then cut to the result's type";
  EXPECT_EQ((lanes<i32>("cvt.sat.s8.s32 %d, %a;", I{300, -300, 7})), (I{127, -128, 7}));
  EXPECT_EQ((lanes<u32>("cvt.sat.u16.s32 %d, %a;", I{70000, -5})), (U{65535, 0}));
  EXPECT_EQ((lanes<u32>("cvt.pack.sat.s16.s32 %d, %a, %b;", I{70000, -70000}, I{5, -5})), (U{0x7fff0005, 0x8000fffb}));
  EXPECT_EQ((lanes<u32>("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", I{300}, I{-5}, U{0x12345678})), (U{0x5678ff00}));
}

TEST(SimConvert, HalfAndBrain) {
  EXPECT_EQ((lanes<u16>("cvt.rn.f16.f32 %d, %a;", pattern({1, 65520, 65519, 0x1p-25f, 0x1.8p-25f, -0.0f}))),
            (H{0x3c00, 0x7c00, 0x7bff, 0, 1, 0x8000}));
  EXPECT_EQ((lanes<u16>("cvt.rz.f16.f32 %d, %a;", pattern({65535, 1.9999f}))), (H{0x7bff, 0x3fff}));
  EXPECT_EQ((lanes<u32>("cvt.f32.f16 %d, %a;", H{0x3c00, 0x0001, 0xfc00})), pattern({1, 0x1p-24f, -inf}));
  EXPECT_EQ((lanes<u16>("cvt.rn.bf16.f32 %d, %a;", U{0x3f808000, 0x3f818000, 0x7f7fffff})),
            (H{0x3f80, 0x3f82, 0x7f80}));
  EXPECT_EQ((lanes<u16>("cvt.rz.bf16.f32 %d, %a;", U{0x3f80ffff})), (H{0x3f80}));
  EXPECT_EQ((lanes<u32>("cvt.rn.f16x2.f32 %d, %a, %b;", pattern({1}), pattern({2}))), (U{0x3c004000}))
      << "the first source is the high half";
  EXPECT_EQ((lanes<u32>("cvt.rn.relu.bf16x2.f32 %d, %a, %b;", pattern({-1}), pattern({2}))), (U{0x00004000}));
  EXPECT_EQ((lanes<u32>("cvt.rna.tf32.f32 %d, %a;", U{0x3f801000, 0x3f800fff, 0xbf801000})),
            (U{0x3f802000, 0x3f800000, 0xbf802000}));
  EXPECT_EQ((lanes<u16>("cvt.rni.f16.f16 %d, %a;", H{0x3e00, 0x4100})), (H{0x4000, 0x4000}));
  EXPECT_EQ((lanes<u16>("cvt.rn.f16.f64 %d, %a;", L{doubleBits(1 + 0x1p-11 + 0x1p-50)})), (H{0x3c01}))
      << "rounded once";
}

TEST(SimConvert, Fp8) {
  // e4m3: 448 is the largest, NaN 0x7f, smallest 2^-9. e5m2: 57344, NaN 0x7f, smallest 2^-16.
  auto e4m3 = [](float x) { return lanes<u16>("cvt.rn.satfinite.e4m3x2.f32 %d, 0f00000000, %a;", pattern({x}))[0]; };
  auto e5m2 = [](float x) { return lanes<u16>("cvt.rn.satfinite.e5m2x2.f32 %d, 0f00000000, %a;", pattern({x}))[0]; };
  EXPECT_EQ(e4m3(1), 0x38);
  EXPECT_EQ(e4m3(448), 0x7e);
  EXPECT_EQ(e4m3(1e9f), 0x7e);
  EXPECT_EQ(e4m3(-inf), 0xfe);
  EXPECT_EQ(e4m3(NAN), 0x7f);
  EXPECT_EQ(e4m3(0x1p-9f), 0x01);
  EXPECT_EQ(e4m3(0x1p-10f), 0x00) << "tie to even";
  EXPECT_EQ(e4m3(0x1.8p-10f), 0x01);
  EXPECT_EQ(e4m3(1.0625f), 0x38) << "tie to even";
  EXPECT_EQ(e4m3(1.1875f), 0x3a) << "tie to even";
  EXPECT_EQ(e5m2(1), 0x3c);
  EXPECT_EQ(e5m2(1e9f), 0x7b);
  EXPECT_EQ(e5m2(0x1p-16f), 0x01);
  // Every finite code comes back.
  for (u32 base = 0; base < 256; base += 32) {
    H in;
    for (u32 k = 0; k < 32; ++k) {
      in.push_back(static_cast<u16>(base + k));
    }
    H back = lanes<u16>("cvt.rn.f16x2.e4m3x2 %t0, %a; mov.b32 {%v0, %v1}, %t0; cvt.f32.f16 %t1, %v0; "
                        "cvt.rn.satfinite.e4m3x2.f32 %d, 0f00000000, %t1;",
                        in);
    for (u32 k = 0; k < 32; ++k) {
      if ((in[k] & 0x7f) != 0x7f) {
        EXPECT_EQ(back[k], in[k]);
      }
    }
  }
}

} // namespace
} // namespace pavage::sim

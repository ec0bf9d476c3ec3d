// Integer and bit instructions against the statements of the PTX ISA. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/runtime/Sim/SimTest.h"

namespace pavage::sim {
namespace {

using U = Values<u32>;
using I = Values<i32>;
using L = Values<u64>;
using S = Values<i64>;
using H = Values<u16>;

TEST(SimInteger, AddSubMulWrap) {
  EXPECT_EQ((lanes<u32>("add.u32 %d, %a, %b;", U{~0u, 5, 0x80000000}, U{1, 7, 0x80000000})), (U{0, 12, 0}));
  EXPECT_EQ((lanes<u16>("sub.s16 %d, %a, %b;", H{0, 5}, H{1, 7})), (H{0xffff, 0xfffe}));
  EXPECT_EQ((lanes<u64>("mul.lo.s64 %d, %a, %b;", L{~u64(0), u64(1) << 40}, L{3, u64(1) << 30})), (L{~u64(0) - 2, 0}));
  EXPECT_EQ((lanes<i32>("add.sat.s32 %d, %a, %b;", I{INT32_MAX, INT32_MIN, 1}, I{1, -1, 2})),
            (I{INT32_MAX, INT32_MIN, 3}));
  EXPECT_EQ((lanes<u32>("mul.hi.u32 %d, %a, %b;", U{~0u, 3}, U{~0u, 5})), (U{0xfffffffe, 0}));
  EXPECT_EQ((lanes<i32>("mul.hi.s32 %d, %a, %b;", I{-1, INT32_MIN}, I{3, 2})), (I{-1, -1}));
  EXPECT_EQ((lanes<u64>("mul.hi.u64 %d, %a, %b;", L{~u64(0)}, L{~u64(0)})), (L{~u64(0) - 1}));
  EXPECT_EQ((lanes<i64>("mul.wide.s32 %d, %a, %b;", I{-3, INT32_MIN}, I{5, INT32_MIN})), (S{-15, i64(1) << 62}));
  EXPECT_EQ((lanes<u32>("mul.wide.u16 %d, %a, %b;", H{65535}, H{65535})), (U{65535u * 65535u}));
  EXPECT_EQ((lanes<u16>("mul.lo.u16 %d, %a, %b;", H{65535, 256}, H{65535, 256})), (H{1, 0}));
  EXPECT_EQ((lanes<u64>("mad.wide.u32 %d, %a, %b, %c;", U{~0u}, U{2}, L{10})), (L{u64(0xffffffff) * 2 + 10}));
  EXPECT_EQ((lanes<u32>("mad.lo.s32 %d, %a, %b, %c;", U{7}, U{6}, U{5})), (U{47}));
  EXPECT_EQ((lanes<i32>("mul24.lo.s32 %d, %a, %b;", I{0x00ffffff, 0x01000003}, I{2, 2})), (I{-2, 6}));
  EXPECT_EQ((lanes<u32>("sad.u32 %d, %a, %b, %c;", U{3, 9}, U{9, 3}, U{1, 1})), (U{7, 7}));
}

TEST(SimInteger, DivisionIsTotal) {
  EXPECT_EQ((lanes<i32>("div.s32 %d, %a, %b;", I{7, -7, 7, INT32_MIN, 5}, I{2, 2, -2, -1, 0})),
            (I{3, -3, -3, INT32_MIN, -1}));
  EXPECT_EQ((lanes<i32>("rem.s32 %d, %a, %b;", I{7, -7, 7, INT32_MIN, 5}, I{2, 2, -2, -1, 0})), (I{1, -1, 1, 0, 5}));
  EXPECT_EQ((lanes<u64>("div.u64 %d, %a, %b;", L{100, 1}, L{7, 0})), (L{14, ~u64(0)}));
  EXPECT_EQ((lanes<u16>("rem.u16 %d, %a, %b;", H{100, 9}, H{7, 0})), (H{2, 9}));
}

TEST(SimInteger, ShiftsClamp) {
  EXPECT_EQ((lanes<u32>("shl.b32 %d, %a, %b;", U{1, 1, 1, 3}, U{31, 32, 255, 4294967295u})), (U{0x80000000, 0, 0, 0}));
  EXPECT_EQ((lanes<i32>("shr.s32 %d, %a, %b;", I{-8, -8, 8, INT32_MIN}, U{1, 32, 40, 31})), (I{-4, -1, 0, -1}));
  EXPECT_EQ((lanes<u32>("shr.u32 %d, %a, %b;", U{0x80000000, 0x80000000}, U{31, 32})), (U{1, 0}));
  EXPECT_EQ((lanes<u64>("shl.b64 %d, %a, %b;", L{1, 1}, U{63, 64})), (L{u64(1) << 63, 0}));
  EXPECT_EQ((lanes<u16>("shr.s16 %d, %a, %b;", H{0x8000, 0x8000}, U{3, 16})), (H{0xf000, 0xffff}));
  EXPECT_EQ((lanes<u32>("shf.l.wrap.b32 %d, %a, %b, %c;", U{0x80000001, 5}, U{2, 7}, U{1, 33})), (U{5, 14}));
  EXPECT_EQ((lanes<u32>("shf.r.clamp.b32 %d, %a, %b, %c;", U{0xf0, 5}, U{1, 7}, U{4, 99})), (U{0x1000000f, 7}));
}

TEST(SimInteger, Fields) {
  EXPECT_EQ((lanes<u32>("bfe.u32 %d, %a, %b, %c;", U{0xabcd, 0xabcd, 0xff, 1}, U{4, 8, 0, 40}, U{8, 0, 32, 4})),
            (U{0xbc, 0, 0xff, 0}));
  EXPECT_EQ((lanes<i32>("bfe.s32 %d, %a, %b, %c;", I{0x80, 0x70, int(0x80000000), int(0x80000000), -1},
                        U{4, 4, 28, 40, 0}, U{4, 4, 8, 4, 0})),
            (I{-8, 7, -8, -1, 0}));
  EXPECT_EQ((lanes<u32>("bfi.b32 %d, %a, %b, %c, 8;", U{0xff, 0x1ff}, U{0, ~0u}, U{8, 28})), (U{0xff00, ~0u}));
  EXPECT_EQ((lanes<u64>("bfi.b64 %d, %a, %b, 60, 8;", L{0xff}, L{0})), (L{u64(0xf) << 60}));
  EXPECT_EQ((lanes<u32>("prmt.b32 %d, %a, %b, %c;", U{0x33221100}, U{0x77665544}, U{0x7430})), (U{0x77443300}));
}

TEST(SimInteger, PermuteReplicatesSigns) {
  // Selector nibble with bit 3: the sign of the byte over all eight bits.
  EXPECT_EQ((lanes<u32>("prmt.b32 %d, %a, %b, 0x89ab;", U{0x80017f00}, U{0})), (U{0x000000ff}));
  EXPECT_EQ((lanes<u32>("prmt.b32 %d, %a, %b, 0x3210;", U{0x12345678}, U{0})), (U{0x12345678}));
  EXPECT_EQ((lanes<u32>("prmt.b32.f4e %d, %a, %b, %c;", U{0x33221100, 0x33221100}, U{0x77665544, 0x77665544}, U{1, 3})),
            (U{0x44332211, 0x66554433}));
  EXPECT_EQ((lanes<u32>("prmt.b32.b4e %d, %a, %b, %c;", U{0x33221100, 0x33221100}, U{0x77665544, 0x77665544}, U{0, 1})),
            (U{0x55667700, 0x66770011}));
  EXPECT_EQ((lanes<u32>("prmt.b32.rc8 %d, %a, %b, %c;", U{0x33221100}, U{0}, U{2})), (U{0x22222222}));
  EXPECT_EQ((lanes<u32>("prmt.b32.rc16 %d, %a, %b, %c;", U{0x33221100}, U{0}, U{1})), (U{0x33223322}));
  EXPECT_EQ((lanes<u32>("prmt.b32.ecl %d, %a, %b, %c;", U{0x33221100}, U{0}, U{1})), (U{0x33221111}));
  EXPECT_EQ((lanes<u32>("prmt.b32.ecr %d, %a, %b, %c;", U{0x33221100}, U{0}, U{1})), (U{0x11111100}));
}

TEST(SimInteger, LogicTables) {
  // ta = 0xF0, tb = 0xCC, tc = 0xAA: every table gives its own function of one bit of each.
  for (u32 table : {0x80u, 0xf8u, 0x96u, 0xe8u, 0x00u, 0xffu, 0x1bu, 0x6au}) {
    U out = lanes<u32>("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", U{0xf0}, U{0xcc}, U{0xaa});
    EXPECT_EQ(out[0] & 0xff, table);
  }
}

TEST(SimInteger, Counting) {
  EXPECT_EQ((lanes<u32>("popc.b32 %d, %a;", U{0, ~0u, 0x101})), (U{0, 32, 2}));
  EXPECT_EQ((lanes<u32>("clz.b32 %d, %a;", U{0, 1, ~0u})), (U{32, 31, 0}));
  EXPECT_EQ((lanes<u32>("clz.b64 %d, %a;", L{0, 1})), (U{64, 63}));
  EXPECT_EQ((lanes<u32>("brev.b32 %d, %a;", U{1, 0x80000001})), (U{0x80000000, 0x80000001}));
  EXPECT_EQ((lanes<u32>("bfind.u32 %d, %a;", U{0, 1, 0x00f0})), (U{~0u, 0, 7}));
  EXPECT_EQ((lanes<u32>("bfind.s32 %d, %a;", I{-1, -2, 8})), (U{~0u, 0, 3}));
  EXPECT_EQ((lanes<u32>("bfind.shiftamt.u32 %d, %a;", U{0x00f0, 0})), (U{24, ~0u}));
  EXPECT_EQ((lanes<u32>("fns.b32 %d, %a, %b, %c;", U{0xf0, 0xf0, 0xf0, 0xf0}, U{0, 7, 4, 3}, I{2, -2, 0, 0})),
            (U{5, 6, 4, ~0u}));
}

TEST(SimInteger, DotProducts) {
  EXPECT_EQ((lanes<i32>("dp4a.s32.s32 %d, %a, %b, %c;", U{0xff020304}, U{0x01010101}, I{10})), (I{18}));
  EXPECT_EQ((lanes<i32>("dp4a.u32.s32 %d, %a, %b, %c;", U{0xff000000}, U{0xff000000}, I{0})), (I{-255}));
  EXPECT_EQ((lanes<i32>("dp2a.lo.s32.s32 %d, %a, %b, %c;", U{0xffff0002}, U{0x0000'0503}, I{1})), (I{1 + 2 * 3 - 5}));
  EXPECT_EQ((lanes<i32>("dp2a.hi.s32.s32 %d, %a, %b, %c;", U{0xffff0002}, U{0x0503'0000}, I{1})), (I{1 + 2 * 3 - 5}));
}

TEST(SimInteger, Carries) {
  // 128-bit addition and subtraction of 2^64-1 and 1 in 32-bit pieces.
  const char *add = "{.reg .b32 lo, hi, xl, xh; mov.b64 {xl, xh}, %a; add.cc.u32 lo, xl, 1; addc.u32 hi, xh, 0; "
                    "mov.b64 %d, {lo, hi};}";
  EXPECT_EQ((lanes<u64>(add, L{0xffffffff, ~u64(0), 5})), (L{0x100000000, 0, 6}));
  const char *sub = "{.reg .b32 lo, hi, xl, xh; mov.b64 {xl, xh}, %a; sub.cc.u32 lo, xl, 1; subc.u32 hi, xh, 0; "
                    "mov.b64 %d, {lo, hi};}";
  EXPECT_EQ((lanes<u64>(sub, L{0x100000000, 0, 5})), (L{0xffffffff, ~u64(0), 4}));
  const char *mad = "{.reg .b32 lo, hi, xl, xh; mov.b64 {xl, xh}, %a; mad.lo.cc.u32 lo, xl, 0xffffffff, 2; madc.hi.u32 "
                    "hi, xl, 0xffffffff, 0; mov.b64 %d, {lo, hi};}";
  EXPECT_EQ((lanes<u64>(mad, L{0xffffffff, 7})), (L{u64(0xffffffff) * 0xffffffff + 2, u64(7) * 0xffffffff + 2}));
}

TEST(SimInteger, MinMaxSign) {
  EXPECT_EQ((lanes<i32>("min.s32 %d, %a, %b;", I{-1, 3}, I{1, 2})), (I{-1, 2}));
  EXPECT_EQ((lanes<u32>("max.u32 %d, %a, %b;", U{~0u, 3}, U{1, 5})), (U{~0u, 5}));
  EXPECT_EQ((lanes<i32>("abs.s32 %d, %a;", I{-7, INT32_MIN})), (I{7, INT32_MIN}));
  EXPECT_EQ((lanes<i64>("neg.s64 %d, %a;", S{5, INT64_MIN})), (S{-5, INT64_MIN}));
  EXPECT_EQ((lanes<u32>("max.s16x2 %d, %a, %b;", U{0xffff0001}, U{0x00010000})), (U{0x00010001}));
  EXPECT_EQ((lanes<u32>("cnot.b32 %d, %a;", U{0, 7})), (U{1, 0}));
}

TEST(SimInteger, CompareAndSelect) {
  EXPECT_EQ((lanes<u32>("setp.lt.s32 %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", I{-1, 1}, I{1, -1})), (U{1, 0}));
  EXPECT_EQ((lanes<u32>("setp.lo.u32 %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", I{-1, 1}, I{1, -1})), (U{0, 1}));
  // p = compare and c, q = !compare and c.
  const char *both = "setp.ne.u32 %p2, %c, 0; setp.eq.and.u32 %p0|%p1, %a, %b, %p2; selp.u32 %t0, 1, 0, %p0; selp.u32 "
                     "%t1, 2, 0, %p1; add.u32 %d, %t0, %t1;";
  EXPECT_EQ((lanes<u32>(both, U{1, 1, 2, 2}, U{1, 1, 1, 1}, U{1, 0, 1, 0})), (U{1, 0, 2, 0}));
  EXPECT_EQ((lanes<u32>("set.gt.u32.s32 %d, %a, %b;", I{1, -1}, I{0, 0})), (U{~0u, 0}));
  EXPECT_EQ((lanes<u32>("slct.u32.s32 %d, %a, %b, %c;", U{1, 1, 1}, U{2, 2, 2}, I{0, -1, 5})), (U{1, 2, 1}));
  EXPECT_EQ((lanes<u32>("setp.eq.u32 %p0, %a, 1; setp.eq.u32 %p1, %b, 1; xor.pred %p2, %p0, %p1; not.pred %p3, %p2; "
                        "selp.u32 %d, 1, 0, %p3;",
                        U{1, 1, 0}, U{1, 0, 0})),
            (U{1, 0, 1}));
}

TEST(SimInteger, PacksAndUnpacks) {
  EXPECT_EQ((lanes<u64>("mov.b64 %d, {%b, %c};", U{0}, U{1}, U{2})), (L{u64(2) << 32 | 1}));
  EXPECT_EQ((lanes<u32>("mov.b32 {%v0, %v1}, %a; mov.b32 %d, {%v1, %v0};", U{0x12345678})), (U{0x56781234}));
  EXPECT_EQ((lanes<u64>("mov.b64 {%v0, %v1, %v2, %v3}, %a; mov.b64 %d, {%v3, %v2, %v1, %v0};", L{0x0001000200030004})),
            (L{0x0004000300020001}));
  EXPECT_EQ((lanes<u32>("mov.b64 {_, %d}, %a;", L{u64(9) << 32 | 5})), (U{9}));
}

// A whole warp and a single lane take different paths through the handlers.
TEST(SimInteger, MaskedLanesKeepTheirValue) {
  U a(32), expected(32);
  for (u32 l = 0; l < 32; ++l) {
    a[l] = l;
    expected[l] = l % 3 == 0 ? l + 100 : l;
  }
  EXPECT_EQ((lanes<u32>("rem.u32 %t0, %a, 3; setp.eq.u32 %p0, %t0, 0; mov.u32 %d, %a; @%p0 add.u32 %d, %a, 100;", a)),
            expected);
  EXPECT_EQ((lanes<u32>("rem.u32 %t0, %a, 3; setp.ne.u32 %p0, %t0, 0; mov.u32 %d, %a; @!%p0 add.u32 %d, %a, 100;", a)),
            expected);
}

} // namespace
} // namespace pavage::sim

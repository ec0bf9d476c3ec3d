// Integer arithmetic. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

template <class T> inline T mulHi(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (T(-1) < T(0)) {
      return static_cast<T>((static_cast<__int128>(a) * b) >> 64);
    } else {
      return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> 64);
    }
  } else if constexpr (T(-1) < T(0)) {
    return static_cast<T>((static_cast<i64>(a) * b) >> (sizeof(T) * 8));
  } else {
    return static_cast<T>((static_cast<u64>(a) * b) >> (sizeof(T) * 8));
  }
}

inline i32 saturate32(i64 x) { return static_cast<i32>(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }

inline i32 low24(i32 x) { return static_cast<i32>(static_cast<u32>(x) << 8) >> 8; }

template <class T> inline T absolute(T a) { return static_cast<T>(a < 0 ? T(0) - static_cast<u64>(a) : a); }
template <class T> inline T sad(T a, T b, T c) {
  return static_cast<T>(static_cast<u64>(c) + (a > b ? static_cast<u64>(a) - b : static_cast<u64>(b) - a));
}

template <bool ASigned, bool BSigned> inline u32 dot4(u32 a, u32 b, u32 c) {
  for (u32 k = 0; k < 4; ++k) {
    i32 x = ASigned ? i32(i8(a >> (8 * k))) : i32(u8(a >> (8 * k)));
    i32 y = BSigned ? i32(i8(b >> (8 * k))) : i32(u8(b >> (8 * k)));
    c += static_cast<u32>(x * y);
  }
  return c;
}

template <bool ASigned, bool BSigned, bool High> inline u32 dot2(u32 a, u32 b, u32 c) {
  for (u32 k = 0; k < 2; ++k) {
    i32 x = ASigned ? i32(i16(a >> (16 * k))) : i32(u16(a >> (16 * k)));
    u32 shift = 8 * k + (High ? 16 : 0);
    i32 y = BSigned ? i32(i8(b >> shift)) : i32(u8(b >> shift));
    c += static_cast<u32>(x * y);
  }
  return c;
}

/// Absolute differences of the parts of a word, two or four; summed up onto c when Sum.
template <u32 Parts, bool ASigned, bool BSigned, bool Sum> inline u32 partDifferences(u32 a, u32 b, u32 c) {
  constexpr u32 bits = 32 / Parts, ones = (1u << bits) - 1;
  u32 out = Sum ? c : 0;
  for (u32 k = 0; k < Parts; ++k) {
    u32 part = a >> (bits * k) & ones, other = b >> (bits * k) & ones;
    i32 x = ASigned ? i32(part << (32 - bits)) >> (32 - bits) : i32(part);
    i32 y = BSigned ? i32(other << (32 - bits)) >> (32 - bits) : i32(other);
    u32 d = static_cast<u32>(x > y ? x - y : y - x);
    out = Sum ? out + d : out | (d & ones) << (bits * k);
  }
  return out;
}

/// A predicate as 1 or 0, for selp-like uses.
template <class T, bool Subtract> void carryAdd(Warp &w, const DInst &i, u32 exec) {
  // sub: bit 0 takes the carry in, bit 1 writes it out. Subtraction borrows.
  const T *a = reg<T>(w, i.a), *b = reg<T>(w, i.b);
  T *d = reg<T>(w, i.d);
  alignas(64) T t[32];
  u32 in = i.sub & 1 ? w.carry : 0, out = 0;
  for (u32 l = 0; l < 32; ++l) {
    T c = (in >> l) & 1;
    T r, r2;
    bool o = Subtract ? __builtin_sub_overflow(a[l], b[l], &r) : __builtin_add_overflow(a[l], b[l], &r);
    bool o2 = Subtract ? __builtin_sub_overflow(r, c, &r2) : __builtin_add_overflow(r, c, &r2);
    t[l] = r2;
    out |= static_cast<u32>(o | o2) << l;
  }
  blend<32>(d, t, exec);
  if (i.sub & 2) {
    w.carry = (w.carry & ~exec) | (out & exec);
  }
}

/// mad.{lo,hi}.cc and madc; sub bit 2: high half, bit 3: signed.
template <class T, class S> void carryMad(Warp &w, const DInst &i, u32 exec) {
  const T *a = reg<T>(w, i.a), *b = reg<T>(w, i.b), *c = reg<T>(w, i.c);
  alignas(64) T t[32];
  u32 in = i.sub & 1 ? w.carry : 0, out = 0;
  for (u32 l = 0; l < 32; ++l) {
    T product = i.sub & 4 ? (i.sub & 8 ? static_cast<T>(mulHi<S>(static_cast<S>(a[l]), static_cast<S>(b[l])))
                                       : mulHi<T>(a[l], b[l]))
                          : static_cast<T>(a[l] * b[l]);
    T r, r2;
    bool o = __builtin_add_overflow(product, c[l], &r);
    bool o2 = __builtin_add_overflow(r, static_cast<T>((in >> l) & 1), &r2);
    t[l] = r2;
    out |= static_cast<u32>(o | o2) << l;
  }
  blend<32>(reg<T>(w, i.d), t, exec);
  if (i.sub & 2) {
    w.carry = (w.carry & ~exec) | (out & exec);
  }
}

#define EACH_UNSIGNED(T, name)                                                                                         \
  U2("add." name, T, T, T, static_cast<T>(a + b))                                                                      \
  U2("sub." name, T, T, T, static_cast<T>(a - b))                                                                      \
  U2("mul.lo." name, T, T, T, static_cast<T>(u64(a) * b))                                                              \
  U2("mul.hi." name, T, T, T, mulHi<T>(a, b))                                                                          \
  U3("mad.lo." name, T, T, T, T, static_cast<T>(u64(a) * b + c))                                                       \
  U3("mad.hi." name, T, T, T, T, static_cast<T>(mulHi<T>(a, b) + c))                                                   \
  U2("and." name, T, T, T, static_cast<T>(a & b))                                                                      \
  U2("or." name, T, T, T, static_cast<T>(a | b))                                                                       \
  U2("xor." name, T, T, T, static_cast<T>(a ^ b))                                                                      \
  U1("not." name, T, T, static_cast<T>(~a))                                                                            \
  U1("cnot." name, T, T, static_cast<T>(a == 0))                                                                       \
  U1("mov." name, T, T, a)                                                                                             \
  U2("shl." name, T, T, u32, shiftLeft<T>(a, b))                                                                       \
  U2("shr." name, T, T, u32, shiftRight<T>(a, b))                                                                      \
  U2("div." name, T, T, T, divide<T>(a, b))                                                                            \
  U2("rem." name, T, T, T, remainder<T>(a, b))                                                                         \
  U2("min." name, T, T, T, a < b ? a : b)                                                                              \
  U2("max." name, T, T, T, a > b ? a : b)                                                                              \
  U3("sad." name, T, T, T, T, sad<T>(a, b, c))

#define EACH_SIGNED(T, name)                                                                                           \
  U2("mul.hi." name, T, T, T, mulHi<T>(a, b))                                                                          \
  U3("mad.hi." name, T, T, T, T, static_cast<T>(static_cast<u64>(mulHi<T>(a, b)) + static_cast<u64>(c)))               \
  U2("shr." name, T, T, u32, shiftRight<T>(a, b))                                                                      \
  U2("div." name, T, T, T, divide<T>(a, b))                                                                            \
  U2("rem." name, T, T, T, remainder<T>(a, b))                                                                         \
  U2("min." name, T, T, T, a < b ? a : b)                                                                              \
  U2("max." name, T, T, T, a > b ? a : b)                                                                              \
  U2("min.relu." name, T, T, T, (a < b ? a : b) < 0 ? T(0) : (a < b ? a : b))                                          \
  U2("max.relu." name, T, T, T, (a > b ? a : b) < 0 ? T(0) : (a > b ? a : b))                                          \
  U1("abs." name, T, T, absolute<T>(a))                                                                                \
  U1("neg." name, T, T, static_cast<T>(T(0) - static_cast<u64>(a)))                                                    \
  U3("sad." name, T, T, T, T, sad<T>(a, b, c))

// clang-format off: one row per line
const HandlerRow rows[] = {
    EACH_UNSIGNED(u16, "u16")
    EACH_UNSIGNED(u32, "u32")
    EACH_UNSIGNED(u64, "u64")
    EACH_SIGNED(i16, "s16")
    EACH_SIGNED(i32, "s32")
    EACH_SIGNED(i64, "s64")
    U2x2("add.u16x2", u16, u16, u16, static_cast<u16>(a + b))
    U2x2("min.u16x2", u16, u16, u16, a < b ? a : b)
    U2x2("max.u16x2", u16, u16, u16, a > b ? a : b)
    U2x2("min.s16x2", i16, i16, i16, a < b ? a : b)
    U2x2("max.s16x2", i16, i16, i16, a > b ? a : b)
    U2x2("min.relu.s16x2", i16, i16, i16, (a < b ? a : b) < 0 ? i16(0) : (a < b ? a : b))
    U2x2("max.relu.s16x2", i16, i16, i16, (a > b ? a : b) < 0 ? i16(0) : (a > b ? a : b))
    U2("add.sat.s32", i32, i32, i32, saturate32(i64(a) + b))
    U2("sub.sat.s32", i32, i32, i32, saturate32(i64(a) - b))
    U3("mad.hi.sat.s32", i32, i32, i32, i32, saturate32(i64(mulHi<i32>(a, b)) + c))
    U2("mul.wide.u16", u32, u16, u16, u32(a) * b)
    U2("mul.wide.s16", i32, i16, i16, i32(a) * b)
    U2("mul.wide.u32", u64, u32, u32, u64(a) * b)
    U2("mul.wide.s32", i64, i32, i32, i64(a) * b)
    U3("mad.wide.u16", u32, u16, u16, u32, u32(a) * b + c)
    U3("mad.wide.s16", u32, i16, i16, u32, static_cast<u32>(i32(a) * b) + c)
    U3("mad.wide.u32", u64, u32, u32, u64, u64(a) * b + c)
    U3("mad.wide.s32", u64, i32, i32, u64, static_cast<u64>(i64(a) * b) + c)
    U2("mul24.lo.u32", u32, u32, u32, (a & 0xffffff) * (b & 0xffffff))
    U2("mul24.hi.u32", u32, u32, u32, static_cast<u32>((u64(a & 0xffffff) * (b & 0xffffff)) >> 16))
    U2("mul24.lo.s32", i32, i32, i32, static_cast<i32>(i64(low24(a)) * low24(b)))
    U2("mul24.hi.s32", i32, i32, i32, static_cast<i32>((i64(low24(a)) * low24(b)) >> 16))
    U3("mad24.lo.u32", u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c)
    U3("mad24.hi.u32", u32, u32, u32, u32, static_cast<u32>((u64(a & 0xffffff) * (b & 0xffffff)) >> 16) + c)
    U3("mad24.lo.s32", i32, i32, i32, i32, static_cast<i32>(i64(low24(a)) * low24(b) + c))
    U3("mad24.hi.s32", i32, i32, i32, i32, static_cast<i32>(((i64(low24(a)) * low24(b)) >> 16) + c))
    U3("mad24.hi.sat.s32", i32, i32, i32, i32, saturate32(((i64(low24(a)) * low24(b)) >> 16) + c))
    U3("dp4a.u32.u32", u32, u32, u32, u32, (dot4<false, false>(a, b, c)))
    U3("dp4a.u32.s32", u32, u32, u32, u32, (dot4<false, true>(a, b, c)))
    U3("dp4a.s32.u32", u32, u32, u32, u32, (dot4<true, false>(a, b, c)))
    U3("dp4a.s32.s32", u32, u32, u32, u32, (dot4<true, true>(a, b, c)))
    U3("vabsdiff2.u32.u32", u32, u32, u32, u32, (partDifferences<2, false, false, false>(a, b, c)))
    U3("vabsdiff2.u32.u32.add", u32, u32, u32, u32, (partDifferences<2, false, false, true>(a, b, c)))
    U3("vabsdiff2.u32.s32", u32, u32, u32, u32, (partDifferences<2, false, true, false>(a, b, c)))
    U3("vabsdiff2.u32.s32.add", u32, u32, u32, u32, (partDifferences<2, false, true, true>(a, b, c)))
    U3("vabsdiff2.s32.u32", u32, u32, u32, u32, (partDifferences<2, true, false, false>(a, b, c)))
    U3("vabsdiff2.s32.u32.add", u32, u32, u32, u32, (partDifferences<2, true, false, true>(a, b, c)))
    U3("vabsdiff2.s32.s32", u32, u32, u32, u32, (partDifferences<2, true, true, false>(a, b, c)))
    U3("vabsdiff2.s32.s32.add", u32, u32, u32, u32, (partDifferences<2, true, true, true>(a, b, c)))
    U3("vabsdiff4.u32.u32", u32, u32, u32, u32, (partDifferences<4, false, false, false>(a, b, c)))
    U3("vabsdiff4.u32.u32.add", u32, u32, u32, u32, (partDifferences<4, false, false, true>(a, b, c)))
    U3("vabsdiff4.u32.s32", u32, u32, u32, u32, (partDifferences<4, false, true, false>(a, b, c)))
    U3("vabsdiff4.u32.s32.add", u32, u32, u32, u32, (partDifferences<4, false, true, true>(a, b, c)))
    U3("vabsdiff4.s32.u32", u32, u32, u32, u32, (partDifferences<4, true, false, false>(a, b, c)))
    U3("vabsdiff4.s32.u32.add", u32, u32, u32, u32, (partDifferences<4, true, false, true>(a, b, c)))
    U3("vabsdiff4.s32.s32", u32, u32, u32, u32, (partDifferences<4, true, true, false>(a, b, c)))
    U3("vabsdiff4.s32.s32.add", u32, u32, u32, u32, (partDifferences<4, true, true, true>(a, b, c)))
    U3("dp2a.lo.u32.u32", u32, u32, u32, u32, (dot2<false, false, false>(a, b, c)))
    U3("dp2a.lo.u32.s32", u32, u32, u32, u32, (dot2<false, true, false>(a, b, c)))
    U3("dp2a.lo.s32.u32", u32, u32, u32, u32, (dot2<true, false, false>(a, b, c)))
    U3("dp2a.lo.s32.s32", u32, u32, u32, u32, (dot2<true, true, false>(a, b, c)))
    U3("dp2a.hi.u32.u32", u32, u32, u32, u32, (dot2<false, false, true>(a, b, c)))
    U3("dp2a.hi.u32.s32", u32, u32, u32, u32, (dot2<false, true, true>(a, b, c)))
    U3("dp2a.hi.s32.u32", u32, u32, u32, u32, (dot2<true, false, true>(a, b, c)))
    U3("dp2a.hi.s32.s32", u32, u32, u32, u32, (dot2<true, true, true>(a, b, c)))
    {"addc.u32", &carryAdd<u32, false>},
    {"addc.u64", &carryAdd<u64, false>},
    {"subc.u32", &carryAdd<u32, true>},
    {"subc.u64", &carryAdd<u64, true>},
    {"madc.u32", &carryMad<u32, i32>},
    {"madc.u64", &carryMad<u64, i64>},
};
// clang-format on

} // namespace

Table integerTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

// Integer, bit and move instructions over 32 lanes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// The bits [pos, pos + len) of a; signed types extend the top bit of the field.
template <class T, class S> inline T extract(T a, u32 posIn, u32 lenIn, bool isSigned) {
  constexpr u32 width = sizeof(T) * 8;
  u32 pos = posIn & 255, len = lenIn & 255;
  T shifted = pos >= width ? T(0) : static_cast<T>(a >> pos);
  T keep = len >= width ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << (len & (width - 1))) - 1);
  // The sign of a field that reaches beyond the register is the register's top bit.
  u32 top = pos + len >= width ? width - 1 : pos + len - 1;
  bool negative = isSigned && len != 0 && ((a >> (top & (width - 1))) & 1);
  T value = static_cast<T>(shifted & keep);
  T above = len >= width || pos + len > width ? static_cast<T>(pos >= width ? ~T(0) : ~(static_cast<T>(~T(0)) >> pos))
                                              : static_cast<T>(~keep);
  return static_cast<T>(negative ? value | above : value);
}

template <class T> inline T insert(T a, T b, u32 posIn, u32 lenIn) {
  constexpr u32 width = sizeof(T) * 8;
  u32 pos = posIn & 255, len = lenIn & 255;
  T field = len >= width ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << (len & (width - 1))) - 1);
  T where = pos >= width ? T(0) : static_cast<T>(field << (pos & (width - 1)));
  T value = pos >= width ? T(0) : static_cast<T>(a << (pos & (width - 1)));
  return static_cast<T>((b & ~where) | (value & where));
}

inline u32 funnelLeft(u32 lo, u32 hi, u32 n) { return static_cast<u32>((((u64(hi) << 32) | lo) << n) >> 32); }
inline u32 funnelRight(u32 lo, u32 hi, u32 n) { return static_cast<u32>(((u64(hi) << 32) | lo) >> n); }
inline u32 clamp32(u32 n) { return n > 32 ? 32 : n; }

template <class T> inline u32 findLead(T a, bool isSigned) {
  using Unsigned = std::conditional_t<sizeof(T) == 8, u64, u32>;
  Unsigned u = static_cast<Unsigned>(isSigned && a < 0 ? ~a : a);
  if (u == 0) {
    return ~0u;
  }
  return sizeof(T) == 8 ? 63 - static_cast<u32>(__builtin_clzll(u))
                        : 31 - static_cast<u32>(__builtin_clz(static_cast<u32>(u)));
}

inline u32 reverse32(u32 x) {
  x = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1);
  x = ((x >> 2) & 0x33333333) | ((x & 0x33333333) << 2);
  x = ((x >> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
  return __builtin_bswap32(x);
}
inline u64 reverse64(u64 x) {
  return (u64(reverse32(static_cast<u32>(x))) << 32) | reverse32(static_cast<u32>(x >> 32));
}
inline u32 countLead(u32 x) { return x ? static_cast<u32>(__builtin_clz(x)) : 32; }
inline u32 countLead64(u64 x) { return x ? static_cast<u32>(__builtin_clzll(x)) : 64; }

/// The n-th set bit of mask from base, upwards for n > 0, downwards for n < 0, at base for n = 0; ~0 if there is none.
inline u32 nthSet(u32 mask, u32 base, i32 n) {
  if (base > 31) {
    return ~0u;
  }
  if (n == 0) {
    return (mask >> base) & 1 ? base : ~0u;
  }
  i32 step = n > 0 ? 1 : -1, count = n > 0 ? n : -n;
  for (i32 at = static_cast<i32>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at) & 1 && --count == 0) {
      return static_cast<u32>(at);
    }
  }
  return ~0u;
}

/// a and b as eight bytes; every nibble of the selector picks one, bit 3 replicates its sign.
inline u32 permute(u32 a, u32 b, u32 selector) {
  u64 bytes = (u64(b) << 32) | a;
  u32 out = 0;
  for (u32 k = 0; k < 4; ++k) {
    u32 s = (selector >> (4 * k)) & 15;
    u32 byte = static_cast<u32>(bytes >> (8 * (s & 7))) & 255;
    byte = s & 8 ? (byte & 128 ? 255u : 0u) : byte;
    out |= byte << (8 * k);
  }
  return out;
}

template <u32 Mode> inline u32 permuteMode(u32 a, u32 b, u32 selector) {
  constexpr u32 tables[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return permute(a, b, tables[Mode][selector & 3]);
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

/// Absolute differences of the four bytes of a word; summed up onto c when Sum.
template <bool ASigned, bool BSigned, bool Sum> inline u32 byteDifferences(u32 a, u32 b, u32 c) {
  u32 out = Sum ? c : 0;
  for (u32 k = 0; k < 4; ++k) {
    i32 x = ASigned ? i32(i8(a >> (8 * k))) : i32(u8(a >> (8 * k)));
    i32 y = BSigned ? i32(i8(b >> (8 * k))) : i32(u8(b >> (8 * k)));
    u32 d = static_cast<u32>(x > y ? x - y : y - x);
    out = Sum ? out + d : out | (d & 255) << (8 * k);
  }
  return out;
}

void logic3(Warp &w, const DInst &i, u32 exec) {
  const u32 *a = reg<u32>(w, i.a), *b = reg<u32>(w, i.b), *c = reg<u32>(w, i.c);
  u32 m[8];
  for (u32 k = 0; k < 8; ++k) {
    m[k] = (i.imm >> k) & 1 ? ~0u : 0u;
  }
  alignas(64) u32 t[32];
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    u32 x = a[l], y = b[l], z = c[l];
    u32 lowHalf = (~y & ((~z & m[0]) | (z & m[1]))) | (y & ((~z & m[2]) | (z & m[3])));
    u32 highHalf = (~y & ((~z & m[4]) | (z & m[5]))) | (y & ((~z & m[6]) | (z & m[7])));
    t[l] = (~x & lowHalf) | (x & highHalf);
  }
  blend<32>(reg<u32>(w, i.d), t, exec);
}

/// Logic on predicates; sub: 0 and, 1 or, 2 xor, 3 not, 4 move.
void predicateLogic(Warp &w, const DInst &i, u32 exec) {
  u32 a = mask(w, i.a), b = mask(w, i.b);
  u32 value = i.sub == 0 ? a & b : i.sub == 1 ? a | b : i.sub == 2 ? a ^ b : i.sub == 3 ? ~a : a;
  writeMask(w, i.d, value, exec);
}

template <class T> void select(Warp &w, const DInst &i, u32 exec) {
  const T *a = reg<T>(w, i.a), *b = reg<T>(w, i.b);
  u32 p = mask(w, i.c);
  T *d = reg<T>(w, i.d);
  alignas(64) T t[32];
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    t[l] = (p >> l) & 1 ? a[l] : b[l];
  }
  blend<32>(d, t, exec);
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

/// 2 x n bits to 4 x n bits and back: mov.b64 {lo,hi}, x. imm: number of parts; extra: the parts' offsets.
template <class Part, class Whole, u32 Count> void packParts(Warp &w, const DInst &i, u32 exec) {
  const u32 *parts = static_cast<const u32 *>(i.extra);
  alignas(64) Part t[32 * Count];
  for (u32 k = 0; k < Count; ++k) {
    const Part *p = reg<Part>(w, parts[k]);
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      t[l * Count + k] = p[l];
    }
  }
  blend<32>(reg<Whole>(w, i.d), reinterpret_cast<const Whole *>(t), exec);
}
template <class Part, class Whole, u32 Count> void unpackParts(Warp &w, const DInst &i, u32 exec) {
  const u32 *parts = static_cast<const u32 *>(i.extra);
  alignas(64) Part t[32 * Count];
  std::memcpy(t, reg<Part>(w, i.a), sizeof t);
  for (u32 k = 0; k < Count; ++k) {
    alignas(64) Part p[32];
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      p[l] = t[l * Count + k];
    }
    blend<32>(reg<Part>(w, parts[k]), p, exec);
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

const HandlerRow rows[] = {
    EACH_UNSIGNED(u16, "u16") EACH_UNSIGNED(u32, "u32") EACH_UNSIGNED(u64, "u64") EACH_SIGNED(i16, "s16") EACH_SIGNED(
        i32, "s32") EACH_SIGNED(i64, "s64") U2x2("add.u16x2", u16, u16, u16, static_cast<u16>(a + b))
        U2x2("min.u16x2", u16, u16, u16, a < b ? a : b) U2x2("max.u16x2", u16, u16, u16, a > b ? a : b) U2x2(
            "min.s16x2", i16, i16, i16, a < b ? a : b) U2x2("max.s16x2", i16, i16, i16, a > b ? a : b)
            U2x2("min.relu.s16x2", i16, i16, i16, (a < b ? a : b) < 0 ? i16(0) : (a < b ? a : b)) U2x2(
                "max.relu.s16x2", i16, i16, i16,
                (a > b ? a : b) < 0 ? i16(0)
                                    : (a > b ? a : b)) U2("add.sat.s32", i32, i32, i32, saturate32(i64(a) + b))
                U2("sub.sat.s32", i32, i32, i32, saturate32(i64(a) - b)) U3(
                    "mad.hi.sat.s32", i32,
                    i32, i32, i32,
                    saturate32(i64(mulHi<i32>(a, b)) + c)) U2("mul.wide.u16", u32, u16, u16, u32(a) * b)
                    U2("mul.wide.s16", i32, i16, i16, i32(a) * b) U2("mul.wide.u32", u64, u32, u32, u64(a) * b) U2(
                        "mul.wide.s32",
                        i64, i32, i32,
                        i64(a) * b) U3("mad.wide.u16", u32, u16, u16, u32, u32(a) * b + c)
                        U3("mad.wide.s16", u32, i16, i16, u32, static_cast<u32>(i32(a) * b) + c) U3(
                            "mad.wide.u32",
                            u64, u32, u32,
                            u64,
                            u64(a) * b + c) U3("mad.wide.s32", u64, i32, i32, u64, static_cast<u64>(i64(a) * b) + c)
                            U2("mul24.lo.u32", u32, u32, u32, (a & 0xffffff) * (b & 0xffffff)) U2(
                                "mul24.hi.u32",
                                u32, u32, u32,
                                static_cast<u32>(
                                    (u64(a & 0xffffff) * (b & 0xffffff)) >>
                                    16)) U2("mul24.lo.s32", i32, i32, i32, static_cast<i32>(i64(low24(a)) * low24(b)))
                                U2("mul24.hi.s32", i32, i32, i32, static_cast<i32>((i64(low24(a)) * low24(b)) >> 16))
                                    U3("mad24.lo.u32", u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c) U3(
                                        "mad24.hi.u32",
                                        u32, u32, u32,
                                        u32,
                                        static_cast<u32>((u64(a & 0xffffff) * (b & 0xffffff)) >> 16) +
                                            c) U3("mad24.lo.s32", i32, i32, i32, i32,
                                                  static_cast<i32>(i64(low24(a)) * low24(b) + c))
                                        U3("mad24.hi.s32", i32, i32, i32, i32,
                                           static_cast<i32>(
                                               ((i64(low24(a)) * low24(b)) >> 16) +
                                               c)) U3("mad24.hi.sat.s32", i32, i32, i32, i32,
                                                      saturate32(((i64(low24(a)) * low24(b)) >> 16) + c))
                                            U3("dp4a.u32.u32", u32, u32, u32, u32, (dot4<false, false>(a, b, c))) U3(
                                                "dp4a.u32.s32",
                                                u32, u32, u32,
                                                u32, (dot4<false, true>(a, b, c)))
                                                U3("dp4a.s32.u32", u32, u32, u32, u32, (dot4<true, false>(a, b, c))) U3(
                                                    "dp4a.s32.s32",
                                                    u32, u32, u32,
                                                    u32, (dot4<true, true>(a, b, c)))
                                                    U3("vabsdiff4.u32.u32", u32, u32, u32, u32,
                                                       (byteDifferences<false, false, false>(a, b, c)))
                                                        U3("vabsdiff4.u32.u32.add", u32, u32, u32, u32,
                                                           (byteDifferences<false, false, true>(a, b, c)))
                                                            U3("vabsdiff4.u32.s32", u32, u32, u32, u32,
                                                               (byteDifferences<false, true, false>(
                                                                   a,
                                                                   b, c))) U3("vabsdiff4.u32.s32.add", u32, u32, u32, u32, (byteDifferences<false, true, true>(a, b, c))) U3("vabsdiff4.s32.u32", u32, u32, u32, u32, (byteDifferences<true, false, false>(a, b, c))) U3("vabsdiff4.s32.u32.add",
                                                                                                                                                                                                                                                                         u32, u32, u32, u32, (byteDifferences<true, false, true>(a, b, c))) U3("vabsdiff4.s32.s32",
                                                                                                                                                                                                                                                                                                                                               u32,
                                                                                                                                                                                                                                                                                                                                               u32, u32, u32, (byteDifferences<true, true, false>(a, b, c))) U3("vabsdiff4.s32.s32.add",
                                                                                                                                                                                                                                                                                                                                                                                                                u32,
                                                                                                                                                                                                                                                                                                                                                                                                                u32,
                                                                                                                                                                                                                                                                                                                                                                                                                u32,
                                                                                                                                                                                                                                                                                                                                                                                                                u32,
                                                                                                                                                                                                                                                                                                                                                                                                                (
                                                                                                                                                                                                                                                                                                                                                                                                                    byteDifferences<
                                                                                                                                                                                                                                                                                                                                                                                                                        true, true, true>(a, b, c))) U3("dp2a.lo.u32.u32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                        (dot2<false,
                                                                                                                                                                                                                                                                                                                                                                                                                                                              false,
                                                                                                                                                                                                                                                                                                                                                                                                                                                              false>(a, b, c))) U3("dp2a.lo.u32.s32", u32, u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   (dot2<
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       false, true, false>(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       a,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       b,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       c))) U3("dp2a.lo.s32.u32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               (dot2<true, false, false>(a, b,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         c))) U3("dp2a.lo.s32.s32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 (dot2<
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     true, true, false>(a,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        b, c))) U3("dp2a.hi.u32.u32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   u32, u32, (dot2<false, false, true>(a, b, c))) U3("dp2a.hi.u32.s32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     (dot2<
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         false,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         true,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         true>(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         a,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         b,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         c))) U3("dp2a.hi.s32.u32", u32, u32, u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 (dot2<true, false, true>(a, b, c))) U3("dp2a.hi.s32.s32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        (
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            dot2<
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                true, true, true>(a, b, c))) U3("shf.l.wrap", u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                u32, funnelLeft(a, b, c & 31)) U3("shf.l.clamp",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  funnelLeft(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      a,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      b,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      clamp32(c))) U3("shf.r.wrap",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      u32, u32, funnelRight(a, b, c & 31)) U3("shf.r.clamp",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              u32, u32, u32, u32, funnelRight(a, b, clamp32(c))) U1("popc.b32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    static_cast<
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32>(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        __builtin_popcount(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            a))) U1("popc.b64",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    u64,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    static_cast<u32>(__builtin_popcountll(a))) U1("clz.b32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32, countLead(a)) U1("clz.b64", u32, u64, countLead64(a)) U1("brev.b32", u32, u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                reverse32(a)) U1("brev.b64",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u64,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 u64,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 reverse64(a)) U1("bfind.u32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  u32, u32, findLead<u32>(a, false)) U1("bfind.s32",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        u32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        i32,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        findLead<
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            i32>(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            a,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            true))
                                                                U1("bfind.u64", u32, u64, findLead<u64>(a, false)) U1("bfind.s64", u32, i64, findLead<i64>(a, true)) U1(
                                                                    "bfind.shiftamt.u32",
                                                                    u32, u32,
                                                                    findLead<u32>(a, false) ==
                                                                            ~0u
                                                                        ? ~0u
                                                                        : 31 - findLead<u32>(a, false))
                                                                    U1("bfind.shiftamt.s32", u32, i32, findLead<i32>(a, true) == ~0u ? ~0u : 31 - findLead<i32>(a, true)) U1(
                                                                        "bfind.shiftamt.u64", u32,
                                                                        u64,
                                                                        findLead<u64>(a, false) ==
                                                                                ~0u
                                                                            ? ~0u
                                                                            : 63 - findLead<u64>(a, false))
                                                                        U1("bfind.shiftamt.s64", u32, i64,
                                                                           findLead<i64>(a, true) == ~0u
                                                                               ? ~0u
                                                                               : 63 -
                                                                                     findLead<i64>(
                                                                                         a,
                                                                                         true)) U3("fns.b32", u32, u32, u32, i32, nthSet(a, b, c))
                                                                            U3("bfe.u32", u32, u32, u32, u32, (extract<u32, i32>(a, b, c, false))) U3(
                                                                                "bfe.s32",
                                                                                u32, u32, u32,
                                                                                u32, (extract<u32, i32>(a, b, c, true)))
                                                                                U3("bfe.u64", u64, u64, u32, u32, (extract<u64, i64>(a, b, c, false))) U3(
                                                                                    "bfe.s64",
                                                                                    u64, u64, u32,
                                                                                    u32,
                                                                                    (extract<u64, i64>(a, b, c, true)))
                                                                                    U2("bmsk.clamp", u32, u32, u32,
                                                                                       insert<u32>(
                                                                                           ~0u,
                                                                                           0,
                                                                                           a > 255
                                                                                               ? 255
                                                                                               : a,
                                                                                           b > 255
                                                                                               ? 255
                                                                                               : b))
                                                                                        U2("bmsk.wrap", u32, u32, u32, insert<u32>(~0u, 0, a & 31, b & 31)) U2(
                                                                                            "szext.clamp."
                                                                                            "u32",
                                                                                            u32, u32, u32,
                                                                                            b >= 32
                                                                                                ? a
                                                                                                : a & ((1u
                                                                                                        << (b & 31)) -
                                                                                                       1))
                                                                                            U2("szext.wrap.u32", u32,
                                                                                               u32,
                                                                                               u32,
                                                                                               a & ((1u << (b & 31)) -
                                                                                                    1))
                                                                                                U2(
                                                                                                    "szext."
                                                                                                    "clamp.s32",
                                                                                                    u32, u32, u32,
                                                                                                    b >= 32
                                                                                                        ? a
                                                                                                        : (extract<u32,
                                                                                                                   i32>(
                                                                                                              a,
                                                                                                              0,
                                                                                                              b,
                                                                                                              true)))
                                                                                                    U2(
                                                                                                        "szext."
                                                                                                        "wrap."
                                                                                                        "s32",
                                                                                                        u32, u32, u32,
                                                                                                        (extract<u32,
                                                                                                                 i32>(
                                                                                                            a,
                                                                                                            0,
                                                                                                            b & 31,
                                                                                                            true)))
                                                                                                        U3("prmt", u32,
                                                                                                           u32,
                                                                                                           u32,
                                                                                                           u32,
                                                                                                           permute(
                                                                                                               a, b,
                                                                                                               c)) U3("prm"
                                                                                                                      "t."
                                                                                                                      "f4"
                                                                                                                      "e",
                                                                                                                      u32,
                                                                                                                      u32,
                                                                                                                      u32,
                                                                                                                      u32,
                                                                                                                      permuteMode<0>(a, b, c))
                                                                                                            U3("prmt."
                                                                                                               "b4e",
                                                                                                               u32,
                                                                                                               u32,
                                                                                                               u32,
                                                                                                               u32,
                                                                                                               permuteMode<
                                                                                                                   1>(
                                                                                                                   a,
                                                                                                                   b,
                                                                                                                   c)) U3("prm"
                                                                                                                          "t."
                                                                                                                          "rc"
                                                                                                                          "8",
                                                                                                                          u32,
                                                                                                                          u32,
                                                                                                                          u32,
                                                                                                                          u32,
                                                                                                                          permuteMode<2>(a, b, c))
                                                                                                                U3("prm"
                                                                                                                   "t."
                                                                                                                   "ec"
                                                                                                                   "l",
                                                                                                                   u32,
                                                                                                                   u32,
                                                                                                                   u32,
                                                                                                                   u32,
                                                                                                                   permuteMode<
                                                                                                                       3>(
                                                                                                                       a,
                                                                                                                       b,
                                                                                                                       c))
                                                                                                                    U3("prmt.ecr",
                                                                                                                       u32,
                                                                                                                       u32,
                                                                                                                       u32,
                                                                                                                       u32,
                                                                                                                       permuteMode<
                                                                                                                           4>(
                                                                                                                           a,
                                                                                                                           b,
                                                                                                                           c))
                                                                                                                        U3("prmt.rc16",
                                                                                                                           u32,
                                                                                                                           u32,
                                                                                                                           u32,
                                                                                                                           u32,
                                                                                                                           permuteMode<
                                                                                                                               5>(
                                                                                                                               a,
                                                                                                                               b,
                                                                                                                               c)){
                                                                                                                            "lop3",
                                                                                                                            &logic3},
    {"pred", &predicateLogic},
    {"sel.16", &select<u16>},
    {"sel.32", &select<u32>},
    {"sel.64", &select<u64>},
    {"addc.u32", &carryAdd<u32, false>},
    {"addc.u64", &carryAdd<u64, false>},
    {"subc.u32", &carryAdd<u32, true>},
    {"subc.u64", &carryAdd<u64, true>},
    {"madc.u32", &carryMad<u32, i32>},
    {"madc.u64", &carryMad<u64, i64>},
    {"pack.8.16", &packParts<u8, u16, 2>},
    {"pack.16.32", &packParts<u16, u32, 2>},
    {"pack.16.64", &packParts<u16, u64, 4>},
    {"pack.32.64", &packParts<u32, u64, 2>},
    {"unpack.16.32", &unpackParts<u16, u32, 2>},
    {"unpack.16.64", &unpackParts<u16, u64, 4>},
    {"unpack.32.64", &unpackParts<u32, u64, 2>},
};

/// bfi has four sources: the length is in d2.
template <class T> void bitInsert(Warp &w, const DInst &i, u32 exec) {
  const T *a = reg<T>(w, i.a), *b = reg<T>(w, i.b);
  const u32 *pos = reg<u32>(w, i.c), *len = reg<u32>(w, i.d2);
  alignas(64) T t[32];
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    t[l] = insert<T>(a[l], b[l], pos[l], len[l]);
  }
  blend<32>(reg<T>(w, i.d), t, exec);
}

const HandlerRow moreRows[] = {
    {"bfi.b32", &bitInsert<u32>},
    {"bfi.b64", &bitInsert<u64>},
};

} // namespace

Table integerTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }
Table bitTable() { return {moreRows, sizeof(moreRows) / sizeof(moreRows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

// Bits: fields, permutations, logic, selection, packing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

inline u32 funnelLeft(u32 lo, u32 hi, u32 n) { return static_cast<u32>((((u64(hi) << 32) | lo) << n) >> 32); }

inline u32 funnelRight(u32 lo, u32 hi, u32 n) { return static_cast<u32>(((u64(hi) << 32) | lo) >> n); }

inline u32 clamp32(u32 n) { return n > 32 ? 32 : n; }

inline u32 countLead(u32 x) { return x ? static_cast<u32>(__builtin_clz(x)) : 32; }

inline u32 countLead64(u64 x) { return x ? static_cast<u32>(__builtin_clzll(x)) : 64; }

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
  // What is not chosen need not be defined.
  u32 defined = (p & w.def[i.a / granuleBytes]) | (~p & w.def[i.b / granuleBytes]);
  u32 &own = w.def[i.d / granuleBytes];
  own = (own & ~exec) | (defined & w.def[i.c / granuleBytes] & exec);
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

// clang-format off: one row per line
const HandlerRow rows[] = {
    U3("shf.l.wrap", u32, u32, u32, u32, funnelLeft(a, b, c & 31))
    U3("shf.l.clamp", u32, u32, u32, u32, funnelLeft(a, b, clamp32(c)))
    U3("shf.r.wrap", u32, u32, u32, u32, funnelRight(a, b, c & 31))
    U3("shf.r.clamp", u32, u32, u32, u32, funnelRight(a, b, clamp32(c)))
    U1("popc.b32", u32, u32, static_cast<u32>(__builtin_popcount(a)))
    U1("popc.b64", u32, u64, static_cast<u32>(__builtin_popcountll(a)))
    U1("clz.b32", u32, u32, countLead(a))
    U1("clz.b64", u32, u64, countLead64(a))
    U1("brev.b32", u32, u32, reverse32(a))
    U1("brev.b64", u64, u64, reverse64(a))
    U1("bfind.u32", u32, u32, findLead<u32>(a, false))
    U1("bfind.s32", u32, i32, findLead<i32>(a, true))
    U1("bfind.u64", u32, u64, findLead<u64>(a, false))
    U1("bfind.s64", u32, i64, findLead<i64>(a, true))
    U1("bfind.shiftamt.u32", u32, u32, findLead<u32>(a, false) == ~0u ? ~0u : 31 - findLead<u32>(a, false))
    U1("bfind.shiftamt.s32", u32, i32, findLead<i32>(a, true) == ~0u ? ~0u : 31 - findLead<i32>(a, true))
    U1("bfind.shiftamt.u64", u32, u64, findLead<u64>(a, false) == ~0u ? ~0u : 63 - findLead<u64>(a, false))
    U1("bfind.shiftamt.s64", u32, i64, findLead<i64>(a, true) == ~0u ? ~0u : 63 - findLead<i64>(a, true))
    U3("fns.b32", u32, u32, u32, i32, nthSet(a, b, c))
    U3("bfe.u32", u32, u32, u32, u32, (extract<u32, i32>(a, b, c, false)))
    U3("bfe.s32", u32, u32, u32, u32, (extract<u32, i32>(a, b, c, true)))
    U3("bfe.u64", u64, u64, u32, u32, (extract<u64, i64>(a, b, c, false)))
    U3("bfe.s64", u64, u64, u32, u32, (extract<u64, i64>(a, b, c, true)))
    U2("bmsk.clamp", u32, u32, u32, insert<u32>(~0u, 0, a > 255 ? 255 : a, b > 255 ? 255 : b))
    U2("bmsk.wrap", u32, u32, u32, insert<u32>(~0u, 0, a & 31, b & 31))
    U2("szext.clamp.u32", u32, u32, u32, b >= 32 ? a : a & ((1u << (b & 31)) - 1))
    U2("szext.wrap.u32", u32, u32, u32, a & ((1u << (b & 31)) - 1))
    U2("szext.clamp.s32", u32, u32, u32, b >= 32 ? a : (extract<u32, i32>(a, 0, b, true)))
    U2("szext.wrap.s32", u32, u32, u32, (extract<u32, i32>(a, 0, b & 31, true)))
    U3("prmt", u32, u32, u32, u32, permute(a, b, c))
    U3("prmt.f4e", u32, u32, u32, u32, permuteMode<0>(a, b, c))
    U3("prmt.b4e", u32, u32, u32, u32, permuteMode<1>(a, b, c))
    U3("prmt.rc8", u32, u32, u32, u32, permuteMode<2>(a, b, c))
    U3("prmt.ecl", u32, u32, u32, u32, permuteMode<3>(a, b, c))
    U3("prmt.ecr", u32, u32, u32, u32, permuteMode<4>(a, b, c))
    U3("prmt.rc16", u32, u32, u32, u32, permuteMode<5>(a, b, c))
    { "lop3", &logic3},
    {"pred", &predicateLogic},
    {"sel.16", &select<u16>},
    {"sel.32", &select<u32>},
    {"sel.64", &select<u64>},
    {"pack.8.16", &packParts<u8, u16, 2>},
    {"pack.16.32", &packParts<u16, u32, 2>},
    {"pack.16.64", &packParts<u16, u64, 4>},
    {"pack.32.64", &packParts<u32, u64, 2>},
    {"unpack.16.32", &unpackParts<u16, u32, 2>},
    {"unpack.16.64", &unpackParts<u16, u64, 4>},
    {"unpack.32.64", &unpackParts<u32, u64, 2>},
    {"bfi.b32", &bitInsert<u32>},
    {"bfi.b64", &bitInsert<u64>},
};
// clang-format on

} // namespace

Table bitTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

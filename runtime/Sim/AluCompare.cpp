// Comparisons over 32 lanes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

inline u32 combine(u32 value, u32 with, u32 op) {
  return op == 0 ? value : op == 1 ? value & with : op == 2 ? value | with : value ^ with;
}

/// p = compare op c, q = !compare op c. sub: 0 no operator, 1 and, 2 or, 3 xor.
inline void finish(Warp &w, const DInst &i, u32 m, u32 exec) {
  u32 with = mask(w, i.c);
  writeMask(w, i.d, combine(m, with, i.sub), exec);
  if (i.d2 != sinkOffset) {
    writeMask(w, i.d2, combine(~m, with, i.sub), exec);
  }
}

template <class T, auto F> void compare(Warp &w, const DInst &i, u32 exec) {
  finish(w, i, compareMask<T, T, F>(reg<T>(w, i.a), reg<T>(w, i.b)), exec);
}

template <auto Load, auto F> void compareHalf(Warp &w, const DInst &i, u32 exec) {
  alignas(64) float a[32], b[32];
  const u16 *ha = reg<u16>(w, i.a), *hb = reg<u16>(w, i.b);
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    a[l] = Load(ha[l]);
    b[l] = Load(hb[l]);
  }
  finish(w, i, compareMask<float, float, F>(a, b), exec);
}

/// Packed halves: p is the comparison of the low ones, q that of the high ones.
template <auto Load, auto F> void comparePacked(Warp &w, const DInst &i, u32 exec) {
  const u16 *ha = reg<u16>(w, i.a), *hb = reg<u16>(w, i.b);
  u32 m[2] = {0, 0};
  for (u32 l = 0; l < 64; ++l) {
    m[l & 1] |= static_cast<u32>(F(Load(ha[l]), Load(hb[l]))) << (l >> 1);
  }
  u32 with = mask(w, i.c);
  writeMask(w, i.d, combine(m[0], with, i.sub), exec);
  writeMask(w, i.d2, combine(m[1], with, i.sub), exec);
}

/// testp; sub: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal.
template <class T, class F> void testProperty(Warp &w, const DInst &i, u32 exec) {
  const T *a = reg<T>(w, i.a);
  constexpr u32 mantissa = sizeof(T) == 4 ? 23 : 52;
  constexpr T top = sizeof(T) == 4 ? 255 : 2047;
  u32 m = 0;
  for (u32 l = 0; l < 32; ++l) {
    T exponent = (a[l] >> mantissa) & top;
    T fraction = a[l] & ((T(1) << mantissa) - 1);
    bool is[] = {exponent != top,
                 exponent == top && fraction == 0,
                 !(exponent == top && fraction != 0),
                 exponent == top && fraction != 0,
                 exponent != top && exponent != 0,
                 exponent == 0 && fraction != 0};
    m |= static_cast<u32>(is[i.sub]) << l;
  }
  writeMask(w, i.d, m, exec);
}

#define ORDER(prefix, suffix, T)                                                                                       \
  {prefix "eq." suffix, &compare<T, [](T a, T b) { return a == b; }>},                                                 \
      {prefix "ne." suffix, &compare<T, [](T a, T b) { return a != b; }>},                                             \
      {prefix "lt." suffix, &compare<T, [](T a, T b) { return a < b; }>},                                              \
      {prefix "le." suffix, &compare<T, [](T a, T b) { return a <= b; }>},                                             \
      {prefix "gt." suffix, &compare<T, [](T a, T b) { return a > b; }>},                                              \
      {prefix "ge." suffix, &compare<T, [](T a, T b) { return a >= b; }>},

// Ordered comparisons are false on NaN, unordered ones true.
// clang-format off: it cannot make up its mind about the lines of this list
#define FLOAT_ORDER(M)                                                                                                 \
  M("eq", x == y) M("ne", x < y || x > y) M("lt", x < y) M("le", x <= y) M("gt", x > y) M("ge", x >= y)                \
  M("equ", !(x < y || x > y)) M("neu", !(x == y)) M("ltu", !(x >= y)) M("leu", !(x > y)) M("gtu", !(x <= y))           \
  M("geu", !(x < y)) M("num", x == x && y == y) M("nan", x != x || y != y)
// clang-format on

#define F32_ROW(name, expr) {"setp." name ".f32", &compare<float, [](float x, float y) { return expr; }>},
#define F32Z_ROW(name, expr)                                                                                           \
  {"setp." name ".ftz.f32", &compare<float, [](float s, float t) {                                                     \
     float x = flush(s), y = flush(t);                                                                                 \
     return expr;                                                                                                      \
   }>},
#define F64_ROW(name, expr) {"setp." name ".f64", &compare<double, [](double x, double y) { return expr; }>},
#define F16_ROW(name, expr) {"setp." name ".f16", &compareHalf<fromHalf, [](float x, float y) { return expr; }>},
#define BF16_ROW(name, expr) {"setp." name ".bf16", &compareHalf<fromBf, [](float x, float y) { return expr; }>},
#define F16X2_ROW(name, expr) {"setp." name ".f16x2", &comparePacked<fromHalf, [](float x, float y) { return expr; }>},
#define BF16X2_ROW(name, expr) {"setp." name ".bf16x2", &comparePacked<fromBf, [](float x, float y) { return expr; }>},

const HandlerRow rows[] = {
    ORDER("setp.", "u16", u16) ORDER("setp.", "u32", u32) ORDER("setp.", "u64", u64) ORDER("setp.", "s16", i16)
        ORDER("setp.", "s32", i32) ORDER("setp.", "s64", i64) FLOAT_ORDER(F32_ROW) FLOAT_ORDER(F32Z_ROW)
            FLOAT_ORDER(F64_ROW) FLOAT_ORDER(F16_ROW) FLOAT_ORDER(BF16_ROW) FLOAT_ORDER(F16X2_ROW)
                FLOAT_ORDER(BF16X2_ROW){"testp.f32", &testProperty<u32, float>},
    {"testp.f64", &testProperty<u64, double>},
};

} // namespace

Table compareTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

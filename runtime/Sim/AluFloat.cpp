// Floating-point arithmetic over 32 lanes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 are computed in f32 and rounded once: 24 bits are more than twice 11 plus two, so that the second
// rounding never changes the result. NaN results are canonical, as the hardware's.
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/Rounding.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

// One operation in f16, bf16 and both packed forms; x, y are the operands as f32.
#define HALF1(name, expr)                                                                                              \
  {name ".f16", &unary<u16, u16,                                                                                       \
                       [](u16 a) -> u16 {                                                                              \
                         float x = fromHalf(a);                                                                        \
                         return toHalf(expr);                                                                          \
                       }>},                                                                                            \
      {name ".f16x2", &unary<u16, u16,                                                                                 \
                             [](u16 a) -> u16 {                                                                        \
                               float x = fromHalf(a);                                                                  \
                               return toHalf(expr);                                                                    \
                             },                                                                                        \
                             64>},                                                                                     \
      {name ".bf16", &unary<u16, u16,                                                                                  \
                            [](u16 a) -> u16 {                                                                         \
                              float x = fromBf(a);                                                                     \
                              return toBf(expr);                                                                       \
                            }>},                                                                                       \
      {name ".bf16x2", &unary<u16, u16,                                                                                \
                              [](u16 a) -> u16 {                                                                       \
                                float x = fromBf(a);                                                                   \
                                return toBf(expr);                                                                     \
                              },                                                                                       \
                              64>},
#define HALF2(name, expr)                                                                                              \
  {name ".f16", &binary<u16, u16, u16,                                                                                 \
                        [](u16 a, u16 b) -> u16 {                                                                      \
                          float x = fromHalf(a), y = fromHalf(b);                                                      \
                          return toHalf(expr);                                                                         \
                        }>},                                                                                           \
      {name ".f16x2", &binary<u16, u16, u16,                                                                           \
                              [](u16 a, u16 b) -> u16 {                                                                \
                                float x = fromHalf(a), y = fromHalf(b);                                                \
                                return toHalf(expr);                                                                   \
                              },                                                                                       \
                              64>},                                                                                    \
      {name ".bf16", &binary<u16, u16, u16,                                                                            \
                             [](u16 a, u16 b) -> u16 {                                                                 \
                               float x = fromBf(a), y = fromBf(b);                                                     \
                               return toBf(expr);                                                                      \
                             }>},                                                                                      \
      {name ".bf16x2", &binary<u16, u16, u16,                                                                          \
                               [](u16 a, u16 b) -> u16 {                                                               \
                                 float x = fromBf(a), y = fromBf(b);                                                   \
                                 return toBf(expr);                                                                    \
                               },                                                                                      \
                               64>},
#define BITS16(name, expr)                                                                                             \
  {name ".f16", &unary<u16, u16, [](u16 a) -> u16 { return expr; }>},                                                  \
      {name ".f16x2", &unary<u16, u16, [](u16 a) -> u16 { return expr; }, 64>},                                        \
      {name ".bf16", &unary<u16, u16, [](u16 a) -> u16 { return expr; }>},                                             \
      {name ".bf16x2", &unary<u16, u16, [](u16 a) -> u16 { return expr; }, 64>},

inline u16 flushHalf(u16 h) { return (h & 0x7c00) == 0 ? h & 0x8000 : h; }
inline u16 reluHalf(u16 h) { return (h & 0x7fff) > 0x7c00 ? h : h & 0x8000 ? 0 : h; }
inline u16 reluBf(u16 h) { return (h & 0x7fff) > 0x7f80 ? h : h & 0x8000 ? 0 : h; }
inline u16 saturateHalf(u16 h) { return toHalf(clamp01(fromHalf(h))); }
inline float xorSign(float value, float a, float b) {
  u32 sign = (bits<u32>(a) ^ bits<u32>(b)) & 0x80000000;
  return bits<float>((bits<u32>(value) & 0x7fffffff) | sign);
}
inline float absolute(float x) { return bits<float>(bits<u32>(x) & 0x7fffffff); }

// f32 operations: plain, .ftz, .sat and .ftz.sat.
#define SINGLE1(name, expr)                                                                                            \
  U1(name ".f32", float, float, canonical(expr)){name ".ftz.f32", &unary<float, float, [](float in) -> float {         \
                                                   float a = flush(in);                                                \
                                                   return flush(canonical(expr));                                      \
                                                 }>},
#define SINGLE2(name, expr)                                                                                            \
  U2(name ".f32", float, float, float, canonical(expr)){name ".ftz.f32",                                               \
                                                        &binary<float, float, float, [](float s, float t) -> float {   \
                                                          float a = flush(s), b = flush(t);                            \
                                                          return flush(canonical(expr));                               \
                                                        }>},
#define SINGLE2SAT(name, expr)                                                                                         \
  SINGLE2(name, expr)                                                                                                  \
  U2(name ".sat.f32", float, float, float, clamp01(expr)){name ".ftz.sat.f32",                                         \
                                                          &binary<float, float, float, [](float s, float t) -> float { \
                                                            float a = flush(s), b = flush(t);                          \
                                                            return flush(clamp01(expr));                               \
                                                          }>},

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

const HandlerRow rows[] = {
    SINGLE2SAT("add", a + b) SINGLE2SAT("sub", a - b) SINGLE2SAT("mul", a *b)
        U3("fma.f32", float, float, float, float, canonical(fused(a, b, c))) U3("fma.sat.f32", float, float, float,
                                                                                float, clamp01(fused(a, b, c)))
            U3("fma.ftz.f32", float, float, float, float, flush(canonical(fused(flush(a), flush(b), flush(c))))) U3(
                "fma.ftz.sat.f32", float, float, float, float, flush(clamp01(fused(flush(a), flush(b), flush(c)))))
                SINGLE2("div", a / b) SINGLE1("rcp", 1.0f / a) SINGLE1("sqrt", __builtin_sqrtf(a)) SINGLE1(
                    "rsqrt.approx", static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))))
                    SINGLE1("ex2.approx", static_cast<float>(exp2(static_cast<double>(a)))) SINGLE1(
                        "lg2.approx", static_cast<float>(log2(static_cast<double>(a))))
                        SINGLE1("sin.approx", static_cast<float>(sin(static_cast<double>(a)))) SINGLE1(
                            "cos.approx", static_cast<float>(cos(static_cast<double>(a))))
                            SINGLE1("tanh.approx", static_cast<float>(tanh(static_cast<double>(a)))) SINGLE2(
                                "min", minNumber(a, b)) SINGLE2("max", maxNumber(a, b)) SINGLE2("min.NaN", minNan(a, b))
                                SINGLE2("max.NaN", maxNan(a, b)) SINGLE2(
                                    "min.xorsign", xorSign(minNumber(absolute(a), absolute(b)), a, b))
                                    SINGLE2("max.xorsign", xorSign(maxNumber(absolute(a), absolute(b)), a, b)) SINGLE2(
                                        "min.NaN.xorsign", xorSign(minNan(absolute(a), absolute(b)), a, b))
                                        SINGLE2("max.NaN.xorsign", xorSign(maxNan(absolute(a), absolute(b)), a, b))
                                            U1("abs.f32", float, float, absolute(a)) U1(
                                                "abs.ftz.f32", float, float, flush(absolute(a))) U1("neg.f32", u32, u32,
                                                                                                    a ^ 0x80000000)
                                                U1("neg.ftz.f32", float, u32, flush(bits<float>(a ^ 0x80000000))) U2(
                                                    "copysign.f32", u32, u32, u32, (b & 0x7fffffff) | (a & 0x80000000))

                                                    U2("add.f64", double, double, double, canonical(a + b))
                                                        U2("sub.f64", double, double, double, canonical(a - b))
                                                            U2("mul.f64", double, double, double, canonical(a *b)) U3(
                                                                "fma.f64", double, double, double, double,
                                                                canonical(__builtin_fma(a, b, c)))
                                                                U2("div.f64", double, double, double, canonical(a / b))
                                                                    U1("rcp.f64", double, double, canonical(1.0 / a))
                                                                        U1("sqrt.f64", double, double,
                                                                           canonical(__builtin_sqrt(a)))
                                                                            U1("rsqrt.approx.f64", double, double,
                                                                               canonical(1.0 / __builtin_sqrt(a)))
                                                                                U1("rsqrt.approx.ftz.f64", double,
                                                                                   double,
                                                                                   canonical(1.0 / __builtin_sqrt(a)))
    // The hardware computes only the upper 32 bits of this one; the lower ones are zero.
    U1("rcp.approx.ftz.f64", double, double, bits<double>(bits<u64>(canonical(1.0 / a)) & 0xffffffff00000000)) U2(
        "min.f64", double, double, double, minNumber(a, b)) U2("max.f64", double, double, double, maxNumber(a, b))
        U1("abs.f64", u64, u64, a & 0x7fffffffffffffff) U1("neg.f64", u64, u64, a ^ 0x8000000000000000) U2(
            "copysign.f64", u64, u64, u64, (b & 0x7fffffffffffffff) | (a & 0x8000000000000000))

            HALF2("add", x + y) HALF2("sub", x - y) HALF2("mul", x *y) HALF2("min", minNumber(x, y)) HALF2(
                "max", maxNumber(x, y)) HALF2("min.NaN", minNan(x, y)) HALF2("max.NaN", maxNan(x, y))
                HALF2("min.xorsign", xorSign(minNumber(absolute(x), absolute(y)), x, y)) HALF2(
                    "max.xorsign", xorSign(maxNumber(absolute(x), absolute(y)), x, y))
                    HALF2("min.NaN.xorsign", xorSign(minNan(absolute(x), absolute(y)), x, y)) HALF2(
                        "max.NaN.xorsign", xorSign(maxNan(absolute(x), absolute(y)), x, y))
                        HALF1("ex2.approx", static_cast<float>(exp2(static_cast<double>(x))))
                            HALF1("tanh.approx", static_cast<float>(tanh(static_cast<double>(x)))) BITS16(
                                "abs", static_cast<u16>(a & 0x7fff)) BITS16("neg", static_cast<u16>(a ^ 0x8000))
                                U3("fma.f16", u16, u16, u16, u16,
                                   halfFma(a, b, c)) U3x2("fma.f16x2", u16, u16, u16, u16, halfFma(a, b, c))
                                    U3("fma.bf16", u16, u16, u16, u16,
                                       bfFma(a, b, c)) U3x2("fma.bf16x2", u16, u16, u16, u16, bfFma(a, b, c))
                                        U3("fma.relu.f16", u16, u16, u16, u16, reluHalf(halfFma(a, b, c)))
                                            U3x2("fma.relu.f16x2", u16, u16, u16, u16, reluHalf(halfFma(a, b, c)))
                                                U3("fma.relu.bf16", u16, u16, u16, u16, reluBf(bfFma(a, b, c)))
                                                    U3x2("fma.relu.bf16x2", u16, u16, u16, u16, reluBf(bfFma(a, b, c)))
    // Passes behind an f16 operation for .ftz and .sat, which are rare.
    U1("flush.f16", u16, u16, flushHalf(a)) U1x2("flush.f16x2", u16, u16, flushHalf(a))
        U1("saturate.f16", u16, u16, saturateHalf(a)) U1x2("saturate.f16x2", u16, u16, saturateHalf(a))

};

/// Directed rounding, which is rare: one lane at a time. sub is the mode.
template <class T> void directed2(Warp &w, const DInst &i, u32 exec) {
  // imm: operation; bit 8 ftz, bit 9 sat.
  const T *a = reg<T>(w, i.a), *b = reg<T>(w, i.b), *c = reg<T>(w, i.c);
  alignas(64) T t[32];
  std::memcpy(t, reg<T>(w, i.d), sizeof t);
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      T x = a[l], y = b[l], z = c[l];
      if constexpr (sizeof(T) == 4) {
        if (i.imm & 0x100) {
          x = flush(x), y = flush(y), z = flush(z);
        }
      }
      T value = canonical(rounded(static_cast<RoundedOp>(i.imm & 255), static_cast<char>(i.sub), x, y, z));
      if (i.imm & 0x200) {
        value = clamp01(value);
      }
      if constexpr (sizeof(T) == 4) {
        value = i.imm & 0x100 ? flush(value) : value;
      }
      t[l] = value;
    }
  }
  std::memcpy(reg<T>(w, i.d), t, sizeof t);
}

const HandlerRow directedRows[] = {
    {"directed.f32", &directed2<float>},
    {"directed.f64", &directed2<double>},
};

} // namespace

Table floatTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }
Table directedTable() { return {directedRows, sizeof(directedRows) / sizeof(directedRows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

// cvt over 32 lanes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pairs of types that matter have a handler each; every other combination of types, rounding and clamping goes
// through convertAny, one lane at a time.
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/Rounding.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

template <class F> inline i32 toS32(F x) {
  return x != x ? 0 : x >= F(2147483648.0) ? INT32_MAX : x <= F(-2147483648.0) ? INT32_MIN : static_cast<i32>(x);
}
template <class F> inline u32 toU32(F x) {
  return x != x ? 0 : x >= F(4294967296.0) ? ~0u : x <= F(0) ? 0u : static_cast<u32>(static_cast<i64>(x));
}
template <class F> inline i64 toS64(F x) {
  return x != x                           ? INT64_MIN
         : x >= F(9223372036854775808.0)  ? INT64_MAX
         : x <= F(-9223372036854775808.0) ? INT64_MIN
                                          : static_cast<i64>(x);
}
template <class F> inline u64 toU64(F x) {
  return x != x ? u64(1) << 63 : x >= F(18446744073709551616.0) ? ~u64(0) : x <= F(0) ? 0 : static_cast<u64>(x);
}

u64 readBits(Warp &w, u32 offset, u32 bytes, u32 l) {
  switch (bytes) {
  case 2:
    return reg<u16>(w, offset)[l];
  case 4:
    return reg<u32>(w, offset)[l];
  default:
    return reg<u64>(w, offset)[l];
  }
}

void writeBits(Warp &w, u32 offset, u32 bytes, u32 l, u64 value) {
  switch (bytes) {
  case 2:
    reg<u16>(w, offset)[l] = static_cast<u16>(value);
    break;
  case 4:
    reg<u32>(w, offset)[l] = static_cast<u32>(value);
    break;
  default:
    reg<u64>(w, offset)[l] = value;
    break;
  }
}

/// An integer type's value, extended to 64 bits.
u64 extend(u64 value, Ty type) {
  switch (type) {
  case Ty::U8:
    return u8(value);
  case Ty::S8:
    return static_cast<u64>(i64(i8(value)));
  case Ty::U16:
    return u16(value);
  case Ty::S16:
    return static_cast<u64>(i64(i16(value)));
  case Ty::U32:
    return u32(value);
  case Ty::S32:
    return static_cast<u64>(i64(i32(value)));
  default:
    return value;
  }
}

/// Clamps a 64-bit integer (signed or not) to the range of `to`.
u64 clampInteger(u64 value, bool isSigned, Ty to) {
  u32 width = typeBits(to);
  if (isSigned && static_cast<i64>(value) < 0) {
    if (!sim::isSigned(to)) {
      return 0;
    }
    i64 low = width == 64 ? INT64_MIN : -(i64(1) << (width - 1));
    return static_cast<u64>(static_cast<i64>(value) < low ? low : static_cast<i64>(value));
  }
  u32 usable = sim::isSigned(to) ? width - 1 : width;
  u64 high = usable >= 64 ? ~u64(0) : (u64(1) << usable) - 1;
  return value > high ? high : value;
}

u64 floatToInteger(double x, Ty to) {
  u32 width = typeBits(to);
  bool isSigned = sim::isSigned(to);
  if (x != x) {
    return width == 64 ? u64(1) << 63 : 0;
  }
  if (width == 64) {
    return isSigned ? static_cast<u64>(toS64(x)) : toU64(x);
  }
  double high = std::ldexp(1.0, static_cast<int>(isSigned ? width - 1 : width)) - 1;
  double low = isSigned ? -std::ldexp(1.0, static_cast<int>(width - 1)) : 0;
  double clamped = x > high ? high : x < low ? low : x;
  return static_cast<u64>(static_cast<i64>(clamped));
}

double loadFloat(u64 raw, Ty type) {
  switch (type) {
  case Ty::F16:
    return fromHalf(static_cast<u16>(raw));
  case Ty::BF16:
    return fromBf(static_cast<u16>(raw));
  case Ty::F32:
    return bits<float>(static_cast<u32>(raw));
  default:
    return bits<double>(raw);
  }
}

/// Rounds x (exact in f64) to a 16-bit format in a mode.
u16 roundToSixteen(double x, bool isBf, char mode) {
  if (x != x) {
    return 0x7fff;
  }
  float odd = narrowOdd(x);
  u16 nearest = isBf ? toBf(odd) : toHalf(odd);
  if (mode == 'n' || mode == 0) {
    return nearest;
  }
  double back = isBf ? fromBf(nearest) : fromHalf(nearest);
  if (back == x) {
    return nearest;
  }
  // One step towards the wanted side; codes of one sign are ordered by magnitude.
  bool wantUp = mode == 'p' || (mode == 'z' && x < 0);
  bool isUp = back > x;
  if (wantUp == isUp) {
    return nearest;
  }
  bool negative = nearest & 0x8000;
  if ((nearest & 0x7fff) == 0) {
    return wantUp ? 0x0001 : 0x8001;
  }
  return static_cast<u16>(wantUp != negative ? nearest + 1 : nearest - 1);
}

u64 storeFloat(double x, const CvtInfo &c) {
  double value = x;
  if (c.relu && !(value > 0)) {
    value = value != value ? value : 0.0;
  }
  if (c.sat) {
    value = clamp01(value);
  }
  switch (c.to) {
  case Ty::F16: {
    u16 h = roundToSixteen(value, false, c.rounding);
    return c.satfinite && (h & 0x7fff) == 0x7c00 && value == value ? static_cast<u16>(h - 1) : h;
  }
  case Ty::BF16: {
    u16 h = roundToSixteen(value, true, c.rounding);
    return c.satfinite && (h & 0x7fff) == 0x7f80 && value == value ? static_cast<u16>(h - 1) : h;
  }
  case Ty::F32: {
    float f = canonical(narrow(value, c.rounding));
    return bits<u32>(c.ftz ? flush(f) : f);
  }
  default:
    return bits<u64>(canonical(value));
  }
}

void convertAny(Warp &w, const DInst &i, u32 exec) {
  const CvtInfo &c = *static_cast<const CvtInfo *>(i.extra);
  for (u32 l = 0; l < 32; ++l) {
    if (!((exec >> l) & 1)) {
      continue;
    }
    u64 raw = readBits(w, i.a, c.fromBytes, l), out;
    if (isFloat(c.from)) {
      double x = loadFloat(raw, c.from);
      if (c.ftz && c.from == Ty::F32) {
        x = flush(static_cast<float>(x));
      }
      if (isFloat(c.to)) {
        out = storeFloat(c.toIntegral ? integral(x, c.rounding) : x, c);
      } else {
        out = extend(floatToInteger(integral(x, c.rounding), c.to), c.to);
      }
    } else {
      u64 value = extend(raw, c.from);
      bool isSignedFrom = sim::isSigned(c.from);
      if (!isFloat(c.to)) {
        out = extend(c.sat ? clampInteger(value, isSignedFrom, c.to) : value, c.to);
      } else if (c.to == Ty::F32) {
        float f = isSignedFrom ? fromSigned32(static_cast<i64>(value), c.rounding) : fromUnsigned32(value, c.rounding);
        out = bits<u32>(c.sat ? clamp01(f) : f);
      } else if (c.to == Ty::F64) {
        double f = isSignedFrom ? fromSigned64(static_cast<i64>(value), c.rounding) : fromUnsigned64(value, c.rounding);
        out = bits<u64>(c.sat ? clamp01(f) : f);
      } else {
        // Exact up to 2^53; above, every value is beyond f16, and bf16 sees the rounding to odd.
        double f = isSignedFrom ? fromSigned64(static_cast<i64>(value), 'z') : fromUnsigned64(value, 'z');
        bool exact = isSignedFrom ? static_cast<i64>(f) == static_cast<i64>(value) : toU64(f) == value;
        out = storeFloat(exact ? f : bits<double>(bits<u64>(f) | 1), c);
      }
    }
    writeBits(w, i.d, c.toBytes, l, out);
  }
}

/// tf32: 10 fraction bits. rna rounds half away from zero.
template <char Mode, bool Relu, bool Sat> inline u32 toTf32(u32 x) {
  if ((x & 0x7fffffff) > 0x7f800000) {
    return 0x7fffffff;
  }
  if (Relu && (x >> 31)) {
    return 0;
  }
  u32 y = x;
  if ((x & 0x7f800000) != 0x7f800000) {
    y = Mode == 'a' ? x + 0x1000 : Mode == 'n' ? x + 0xfff + ((x >> 13) & 1) : x;
  }
  y &= ~0x1fffu;
  if (Sat && (y & 0x7fffffff) == 0x7f800000) {
    y -= 0x2000;
  }
  return y;
}

/// cvt.{f16x2,bf16x2}.f32 d, high, low.
template <auto Store> void packHalves(Warp &w, const DInst &i, u32 exec) {
  const float *high = reg<float>(w, i.a), *low = reg<float>(w, i.b);
  alignas(64) u32 t[32];
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    t[l] = (u32(Store(high[l])) << 16) | Store(low[l]);
  }
  blend<32>(reg<u32>(w, i.d), t, exec);
}

inline u16 toHalfZ(float x) {
  u16 h = toHalf(x);
  bool tooBig = std::fabs(fromHalf(h)) > std::fabs(x);
  return tooBig && x == x ? static_cast<u16>(h - 1) : h;
}
inline u16 toBfZ(float x) { return x != x ? u16(0x7fff) : static_cast<u16>(bits<u32>(x) >> 16); }
inline u16 toHalfRelu(float x) { return x < 0 || bits<u32>(x) == 0x80000000 ? u16(0) : toHalf(x); }
inline u16 toBfRelu(float x) { return x < 0 || bits<u32>(x) == 0x80000000 ? u16(0) : toBf(x); }
inline u16 finiteHalf(u16 h) { return (h & 0x7fff) == 0x7c00 ? static_cast<u16>(h - 1) : h; }
inline u16 toHalfFinite(float x) { return finiteHalf(toHalf(x)); }
inline u8 reluByte(u8 b) { return (b & 0x7f) == 0x7f || !(b & 0x80) ? b : 0; }

/// Two fp8 values of a 16-bit register. sub bit 0: relu.
template <auto Store> void packFp8(Warp &w, const DInst &i, u32 exec) {
  const float *high = reg<float>(w, i.a), *low = reg<float>(w, i.b);
  alignas(64) u16 t[32];
  for (u32 l = 0; l < 32; ++l) {
    u8 h = Store(high[l]), v = Store(low[l]);
    t[l] = i.sub & 1 ? static_cast<u16>((reluByte(h) << 8) | reluByte(v)) : static_cast<u16>((h << 8) | v);
  }
  blend<32>(reg<u16>(w, i.d), t, exec);
}
template <auto Store> void halvesToFp8(Warp &w, const DInst &i, u32 exec) {
  const u32 *a = reg<u32>(w, i.a);
  alignas(64) u16 t[32];
  for (u32 l = 0; l < 32; ++l) {
    u8 h = Store(fromHalf(static_cast<u16>(a[l] >> 16))), v = Store(fromHalf(static_cast<u16>(a[l])));
    t[l] = i.sub & 1 ? static_cast<u16>((reluByte(h) << 8) | reluByte(v)) : static_cast<u16>((h << 8) | v);
  }
  blend<32>(reg<u16>(w, i.d), t, exec);
}
template <auto Load> void fp8ToHalves(Warp &w, const DInst &i, u32 exec) {
  const u16 *a = reg<u16>(w, i.a);
  alignas(64) u32 t[32];
  for (u32 l = 0; l < 32; ++l) {
    float h = Load(static_cast<u8>(a[l] >> 8)), v = Load(static_cast<u8>(a[l]));
    t[l] = i.sub & 1 ? (u32(toHalfRelu(h)) << 16) | toHalfRelu(v) : (u32(toHalf(h)) << 16) | toHalf(v);
  }
  blend<32>(reg<u32>(w, i.d), t, exec);
}

/// cvt.pack.sat.{u16,s16}.s32 d, a, b: a in the high half.
template <int Low, int High> void packSixteen(Warp &w, const DInst &i, u32 exec) {
  const i32 *a = reg<i32>(w, i.a), *b = reg<i32>(w, i.b);
  alignas(64) u32 t[32];
  auto clamp = [](i32 x) { return static_cast<u32>(x < Low ? Low : x > High ? High : x) & 0xffff; };
  for (u32 l = 0; l < 32; ++l) {
    t[l] = (clamp(a[l]) << 16) | clamp(b[l]);
  }
  blend<32>(reg<u32>(w, i.d), t, exec);
}
/// cvt.pack.sat.{u8,...}.s32.b32 d, a, b, c: c shifted up by two elements, then a, b. sub: bits per element, 256
/// signed.
void packSmall(Warp &w, const DInst &i, u32 exec) {
  const i32 *a = reg<i32>(w, i.a), *b = reg<i32>(w, i.b);
  const u32 *c = reg<u32>(w, i.c);
  u32 n = i.sub & 255;
  bool isSignedTo = i.sub & 256;
  i32 low = isSignedTo ? -(1 << (n - 1)) : 0, high = (1 << (isSignedTo ? n - 1 : n)) - 1;
  u32 keep = (1u << n) - 1;
  alignas(64) u32 t[32];
  auto clamp = [&](i32 x) { return static_cast<u32>(x < low ? low : x > high ? high : x) & keep; };
  for (u32 l = 0; l < 32; ++l) {
    t[l] = (c[l] << (2 * n)) | (clamp(a[l]) << n) | clamp(b[l]);
  }
  blend<32>(reg<u32>(w, i.d), t, exec);
}

// Integer to integer: the result fills its register.
#define TO_ALL(A, name)                                                                                                \
  U1("cvt.16." name, u16, A, static_cast<u16>(a))                                                                      \
  U1("cvt.32." name, u32, A, static_cast<u32>(a))                                                                      \
  U1("cvt.64." name, u64, A, static_cast<u64>(a))

const HandlerRow rows[] = {
    TO_ALL(u16, "u16") TO_ALL(i16, "s16") TO_ALL(u32, "u32") TO_ALL(i32, "s32") TO_ALL(u64, "u64") TO_ALL(i64, "s64")
    // 8-bit sources live in 16-bit registers.
    U1("cvt.16.u8", u16, u16, static_cast<u16>(u8(a))) U1("cvt.32.u8", u32, u16, static_cast<u32>(u8(a)))
        U1("cvt.64.u8", u64, u16, static_cast<u64>(u8(a))) U1("cvt.16.s8", u16, u16, static_cast<u16>(i8(a))) U1(
            "cvt.32.s8", u32, u16, static_cast<u32>(i32(i8(a)))) U1("cvt.64.s8", u64, u16, static_cast<u64>(i64(i8(a))))
            U1("cvt.rn.f32.s32", float, i32, static_cast<float>(a)) U1(
                "cvt.rn.f32.u32", float, u32,
                static_cast<float>(a)) U1("cvt.rn.f32.s64", float, i64,
                                          static_cast<float>(a)) U1("cvt.rn.f32.u64", float, u64, static_cast<float>(a))
                U1("cvt.rn.f64.s32", double, i32, static_cast<double>(a)) U1(
                    "cvt.rn.f64.u32", double, u32,
                    static_cast<double>(a)) U1("cvt.rn.f64.s64", double, i64, static_cast<double>(a))
                    U1("cvt.rn.f64.u64", double, u64, static_cast<double>(a)) U1(
                        "cvt.rzi.s32.f32",
                        i32, float,
                        toS32(a)) U1("cvt.rzi.u32.f32", u32, float,
                                     toU32(a)) U1("cvt.rzi.s64.f32", i64, float, toS64(a))
                        U1("cvt.rzi.s32.f64", i32, double, toS32(a)) U1("cvt.rzi.u32.f64", u32, double, toU32(a)) U1(
                            "cvt.rzi.s64.f64",
                            i64, double, toS64(a)) U1("cvt.rni.s32.f32", i32, float, toS32(__builtin_rintf(a)))
                            U1("cvt.rmi.s32.f32", i32, float,
                               toS32(__builtin_floorf(a))) U1("cvt.rpi.s32.f32", i32, float, toS32(__builtin_ceilf(a)))
                                U1("cvt.rni.f32.f32", float, float,
                                   canonical(__builtin_rintf(
                                       a))) U1("cvt.rmi.f32.f32", float, float, canonical(__builtin_floorf(a)))
                                    U1("cvt.rpi.f32.f32", float, float,
                                       canonical(__builtin_ceilf(
                                           a))) U1("cvt.rzi.f32.f32", float, float, canonical(__builtin_truncf(a)))
                                        U1("cvt.f64.f32", double, float, canonical(static_cast<double>(a))) U1(
                                            "cvt.rn.f32.f64", float, double, canonical(static_cast<float>(a)))
                                            U1("cvt.f32.f16", float, u16, canonical(fromHalf(a))) U1(
                                                "cvt.rn.f16.f32", u16,
                                                float,
                                                toHalf(a)) U1("cvt.rn.relu.f16.f32", u16, float, toHalfRelu(a))
                                                U1("cvt.f32.bf16", float, u16, canonical(fromBf(a))) U1(
                                                    "cvt.rn.bf16.f32",
                                                    u16, float,
                                                    toBf(a)) U1("cvt.rn.relu.bf16.f32", u16, float, toBfRelu(a))
                                                    U1("cvt.rna.tf32.f32", u32, u32, (toTf32<'a', false, false>(a))) U1(
                                                        "cvt.rna.satfinite.tf32.f32",
                                                        u32, u32, (toTf32<'a', false, true>(a)))
                                                        U1("cvt.rn.tf32.f32", u32, u32, (toTf32<'n', false, false>(a)))
                                                            U1("cvt.rn.relu.tf32.f32", u32, u32,
                                                               (toTf32<'n', true, false>(a)))
                                                                U1("cvt.rn.satfinite.tf32.f32", u32, u32,
                                                                   (toTf32<'n', false, true>(a)))
                                                                    U1("cvt.rn.relu.satfinite.tf32.f32", u32, u32,
                                                                       (toTf32<'n', true, true>(a)))
                                                                        U1("cvt.rz.tf32.f32", u32, u32,
                                                                           (toTf32<'z', false, false>(a)))
                                                                            U1("cvt.rz.relu.tf32.f32", u32, u32,
                                                                               (toTf32<'z', true, false>(a)))
                                                                                U1("cvt.rz.satfinite.tf32.f32", u32,
                                                                                   u32, (toTf32<'z', false, true>(a)))
                                                                                    U1("cvt.rz.relu.satfinite.tf32.f32",
                                                                                       u32, u32,
                                                                                       (toTf32<'z', true, true>(a))){
                                                                                        "cvt.rn.f16x2.f32",
                                                                                        &packHalves<toHalf>},
    {"cvt.rz.f16x2.f32", &packHalves<toHalfZ>},
    {"cvt.rn.relu.f16x2.f32", &packHalves<toHalfRelu>},
    {"cvt.rn.satfinite.f16x2.f32", &packHalves<toHalfFinite>},
    {"cvt.rn.bf16x2.f32", &packHalves<toBf>},
    {"cvt.rz.bf16x2.f32", &packHalves<toBfZ>},
    {"cvt.rn.relu.bf16x2.f32", &packHalves<toBfRelu>},
    {"cvt.rn.satfinite.e4m3x2.f32", &packFp8<toE4m3>},
    {"cvt.rn.satfinite.e5m2x2.f32", &packFp8<toE5m2>},
    {"cvt.rn.satfinite.e4m3x2.f16x2", &halvesToFp8<toE4m3>},
    {"cvt.rn.satfinite.e5m2x2.f16x2", &halvesToFp8<toE5m2>},
    {"cvt.rn.f16x2.e4m3x2", &fp8ToHalves<fromE4m3>},
    {"cvt.rn.f16x2.e5m2x2", &fp8ToHalves<fromE5m2>},
    {"cvt.pack.u16", &packSixteen<0, 65535>},
    {"cvt.pack.s16", &packSixteen<-32768, 32767>},
    {"cvt.pack.small", &packSmall},
    {"cvt.any", &convertAny},
};

} // namespace

Table convertTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

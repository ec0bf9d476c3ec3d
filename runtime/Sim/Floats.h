// Number formats of PTX on the host. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is total and rounds once. Functions are static, since files that include this header are compiled for
// several vector widths.
#pragma once

#include "runtime/Sim/Types.h"

#include <cmath>
#include <cstring>

namespace pavage::sim {
namespace {

template <class To, class From> inline To bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}

inline float canonical(float x) { return x != x ? bits<float>(u32(0x7fffffff)) : x; }
inline double canonical(double x) { return x != x ? bits<double>(u64(0x7ff8000000000000)) : x; }

/// Flushes a subnormal to zero of the same sign.
inline float flush(float x) {
  u32 b = bits<u32>(x);
  return (b & 0x7f800000) == 0 ? bits<float>(b & 0x80000000) : x;
}

inline float clamp01(float x) { return x >= 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; } // NaN -> +0
inline double clamp01(double x) { return x >= 1.0 ? 1.0 : x > 0.0 ? x : 0.0; }

// f16.
inline float fromHalf(u16 h) { return static_cast<float>(bits<_Float16>(h)); }
inline u16 toHalf(float x) {
  u16 h = bits<u16>(static_cast<_Float16>(x));
  return x != x ? u16(0x7fff) : h;
}

// bf16.
inline float fromBf(u16 h) { return bits<float>(u32(h) << 16); }
inline u16 toBf(float x) {
  u32 b = bits<u32>(x);
  u32 rounded = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
  return x != x ? u16(0x7fff) : static_cast<u16>(rounded);
}

/// a + b rounded to odd: exact when representable, else the neighbour with an odd last bit. A later rounding to a
/// format at least two bits narrower is then the rounding of the exact sum.
inline float addOdd(float a, float b) {
  float s = a + b;
  float bb = s - a;
  float error = (a - (s - bb)) + (b - bb);
  u32 sb = bits<u32>(s);
  bool inexact = error != 0.0f && (sb & 1) == 0 && error == error;
  u32 step = (error > 0.0f) == (s > 0.0f) ? 1u : ~0u;
  return inexact ? bits<float>(sb + step) : s;
}
inline double addOdd(double a, double b) {
  double s = a + b;
  double bb = s - a;
  double error = (a - (s - bb)) + (b - bb);
  u64 sb = bits<u64>(s);
  bool inexact = error != 0.0 && (sb & 1) == 0 && error == error;
  u64 step = (error > 0.0) == (s > 0.0) ? 1u : ~u64(0);
  return inexact ? bits<double>(sb + step) : s;
}

/// The f32 nearest to x by rounding to odd.
inline float narrowOdd(double x) {
  float f = static_cast<float>(x);
  double back = f;
  u32 b = bits<u32>(f);
  bool inexact = back != x && (b & 1) == 0 && x == x;
  u32 step = (x > back) == (b >> 31 == 0) ? 1u : ~0u;
  // Overflow and zero keep their sign; from infinity one step leads back to the largest number, which is odd.
  return inexact ? bits<float>(b == 0 || b == 0x80000000 ? (x > 0 ? 1u : 0x80000001u) : b + step) : f;
}

inline u16 halfFma(u16 a, u16 b, u16 c) {
  float product = fromHalf(a) * fromHalf(b); // exact
  return toHalf(addOdd(product, fromHalf(c)));
}
inline u16 bfFma(u16 a, u16 b, u16 c) {
  double product = static_cast<double>(fromBf(a)) * static_cast<double>(fromBf(b)); // exact
  return toBf(narrowOdd(addOdd(product, static_cast<double>(fromBf(c)))));
}

// Minimum and maximum with -0 < +0.
template <class T> inline T minNumber(T a, T b) {
  T m = a < b ? a : b < a ? b : (std::signbit(a) ? a : b);
  return a != a ? (b != b ? canonical(a) : b) : b != b ? a : m;
}
template <class T> inline T maxNumber(T a, T b) {
  T m = a > b ? a : b > a ? b : (std::signbit(a) ? b : a);
  return a != a ? (b != b ? canonical(a) : b) : b != b ? a : m;
}
template <class T> inline T minNan(T a, T b) { return a != a || b != b ? canonical(T(NAN)) : minNumber(a, b); }
template <class T> inline T maxNan(T a, T b) { return a != a || b != b ? canonical(T(NAN)) : maxNumber(a, b); }

// fp8. e4m3: 4 exponent bits, bias 7, no infinity, NaN 0x7f; e5m2: the upper half of f16.
inline float fromE5m2(u8 x) { return fromHalf(static_cast<u16>(x << 8)); }
inline float fromE4m3(u8 x) {
  u32 sign = u32(x & 0x80) << 24;
  u32 e = (x >> 3) & 15, m = x & 7;
  if (e == 15 && m == 7) {
    return bits<float>(u32(0x7fffffff));
  }
  if (e == 0) {
    float v = static_cast<float>(m) * 0x1p-9f;
    return sign ? -v : v;
  }
  return bits<float>(sign | ((e + 120) << 23) | (m << 20));
}

/// Rounds to nearest even with `mantissa` bits, minimum exponent `minExp`, and saturates to `maxFinite`.
inline u8 toFp8(float x, u32 mantissa, int minExp, float maxFinite, u8 maxCode, u8 nan) {
  if (x != x) {
    return nan;
  }
  u8 sign = std::signbit(x) ? 0x80 : 0;
  float a = std::fabs(x);
  if (a == 0) {
    return sign;
  }
  int e = static_cast<int>(bits<u32>(a) >> 23) - 127;
  e = e < minExp ? minExp : e;
  if (a > maxFinite * 2) {
    return sign | maxCode;
  }
  float scaled = a * bits<float>(static_cast<u32>(127 - e + static_cast<int>(mantissa)) << 23); // exact
  u32 q = static_cast<u32>(std::nearbyint(scaled));
  if (q >= (2u << mantissa)) {
    q >>= 1;
    ++e;
  }
  u32 code = q >= (1u << mantissa) ? (static_cast<u32>(e - minExp + 1) << mantissa) + (q - (1u << mantissa)) : q;
  return sign | static_cast<u8>(code > maxCode ? maxCode : code);
}
inline u8 toE4m3(float x) { return toFp8(x, 3, -6, 448.0f, 0x7e, 0x7f); }
inline u8 toE5m2(float x) { return toFp8(x, 2, -14, 57344.0f, 0x7b, 0x7f); }

// Integers: division is total.
template <class T> inline T divide(T a, T b) {
  if (b == 0) {
    return static_cast<T>(~T(0));
  }
  if (T(-1) < T(0) && b == T(-1)) {
    return static_cast<T>(T(0) - static_cast<u64>(a));
  }
  return static_cast<T>(a / b);
}
template <class T> inline T remainder(T a, T b) {
  if (b == 0) {
    return a;
  }
  if (T(-1) < T(0) && b == T(-1)) {
    return 0;
  }
  return static_cast<T>(a % b);
}
template <class T> inline T shiftLeft(T a, u32 n) { return n >= sizeof(T) * 8 ? T(0) : static_cast<T>(a << (n & 63)); }
template <class T> inline T shiftRight(T a, u32 n) {
  constexpr u32 width = sizeof(T) * 8;
  return n >= width ? static_cast<T>(T(-1) < T(0) && a < 0 ? -1 : 0) : static_cast<T>(a >> n);
}

} // namespace
} // namespace pavage::sim

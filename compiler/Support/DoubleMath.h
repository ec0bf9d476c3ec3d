// Mathematical functions in f64, good to about 1e-11. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 results are computed by these formulas and rounded once, so that no argument range needs care. They write ops
// with what a back end has for arithmetic:
//
//   Ops   constantFLike, addF, subF, mulF, divF, fma, negF, absF, sqrt, floor, isNan, cmpF (FPred), select, bitcast,
//         add, sub, andI, orI, xorI, shl, shrS, notI1, cmp (Pred), i(width), f64(), target.hasFma
#ifndef PAVAGE_COMPILER_SUPPORT_DOUBLEMATH_H
#define PAVAGE_COMPILER_SUPPORT_DOUBLEMATH_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numbers>

namespace pavage::support {

/// 1.5 * 2^52: added to a small f64, it leaves the nearest integer in the low bits.
inline constexpr double roundingMagic = 6755399441055744.0;
inline constexpr double ln2 = std::numbers::ln2, pi = std::numbers::pi;

template <class Ops> struct DoubleMath {
  Ops &o;
  using V = mlir::Value;

  V num(V like, double value) { return o.constantFLike(like, value); }
  V mad(V x, V y, V z) { return o.target.hasFma ? o.fma(x, y, z) : o.addF(o.mulF(x, y), z); }
  V mad(V x, double y, V z) { return mad(x, num(x, y), z); }
  V mad(V x, V y, double z) { return mad(x, y, num(x, z)); }
  V less(V x, double y) { return o.cmpF(Ops::FPred::OLT, x, num(x, y)); }
  V greater(V x, double y) { return o.cmpF(Ops::FPred::OGT, x, num(x, y)); }
  V bits(V x) { return o.bitcast(x, o.i(64)); }
  V number(V x) { return o.bitcast(x, o.f64()); }
  V signOf(V x) { return o.andI(bits(x), uint64_t(1) << 63); }
  V withSign(V x, V sign) { return number(o.orI(bits(x), sign)); }

  /// c[0] + c[1] x + c[2] x^2 + ...
  V polynomial(V x, llvm::ArrayRef<double> c) {
    V result = num(x, c.back());
    for (double coefficient : llvm::reverse(c.drop_back())) {
      result = mad(result, x, coefficient);
    }
    return result;
  }

  /// The nearest integer of a number below 2^51.
  V nearest(V x) { return o.subF(o.addF(x, roundingMagic), roundingMagic); }

  /// 2^n for an integer n of an f64, -1022 <= n <= 1023.
  V powerOfTwo(V n) {
    V shifted = bits(o.addF(n, roundingMagic));
    return number(o.shl(o.add(shifted, 1023), 52));
  }

  /// e^r for |r| <= 0.35.
  V expReduced(V r) {
    double c[12], factorial = 1;
    for (int k = 0; k < 12; ++k) {
      factorial *= k > 1 ? k : 1;
      c[k] = 1 / factorial;
    }
    return polynomial(r, c);
  }

  /// Keeps x within the limit either way; a NaN stays.
  V clamp(V x, double limit) {
    x = o.select(greater(x, limit), num(x, limit), x);
    return o.select(less(x, -limit), num(x, -limit), x);
  }

  /// Over- and underflows only what an f32 does as well.
  V exp(V x) {
    x = clamp(x, 250);
    V n = nearest(o.mulF(x, 1 / ln2));
    // The upper part of ln 2 has 32 bits, so that its product with n is exact.
    double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
    V r = mad(n, -low, mad(n, -high, x));
    return o.mulF(expReduced(r), powerOfTwo(n));
  }

  /// Natural logarithm of x, which is not denormal.
  V log(V x) {
    V word = bits(x);
    uint64_t half = 0x3fe6a09e667f3bcdu; // sqrt(1/2)
    V shifted = o.sub(word, half);
    V exponent = o.shrS(shifted, 52);
    V mantissa = number(o.sub(word, o.shl(exponent, 52))); // sqrt(1/2) <= mantissa < sqrt(2)
    V e = o.subF(number(o.add(exponent, 0x4338000000000000u)), roundingMagic);
    V f = o.subF(mantissa, 1.0);
    V s = o.divF(f, o.addF(f, 2.0)), z = o.mulF(s, s);
    double c[9];
    for (int k = 0; k < 9; ++k) {
      c[k] = 2.0 / (2 * k + 1);
    }
    V result = mad(e, ln2, o.mulF(s, polynomial(z, c)));
    // 0, negative numbers, infinity, NaN.
    V infinity = num(x, HUGE_VAL);
    result = o.select(o.cmpF(Ops::FPred::OEQ, x, infinity), infinity, result);
    result = o.select(o.cmpF(Ops::FPred::OEQ, x, num(x, 0)), num(x, -HUGE_VAL), result);
    V invalid = o.cmpF(Ops::FPred::ULT, x, num(x, 0));
    return o.select(invalid, num(x, std::nan("")), result);
  }

  /// log(1 + x): the error of the sum is divided out.
  V log1p(V x) {
    V u = o.addF(x, 1.0), d = o.subF(u, 1.0);
    V exact = o.mulF(log(u), o.divF(x, d));
    exact = o.select(o.cmpF(Ops::FPred::OEQ, d, num(d, 0)), x, exact);
    return o.select(o.cmpF(Ops::FPred::OEQ, x, num(x, HUGE_VAL)), x, exact);
  }

  /// A function that is x + O(x^3) (or, with a small enough limit, x + O(x^2)) near 0 is x itself there.
  V nearZero(V x, double limit, V result) { return o.select(less(o.absF(x), limit), x, result); }

  V expm1(V x) { return nearZero(x, 0x1p-27, o.subF(exp(x), 1.0)); }
  V tanh(V x) {
    V t = exp(o.mulF(o.absF(x), -2.0));
    V result = o.divF(o.subF(num(t, 1), t), o.addF(t, 1.0));
    return nearZero(x, 0x1p-13, withSign(result, signOf(x)));
  }
  V sinh(V x) { return nearZero(x, 0x1p-13, o.mulF(o.subF(exp(x), exp(o.negF(x))), 0.5)); }
  V cosh(V x) { return o.mulF(o.addF(exp(x), exp(o.negF(x))), 0.5); }
  V asinh(V x) {
    V a = o.absF(x);
    V result = log(o.addF(a, o.sqrt(mad(a, a, 1.0))));
    return nearZero(x, 0x1p-13, withSign(result, signOf(x)));
  }
  V acosh(V x) {
    V result = log(o.addF(x, o.sqrt(o.subF(o.mulF(x, x), 1.0))));
    return o.select(less(x, 1), num(x, std::nan("")), result);
  }
  V atanh(V x) {
    V result = o.mulF(log(o.divF(o.addF(x, 1.0), o.subF(num(x, 1), x))), 0.5);
    return nearZero(x, 0x1p-13, result);
  }

  /// arctan of 0 <= t <= 1.
  V atanReduced(V t) {
    V isUpper = greater(t, std::numbers::sqrt2 - 1);
    V y = o.select(isUpper, o.divF(o.subF(t, 1.0), o.addF(t, 1.0)), t), z = o.mulF(y, y);
    double c[14];
    for (int k = 0; k < 14; ++k) {
      c[k] = (k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1);
    }
    V result = o.mulF(y, polynomial(z, c));
    return o.select(isUpper, o.addF(result, pi / 4), result);
  }
  V atan(V x) {
    V a = o.absF(x), isLarge = greater(a, 1);
    V r = atanReduced(o.select(isLarge, o.divF(num(x, 1), a), a));
    r = o.select(isLarge, o.subF(num(x, pi / 2), r), r);
    return o.select(o.isNan(x), x, withSign(r, signOf(x)));
  }
  V atan2(V y, V x) {
    V ax = o.absF(x), ay = o.absF(y), swap = o.cmpF(Ops::FPred::OGT, ay, ax);
    V upper = o.select(swap, ax, ay), lower = o.select(swap, ay, ax);
    V t = o.divF(upper, lower);
    t = o.select(o.cmpF(Ops::FPred::OEQ, lower, num(x, 0)), num(x, 0), t);
    t = o.select(o.cmpF(Ops::FPred::OEQ, upper, num(x, HUGE_VAL)), num(x, 1), t);
    V r = atanReduced(t);
    r = o.select(swap, o.subF(num(x, pi / 2), r), r);
    V isLeft = o.cmp(Ops::Pred::slt, bits(x), 0);
    r = o.select(isLeft, o.subF(num(x, pi), r), r);
    V invalid = o.cmpF(Ops::FPred::UNO, x, y);
    return o.select(invalid, o.addF(x, y), withSign(r, signOf(y)));
  }
  V asin(V x) {
    V r = atan2(x, o.sqrt(o.mulF(o.subF(num(x, 1), x), o.addF(x, 1.0))));
    return nearZero(x, 0x1p-13, r);
  }
  V acos(V x) { return atan2(o.sqrt(o.mulF(o.subF(num(x, 1), x), o.addF(x, 1.0))), x); }

  /// erf below 1 by its series.
  V erfSmall(V x) {
    double c[14], factorial = 1;
    for (int k = 0; k < 14; ++k) {
      factorial *= k > 1 ? k : 1;
      c[k] = (k % 2 == 0 ? 1.0 : -1.0) / (factorial * (2 * k + 1)) * 2 * std::numbers::inv_sqrtpi;
    }
    return o.mulF(x, polynomial(o.mulF(x, x), c));
  }
  /// erfc from 1 on: t e^(-x^2 + p(t)) with t = 2 / (2 + x); p fitted at Chebyshev points of 0.95 <= x <= 10.6.
  V erfcLarge(V x) {
    constexpr double least = 2 / 12.6, greatest = 2 / 2.95;
    static constexpr double c[] = {-0.78018045663230251,    0.33938846289091928,     0.018435192513374332,
                                   -0.0053619646641775986,  -0.0011655102057102963,  0.00022210582260875358,
                                   7.9979119153605901e-05,  -1.5313481899426055e-05, -5.8358403379088488e-06,
                                   1.4370917597261724e-06,  4.0414791442344726e-07,  -1.4547149476129562e-07,
                                   -2.0430536551430126e-08, 1.1040538083761931e-08};
    V t = o.divF(num(x, 2), o.addF(x, 2.0));
    V u = o.mulF(o.subF(t, (least + greatest) / 2), 2 / (greatest - least));
    return o.mulF(t, exp(o.subF(polynomial(u, c), o.mulF(x, x))));
  }
  /// The argument of erfcLarge, within its range.
  V limit(V a) { return o.select(greater(a, 10.5), num(a, 10.5), o.select(less(a, 1), num(a, 1), a)); }
  V erf(V x) {
    V a = o.absF(x), large = withSign(o.subF(num(x, 1), erfcLarge(limit(a))), signOf(x));
    return o.select(o.cmpF(Ops::FPred::OGT, a, num(a, 1)), large, erfSmall(x));
  }
  V erfc(V x) {
    V a = o.absF(x), large = erfcLarge(limit(a));
    large = o.select(less(x, 0), o.subF(num(x, 2), large), large);
    return o.select(greater(a, 1), large, o.subF(num(x, 1), erfSmall(x)));
  }

  /// sin or cos for |x| up to about a million: three parts of pi/2 of 33 bits each, whose products with n are exact.
  V sine(V x, bool isCosine) {
    V n = nearest(o.mulF(x, 2 / pi));
    V r = mad(n, -0x1.921fb544p+0, x);
    r = mad(n, -0x1.0b4611a6p-34, r);
    r = mad(n, -0x1.3198a2e037073p-69, r);
    V quadrant = bits(o.addF(n, roundingMagic));
    if (isCosine) {
      quadrant = o.add(quadrant, 1);
    }
    V z = o.mulF(r, r);
    double s[8], c[8], factorial = 1;
    for (int k = 0; k < 16; ++k) {
      factorial *= k > 1 ? k : 1;
      (k % 2 == 0 ? c : s)[k / 2] = (k / 2 % 2 == 0 ? 1.0 : -1.0) / factorial;
    }
    V odd = o.cmp(Ops::Pred::ne, o.andI(quadrant, 1), 0);
    V magnitude = o.select(odd, polynomial(z, c), o.mulF(r, polynomial(z, s)));
    return number(o.xorI(bits(magnitude), o.shl(o.andI(quadrant, 2), 62)));
  }

  V pow(V x, V y) {
    V a = o.absF(x), one = num(x, 1), zero = num(x, 0), infinity = num(x, HUGE_VAL);
    V result = exp(o.mulF(y, log(a)));
    // exp of f64 has its own limits; beyond them an f32 is 0 or infinite as well.
    V half = o.mulF(y, 0.5);
    V whole = o.cmpF(Ops::FPred::OEQ, y, o.floor(y));
    V odd = o.andI(whole, o.cmpF(Ops::FPred::ONE, half, o.floor(half)));
    V isNegative = o.cmp(Ops::Pred::slt, bits(x), 0);
    V invalid = o.andI(o.andI(less(x, 0), o.cmpF(Ops::FPred::ONE, a, infinity)), o.notI1(whole));
    V yIsInfinite = o.cmpF(Ops::FPred::OEQ, o.absF(y), infinity);
    result = o.select(o.andI(invalid, o.notI1(yIsInfinite)), num(x, std::nan("")), result);
    V flips = o.andI(odd, isNegative);
    result = o.select(flips, o.negF(result), result);
    result = o.select(o.andI(yIsInfinite, o.cmpF(Ops::FPred::OEQ, a, one)), one, result);
    V isOne = o.orI(o.cmpF(Ops::FPred::OEQ, x, one), o.cmpF(Ops::FPred::OEQ, y, zero));
    return o.select(isOne, one, result);
  }
};

} // namespace pavage::support

#endif // PAVAGE_COMPILER_SUPPORT_DOUBLEMATH_H

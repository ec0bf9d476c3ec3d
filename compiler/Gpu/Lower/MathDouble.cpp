// Functions of f64 to a few units in the last place. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where one f64 is not enough, a number is carried as a sum of two (Pair): the hardware's fused multiply-add gives the
// error of a product. A logarithm is made to 2^-64, so that powers are right; a reduced angle to 2^-100, so that angles
// beside multiples of pi / 2 are.
#include "compiler/Gpu/Lower/MathDouble.h"

#include "compiler/Support/DoubleMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pavage::gpu {

namespace {

using FPred = Scalars::FPred;
using Pred = Scalars::Pred;
using V = Value;

/// high + low, |low| <= ulp(high) / 2.
struct Pair {
  V high, low;
};

struct Wide {
  Emitter &e;
  Scalars o{e};
  support::DoubleMath<Scalars> d{o};

  explicit Wide(Emitter &e) : e(e) {}

  V num(V like, double value) { return o.constantFLike(like, value); }
  V fma(V x, V y, V z) { return o.fma(x, y, z); }
  V fma(V x, double y, V z) { return o.fma(x, num(x, y), z); }
  V equals(V x, double y) { return o.cmpF(FPred::OEQ, x, num(x, y)); }
  V nan(V like) { return num(like, std::nan("")); }
  V infinity(V like) { return num(like, HUGE_VAL); }

  // --- pairs ---
  /// x + y for |x| >= |y|.
  Pair fastSum(V x, V y) {
    V sum = o.addF(x, y);
    return {sum, o.subF(y, o.subF(sum, x))};
  }
  Pair sum(V x, V y) {
    V total = o.addF(x, y), part = o.subF(total, x);
    return {total, o.addF(o.subF(x, o.subF(total, part)), o.subF(y, part))};
  }
  Pair product(V x, V y) {
    V high = o.mulF(x, y);
    return {high, fma(x, y, o.negF(high))};
  }
  Pair times(Pair x, V y) {
    Pair p = product(x.high, y);
    return fastSum(p.high, fma(x.low, y, p.low));
  }
  /// By a constant given as a pair.
  Pair times(Pair x, double high, double low) {
    Pair p = product(x.high, num(x.high, high));
    return fastSum(p.high, fma(x.high, low, fma(x.low, high, p.low)));
  }
  V value(Pair x) { return o.addF(x.high, x.low); }

  // --- exp ---
  /// Integer n and remainder of x = n ln 2 + r.
  std::pair<V, Pair> reduceExp(Pair x) {
    V n = d.nearest(o.mulF(x.high, 1 / support::ln2));
    V r = fma(n, -0x1.62e42feep-1, x.high); // 32 digits of ln 2: exact
    V part = fma(n, -0x1.a39ef35793c76p-33, x.low);
    return {n, fastSum(r, part)};
  }
  /// e^r - 1 for |r| <= 0.35.
  V expm1Reduced(Pair r) {
    double c[13], factorial = 2;
    for (int k = 0; k < 13; ++k) {
      c[k] = 1 / factorial;
      factorial *= k + 3;
    }
    V x = r.high, p = d.polynomial(x, c);
    return o.addF(x, fma(o.mulF(x, x), p, r.low));
  }
  /// x 2^n, rounded once where the result is denormal.
  V scale(V x, V n) {
    V half = d.nearest(o.mulF(n, 0.5));
    return o.mulF(o.mulF(x, d.powerOfTwo(half)), d.powerOfTwo(o.subF(n, half)));
  }
  V exp(Pair x) {
    // Beyond these the result is infinite or 0, whatever the low part is.
    V large = d.greater(x.high, 720), small = d.less(x.high, -760), isFar = o.orI(large, small);
    x.high = o.select(large, num(x.high, 720), o.select(small, num(x.high, -760), x.high));
    x.low = o.select(isFar, num(x.low, 0), x.low);
    auto [n, r] = reduceExp(x);
    return scale(o.addF(expm1Reduced(r), 1.0), n);
  }
  V exp(V x) { return exp({x, num(x, 0)}); }
  V exp2(V x) {
    V limited = d.clamp(x, 1100), n = d.nearest(limited), f = o.subF(limited, n);
    Pair r = times({f, num(f, 0)}, support::ln2, 0x1.abc9e3b39803fp-56);
    return scale(o.addF(expm1Reduced(r), 1.0), n);
  }
  V expm1(V x) {
    V limited = d.clamp(x, 720);
    auto [n, r] = reduceExp({limited, num(x, 0)});
    V q = expm1Reduced(r);
    // 2^n (1 + q) - 1, with what rounding 2^n - 1 loses added again; n = 1024 is beyond a power.
    V safe = o.select(d.greater(n, 1000), num(n, 1000), n),
      power = d.powerOfTwo(o.select(d.less(safe, -1000), num(n, -1000), safe));
    Pair rest = sum(power, num(x, -1));
    V near = o.addF(rest.high, fma(power, q, rest.low));
    near = o.select(equals(n, 0), q, near);
    V far = scale(o.addF(q, 1.0), n);
    V result = o.select(d.greater(n, 60), far, near);
    return o.select(equals(x, 0), x, result);
  }
  V sinh(V x) {
    V a = o.absF(x), t = expm1(a);
    V result = o.mulF(o.addF(t, o.divF(t, o.addF(t, 1.0))), 0.5);
    V root = exp(o.mulF(a, 0.5));
    result = o.select(d.greater(a, 40), o.mulF(o.mulF(root, 0.5), root), result);
    return LLVM::CopySignOp::create(e.b, e.loc, result, x);
  }
  V cosh(V x) {
    V a = o.absF(x), t = exp(a), root = exp(o.mulF(a, 0.5));
    V result = o.mulF(o.addF(t, o.divF(num(x, 1), t)), 0.5);
    return o.select(d.greater(a, 40), o.mulF(o.mulF(root, 0.5), root), result);
  }
  V tanh(V x) {
    V a = o.absF(x), t = expm1(o.mulF(o.select(d.greater(a, 30), num(x, 30), a), 2.0)), u = o.addF(t, 2.0);
    V result = o.select(d.less(a, 0.5), o.divF(t, u), o.subF(num(x, 1), o.divF(num(x, 2), u)));
    return LLVM::CopySignOp::create(e.b, e.loc, o.select(o.isNan(x), x, result), x);
  }

  // --- log ---
  /// Natural logarithm of a positive finite number, to 2^-64.
  Pair logPair(V x) {
    V isTiny = d.less(x, 0x1p-1022), scaled = o.select(isTiny, o.mulF(x, 0x1p54), x);
    V word = d.bits(scaled), exponent = o.shrS(o.sub(word, 0x3fe6a09e667f3bcdu), 52);
    V mantissa = d.number(o.sub(word, o.shl(exponent, 52))); // sqrt(1/2) <= mantissa < sqrt(2)
    V n = LLVM::SIToFPOp::create(e.b, e.loc, o.f64(), o.select(isTiny, o.sub(exponent, 54), exponent));
    // 2 atanh(s), s = f / (2 + f).
    V f = o.subF(mantissa, 1.0);
    Pair below = sum(f, num(f, 2));
    V s = o.divF(f, below.high);
    V rest = fma(o.negF(s), below.high, f);
    Pair ratio = fastSum(s, o.divF(fma(o.negF(s), below.low, rest), below.high));
    Pair square = times(ratio, ratio.high);
    square = fastSum(square.high, fma(ratio.high, ratio.low, square.low));
    double c[11];
    for (int k = 0; k < 11; ++k) {
      c[k] = 2.0 / (2 * k + 5);
    }
    // s z (2/3 + z (2/5 + ...)): the first term as a pair.
    V z = square.high, tail = o.mulF(z, d.polynomial(z, c));
    Pair first = fastSum(num(z, 2.0 / 3), o.addF(tail, num(z, 0x1.5555555555555p-55)));
    Pair cube = times(square, ratio.high);
    cube = fastSum(cube.high, fma(z, ratio.low, cube.low));
    Pair series = times(cube, first.high);
    series = fastSum(series.high, fma(cube.high, first.low, series.low));
    Pair log = fastSum(o.addF(ratio.high, ratio.high), series.high);
    log.low = o.addF(log.low, fma(ratio.low, 2.0, series.low));
    Pair base = fastSum(o.mulF(n, 0x1.62e42feep-1), o.mulF(n, 0x1.a39ef35793c76p-33));
    base.low = fma(n, 0x1.cc01f97b57a08p-87, base.low);
    Pair total = sum(base.high, log.high);
    return fastSum(total.high, o.addF(total.low, o.addF(base.low, log.low)));
  }
  /// What a logarithm is of 0, infinity, negative numbers and NaN.
  V logEdges(V x, V result) {
    result = o.select(o.cmpF(FPred::OEQ, x, infinity(x)), infinity(x), result);
    result = o.select(equals(x, 0), num(x, -HUGE_VAL), result);
    return o.select(o.cmpF(FPred::ULT, x, num(x, 0)), nan(x), result);
  }
  V log(V x) { return logEdges(x, value(logPair(x))); }
  V log2(V x) { return logEdges(x, value(times(logPair(x), 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56))); }
  V log10(V x) { return logEdges(x, value(times(logPair(x), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57))); }
  V log1p(V x) {
    Pair u = sum(x, num(x, 1));
    Pair log = logPair(u.high);
    V result = o.addF(log.high, o.addF(log.low, o.divF(u.low, u.high)));
    result = o.select(d.less(o.absF(x), 0x1p-60), x, result);
    return o.select(d.less(o.absF(x), 0x1p-60), x, logEdges(u.high, result));
  }
  V asinh(V x) {
    V a = o.absF(x), square = o.mulF(a, a);
    V near = log1p(o.addF(a, o.divF(square, o.addF(o.sqrt(o.addF(square, 1.0)), 1.0))));
    V result = o.select(d.greater(a, 0x1p28), o.addF(log(a), support::ln2), near);
    return LLVM::CopySignOp::create(e.b, e.loc, result, x);
  }
  V acosh(V x) {
    V t = o.subF(x, 1.0);
    V near = log1p(o.addF(t, o.sqrt(o.addF(o.addF(t, t), o.mulF(t, t)))));
    V result = o.select(d.greater(x, 0x1p28), o.addF(log(x), support::ln2), near);
    return o.select(d.less(x, 1), nan(x), result);
  }
  V atanh(V x) {
    V a = o.absF(x), result = o.mulF(log1p(o.divF(o.addF(a, a), o.subF(num(x, 1), a))), 0.5);
    result = o.select(d.greater(a, 1), nan(x), o.select(equals(a, 1), infinity(x), result));
    return LLVM::CopySignOp::create(e.b, e.loc, result, x);
  }
  V cbrt(V x) {
    V a = o.absF(x), isTiny = d.less(a, 0x1p-900), scaled = o.select(isTiny, o.mulF(a, 0x1p162), a);
    V root = exp(o.divF(log(scaled), num(x, 3)));
    // One step of Newton's method; the cube's error is exact.
    Pair cube = times(product(root, root), root);
    V excess = o.addF(o.subF(cube.high, scaled), cube.low);
    root = o.subF(root, o.divF(excess, o.mulF(o.mulF(root, root), 3.0)));
    root = o.select(isTiny, o.mulF(root, 0x1p-54), root);
    V isSame = o.orI(equals(a, 0), o.notI1(o.cmpF(FPred::OLT, a, infinity(x)))); // 0, infinity, NaN
    return LLVM::CopySignOp::create(e.b, e.loc, o.select(isSame, a, root), x);
  }
  V pow(V x, V y) {
    V a = o.absF(x), one = num(x, 1);
    Pair log = logPair(a);
    // 0, infinity and NaN have no pair.
    V plain = logEdges(a, log.high), isFinite = o.cmpF(FPred::OLT, o.absF(plain), infinity(x));
    log = {plain, o.select(isFinite, log.low, num(x, 0))};
    Pair p = product(log.high, y);
    V low = fma(log.low, y, p.low);
    V isBounded = o.andI(d.less(o.absF(p.high), 0x1p20), o.cmpF(FPred::OLT, o.absF(y), infinity(x)));
    V result = exp(Pair{p.high, o.select(o.andI(isBounded, isFinite), low, num(x, 0))});
    V half = o.mulF(y, 0.5), whole = o.cmpF(FPred::OEQ, y, o.floor(y));
    V odd = o.andI(whole, o.cmpF(FPred::ONE, half, o.floor(half)));
    V isNegative = o.cmp(Pred::slt, d.bits(x), 0), yIsInfinite = o.cmpF(FPred::OEQ, o.absF(y), infinity(x));
    V isOut = o.andI(d.less(x, 0), o.andI(o.cmpF(FPred::ONE, a, infinity(x)), o.notI1(whole)));
    result = o.select(o.andI(isOut, o.notI1(yIsInfinite)), nan(x), result);
    result = o.select(o.andI(odd, isNegative), o.negF(result), result);
    result = o.select(o.andI(yIsInfinite, equals(a, 1)), one, result);
    return o.select(o.orI(equals(x, 1), equals(y, 0)), one, result);
  }

  // --- sine, cosine, tangent ---
  /// The first 1280 digits of 2 / pi after 64 zeros, in constant memory.
  V twoOverPi() {
    static constexpr char name[] = "pavage_two_over_pi";
    static constexpr uint64_t digits[] = {
        0,
        0xa2f9836e4e441529u,
        0xfc2757d1f534ddc0u,
        0xdb6295993c439041u,
        0xfe5163abdebbc561u,
        0xb7246e3a424dd2e0u,
        0x06492eea09d1921cu,
        0xfe1deb1cb129a73eu,
        0xe88235f52ebb4484u,
        0xe99c7026b45f7e41u,
        0x3991d639835339f4u,
        0x9c845f8bbdf9283bu,
        0x1ff897ffde05980fu,
        0xef2f118b5a0a6d1fu,
        0x6d367ecf27cb09b7u,
        0x4f463f669e5fea2du,
        0x7527bac7ebe5f17bu,
        0x3d0739f78a5292eau,
        0x6bfb5fb11f8d5d08u,
        0x56033046fc7b6babu,
        0xf0cfbc209af4361du,
    };
    auto global = e.module.lookupSymbol<LLVM::GlobalOp>(name);
    if (!global) {
      OpBuilder::InsertionGuard guard(e.b);
      e.b.setInsertionPointToStart(e.module.getBody());
      auto array = LLVM::LLVMArrayType::get(o.i(64), std::size(digits));
      auto type = RankedTensorType::get({static_cast<int64_t>(std::size(digits))}, o.i(64));
      global = LLVM::GlobalOp::create(e.b, e.loc, array, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                      DenseElementsAttr::get(type, llvm::ArrayRef(digits)), /*alignment=*/8,
                                      /*addrSpace=*/4);
    }
    return LLVM::AddressOfOp::create(e.b, e.loc, global);
  }
  V mulHigh(V x, V y) {
    V product = LLVM::MulOp::create(e.b, e.loc, o.resize(x, 128, false), o.resize(y, 128, false));
    return o.resize(o.shrU(product, 64), 64, false);
  }

  /// Quadrant (in the low bits) and remainder of a large angle: its 53 digits times the digits of 2 / pi that matter.
  Values reduceLarge(V x) {
    V word = d.bits(o.absF(x)), mantissa = o.orI(o.andI(word, (uint64_t(1) << 52) - 1), uint64_t(1) << 52);
    // x = mantissa 2^k. Digits of 2 / pi above 2^(1 - k) give multiples of 4.
    V position = o.sub(o.shrU(word, 52), 1023 + 52 - 62); // k + 62, from the table's first digit
    position = o.select(o.cmpF(FPred::OLT, o.absF(x), infinity(x)), position, o.constantLike(position, 0));
    V index = o.shrU(position, 6), shift = o.andI(position, 63), base = twoOverPi();
    Values raw, w;
    for (int64_t k = 0; k < 4; ++k) {
      V address = e.gep(base, o.i(64), o.add(index, static_cast<uint64_t>(k)));
      raw.push_back(LLVM::LoadOp::create(e.b, e.loc, o.i(64), address, 8));
    }
    for (int k = 0; k < 3; ++k) {
      w.push_back(e.intrinsic("llvm.fshl", o.i(64), {raw[k], raw[k + 1], shift}));
    }
    // The upper 192 digits of the product modulo 4.
    V low = mulHigh(mantissa, w[2]), middle = e.mul(mantissa, w[1]);
    V middleSum = o.add(middle, low);
    V carry = o.resize(o.cmp(Pred::ult, middleSum, middle), 64, false);
    V top = o.add(o.add(e.mul(mantissa, w[0]), mulHigh(mantissa, w[1])), carry);
    V fraction = o.orI(o.shl(top, 2), o.shrU(middleSum, 62)), more = o.shl(middleSum, 2);
    V quadrant = o.add(o.shrU(top, 62), o.shrU(fraction, 63)); // to nearest
    // The fraction, signed, in units of 2^-64: the upper 53 of its digits exactly, then the rest.
    V upper = o.andI(fraction, ~uint64_t(2047)), lower = o.andI(fraction, 2047);
    Pair turn{LLVM::SIToFPOp::create(e.b, e.loc, o.f64(), upper), LLVM::UIToFPOp::create(e.b, e.loc, o.f64(), lower)};
    turn.low = fma(LLVM::UIToFPOp::create(e.b, e.loc, o.f64(), more), 0x1p-64, turn.low);
    turn = fastSum(turn.high, turn.low);
    Pair r =
        times({o.mulF(turn.high, 0x1p-64), o.mulF(turn.low, 0x1p-64)}, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    V isNegative = o.cmp(Pred::slt, d.bits(x), 0);
    auto flip = [&](V v) { return o.select(isNegative, o.negF(v), v); };
    quadrant = o.select(isNegative, o.sub(o.constantLike(quadrant, 0), quadrant), quadrant);
    return {quadrant, flip(r.high), flip(r.low)};
  }
  /// Quadrant and remainder of an angle.
  Values reduceAngle(V x) {
    V isLarge = o.notI1(d.less(o.absF(x), 0x1p20));
    V near = o.select(isLarge, num(x, 0), x), n = d.nearest(o.mulF(near, 2 / support::pi));
    // Two parts of pi / 2 of 33 digits, whose products with n are exact, and the rest.
    V a = fma(n, -0x1.921fb544p+0, near), b = o.mulF(n, 0x1.0b4611a6p-34);
    Pair r = sum(a, o.negF(b));
    r = fastSum(r.high, fma(n, -0x1.3198a2e037073p-69, r.low));
    V quadrant = d.bits(o.addF(n, support::roundingMagic));
    return e.choose(isLarge, [&] { return reduceLarge(x); }, ValueRange{quadrant, r.high, r.low});
  }
  V sineReduced(Pair r) {
    V z = o.mulF(r.high, r.high);
    double c[9], factorial = 6;
    for (int k = 0; k < 9; ++k) {
      c[k] = (k % 2 == 0 ? -1 : 1) / factorial;
      factorial *= (2.0 * k + 4) * (2.0 * k + 5);
    }
    V rest = fma(o.mulF(z, r.high), d.polynomial(z, c), o.mulF(r.low, fma(z, -0.5, num(z, 1))));
    return o.addF(r.high, rest);
  }
  V cosineReduced(Pair r) {
    V z = o.mulF(r.high, r.high);
    double c[8], factorial = 24;
    for (int k = 0; k < 8; ++k) {
      c[k] = (k % 2 == 0 ? 1 : -1) / factorial;
      factorial *= (2.0 * k + 5) * (2.0 * k + 6);
    }
    V half = o.mulF(z, 0.5), w = o.subF(num(z, 1), half), lost = o.subF(o.subF(num(z, 1), w), half);
    V rest = fma(o.mulF(z, z), d.polynomial(z, c), o.mulF(o.negF(r.high), r.low));
    return o.addF(w, o.addF(lost, rest));
  }
  V sine(V x, bool isCosine) {
    Values reduced = reduceAngle(x);
    V quadrant = isCosine ? o.add(reduced[0], 1) : reduced[0];
    Pair r{reduced[1], reduced[2]};
    V odd = o.cmp(Pred::ne, o.andI(quadrant, 1), 0);
    V magnitude = o.select(odd, cosineReduced(r), sineReduced(r));
    V result = d.number(o.xorI(d.bits(magnitude), o.shl(o.andI(quadrant, 2), 62)));
    return edges(x, isCosine ? result : o.select(equals(x, 0), x, result));
  }
  V tangent(V x) {
    Values reduced = reduceAngle(x);
    Pair r{reduced[1], reduced[2]};
    V s = sineReduced(r), c = cosineReduced(r), odd = o.cmp(Pred::ne, o.andI(reduced[0], 1), 0);
    V result = o.divF(o.select(odd, o.negF(c), s), o.select(odd, s, c));
    return edges(x, o.select(equals(x, 0), x, result));
  }
  /// Infinity and NaN have no sine.
  V edges(V x, V result) { return o.select(o.cmpF(FPred::OLT, o.absF(x), infinity(x)), result, nan(x)); }

  // --- inverse functions ---
  /// Arc tangent of 0 <= upper / lower <= 1.
  Pair atanReduced(V upper, V lower) {
    // Above tan(pi/8), as pi/4 + atan((upper - lower) / (upper + lower)).
    V isUpper = o.cmpF(FPred::OGT, upper, o.mulF(lower, std::numbers::sqrt2 - 1));
    Pair above = sum(upper, o.negF(lower)), below = sum(upper, lower);
    Pair p{o.select(isUpper, above.high, upper), o.select(isUpper, above.low, num(upper, 0))};
    Pair q{o.select(isUpper, below.high, lower), o.select(isUpper, below.low, num(upper, 0))};
    V y = o.divF(p.high, q.high);
    V rest = o.divF(o.subF(o.addF(fma(o.negF(y), q.high, p.high), p.low), o.mulF(y, q.low)), q.high);
    V z = o.mulF(y, y);
    double c[22];
    for (int k = 0; k < 22; ++k) {
      c[k] = (k % 2 == 0 ? -1.0 : 1.0) / (2 * k + 3);
    }
    V tail = fma(o.mulF(z, y), d.polynomial(z, c), o.divF(rest, o.addF(z, 1.0)));
    V quarter = o.select(isUpper, num(y, support::pi / 4), num(y, 0));
    Pair result = sum(quarter, y);
    result.low = o.addF(result.low, tail);
    result.low = o.addF(result.low, o.select(isUpper, num(y, 0x1.1a62633145c07p-55), num(y, 0)));
    return fastSum(result.high, result.low);
  }
  /// A multiple of pi / 2 minus an angle.
  Pair from(double high, double low, Pair angle) {
    Pair total = sum(num(angle.high, high), o.negF(angle.high));
    return fastSum(total.high, o.addF(total.low, o.subF(num(angle.high, low), angle.low)));
  }
  Pair choose(V condition, Pair x, Pair y) {
    return {o.select(condition, x.high, y.high), o.select(condition, x.low, y.low)};
  }
  V atan2(V y, V x) {
    // Scaled, so that sums of the two are neither infinite nor inexact.
    V ax = o.absF(x), ay = o.absF(y), swap = o.cmpF(FPred::OGT, ay, ax);
    V upper = o.select(swap, ax, ay), lower = o.select(swap, ay, ax);
    V isHuge = d.greater(lower, 0x1p1000), isTiny = d.less(lower, 0x1p-900);
    V factor = o.select(isHuge, num(x, 0x1p-100), o.select(isTiny, num(x, 0x1p160), num(x, 1)));
    V areInfinite = o.cmpF(FPred::OEQ, upper, infinity(x)), isZero = equals(lower, 0);
    V scaledUpper = o.select(areInfinite, num(x, 1), o.mulF(upper, factor));
    V scaledLower = o.select(areInfinite, num(x, 1), o.select(isZero, num(x, 1), o.mulF(lower, factor)));
    Pair r = atanReduced(scaledUpper, scaledLower);
    V isDistant = o.andI(o.cmpF(FPred::OEQ, lower, infinity(x)), o.notI1(areInfinite));
    r = choose(isDistant, {num(x, 0), num(x, 0)}, r);
    r = choose(swap, from(support::pi / 2, 0x1.1a62633145c07p-54, r), r);
    V isLeft = o.cmp(Pred::slt, d.bits(x), 0);
    r = choose(isLeft, from(support::pi, 0x1.1a62633145c07p-53, r), r);
    // A small angle is a quotient, which may be denormal.
    V result = LLVM::CopySignOp::create(e.b, e.loc, value(r), y);
    V isSmall = o.andI(o.notI1(o.orI(swap, isLeft)), d.less(o.absF(result), 0x1p-500));
    result = o.select(o.andI(isSmall, o.notI1(o.orI(isZero, isDistant))), o.divF(y, x), result);
    return o.select(o.cmpF(FPred::UNO, x, y), o.addF(x, y), result);
  }
  V atan(V x) { return o.select(o.isNan(x), x, atan2(x, num(x, 1))); }
  V asin(V x) {
    V r = atan2(x, o.sqrt(o.mulF(o.subF(num(x, 1), x), o.addF(x, 1.0))));
    return o.select(d.less(o.absF(x), 0x1p-27), x, r);
  }
  V acos(V x) {
    V half = o.sqrt(o.mulF(o.subF(num(x, 1), x), 0.5)), other = o.sqrt(o.mulF(o.addF(x, 1.0), 0.5));
    return o.mulF(atan2(half, other), 2.0);
  }

  // --- error function ---
  V erfSmall(V x) {
    double c[21], factorial = 1;
    for (int k = 0; k < 21; ++k) {
      factorial *= k > 1 ? k : 1;
      c[k] = (k % 2 == 0 ? 1.0 : -1.0) / (factorial * (2 * k + 1)) * 2 * std::numbers::inv_sqrtpi;
    }
    // The first coefficient has digits beyond its own.
    V z = o.mulF(x, x), p = d.polynomial(z, llvm::ArrayRef(c).drop_front());
    return fma(x, 2 * std::numbers::inv_sqrtpi, o.mulF(x, fma(z, p, num(x, 0x1.1ae3a914fed80p-56))));
  }
  /// erfc from 0.5 on: t e^(-x^2 + p(t)) with t = 2 / (2 + x); p fitted at Chebyshev points of 0.45 <= x <= 28.
  V erfcLarge(V x) {
    constexpr double least = 2 / 30.0, greatest = 2 / 2.45;
    static constexpr double c[] = {
        -0.74977667624257952167,     0.49455767208077972305,     0.035325723143831174426,    -0.017331555614799925972,
        -0.0045943095651322021108,   0.0016443458397318550163,   0.00062687261015352449539,  -0.00024891927234099134551,
        -0.000085969735393010881934, 0.000047297202276348160588, 9.8156464370637593202e-6,   -9.4100918299553851836e-6,
        -3.5765167926430024382e-7,   1.7176145219532060793e-6,   -2.517127694820185459e-7,   -2.4954642310841585521e-7,
        9.7918700993823598705e-8,    1.9584712601359251684e-8,   -2.1433999658132543757e-8,  2.2647859456340509467e-9,
        2.9379766197301704314e-9,    -1.0081659374253545622e-9,  -1.9827679204580832689e-10, 1.1952315586402815137e-10};
    V t = o.divF(num(x, 2), o.addF(x, 2.0));
    V u = o.mulF(o.subF(t, (least + greatest) / 2), 2 / (greatest - least));
    Pair square = product(x, x);
    Pair total = sum(o.negF(square.high), d.polynomial(u, c));
    return o.mulF(t, exp(Pair{total.high, o.subF(total.low, square.low)}));
  }
  V limit(V a) { return o.select(d.greater(a, 27.5), num(a, 27.5), o.select(d.less(a, 0.5), num(a, 0.5), a)); }
  V erf(V x) {
    V a = o.absF(x), large = o.subF(num(x, 1), erfcLarge(limit(a)));
    large = LLVM::CopySignOp::create(e.b, e.loc, large, x);
    return o.select(d.greater(a, 1), large, erfSmall(x));
  }
  V erfc(V x) {
    V a = o.absF(x), large = erfcLarge(limit(a));
    large = o.select(d.less(x, 0), o.subF(num(x, 2), large), large);
    return o.select(d.greater(a, 0.5), large, o.subF(num(x, 1), erfSmall(x)));
  }
};

} // namespace

Value sineOfDouble(Emitter &e, Value x, bool isCosine) { return Wide(e).sine(x, isCosine); }

Value powerOfDouble(Emitter &e, Value x, Value y) { return Wide(e).pow(x, y); }

Value functionOfDouble(Emitter &e, Operation *op, ValueRange v) {
  Wide w(e);
  Value x = v[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return w.exp(x); })
      .Case([&](math::Exp2Op) { return w.exp2(x); })
      .Case([&](math::ExpM1Op) { return w.expm1(x); })
      .Case([&](math::LogOp) { return w.log(x); })
      .Case([&](math::Log2Op) { return w.log2(x); })
      .Case([&](math::Log10Op) { return w.log10(x); })
      .Case([&](math::Log1pOp) { return w.log1p(x); })
      .Case([&](math::SinhOp) { return w.sinh(x); })
      .Case([&](math::CoshOp) { return w.cosh(x); })
      .Case([&](math::TanhOp) { return w.tanh(x); })
      .Case([&](math::AsinhOp) { return w.asinh(x); })
      .Case([&](math::AcoshOp) { return w.acosh(x); })
      .Case([&](math::AtanhOp) { return w.atanh(x); })
      .Case([&](math::SinOp) { return w.sine(x, false); })
      .Case([&](math::CosOp) { return w.sine(x, true); })
      .Case([&](math::TanOp) { return w.tangent(x); })
      .Case([&](math::AsinOp) { return w.asin(x); })
      .Case([&](math::AcosOp) { return w.acos(x); })
      .Case([&](math::AtanOp) { return w.atan(x); })
      .Case([&](math::Atan2Op) { return w.atan2(x, v[1]); })
      .Case([&](math::CbrtOp) { return w.cbrt(x); })
      .Case([&](math::PowFOp) { return w.pow(x, v[1]); })
      .Case([&](math::ErfOp) { return w.erf(x); })
      .Case([&](math::ErfcOp) { return w.erfc(x); })
      .Default([](Operation *) { return Value(); });
}

} // namespace pavage::gpu

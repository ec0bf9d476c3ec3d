// Functions of math, a vector at a time. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp and exp2 of f32 are computed in f32. The other f32 functions are computed in f64 by series and fits good to about
// 1e-11 and rounded once, so that no argument range needs care; docs/spec/numerics.md states the errors measured. f64
// calls libm for each lane.
#include "compiler/Cpu/Lower/Ops.h"

#include "compiler/Support/DoubleMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pavage::cpu {

using Double = support::DoubleMath<Ops>;
using support::ln2;

Value Ops::any(Value condition) {
  int64_t lanes = lanesOf(condition.getType());
  if (lanes == 0) {
    return condition;
  }
  Value mask = LLVM::BitcastOp::create(b, loc, i(lanes), condition);
  return cmp(Pred::ne, mask, 0);
}

Value Ops::all(Value condition) {
  int64_t lanes = lanesOf(condition.getType());
  if (lanes == 0) {
    return condition;
  }
  Value mask = LLVM::BitcastOp::create(b, loc, i(lanes), condition);
  return cmp(Pred::eq, mask, ~uint64_t(0));
}

/// e^x, or 2^x, in f32: reduction to |r| <= ln2 / 2, a polynomial, two multiplications by powers of two, so that
/// denormal results round once.
static Value exponential(Ops &o, Value x, bool isBase2) {
  auto mad = [&](Value a, Value b, Value c) { return o.target.hasFma ? o.fma(a, b, c) : o.addF(o.mulF(a, b), c); };
  auto num = [&](double value) { return o.constantFLike(x, value); };
  // Beyond these the result is 0 or infinite.
  double lowest = isBase2 ? -160 : -110, highest = isBase2 ? 130 : 90;
  x = o.select(o.cmpF(Ops::FPred::OGT, x, num(highest)), num(highest), x);
  x = o.select(o.cmpF(Ops::FPred::OLT, x, num(lowest)), num(lowest), x);
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
  constexpr double magic = 12582912;
  Value shifted = o.addF(isBase2 ? x : o.mulF(x, 1 / ln2), magic), n = o.subF(shifted, magic), r;
  if (isBase2) {
    r = o.mulF(o.subF(x, n), ln2);
  } else {
    r = mad(n, num(2.12194440e-4), mad(n, num(-0.693359375), x));
  }
  Value q = num(1.381453942e-3);
  for (double c : {8.368745446e-3, 4.166838899e-2, 1.666652113e-1, 4.999999404e-1}) {
    q = mad(q, r, num(c));
  }
  Value y = o.addF(mad(q, o.mulF(r, r), r), 1.0);
  Value count = o.sub(o.bitcast(shifted, o.i(32)), 0x4b400000u);
  Value first = o.shrS(count, 1), second = o.sub(count, first);
  auto scale = [&](Value k) { return o.bitcast(o.shl(o.add(k, 127), 23), o.f32()); };
  return o.select(o.isNan(x), x, o.mulF(o.mulF(y, scale(first)), scale(second)));
}

Value Ops::power(Value x, Value y) {
  Double d{*this};
  return d.pow(x, y);
}

Value Ops::integerPower(Value x, Value n) {
  // By squaring; the count of rounds is the width. A negative power is 0 but for 1 and -1, and 1 / 0 has all bits set.
  unsigned bitWidth = width(x);
  Value one = constantLike(x, 1), init[] = {one, x, n};
  auto loop = scf::ForOp::create(b, loc, constant(i(64), 0), constant(i(64), bitWidth), constant(i(64), 1), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value result = loop.getRegionIterArg(0), base = loop.getRegionIterArg(1), rest = loop.getRegionIterArg(2);
    Value isOdd = cmp(Pred::ne, andI(rest, 1), 0);
    Value next[] = {select(isOdd, mul(result, base), result), mul(base, base), shrU(rest, 1)};
    scf::YieldOp::create(b, loc, next);
  }
  Value isNegative = cmp(Pred::slt, n, 0);
  Value isMinusOne = cmp(Pred::eq, x, ~uint64_t(0));
  Value alternating = select(cmp(Pred::ne, andI(n, 1), 0), x, one);
  Value small = select(cmp(Pred::eq, x, one), one, select(isMinusOne, alternating, constantLike(x, 0)));
  small = select(cmp(Pred::eq, x, 0), constantLike(x, ~uint64_t(0)), small);
  return select(isNegative, small, loop.getResult(0));
}

Value Ops::sine(Value x, bool isCosine) {
  if (width(x) == 64) {
    return call(isCosine ? "cos" : "sin", x);
  }
  Double d{*this};
  Value wide = arith::ExtFOp::create(b, loc, like(f64(), x), x);
  Value fast = arith::TruncFOp::create(b, loc, x.getType(), d.sine(wide, isCosine));
  // Large arguments, which are rare, go to libm.
  Value isLarge = cmpF(FPred::OGT, absF(x), constantFLike(x, 1e6));
  auto branch = scf::IfOp::create(b, loc, x.getType(), any(isLarge), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, select(isLarge, call(isCosine ? "cosf" : "sinf", x), fast));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, fast);
  return branch.getResult(0);
}

/// Half away from zero.
static Value round(Ops &o, Value x) {
  Value whole = math::TruncOp::create(o.b, o.loc, x);
  unsigned width = Ops::width(x);
  Value sign = o.andI(o.bitcast(x, o.i(width)), uint64_t(1) << (width - 1));
  Value one = o.bitcast(o.orI(o.bitcast(o.constantFLike(x, 1), o.i(width)), sign), getElementTypeOrSelf(x.getType()));
  Value isFar = o.cmpF(Ops::FPred::OGE, o.absF(o.subF(x, whole)), o.constantFLike(x, 0.5));
  return o.select(isFar, o.addF(whole, one), whole);
}

/// The name of the libm function for f64; null when there is none.
static StringRef libmName(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Case("powf", "pow")
      .Cases({"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh"},
             op->getName().stripDialect())
      .Cases({"erf", "erfc", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh"},
             op->getName().stripDialect())
      .Default("");
}

Value Ops::function(Operation *op, ArrayRef<Value> v) {
  Value x = v[0];
  Value exact = llvm::TypeSwitch<Operation *, Value>(op)
                    .Case([&](math::SqrtOp) { return sqrt(x); })
                    .Case([&](math::FloorOp) { return floor(x); })
                    .Case([&](math::CeilOp) { return math::CeilOp::create(b, loc, x).getResult(); })
                    .Case([&](math::TruncOp) { return math::TruncOp::create(b, loc, x).getResult(); })
                    .Case([&](math::RoundEvenOp) { return roundEven(x); })
                    .Case([&](math::RoundOp) { return round(*this, x); })
                    .Default([](Operation *) { return Value(); });
  if (exact) {
    return exact;
  }
  if (width(x) == 64) {
    if (isa<math::RsqrtOp>(op)) {
      return divF(constantFLike(x, 1), sqrt(x));
    }
    StringRef name = libmName(op);
    return name.empty() ? Value() : call(name, v);
  }
  if (isa<math::ExpOp, math::Exp2Op>(op)) {
    return exponential(*this, x, isa<math::Exp2Op>(op));
  }
  if (isa<math::SinOp, math::CosOp>(op)) {
    return sine(x, isa<math::CosOp>(op));
  }
  Double d{*this};
  SmallVector<Value> wide;
  for (Value operand : v) {
    wide.push_back(arith::ExtFOp::create(b, loc, like(f64(), operand), operand));
  }
  Value w = wide[0];
  Value result = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case([&](math::RsqrtOp) { return divF(constantFLike(w, 1), sqrt(w)); })
                     .Case([&](math::ExpM1Op) { return d.expm1(w); })
                     .Case([&](math::LogOp) { return d.log(w); })
                     .Case([&](math::Log2Op) { return mulF(d.log(w), 1 / ln2); })
                     .Case([&](math::Log10Op) { return mulF(d.log(w), 1 / std::numbers::ln10); })
                     .Case([&](math::Log1pOp) { return d.log1p(w); })
                     .Case([&](math::TanhOp) { return d.tanh(w); })
                     .Case([&](math::SinhOp) { return d.sinh(w); })
                     .Case([&](math::CoshOp) { return d.cosh(w); })
                     .Case([&](math::AsinhOp) { return d.asinh(w); })
                     .Case([&](math::AcoshOp) { return d.acosh(w); })
                     .Case([&](math::AtanhOp) { return d.atanh(w); })
                     .Case([&](math::AtanOp) { return d.atan(w); })
                     .Case([&](math::Atan2Op) { return d.atan2(w, wide[1]); })
                     .Case([&](math::AsinOp) { return d.asin(w); })
                     .Case([&](math::AcosOp) { return d.acos(w); })
                     .Case([&](math::ErfOp) { return d.erf(w); })
                     .Case([&](math::ErfcOp) { return d.erfc(w); })
                     .Case([&](math::PowFOp) { return d.pow(w, wide[1]); })
                     .Case([&](math::TanOp) {
                       // Through libm for large arguments, as sin and cos.
                       Value isLarge = cmpF(FPred::OGT, absF(x), constantFLike(x, 1e6));
                       auto branch = scf::IfOp::create(b, loc, w.getType(), any(isLarge), true);
                       OpBuilder::InsertionGuard guard(b);
                       b.setInsertionPointToStart(branch.thenBlock());
                       scf::YieldOp::create(b, loc, call("tan", w));
                       b.setInsertionPointToStart(branch.elseBlock());
                       scf::YieldOp::create(b, loc, divF(d.sine(w, false), d.sine(w, true)));
                       return branch.getResult(0);
                     })
                     .Case([&](math::CbrtOp) {
                       Value root = d.exp(divF(d.log(absF(w)), constantFLike(w, 3)));
                       root = select(cmpF(FPred::OEQ, w, constantFLike(w, 0)), w, root);
                       return d.withSign(root, d.signOf(w));
                     })
                     .Default([](Operation *) { return Value(); });
  if (!result) {
    return {};
  }
  return arith::TruncFOp::create(b, loc, x.getType(), result);
}

} // namespace pavage::cpu

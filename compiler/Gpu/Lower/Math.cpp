// Functions of math, one element at a time. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frequent f32 functions are short and stand in line, on the hardware's ex2 where its error allows. The other f32
// functions, and large arguments of sine and cosine, are computed in f64 (compiler/Support/DoubleMath.h) and rounded
// once; f64 ones carry two f64 where they must (MathDouble.cpp). Both are functions of the PTX module, called: their
// code is long, and a thread may hold hundreds of elements. docs/spec/numerics.md states the errors.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/MathDouble.h"

#include "compiler/Support/DoubleMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pavage::gpu {

using FPred = Scalars::FPred;
using Pred = Scalars::Pred;
using Double = support::DoubleMath<Scalars>;

// --- functions of the module -----------------------------------------------------------------------------------------

Value callHelper(Emitter &e, StringRef name, Type result, ValueRange operands,
                 llvm::function_ref<Value(ValueRange)> body) {
  std::string symbol = ("pavage_" + name).str();
  auto function = e.module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(e.module.getBody());
    auto type = LLVM::LLVMFunctionType::get(result, SmallVector<Type>(operands.getTypes()));
    function = LLVM::LLVMFuncOp::create(e.b, e.loc, symbol, type, LLVM::Linkage::Internal);
    function.setNoInline(true);
    Block *entry = function.addEntryBlock(e.b);
    e.b.setInsertionPointToStart(entry);
    Value made = body(entry->getArguments());
    LLVM::ReturnOp::create(e.b, e.loc, made);
  }
  return LLVM::CallOp::create(e.b, e.loc, function, operands).getResult();
}

// --- f32 in line -----------------------------------------------------------------------------------------------------

static Value exp2Approx(Scalars &o, Value x) { return LLVM::Exp2Op::create(o.e.b, o.e.loc, x); }

/// 2^(x log2 e): the exponent is split into an f32 and what it lacks, which scales the result.
static Value exponential(Scalars &o, Value x) {
  // Above, the result is infinite; below, it is 0.
  constexpr float greatest = 88.72283172607421875f;
  Value isLarge = o.cmpF(FPred::OGT, x, o.constantFLike(x, greatest));
  Value limited = o.select(isLarge, o.constantFLike(x, greatest), x);
  limited = o.select(o.cmpF(FPred::OLT, limited, o.constantFLike(x, -110)), o.constantFLike(x, -110), limited);
  constexpr float log2e = 1.44269502162933349609375f; // and 1.925963033500011e-08 more
  Value high = o.mulF(limited, log2e);
  Value low = o.fma(limited, o.constantFLike(x, log2e), o.negF(high));
  low = o.fma(limited, o.constantFLike(x, 1.925963033500011e-08), low);
  Value power = exp2Approx(o, high);
  Value result = o.fma(power, o.mulF(low, support::ln2), power);
  return o.select(isLarge, o.constantFLike(x, HUGE_VAL), result);
}

/// Natural or binary logarithm.
static Value logarithm(Scalars &o, Value x, bool isBase2) {
  auto mad = [&](Value a, Value b, double c) { return o.fma(a, b, o.constantFLike(a, c)); };
  Value isTiny = o.cmpF(FPred::OLT, x, o.constantFLike(x, 0x1p-126));
  Value scaled = o.select(isTiny, o.mulF(x, 0x1p23), x);
  Value word = o.bitcast(scaled, o.i(32));
  Value exponent = o.shrS(o.sub(word, 0x3f3504f3u), 23); // sqrt(1/2) <= mantissa < sqrt(2)
  Value f = o.subF(o.bitcast(o.sub(word, o.shl(exponent, 23)), o.f32()), 1.0);
  exponent = o.select(isTiny, o.sub(exponent, 23), exponent);
  Value n = LLVM::SIToFPOp::create(o.e.b, o.e.loc, o.f32(), exponent);
  Value z = o.mulF(f, f), p = o.constantFLike(x, 7.0376836292e-2);
  for (double c : {-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                   2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1}) {
    p = mad(p, f, c);
  }
  Value y = o.mulF(o.mulF(p, f), z), half = o.constantFLike(x, -0.5), result;
  if (isBase2) {
    // log2 e = 1 + c, so that the large part of the product is exact.
    Value c = o.constantFLike(x, 0.44269504088896340736);
    y = o.fma(half, z, y);
    Value small = o.fma(y, c, o.mulF(f, c));
    result = o.addF(o.addF(o.addF(small, y), f), n);
  } else {
    y = o.fma(n, o.constantFLike(x, -2.12194440e-4), y);
    result = o.addF(f, o.fma(half, z, y));
    result = o.fma(n, o.constantFLike(x, 0.693359375), result);
  }
  Value infinity = o.constantFLike(x, HUGE_VAL);
  result = o.select(o.cmpF(FPred::OEQ, x, infinity), infinity, result);
  result = o.select(o.cmpF(FPred::OEQ, x, o.constantFLike(x, 0)), o.constantFLike(x, -HUGE_VAL), result);
  return o.select(o.cmpF(FPred::ULT, x, o.constantFLike(x, 0)), o.constantFLike(x, std::nan("")), result);
}

static Value hyperbolicTangent(Scalars &o, Value x) {
  Value a = o.absF(x), z = o.mulF(x, x), p = o.constantFLike(x, -5.70498872745e-3);
  for (double c : {2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1}) {
    p = o.fma(p, z, o.constantFLike(x, c));
  }
  Value small = o.fma(o.mulF(p, z), x, x);
  Value power = exponential(o, o.addF(a, a));
  Value inverse = o.e.intrinsic("llvm.nvvm.rcp.approx.ftz.f", o.f32(), o.addF(power, 1.0));
  Value large = o.fma(inverse, o.constantFLike(x, -2.0), o.constantFLike(x, 1));
  Value sign = o.andI(o.bitcast(x, o.i(32)), 0x80000000u);
  large = o.bitcast(o.orI(o.bitcast(large, o.i(32)), sign), o.f32());
  return o.select(o.cmpF(FPred::OLT, a, o.constantFLike(x, 0.625)), small, large);
}

/// In line up to where three parts of pi / 2 are enough; beyond by a call, which is rare.
static Value sine(Scalars &o, Value x, bool isCosine) {
  auto near = [&](Value value, double c) { return o.constantFLike(value, c); };
  constexpr double magic = 12582912; // 1.5 * 2^23: leaves the nearest integer in the low bits
  Value shifted = o.addF(o.mulF(x, 2 / support::pi), magic), n = o.subF(shifted, magic);
  Value r = o.fma(n, near(x, -1.57079625129699707031), x);
  r = o.fma(n, near(x, -7.54978941586159635335e-08), r);
  r = o.fma(n, near(x, -5.39030285815811827e-15), r);
  Value quadrant = o.bitcast(shifted, o.i(32));
  if (isCosine) {
    quadrant = o.add(quadrant, 1);
  }
  Value z = o.mulF(r, r);
  Value s = o.fma(z, near(x, -1.9515295891e-4), near(x, 8.3321608736e-3));
  s = o.fma(o.fma(s, z, near(x, -1.6666654611e-1)), o.mulF(z, r), r);
  Value c = o.fma(z, near(x, 2.443315711809948e-5), near(x, -1.388731625493765e-3));
  c = o.fma(o.fma(c, z, near(x, 4.166664568298827e-2)), o.mulF(z, z), o.fma(z, near(x, -0.5), near(x, 1)));
  Value odd = o.cmp(Pred::ne, o.andI(quadrant, 1), 0);
  Value result = o.bitcast(o.select(odd, c, s), o.i(32));
  result = o.bitcast(o.xorI(result, o.shl(o.andI(quadrant, 2), 30)), o.f32());
  Value isLarge = o.notI1(o.cmpF(FPred::OLE, o.absF(x), near(x, 48039)));
  auto exact = [&] {
    auto body = [&](ValueRange v) { return sineOfDouble(o.e, v[0], isCosine); };
    Value wide = callHelper(o.e, isCosine ? "cos_f64" : "sin_f64", o.f64(), o.extend(x, o.f64()), body);
    return Values{o.truncate(wide, o.f32())};
  };
  return o.e.choose(isLarge, exact, result).front();
}

// --- f32 by f64 ------------------------------------------------------------------------------------------------------

static Value byDouble(Emitter &e, Operation *op, ValueRange v) {
  Scalars o{e};
  Double d{o};
  Value x = v[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpM1Op) { return d.expm1(x); })
      .Case([&](math::Log10Op) { return o.mulF(d.log(x), 1 / std::numbers::ln10); })
      .Case([&](math::Log1pOp) { return d.log1p(x); })
      .Case([&](math::SinhOp) { return d.sinh(x); })
      .Case([&](math::CoshOp) { return d.cosh(x); })
      .Case([&](math::AsinhOp) { return d.asinh(x); })
      .Case([&](math::AcoshOp) { return d.acosh(x); })
      .Case([&](math::AtanhOp) { return d.atanh(x); })
      .Case([&](math::AtanOp) { return d.atan(x); })
      .Case([&](math::Atan2Op) { return d.atan2(x, v[1]); })
      .Case([&](math::AsinOp) { return d.asin(x); })
      .Case([&](math::AcosOp) { return d.acos(x); })
      .Case([&](math::ErfOp) { return d.erf(x); })
      .Case([&](math::ErfcOp) { return d.erfc(x); })
      .Case([&](math::PowFOp) { return d.pow(x, v[1]); })
      .Case([&](math::TanOp) { return functionOfDouble(e, op, v); })
      .Case([&](math::CbrtOp) {
        Value root = d.exp(o.divF(d.log(o.absF(x)), o.constantFLike(x, 3)));
        root = o.select(o.cmpF(FPred::OEQ, x, o.constantFLike(x, 0)), x, root);
        return d.withSign(root, d.signOf(x));
      })
      .Default([](Operation *) { return Value(); });
}

// --- all of them -----------------------------------------------------------------------------------------------------

/// Half away from zero.
static Value roundAway(Scalars &o, Value x) {
  Value whole = LLVM::FTruncOp::create(o.e.b, o.e.loc, x);
  Value isFar = o.cmpF(FPred::OGE, o.absF(o.subF(x, whole)), o.constantFLike(x, 0.5));
  Value one = LLVM::CopySignOp::create(o.e.b, o.e.loc, o.constantFLike(x, 1), x);
  return o.select(isFar, o.addF(whole, one), whole);
}

/// What IEEE 754 defines, and rsqrt.
static Value exactFunction(Scalars &o, Operation *op, Value x) {
  OpBuilder &b = o.e.b;
  Location loc = o.e.loc;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::SqrtOp) { return o.sqrt(x); })
      .Case([&](math::FloorOp) { return o.floor(x); })
      .Case([&](math::CeilOp) { return LLVM::FCeilOp::create(b, loc, x).getResult(); })
      .Case([&](math::TruncOp) { return LLVM::FTruncOp::create(b, loc, x).getResult(); })
      .Case([&](math::RoundEvenOp) { return LLVM::RoundEvenOp::create(b, loc, x).getResult(); })
      .Case([&](math::RoundOp) { return roundAway(o, x); })
      .Case([&](math::RsqrtOp) {
        return x.getType().isF32() ? o.e.intrinsic("llvm.nvvm.rsqrt.approx.f", o.f32(), x)
                                   : o.divF(o.constantFLike(x, 1), o.sqrt(x));
      })
      .Default([](Operation *) { return Value(); });
}

/// Of f32 or f64.
static Value function(Emitter &e, Operation *op, ValueRange v) {
  Scalars o{e};
  Value x = v[0];
  if (Value exact = exactFunction(o, op, x)) {
    return exact;
  }
  std::string name = op->getName().stripDialect().str();
  if (x.getType().isF64()) {
    return callHelper(e, name + "_f64", x.getType(), v,
                      [&](ValueRange operands) { return functionOfDouble(e, op, operands); });
  }
  Value short_ = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case([&](math::Exp2Op) { return exp2Approx(o, x); })
                     .Case([&](math::ExpOp) { return exponential(o, x); })
                     .Case([&](math::LogOp) { return logarithm(o, x, false); })
                     .Case([&](math::Log2Op) { return logarithm(o, x, true); })
                     .Case([&](math::TanhOp) { return hyperbolicTangent(o, x); })
                     .Case([&](math::SinOp) { return sine(o, x, false); })
                     .Case([&](math::CosOp) { return sine(o, x, true); })
                     .Default([](Operation *) { return Value(); });
  if (short_) {
    return short_;
  }
  return callHelper(e, name + "_f32", x.getType(), v, [&](ValueRange operands) {
    Values wide;
    for (Value operand : operands) {
      wide.push_back(o.extend(operand, o.f64()));
    }
    return o.truncate(byDouble(e, op, wide), o.f32());
  });
}

static Value classify(Scalars &o, Operation *op, Value x, Type element) {
  if (isa<math::IsNaNOp>(op)) {
    return o.isNan(x);
  }
  Value magnitude = o.absF(x), infinity = o.constantFLike(x, HUGE_VAL);
  if (isa<math::IsInfOp>(op)) {
    return o.cmpF(FPred::OEQ, magnitude, infinity);
  }
  Value finite = o.cmpF(FPred::OLT, magnitude, infinity);
  if (isa<math::IsFiniteOp>(op)) {
    return finite;
  }
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  double least = std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(semantics));
  return o.andI(finite, o.cmpF(FPred::OGE, magnitude, o.constantFLike(x, least)));
}

/// x^n modulo 2^width by squaring; a negative power is 0 but for 1 and -1, and 1 / 0 has all bits set.
static Value integerPower(Scalars &o, Value x, Value n) {
  Value one = o.constantLike(x, 1);
  Values init{one, x, n};
  Values last = o.e.repeat(o.e.i32(Scalars::width(x)), init, [&](Value, ValueRange v) {
    Value isOdd = o.cmp(Pred::ne, o.andI(v[2], 1), 0);
    return Values{o.select(isOdd, o.e.mul(v[0], v[1]), v[0]), o.e.mul(v[1], v[1]), o.shrU(v[2], 1)};
  });
  Value isMinusOne = o.cmp(Pred::eq, x, ~uint64_t(0));
  Value alternating = o.select(o.cmp(Pred::ne, o.andI(n, 1), 0), x, one);
  Value small = o.select(o.cmp(Pred::eq, x, one), one, o.select(isMinusOne, alternating, o.constantLike(x, 0)));
  small = o.select(o.cmp(Pred::eq, x, 0), o.constantLike(x, ~uint64_t(0)), small);
  return o.select(o.cmp(Pred::slt, n, 0), small, last[0]);
}

static Value integerFunction(Scalars &o, Operation *op, ValueRange v) {
  OpBuilder &b = o.e.b;
  Location loc = o.e.loc;
  Value x = v[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::AbsIOp) {
        Value sign = o.shrS(x, Scalars::width(x) - 1);
        return o.sub(o.xorI(x, sign), sign);
      })
      .Case([&](math::CtPopOp) { return LLVM::CtPopOp::create(b, loc, x.getType(), x).getResult(); })
      .Case([&](math::CountLeadingZerosOp) {
        return LLVM::CountLeadingZerosOp::create(b, loc, x.getType(), x, /*is_zero_poison=*/false).getResult();
      })
      .Case([&](math::CountTrailingZerosOp) {
        return LLVM::CountTrailingZerosOp::create(b, loc, x.getType(), x, /*is_zero_poison=*/false).getResult();
      })
      .Case([&](math::IPowIOp) { return integerPower(o, x, v[1]); })
      .Default([](Operation *) { return Value(); });
}

/// By the bits, so that a NaN keeps its own.
static Value signFunction(Scalars &o, Operation *op, ValueRange v) {
  unsigned width = Scalars::width(v[0]);
  uint64_t sign = uint64_t(1) << (width - 1);
  Value x = o.andI(o.bitcast(v[0], o.i(width)), sign - 1);
  if (isa<math::CopySignOp>(op)) {
    x = o.orI(x, o.andI(o.bitcast(v[1], o.i(width)), sign));
  }
  return o.bitcast(x, v[0].getType());
}

static Value fusedMultiplyAdd(Scalars &o, Type element, ValueRange v) {
  if (element.isBF16() && !o.e.target.hasBf16) {
    // The product of two is exact in f64, and the sum is rounded to odd before it is rounded: one that is not exact and
    // even moves by one place toward what it lacks.
    Values wide;
    for (Value x : v) {
      wide.push_back(o.extend(o.widen(x, element), o.f64()));
    }
    Value product = o.mulF(wide[0], wide[1]), sum = o.addF(product, wide[2]), part = o.subF(sum, product);
    Value lost = o.addF(o.subF(product, o.subF(sum, part)), o.subF(wide[2], part));
    Value word = o.bitcast(sum, o.i(64)), isEven = o.cmp(Pred::eq, o.andI(word, 1), 0);
    Value moves = o.andI(isEven, o.cmpF(FPred::ONE, lost, o.constantFLike(lost, 0)));
    Value isAway = o.cmp(Pred::eq, o.andI(o.xorI(word, o.bitcast(lost, o.i(64))), uint64_t(1) << 63), 0);
    Value moved = o.select(isAway, o.add(word, 1), o.sub(word, 1));
    return o.narrow(o.demoteToOdd(o.bitcast(o.select(moves, moved, word), o.f64())), element, false);
  }
  return o.fma(v[0], v[1], v[2]);
}

FailureOr<Values> emitMathElement(Emitter &e, Operation *op, ValueRange operands) {
  Scalars o{e};
  auto one = [&](Value value) {
    return value ? FailureOr<Values>(Values{value}) : FailureOr<Values>(e.unsupported(op));
  };
  Type element = tile::elementTypeOf(op->getOperand(0).getType());
  if (!isa<FloatType>(element)) {
    return one(integerFunction(o, op, operands));
  }
  if (isa<math::AbsFOp, math::CopySignOp>(op)) {
    return one(signFunction(o, op, operands));
  }
  if (isa<math::FmaOp>(op)) {
    return one(fusedMultiplyAdd(o, element, operands));
  }
  // The rest of short floats is computed in f32.
  bool isShort = element.getIntOrFloatBitWidth() < 32;
  Values v;
  for (Value operand : operands) {
    v.push_back(isShort && isa<FloatType>(operand.getType()) ? o.widen(operand, element) : operand);
  }
  auto rounded = [&](Value value) { return isShort && value ? o.narrow(value, element, false) : value; };
  if (isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(op)) {
    return one(classify(o, op, v[0], element));
  }
  if (isa<math::ClampFOp>(op)) {
    auto keep = [&](Value x, Value limit, bool isMax) {
      Value chosen = o.extremum(x, limit, isMax);
      return o.select(o.isNan(x), x, o.select(o.isNan(limit), limit, chosen));
    };
    return one(rounded(keep(keep(v[0], v[1], true), v[2], false)));
  }
  if (isa<math::SincosOp>(op)) {
    auto of = [&](bool isCosine) {
      if (v[0].getType().isF32()) {
        return rounded(sine(o, v[0], isCosine));
      }
      return callHelper(e, isCosine ? "cos_f64" : "sin_f64", o.f64(), v[0],
                        [&](ValueRange x) { return sineOfDouble(e, x[0], isCosine); });
    };
    Value s = of(false);
    return Values{s, of(true)};
  }
  if (isa<math::FPowIOp>(op)) {
    Type exponent = tile::elementTypeOf(op->getOperand(1).getType());
    Value wide[] = {o.extend(v[0], o.f64()), o.cast(v[1], exponent, o.f64(), true, false)};
    Value result = callHelper(e, "powf_f64", o.f64(), wide, [&](ValueRange x) { return powerOfDouble(e, x[0], x[1]); });
    return one(o.cast(result, o.f64(), element, false, false));
  }
  return one(rounded(function(e, op, v)));
}

} // namespace pavage::gpu

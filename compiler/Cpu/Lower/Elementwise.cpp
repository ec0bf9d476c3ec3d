// Elementwise ops of arith, math and tile on lowered operands. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Ops.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pavage::cpu {

static Type elementOf(Value value) { return tile::elementTypeOf(value.getType()); }

/// Runs `compute` on floats of at least f32: narrow operands are read, a narrow result is rounded.
static Value onFloats(Ops &o, Type element, ArrayRef<Value> operands,
                      llvm::function_ref<Value(ArrayRef<Value>)> compute) {
  if (!isNarrowFloat(element)) {
    return compute(operands);
  }
  SmallVector<Value> wide;
  for (Value operand : operands) {
    wide.push_back(o.widen(operand, element));
  }
  return o.narrow(compute(wide), element);
}

/// x * y + z of narrow floats, rounded once: exact in f64 but for the sum, which is rounded to odd.
static Value fmaNarrow(Ops &o, Type element, ArrayRef<Value> v) {
  auto wide = [&](Value value) -> Value {
    Value single = o.widen(value, element);
    return arith::ExtFOp::create(o.b, o.loc, o.like(o.f64(), single), single);
  };
  Value z = wide(v[2]), product = o.mulF(wide(v[0]), wide(v[1])), sum = o.addF(product, z);
  Value kept = o.subF(sum, product);
  Value error = o.addF(o.subF(product, o.subF(sum, kept)), o.subF(z, kept));
  Value word = o.bitcast(sum, o.i(64)), isEven = o.cmp(Ops::Pred::eq, o.andI(word, 1), 0);
  Value inexact = o.cmpF(Ops::FPred::ONE, error, o.constantFLike(error, 0));
  Value grows = o.cmp(Ops::Pred::eq, o.shrU(o.bitcast(error, o.i(64)), 63), o.shrU(word, 63));
  Value stepped = o.select(grows, o.add(word, 1), o.sub(word, 1));
  Value odd = o.bitcast(o.select(o.andI(inexact, isEven), stepped, word), o.f64());
  return o.narrow(o.demoteToOdd(odd, false), element);
}

static Value classify(Ops &o, Operation *op, Value x, Type element) {
  Value wide = isNarrowFloat(element) ? o.widen(x, element) : x;
  Value magnitude = o.absF(wide), infinity = o.constantFLike(wide, HUGE_VAL);
  if (isa<math::IsNaNOp>(op)) {
    return o.isNan(wide);
  }
  if (isa<math::IsInfOp>(op)) {
    return o.cmpF(Ops::FPred::OEQ, magnitude, infinity);
  }
  Value finite = o.cmpF(Ops::FPred::OLT, magnitude, infinity);
  if (isa<math::IsFiniteOp>(op)) {
    return finite;
  }
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  double least = std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(semantics));
  return o.andI(finite, o.cmpF(Ops::FPred::OGE, magnitude, o.constantFLike(wide, least)));
}

/// The upper half of a product of 64-bit numbers by its four parts of 32 bits; LLVM has no vector form of it.
static Value multiplyHigh(Ops &o, Value x, Value y, bool isSigned) {
  unsigned width = Ops::width(x);
  if (width < 64) {
    return o.resize(o.shrU(o.mul(o.resize(x, 2 * width, isSigned), o.resize(y, 2 * width, isSigned)), width), width,
                    false);
  }
  uint64_t low = 0xffffffffu;
  Value x0 = o.andI(x, low), x1 = o.shrU(x, 32), y0 = o.andI(y, low), y1 = o.shrU(y, 32);
  Value middle = o.add(o.mul(x1, y0), o.shrU(o.mul(x0, y0), 32));
  Value carry = o.add(o.andI(middle, low), o.mul(x0, y1));
  Value high = o.add(o.add(o.mul(x1, y1), o.shrU(middle, 32)), o.shrU(carry, 32));
  if (!isSigned) {
    return high;
  }
  high = o.sub(high, o.andI(o.shrS(x, 63), y));
  return o.sub(high, o.andI(o.shrS(y, 63), x));
}

static SmallVector<Value> integers(Ops &o, Operation *op, ArrayRef<Value> v) {
  auto divide = [&](bool isSigned, bool remainder) { return o.divide(v[0], v[1], isSigned, remainder); };
  auto pick = [&](Ops::Pred predicate) { return o.select(o.cmp(predicate, v[0], v[1]), v[0], v[1]); };
  unsigned width = Ops::width(v[0]);
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](arith::AddIOp) { return o.add(v[0], v[1]); })
          .Case([&](arith::SubIOp) { return o.sub(v[0], v[1]); })
          .Case([&](arith::MulIOp) { return o.mul(v[0], v[1]); })
          .Case([&](arith::AndIOp) { return o.andI(v[0], v[1]); })
          .Case([&](arith::OrIOp) { return o.orI(v[0], v[1]); })
          .Case([&](arith::XOrIOp) { return o.xorI(v[0], v[1]); })
          .Case([&](arith::DivSIOp) { return divide(true, false); })
          .Case([&](arith::DivUIOp) { return divide(false, false); })
          .Case([&](arith::RemSIOp) { return divide(true, true); })
          .Case([&](arith::RemUIOp) { return divide(false, true); })
          .Case([&](tile::DivOp div) { return divide(div.getIsSigned(), false); })
          .Case([&](tile::RemOp rem) { return divide(rem.getIsSigned(), true); })
          .Case<arith::FloorDivSIOp, arith::CeilDivSIOp>([&](Operation *) {
            Value quotient = divide(true, false), rest = divide(true, true);
            Value inexact = o.cmp(Ops::Pred::ne, rest, 0);
            Value differ = o.cmp(Ops::Pred::slt, o.xorI(v[0], v[1]), 0);
            bool isFloor = isa<arith::FloorDivSIOp>(op);
            Value moves = o.andI(inexact, isFloor ? differ : o.notI1(differ));
            Value step = o.resize(moves, width, false);
            return isFloor ? o.sub(quotient, step) : o.add(quotient, step);
          })
          .Case([&](arith::CeilDivUIOp) {
            Value inexact = o.cmp(Ops::Pred::ne, divide(false, true), 0);
            return o.add(divide(false, false), o.resize(inexact, width, false));
          })
          .Case<arith::ShLIOp, tile::ShlOp>([&](Operation *) { return o.shiftLeft(v[0], v[1]); })
          .Case([&](arith::ShRSIOp) { return o.shiftRight(v[0], v[1], true); })
          .Case([&](arith::ShRUIOp) { return o.shiftRight(v[0], v[1], false); })
          .Case([&](tile::ShrOp shift) { return o.shiftRight(v[0], v[1], shift.getIsSigned()); })
          .Case([&](arith::MaxSIOp) { return pick(Ops::Pred::sgt); })
          .Case([&](arith::MaxUIOp) { return pick(Ops::Pred::ugt); })
          .Case([&](arith::MinSIOp) { return pick(Ops::Pred::slt); })
          .Case([&](arith::MinUIOp) { return pick(Ops::Pred::ult); })
          .Case([&](arith::CmpIOp compare) { return o.cmp(compare.getPredicate(), v[0], v[1]); })
          .Case([&](math::AbsIOp) {
            Value sign = o.shrS(v[0], width - 1);
            return o.sub(o.xorI(v[0], sign), sign);
          })
          .Case([&](math::CtPopOp) { return math::CtPopOp::create(o.b, o.loc, v[0]).getResult(); })
          .Case([&](math::CountLeadingZerosOp) {
            return math::CountLeadingZerosOp::create(o.b, o.loc, v[0]).getResult();
          })
          .Case([&](math::CountTrailingZerosOp) {
            return math::CountTrailingZerosOp::create(o.b, o.loc, v[0]).getResult();
          })
          .Case([&](math::IPowIOp) {
            Type element = elementOf(op->getResult(0));
            return o.perLane(element, v, [&](ArrayRef<Value> lane) { return o.integerPower(lane[0], lane[1]); });
          })
          .Default([](Operation *) { return Value(); });
  if (result) {
    return {result};
  }
  if (isa<arith::MulSIExtendedOp>(op)) {
    return {o.mul(v[0], v[1]), multiplyHigh(o, v[0], v[1], true)};
  }
  if (isa<arith::MulUIExtendedOp>(op)) {
    return {o.mul(v[0], v[1]), multiplyHigh(o, v[0], v[1], false)};
  }
  if (isa<arith::AddUIExtendedOp>(op)) {
    Value sum = o.add(v[0], v[1]);
    return {sum, o.cmp(Ops::Pred::ult, sum, v[0])};
  }
  return {};
}

static Value floats(Ops &o, Operation *op, ArrayRef<Value> v, Type element) {
  auto on = [&](llvm::function_ref<Value(ArrayRef<Value>)> compute) { return onFloats(o, element, v, compute); };
  auto extremum = [&](bool isMax, bool ignoreNan) {
    return on([&](ArrayRef<Value> w) { return o.extremum(w[0], w[1], isMax, ignoreNan); });
  };
  unsigned width = Ops::width(v[0]);
  uint64_t sign = uint64_t(1) << (width - 1);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddFOp) { return on([&](ArrayRef<Value> w) { return o.addF(w[0], w[1]); }); })
      .Case([&](arith::SubFOp) { return on([&](ArrayRef<Value> w) { return o.subF(w[0], w[1]); }); })
      .Case([&](arith::MulFOp) { return on([&](ArrayRef<Value> w) { return o.mulF(w[0], w[1]); }); })
      .Case([&](arith::DivFOp) { return on([&](ArrayRef<Value> w) { return o.divF(w[0], w[1]); }); })
      .Case([&](arith::RemFOp) {
        return on([&](ArrayRef<Value> w) { return o.call(Ops::width(w[0]) == 64 ? "fmod" : "fmodf", w); });
      })
      .Case([&](arith::MaximumFOp) { return extremum(true, false); })
      .Case([&](arith::MinimumFOp) { return extremum(false, false); })
      .Case([&](arith::MaxNumFOp) { return extremum(true, true); })
      .Case([&](arith::MinNumFOp) { return extremum(false, true); })
      .Case([&](math::ClampFOp) {
        return on(
            [&](ArrayRef<Value> w) { return o.extremum(o.extremum(w[0], w[1], true, false), w[2], false, false); });
      })
      .Case([&](arith::CmpFOp compare) -> Value {
        bool isNarrow = isNarrowFloat(element);
        Value x = isNarrow ? o.widen(v[0], element) : v[0], y = isNarrow ? o.widen(v[1], element) : v[1];
        return o.cmpF(compare.getPredicate(), x, y);
      })
      .Case([&](arith::NegFOp) {
        return o.bitcast(o.xorI(o.bitcast(v[0], o.i(width)), sign), getElementTypeOrSelf(v[0].getType()));
      })
      .Case([&](math::AbsFOp) {
        return o.bitcast(o.andI(o.bitcast(v[0], o.i(width)), sign - 1), getElementTypeOrSelf(v[0].getType()));
      })
      .Case([&](math::CopySignOp) {
        Value x = o.andI(o.bitcast(v[0], o.i(width)), sign - 1), y = o.andI(o.bitcast(v[1], o.i(width)), sign);
        return o.bitcast(o.orI(x, y), getElementTypeOrSelf(v[0].getType()));
      })
      .Case([&](math::FmaOp) { return isNarrowFloat(element) ? fmaNarrow(o, element, v) : o.fma(v[0], v[1], v[2]); })
      .Case<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(
          [&](Operation *) { return classify(o, op, v[0], element); })
      .Case([&](math::FPowIOp) {
        Value number = isNarrowFloat(element) ? o.widen(v[0], element) : v[0];
        Value exponent = o.cast(v[1], elementOf(op->getOperand(1)), o.f64(), true, false);
        Value result = o.power(o.cast(number, getElementTypeOrSelf(number.getType()), o.f64(), false, false), exponent);
        return o.cast(result, o.f64(), element, false, false);
      })
      .Default([&](Operation *) { return on([&](ArrayRef<Value> w) { return o.function(op, w); }); });
}

static Value conversions(Ops &o, Operation *op, ArrayRef<Value> v) {
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](tile::CastOp cast) {
        return o.cast(v[0], from, to, cast.getIsSigned(), cast.getRounding() == tile::Rounding::TowardZero);
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) { return o.cast(v[0], from, to, true, false); })
      .Case<arith::SIToFPOp, arith::FPToSIOp>([&](Operation *) { return o.cast(v[0], from, to, true, false); })
      .Case<arith::UIToFPOp, arith::FPToUIOp>([&](Operation *) { return o.cast(v[0], from, to, false, false); })
      .Case<arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *) { return o.resize(v[0], to.getIntOrFloatBitWidth(), false); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](Operation *) {
        unsigned width = isa<IndexType>(to) ? 64 : to.getIntOrFloatBitWidth();
        return o.resize(v[0], width, isa<arith::IndexCastOp>(op));
      })
      .Case([&](arith::ExtSIOp) {
        unsigned width = to.getIntOrFloatBitWidth();
        if (from.isInteger(1)) { // resize reads an i1 as 0 or 1
          return o.sub(o.constant(o.like(to, v[0]), 0), o.resize(v[0], width, false));
        }
        return o.resize(v[0], width, true);
      })
      .Case<arith::BitcastOp, tile::BitcastOp>([&](Operation *) { return o.bitcast(v[0], loweredElement(to)); })
      .Case([&](tile::HintOp) { return v[0]; })
      .Case([&](tile::AddPtrOp add) {
        int64_t stride = cast<tile::PtrType>(to).getStride();
        Value offset = v[1];
        if (elementOf(add.getOffset()).isInteger(1)) {
          offset = o.sub(o.constantLike(o.resize(offset, 64, false), 0), o.resize(offset, 64, false));
        }
        return o.add(v[0], o.mul(o.resize(offset, 64, true), stride));
      })
      .Default([](Operation *) { return Value(); });
}

SmallVector<Value> Ops::elementwise(Operation *op, ArrayRef<Value> operands) {
  SmallVector<Value> v(operands);
  if (isa<arith::SelectOp>(op)) {
    return {select(v[0], v[1], v[2])};
  }
  unify(v);
  if (Value result = conversions(*this, op, v)) {
    return {result};
  }
  if (auto sincos = dyn_cast<math::SincosOp>(op)) {
    Type element = elementOf(op->getOperand(0));
    Value x = isNarrowFloat(element) ? widen(v[0], element) : v[0];
    SmallVector<Value> result{sine(x, false), sine(x, true)};
    for (Value &value : result) {
      value = isNarrowFloat(element) ? narrow(value, element) : value;
    }
    return result;
  }
  Type element = elementOf(op->getOperand(0));
  if (isa<FloatType>(element)) {
    Value result = floats(*this, op, v, element);
    return result ? SmallVector<Value>{result} : SmallVector<Value>{};
  }
  return integers(*this, op, v);
}

} // namespace pavage::cpu

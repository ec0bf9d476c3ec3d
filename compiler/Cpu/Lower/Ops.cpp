// Arithmetic on lanes: constants, bits, single ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Ops.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace pavage::cpu {

bool isNarrowFloat(Type element) { return isa<Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type>(element); }

Type loweredElement(Type element) {
  if (isNarrowFloat(element)) {
    return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  }
  if (isa<tile::PtrType, IndexType>(element)) {
    return IntegerType::get(element.getContext(), 64);
  }
  return element;
}

int64_t lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

Type typeLike(Type element, Type like) {
  int64_t lanes = lanesOf(like);
  return lanes == 0 ? element : VectorType::get({lanes}, element);
}

// --- constants and bits ----------------------------------------------------------------------------------------------

Value Ops::constant(Type type, uint64_t value) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  APInt number(64, value);
  TypedAttr attr = IntegerAttr::get(element, number.trunc(element.getWidth()));
  if (auto vector = dyn_cast<VectorType>(type)) {
    attr = SplatElementsAttr::get(vector, attr);
  }
  return arith::ConstantOp::create(b, loc, attr);
}

Value Ops::constantF(Type type, double value) {
  TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type)) {
    attr = SplatElementsAttr::get(vector, attr);
  }
  return arith::ConstantOp::create(b, loc, attr);
}

Value Ops::bits(Type type, uint64_t pattern) {
  Type element = getElementTypeOrSelf(type);
  auto number = dyn_cast<FloatType>(element);
  if (!number) {
    return constant(type, pattern);
  }
  APFloat value(number.getFloatSemantics(), APInt(64, pattern).trunc(number.getWidth()));
  TypedAttr attr = FloatAttr::get(element, value);
  if (auto vector = dyn_cast<VectorType>(type)) {
    attr = SplatElementsAttr::get(vector, attr);
  }
  return arith::ConstantOp::create(b, loc, attr);
}

Value Ops::splat(Value scalar, int64_t lanes) {
  if (lanes == 0 || isa<VectorType>(scalar.getType())) {
    return scalar;
  }
  return b.createOrFold<vector::BroadcastOp>(loc, VectorType::get({lanes}, scalar.getType()), scalar);
}

void Ops::unify(MutableArrayRef<Value> values) {
  int64_t lanes = 0;
  for (Value value : values) {
    lanes = std::max(lanes, lanesOf(value.getType()));
  }
  for (Value &value : values) {
    value = splat(value, lanes);
  }
}

Value Ops::bitcast(Value x, Type element) {
  Type type = like(element, x);
  return type == x.getType() ? x : arith::BitcastOp::create(b, loc, type, x).getResult();
}

Value Ops::resize(Value x, unsigned width, bool isSigned) {
  Type type = like(i(width), x);
  unsigned from = Ops::width(x);
  if (from == width) {
    return x;
  }
  if (from > width) {
    return arith::TruncIOp::create(b, loc, type, x);
  }
  return isSigned && from > 1 ? arith::ExtSIOp::create(b, loc, type, x).getResult()
                              : arith::ExtUIOp::create(b, loc, type, x).getResult();
}

Value Ops::select(Value condition, Value x, Value y) {
  if (lanesOf(condition.getType()) == 0) {
    Value values[] = {x, y};
    unify(values);
    return arith::SelectOp::create(b, loc, condition, values[0], values[1]);
  }
  int64_t lanes = lanesOf(condition.getType());
  return arith::SelectOp::create(b, loc, condition, splat(x, lanes), splat(y, lanes));
}

// --- floats ----------------------------------------------------------------------------------------------------------

Value Ops::absF(Value x) {
  unsigned bitWidth = width(x);
  Value asBits = bitcast(x, i(bitWidth));
  return bitcast(andI(asBits, ~uint64_t(0) >> (65 - bitWidth)), getElementTypeOrSelf(x.getType()));
}

Value Ops::sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
Value Ops::floor(Value x) { return math::FloorOp::create(b, loc, x); }
Value Ops::roundEven(Value x) { return math::RoundEvenOp::create(b, loc, x); }

Value Ops::fma(Value x, Value y, Value z) {
  Value values[] = {x, y, z};
  unify(values);
  if (target.hasFma) {
    return math::FmaOp::create(b, loc, values[0], values[1], values[2]);
  }
  if (width(x) == 64) {
    return call("fma", values);
  }
  // The product is exact in f64; the sum is rounded to odd there, so that rounding it to f32 rounds once.
  Type wide = like(f64(), values[0]);
  Value a = arith::ExtFOp::create(b, loc, wide, values[0]), m = arith::ExtFOp::create(b, loc, wide, values[1]);
  Value c = arith::ExtFOp::create(b, loc, wide, values[2]);
  Value product = mulF(a, m), sum = addF(product, c);
  Value kept = subF(sum, product);
  Value error = addF(subF(product, subF(sum, kept)), subF(c, kept));
  Value sumBits = bitcast(sum, i(64)), zero = constantFLike(error, 0);
  // Inexact, finite and even: one step towards the exact value is odd.
  Value inexact = cmpF(FPred::ONE, error, zero);
  Value finite = cmpF(FPred::OLT, absF(sum), constantFLike(sum, HUGE_VAL));
  Value even = cmp(Pred::eq, andI(sumBits, 1), 0);
  Value grows = cmp(Pred::eq, shrU(bitcast(error, i(64)), 63), shrU(sumBits, 63));
  Value stepped = select(grows, add(sumBits, 1), sub(sumBits, 1));
  Value odd = select(andI(andI(inexact, finite), even), stepped, sumBits);
  return arith::TruncFOp::create(b, loc, values[0].getType(), bitcast(odd, f64()));
}

Value Ops::extremum(Value x, Value y, bool isMax, bool ignoreNan) {
  Value values[] = {x, y};
  unify(values);
  x = values[0], y = values[1];
  Type bitType = i(width(x)), element = getElementTypeOrSelf(x.getType());
  // Equal operands differ in the sign of zero at most: for max the signs are and-ed, for min or-ed.
  Value xBits = bitcast(x, bitType), yBits = bitcast(y, bitType);
  Value tie = bitcast(isMax ? andI(xBits, yBits) : orI(xBits, yBits), element);
  Value chosen = select(cmpF(isMax ? FPred::OGT : FPred::OLT, x, y), x, y);
  Value result = select(cmpF(FPred::OEQ, x, y), tie, chosen);
  if (ignoreNan) {
    // With one NaN the comparisons are false and y was chosen.
    return select(isNan(y), x, result);
  }
  return select(cmpF(FPred::UNO, x, y), bits(x.getType(), width(x) == 32 ? 0x7fc00000u : 0x7ff8000000000000u), result);
}

// --- integers --------------------------------------------------------------------------------------------------------

Value Ops::shiftLeft(Value x, Value y) {
  Value values[] = {x, y};
  unify(values);
  Value fits = cmp(Pred::ult, values[1], width(x));
  Value amount = select(fits, values[1], constantLike(values[1], 0));
  return select(fits, shl(values[0], amount), constantLike(values[0], 0));
}

Value Ops::shiftRight(Value x, Value y, bool isSigned) {
  Value values[] = {x, y};
  unify(values);
  Value fits = cmp(Pred::ult, values[1], width(x));
  if (isSigned) {
    return shrS(values[0], select(fits, values[1], constantLike(values[1], width(x) - 1)));
  }
  Value amount = select(fits, values[1], constantLike(values[1], 0));
  return select(fits, shrU(values[0], amount), constantLike(values[0], 0));
}

/// The quotient of vectors of at most 32 bits by f64 division. It is exact: a quotient of two 32-bit integers that is
/// not an integer is farther from one than the rounding of the division reaches.
static Value divideByF64(Ops &o, Value x, Value y, bool isSigned) {
  Type wide = o.like(o.f64(), x), word = o.like(o.i(32), x);
  auto convert = [&](Value value) -> Value {
    value = o.resize(value, 32, isSigned);
    return isSigned ? arith::SIToFPOp::create(o.b, o.loc, wide, value).getResult()
                    : arith::UIToFPOp::create(o.b, o.loc, wide, value).getResult();
  };
  Value quotient = o.divF(convert(x), convert(y));
  Value integer = isSigned ? arith::FPToSIOp::create(o.b, o.loc, word, quotient).getResult()
                           : arith::FPToUIOp::create(o.b, o.loc, word, quotient).getResult();
  return o.resize(integer, Ops::width(x), false);
}

Value Ops::divide(Value x, Value y, bool isSigned, bool remainder) {
  Value values[] = {x, y};
  unify(values);
  x = values[0], y = values[1];
  unsigned bitWidth = width(x);
  if (bitWidth == 1) {
    // 0 / 0 and 1 / 0 are all ones; read as signed, 1 / 1 is -1 / -1, the least number by -1, which is itself.
    Value allOnes = constantLike(x, 1);
    return remainder ? select(y, constantLike(x, 0), x) : select(y, x, allOnes);
  }
  Value isZero = cmp(Pred::eq, y, 0);
  Value unsafe = isZero;
  if (isSigned) {
    // The least number by -1 wraps to itself, with remainder 0: what dividing by 1 gives.
    uint64_t least = uint64_t(1) << (bitWidth - 1);
    unsafe = orI(isZero, andI(cmp(Pred::eq, x, least), cmp(Pred::eq, y, ~uint64_t(0))));
  }
  Value divisor = select(unsafe, constantLike(y, 1), y);
  Value quotient;
  if (lanesOf(x.getType()) != 0 && bitWidth <= 32) {
    quotient = divideByF64(*this, x, divisor, isSigned);
  } else if (lanesOf(x.getType()) != 0) {
    Value operands[] = {x, divisor};
    quotient = perLane(i(bitWidth), operands, [&](ArrayRef<Value> lane) {
      return isSigned ? binary<arith::DivSIOp>(lane[0], lane[1]) : binary<arith::DivUIOp>(lane[0], lane[1]);
    });
  } else {
    quotient = isSigned ? binary<arith::DivSIOp>(x, divisor) : binary<arith::DivUIOp>(x, divisor);
  }
  if (remainder) {
    return select(isZero, x, sub(x, mul(quotient, divisor)));
  }
  return select(isZero, constantLike(x, ~uint64_t(0)), quotient);
}

// --- lanes one by one ------------------------------------------------------------------------------------------------

Value Ops::perLane(Type element, ArrayRef<Value> operands, llvm::function_ref<Value(ArrayRef<Value>)> body) {
  int64_t lanes = 0;
  for (Value operand : operands) {
    lanes = std::max(lanes, lanesOf(operand.getType()));
  }
  if (lanes == 0) {
    return body(operands);
  }
  auto type = VectorType::get({lanes}, element);
  Value init = isa<FloatType>(element) ? constantF(type, 0) : constant(type, 0);
  auto loop = scf::ForOp::create(b, loc, constant(i(64), 0), constant(i(64), lanes), constant(i(64), 1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> lane;
  for (Value operand : operands) {
    bool isVector = lanesOf(operand.getType()) != 0;
    lane.push_back(isVector ? LLVM::ExtractElementOp::create(b, loc, operand, loop.getInductionVar()).getResult()
                            : operand);
  }
  Value result = LLVM::InsertElementOp::create(b, loc, loop.getRegionIterArg(0), body(lane), loop.getInductionVar());
  scf::YieldOp::create(b, loc, result);
  return loop.getResult(0);
}

Value Ops::call(StringRef name, ArrayRef<Value> operands) {
  SmallVector<Value> values(operands);
  unify(values);
  Type element = getElementTypeOrSelf(values[0].getType());
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> inputs(values.size(), element);
    function = LLVM::LLVMFuncOp::create(b, loc, name, LLVM::LLVMFunctionType::get(element, inputs));
    // Reads and writes nothing that kernels see, so that calls can move and vanish.
    auto none = LLVM::ModRefInfo::NoModRef;
    function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(b.getContext(), none, none, none, none, none, none));
    function.setNoUnwind(true);
    function.setWillReturn(true);
  }
  return perLane(element, values,
                 [&](ArrayRef<Value> lane) { return LLVM::CallOp::create(b, loc, function, lane).getResult(); });
}

} // namespace pavage::cpu

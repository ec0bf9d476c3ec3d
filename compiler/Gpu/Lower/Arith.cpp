// One element of dialect arith. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers wrap. Floats round to nearest even and are never contracted. Where PTX lacks an operation for short floats,
// f32 computes it: for +, -, * and / of f16 and bf16 the second rounding is harmless (24 >= 2 * 11 + 2 digits).
#include "compiler/Gpu/Lower/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

static bool isNarrow(Type type) { return getElementTypeOrSelf(type).isF16() || getElementTypeOrSelf(type).isBF16(); }

static Value toF32(Emitter &e, Value value) { return LLVM::FPExtOp::create(e.b, e.loc, e.b.getF32Type(), value); }

/// Runs `body` on f32 where the type is narrow and the target cannot compute with it.
static Value inF32(Emitter &e, bool isWide, ValueRange operands, llvm::function_ref<Value(ValueRange)> body) {
  Type type = operands.front().getType();
  if (!isWide) {
    return body(operands);
  }
  Values wide;
  for (Value operand : operands) {
    wide.push_back(toF32(e, operand));
  }
  return LLVM::FPTruncOp::create(e.b, e.loc, type, body(wide));
}

static bool computesAlone(const Emitter &e, Type type) {
  return !getElementTypeOrSelf(type).isBF16() || e.target.hasBf16;
}

/// Whether max and min exist in hardware for this type, NaN-keeping too.
static bool hasMinMax(const Emitter &e, Type type) {
  Type element = getElementTypeOrSelf(type);
  return !element.isF64() && (element.isBF16() ? e.target.hasBf16 : e.target.hasF16MinMax);
}

bool isPackedArith(const Emitter &e, Operation *op) {
  Type type = op->getResult(0).getType();
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    return true;
  }
  bool isSum = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp>(op);
  bool isChoice = isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
  return isNarrow(type) && ((isSum && computesAlone(e, type)) || (isChoice && hasMinMax(e, type)));
}

static Predicate predicateOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return Predicate::eq;
  case arith::CmpIPredicate::ne:
    return Predicate::ne;
  case arith::CmpIPredicate::slt:
    return Predicate::slt;
  case arith::CmpIPredicate::sle:
    return Predicate::sle;
  case arith::CmpIPredicate::sgt:
    return Predicate::sgt;
  case arith::CmpIPredicate::sge:
    return Predicate::sge;
  case arith::CmpIPredicate::ult:
    return Predicate::ult;
  case arith::CmpIPredicate::ule:
    return Predicate::ule;
  case arith::CmpIPredicate::ugt:
    return Predicate::ugt;
  case arith::CmpIPredicate::uge:
    return Predicate::uge;
  }
  llvm_unreachable("all predicates are listed");
}

/// A max or min out of comparisons: +0 above -0, and a NaN kept or dropped.
static Value chooseExtreme(Emitter &e, ValueRange operands, bool isMax, bool keepsNan) {
  Value a = operands[0], c = operands[1];
  Type type = a.getType(), bits = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  auto is = [&](LLVM::FCmpPredicate predicate, Value x, Value y) {
    return LLVM::FCmpOp::create(e.b, e.loc, predicate, x, y);
  };
  // Equal numbers differ at most in the sign of zero: and keeps +0, or keeps -0.
  Value x = e.bitcast(a, bits), y = e.bitcast(c, bits);
  Value zero = e.bitcast(isMax ? e.bitAnd(x, y) : e.bitOr(x, y), type);
  Value greater = is(isMax ? LLVM::FCmpPredicate::ogt : LLVM::FCmpPredicate::olt, a, c);
  Value chosen = e.select(greater, a, e.select(is(LLVM::FCmpPredicate::oeq, a, c), zero, c));
  Value aIsNan = is(LLVM::FCmpPredicate::uno, a, a), cIsNan = is(LLVM::FCmpPredicate::uno, c, c);
  return keepsNan ? e.select(aIsNan, a, e.select(cIsNan, c, chosen)) : e.select(aIsNan, c, e.select(cIsNan, a, chosen));
}

template <typename Maximum, typename Minimum>
static Value extreme(Emitter &e, ValueRange operands, bool isMax, bool keepsNan) {
  Value a = operands[0], c = operands[1];
  if (!hasMinMax(e, a.getType()) && !(a.getType().isF32() && !keepsNan)) {
    return chooseExtreme(e, operands, isMax, keepsNan);
  }
  return isMax ? Value(Maximum::create(e.b, e.loc, a, c)) : Minimum::create(e.b, e.loc, a, c);
}

/// Low and high half of a product.
static Values fullProduct(Emitter &e, Value a, Value c, bool isSigned) {
  unsigned width = a.getType().getIntOrFloatBitWidth();
  Value x = e.resize(a, 2 * width, isSigned), y = e.resize(c, 2 * width, isSigned);
  Value product = LLVM::MulOp::create(e.b, e.loc, x, y);
  return {e.resize(product, width, false), e.resize(e.lshr(product, width), width, false)};
}

FailureOr<Values> emitArithElement(Emitter &e, Operation *op, ValueRange operands) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  Value x = operands[0], y = operands.size() > 1 ? operands[1] : Value();
  bool isWide = isNarrow(x.getType()) && !computesAlone(e, x.getType());
  auto one = [](Value value) { return FailureOr<Values>(Values{value}); };
  auto floats = [&]<typename Op>(Op *) {
    return one(inF32(e, isWide, operands, [&](ValueRange v) -> Value { return Op::create(b, loc, v[0], v[1]); }));
  };
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case([&](arith::AddIOp) { return one(e.add(x, y)); })
      .Case([&](arith::SubIOp) { return one(e.sub(x, y)); })
      .Case([&](arith::MulIOp) { return one(e.mul(x, y)); })
      .Case([&](arith::AndIOp) { return one(LLVM::AndOp::create(b, loc, x, y)); })
      .Case([&](arith::OrIOp) { return one(LLVM::OrOp::create(b, loc, x, y)); })
      .Case([&](arith::XOrIOp) { return one(LLVM::XOrOp::create(b, loc, x, y)); })
      .Case([&](arith::MaxSIOp) { return one(LLVM::SMaxOp::create(b, loc, x, y)); })
      .Case([&](arith::MinSIOp) { return one(LLVM::SMinOp::create(b, loc, x, y)); })
      .Case([&](arith::MaxUIOp) { return one(LLVM::UMaxOp::create(b, loc, x, y)); })
      .Case([&](arith::MinUIOp) { return one(LLVM::UMinOp::create(b, loc, x, y)); })
      .Case([&](arith::ShLIOp) { return one(LLVM::ShlOp::create(b, loc, x, y)); })
      .Case([&](arith::ShRSIOp) { return one(LLVM::AShrOp::create(b, loc, x, y)); })
      .Case([&](arith::ShRUIOp) { return one(LLVM::LShrOp::create(b, loc, x, y)); })
      .Case([&](arith::MulSIExtendedOp) { return FailureOr<Values>(fullProduct(e, x, y, true)); })
      .Case([&](arith::MulUIExtendedOp) { return FailureOr<Values>(fullProduct(e, x, y, false)); })
      .Case([&](arith::CmpIOp cmp) { return one(e.compare(predicateOf(cmp.getPredicate()), x, y)); })
      .Case([&](arith::CmpFOp cmp) {
        // The two enumerations agree in numbers.
        auto predicate = static_cast<LLVM::FCmpPredicate>(cmp.getPredicate());
        if (x.getType().isBF16() && !e.target.hasBf16Arithmetic) {
          return one(LLVM::FCmpOp::create(b, loc, predicate, toF32(e, x), toF32(e, y)));
        }
        return one(LLVM::FCmpOp::create(b, loc, predicate, x, y));
      })
      .Case([&](arith::SelectOp) { return one(e.select(x, y, operands[2])); })
      .Case([&](arith::AddFOp) { return floats(static_cast<LLVM::FAddOp *>(nullptr)); })
      .Case([&](arith::SubFOp) { return floats(static_cast<LLVM::FSubOp *>(nullptr)); })
      .Case([&](arith::MulFOp) { return floats(static_cast<LLVM::FMulOp *>(nullptr)); })
      .Case([&](arith::DivFOp) {
        bool isShort = isNarrow(x.getType());
        return one(inF32(e, isShort, operands,
                         [&](ValueRange v) -> Value { return LLVM::FDivOp::create(b, loc, v[0], v[1]); }));
      })
      .Case([&](arith::RemFOp) {
        bool isShort = isNarrow(x.getType());
        return one(inF32(e, isShort, operands,
                         [&](ValueRange v) -> Value { return LLVM::FRemOp::create(b, loc, v[0], v[1]); }));
      })
      .Case([&](arith::NegFOp) { return one(LLVM::FNegOp::create(b, loc, x)); })
      .Case([&](arith::MaximumFOp) { return one(extreme<LLVM::MaximumOp, LLVM::MinimumOp>(e, operands, true, true)); })
      .Case([&](arith::MinimumFOp) { return one(extreme<LLVM::MaximumOp, LLVM::MinimumOp>(e, operands, false, true)); })
      .Case([&](arith::MaxNumFOp) { return one(extreme<LLVM::MaxNumOp, LLVM::MinNumOp>(e, operands, true, false)); })
      .Case([&](arith::MinNumFOp) { return one(extreme<LLVM::MaxNumOp, LLVM::MinNumOp>(e, operands, false, false)); })
      .Default([&](Operation *) { return FailureOr<Values>(e.unsupported(op)); });
}

} // namespace pavage::gpu

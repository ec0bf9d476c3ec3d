// Integer operations that LLVM leaves undefined for some operands, made total. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
//   div, rem   by 0: all bits set, the dividend.   MIN by -1: MIN, 0.   No lane divides by either.
//   shl, shr   by the width or more: 0, or the sign.
#include "compiler/Gpu/Lower/Families.h"

#include "dialect/Tile/TileOps.h"

using namespace mlir;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

static Value divide(Emitter &e, Value x, Value y, bool isSigned, bool isRemainder) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  isSigned &= width > 1; // an i1 is 0 or 1
  if (width < 32) {
    // All bits set stay so when cut off, and MIN / -1 does not overflow in 32 bits.
    Value wide = divide(e, e.resize(x, 32, isSigned), e.resize(y, 32, isSigned), isSigned, isRemainder);
    return e.resize(wide, width, isSigned);
  }
  Type type = x.getType();
  Value isZero = e.compare(Predicate::eq, y, e.constant(type, 0)), isMinusOne;
  Value safe = e.select(isZero, e.constant(type, 1), y);
  if (isSigned) {
    isMinusOne = e.compare(Predicate::eq, y, e.constant(type, -1));
    safe = e.select(isMinusOne, e.constant(type, 1), safe);
  }
  if (isRemainder) {
    Value rest =
        isSigned ? Value(LLVM::SRemOp::create(e.b, e.loc, x, safe)) : LLVM::URemOp::create(e.b, e.loc, x, safe);
    return e.select(isZero, x, rest); // by 1, which stands for -1, the remainder is 0
  }
  Value quotient =
      isSigned ? Value(LLVM::SDivOp::create(e.b, e.loc, x, safe)) : LLVM::UDivOp::create(e.b, e.loc, x, safe);
  if (isSigned) {
    quotient = e.select(isMinusOne, e.sub(e.constant(type, 0), x), quotient);
  }
  return e.select(isZero, e.constant(type, -1), quotient);
}

static Value shift(Emitter &e, Operation *op, Value x, Value amount) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto right = dyn_cast<tile::ShrOp>(op);
  if (width == 1) {
    // The amount is 0 or too large.
    bool keepsSign = right && right.getIsSigned();
    return keepsSign ? x : e.bitAnd(x, e.bitXor(amount, e.boolean(true)));
  }
  if (right && right.getIsSigned()) {
    Value limited = LLVM::UMinOp::create(e.b, e.loc, amount, e.constant(type, width - 1));
    return LLVM::AShrOp::create(e.b, e.loc, x, limited);
  }
  Value fits = e.compare(Predicate::ult, amount, e.constant(type, width));
  if (width == 64) {
    // LLVM takes the whole for PTX's shift, which clamps, but cuts the amount off to 32 bits first.
    amount = e.bitAnd(amount, e.constant(type, 63));
  }
  Value shifted =
      right ? Value(LLVM::LShrOp::create(e.b, e.loc, x, amount)) : LLVM::ShlOp::create(e.b, e.loc, x, amount);
  return e.select(fits, shifted, e.constant(type, 0));
}

FailureOr<Values> emitTotalIntElement(Emitter &e, Operation *op, ValueRange operands) {
  Value x = operands[0], y = operands[1];
  if (auto div = dyn_cast<tile::DivOp>(op)) {
    return Values{divide(e, x, y, div.getIsSigned(), false)};
  }
  if (auto rem = dyn_cast<tile::RemOp>(op)) {
    return Values{divide(e, x, y, rem.getIsSigned(), true)};
  }
  return Values{shift(e, op, x, y)};
}

} // namespace pavage::gpu

// Conversions between number types, exact to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware's conversions where the target has one that means the same; integer arithmetic on the bits of an f32
// elsewhere: bf16 before sm_80, fp8 before sm_89, and every conversion that cuts digits off.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Scalars.h"

#include "compiler/Support/ShortFloats.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace pavage::gpu {

using support::FloatFormat;

static bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

// --- reading ---------------------------------------------------------------------------------------------------------

Value Scalars::widen(Value x, Type narrow) const {
  if (narrow.isF16()) {
    return extend(x, f32());
  }
  if (narrow.isBF16()) {
    return bitcast(shl(resize(bitcast(x, i(16)), 32, false), 16), f32());
  }
  if (isa<Float8E5M2Type>(narrow)) { // the upper half of an f16
    return extend(bitcast(shl(resize(x, 16, false), 8), e.b.getF16Type()), f32());
  }
  if (e.target.hasFp8Convert) {
    Value pair = e.assembler("cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", i(32), resize(x, 16, false), /*hasEffects=*/false);
    return extend(bitcast(resize(pair, 16, false), e.b.getF16Type()), f32());
  }
  FloatFormat format(narrow);
  Value word = resize(x, 32, false);
  Value sign = shl(andI(word, 0x80), 24), magnitude = andI(word, format.magnitudeMask());
  Value result = support::ShortFloats<const Scalars>{*this, format}.readFinite(magnitude);
  result = select(cmp(Pred::eq, magnitude, format.quietNan()), constantLike(result, 0x7fc00000u), result);
  return bitcast(orI(result, sign), f32());
}

// --- writing ---------------------------------------------------------------------------------------------------------

/// By integer arithmetic, as the bits of the format.
static Value narrowByBits(const Scalars &o, Value x, Type narrow, bool towardZero) {
  FloatFormat format(narrow);
  Value word = o.bitcast(x, o.i(32)), magnitude = o.andI(word, 0x7fffffffu);
  support::ShortFloats<const Scalars> shorter{o, format};
  Value result = shorter.writeNumber(magnitude, towardZero, isF8(narrow));
  result =
      o.select(o.cmp(Scalars::Pred::ugt, magnitude, 0x7f800000u), o.constantLike(result, format.quietNan()), result);
  Value sign = o.shl(o.shrU(word, 31), format.width() - 1);
  return o.resize(o.orI(result, sign), format.width(), false);
}

Value Scalars::narrow(Value x, Type narrow, bool towardZero) const {
  if (!towardZero && (narrow.isF16() || (narrow.isBF16() && e.target.hasBf16))) {
    return truncate(x, narrow);
  }
  if (!towardZero && isF8(narrow) && e.target.hasFp8Convert) {
    // In pairs, the first operand above the second.
    const char *text = isa<Float8E4M3FNType>(narrow) ? "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;"
                                                     : "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;";
    Value pair = e.assembler(text, "=h,f,f", i(16), {constantFLike(x, 0), x}, /*hasEffects=*/false);
    return resize(pair, 8, false);
  }
  Value bits = narrowByBits(*this, x, narrow, towardZero);
  return isF8(narrow) ? bits : bitcast(bits, narrow);
}

/// The f32 below or above an f64 that is not one, toward zero.
static Value demoteTowardZero(const Scalars &o, Value x) { return o.e.intrinsic("llvm.nvvm.d2f.rz", o.f32(), x); }

Value Scalars::demoteToOdd(Value x) const {
  Value cut = demoteTowardZero(*this, x);
  Value inexact = cmpF(FPred::ONE, extend(cut, f64()), x);
  return bitcast(orI(bitcast(cut, i(32)), resize(inexact, 32, false)), f32());
}

// --- integers --------------------------------------------------------------------------------------------------------

static Value toFloat(const Scalars &o, Value x, Type to, bool isSigned) {
  return isSigned ? o.signedToFloat(x, to) : o.unsignedToFloat(x, to);
}

static Value fromInteger(const Scalars &o, Value x, Type to, bool isSigned) {
  unsigned width = Scalars::width(x);
  isSigned &= width > 1;
  if (width < 32) {
    x = o.resize(x, 32, isSigned);
    isSigned = true;
  }
  if (to.isF32() || to.isF64() || to.isF16()) {
    return toFloat(o, x, to, isSigned); // the hardware rounds once
  }
  if (width < 32) { // exact in f32
    return o.narrow(toFloat(o, x, o.f32(), true), to, false);
  }
  Value wide = width == 64 ? support::integerToOdd(o, x, isSigned) : toFloat(o, x, o.f64(), isSigned);
  return o.narrow(o.demoteToOdd(wide), to, false);
}

// --- any to any ------------------------------------------------------------------------------------------------------

Value Scalars::cast(Value x, Type from, Type to, bool isSigned, bool towardZero) const {
  bool fromInt = from.isIntOrIndex(), toInt = to.isIntOrIndex();
  unsigned toWidth = isa<IndexType>(to) ? 64 : to.getIntOrFloatBitWidth();
  if (from == to) {
    return x;
  }
  if (fromInt && toInt) {
    return to.isInteger(1) ? cmp(Pred::ne, x, 0) : resize(x, toWidth, isSigned && !from.isInteger(1));
  }
  if (fromInt) {
    return fromInteger(*this, x, to, isSigned);
  }
  Value number = from.isF32() || from.isF64() ? x : widen(x, from);
  if (to.isInteger(1)) {
    return cmpF(FPred::UNE, number, constantFLike(number, 0));
  }
  if (toInt) {
    // Toward zero, saturating, NaN gives 0: so does the hardware, and LLVM says it by these.
    StringRef name = isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    return e.intrinsic(name, i(toWidth), number);
  }
  if (to.isF64()) {
    return extend(number, to);
  }
  if (!from.isF64()) {
    return to.isF32() ? number : narrow(number, to, towardZero);
  }
  if (to.isF32()) {
    return towardZero ? demoteTowardZero(*this, x) : truncate(x, to);
  }
  if (to.isF16() && !towardZero) {
    return truncate(x, to);
  }
  // Rounding an f64 to odd first keeps enough digits, and cutting those that are odd cuts the f64 itself.
  return narrow(demoteToOdd(x), to, towardZero);
}

FailureOr<Values> emitCastElement(Emitter &e, Operation *op, ValueRange operands) {
  Scalars o{e};
  Value x = operands[0];
  Type from = tile::elementTypeOf(op->getOperand(0).getType()), to = tile::elementTypeOf(op->getResult(0).getType());
  auto one = [](Value value) { return FailureOr<Values>(Values{value}); };
  auto resized = [&](bool isSigned) {
    return o.resize(x, isa<IndexType>(to) ? 64 : to.getIntOrFloatBitWidth(), isSigned);
  };
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case([&](tile::CastOp cast) {
        bool towardZero = cast.getRounding() == tile::Rounding::TowardZero;
        return one(o.cast(x, from, to, cast.getIsSigned(), towardZero));
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp>(
          [&](Operation *) { return one(o.cast(x, from, to, true, false)); })
      .Case<arith::UIToFPOp, arith::FPToUIOp>([&](Operation *) { return one(o.cast(x, from, to, false, false)); })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](Operation *) { return one(resized(true)); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>([&](Operation *) { return one(resized(false)); })
      .Case([&](arith::BitcastOp) { return one(o.bitcast(x, e.registerType(to))); })
      .Default([&](Operation *) { return FailureOr<Values>(e.unsupported(op)); });
}

} // namespace pavage::gpu

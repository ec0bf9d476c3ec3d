// Conversions between number types, exact to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware's conversions where the target has one that means the same; integer arithmetic on the bits of an f32
// elsewhere: bf16 before sm_80, fp8 before sm_89, and every conversion that cuts digits off.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Scalars.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace pavage::gpu {

namespace {
/// A float format of 1 + exponentBits + mantissaBits bits.
struct Format {
  unsigned exponentBits, mantissaBits;
  bool hasInfinity;
  bool saturates; ///< too large becomes the largest number

  explicit Format(Type type) {
    saturates = isa<Float8E4M3FNType, Float8E5M2Type>(type);
    hasInfinity = !isa<Float8E4M3FNType>(type);
    exponentBits = type.isBF16() ? 8 : isa<Float8E4M3FNType>(type) ? 4 : type.isF32() ? 8 : 5;
    mantissaBits = type.getIntOrFloatBitWidth() - 1 - exponentBits;
  }
  unsigned width() const { return 1 + exponentBits + mantissaBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  unsigned dropped() const { return 23 - mantissaBits; }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  uint32_t magnitudeMask() const { return (1u << (width() - 1)) - 1; }
  uint32_t largestFinite() const { return hasInfinity ? infinity() - 1 : magnitudeMask() - 1; }
  uint32_t quietNan() const { return hasInfinity ? infinity() | (1u << (mantissaBits - 1)) : magnitudeMask(); }
  uint32_t tooLarge() const { return saturates ? largestFinite() : infinity(); }
  /// All numbers are multiples of 2 to this power.
  int leastPlace() const { return 1 - bias() - static_cast<int>(mantissaBits); }
};
} // namespace

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
  Format format(narrow);
  Value word = resize(x, 32, false);
  Value sign = shl(andI(word, 0x80), 24), magnitude = andI(word, format.magnitudeMask());
  Value normal = add(shl(magnitude, format.dropped()), uint64_t(127 - format.bias()) << 23);
  // Below the least normal number: a count of least places, which times that place is exact.
  Value count = LLVM::UIToFPOp::create(e.b, e.loc, f32(), magnitude);
  Value tiny = bitcast(mulF(count, std::ldexp(1.0, format.leastPlace())), i(32));
  Value result = select(cmp(Pred::ult, magnitude, uint64_t(1) << format.mantissaBits), tiny, normal);
  result = select(cmp(Pred::eq, magnitude, format.quietNan()), constantLike(result, 0x7fc00000u), result);
  return bitcast(orI(result, sign), f32());
}

// --- writing ---------------------------------------------------------------------------------------------------------

/// By integer arithmetic, as the bits of the format.
static Value narrowByBits(const Scalars &o, Value x, const Format &format, bool towardZero) {
  using Pred = Scalars::Pred;
  Value word = o.bitcast(x, o.i(32)), magnitude = o.andI(word, 0x7fffffffu), rounded = magnitude;
  unsigned dropped = format.dropped();
  if (!towardZero && dropped > 0) {
    // To nearest even by adding just below half of the last kept place, and its own bit; a carry into the exponent is
    // right.
    Value lastKept = o.andI(o.shrU(magnitude, dropped), 1);
    rounded = o.add(o.add(magnitude, (1u << (dropped - 1)) - 1), lastKept);
  }
  Value result = o.sub(o.shrU(rounded, dropped), uint64_t(127 - format.bias()) << format.mantissaBits);
  if (format.exponentBits < 8) {
    // Below the least normal number: a count of least places. Scaling by a power of two is exact there.
    Value limit = o.constantLike(magnitude, uint64_t(128 - format.bias()) << 23);
    Value isTiny = o.cmp(Pred::ult, magnitude, limit);
    Value safe = o.bitcast(o.select(isTiny, magnitude, o.constantLike(magnitude, 0)), o.f32());
    Value scaled = o.mulF(safe, std::ldexp(1.0, -format.leastPlace()));
    Value whole = towardZero ? scaled : o.subF(o.addF(scaled, 8388608.0), 8388608.0);
    Value count = LLVM::FPToSIOp::create(o.e.b, o.e.loc, word.getType(), whole);
    result = o.select(isTiny, count, result);
  }
  uint32_t beyond = towardZero ? format.largestFinite() : format.tooLarge();
  result = o.select(o.cmp(Pred::ugt, result, format.largestFinite()), o.constantLike(result, beyond), result);
  result = o.select(o.cmp(Pred::eq, magnitude, 0x7f800000u), o.constantLike(result, format.tooLarge()), result);
  result = o.select(o.cmp(Pred::ugt, magnitude, 0x7f800000u), o.constantLike(result, format.quietNan()), result);
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
  Value bits = narrowByBits(*this, x, Format(narrow), towardZero);
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

/// A 64-bit integer as the f64 that rounds to any format of at most 32 bits as the integer itself would.
static Value integerToOdd(const Scalars &o, Value x, bool isSigned) {
  Value magnitude = x, sign;
  if (isSigned) {
    sign = o.shrS(x, 63);
    magnitude = o.sub(o.xorI(x, sign), sign);
  }
  // Of more than 53 digits the lower 11 become one sticky digit.
  Value isLong = o.cmp(Scalars::Pred::ne, o.shrU(magnitude, 53), 0);
  Value lost = o.cmp(Scalars::Pred::ne, o.andI(magnitude, 2047), 0);
  Value kept = o.orI(o.andI(magnitude, ~uint64_t(2047)), o.shl(o.resize(lost, 64, false), 11));
  Value exact = LLVM::UIToFPOp::create(o.e.b, o.e.loc, o.f64(), o.select(isLong, kept, magnitude));
  return isSigned ? o.bitcast(o.orI(o.bitcast(exact, o.i(64)), o.andI(sign, uint64_t(1) << 63)), o.f64()) : exact;
}

static Value toFloat(const Scalars &o, Value x, Type to, bool isSigned) {
  return isSigned ? Value(LLVM::SIToFPOp::create(o.e.b, o.e.loc, to, x))
                  : LLVM::UIToFPOp::create(o.e.b, o.e.loc, to, x);
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
  Value wide = width == 64 ? integerToOdd(o, x, isSigned) : toFloat(o, x, o.f64(), isSigned);
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

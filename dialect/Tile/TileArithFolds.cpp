// Folders and canonical forms of the total arithmetic ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileFolding.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pavage::tile;

// ---- cast

/// An f8 holds no number beyond its largest finite one; NaN stays NaN.
static APFloat saturateNarrow(APFloat value, bool sourceIsNan, bool isNegative) {
  bool isNarrow = APFloat::semanticsSizeInBits(value.getSemantics()) == 8;
  return isNarrow && !sourceIsNan && !value.isFinite() ? APFloat::getLargest(value.getSemantics(), isNegative) : value;
}

static Attribute castElement(Attribute element, Type to, bool isSigned, Rounding rounding) {
  auto floatTo = dyn_cast<FloatType>(to);
  if (auto integer = dyn_cast<IntegerAttr>(element)) {
    APInt value = integer.getValue();
    isSigned &= value.getBitWidth() != 1;
    if (floatTo) {
      APFloat result(floatTo.getFloatSemantics());
      result.convertFromAPInt(value, isSigned, APFloat::rmNearestTiesToEven);
      return FloatAttr::get(to, saturateNarrow(result, false, isSigned && value.isNegative()));
    }
    if (to.isInteger(1)) {
      return IntegerAttr::get(to, APInt(1, !value.isZero()));
    }
    unsigned width = to.getIntOrFloatBitWidth();
    return IntegerAttr::get(to, isSigned ? value.sextOrTrunc(width) : value.zextOrTrunc(width));
  }
  APFloat value = cast<FloatAttr>(element).getValue();
  if (floatTo) {
    bool losesInfo, isNan = value.isNaN(), isNegative = value.isNegative();
    value.convert(floatTo.getFloatSemantics(),
                  rounding == Rounding::TowardZero ? APFloat::rmTowardZero : APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(to, saturateNarrow(value, isNan, isNegative));
  }
  if (to.isInteger(1)) {
    return IntegerAttr::get(to, APInt(1, !value.isZero()));
  }
  APSInt result(to.getIntOrFloatBitWidth(), !isSigned);
  bool isExact;
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact); // saturates
  return IntegerAttr::get(to, value.isNaN() ? APInt::getZero(result.getBitWidth()) : APInt(result));
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  Type to = getResult().getType();
  if (getSrc().getType() == to) {
    return getSrc();
  }
  return mapConstants(adaptor.getSrc(), to, [&](ArrayRef<Attribute> in) {
    return castElement(in[0], elementTypeOf(to), getIsSigned(), getRounding());
  });
}

/// Whether every number of one float type is a number of the other.
static bool holdsAll(FloatType wide, FloatType narrow) {
  const llvm::fltSemantics &a = wide.getFloatSemantics(), &b = narrow.getFloatSemantics();
  return wide.getWidth() > narrow.getWidth() && APFloat::semanticsPrecision(a) >= APFloat::semanticsPrecision(b) &&
         APFloat::semanticsMaxExponent(a) >= APFloat::semanticsMaxExponent(b) &&
         APFloat::semanticsMinExponent(a) <= APFloat::semanticsMinExponent(b);
}

namespace {
/// The one cast that two in a row amount to.
struct Joined {
  bool isSigned;
  Rounding rounding;
};
} // namespace

static std::optional<Joined> joinCasts(CastOp first, CastOp second) {
  Type a = elementTypeOf(first.getSrc().getType()), b = elementTypeOf(second.getSrc().getType()),
       c = elementTypeOf(second.getResult().getType());
  auto floatA = dyn_cast<FloatType>(a), floatB = dyn_cast<FloatType>(b);
  if (floatA && floatB) { // exact, then anything: what the second cast says
    return holdsAll(floatB, floatA) ? std::optional(Joined{second.getIsSigned(), second.getRounding()}) : std::nullopt;
  }
  auto intA = dyn_cast<IntegerType>(a), intB = dyn_cast<IntegerType>(b);
  if (!intA || !intB || b.isInteger(1)) {
    return std::nullopt;
  }
  bool firstSigned = first.getIsSigned() && intA.getWidth() != 1;
  if (intB.getWidth() < intA.getWidth()) { // low bits of low bits
    bool cuts = isa<IntegerType>(c) && !c.isInteger(1) && c.getIntOrFloatBitWidth() <= intB.getWidth();
    return cuts ? std::optional(Joined{false, Rounding::Nearest}) : std::nullopt;
  }
  // Extended without a change of value: an unsigned one is not negative for whoever reads it.
  bool reads = !firstSigned || second.getIsSigned();
  bool cuts = isa<IntegerType>(c) && c.getIntOrFloatBitWidth() <= intB.getWidth(); // no sign is read
  return reads || cuts ? std::optional(Joined{firstSigned, second.getRounding()}) : std::nullopt;
}

LogicalResult CastOp::canonicalize(CastOp op, PatternRewriter &rewriter) {
  auto first = op.getSrc().getDefiningOp<CastOp>();
  if (!first) {
    return failure();
  }
  std::optional<Joined> joined = joinCasts(first, op);
  if (!joined) {
    return rewriter.notifyMatchFailure(op, "the first cast changes numbers");
  }
  Type from = elementTypeOf(first.getSrc().getType()), to = elementTypeOf(op.getResult().getType());
  bool areFloats = isa<FloatType>(from) && isa<FloatType>(to);
  rewriter.replaceOpWithNewOp<CastOp>(op, op.getResult().getType(), first.getSrc(),
                                      areFloats ? joined->rounding : Rounding::Nearest, joined->isSigned);
  return success();
}

// ---- div, rem, shl, shr

static Attribute foldIntegers(Attribute lhs, Attribute rhs, Type type, function_ref<APInt(APInt, APInt)> fn) {
  return mapConstants({lhs, rhs}, type, [&](ArrayRef<Attribute> in) -> Attribute {
    return IntegerAttr::get(elementTypeOf(type),
                            fn(cast<IntegerAttr>(in[0]).getValue(), cast<IntegerAttr>(in[1]).getValue()));
  });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> divisor = constantInteger(adaptor.getRhs());
  Type type = getResult().getType();
  if (divisor && divisor->isZero()) {
    return constantOf(type, IntegerAttr::get(elementTypeOf(type), APInt::getAllOnes(divisor->getBitWidth())));
  }
  // A one-bit 1 is -1 when signed, and x / -1 is x there too.
  if (divisor && divisor->isOne()) {
    return getLhs();
  }
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), type, [&](APInt a, APInt b) {
    return b.isZero() ? APInt::getAllOnes(b.getBitWidth()) : getIsSigned() ? a.sdiv(b) : a.udiv(b);
  });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> divisor = constantInteger(adaptor.getRhs());
  Type type = getResult().getType();
  if (divisor && divisor->isZero()) {
    return getLhs();
  }
  if (divisor && (divisor->isOne() || (getIsSigned() && divisor->isAllOnes()))) {
    return constantOf(type, IntegerAttr::get(elementTypeOf(type), APInt::getZero(divisor->getBitWidth())));
  }
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), type, [&](APInt a, APInt b) {
    if (b.isZero()) {
      return a;
    }
    return !getIsSigned() ? a.urem(b) : b.isAllOnes() ? APInt::getZero(b.getBitWidth()) : a.srem(b);
  });
}

/// x / 2^k is x >> k, unsigned.
LogicalResult DivOp::canonicalize(DivOp op, PatternRewriter &rewriter) {
  std::optional<APInt> divisor = constantInteger(op.getRhs());
  if (op.getIsSigned() || !divisor || !divisor->isPowerOf2() || divisor->isOne()) {
    return failure();
  }
  Type type = op.getResult().getType();
  APInt amount(divisor->getBitWidth(), divisor->logBase2());
  Value shift =
      arith::ConstantOp::create(rewriter, op.getLoc(), constantOf(type, IntegerAttr::get(elementTypeOf(type), amount)));
  rewriter.replaceOpWithNewOp<ShrOp>(op, type, op.getLhs(), shift, /*is_signed=*/false);
  return success();
}

/// x % 2^k is x & (2^k - 1), unsigned.
LogicalResult RemOp::canonicalize(RemOp op, PatternRewriter &rewriter) {
  std::optional<APInt> divisor = constantInteger(op.getRhs());
  if (op.getIsSigned() || !divisor || !divisor->isPowerOf2()) {
    return failure();
  }
  Type type = op.getResult().getType();
  Value mask = arith::ConstantOp::create(rewriter, op.getLoc(),
                                         constantOf(type, IntegerAttr::get(elementTypeOf(type), *divisor - 1)));
  rewriter.replaceOpWithNewOp<arith::AndIOp>(op, op.getLhs(), mask);
  return success();
}

static unsigned shiftAmount(const APInt &amount) {
  return static_cast<unsigned>(amount.getLimitedValue(amount.getBitWidth()));
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> amount = constantInteger(adaptor.getRhs());
  Type type = getResult().getType();
  if (amount && amount->isZero()) {
    return getLhs();
  }
  if (amount && amount->uge(amount->getBitWidth())) {
    return constantOf(type, IntegerAttr::get(elementTypeOf(type), APInt::getZero(amount->getBitWidth())));
  }
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), type, [](APInt a, APInt b) { return a.shl(shiftAmount(b)); });
}

OpFoldResult ShrOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> amount = constantInteger(adaptor.getRhs());
  Type type = getResult().getType();
  if (amount && amount->isZero()) {
    return getLhs();
  }
  if (!getIsSigned() && amount && amount->uge(amount->getBitWidth())) {
    return constantOf(type, IntegerAttr::get(elementTypeOf(type), APInt::getZero(amount->getBitWidth())));
  }
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), type, [&](APInt a, APInt b) {
    return getIsSigned() ? a.ashr(shiftAmount(b)) : a.lshr(shiftAmount(b));
  });
}

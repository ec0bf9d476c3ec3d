// The operator `**`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   float ** literal int   0 .. 4: products, in float32 for smaller types; others: math.powf
//   float ** anything      math.powf
//   int ** literal int     products by repeated squaring, wrapping; a negative exponent is an error
//   int ** int tile        the same over the exponent's bits; a negative exponent gives the quotient 1 / x**-e
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Ref Session::power(const Ref &x, const Ref &y) {
  DType d = promote(PV_POW, x, y);
  if (!d) {
    return {};
  }
  if (d.isPointer()) {
    return fail(Code::ExpectedNumber, "expected numbers for '**', got " + describe(*x) + " and " + describe(*y));
  }
  bool isKnownExponent = y->isLiteral() && !y->number->isFloat;
  Wide exponent = isKnownExponent ? y->number->integer : 0;
  if (d.isInteger() && isKnownExponent && exponent < 0) {
    return fail(Code::LiteralOutOfRange, "expected an exponent of at least 0 for an integer base, got " +
                                             toString(exponent) + "; use a float base");
  }
  if (isKnownExponent && (d.isInteger() || (exponent >= 0 && exponent <= 4))) {
    Ref base = convertOperand(x, d);
    base = base ? toTensor(base) : Ref();
    if (!base) {
      return {};
    }
    Ref square = d.isFloat() && d.bits() < 32 ? cast(base, f32) : base;
    Ref result = constant(square->dtype, {false, 1, 0}, square->shape);
    for (bool isFirst = true; exponent != 0; exponent >>= 1) {
      if (exponent & 1) {
        result = isFirst ? square : arithmeticOp(PV_MUL, result, square);
        isFirst = false;
      }
      if (exponent > 1) {
        square = arithmeticOp(PV_MUL, square, square);
      }
    }
    return cast(result, d);
  }
  Operands o = arithmetic(PV_POW, x, y);
  if (!o) {
    return {};
  }
  if (d.isFloat()) {
    Ref a = d.bits() < 32 ? cast(o.x, f32) : o.x, b = d.bits() < 32 ? cast(o.y, f32) : o.y;
    return cast(tile(create<math::PowFOp>(a->ir, b->ir), a->dtype), d);
  }
  Ref zero = constant(d, {}, o.x->shape), one = constant(d, {false, 1, 0}, o.x->shape);
  Ref isNegative = d.isSigned() ? compare(PV_LT, o.y, zero) : Ref();
  Ref e = isNegative ? where(isNegative, unary(PV_NEG, o.y), o.y) : o.y;
  Ref result = one, square = o.x;
  for (int bit = 0; bit < d.bits(); ++bit) {
    Ref isSet = binary(PV_AND, binary(PV_SHR, e, literalInt(bit)), one);
    result = where(compare(PV_NE, isSet, zero), arithmeticOp(PV_MUL, result, square), result);
    square = arithmeticOp(PV_MUL, square, square);
  }
  return isNegative ? where(isNegative, divide(PV_FLOORDIV, one, result), result) : result;
}

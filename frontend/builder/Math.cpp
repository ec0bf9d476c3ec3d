// Unary operators and mathematical functions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of float16, bfloat16 and fp8 are computed in float32 and rounded back once.
#include "mlir/Dialect/Math/IR/Math.h"
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Ref Session::inFloat32(const Ref &x, llvm::function_ref<mlir::Value(mlir::Value)> f) {
  Ref wide = x->dtype.bits() < 32 ? cast(x, f32) : x;
  mlir::Value v = wide ? f(wide->ir) : mlir::Value();
  return v ? cast(tile(v, wide->dtype), x->dtype) : Ref();
}

/// Functions of one float that upstream has under one name.
template <typename... Args>
static mlir::Value floatFunction(pv_unary_op op, OpBuilder &b, Location loc, mlir::Value v) {
  switch (op) {
#define CASE(NAME, OP)                                                                                                 \
  case NAME:                                                                                                           \
    return math::OP::create(b, loc, v);
    CASE(PV_EXP, ExpOp)
    CASE(PV_EXP2, Exp2Op)
    CASE(PV_EXPM1, ExpM1Op)
    CASE(PV_LOG, LogOp)
    CASE(PV_LOG2, Log2Op)
    CASE(PV_LOG10, Log10Op)
    CASE(PV_LOG1P, Log1pOp)
    CASE(PV_SIN, SinOp)
    CASE(PV_COS, CosOp)
    CASE(PV_TAN, TanOp)
    CASE(PV_ASIN, AsinOp)
    CASE(PV_ACOS, AcosOp)
    CASE(PV_ATAN, AtanOp)
    CASE(PV_SINH, SinhOp)
    CASE(PV_COSH, CoshOp)
    CASE(PV_TANH, TanhOp)
    CASE(PV_ASINH, AsinhOp)
    CASE(PV_ACOSH, AcoshOp)
    CASE(PV_ATANH, AtanhOp)
    CASE(PV_SQRT, SqrtOp)
    CASE(PV_SQRT_RN, SqrtOp)
    CASE(PV_RSQRT, RsqrtOp)
    CASE(PV_CBRT, CbrtOp)
    CASE(PV_ERF, ErfOp)
    CASE(PV_ERFC, ErfcOp)
    CASE(PV_FLOOR, FloorOp)
    CASE(PV_CEIL, CeilOp)
    CASE(PV_TRUNC, TruncOp)
    CASE(PV_ROUND, RoundOp)
    CASE(PV_RINT, RoundEvenOp)
#undef CASE
  default:
    return {};
  }
}

static StringRef nameOf(pv_unary_op op) {
  static constexpr StringRef names[PV_LAST_UNARY + 1] = {
      "",      "-",     "+",       "~",        "not",     "abs",  "exp",  "exp2",    "expm1", "log",  "log2",  "log10",
      "log1p", "sin",   "cos",     "tan",      "asin",    "acos", "atan", "sinh",    "cosh",  "tanh", "asinh", "acosh",
      "atanh", "sqrt",  "sqrt_rn", "rsqrt",    "cbrt",    "erf",  "erfc", "sigmoid", "floor", "ceil", "trunc", "round",
      "rint",  "isnan", "isinf",   "isfinite", "signbit", "popc", "clz",  "ctz",     "ffs"};
  return names[op];
}

Ref Session::unary(pv_unary_op op, const Ref &given) {
  if (op < PV_NEG || op > PV_LAST_UNARY) {
    return fail(Code::BuilderMisuse, "expected a unary operation, got number " + Twine(int(op)));
  }
  if (!checkNumber(given, "'" + nameOf(op) + "'")) {
    return {};
  }
  if (op == PV_LOGICAL_NOT) {
    Ref c = toBool(given);
    return c ? unary(PV_INVERT, c) : Ref();
  }
  bool wantsInteger = op == PV_INVERT || op >= PV_POPC;
  bool takesBoth = op == PV_NEG || op == PV_POS || op == PV_ABS;
  // A literal is a float where a float is wanted.
  Ref x = given->isLiteral() && !wantsInteger && !takesBoth && given->dtype.isInteger() ? constant(f32, *given->number)
                                                                                        : toTensor(given);
  DType d = x->dtype;
  if (d.isPointer()) {
    return fail(Code::ExpectedNumber, "expected a number for '" + nameOf(op) + "', got " + describe(*x));
  }
  if (wantsInteger && !d.isInteger()) {
    return fail(Code::ExpectedInteger, "expected an integer for '" + nameOf(op) + "', got " + describe(*x));
  }
  if (!wantsInteger && !takesBoth && !d.isFloat()) {
    return fail(Code::ExpectedFloat, "expected a float for '" + nameOf(op) + "', got " + describe(*x));
  }
  mlir::Value v = x->ir;
  auto zero = [&] { return constant(d, {}, x->shape)->ir; };
  switch (op) {
  case PV_POS:
    return x;
  case PV_NEG:
    if (d.isFp8()) {
      return inFloat32(x, [&](mlir::Value w) { return create<arith::NegFOp>(w); });
    }
    return tile(d.isFloat() ? mlir::Value(create<arith::NegFOp>(v)) : create<arith::SubIOp>(zero(), v), d);
  case PV_INVERT:
    return tile(create<arith::XOrIOp>(v, constant(d, {false, -1, 0}, x->shape)->ir), d);
  case PV_ABS:
    if (d.isFp8()) {
      return inFloat32(x, [&](mlir::Value w) { return create<math::AbsFOp>(w); });
    }
    if (d.isFloat()) {
      return tile(create<math::AbsFOp>(v), d);
    }
    return d.isSigned() ? tile(create<math::AbsIOp>(v), d) : x;
  case PV_SIGMOID:
    return inFloat32(x, [&](mlir::Value w) -> mlir::Value {
      TypedAttr attr = constantAttr(&context(), x->dtype == f64 ? f64 : f32, {false, 1, 0});
      mlir::Value one = splat(create<arith::ConstantOp>(attr), x->shape);
      mlir::Value e = create<math::ExpOp>(create<arith::NegFOp>(w));
      return create<arith::DivFOp>(one, create<arith::AddFOp>(one, e));
    });
  case PV_ISNAN:
  case PV_ISINF:
  case PV_ISFINITE: {
    Ref w = d.isFp8() ? cast(x, f32) : x;
    if (op == PV_ISNAN) {
      return tile(create<arith::CmpFOp>(arith::CmpFPredicate::UNO, w->ir, w->ir), i1);
    }
    mlir::Value size = create<math::AbsFOp>(w->ir);
    mlir::Value infinity = constant(w->dtype, {true, 0, INFINITY}, x->shape)->ir;
    auto p = op == PV_ISINF ? arith::CmpFPredicate::OEQ : arith::CmpFPredicate::OLT;
    return tile(create<arith::CmpFOp>(p, size, infinity), i1);
  }
  case PV_SIGNBIT: {
    Ref bits = bitcast(x, d.bits() == 8 ? i8 : d.bits() == 16 ? i16 : d.bits() == 32 ? i32 : i64);
    return compare(PV_LT, bits, literalInt(0));
  }
  case PV_POPC:
    return tile(create<math::CtPopOp>(v), d);
  case PV_CLZ:
    return tile(create<math::CountLeadingZerosOp>(v), d);
  case PV_CTZ:
    return tile(create<math::CountTrailingZerosOp>(v), d);
  case PV_FFS: {
    mlir::Value one = constant(d, {false, 1, 0}, x->shape)->ir;
    mlir::Value place = create<arith::AddIOp>(create<math::CountTrailingZerosOp>(v), one);
    return tile(select(create<arith::CmpIOp>(arith::CmpIPredicate::eq, v, zero()), zero(), place), d);
  }
  default:
    return inFloat32(x, [&](mlir::Value w) { return floatFunction<>(op, ir, loc(), w); });
  }
}

Ref Session::fma(const Ref &x, const Ref &y, const Ref &z) {
  Operands first = arithmetic(PV_MUL, x, y);
  Operands second = first ? arithmetic(PV_ADD, first.x, z) : Operands();
  if (!second) {
    return {};
  }
  DType d = second.x->dtype;
  if (!d.isFloat()) {
    return fail(Code::ExpectedFloat,
                "expected floats for fma, got " + describe(*x) + ", " + describe(*y) + " and " + describe(*z));
  }
  Ref b = convertOperand(first.y, d);
  DType wide = d.bits() < 32 ? f32 : d;
  Ref p = cast(second.x, wide), q = cast(asTileOf(b, second.x->shape), wide), r = cast(second.y, wide);
  return cast(tile(create<math::FmaOp>(p->ir, q->ir, r->ir), wide), d);
}

Ref Session::clamp(const Ref &x, const Ref &lo, const Ref &hi, bool propagateNan) {
  Operands bounds = arithmetic(PV_MINIMUM, lo, hi);
  // Literal bounds stay literals, so that they adapt to x.
  bool areLiterals = lo && hi && lo->isLiteral() && hi->isLiteral();
  if (!bounds && !areLiterals) {
    return {};
  }
  Ref raised = extremum(propagateNan ? PV_MAXIMUM_NAN : PV_MAXIMUM, x, areLiterals ? lo : bounds.x);
  return raised ? extremum(propagateNan ? PV_MINIMUM_NAN : PV_MINIMUM, raised, areLiterals ? hi : bounds.y) : Ref();
}

Ref Session::softmax(const Ref &given, std::optional<int64_t> dim) {
  if (!checkTile(given, "softmax")) {
    return {};
  }
  if (!given->dtype.isFloat()) {
    return fail(Code::ExpectedFloat, "expected a float tile for softmax, got " + describe(*given));
  }
  std::optional<int64_t> axis = axisOf(given, dim.value_or(0), "softmax");
  if (!axis) {
    return {};
  }
  DType d = given->dtype;
  Ref x = d.bits() < 32 ? cast(given, f32) : given;
  Ref top = reduce(PV_MAX, x, axis, /*keepDims=*/true, {});
  Ref e = top ? unary(PV_EXP, sub(x, top)) : Ref();
  Ref total = e ? reduce(PV_SUM, e, axis, /*keepDims=*/true, {}) : Ref();
  Ref r = total ? divide(PV_DIV, e, total) : Ref();
  return r ? cast(r, d) : Ref();
}

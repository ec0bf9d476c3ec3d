// In which dtype two operands meet, and in which shape. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first rule that applies wins:
//   1  a literal and a tile, the literal's kind not above the tile's (bool < int < float): the tile's dtype
//   2  one is float64: float64            3  one is float32: float32
//   4  one is float16: float16            5  both are bfloat16: bfloat16
//   6  one is bfloat16: float32           7  both are fp8: the common one, else float16
//   8  both are integers: as in C, ranked by width
// `/` and `%` compute float16 and bfloat16 in float32.
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static bool isDivision(pv_binary_op op) { return op == PV_DIV || op == PV_FLOORDIV || op == PV_MOD; }

static StringRef spelling(pv_binary_op op) {
  static constexpr StringRef names[PV_LAST_BINARY + 1] = {
      "",        "+",       "-",       "*",    "/",    "//",     "%",      "**",   "&",    "|",     "^",
      "<<",      ">>",      "==",      "!=",   "<",    "<=",     ">",      ">=",   "and",  "or",    "maximum",
      "minimum", "maximum", "minimum", "fdiv", "fdiv", "div_rn", "umulhi", "cdiv", "fmod", "atan2", "copysign"};
  return names[op];
}

DType Session::promote(pv_binary_op op, const Ref &x, const Ref &y) {
  if (!checkNumber(x, "the left side of '" + spelling(op) + "'") ||
      !checkNumber(y, "the right side of '" + spelling(op) + "'")) {
    return {};
  }
  DType a = x->dtype, b = y->dtype;
  auto mismatch = [&]() -> DType {
    return fail(Code::NoCommonType, "expected operands of '" + spelling(op) + "' with a common dtype, got " +
                                        describe(*x) + " and " + describe(*y));
  };
  if (a.isPointer() || b.isPointer()) {
    return a == b ? a : mismatch();
  }
  bool divides = isDivision(op);
  auto computed = [&](DType d) { return divides && (d == f16 || d == bf16) ? f32 : d; };
  if (x->isLiteral() != y->isLiteral()) {
    DType literal = x->isLiteral() ? a : b, tile = x->isLiteral() ? b : a;
    if (numberKind(literal) <= numberKind(tile)) {
      return computed(tile);
    }
  }
  for (DType d : {f64, f32, f16}) {
    if (a == d || b == d) {
      return computed(d);
    }
  }
  if (a == bf16 || b == bf16) {
    return a == b ? computed(bf16) : f32;
  }
  if (a.isFp8() && b.isFp8()) {
    return a == b ? a : f16;
  }
  if (!a.isInteger() || !b.isInteger()) {
    return mismatch();
  }
  if (divides && a.isSigned() != b.isSigned() && !x->isLiteral() && !y->isLiteral()) {
    return fail(Code::MixedSignedness, "expected operands of '" + spelling(op) + "' of one signedness, got " +
                                           describe(*x) + " and " + describe(*y) + "; cast one of them");
  }
  return promoteIntegers(a, b);
}

Ref Session::convertOperand(const Ref &x, DType dtype) {
  if (!x->isLiteral()) {
    return cast(x, dtype);
  }
  const Number &n = *x->number;
  if (dtype.isInteger() && !dtype.isBool() && !n.isFloat) {
    if (n.integer < 0 && !dtype.isSigned()) {
      return fail(Code::LiteralOutOfRange, "expected a literal that is not negative for " + dtype.name() + ", got " +
                                               toString(n.integer) + "; cast one of the operands");
    }
    if (n.integer < minOf(dtype) || n.integer > maxOf(dtype)) {
      return fail(Code::LiteralOutOfRange, "expected a literal in " + toString(minOf(dtype)) + " .. " +
                                               toString(maxOf(dtype)) + " for " + dtype.name() + ", got " +
                                               toString(n.integer));
    }
  }
  if (dtype.isPointer()) {
    return cast(toTensor(x), dtype);
  }
  return constant(dtype, n);
}

Operands Session::arithmetic(pv_binary_op op, const Ref &x, const Ref &y) {
  DType d = promote(op, x, y);
  if (!d) {
    return {};
  }
  Ref a = convertOperand(x, d);
  Ref b = a ? convertOperand(y, d) : Ref();
  return b ? broadcastPair(a, b) : Operands();
}

/// x with leading axes of extent 1 added and all of them repeated to `shape`; a scalar everywhere.
Ref Session::asTileOf(const Ref &x, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(x->shape) == shape) {
    return x;
  }
  if (x->shape.empty()) {
    return tile(splat(x->ir, shape), x->dtype);
  }
  mlir::Value v = x->ir;
  Type element = tile::elementTypeOf(v.getType());
  Shape extents = x->shape;
  while (extents.size() < shape.size()) {
    extents.insert(extents.begin(), 1);
    v = create<tile::ExpandDimsOp>(tile::tileOrScalar(extents, element), v, 0);
  }
  if (ArrayRef<int64_t>(extents) != shape) {
    v = create<tile::BroadcastOp>(tile::tileOrScalar(shape, element), v);
  }
  return tile(v, x->dtype);
}

Operands Session::broadcastPair(const Ref &x, const Ref &y) {
  Ref a = toTensor(x), b = a ? toTensor(y) : Ref();
  if (!b) {
    return {};
  }
  if (a->shape == b->shape) {
    return {a, b};
  }
  if (a->shape.empty() || b->shape.empty()) {
    ArrayRef<int64_t> shape = a->shape.empty() ? b->shape : a->shape;
    return {asTileOf(a, shape), asTileOf(b, shape)};
  }
  size_t rank = std::max(a->shape.size(), b->shape.size());
  Shape shape(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    auto extent = [&](const Ref &v) {
      size_t missing = rank - v->shape.size();
      return i < missing ? int64_t(1) : v->shape[i - missing];
    };
    int64_t m = extent(a), n = extent(b);
    if (m != n && m != 1 && n != 1) {
      return fail(Code::ShapeMismatch, "expected shapes that broadcast, got " + toString(a->shape) + " and " +
                                           toString(b->shape) + ": axis " + Twine(i) + " has " + Twine(m) + " and " +
                                           Twine(n));
    }
    shape[i] = m == 1 ? n : m;
  }
  if (!checkShape(shape, "the broadcast of two tiles")) {
    return {};
  }
  return {asTileOf(a, shape), asTileOf(b, shape)};
}

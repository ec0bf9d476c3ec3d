// Binary operators. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers wrap, division and shifts are total (tile.div, rem, shl, shr), floats round once per operator. fp8 has no
// arithmetic of its own: it is computed in float32 and rounded back.
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

mlir::Value Session::select(mlir::Value condition, mlir::Value x, mlir::Value y) {
  return create<arith::SelectOp>(condition, x, y);
}

Ref Session::binary(pv_binary_op op, const Ref &x, const Ref &y) {
  switch (op) {
  case PV_ADD:
  case PV_SUB: {
    if (!checkNumber(x, "the left side") || !checkNumber(y, "the right side")) {
      return {};
    }
    bool left = x->dtype.isPointer(), right = y->dtype.isPointer();
    if (left && right) {
      return fail(Code::BadPointerArithmetic,
                  "expected a pointer and an integer, got " + describe(*x) + " and " + describe(*y));
    }
    if (left) {
      return pointerAdd(x, y, op == PV_SUB);
    }
    if (right && op == PV_ADD) {
      return pointerAdd(y, x, false);
    }
    if (right) {
      return fail(Code::BadPointerArithmetic, "expected an integer to subtract, got " + describe(*y));
    }
    return arithmeticOp(op, x, y);
  }
  case PV_MUL:
    return arithmeticOp(op, x, y);
  case PV_DIV:
  case PV_FLOORDIV:
  case PV_MOD:
  case PV_FMOD:
  case PV_FDIV:
  case PV_FDIV_IEEE:
  case PV_DIV_RN:
  case PV_CDIV:
    return divide(op, x, y);
  case PV_POW:
    return power(x, y);
  case PV_AND:
  case PV_OR:
  case PV_XOR:
  case PV_SHL:
  case PV_SHR:
  case PV_UMULHI: {
    DType d = promote(op, x, y);
    if (!d) {
      return {};
    }
    if (!d.isInteger()) {
      return fail(Code::ExpectedInteger, "expected integers, got " + describe(*x) + " and " + describe(*y));
    }
    if (op == PV_UMULHI && d.bits() < 32) {
      return fail(Code::ExpectedInteger,
                  "expected integers of 32 or 64 bits for umulhi, got " + describe(*x) + " and " + describe(*y));
    }
    return arithmeticOp(op, x, y);
  }
  case PV_EQ:
  case PV_NE:
  case PV_LT:
  case PV_LE:
  case PV_GT:
  case PV_GE:
    return compare(op, x, y);
  case PV_LOGICAL_AND:
  case PV_LOGICAL_OR: {
    Ref a = toBool(x), b = a ? toBool(y) : Ref();
    return b ? arithmeticOp(op == PV_LOGICAL_AND ? PV_AND : PV_OR, a, b) : Ref();
  }
  case PV_MAXIMUM:
  case PV_MINIMUM:
  case PV_MAXIMUM_NAN:
  case PV_MINIMUM_NAN:
    return extremum(op, x, y);
  case PV_ATAN2:
  case PV_COPYSIGN: {
    Operands o = arithmetic(op, x, y);
    if (!o) {
      return {};
    }
    DType d = o.x->dtype;
    if (!d.isFloat()) {
      return fail(Code::ExpectedFloat, "expected floats, got " + describe(*x) + " and " + describe(*y));
    }
    bool narrow = d.isFp8() || (op == PV_ATAN2 && d.bits() < 32);
    Ref a = narrow ? cast(o.x, f32) : o.x, b = narrow ? cast(o.y, f32) : o.y;
    mlir::Value v = op == PV_ATAN2 ? mlir::Value(create<math::Atan2Op>(a->ir, b->ir))
                                   : mlir::Value(create<math::CopySignOp>(a->ir, b->ir));
    return cast(tile(v, a->dtype), d);
  }
  }
  return fail(Code::BuilderMisuse, "expected a binary operation, got number " + Twine(int(op)));
}

/// Operators that are one op on two operands of one dtype.
Ref Session::arithmeticOp(pv_binary_op op, const Ref &x, const Ref &y) {
  Operands o = arithmetic(op, x, y);
  if (!o) {
    return {};
  }
  DType d = o.x->dtype;
  if (d.isPointer()) {
    return fail(Code::ExpectedNumber, "expected numbers, got " + describe(*x) + " and " + describe(*y));
  }
  mlir::Value a = o.x->ir, b = o.y->ir;
  if (d.isFloat()) {
    Ref p = d.isFp8() ? cast(o.x, f32) : o.x, q = d.isFp8() ? cast(o.y, f32) : o.y;
    mlir::Value v;
    if (op == PV_ADD) {
      v = create<arith::AddFOp>(p->ir, q->ir);
    } else if (op == PV_SUB) {
      v = create<arith::SubFOp>(p->ir, q->ir);
    } else {
      v = create<arith::MulFOp>(p->ir, q->ir);
    }
    return cast(tile(v, p->dtype), d);
  }
  mlir::Value v;
  switch (op) {
  case PV_ADD:
    v = create<arith::AddIOp>(a, b);
    break;
  case PV_SUB:
    v = create<arith::SubIOp>(a, b);
    break;
  case PV_MUL:
    v = create<arith::MulIOp>(a, b);
    break;
  case PV_AND:
    v = create<arith::AndIOp>(a, b);
    break;
  case PV_OR:
    v = create<arith::OrIOp>(a, b);
    break;
  case PV_XOR:
    v = create<arith::XOrIOp>(a, b);
    break;
  case PV_SHL:
    v = create<tile::ShlOp>(a, b);
    break;
  case PV_SHR:
    // As in Triton, the left side's own sign decides what is shifted in, also where promotion made it unsigned.
    v = create<tile::ShrOp>(a, b, x->isLiteral() ? d.isSigned() : x->dtype.isSigned());
    break;
  default:
    v = create<arith::MulUIExtendedOp>(a, b).getHigh();
    break;
  }
  return tile(v, d);
}

Ref Session::pointerAdd(const Ref &pointer, const Ref &offset, bool negate) {
  if (!offset->dtype.isInteger() || (offset->dtype.isBool() && !offset->isLiteral())) {
    return fail(Code::BadPointerArithmetic,
                "expected an integer offset for " + describe(*pointer) + ", got " + describe(*offset));
  }
  if (!checkScope(pointer)) {
    return {};
  }
  // Unsigned offsets below 64 bits are widened first: the address arithmetic sign-extends.
  Ref o = toTensor(offset);
  if (o && !o->dtype.isSigned() && o->dtype.bits() < 64) {
    o = cast(o, i64);
  }
  if (o && negate) {
    o = cast(o, i64);
    o = o ? unary(PV_NEG, o) : Ref();
  }
  if (!o) {
    return {};
  }
  Operands both = broadcastPair(pointer, o);
  return both ? tile(create<tile::AddPtrOp>(both.x->ir, both.y->ir), pointer->dtype) : Ref();
}

Ref Session::divide(pv_binary_op op, const Ref &x, const Ref &y) {
  bool isFdiv = op == PV_FDIV || op == PV_FDIV_IEEE || op == PV_DIV_RN;
  if (op == PV_CDIV) {
    // Without the usual x + y - 1, which may overflow: one more where there is a remainder of the divisor's sign.
    Ref quotient = divide(PV_FLOORDIV, x, y), rest = quotient ? divide(PV_MOD, x, y) : Ref();
    if (!rest) {
      return {};
    }
    DType d = quotient->dtype;
    Ref isAbove = compare(PV_NE, rest, literalInt(0));
    if (d.isSigned()) {
      Ref divisor = convertOperand(y, d);
      isAbove =
          both(isAbove, compare(PV_EQ, compare(PV_LT, rest, literalInt(0)), compare(PV_LT, divisor, literalInt(0))));
    }
    return add(quotient, cast(isAbove, d));
  }
  Operands o = arithmetic(op, x, y);
  if (!o) {
    return {};
  }
  DType d = o.x->dtype;
  if (d.isPointer()) {
    return fail(Code::ExpectedNumber, "expected numbers, got " + describe(*x) + " and " + describe(*y));
  }
  if (op == PV_FLOORDIV && !d.isInteger()) {
    return fail(Code::ExpectedInteger, "expected integers for '//', got " + describe(*x) + " and " + describe(*y));
  }
  if ((isFdiv || op == PV_FMOD) && !d.isFloat()) {
    return fail(Code::ExpectedFloat, "expected floats, got " + describe(*x) + " and " + describe(*y));
  }
  if (op == PV_FLOORDIV) {
    return tile(create<tile::DivOp>(o.x->ir, o.y->ir, d.isSigned()), d);
  }
  if (op == PV_MOD && d.isInteger()) {
    return tile(create<tile::RemOp>(o.x->ir, o.y->ir, d.isSigned()), d);
  }
  if (d.isInteger()) { // `/` of integers
    Ref a = cast(o.x, f32), b = cast(o.y, f32);
    return tile(create<arith::DivFOp>(a->ir, b->ir), f32);
  }
  bool narrow = d.isFp8() || (op == PV_FMOD && d.bits() < 32);
  Ref a = narrow ? cast(o.x, f32) : o.x, b = narrow ? cast(o.y, f32) : o.y;
  bool isRemainder = op == PV_MOD || op == PV_FMOD;
  mlir::Value v = isRemainder ? mlir::Value(create<arith::RemFOp>(a->ir, b->ir)) : create<arith::DivFOp>(a->ir, b->ir);
  return cast(tile(v, a->dtype), d);
}

Ref Session::compare(pv_binary_op op, const Ref &x, const Ref &y) {
  Operands o = arithmetic(op, x, y);
  if (!o) {
    return {};
  }
  DType d = o.x->dtype;
  if (d.isPointer()) {
    Ref a = cast(o.x, u64), b = cast(o.y, u64);
    return compare(op, a, b);
  }
  if (d.isFloat()) {
    using P = arith::CmpFPredicate;
    P p = op == PV_EQ   ? P::OEQ
          : op == PV_NE ? P::UNE
          : op == PV_LT ? P::OLT
          : op == PV_LE ? P::OLE
          : op == PV_GT ? P::OGT
                        : P::OGE;
    Ref a = d.isFp8() ? cast(o.x, f32) : o.x, b = d.isFp8() ? cast(o.y, f32) : o.y;
    return tile(create<arith::CmpFOp>(p, a->ir, b->ir), i1);
  }
  using P = arith::CmpIPredicate;
  bool s = d.isSigned();
  P p = op == PV_EQ   ? P::eq
        : op == PV_NE ? P::ne
        : op == PV_LT ? (s ? P::slt : P::ult)
        : op == PV_LE ? (s ? P::sle : P::ule)
        : op == PV_GT ? (s ? P::sgt : P::ugt)
                      : (s ? P::sge : P::uge);
  return tile(create<arith::CmpIOp>(p, o.x->ir, o.y->ir), i1);
}

Ref Session::extremum(pv_binary_op op, const Ref &x, const Ref &y) {
  Operands o = arithmetic(op, x, y);
  if (!o) {
    return {};
  }
  DType d = o.x->dtype;
  if (d.isPointer()) {
    return fail(Code::ExpectedNumber, "expected numbers, got " + describe(*x) + " and " + describe(*y));
  }
  bool isMax = op == PV_MAXIMUM || op == PV_MAXIMUM_NAN;
  if (d.isFloat()) {
    // bfloat16 is promoted, as in Triton; fp8 goes through float32 and back, exactly.
    Ref a = d == bf16 || d.isFp8() ? cast(o.x, f32) : o.x, b = d == bf16 || d.isFp8() ? cast(o.y, f32) : o.y;
    mlir::Value v;
    if (op == PV_MAXIMUM) {
      v = create<arith::MaxNumFOp>(a->ir, b->ir);
    } else if (op == PV_MINIMUM) {
      v = create<arith::MinNumFOp>(a->ir, b->ir);
    } else if (isMax) {
      v = create<arith::MaximumFOp>(a->ir, b->ir);
    } else {
      v = create<arith::MinimumFOp>(a->ir, b->ir);
    }
    return d.isFp8() ? cast(tile(v, f32), d) : tile(v, a->dtype);
  }
  mlir::Value a = o.x->ir, b = o.y->ir, v;
  if (d.isSigned()) {
    v = isMax ? mlir::Value(create<arith::MaxSIOp>(a, b)) : create<arith::MinSIOp>(a, b);
  } else {
    v = isMax ? mlir::Value(create<arith::MaxUIOp>(a, b)) : create<arith::MinUIOp>(a, b);
  }
  return tile(v, d);
}

Ref Session::where(const Ref &condition, const Ref &x, const Ref &y) {
  Ref c = toBool(condition);
  Operands o = c ? arithmetic(PV_ADD, x, y) : Operands();
  if (!o) {
    return {};
  }
  Operands first = broadcastPair(c, o.x);
  Operands second = first ? broadcastPair(first.x, o.y) : Operands();
  if (!second) {
    return {};
  }
  Ref a = asTileOf(first.y, second.x->shape);
  return tile(select(second.x->ir, a->ir, second.y->ir), o.x->dtype);
}

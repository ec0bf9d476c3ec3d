// Conversions between dtypes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream arith where its op is total; tile.cast where it is not (float to integer, fp8, rounding toward zero).
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Ref Session::cast(const Ref &x, DType dtype, StringRef rounding) {
  if (!checkNumber(x, "a cast")) {
    return {};
  }
  if (!isKnown(dtype)) {
    return fail(Code::BadCast, "expected a dtype to cast to, got none");
  }
  bool towardZero = rounding == "rtz";
  if (!rounding.empty() && rounding != "rtne" && !towardZero) {
    return fail(Code::BadCast, "expected rounding 'rtne' or 'rtz', got '" + rounding + "'");
  }
  DType from = x->dtype;
  bool narrows = from.isFloat() && dtype.isFloat() && dtype.bits() < from.bits();
  // Real code rounds "to the dtype of the result", which may be the one at hand.
  if (!rounding.empty() && !narrows && x->dtype != dtype && !x->isLiteral()) {
    return fail(Code::BadCast, "expected a cast from a float to a narrower float where a rounding is given, got " +
                                   describe(*x) + " to " + dtype.name());
  }
  if (x->isLiteral() && !dtype.isPointer() && !towardZero) {
    return constant(dtype, *x->number);
  }
  Ref source = toTensor(x);
  if (!source || from == dtype) {
    return source;
  }
  mlir::Value v = source->ir;
  Type type = tile::withElementType(v.getType(), irType(&context(), dtype));
  auto toward = towardZero ? tile::Rounding::TowardZero : tile::Rounding::Nearest;

  if (from.isPointer() || dtype.isPointer()) {
    bool wide = (from.isInteger() && !from.isBool()) || from.isPointer();
    if (!wide || !(dtype.isPointer() || dtype == i64 || dtype == u64 || dtype == i1)) {
      return fail(Code::BadCast, "expected a pointer cast between pointers, int64 and uint64, got " +
                                     describe(*source) + " to " + dtype.name());
    }
    if (dtype == i1) {
      Ref number = cast(source, i64);
      return number ? binary(PV_NE, number, literalInt(0)) : Ref();
    }
    if (from.isInteger() && from.bits() < 64) {
      Ref number = cast(source, from.isSigned() ? i64 : u64);
      return number ? cast(number, dtype) : Ref();
    }
    return tile(type == v.getType() ? v : create<tile::BitcastOp>(type, v).getResult(), dtype);
  }

  if (dtype.isBool()) {
    if (from.isFp8()) {
      return cast(cast(source, f32), i1);
    }
    mlir::Value zero = constant(from, {from.isFloat(), 0, 0}, source->shape)->ir;
    mlir::Value isTrue = from.isFloat() ? mlir::Value(create<arith::CmpFOp>(arith::CmpFPredicate::UNE, v, zero))
                                        : mlir::Value(create<arith::CmpIOp>(arith::CmpIPredicate::ne, v, zero));
    return tile(isTrue, i1);
  }
  if (from.isInteger() && dtype.isInteger()) {
    if (from.bits() == dtype.bits()) {
      return tile(v, dtype);
    }
    if (from.bits() > dtype.bits()) {
      return tile(create<arith::TruncIOp>(type, v), dtype);
    }
    return tile(from.isSigned() ? mlir::Value(create<arith::ExtSIOp>(type, v)) : create<arith::ExtUIOp>(type, v),
                dtype);
  }
  if (from.isFp8() || dtype.isFp8() || (from.isFloat() && dtype.isInteger())) {
    bool isSigned = from.isInteger() ? from.isSigned() : dtype.isInteger() && dtype.isSigned();
    return tile(create<tile::CastOp>(type, v, toward, isSigned), dtype);
  }
  if (from.isInteger()) {
    return tile(from.isSigned() ? mlir::Value(create<arith::SIToFPOp>(type, v)) : create<arith::UIToFPOp>(type, v),
                dtype);
  }
  if (from.bits() == dtype.bits()) {
    return cast(cast(source, f32), dtype); // float16 and bfloat16: exact, then one rounding
  }
  if (from.bits() < dtype.bits()) {
    return tile(create<arith::ExtFOp>(type, v), dtype);
  }
  return tile(towardZero ? mlir::Value(create<tile::CastOp>(type, v, toward, false)) : create<arith::TruncFOp>(type, v),
              dtype);
}

Ref Session::bitcast(const Ref &x, DType dtype) {
  Ref source = toTensor(x);
  if (!source) {
    return {};
  }
  DType from = source->dtype;
  if (!isKnown(dtype)) {
    return fail(Code::BadCast, "expected a dtype to bitcast to, got none");
  }
  if (from.isPointer() || dtype.isPointer()) {
    return cast(source, dtype);
  }
  if (from.bits() != dtype.bits()) {
    return fail(Code::BadBitcast, "expected a bitcast between dtypes of one width, got " + describe(*source) + " (" +
                                      Twine(from.bits()) + " bits) to " + dtype.name() + " (" + Twine(dtype.bits()) +
                                      " bits)");
  }
  Type type = tile::withElementType(source->ir.getType(), irType(&context(), dtype));
  if (type == source->ir.getType()) {
    return tile(source->ir, dtype);
  }
  return tile(create<arith::BitcastOp>(type, source->ir), dtype);
}

Ref Session::toBool(const Ref &x) {
  if (!checkNumber(x, "a condition")) {
    return {};
  }
  return cast(x, i1);
}

// Arithmetic on lanes: a builder whose operands are numbers or vectors of them. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
//
// In lowered code an f16, bf16 or f8 is an integer of its bits and a pointer is an i64; arithmetic on narrow floats is
// done in f32 and rounded after each op. A value is a scalar or a vector; both have the same methods here.
#ifndef PAVAGE_COMPILER_CPU_LOWER_OPS_H
#define PAVAGE_COMPILER_CPU_LOWER_OPS_H

#include "compiler/Target/CpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace pavage::cpu {

/// The type of an element in lowered code.
mlir::Type loweredElement(mlir::Type element);
/// Float formats below f32.
bool isNarrowFloat(mlir::Type element);

/// `element`, or a vector of as many as `like` has.
mlir::Type typeLike(mlir::Type element, mlir::Type like);
/// Lanes of a vector type, 0 for a scalar.
int64_t lanesOf(mlir::Type type);

struct Ops {
  mlir::OpBuilder &b;
  mlir::Location loc;
  const target::CpuTarget &target;

  using V = mlir::Value;
  using Pred = mlir::arith::CmpIPredicate;
  using FPred = mlir::arith::CmpFPredicate;

  mlir::Type i(unsigned width) { return b.getIntegerType(width); }
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type f64() { return b.getF64Type(); }
  mlir::Type like(mlir::Type element, V value) { return typeLike(element, value.getType()); }
  static unsigned width(V value) { return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); }

  V constant(mlir::Type type, uint64_t value);
  V constantF(mlir::Type type, double value);
  V constantLike(V value, uint64_t number) { return constant(value.getType(), number); }
  V constantFLike(V value, double number) { return constantF(value.getType(), number); }
  /// The bit pattern, for a float type as well.
  V bits(mlir::Type type, uint64_t pattern);
  /// A number as a vector, when `lanes` is not 0.
  V splat(V scalar, int64_t lanes);
  /// Makes operands of one shape: scalars become vectors when another one is.
  void unify(llvm::MutableArrayRef<V> values);

  template <typename Op> V binary(V a, V b2) { return b.createOrFold<Op>(loc, a, b2); }
  V add(V x, V y) { return binary<mlir::arith::AddIOp>(x, y); }
  V sub(V x, V y) { return binary<mlir::arith::SubIOp>(x, y); }
  V mul(V x, V y) { return binary<mlir::arith::MulIOp>(x, y); }
  V andI(V x, V y) { return binary<mlir::arith::AndIOp>(x, y); }
  V orI(V x, V y) { return binary<mlir::arith::OrIOp>(x, y); }
  V xorI(V x, V y) { return binary<mlir::arith::XOrIOp>(x, y); }
  V shl(V x, V y) { return binary<mlir::arith::ShLIOp>(x, y); }
  V shrU(V x, V y) { return binary<mlir::arith::ShRUIOp>(x, y); }
  V shrS(V x, V y) { return binary<mlir::arith::ShRSIOp>(x, y); }
  V add(V x, uint64_t n) { return n == 0 ? x : add(x, constantLike(x, n)); }
  V sub(V x, uint64_t n) { return n == 0 ? x : sub(x, constantLike(x, n)); }
  V mul(V x, uint64_t n) { return n == 1 ? x : mul(x, constantLike(x, n)); }
  V andI(V x, uint64_t n) { return andI(x, constantLike(x, n)); }
  V orI(V x, uint64_t n) { return orI(x, constantLike(x, n)); }
  V xorI(V x, uint64_t n) { return xorI(x, constantLike(x, n)); }
  V shl(V x, uint64_t n) { return n == 0 ? x : shl(x, constantLike(x, n)); }
  V shrU(V x, uint64_t n) { return n == 0 ? x : shrU(x, constantLike(x, n)); }
  V shrS(V x, uint64_t n) { return n == 0 ? x : shrS(x, constantLike(x, n)); }
  V cmp(Pred predicate, V x, V y) { return mlir::arith::CmpIOp::create(b, loc, predicate, x, y); }
  V cmp(Pred predicate, V x, uint64_t n) { return cmp(predicate, x, constantLike(x, n)); }
  V cmpF(FPred predicate, V x, V y) { return mlir::arith::CmpFOp::create(b, loc, predicate, x, y); }
  V select(V condition, V x, V y);
  V notI1(V x) { return xorI(x, constantLike(x, 1)); }

  V addF(V x, V y) { return binary<mlir::arith::AddFOp>(x, y); }
  V subF(V x, V y) { return binary<mlir::arith::SubFOp>(x, y); }
  V mulF(V x, V y) { return binary<mlir::arith::MulFOp>(x, y); }
  V divF(V x, V y) { return binary<mlir::arith::DivFOp>(x, y); }
  V addF(V x, double n) { return addF(x, constantFLike(x, n)); }
  V subF(V x, double n) { return subF(x, constantFLike(x, n)); }
  V mulF(V x, double n) { return mulF(x, constantFLike(x, n)); }
  V negF(V x) { return mlir::arith::NegFOp::create(b, loc, x); }
  V absF(V x);
  V sqrt(V x);
  V floor(V x);
  V roundEven(V x);
  V isNan(V x) { return cmpF(FPred::UNO, x, x); }
  /// x * y + z, rounded once on every target.
  V fma(V x, V y, V z);
  V fma(V x, double y, V z) { return fma(x, constantFLike(x, y), z); }
  V fma(V x, V y, double z) { return fma(x, y, constantFLike(x, z)); }

  V signedToFloat(V x, mlir::Type element) { return mlir::arith::SIToFPOp::create(b, loc, like(element, x), x); }
  V unsignedToFloat(V x, mlir::Type element) { return mlir::arith::UIToFPOp::create(b, loc, like(element, x), x); }
  V toSigned(V x, mlir::Type element) { return mlir::arith::FPToSIOp::create(b, loc, like(element, x), x); }

  /// Same bits as another type of the same width.
  V bitcast(V x, mlir::Type element);
  /// An integer of this width: cut, or extended by sign or zero.
  V resize(V x, unsigned width, bool isSigned);

  /// The f32 of a narrow float's bits (exact), and back, rounded once.
  V widen(V bits, mlir::Type narrow);
  V narrow(V f32, mlir::Type narrow, bool towardZero = false, bool saturate = false);
  /// f64 to f32 such that rounding again to a narrow float rounds once (to odd), or toward zero.
  V demoteToOdd(V f64, bool towardZero);
  /// Any number to any other, by the table of tile.cast.
  V cast(V x, mlir::Type from, mlir::Type to, bool isSigned, bool towardZero);

  /// max and min with -0 below +0; NaN operands are ignored or win.
  V extremum(V x, V y, bool isMax, bool ignoreNan);
  /// Integer division and remainder, total.
  V divide(V x, V y, bool isSigned, bool remainder);
  /// Shifts by any amount.
  V shiftLeft(V x, V y);
  V shiftRight(V x, V y, bool isSigned);

  /// Calls a libm function for each lane.
  V call(llvm::StringRef name, llvm::ArrayRef<V> operands);
  /// A loop over the lanes of vector operands that fills a vector.
  V perLane(mlir::Type element, llvm::ArrayRef<V> operands, llvm::function_ref<V(llvm::ArrayRef<V>)> body);

  /// The result of an elementwise op of arith, math or tile on lowered operands; null when there is no such op.
  llvm::SmallVector<V> elementwise(mlir::Operation *op, llvm::ArrayRef<V> operands);
  /// Functions of math on f32 or f64; null when unknown.
  V function(mlir::Operation *op, llvm::ArrayRef<V> operands);
  V sine(V x, bool isCosine);
  /// x to the power y, both f64, good to the last digit of an f32.
  V power(V x, V y);
  V integerPower(V x, V n);
  /// Some lane is true.
  V any(V condition);
  V all(V condition);
};

} // namespace pavage::cpu

#endif // PAVAGE_COMPILER_CPU_LOWER_OPS_H

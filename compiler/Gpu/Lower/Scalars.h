// Arithmetic of one element, as formulas read it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter's arithmetic with floats, and with numbers written down: the words in which Casts.cpp, Math.cpp and
// dialect-free formulas (compiler/Support/DoubleMath.h, ShortFloats.h) are written.
#ifndef PAVAGE_COMPILER_GPU_LOWER_SCALARS_H
#define PAVAGE_COMPILER_GPU_LOWER_SCALARS_H

#include "compiler/Gpu/Lower/Emitter.h"

namespace pavage::gpu {

struct Scalars {
  Emitter &e;

  /// What formulas may use.
  struct Target {
    static constexpr bool hasFma = true;
  };
  static constexpr Target target{};

  using Value = mlir::Value;
  using Type = mlir::Type;
  using Pred = mlir::LLVM::ICmpPredicate;
  struct FPred {
    static constexpr auto OEQ = mlir::LLVM::FCmpPredicate::oeq;
    static constexpr auto OGT = mlir::LLVM::FCmpPredicate::ogt;
    static constexpr auto OGE = mlir::LLVM::FCmpPredicate::oge;
    static constexpr auto OLT = mlir::LLVM::FCmpPredicate::olt;
    static constexpr auto OLE = mlir::LLVM::FCmpPredicate::ole;
    static constexpr auto ONE = mlir::LLVM::FCmpPredicate::one;
    static constexpr auto ULT = mlir::LLVM::FCmpPredicate::ult;
    static constexpr auto UNE = mlir::LLVM::FCmpPredicate::une;
    static constexpr auto UNO = mlir::LLVM::FCmpPredicate::uno;
  };

  // --- types and constants ---
  Type i(unsigned width) const { return e.b.getIntegerType(width); }
  Type f32() const { return e.b.getF32Type(); }
  Type f64() const { return e.b.getF64Type(); }
  static unsigned width(Value x) { return x.getType().getIntOrFloatBitWidth(); }
  Value constantLike(Value like, uint64_t value) const {
    return e.constant(like.getType(), static_cast<int64_t>(value));
  }
  /// A number of the type of `like`, rounded to it.
  Value constantFLike(Value like, double value) const {
    return mlir::LLVM::ConstantOp::create(e.b, e.loc, like.getType(), e.b.getFloatAttr(like.getType(), value));
  }

  // --- floats ---
  Value addF(Value x, Value y) const { return mlir::LLVM::FAddOp::create(e.b, e.loc, x, y); }
  Value subF(Value x, Value y) const { return mlir::LLVM::FSubOp::create(e.b, e.loc, x, y); }
  Value mulF(Value x, Value y) const { return mlir::LLVM::FMulOp::create(e.b, e.loc, x, y); }
  Value divF(Value x, Value y) const { return mlir::LLVM::FDivOp::create(e.b, e.loc, x, y); }
  Value addF(Value x, double y) const { return addF(x, constantFLike(x, y)); }
  Value subF(Value x, double y) const { return subF(x, constantFLike(x, y)); }
  Value mulF(Value x, double y) const { return mulF(x, constantFLike(x, y)); }
  Value fma(Value x, Value y, Value z) const { return mlir::LLVM::FMAOp::create(e.b, e.loc, x, y, z); }
  Value negF(Value x) const { return mlir::LLVM::FNegOp::create(e.b, e.loc, x); }
  Value absF(Value x) const { return mlir::LLVM::FAbsOp::create(e.b, e.loc, x); }
  Value sqrt(Value x) const { return mlir::LLVM::SqrtOp::create(e.b, e.loc, x); }
  Value floor(Value x) const { return mlir::LLVM::FFloorOp::create(e.b, e.loc, x); }
  Value cmpF(mlir::LLVM::FCmpPredicate predicate, Value x, Value y) const {
    return mlir::LLVM::FCmpOp::create(e.b, e.loc, predicate, x, y);
  }
  Value isNan(Value x) const { return cmpF(FPred::UNO, x, x); }
  /// Of f32 or f64: -0 below +0, a NaN gives way to a number.
  Value extremum(Value x, Value y, bool isMax) const {
    Value a = bitcast(x, i(width(x))), b = bitcast(y, i(width(x)));
    Value zero = bitcast(isMax ? andI(a, b) : orI(a, b), x.getType()); // of equals, which differ in the sign of 0
    Value chosen = select(cmpF(isMax ? FPred::OGT : FPred::OLT, x, y), x, select(cmpF(FPred::OEQ, x, y), zero, y));
    return select(isNan(x), y, select(isNan(y), x, chosen));
  }
  Value extend(Value x, Type to) const {
    return x.getType() == to ? x : Value(mlir::LLVM::FPExtOp::create(e.b, e.loc, to, x));
  }
  Value truncate(Value x, Type to) const {
    return x.getType() == to ? x : Value(mlir::LLVM::FPTruncOp::create(e.b, e.loc, to, x));
  }

  // --- integers ---
  Value add(Value x, Value y) const { return e.add(x, y); }
  Value add(Value x, uint64_t y) const { return e.add(x, constantLike(x, y)); }
  Value sub(Value x, Value y) const { return e.sub(x, y); }
  Value sub(Value x, uint64_t y) const { return e.sub(x, constantLike(x, y)); }
  Value andI(Value x, Value y) const { return e.bitAnd(x, y); }
  Value andI(Value x, uint64_t y) const { return e.bitAnd(x, constantLike(x, y)); }
  Value orI(Value x, Value y) const { return e.bitOr(x, y); }
  Value orI(Value x, uint64_t y) const { return e.bitOr(x, constantLike(x, y)); }
  Value xorI(Value x, Value y) const { return e.bitXor(x, y); }
  Value notI1(Value x) const { return e.bitXor(x, e.boolean(true)); }
  Value shl(Value x, uint64_t amount) const { return e.shl(x, static_cast<int64_t>(amount)); }
  Value shrU(Value x, uint64_t amount) const { return e.lshr(x, static_cast<int64_t>(amount)); }
  Value shrS(Value x, uint64_t amount) const {
    return mlir::LLVM::AShrOp::create(e.b, e.loc, x, constantLike(x, amount));
  }
  Value cmp(Pred predicate, Value x, Value y) const { return e.compare(predicate, x, y); }
  Value cmp(Pred predicate, Value x, uint64_t y) const { return e.compare(predicate, x, constantLike(x, y)); }
  Value resize(Value x, unsigned width, bool isSigned) const { return e.resize(x, width, isSigned); }

  Value signedToFloat(Value x, Type to) const { return mlir::LLVM::SIToFPOp::create(e.b, e.loc, to, x); }
  Value unsignedToFloat(Value x, Type to) const { return mlir::LLVM::UIToFPOp::create(e.b, e.loc, to, x); }
  Value toSigned(Value x, Type to) const { return mlir::LLVM::FPToSIOp::create(e.b, e.loc, to, x); }

  // --- both ---
  Value select(Value condition, Value x, Value y) const { return e.select(condition, x, y); }
  Value bitcast(Value x, Type to) const { return e.bitcast(x, to); }

  // --- conversions (Casts.cpp) ---
  /// A short float, f8 as its bits, as f32; exact.
  Value widen(Value x, Type narrow) const;
  /// An f32 rounded to a short float, f8 as its bits.
  Value narrow(Value x, Type narrow, bool towardZero) const;
  /// An f64 as the f32 that rounds to any shorter type as the f64 itself would.
  Value demoteToOdd(Value x) const;
  /// tile.cast of one element; types are the author's.
  Value cast(Value x, Type from, Type to, bool isSigned, bool towardZero) const;
};

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_SCALARS_H

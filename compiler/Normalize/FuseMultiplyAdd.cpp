// Joins a multiplication and the addition that uses it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a*b + c, a*b - c and c - a*b of f32 or f64 get one rounding instead of two.
//
//   %m = arith.mulf %a, %b                    %r = math.fma %a, %b, %c
//   %r = arith.addf %m, %c        ->
//
// Needs: common subexpressions merged; whether a multiplication has another user decides, and must not depend on how
// the
//   author spelled it.
// Why here: once for all targets, before anything splits tiles, so that every target rounds the same operations. The
//   switch of users (PAVAGE_FP_FUSION=0) is whether the pipeline has this pass.
// Does not: look across blocks, since a multiplication outside of a loop is cheaper than a fused one inside; touch f16,
//   bf16 and fp8, whose operations round one by one; touch tile.dot, whose op page says how it rounds.
#include "compiler/Normalize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#define DEBUG_TYPE "pavage-fuse-multiply-add"

namespace pavage::normalize {
#define GEN_PASS_DEF_FUSEMULTIPLYADDPASS
#include "compiler/Normalize/Passes.h.inc"
} // namespace pavage::normalize

using namespace mlir;

namespace {

// --- Legality --------------------------------------------------------------------------------------------------------

bool isFusedType(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

/// The multiplication behind a value that only `user`, in the same block, needs.
arith::MulFOp fusibleProduct(Value value, Operation *user) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && product->getBlock() == user->getBlock() ? product : nullptr;
}

// --- Rewrite ---------------------------------------------------------------------------------------------------------

/// lhs + rhs, or lhs - rhs. False when it stays.
bool fuse(Operation *sum, bool subtracts) {
  Value lhs = sum->getOperand(0);
  Value rhs = sum->getOperand(1);
  if (!isFusedType(lhs.getType())) {
    return false;
  }
  OpBuilder builder(sum);
  Location loc = sum->getLoc();
  Value a;
  Value b;
  Value c;
  arith::MulFOp product = fusibleProduct(lhs, sum);
  if (product) {
    a = product.getLhs();
    b = product.getRhs();
    c = subtracts ? arith::NegFOp::create(builder, loc, rhs) : rhs;
  } else {
    product = fusibleProduct(rhs, sum);
    if (!product) {
      return false;
    }
    a = subtracts ? arith::NegFOp::create(builder, product.getLoc(), product.getLhs()) : product.getLhs();
    b = product.getRhs();
    c = lhs;
  }
  Value fused = math::FmaOp::create(builder, loc, a, b, c);
  sum->getResult(0).replaceAllUsesWith(fused);
  sum->erase();
  product.erase();
  return true;
}

// --- Pass ------------------------------------------------------------------------------------------------------------

struct FuseMultiplyAdd : pavage::normalize::impl::FuseMultiplyAddPassBase<FuseMultiplyAdd> {
  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op)) {
        sums.push_back(op);
      }
    });
    for (Operation *op : sums) {
      numFused += fuse(op, isa<arith::SubFOp>(op));
    }
  }
};

} // namespace

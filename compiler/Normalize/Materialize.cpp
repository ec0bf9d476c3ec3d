// Ops for the scalar expressions of the analyses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Normalize/Materialize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace pavage::normalize {

using analysis::ScalarExpr;

Value Materializer::constant(int64_t value, unsigned width) {
  return arith::ConstantIntOp::create(builder, loc, builder.getIntegerType(width), value);
}

Value Materializer::operator()(analysis::ExprBuilder::Expr expr) {
  if (Value known = made.lookup(expr)) {
    return known;
  }
  Value value = make(expr);
  made[expr] = value;
  return value;
}

Value Materializer::make(analysis::ExprBuilder::Expr expr) {
  switch (expr->kind) {
  case ScalarExpr::Kind::Constant:
    return constant(expr->value, expr->width);
  case ScalarExpr::Kind::Leaf:
    return expr->leaf;
  case ScalarExpr::Kind::Add:
    return arith::AddIOp::create(builder, loc, (*this)(expr->lhs), (*this)(expr->rhs));
  case ScalarExpr::Kind::Sub:
    return arith::SubIOp::create(builder, loc, (*this)(expr->lhs), (*this)(expr->rhs));
  case ScalarExpr::Kind::Mul:
    return arith::MulIOp::create(builder, loc, (*this)(expr->lhs), (*this)(expr->rhs));
  case ScalarExpr::Kind::Extend:
    return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), (*this)(expr->lhs));
  case ScalarExpr::Kind::Truncate:
    return arith::TruncIOp::create(builder, loc, builder.getIntegerType(expr->width), (*this)(expr->lhs));
  case ScalarExpr::Kind::Clamp: {
    Value low = arith::MaxSIOp::create(builder, loc, (*this)(expr->lhs), constant(-analysis::clampLimit));
    return arith::MinSIOp::create(builder, loc, low, constant(analysis::clampLimit));
  }
  }
  return {};
}

} // namespace pavage::normalize

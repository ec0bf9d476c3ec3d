// Scalar integers as expressions over SSA values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/ScalarExpr.h"

#include "compiler/Support/IntMath.h"
#include "llvm/ADT/APInt.h"
#include <algorithm>

using namespace mlir;

namespace pavage::analysis {

using Expr = ExprBuilder::Expr;
using Kind = ScalarExpr::Kind;

static int64_t wrap(__int128 value, unsigned width) {
  return APInt(64, static_cast<uint64_t>(value)).trunc(width).sext(64).getSExtValue();
}

static ExprRange everyNumber(unsigned width) {
  __int128 half = __int128{1} << (width - 1);
  return {-half, half - 1};
}

// --- Making ----------------------------------------------------------------------------------------------------------

Expr ExprBuilder::make(ScalarExpr expr) {
  pool.push_back(expr);
  return &pool.back();
}

Expr ExprBuilder::constant(int64_t value, unsigned width) {
  return make({Kind::Constant, width, wrap(value, width), {}, nullptr, nullptr});
}

Expr ExprBuilder::leaf(Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (std::optional<int64_t> known = axisInfo.get(value).constant) {
    return constant(*known, width);
  }
  return make({Kind::Leaf, width, 0, value, nullptr, nullptr});
}

Expr ExprBuilder::add(Expr a, Expr b) {
  if (a->kind == Kind::Constant && b->kind == Kind::Constant) {
    return constant(wrap(__int128{a->value} + b->value, a->width), a->width);
  }
  if (a->isConstant(0)) {
    return b;
  }
  if (b->isConstant(0)) {
    return a;
  }
  return make({Kind::Add, a->width, 0, {}, a, b});
}

Expr ExprBuilder::sub(Expr a, Expr b) {
  if (a->kind == Kind::Constant && b->kind == Kind::Constant) {
    return constant(wrap(__int128{a->value} - b->value, a->width), a->width);
  }
  if (b->isConstant(0)) {
    return a;
  }
  if (a == b) {
    return constant(0, a->width);
  }
  return make({Kind::Sub, a->width, 0, {}, a, b});
}

Expr ExprBuilder::mul(Expr a, Expr b) {
  if (a->kind == Kind::Constant && b->kind == Kind::Constant) {
    return constant(wrap(__int128{a->value} * b->value, a->width), a->width);
  }
  if (a->isConstant(0) || b->isConstant(1)) {
    return a;
  }
  if (b->isConstant(0) || a->isConstant(1)) {
    return b;
  }
  return make({Kind::Mul, a->width, 0, {}, a, b});
}

Expr ExprBuilder::extend(Expr a) {
  if (a->width == 64) {
    return a;
  }
  if (a->kind == Kind::Constant) {
    return constant(a->value, 64);
  }
  return make({Kind::Extend, 64, 0, {}, a, nullptr});
}

Expr ExprBuilder::truncate(Expr a, unsigned width) {
  if (a->width == width) {
    return a;
  }
  if (a->kind == Kind::Constant) {
    return constant(a->value, width);
  }
  return make({Kind::Truncate, width, 0, {}, a, nullptr});
}

Expr ExprBuilder::clamp(Expr a) {
  ExprRange known = range(a);
  if (known.least >= -clampLimit && known.greatest <= clampLimit) {
    return a;
  }
  return make({Kind::Clamp, 64, 0, {}, a, nullptr});
}

// --- Asking ----------------------------------------------------------------------------------------------------------

ExprRange ExprBuilder::range(Expr a) const {
  auto fit = [&](ExprRange range) {
    ExprRange all = everyNumber(a->width);
    return range.least < all.least || range.greatest > all.greatest ? all : range;
  };
  switch (a->kind) {
  case Kind::Constant:
    return {a->value, a->value};
  case Kind::Leaf: {
    ExprRange all = everyNumber(a->width);
    if (axisInfo.get(a->leaf).isNonNegative) {
      all.least = 0;
    }
    return all;
  }
  case Kind::Add: {
    ExprRange x = range(a->lhs);
    ExprRange y = range(a->rhs);
    return fit({x.least + y.least, x.greatest + y.greatest});
  }
  case Kind::Sub: {
    ExprRange x = range(a->lhs);
    ExprRange y = range(a->rhs);
    return fit({x.least - y.greatest, x.greatest - y.least});
  }
  case Kind::Mul: {
    ExprRange x = range(a->lhs);
    ExprRange y = range(a->rhs);
    auto [least, greatest] =
        std::minmax({x.least * y.least, x.least * y.greatest, x.greatest * y.least, x.greatest * y.greatest});
    return fit({least, greatest});
  }
  case Kind::Extend:
    return range(a->lhs);
  case Kind::Truncate:
    return fit(range(a->lhs));
  case Kind::Clamp: {
    ExprRange x = range(a->lhs);
    __int128 limit = clampLimit;
    return {std::clamp(x.least, -limit, limit), std::clamp(x.greatest, -limit, limit)};
  }
  }
  return everyNumber(a->width);
}

int64_t ExprBuilder::divisor(Expr a) const {
  switch (a->kind) {
  case Kind::Constant:
    return support::divisorOf(a->value);
  case Kind::Leaf:
    return axisInfo.get(a->leaf).divisibility[0];
  case Kind::Add:
  case Kind::Sub:
    return std::min(divisor(a->lhs), divisor(a->rhs));
  case Kind::Mul:
    return support::multiplyDivisors(divisor(a->lhs), divisor(a->rhs));
  case Kind::Extend:
  case Kind::Truncate:
    return divisor(a->lhs);
  case Kind::Clamp:
    return 1;
  }
  return 1;
}

} // namespace pavage::analysis

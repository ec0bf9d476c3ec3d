// Scalar integers as expressions over SSA values, before any op is made of them. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
//
// The analyses of tiles need sums and products of the program's scalars, of which most turn out to be 0, 1 or unneeded.
// Expressions wrap at their width, as the ops do that `materialize` (compiler/Normalize) makes of them.
#ifndef PAVAGE_COMPILER_ANALYSIS_SCALAREXPR_H
#define PAVAGE_COMPILER_ANALYSIS_SCALAREXPR_H

#include "compiler/Analysis/AxisInfo.h"
#include "mlir/IR/Value.h"
#include <cstdint>
#include <deque>

namespace pavage::analysis {

/// Beyond it no index lies: sums of a few such numbers do not wrap in 64 bits.
inline constexpr int64_t clampLimit = int64_t{1} << 60;

struct ScalarExpr {
  enum class Kind { Constant, Leaf, Add, Sub, Mul, Extend, Truncate, Clamp };

  Kind kind = Kind::Constant;
  unsigned width = 64;
  int64_t value = 0; ///< Constant: sign-extended
  mlir::Value leaf;  ///< Leaf: a scalar of this width
  const ScalarExpr *lhs = nullptr;
  const ScalarExpr *rhs = nullptr;

  bool isConstant(int64_t x) const { return kind == Kind::Constant && value == x; }
};

/// All values that an expression can have, as exact numbers; of an i64 leaf that is every i64.
struct ExprRange {
  __int128 least;
  __int128 greatest;
};

/// Makes expressions, which live as long as it does, in folded form.
class ExprBuilder {
public:
  explicit ExprBuilder(const AxisInfoAnalysis &axisInfo) : axisInfo(axisInfo) {}

  using Expr = const ScalarExpr *;
  Expr constant(int64_t value, unsigned width);
  Expr leaf(mlir::Value value);
  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr extend(Expr a); ///< signed, to 64 bits
  Expr truncate(Expr a, unsigned width);
  Expr clamp(Expr a); ///< of 64 bits, to -clampLimit .. clampLimit

  /// Range of the value. Where an op inside may wrap, every number of its width.
  ExprRange range(Expr a) const;
  /// A power of two that divides the value.
  int64_t divisor(Expr a) const;

private:
  Expr make(ScalarExpr expr);

  const AxisInfoAnalysis &axisInfo;
  std::deque<ScalarExpr> pool;
};

} // namespace pavage::analysis

#endif // PAVAGE_COMPILER_ANALYSIS_SCALAREXPR_H

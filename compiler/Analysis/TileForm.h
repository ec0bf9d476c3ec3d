// Integer and pointer tiles as linear functions of the element's index. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
//   v[i_0, .., i_r-1] = base + sum over axes a of step_a * i_a
//
// base and steps are scalar expressions of the tile's width; the equation holds modulo 2^width. Pointers have a scalar
// pointer as well, and count elements in 64 bits.
//
// Where a tile of less than 64 bits becomes an address or is compared, the equation is needed for exact numbers. The
// form of such a tile is then listed in `exact`: an access may use the equation in 64 bits when each listed form is
// known not to leave the signed range of its width (see `staysInRange`).
#ifndef PAVAGE_COMPILER_ANALYSIS_TILEFORM_H
#define PAVAGE_COMPILER_ANALYSIS_TILEFORM_H

#include "compiler/Analysis/ScalarExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <string>

namespace pavage::analysis {

struct LinearForm {
  using Expr = ExprBuilder::Expr;
  llvm::SmallVector<int64_t> extents;
  Expr base = nullptr;
  llvm::SmallVector<Expr> steps; ///< one per axis; 0 where the extent is 1
  mlir::Value pointer;           ///< pointer tiles: what base and steps are added to

  /// The same for all elements.
  bool isUniform() const;
  /// The one axis that it depends on, if there is exactly one.
  std::optional<unsigned> onlyAxis() const;
};

/// Which elements are on: those whose index i_a on axis a satisfies least <= i_a for each bound in `least` and i_a <
/// end for each in `end`, if all conditions hold.
struct MaskForm {
  struct Bound {
    unsigned axis;
    ExprBuilder::Expr value; ///< 64 bits, between -2^62 and 2^62
  };
  llvm::SmallVector<Bound> least;
  llvm::SmallVector<Bound> end;
  llvm::SmallVector<mlir::Value> conditions; ///< scalars of i1
};

/// An obligation: this form must not leave the signed range of its width.
using Obligations = llvm::SmallVector<LinearForm>;

class TileForms {
public:
  explicit TileForms(const AxisInfoAnalysis &axisInfo) : axisInfo(axisInfo), exprs(axisInfo) {}

  /// The form of an integer or pointer tile, or nothing and `reason`.
  std::optional<LinearForm> form(mlir::Value tile, Obligations &exact);
  /// The form of a mask of this shape.
  std::optional<MaskForm> mask(mlir::Value tile, Obligations &exact);

  /// Whether it is sure that a form never leaves the signed range of its width.
  bool staysInRange(const LinearForm &form) const;

  /// Why the last question had no answer: "'tile.rem' is not linear".
  const std::string &reason() const { return why; }
  /// The op that was in the way; may be null.
  mlir::Operation *obstacle() const { return where; }

  ExprBuilder &expressions() { return exprs; }

private:
  using Expr = ExprBuilder::Expr;
  std::nullopt_t fail(mlir::Operation *op, std::string text);
  std::optional<LinearForm> arithmetic(mlir::Operation *op, Obligations &exact);
  std::optional<LinearForm> shape(mlir::Operation *op, Obligations &exact);
  std::optional<LinearForm> convert(mlir::Operation *op, bool isSigned, Obligations &exact);
  std::optional<LinearForm> toAddress(LinearForm form, Obligations &exact);
  std::optional<LinearForm> visit(mlir::Value tile, Obligations &exact);
  bool conjunct(mlir::Value tile, llvm::ArrayRef<unsigned> axes, MaskForm &out, Obligations &exact);
  bool comparison(mlir::Operation *op, llvm::ArrayRef<unsigned> axes, MaskForm &out, Obligations &exact);

  const AxisInfoAnalysis &axisInfo;
  ExprBuilder exprs;
  unsigned visited = 0; ///< ops looked at for one question; shared operands count each time
  std::string why;
  mlir::Operation *where = nullptr;
};

/// The scalar behind a tile that is the same everywhere: the source of a splat, through shape ops; null otherwise.
mlir::Value uniformScalar(mlir::Value tile);

} // namespace pavage::analysis

#endif // PAVAGE_COMPILER_ANALYSIS_TILEFORM_H

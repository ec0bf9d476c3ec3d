// Runs of consecutive and of equal elements in integer and pointer tiles. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// For a tile v, an axis a, and a line of v along a:
//
//   contiguity c    each run of elements [k*c, (k+1)*c) is v0, v0 + 1, v0 + 2, ... (for pointers: elements, not bytes)
//   divisibility d  v0 is a multiple of d, a power of two (for pointers: bytes)
//   constancy e     all elements of each run [k*e, (k+1)*e) are equal
//
// The last run of a line may be short. A scalar counts as a tile with one axis of extent 1. Example, of extent 8:
//
//   8, 9, 10, 11, 16, 17, 18, 19     contiguity 4, divisibility 8, constancy 1
//   12, 12, 12, 12, 20, 20, 20, 20   contiguity 1, divisibility 4, constancy 4
//
// Contiguity is exact: in integers of less than 64 bits a run does not cross the signed wrap, so that it stays one when
// the value is sign-extended into an address. %s + iota with unknown %s has therefore no runs longer than %s's
// divisibility: aligned power-of-two blocks, which is what kernels do, are found; others may really wrap.
//
// Promises of authors (tile.hint) are used only when asked for: Interp and cpu must not rely on them.
#ifndef PAVAGE_COMPILER_ANALYSIS_AXISINFO_H
#define PAVAGE_COMPILER_ANALYSIS_AXISINFO_H

#include "compiler/Analysis/Forward.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace pavage::analysis {

struct AxisInfo {
  using Extents = llvm::SmallVector<int64_t, 4>;
  Extents contiguity;
  Extents divisibility;
  Extents constancy;
  bool isNonNegative = false;      ///< every element, read as signed
  std::optional<int64_t> constant; ///< the value of every element, sign-extended

  unsigned rank() const { return contiguity.size(); }
  /// A divisor of the elements whose index on the axis is a multiple of `step`.
  int64_t divisibilityAt(unsigned axis, int64_t step) const;
  /// A divisor of every element.
  int64_t divisibilityOfAll() const;

  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);
  bool operator==(const AxisInfo &other) const;
};

/// The extents of a tile; {1} for a scalar.
llvm::SmallVector<int64_t> extentsOf(mlir::Type type);

class AxisInfoAnalysis : public Forward<AxisInfoAnalysis, AxisInfo> {
public:
  explicit AxisInfoAnalysis(mlir::func::FuncOp function, bool trustHints = false);

private:
  friend class Forward<AxisInfoAnalysis, AxisInfo>;
  AxisInfo unknown(mlir::Value value) const;
  AxisInfo argument(mlir::BlockArgument argument) const;
  llvm::SmallVector<AxisInfo> transfer(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands) const;
  std::optional<AxisInfo> transferShape(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands) const;

  mlir::func::FuncOp function;
  bool trustHints;
};

/// Arithmetic of one result, elementwise; nothing when the op says no more than "equal operands give equal results".
std::optional<AxisInfo> axisInfoOfArith(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

/// What every elementwise op keeps: where all operands are equal, the result is.
AxisInfo axisInfoOfElementwise(mlir::Type type, llvm::ArrayRef<AxisInfo> operands);

} // namespace pavage::analysis

#endif // PAVAGE_COMPILER_ANALYSIS_AXISINFO_H

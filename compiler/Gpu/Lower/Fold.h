// What reductions and scans share: tuples of registers, the combine region, padding. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_LOWER_FOLD_H
#define PAVAGE_COMPILER_GPU_LOWER_FOLD_H

#include "compiler/Gpu/Lower/Exchange.h"

namespace pavage::gpu {

/// A reduction or scan under way: `columns[i][r]` is the value of register r of source i.
class Fold {
public:
  Fold(Emitter &e, mlir::Region &region, mlir::ValueRange sources, unsigned axisNumber);

  Values get(unsigned reg) const;
  void put(unsigned reg, mlir::ValueRange tuple);

  /// combine(left, right) where `isValid` (null: always) holds, else `otherwise`; null after an error.
  Values combine(mlir::ValueRange left, mlir::ValueRange right, mlir::Value isValid, mlir::ValueRange otherwise);
  Values select(mlir::Value condition, mlir::ValueRange a, mlir::ValueRange c);
  bool hasFailed() const { return failedOnce; }

  /// Whether the element at an index is no padding. The index is `fixed` plus the thread's own, of which only the axis
  /// bits under `threadBits` count. Null: it always is; nothing: it never is.
  std::optional<mlir::Value> isValid(int64_t fixed, int64_t threadBits);
  /// The part of the axis index that a register contributes.
  int64_t indexOf(unsigned reg) const;

  Emitter &e;
  mlir::Region &region;
  layout::Layout layout;
  tilegpu::LayoutAttr attribute;
  unsigned axisNumber;
  std::optional<Axis> axis;               ///< nothing: the layout is no order along the axis
  llvm::SmallVector<mlir::Type> elements; ///< of the sources
  llvm::SmallVector<Values> columns;
  bool isCommutative; ///< bit by bit, whatever the operands

private:
  bool failedOnce = false;
};

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_FOLD_H

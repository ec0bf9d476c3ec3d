// Which layouts of operands and results belong together. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *view* moves no element to another thread: the layout of its result decides those of its operands. These rules are
// what Schedule propagates along, what the stage's verifier demands and what Lower relies on.
//
//   elementwise            the result's
//   tile.expand_dims       the result's without the axis
//   tile.broadcast         the result's, with the bits of the stretched axes erased
//   tile.trans             the result's, axes in source order
//   tile.reshape           the result's read in the source's shape, where both have extents of powers of two
//   tile.join              the result's without the last axis
//   tile.reduce            downwards: the source's without the axis, copies everywhere along it
//   tile.split             downwards: the source's without the last axis, whose bit is a register's
//   tile.scan, tile.sort   the result's
//   tilegpu.mma            acc: the result's
//
// All other ops exchange data through memory and leave layouts free.
#ifndef PAVAGE_DIALECT_TILEGPU_INFER_H
#define PAVAGE_DIALECT_TILEGPU_INFER_H

#include "dialect/Layout/Layout.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace pavage::tilegpu {

/// Whether the op computes each element from the elements at the same place.
bool isElementwise(mlir::Operation *op);

/// The layout that operand `operand` of `op` must have for its results to have `result`; nothing where the op leaves it
/// free, or where there is none (a scalar operand, a reshape between other extents).
std::optional<layout::Layout> operandLayout(mlir::Operation *op, unsigned operand, const layout::Layout &result);

/// The layout of the results of a `tile.reduce` or `tile.split` whose sources have `source`; nothing for a split of an
/// axis that is not a register's.
std::optional<layout::Layout> reducedLayout(mlir::Operation *op, const layout::Layout &source);

} // namespace pavage::tilegpu

#endif // PAVAGE_DIALECT_TILEGPU_INFER_H

// What computes addresses, run ahead of its loop. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of a load in iteration i + d depend on the index and on carried values, which depend on earlier ones.
// If nothing among them reads memory, the ops between can be cloned to run d iterations ahead on carried values of
// their own, and the original ones go when nothing else needs them.
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_LOADAHEAD_H
#define PAVAGE_COMPILER_GPU_SCHEDULE_LOADAHEAD_H

#include "compiler/Analysis/MemoryRoots.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace pavage::gpu {

class LoadAhead {
public:
  explicit LoadAhead(mlir::scf::ForOp loop) : loop(loop) {}

  /// Takes the operands of a load of the loop's body; false, and `reason`, when they cannot be computed ahead.
  bool addLoad(mlir::Operation *load);
  const std::string &reason() const { return why; }

  /// The carried values that are needed, as they are before the loop.
  llvm::SmallVector<mlir::Value> initial();
  /// The ops for one iteration; the map gives the clones of what loads use.
  mlir::IRMapping clone(mlir::OpBuilder &builder, mlir::Value index, mlir::ValueRange carried);
  /// The carried values of the iteration after the one that was cloned.
  llvm::SmallVector<mlir::Value> next(mlir::IRMapping &map);

private:
  bool need(mlir::Value value, llvm::SetVector<mlir::Operation *> &newOps, llvm::SetVector<unsigned> &newCarried);

  mlir::scf::ForOp loop;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<unsigned> carriedIndices;
  std::string why;
};

/// An op in the loop that may write what `load` reads; null if there is none. Two arguments of which the launch knows
/// that they are different memory (`tile.memory`) do not meet.
mlir::Operation *findWriter(mlir::scf::ForOp loop, mlir::Operation *load, const analysis::MemoryRoots &roots);

/// Removes carried values that only they themselves use. The loop may be replaced.
void dropDeadVariables(mlir::scf::ForOp loop);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_LOADAHEAD_H

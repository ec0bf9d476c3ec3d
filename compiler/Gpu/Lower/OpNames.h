// Which op an instruction comes from, kept through the lowering. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_LOWER_OPNAMES_H
#define PAVAGE_COMPILER_GPU_LOWER_OPNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pavage::gpu {

/// Gives each op of a scheduled kernel a location that says which op it is, and that all it becomes inherits:
///
///   loc(fused<{atomics = 64 : i64, index = 7 : i64, masked, op = "tile.atomic_rmw addf"}>["k.py":12:9])
void nameOps(mlir::func::FuncOp kernel);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_OPNAMES_H

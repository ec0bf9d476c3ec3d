// Functions of f64, and functions that are called. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_LOWER_MATHDOUBLE_H
#define PAVAGE_COMPILER_GPU_LOWER_MATHDOUBLE_H

#include "compiler/Gpu/Lower/Scalars.h"

namespace pavage::gpu {

/// Calls the function pavage_NAME of the module, made by `body` when it is not there yet.
mlir::Value callHelper(Emitter &e, llvm::StringRef name, mlir::Type result, mlir::ValueRange operands,
                       llvm::function_ref<mlir::Value(mlir::ValueRange)> body);

/// A transcendental function of f64, to a few units in the last place; null for other ops.
mlir::Value functionOfDouble(Emitter &e, mlir::Operation *op, mlir::ValueRange operands);
mlir::Value sineOfDouble(Emitter &e, mlir::Value x, bool isCosine);
mlir::Value powerOfDouble(Emitter &e, mlir::Value x, mlir::Value y);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_MATHDOUBLE_H

// Declarations of this room's passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_PASSES_H
#define PAVAGE_COMPILER_GPU_SCHEDULE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace pavage::gpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Gpu/Schedule/Passes.h.inc"
} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_PASSES_H

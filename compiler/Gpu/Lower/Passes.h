// Declarations of this room's passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_LOWER_PASSES_H
#define PAVAGE_COMPILER_GPU_LOWER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pavage::gpu {
#define GEN_PASS_DECL_LOWERPASS
#include "compiler/Gpu/Lower/Passes.h.inc"
} // namespace pavage::gpu

#define GEN_PASS_REGISTRATION
namespace pavage::gpu::lower {
#include "compiler/Gpu/Lower/Passes.h.inc"
} // namespace pavage::gpu::lower

#endif // PAVAGE_COMPILER_GPU_LOWER_PASSES_H

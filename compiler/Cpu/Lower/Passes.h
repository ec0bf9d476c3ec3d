// Declarations of this room's passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_CPU_LOWER_PASSES_H
#define PAVAGE_COMPILER_CPU_LOWER_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace pavage::cpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Cpu/Lower/Passes.h.inc"
} // namespace pavage::cpu

#endif // PAVAGE_COMPILER_CPU_LOWER_PASSES_H

// Declarations of this room's passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_CPU_SCHEDULE_PASSES_H
#define PAVAGE_COMPILER_CPU_SCHEDULE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace pavage::cpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Cpu/Schedule/Passes.h.inc"
} // namespace pavage::cpu

#endif // PAVAGE_COMPILER_CPU_SCHEDULE_PASSES_H

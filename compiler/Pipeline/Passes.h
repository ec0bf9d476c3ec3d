// Declarations of compiler/Pipeline's passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_PIPELINE_PASSES_H
#define PAVAGE_COMPILER_PIPELINE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pavage::pipeline {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Pipeline/Passes.h.inc"

} // namespace pavage::pipeline

#endif // PAVAGE_COMPILER_PIPELINE_PASSES_H

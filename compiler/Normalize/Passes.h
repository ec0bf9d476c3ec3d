// Declarations of compiler/Normalize's passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_NORMALIZE_PASSES_H
#define PAVAGE_COMPILER_NORMALIZE_PASSES_H

#include "dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace pavage::normalize {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Normalize/Passes.h.inc"

} // namespace pavage::normalize

#endif // PAVAGE_COMPILER_NORMALIZE_PASSES_H

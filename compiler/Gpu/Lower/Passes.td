// Passes of compiler/Gpu/Lower. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_LOWER_PASSES
#define PAVAGE_COMPILER_GPU_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def LowerPass : Pass<"pavage-gpu-lower", "::mlir::ModuleOp"> {
  let summary = "turn a scheduled kernel into what one thread does";
  let description = [{
    *What.* The kernel becomes an `llvm.func` with `nvvm.kernel`: each tile is the registers that a thread holds of it,
    structured control flow is branches, exchanges between threads are shuffles and shared memory, products are
    `mma.sync`. Parameters are the kernel's arguments in order.

    *Needs* every tile with a layout, and places in shared memory for rings and scratch. *Leaves* the LLVM and NVVM
    dialects only; the kernel's attributes stay on the function.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // PAVAGE_COMPILER_GPU_LOWER_PASSES

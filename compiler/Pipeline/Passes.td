// Passes of compiler/Pipeline. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_PIPELINE_PASSES
#define PAVAGE_COMPILER_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def VerifyStagePass : Pass<"pavage-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check that only ops and types of a stage are left";
  let description = [{
    *What.* The contract of a stage as code. `tile`: one kernel, no calls, only ops of tile, arith, math, scf, ub and
    func, only element types of the Tile dialect. `tilegpu`: those and TileGPU, every tile with a layout, no `tile.dot`.
    `llvm`: only the LLVM dialect. `nvvm`: that and NVVM.

    A user's mistake that only shows here (a call that could not be inlined) is a numbered error; everything else is an
    error of the compiler that names the op.
  }];
  let options = [Option<"stage", "stage", "std::string", "\"tile\"", "name of the stage: tile, tilegpu, llvm or nvvm">];
}

#endif // PAVAGE_COMPILER_PIPELINE_PASSES

// Passes of compiler/Cpu/Lower: Tile to loops over vectors, and on to the LLVM dialect. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_CPU_LOWER_PASSES
#define PAVAGE_COMPILER_CPU_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def LowerTilesPass : Pass<"pavage-cpu-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "turn a kernel on tiles into a function on vectors that runs a range of programs";
  let description = [{
    *What.* The kernel becomes a function of the CPU kernel ABI (runtime/Artifact/Abi.h): a loop over programs whose
    body is loop nests over vectors, of arith, math, scf, vector and LLVM memory ops. Code size does not depend on
    extents.

    *Needs* pavage-cpu-plan-buffers, at the same level. *Leaves* no tile op and no tensor; calls of the declared
    function `pavage.exit_if`, which mark where a program may end early; the attributes `tile.scratch_bytes` and
    `tile.sites`.
  }];
  let options = [
    Option<"level", "level", "std::string", "\"avx512\"", "CPU level of compiler/Target">,
    Option<"check", "check", "bool", "false", "ask the launch about each access before it is made">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVMPass : Pass<"pavage-cpu-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turn loops over vectors into the LLVM dialect";
  let description = [{
    *What.* Structured control flow becomes branches; a call of `pavage.exit_if` becomes a branch to the function's end;
    arith, math, vector and func become LLVM.

    *Needs* pavage-cpu-lower-tiles. *Leaves* the LLVM dialect only.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // PAVAGE_COMPILER_CPU_LOWER_PASSES

// Passes of compiler/Gpu/Schedule: the choices that speed depends on, as attributes and ops of TileGPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_PASSES
#define PAVAGE_COMPILER_GPU_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def AllocateSharedPass : Pass<"pavage-gpu-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "give every ring and every op's scratch its place in shared memory";
  let description = [{
    *What.* Rings get `tilegpu.offset`, ops that exchange data between warps `tilegpu.scratch`, the kernel
    `tilegpu.shared_bytes`. Pieces whose lives do not overlap share bytes.

    *Needs* all rings and conversions to be there. *Leaves* a program that fits the target's shared memory, or an error
    that lists which piece costs what.
  }];
  let options = [Option<"target", "target", "std::string", "\"\"", "instead of the kernel's tilegpu.target">];
  let statistics = [Statistic<"numPieces", "pieces", "rings and scratch areas placed">];
}

def AssignLayoutsPass : Pass<"pavage-gpu-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "give every tile its layout";
  let description = [{
    *What.* Tile becomes TileGPU: each tile carries a `#tilegpu.layout`, conversions stand where two ops disagree,
    products name their instruction, accesses the width that one lane moves (`tilegpu.vector`).

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f32>>                               // before
    tile.store %q, %x : tensor<1024x!tile.ptr<f32>>

    %x = tile.load %p {tilegpu.vector = 4 : i64} : tensor<1024x!tile.ptr<f32>, #layout>   // after
    tile.store %q, %x {tilegpu.vector = 4 : i64} : tensor<1024x!tile.ptr<f32>, #layout>
    ```

    *Needs* Tile in normal form. *Leaves* only layouts of one cost model; see LayoutGraph.h.
  }];
  let options = [
    Option<"numWarps", "num-warps", "int", "4", "warps that run one program, a power of two up to 32">,
    Option<"target", "target", "std::string", "\"sm_80\"", "name of a target in compiler/Target">
  ];
  let statistics = [
    Statistic<"numConversions", "conversions", "conversions between layouts">,
    Statistic<"numMma", "mma", "products by tensor cores">
  ];
  let dependentDialects = ["::pavage::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def PipelinePass : Pass<"pavage-gpu-pipeline", "::mlir::func::FuncOp"> {
  let summary = "stage operands of products in rings and copy them ahead of time";
  let description = [{
    *What.* A conversion through shared memory into a product's operand becomes a ring. Inside a loop, where the operand
    is loaded from global memory and the target copies asynchronously, the ring has several slots, and loads run ahead
    of the products by one iteration less than there are slots:

    ```mlir
    scf.for %i ... {                                        // before
      %x = tile.load %p
      %a = tilegpu.convert %x
      tilegpu.mma %a, ...
    }

    tilegpu.gather_async %p0, %r[0]; tilegpu.commit; ...    // after
    scf.for %i ... {
      tilegpu.wait pending stages - 2
      tilegpu.gather_async %p, %r[%in] ; tilegpu.commit     // for iteration i + stages - 1
      %a = tilegpu.read %r[%out]
      tilegpu.mma %a, ...
    }
    ```

    *Needs* layouts. *Leaves* one wait, which is one barrier, per iteration; a remark for each loop that stays as it is.
  }];
  let options = [
    Option<"numStages", "num-stages", "int", "3", "slots of a ring">,
    Option<"target", "target", "std::string", "\"\"", "instead of the kernel's tilegpu.target">
  ];
  let statistics = [
    Statistic<"numPipelined", "pipelined", "loops that load ahead">,
    Statistic<"numRings", "rings", "rings made">
  ];
  let dependentDialects = ["::pavage::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PlaceBarriersPass : Pass<"pavage-gpu-place-barriers", "::mlir::func::FuncOp"> {
  let summary = "put the barriers that shared memory needs, and no others";
  let description = [{
    *What.* Between two accesses of the same bytes of shared memory, of which one writes, all threads must meet. Follows
    bytes through branches and loops and puts a `tilegpu.barrier` where two accesses would meet without one.

    *Needs* places in shared memory. *Leaves* no such pair, on no path, from no iteration to the next.
  }];
  let statistics = [Statistic<"numBarriers", "barriers", "barriers placed">];
  let dependentDialects = ["::pavage::tilegpu::TileGPUDialect"];
}

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_PASSES

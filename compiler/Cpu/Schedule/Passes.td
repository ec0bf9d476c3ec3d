// Passes of compiler/Cpu/Schedule: choices on Tile, spelled as attributes. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_COMPILER_CPU_SCHEDULE_PASSES
#define PAVAGE_COMPILER_CPU_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def PlanBuffersPass : Pass<"pavage-cpu-plan-buffers", "::mlir::func::FuncOp"> {
  let summary = "decide which tiles live in memory, and where";
  let description = [{
    *What.* A tile is either *inline*, that is, computed a vector at a time in the loops of whatever uses it, or it
    lives in a *buffer* of the thread's scratch memory. Each op with buffered results gets `tile.buffers` (a byte
    offset per result, -1 for inline), each op that needs memory while it runs `tile.temps`, and the kernel
    `tile.scratch_bytes`.

    ```mlir
    %e = math.exp %x : tensor<1024xf32>                                   // before: used by a sum and by a store

    %e = math.exp %x {tile.buffers = array<i64: 0>} : tensor<1024xf32>    // after
    ```

    *Needs* normal form: no calls, common subexpressions merged. *Leaves* buffers that overlap only when their lives do
    not, and no inline load whose memory may be written before it is used.
  }];
  let options = [Option<"level", "level", "std::string", "\"avx512\"", "CPU level of compiler/Target">];
  let statistics = [
    Statistic<"numBuffered", "buffered", "tiles kept in memory">,
    Statistic<"numInline", "inline", "tiles computed where they are used">
  ];
}

#endif // PAVAGE_COMPILER_CPU_SCHEDULE_PASSES

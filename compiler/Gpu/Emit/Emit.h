// LLVM dialect to PTX, in memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Tile -Gpu/Schedule-> TileGPU -Gpu/Lower-> module of the LLVM and NVVM dialects
//   emitPtx(module, target, options) -> GpuCode
//
// The module holds one kernel, which Lower gave these attributes:
//
//   tilegpu.num_warps : i32      threads of a program / 32
//   tilegpu.shared_bytes : i64   of dynamic shared memory; absent: 0
//   tile.maxnreg : i64           most registers of a thread; absent: the hardware's
//   tile.min_programs : i64      programs that a multiprocessor shall run at once; absent: not said
//
// The module's locations are used up: see Places.h. Safe to call from several threads with a context each.
#ifndef PAVAGE_COMPILER_GPU_EMIT_EMIT_H
#define PAVAGE_COMPILER_GPU_EMIT_EMIT_H

#include "compiler/Target/GpuTarget.h"
#include "runtime/Artifact/Artifact.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace pavage::gpu {

struct EmitOptions {
  bool keepLlvm = false; ///< also give the LLVM IR after optimisation, as text
};

struct GpuCode {
  std::string entry; ///< the function's symbol
  std::string ptx;
  std::string llvm; ///< text, if asked for
  int64_t numWarps = 0;
  int64_t sharedBytes = 0; ///< dynamic shared memory of a program
  std::vector<artifact::Op> ops;
  std::vector<artifact::OpLine> opLines; ///< which op the lines of the PTX come from
};

llvm::Expected<GpuCode> emitPtx(mlir::ModuleOp module, const target::GpuTarget &target,
                                const EmitOptions &options = {});

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_EMIT_EMIT_H

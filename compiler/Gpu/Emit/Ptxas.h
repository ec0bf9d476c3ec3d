// NVIDIA's assembler, where there is one. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_EMIT_PTXAS_H
#define PAVAGE_COMPILER_GPU_EMIT_PTXAS_H

#include "compiler/Target/GpuTarget.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace pavage::gpu {

struct Cubin {
  std::string bytes;       ///< machine code, an ELF file
  int64_t registers = 0;   ///< of a thread
  int64_t spillBytes = 0;  ///< stored and loaded because registers ran out
  int64_t sharedBytes = 0; ///< static shared memory
  std::string warnings;    ///< what it said beside the figures; empty = nothing
};

/// The path of ptxas: on PATH, or in CUDA_HOME or /usr/local/cuda; empty when there is none.
const std::string &findPtxas();

/// Assembles a kernel. Nothing when there is no ptxas; an error when it refuses the text.
llvm::Expected<std::optional<Cubin>> assemble(const std::string &ptx, const target::GpuTarget &target);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_EMIT_PTXAS_H

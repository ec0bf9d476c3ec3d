// The back end for NVIDIA GPUs behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_EMITGPU_H
#define PAVAGE_COMPILER_DRIVER_EMITGPU_H

#include "compiler/Gpu/Emit/Emit.h"
#include "compiler/Gpu/Emit/Ptxas.h"
#include "compiler/Target/GpuTarget.h"
#include "runtime/Errors/Errors.h"
#include <optional>

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace pavage::driver {

/// How a kernel wants to be launched, from its attributes; errors PV0207.
struct GpuLaunch {
  int numWarps = 4;
  int numStages = 3;
  int64_t maxRegisters = 0; ///< 0: as many as the hardware has
};
errors::Result<GpuLaunch> gpuLaunch(mlir::func::FuncOp kernel, const target::GpuTarget &target);

/// PTX of a module in the LLVM and NVVM dialects. What LLVM would end the process for becomes error PV0903.
errors::Result<gpu::GpuCode> emitGpu(mlir::ModuleOp module, const target::GpuTarget &target, bool keepLlvm);

/// Machine code by ptxas: errors PV0208 where there is none, PV0903 where it refuses.
errors::Result<gpu::Cubin> assembleGpu(const std::string &ptx, const target::GpuTarget &target);

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_EMITGPU_H

// The order of passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_PIPELINE_BUILDPIPELINE_H
#define PAVAGE_COMPILER_PIPELINE_BUILDPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include <string>

namespace pavage::pipeline {

struct NormalizeOptions {
  bool fpFusion = true; ///< a*b + c gets one rounding
};

/// Tile as recorded -> Tile in normal form.
void buildNormalize(mlir::OpPassManager &pm, const NormalizeOptions &options);

struct CpuOptions {
  std::string level;  ///< a name of compiler/Target
  bool check = false; ///< compare every access with the extents of its argument
};

/// Tile in normal form -> LLVM dialect, for the CPU.
void buildCpu(mlir::OpPassManager &pm, const CpuOptions &options);

struct GpuOptions {
  std::string target; ///< a name of compiler/Target
  int numWarps = 4;   ///< that run one program; a power of two up to 32
  int numStages = 3;  ///< of a loop that loads ahead; 1 = it does not
};

/// Tile in normal form -> TileGPU, for a GPU: all choices.
void buildGpuSchedule(mlir::OpPassManager &pm, const GpuOptions &options);
/// TileGPU -> LLVM and NVVM dialects.
void buildGpuLower(mlir::OpPassManager &pm);

/// `pavage-normalize`, `pavage-gpu` and `pavage-gpu-schedule` in pavage-opt.
void registerPipelines();

} // namespace pavage::pipeline

#endif // PAVAGE_COMPILER_PIPELINE_BUILDPIPELINE_H

// The order of passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_PIPELINE_BUILDPIPELINE_H
#define PAVAGE_COMPILER_PIPELINE_BUILDPIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace pavage::pipeline {

struct NormalizeOptions {
  bool fpFusion = true; ///< a*b + c gets one rounding
};

/// Tile as recorded -> Tile in normal form.
void buildNormalize(mlir::OpPassManager &pm, const NormalizeOptions &options);

/// `pavage-normalize` in pavage-opt.
void registerPipelines();

} // namespace pavage::pipeline

#endif // PAVAGE_COMPILER_PIPELINE_BUILDPIPELINE_H

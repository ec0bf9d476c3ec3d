// The order of passes, all of it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step says why it stands where it stands; what a pass does is in its own file.
#include "compiler/Pipeline/BuildPipeline.h"

#include "compiler/Cpu/Lower/Passes.h"
#include "compiler/Cpu/Schedule/Passes.h"
#include "compiler/Gpu/Lower/Passes.h"
#include "compiler/Gpu/Schedule/Passes.h"
#include "compiler/Normalize/Passes.h"
#include "compiler/Pipeline/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace pavage::pipeline {

namespace {

/// Canonical form in bounded time: bottom-up visits each op about once, and what the bound leaves undone is found by
/// the next round. Region simplification beyond dead blocks costs more than it finds in structured control flow.
void addCanonicalize(OpPassManager &pm) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(false).setMaxIterations(2).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config));
}

} // namespace

void buildNormalize(OpPassManager &pm, const NormalizeOptions &options) {
  // Calls. The front ends inline while they trace; IR from elsewhere may call. What cannot be inlined is an error of
  // verify-stage below.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());

  // One spelling of everything, and each value computed once: the passes below recognise forms and count uses. What is
  // the same over a tile becomes a scalar in between, which leaves shape ops of splats for a second look.
  addCanonicalize(pm);
  pm.addNestedPass<func::FuncOp>(normalize::createScalarizeUniformPass());
  addCanonicalize(pm);
  pm.addPass(createCSEPass());

  // Rounding is decided here, before any pass duplicates or splits arithmetic: afterwards it must not depend on
  // choices.
  if (options.fpFusion) {
    pm.addNestedPass<func::FuncOp>(normalize::createFuseMultiplyAddPass());
  }

  // Accesses. First the tiles that loops carry, since nothing below looks through loops; then masks, so that fewer
  // bounds are left to express; then the accesses themselves. What they leave dead goes at once.
  pm.addNestedPass<func::FuncOp>(normalize::createScalarizeIncrementsPass());
  pm.addNestedPass<func::FuncOp>(normalize::createSimplifyMasksPass());
  addCanonicalize(pm);
  pm.addNestedPass<func::FuncOp>(normalize::createRaiseAccessesPass());
  addCanonicalize(pm);
  pm.addPass(createCSEPass());

  // Invariant pure work leaves the loops last, when all of the above has exposed it. Accesses stay: another program may
  // write what a loop waits for.
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());

  VerifyStagePassOptions stage;
  stage.stage = "tile";
  pm.addPass(createVerifyStagePass(stage));
}

void buildCpu(OpPassManager &pm, const CpuOptions &options) {
  // The one choice: which tiles live in memory. Everything else is computed, a vector at a time, where it is used.
  cpu::PlanBuffersPassOptions plan;
  plan.level = options.level;
  pm.addNestedPass<func::FuncOp>(cpu::createPlanBuffersPass(plan));

  // Tiles become loops over vectors. Nothing may stand between this and the plan, which names ops and offsets.
  cpu::LowerTilesPassOptions lower;
  lower.level = options.level;
  lower.check = options.check;
  pm.addPass(cpu::createLowerTilesPass(lower));

  // The loops repeat the index calculations of their tiles; merged once here, LLVM has less to merge.
  addCanonicalize(pm);
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());

  pm.addPass(cpu::createLowerToLLVMPass());
  VerifyStagePassOptions stage;
  stage.stage = "llvm";
  pm.addPass(createVerifyStagePass(stage));
}

void buildGpuSchedule(OpPassManager &pm, const GpuOptions &options) {
  // Layouts first: every later choice is about tiles that have one. What the layouts made equal is merged, and what
  // does not change in a loop leaves it, so that only what is left is staged.
  gpu::AssignLayoutsPassOptions layouts;
  layouts.target = options.target;
  layouts.numWarps = options.numWarps;
  pm.addNestedPass<func::FuncOp>(gpu::createAssignLayoutsPass(layouts));
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());

  // Rings, and loads that run ahead. Clones of address arithmetic are merged with their originals.
  gpu::PipelinePassOptions pipeline;
  pipeline.numStages = options.numStages;
  pm.addNestedPass<func::FuncOp>(gpu::createPipelinePass(pipeline));
  pm.addPass(createCSEPass());

  // Shared memory when all that takes some is there; barriers last, when it is known which bytes meet.
  pm.addNestedPass<func::FuncOp>(gpu::createAllocateSharedPass());
  pm.addNestedPass<func::FuncOp>(gpu::createPlaceBarriersPass());

  VerifyStagePassOptions stage;
  stage.stage = "tilegpu";
  pm.addPass(createVerifyStagePass(stage));
}

void buildGpuLower(OpPassManager &pm) {
  pm.addPass(gpu::createLowerPass());
  VerifyStagePassOptions stage;
  stage.stage = "nvvm";
  pm.addPass(createVerifyStagePass(stage));
}

namespace {
struct GpuPipelineOptions : PassPipelineOptions<GpuPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("GPU"), llvm::cl::init("sm_80")};
  Option<int> numWarps{*this, "num-warps", llvm::cl::desc("warps that run one program"), llvm::cl::init(4)};
  Option<int> numStages{*this, "num-stages", llvm::cl::desc("stages of loops that load ahead"), llvm::cl::init(3)};

  GpuOptions get() const { return {.target = target, .numWarps = numWarps, .numStages = numStages}; }
};

struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<std::string> level{*this, "level", llvm::cl::desc("CPU level"), llvm::cl::init("avx512")};
  Option<bool> check{*this, "check", llvm::cl::desc("check accesses"), llvm::cl::init(false)};
};

struct NormalizePipelineOptions : PassPipelineOptions<NormalizePipelineOptions> {
  Option<bool> fpFusion{*this, "fp-fusion", llvm::cl::desc("a*b + c gets one rounding"), llvm::cl::init(true)};
};
} // namespace

void registerPipelines() {
  PassPipelineRegistration<NormalizePipelineOptions>("pavage-normalize",
                                                     "Tile as recorded to Tile in normal form, as every target starts",
                                                     [](OpPassManager &pm, const NormalizePipelineOptions &options) {
                                                       buildNormalize(pm, {.fpFusion = options.fpFusion});
                                                     });
  PassPipelineRegistration<GpuPipelineOptions>(
      "pavage-gpu-schedule", "Tile in normal form to TileGPU",
      [](OpPassManager &pm, const GpuPipelineOptions &options) { buildGpuSchedule(pm, options.get()); });
  PassPipelineRegistration<GpuPipelineOptions>("pavage-gpu", "Tile in normal form to LLVM and NVVM dialects",
                                               [](OpPassManager &pm, const GpuPipelineOptions &options) {
                                                 buildGpuSchedule(pm, options.get());
                                                 buildGpuLower(pm);
                                               });
}

} // namespace pavage::pipeline

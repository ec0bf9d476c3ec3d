// The pass around the emitter. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Emitter.h"
#include "compiler/Gpu/Lower/OpNames.h"
#include "compiler/Gpu/Lower/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#define DEBUG_TYPE "pavage-gpu-lower"

namespace pavage::gpu {
#define GEN_PASS_DEF_LOWERPASS
#include "compiler/Gpu/Lower/Passes.h.inc"
} // namespace pavage::gpu

using namespace mlir;

namespace {

struct Lower : pavage::gpu::impl::LowerPassBase<Lower> {
  void runOnOperation() override {
    for (func::FuncOp kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!kernel->hasAttr(pavage::tile::kKernelAttr)) {
        continue;
      }
      auto name = kernel->getAttrOfType<StringAttr>(pavage::tilegpu::kTargetAttr);
      auto warps = kernel->getAttrOfType<IntegerAttr>(pavage::tilegpu::kNumWarpsAttr);
      const pavage::target::GpuTarget *target = name ? pavage::target::findGpuTarget(name.getValue()) : nullptr;
      if (!target || !warps) {
        kernel.emitError("has no schedule for a GPU; run pavage-gpu-assign-layouts first");
        return signalPassFailure();
      }
      pavage::gpu::nameOps(kernel);
      if (failed(pavage::gpu::Emitter(getOperation(), *target, warps.getInt()).emitKernel(kernel))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace

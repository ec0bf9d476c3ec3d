// The back end for NVIDIA GPUs behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "compiler/Driver/EmitGpu.h"

#include "compiler/Driver/Guard.h"
#include "compiler/Support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

namespace pavage::driver {

errors::Result<GpuLaunch> gpuLaunch(mlir::func::FuncOp kernel, const target::GpuTarget &target) {
  GpuLaunch launch;
  errors::Error error;
  auto read = [&](const char *name, int64_t fallback, auto isGood, const std::string &expected) {
    auto attribute = kernel->getAttrOfType<mlir::IntegerAttr>(std::string("tile.") + name);
    int64_t value = attribute ? attribute.getValue().getSExtValue() : fallback;
    if (attribute && !isGood(value) && !error) {
      support::Place place = support::placeOf(kernel.getLoc());
      error = errors::Error(errors::Code::BadLaunchOption,
                            std::string("expected ") + name + " to be " + expected + ", got " + std::to_string(value),
                            {place.file.str(), place.line, place.column});
    }
    return value;
  };
  int64_t mostWarps = target.threadsPerProgram / 32;
  launch.numWarps = static_cast<int>(read(
      "num_warps", 4, [&](int64_t n) { return n >= 1 && n <= mostWarps && llvm::isPowerOf2_64(n); },
      "a power of two from 1 to " + std::to_string(mostWarps)));
  launch.numStages =
      static_cast<int>(read("num_stages", 3, [](int64_t n) { return n >= 0 && n <= 16; }, "a number from 0 to 16"));
  launch.maxRegisters = read(
      "maxnreg", 0, [&](int64_t n) { return n >= 16 && n <= target.registersPerThread; },
      "a number from 16 to " + std::to_string(target.registersPerThread));
  read("num_ctas", 1, [](int64_t n) { return n == 1; }, "1, since clusters are not supported");
  if (error) {
    return error;
  }
  return launch;
}

errors::Result<gpu::GpuCode> emitGpu(mlir::ModuleOp module, const target::GpuTarget &target, bool keepLlvm) {
  gpu::EmitOptions options;
  options.keepLlvm = keepLlvm;
  std::optional<llvm::Expected<gpu::GpuCode>> code;
  errors::Error fatal = guardLlvm([&] { code.emplace(gpu::emitPtx(module, target, options)); });
  if (fatal) {
    return fatal;
  }
  if (!*code) {
    return errors::Error(errors::Code::BackEndFailed, llvm::toString(code->takeError()));
  }
  return std::move(**code);
}

errors::Result<gpu::Cubin> assembleGpu(const std::string &ptx, const target::GpuTarget &target) {
  llvm::Expected<std::optional<gpu::Cubin>> cubin = gpu::assemble(ptx, target);
  if (!cubin) {
    return errors::Error(errors::Code::BackEndFailed, llvm::toString(cubin.takeError()));
  }
  if (!*cubin) {
    return errors::Error(errors::Code::PtxasMissing, "there is no ptxas on PATH, in CUDA_HOME or in /usr/local/cuda");
  }
  return std::move(**cubin);
}

} // namespace pavage::driver

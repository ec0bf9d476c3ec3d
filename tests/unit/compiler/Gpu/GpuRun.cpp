// Compiles a kernel to PTX, runs it on the virtual GPU and compares with Interp. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "tests/unit/compiler/Gpu/GpuRun.h"

#include "compiler/Gpu/Lower/Passes.h"
#include "compiler/Gpu/Schedule/Passes.h"
#include "compiler/Pipeline/BuildPipeline.h"
#include "dialect/TileGPU/Interp/Interp.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace pavage::gpu {

static void load(MLIRContext &context) {
  context.loadDialect<tile::TileDialect, tilegpu::TileGPUDialect, arith::ArithDialect, func::FuncDialect,
                      math::MathDialect, scf::SCFDialect, ub::UBDialect>();
}

GpuCode compileGpu(StringRef text, const GpuOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  load(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "does not parse:\n" << text.str();
    return {};
  }
  PassManager pm(&context);
  if (options.isScheduled) {
    pm.addNestedPass<func::FuncOp>(createAllocateSharedPass());
    pm.addNestedPass<func::FuncOp>(createPlaceBarriersPass());
  } else {
    pipeline::buildNormalize(pm, {});
    pipeline::buildGpuSchedule(pm, {options.target, options.numWarps, options.numStages});
  }
  pipeline::buildGpuLower(pm);
  bool dumps = getenv("PAVAGE_TEST_DUMP") != nullptr;
  if (dumps) {
    pm.enableIRPrinting([](Pass *, Operation *) { return false; }, [](Pass *, Operation *) { return true; }, true,
                        true);
  }
  if (failed(pm.run(*module))) {
    ADD_FAILURE() << "passes failed for " << options.target << "\n" << text.str();
    return {};
  }
  const target::GpuTarget *target = target::findGpuTarget(options.target);
  llvm::Expected<GpuCode> code = emitPtx(*module, *target);
  if (!code) {
    ADD_FAILURE() << llvm::toString(code.takeError());
    return {};
  }
  if (dumps) {
    llvm::errs() << code->ptx;
  }
  return std::move(*code);
}

/// Sizes of the kernel's parameters, as its text declares them.
static std::vector<unsigned> parameterSizes(StringRef ptx) {
  std::vector<unsigned> sizes;
  StringRef head = ptx.split(".entry").second.split(')').first;
  while (head.contains(".param")) {
    head = head.split(".param").second;
    StringRef type = head.ltrim().drop_front().take_while([](char c) { return isalnum(c) != 0; });
    unsigned bits = 0;
    type.drop_front().getAsInteger(10, bits);
    sizes.push_back(bits / 8);
  }
  return sizes;
}

sim::LaunchResult runGpu(const GpuCode &code, Arguments &arguments, const GpuOptions &options) {
  sim::Gpu gpu(uint64_t(1) << 30);
  auto module = gpu.load(code.ptx, "kernel.ptx");
  if (!module) {
    ADD_FAILURE() << module.error().render() << "\n" << code.ptx;
    return {};
  }
  std::vector<uint8_t> params;
  std::vector<uint64_t> addresses;
  std::vector<unsigned> sizes = parameterSizes(code.ptx);
  EXPECT_EQ(sizes.size(), arguments.size());
  for (size_t index = 0; index < std::min(sizes.size(), arguments.size()); ++index) {
    const Argument &argument = arguments[index];
    uint64_t bits = argument.scalar;
    if (!argument.bytes.empty()) {
      bits = gpu.memory().allocate(argument.bytes.size(), "argument " + std::to_string(index));
      gpu.memory().write(bits, argument.bytes.data(), argument.bytes.size());
    }
    addresses.push_back(bits);
    params.resize((params.size() + sizes[index] - 1) / sizes[index] * sizes[index]);
    params.insert(params.end(), reinterpret_cast<uint8_t *>(&bits), reinterpret_cast<uint8_t *>(&bits) + sizes[index]);
  }
  sim::LaunchOptions launch;
  for (int axis = 0; axis < 3; ++axis) {
    launch.grid[axis] = static_cast<uint32_t>(options.grid[axis]);
  }
  launch.block[0] = static_cast<uint32_t>(32 * code.numWarps);
  launch.dynamicShared = static_cast<uint32_t>(code.sharedBytes);
  launch.seed = options.seed;
  auto launched = gpu.launch(**module, code.entry, launch, params);
  if (!launched) {
    ADD_FAILURE() << launched.error().render() << "\n" << code.ptx;
    return {};
  }
  for (const sim::Finding &finding : launched->findings) {
    ADD_FAILURE() << sim::kindName(finding.kind) << " at line " << finding.ptxLine << ": " << finding.instruction
                  << ": " << finding.message;
  }
  for (auto [argument, address] : llvm::zip(arguments, addresses)) {
    if (!argument.bytes.empty()) {
      gpu.memory().read(address, argument.bytes.data(), argument.bytes.size());
    }
  }
  return std::move(*launched);
}

sim::LaunchResult crossGpu(StringRef text, const Arguments &arguments, const GpuOptions &options) {
  SCOPED_TRACE(text.str() + "\non " + options.target + ", " + std::to_string(options.numWarps) + " warps, " +
               std::to_string(options.numStages) + " stages");
  tilegpu::extendInterp();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  load(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "does not parse";
    return {};
  }
  cpu::CrossOptions interpreted;
  interpreted.grid = options.grid;
  interpreted.tolerance = options.tolerance;
  interpreted.nanOf = options.nanOf;
  interpreted.expectedError = options.expectError ? 1 : 0;
  Arguments expected = cpu::interpret(*module, arguments, interpreted);
  GpuCode code = compileGpu(text, options);
  if (code.ptx.empty()) {
    return {};
  }
  Arguments actual = arguments;
  sim::LaunchResult result = runGpu(code, actual, options);
  for (size_t index = 0; index < expected.size(); ++index) {
    std::string difference = cpu::compare(expected[index], actual[index], interpreted);
    EXPECT_EQ(difference, "") << "argument " << index;
    if (!difference.empty() && getenv("PAVAGE_TEST_PTX")) {
      llvm::errs() << code.ptx;
    }
  }
  return result;
}

} // namespace pavage::gpu

// From a module to an artifact. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/Compile.h"

#include "compiler/Driver/Dump.h"
#include "compiler/Driver/EmitCpu.h"
#include "compiler/Driver/EmitGpu.h"
#include "compiler/Pipeline/BuildPipeline.h"
#include "dialect/Tile/TileDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Artifact/Abi.h"

using namespace mlir;

namespace pavage::driver {

namespace {

/// Remembers which pass failed.
struct FailedPass : PassInstrumentation {
  explicit FailedPass(std::string &name) : name(name) {}
  void runAfterPassFailed(Pass *pass, Operation *) override {
    if (name.empty() && !pass->getArgument().empty()) {
      name = pass->getArgument().str();
    }
  }
  std::string &name;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// What a kernel says about itself, before any pass.
artifact::Artifact describe(func::FuncOp kernel, const CompileOptions &options) {
  artifact::Artifact artifact;
  artifact.kernel = kernel.getName().str();
  artifact.entry = artifact.kernel;
  artifact.target = options.target == pipeline::Target::Cpu   ? "cpu"
                    : options.target == pipeline::Target::Gpu ? options.gpu->name.str()
                                                              : "interp";
  support::Place place = support::placeOf(kernel.getLoc());
  artifact.sourceFile = place.file.str();
  artifact.sourceLine = place.line;
  artifact.params = kernelParams(kernel);
  for (NamedAttribute attribute : kernel->getDiscardableAttrs()) {
    StringRef name = attribute.getName().getValue();
    if (name == tile::kKernelAttr || !name.consume_front("tile.")) {
      continue;
    }
    if (auto number = dyn_cast<IntegerAttr>(attribute.getValue())) {
      artifact.facts.emplace_back(name.str(), number.getValue().getSExtValue());
      artifact.options.emplace_back(name.str(), std::to_string(number.getValue().getSExtValue()));
    } else if (auto text = dyn_cast<StringAttr>(attribute.getValue())) {
      artifact.options.emplace_back(name.str(), text.getValue().str());
    }
  }
  // The runtime makes launches interruptible at a price, which kernels whose programs must end soon do not pay.
  auto isUnknown = [](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    return isa<scf::WhileOp>(op) || (loop && !loop.getStaticTripCount()) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
  };
  bool isUnbounded = kernel.walk(isUnknown).wasInterrupted();
  artifact.facts.emplace_back("unbounded_loops", isUnbounded);
  if (!options.fpFusion) {
    artifact.options.emplace_back("fp_fusion", "0");
  }
  if (options.check) {
    artifact.options.emplace_back("check", "1");
  }
  return artifact;
}

class Compilation {
public:
  Compilation(ModuleOp source, const CompileOptions &options)
      : options(options), module(source.clone()), capture(*source.getContext()),
        remarks(*source.getContext(), options.remark) {}

  errors::Result<artifact::Artifact> run() {
    prepareContext(*module->getContext());
    errors::Result<func::FuncOp> kernel = findKernel(*module);
    if (!kernel) {
      return kernel.takeError();
    }
    out = describe(*kernel, options);
    if (!options.dumpFolder.empty()) {
      errors::Result<std::shared_ptr<Dump>> made = Dump::create(options.dumpFolder, out.kernel, *module);
      if (!made) {
        return made.takeError();
      }
      dump = *made;
    }
    errors::Error error = options.target == pipeline::Target::Interp ? runInterp()
                          : options.target == pipeline::Target::Gpu  ? runGpu(*kernel)
                                                                     : runCpu();
    if (!error && dump) {
      error = dump->error();
    }
    if (error) {
      return error;
    }
    return std::move(out);
  }

private:
  /// Interp judges what the author wrote, so it gets the module as recorded.
  errors::Error runInterp() {
    out.sections.emplace_back("tile", print(*module));
    return {};
  }

  errors::Error runCpu() {
    errors::Result<const target::CpuTarget *> level = cpuTarget(options.cpuLevel);
    if (!level) {
      return level.takeError();
    }
    errors::Error error = normalize();
    if (error || options.stopAfter == pipeline::Stage::Tile) {
      return error;
    }
    error = passes(
        [&](OpPassManager &pm) { pipeline::buildCpu(pm, {.level = (*level)->name.str(), .check = options.check}); });
    if (error) {
      return error;
    }
    bool stopsAtLlvm = options.stopAfter == pipeline::Stage::Llvm;
    EmitRequest request;
    request.llvm = wants(pipeline::Stage::Llvm) || dump;
    request.assembly = !stopsAtLlvm && (wants(pipeline::Stage::Asm) || dump);
    errors::Result<cpu::CpuObject> object = emitCpu(*module, **level, request);
    if (!object) {
      return capture.hasError() ? capture.take(errors::Code::BackEndFailed) : object.takeError();
    }
    if (dump) {
      dump->write("llvm", "ll", object->llvm);
      dump->write("asm", "s", object->assembly);
    }
    takeObject(std::move(*object), stopsAtLlvm);
    return {};
  }

  errors::Error runGpu(func::FuncOp kernel) {
    errors::Result<GpuLaunch> launch = gpuLaunch(kernel, *options.gpu);
    if (!launch) {
      return launch.takeError();
    }
    errors::Error error = normalize();
    if (error || options.stopAfter == pipeline::Stage::Tile) {
      return error;
    }
    error = passes([&](OpPassManager &pm) {
      pipeline::buildGpuSchedule(pm, {.target = options.gpu->name.str(),
                                      .numWarps = launch->numWarps,
                                      .numStages = std::max(1, launch->numStages)});
    });
    if (error || endsWith(pipeline::Stage::TileGpu)) {
      return error;
    }
    error = passes([](OpPassManager &pm) { pipeline::buildGpuLower(pm); });
    if (error || endsWith(pipeline::Stage::Nvvm)) {
      return error;
    }
    errors::Result<gpu::GpuCode> code = emitGpu(*module, *options.gpu, wants(pipeline::Stage::Llvm) || dump);
    if (!code) {
      return capture.hasError() ? capture.take(errors::Code::BackEndFailed) : code.takeError();
    }
    setFact("num_warps", code->numWarps);
    setFact("num_stages", launch->numStages);
    setFact("threads", 32 * code->numWarps);
    setFact("shared_bytes", code->sharedBytes);
    if (dump) {
      dump->write("llvm", "ll", code->llvm);
      dump->write("ptx", "ptx", code->ptx);
    }
    return takeCode(std::move(*code));
  }

  /// Keeps the stage if it is wanted; whether it is the last.
  bool endsWith(pipeline::Stage stage) {
    if (wants(stage)) {
      out.sections.emplace_back(name(stage).str(), print(*module));
    }
    return options.stopAfter == stage;
  }

  void setFact(StringRef name, int64_t value) {
    for (auto &[known, old] : out.facts) {
      if (known == name) {
        old = value;
        return;
      }
    }
    out.facts.emplace_back(name.str(), value);
  }

  errors::Error takeCode(gpu::GpuCode code) {
    out.entry = std::move(code.entry);
    out.abiVersion = PAVAGE_ABI_VERSION;
    if (wants(pipeline::Stage::Llvm)) {
      out.sections.emplace_back("llvm", std::move(code.llvm));
    }
    if (options.stopAfter == pipeline::Stage::Llvm) {
      return {};
    }
    if (wants(pipeline::Stage::Cubin)) {
      errors::Result<gpu::Cubin> cubin = assembleGpu(code.ptx, *options.gpu);
      if (!cubin) {
        return cubin.takeError();
      }
      setFact("registers", cubin->registers);
      setFact("spill_bytes", cubin->spillBytes);
      setFact("static_shared_bytes", cubin->sharedBytes);
      out.sections.emplace_back("cubin", std::move(cubin->bytes));
    }
    out.ops = std::move(code.ops);
    out.opLines = std::move(code.opLines);
    out.sections.emplace_back("ptx", std::move(code.ptx));
    return {};
  }

  errors::Error normalize() {
    errors::Error error =
        passes([&](OpPassManager &pm) { pipeline::buildNormalize(pm, {.fpFusion = options.fpFusion}); });
    if (!error && wants(pipeline::Stage::Tile)) {
      out.sections.emplace_back("tile", print(*module));
    }
    return error;
  }

  void takeObject(cpu::CpuObject object, bool stopsAtLlvm) {
    out.entry = std::move(object.entry);
    out.cpuLevel = std::move(object.cpuLevel);
    out.abiVersion = PAVAGE_ABI_VERSION;
    out.scratchBytes = object.scratchBytes;
    out.sites = std::move(object.sites);
    if (wants(pipeline::Stage::Llvm)) {
      out.sections.emplace_back("llvm", std::move(object.llvm));
    }
    if (wants(pipeline::Stage::Asm) && !stopsAtLlvm) {
      out.sections.emplace_back("asm", std::move(object.assembly));
    }
    if (!options.stopAfter || *options.stopAfter == pipeline::Stage::Obj) {
      out.sections.emplace_back("obj", std::move(object.object));
    }
  }

  bool wants(pipeline::Stage stage) const {
    return llvm::is_contained(options.emit, stage) || options.stopAfter == stage;
  }

  /// Runs passes on the module; an error without number becomes an internal one that names the pass.
  errors::Error passes(llvm::function_ref<void(OpPassManager &)> build) {
    PassManager pm(module->getContext(), ModuleOp::getOperationName());
    pm.enableVerifier(options.verifyEach);
    if (dump) {
      Dump::attach(dump, pm);
    }
    std::string failedPass;
    pm.addInstrumentation(std::make_unique<FailedPass>(failedPass));
    build(pm);
    if (failed(pm.run(*module))) {
      return capture.take(errors::Code::PassFailed, "pass '" + failedPass + "': ");
    }
    return {};
  }

  const CompileOptions &options;
  OwningOpRef<ModuleOp> module;
  ErrorCapture capture;
  RemarkCapture remarks;
  std::shared_ptr<Dump> dump;
  artifact::Artifact out;
};

} // namespace

errors::Result<artifact::Artifact> compileModule(ModuleOp module, const CompileOptions &options) {
  return Compilation(module, options).run();
}

} // namespace pavage::driver

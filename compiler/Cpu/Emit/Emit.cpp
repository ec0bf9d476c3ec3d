// LLVM dialect to object code, in memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short pipeline: the loops are already what they should be, and LLVM's unroller and vectorizers would only make the
// code larger and slower to generate. No fast-math flag exists in the IR and none is set, so nothing is contracted.
#include "compiler/Cpu/Emit/Emit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>
#include <mutex>

using namespace mlir;

namespace pavage::cpu {

// --- target machines -------------------------------------------------------------------------------------------------

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const target::CpuTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget) {
    return llvm::createStringError("no x86 target: " + error);
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      llvmTarget->createTargetMachine(triple, target.llvmCpu, target.features, options, llvm::Reloc::PIC_,
                                      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine) {
    return llvm::createStringError("no target machine for " + target.name);
  }
  return machine;
}

/// The thread's own machine for a level: making one, and its first function, costs milliseconds.
static llvm::Expected<llvm::TargetMachine *> machineFor(const target::CpuTarget &target) {
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::TargetMachine> &machine = machines[target.name.str()];
  if (!machine) {
    auto created = createMachine(target);
    if (!created) {
      return created.takeError();
    }
    machine = std::move(*created);
  }
  return machine.get();
}

// --- LLVM ------------------------------------------------------------------------------------------------------------

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      passes.run(function, functions);
    }
  }
}

static void prepare(llvm::Module &module, const target::CpuTarget &target, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", target.llvmCpu);
    if (!target.features.empty()) {
      function.addFnAttr("target-features", target.features);
    }
    function.setDoesNotThrow();
    // A call of sin is a call of sin: no merging into functions that the loader does not offer.
    function.addFnAttr("no-builtins");
    function.removeFnAttr(llvm::Attribute::UWTable);
  }
}

static llvm::Error generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
                            std::string &result) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true)) {
    return llvm::createStringError("the target cannot emit this kind of file");
  }
  passes.run(module);
  result.assign(bytes.begin(), bytes.end());
  return llvm::Error::success();
}

// --- facts -----------------------------------------------------------------------------------------------------------

static artifact::Site readSite(DictionaryAttr entry) {
  artifact::Site site;
  StringRef kind = entry.getAs<StringAttr>("kind");
  site.kind = kind == "assert"  ? artifact::Site::Kind::Assert
              : kind == "print" ? artifact::Site::Kind::Print
                                : artifact::Site::Kind::Access;
  site.text = entry.getAs<StringAttr>("text").str();
  site.at = {entry.getAs<StringAttr>("file").str(), static_cast<unsigned>(entry.getAs<IntegerAttr>("line").getInt()),
             static_cast<unsigned>(entry.getAs<IntegerAttr>("column").getInt())};
  if (auto dtype = entry.getAs<StringAttr>("dtype")) {
    site.dtype = artifact::parseDtype(dtype.getValue()).value_or(artifact::Dtype::None);
    site.hex = entry.getAs<BoolAttr>("hex").getValue();
    ArrayRef<int64_t> shape = entry.getAs<DenseI64ArrayAttr>("shape");
    site.shape.assign(shape.begin(), shape.end());
  }
  return site;
}

/// Without a handler LLVM ends the process at an error.
static void keepError(const llvm::DiagnosticInfo *info, void *text) {
  if (info->getSeverity() == llvm::DS_Error && static_cast<std::string *>(text)->empty()) {
    llvm::raw_string_ostream stream(*static_cast<std::string *>(text));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }
}

llvm::Expected<CpuObject> emitObject(ModuleOp module, const target::CpuTarget &target, const EmitOptions &options) {
  auto machine = machineFor(target);
  if (!machine) {
    return machine.takeError();
  }
  CpuObject object;
  object.cpuLevel = target.name.str();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto sites = function->getAttrOfType<ArrayAttr>("tile.sites");
    if (!sites) {
      continue;
    }
    object.entry = function.getName().str();
    object.scratchBytes = function->getAttrOfType<IntegerAttr>("tile.scratch_bytes").getInt();
    for (Attribute site : sites) {
      object.sites.push_back(readSite(cast<DictionaryAttr>(site)));
    }
  }
  if (object.entry.empty()) {
    return llvm::createStringError("the module has no lowered kernel");
  }
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  std::string complaint;
  context.setDiagnosticHandlerCallBack(keepError, &complaint);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, object.entry);
  if (!llvmModule) {
    return llvm::createStringError("translation to LLVM IR failed");
  }
  prepare(*llvmModule, target, **machine);
  optimize(*llvmModule, **machine);
  if (options.keepLlvm) {
    llvm::raw_string_ostream stream(object.llvm);
    llvmModule->print(stream, nullptr);
  }
  if (options.keepAssembly) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
    if (llvm::Error error = generate(*copy, **machine, llvm::CodeGenFileType::AssemblyFile, object.assembly)) {
      return error;
    }
  }
  if (llvm::Error error = generate(*llvmModule, **machine, llvm::CodeGenFileType::ObjectFile, object.object)) {
    return error;
  }
  if (!complaint.empty()) {
    return llvm::createStringError(complaint);
  }
  return object;
}

} // namespace pavage::cpu

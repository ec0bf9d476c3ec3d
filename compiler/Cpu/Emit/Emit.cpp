// LLVM dialect to object code, in memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short pipeline: the loops are already what they should be, and LLVM's unroller and vectorizers would only make the
// code larger and slower to generate. No fast-math flag exists in the IR and none is set, so nothing is contracted.
#include "compiler/Cpu/Emit/Emit.h"

#include "compiler/Support/Codegen.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <mutex>

using namespace mlir;

namespace pavage::cpu {

// --- target machines -------------------------------------------------------------------------------------------------

static llvm::Expected<llvm::TargetMachine *> machineFor(const target::CpuTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  return support::machineFor({.name = target.name,
                              .triple = "x86_64-unknown-linux-gnu",
                              .cpu = target.llvmCpu,
                              .features = target.features,
                              .relocation = llvm::Reloc::PIC_,
                              .codeModel = llvm::CodeModel::Small});
}

// --- LLVM ------------------------------------------------------------------------------------------------------------

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  support::runPasses(module, machine, std::move(passes));
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
  support::keepErrors(context, complaint);
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
    if (llvm::Error error = support::generate(*copy, **machine, llvm::CodeGenFileType::AssemblyFile, object.assembly)) {
      return error;
    }
  }
  if (llvm::Error error = support::generate(*llvmModule, **machine, llvm::CodeGenFileType::ObjectFile, object.object)) {
    return error;
  }
  if (!complaint.empty()) {
    return llvm::createStringError(complaint);
  }
  return object;
}

} // namespace pavage::cpu

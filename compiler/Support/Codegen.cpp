// What every back end asks of LLVM. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Support/Codegen.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <map>

namespace pavage::support {

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const MachineSpec &spec) {
  llvm::Triple triple(spec.triple);
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget) {
    return llvm::createStringError("no target " + spec.triple + ": " + error);
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, spec.cpu, spec.features, options, spec.relocation, spec.codeModel, llvm::CodeGenOptLevel::Default));
  if (!machine) {
    return llvm::createStringError("no target machine for " + spec.name);
  }
  return machine;
}

llvm::Expected<llvm::TargetMachine *> machineFor(const MachineSpec &spec) {
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::TargetMachine> &machine = machines[spec.name.str()];
  if (!machine) {
    auto created = createMachine(spec);
    if (!created) {
      return created.takeError();
    }
    machine = std::move(*created);
  }
  return machine.get();
}

void runPasses(llvm::Module &module, llvm::TargetMachine &machine, llvm::FunctionPassManager passes) {
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
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      passes.run(function, functions);
    }
  }
}

llvm::Error generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
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

static void keepError(const llvm::DiagnosticInfo *info, void *text) {
  if (info->getSeverity() == llvm::DS_Error && static_cast<std::string *>(text)->empty()) {
    llvm::raw_string_ostream stream(*static_cast<std::string *>(text));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }
}

void keepErrors(llvm::LLVMContext &context, std::string &complaint) {
  context.setDiagnosticHandlerCallBack(keepError, &complaint);
}

} // namespace pavage::support

// What every back end asks of LLVM: a target machine, passes over functions, code. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#ifndef PAVAGE_COMPILER_SUPPORT_CODEGEN_H
#define PAVAGE_COMPILER_SUPPORT_CODEGEN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace pavage::support {

struct MachineSpec {
  llvm::StringRef name; ///< tells machines apart
  llvm::StringRef triple, cpu, features;
  std::optional<llvm::Reloc::Model> relocation = std::nullopt;
  std::optional<llvm::CodeModel::Model> codeModel = std::nullopt;
};

/// The thread's own machine: making one, and its first function, costs milliseconds. It contracts nothing. The target
/// must have been initialised.
llvm::Expected<llvm::TargetMachine *> machineFor(const MachineSpec &spec);

/// Runs the passes on each function that has a body.
void runPasses(llvm::Module &module, llvm::TargetMachine &machine, llvm::FunctionPassManager passes);

/// The module as code of this kind.
llvm::Error generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
                     std::string &result);

/// Keeps the context's first error in `complaint`; without that LLVM ends the process.
void keepErrors(llvm::LLVMContext &context, std::string &complaint);

} // namespace pavage::support

#endif // PAVAGE_COMPILER_SUPPORT_CODEGEN_H

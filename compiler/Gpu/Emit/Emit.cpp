// LLVM dialect to PTX, in memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short pipeline: Lower has left addresses as base and offset and loops as they shall be; the longer ones of LLVM
// find nothing more and take five times as long. No fast-math flag exists in the IR and none is set, so each mul and
// add is printed with its rounding, and the assembler may not contract them.
#include "compiler/Gpu/Emit/Emit.h"

#include "compiler/Gpu/Emit/Places.h"
#include "compiler/Support/Codegen.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <mutex>

using namespace mlir;

namespace pavage::gpu {

// --- target machines -------------------------------------------------------------------------------------------------

static llvm::Expected<llvm::TargetMachine *> machineFor(const target::GpuTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return support::machineFor(
      {.name = target.name, .triple = "nvptx64-nvidia-cuda", .cpu = target.name, .features = target.features});
}

// --- LLVM ------------------------------------------------------------------------------------------------------------

/// Passes of code generation that rewrite the addresses of a tile in terms of each other: it takes longer than all the
/// rest, and undoes the immediate offsets that Lower chose.
struct PassGate final : llvm::OptPassGate {
  bool shouldRunPass(StringRef name, StringRef) const override {
    return !llvm::is_contained({"Straight line strength reduction", "slsr", "Nary reassociation", "nary-reassociate"},
                               name); // by either of their names
  }
  bool isEnabled() const override { return true; }
};

static void prepare(llvm::Module &module, LLVM::LLVMFuncOp kernel, const GpuCode &code,
                    const target::GpuTarget &target) {
  auto number = [&](StringRef name) -> int64_t {
    auto attribute = kernel->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("target-cpu", target.name);
    function.addFnAttr("target-features", target.features);
    function.setDoesNotThrow();
    if (function.getName() != code.entry) {
      continue;
    }
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    function.addFnAttr("nvvm.reqntid", std::to_string(32 * code.numWarps) + ",1,1");
    if (int64_t most = number("tile.maxnreg")) {
      function.addFnAttr("nvvm.maxnreg", std::to_string(most));
    }
    if (int64_t least = number("tile.min_programs")) {
      function.addFnAttr("nvvm.minctasm", std::to_string(least));
    }
    // LLVM takes these for calls that a branch of some threads may move into or out of: all threads of a warp must make
    // them together.
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallBase>(&instruction);
      if (!call) {
        continue;
      }
      llvm::Function *callee = call->getCalledFunction();
      if (call->isInlineAsm() || (callee && (callee->getName().starts_with("llvm.nvvm.mma") ||
                                             callee->getName().starts_with("llvm.nvvm.wmma")))) {
        call->setConvergent();
      }
    }
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  support::runPasses(module, machine, std::move(passes));
}

/// Elements that nobody asks for become undefined, which is printed as a register that nobody writes. Reading one is
/// what the virtual GPU looks for, so they are zero.
static void defineElements(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (!isa<llvm::InsertElementInst, llvm::ShuffleVectorInst, llvm::PHINode, llvm::SelectInst>(instruction)) {
        continue;
      }
      for (llvm::Use &operand : instruction.operands()) {
        if (isa<llvm::UndefValue>(operand)) { // poison, too
          operand.set(llvm::Constant::getNullValue(operand->getType()));
        }
      }
    }
  }
}

// --- all of it -------------------------------------------------------------------------------------------------------

llvm::Expected<GpuCode> emitPtx(ModuleOp module, const target::GpuTarget &target, const EmitOptions &options) {
  auto machine = machineFor(target);
  if (!machine) {
    return machine.takeError();
  }
  GpuCode code;
  LLVM::LLVMFuncOp kernel;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto numWarps = function->getAttrOfType<IntegerAttr>("tilegpu.num_warps");
    if (numWarps && !function.isExternal()) {
      kernel = function;
      code.entry = function.getName().str();
      code.numWarps = numWarps.getInt();
    }
  }
  if (!kernel) {
    return llvm::createStringError("the module has no lowered kernel");
  }
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>("tilegpu.shared_bytes")) {
    code.sharedBytes = bytes.getInt();
  }
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);

  // The translation asks for alignments; without the layout 8-byte values would have one of 4, and two accesses each.
  std::string layout = (*machine)->createDataLayout().getStringRepresentation();
  module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(), StringAttr::get(module.getContext(), layout));
  module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                  StringAttr::get(module.getContext(), (*machine)->getTargetTriple().str()));
  Places places(module);
  llvm::LLVMContext context;
  std::string complaint;
  support::keepErrors(context, complaint);
  PassGate gate;
  context.setOptPassGate(gate);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, code.entry, /*disableVerification=*/true);
  if (!llvmModule) {
    return llvm::createStringError("translation to LLVM IR failed");
  }
  prepare(*llvmModule, kernel, code, target);
  optimize(*llvmModule, **machine);
  defineElements(*llvmModule);
  if (options.keepLlvm) {
    llvm::raw_string_ostream stream(code.llvm);
    llvmModule->print(stream, nullptr);
  }
  if (llvm::Error error = support::generate(*llvmModule, **machine, llvm::CodeGenFileType::AssemblyFile, code.ptx)) {
    return error;
  }
  if (!complaint.empty()) {
    return llvm::createStringError(complaint);
  }
  places.resolve(code.ptx, code.ops, code.opLines);
  return code;
}

} // namespace pavage::gpu

// --pavage-gpu-emit: a lowered module as PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage-opt/EmitPtxPass.h"

#include "compiler/Gpu/Emit/Emit.h"
#include "compiler/Gpu/Emit/Ptxas.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace pavage;

namespace {
/// The module is dropped, so that only what was emitted is printed.
class EmitPtxPass : public PassWrapper<EmitPtxPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitPtxPass)
  EmitPtxPass() = default;
  EmitPtxPass(const EmitPtxPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "pavage-gpu-emit"; }
  StringRef getDescription() const final { return "Print the PTX of a module in the LLVM dialect"; }

  void runOnOperation() final {
    const target::GpuTarget *facts = target::findGpuTarget(target);
    if (!facts) {
      getOperation()->emitError("expected one of ") << target::gpuTargetList() << ", got '" << target << "'";
      return signalPassFailure();
    }
    gpu::EmitOptions options;
    options.keepLlvm = section == "llvm";
    llvm::Expected<gpu::GpuCode> code = gpu::emitPtx(getOperation(), *facts, options);
    if (!code) {
      return fail(code.takeError());
    }
    if (section == "cubin") {
      llvm::Expected<std::optional<gpu::Cubin>> cubin = gpu::assemble(code->ptx, *facts);
      if (!cubin) {
        return fail(cubin.takeError());
      }
      if (*cubin) {
        llvm::outs() << "registers " << (*cubin)->registers << "\nspills " << (*cubin)->spillBytes << "\nbytes "
                     << (*cubin)->bytes.size() << "\n"
                     << (*cubin)->warnings;
      }
    } else if (section == "ops") {
      for (const artifact::OpLine &line : code->opLines) {
        llvm::outs() << line.ptxLine << " ";
        if (line.op != artifact::OpLine::noOp) {
          const artifact::Op &op = code->ops[line.op];
          llvm::outs() << op.text << " " << op.at.file << ":" << op.at.line << ":" << op.at.column;
        }
        llvm::outs() << "\n";
      }
    } else {
      llvm::outs() << (section == "llvm" ? code->llvm : code->ptx);
    }
    getOperation().getBody()->clear();
  }

private:
  void fail(llvm::Error error) {
    getOperation()->emitError(llvm::toString(std::move(error)));
    signalPassFailure();
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("name of a GPU"), llvm::cl::init("sm_80")};
  Option<std::string> section{*this, "section", llvm::cl::desc("ptx, llvm, ops or cubin"), llvm::cl::init("ptx")};
};
} // namespace

void pavage::registerEmitPtxPass() { PassRegistration<EmitPtxPass>(); }

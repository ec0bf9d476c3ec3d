// --pavage-interp: runs a module and prints what it gave. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage-opt/InterpPass.h"

#include "dialect/Tile/Interp/RunModule.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
/// The functions that ran are dropped, so that only their results are printed.
class InterpPass : public PassWrapper<InterpPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InterpPass)
  StringRef getArgument() const final { return "pavage-interp"; }
  StringRef getDescription() const final {
    return "Run functions in the interpreter and print arrays, results and findings";
  }

  void runOnOperation() final {
    if (!pavage::tile::runModule(getOperation(), llvm::outs())) {
      signalPassFailure();
    }
    getOperation().getBody()->clear();
  }
};
} // namespace

void pavage::registerInterpPass() { PassRegistration<InterpPass>(); }

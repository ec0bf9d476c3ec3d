// Loops over vectors to the LLVM dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: structured control flow to branches; a call of `pavage.exit_if` to a branch that returns its argument; the rest
// to LLVM ops.
//
//   call @pavage.exit_if(%e)      ->      cf.cond_br (%e == 0), ^rest, ^exit(%e)
//
// Needs: pavage-cpu-lower-tiles. Leaves: the LLVM dialect. Why here: an early return is a branch, which structured
// loops do not have, so it waits until they are branches too.
#include "compiler/Cpu/Lower/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"

#define DEBUG_TYPE "pavage-cpu-lower-to-llvm"

namespace pavage::cpu {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "compiler/Cpu/Lower/Passes.h.inc"
} // namespace pavage::cpu

using namespace mlir;

namespace {

constexpr StringLiteral exitName = "pavage.exit_if";

void branchOut(func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) {
    if (call.getCallee() == exitName) {
      calls.push_back(call);
    }
  });
  if (calls.empty()) {
    return;
  }
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Block *exit = builder.createBlock(&function.getBody(), function.getBody().end(), {builder.getI32Type()}, {loc});
  func::ReturnOp::create(builder, loc, exit->getArguments());
  for (func::CallOp call : calls) {
    Block *block = call->getBlock(), *rest = block->splitBlock(call->getNextNode());
    builder.setInsertionPoint(call);
    Value error = call.getOperand(0);
    Value zero = arith::ConstantOp::create(builder, call.getLoc(), builder.getI32IntegerAttr(0));
    Value isFine = arith::CmpIOp::create(builder, call.getLoc(), arith::CmpIPredicate::eq, error, zero);
    cf::CondBranchOp::create(builder, call.getLoc(), isFine, rest, ValueRange(), exit, ValueRange(error));
    call.erase();
  }
}

struct LowerToLLVM : pavage::cpu::impl::LowerToLLVMPassBase<LowerToLLVM> {
  using LowerToLLVMPassBase::LowerToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    {
      RewritePatternSet patterns(context);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(*context);
      target.addIllegalDialect<scf::SCFDialect>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(module, target, std::move(patterns)))) {
        return signalPassFailure();
      }
    }
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function.getName() == exitName) {
        continue;
      }
      branchOut(function);
    }
    if (Operation *declaration = module.lookupSymbol(exitName)) {
      declaration->erase();
    }
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns)))) {
      return signalPassFailure();
    }
  }
};

} // namespace

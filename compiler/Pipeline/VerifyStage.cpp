// Which ops and types are legal after each stage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: walks the module and refuses the first thing that the stage's contract (compiler/README.md) does not allow.
// Why here: it is the contract; run at the border of two stages, where a broken promise is cheap to name.
#include "compiler/Pipeline/Passes.h"

#include "compiler/Support/Diagnostics.h"
#include "dialect/Tile/TileOps.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#define DEBUG_TYPE "pavage-verify-stage"

namespace pavage::pipeline {
#define GEN_PASS_DEF_VERIFYSTAGEPASS
#include "compiler/Pipeline/Passes.h.inc"
} // namespace pavage::pipeline

using namespace mlir;
using namespace pavage;

namespace {

// --- tile ------------------------------------------------------------------------------------------------------------

bool isTileElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  }
  return isa<tile::PtrType, Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

/// A number, a pointer or a tile of them; `index` only where scf and arith need it for loops.
bool isTileValue(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return tensor.hasStaticShape() && tensor.getRank() > 0 && !tensor.getEncoding() &&
           isTileElement(tensor.getElementType());
  }
  return isTileElement(type) || isa<IndexType>(type);
}

LogicalResult verifyTileOp(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    return support::emitNumbered(op->getLoc(), 203)
           << "call of '" << call.getCallee() << "' cannot be inlined: expected a function defined in the module that "
           << "does not call itself";
  }
  Dialect *dialect = op->getDialect();
  bool isLegal =
      isa_and_nonnull<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect>(
          dialect) ||
      isa<ModuleOp, func::FuncOp, func::ReturnOp>(op);
  if (!isLegal) {
    return op->emitError("is not an op of the stage 'tile'");
  }
  for (Value value : op->getResults()) {
    if (!isTileValue(value.getType())) {
      return op->emitError("has a result of type ") << value.getType() << ", which no tile program has";
    }
  }
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      for (Type type : block.getArgumentTypes()) {
        if (!isTileValue(type)) {
          return op->emitError("has a block argument of type ") << type << ", which no tile program has";
        }
      }
    }
  }
  return success();
}

LogicalResult verifyTile(ModuleOp module) {
  WalkResult result = module.walk(
      [](Operation *op) { return failed(verifyTileOp(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
  return failure(result.wasInterrupted());
}

// --- tilegpu ---------------------------------------------------------------------------------------------------------

/// A value of a scheduled kernel: a tile has a layout; a ring is none of a tile's business.
bool isPlacedValue(Type type) {
  if (isa<tilegpu::RingType>(type)) {
    return true;
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return isTileElement(tensor.getElementType()) && tilegpu::layoutOf(tensor) != nullptr;
  }
  return isTileValue(type);
}

LogicalResult verifyTileGpu(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    if (!isa_and_nonnull<tile::TileDialect, tilegpu::TileGPUDialect, arith::ArithDialect, math::MathDialect,
                         scf::SCFDialect, ub::UBDialect>(op->getDialect()) &&
        !isa<ModuleOp, func::FuncOp, func::ReturnOp>(op)) {
      return op->emitError("is not an op of the stage 'tilegpu'"), WalkResult::interrupt();
    }
    if (isa<tile::DotOp>(op)) {
      return op->emitError("has no instruction: expected tilegpu.mma or tilegpu.dot_fma"), WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes()) {
      if (!isPlacedValue(type)) {
        return op->emitError("has a result of type ") << type << ", expected a layout", WalkResult::interrupt();
      }
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (Type type : block.getArgumentTypes()) {
          if (!isPlacedValue(type)) {
            return op->emitError("has a block argument of type ") << type << ", expected a layout",
                   WalkResult::interrupt();
          }
        }
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// --- llvm, nvvm
// ------------------------------------------------------------------------------------------------------------

LogicalResult verifyLlvm(ModuleOp module, StringRef stage) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (isa<ModuleOp>(op) || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) ||
        (stage == "nvvm" && isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()))) {
      return WalkResult::advance();
    }
    return op->emitError("is not an op of the stage '") << stage << "'", WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// --- Pass ------------------------------------------------------------------------------------------------------------

struct VerifyStage : pipeline::impl::VerifyStagePassBase<VerifyStage> {
  using VerifyStagePassBase::VerifyStagePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (!llvm::is_contained({"tile", "tilegpu", "llvm", "nvvm"}, stage)) {
      return emitError(UnknownLoc::get(context)) << "expected stage tile, tilegpu, llvm or nvvm, got '" << stage << "'";
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(stage == "tile"      ? verifyTile(module)
               : stage == "tilegpu" ? verifyTileGpu(module)
                                    : verifyLlvm(module, stage))) {
      signalPassFailure();
    }
  }
};

} // namespace

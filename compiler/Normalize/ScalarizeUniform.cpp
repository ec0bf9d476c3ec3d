// Elementwise ops on tiles that are the same everywhere work on scalars. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// What:
//
//   %a_t = tile.splat %a                                     %c = arith.cmpi slt, %a, %b : i32
//   %b_t = tile.splat %b                              ->     %c_t = tile.splat %c : i1 -> tensor<8xi1>
//   %c_t = arith.cmpi slt, %a_t, %b_t : tensor<8xi32>
//
// Needs: shape ops of splats folded.
// Leaves: splats as late as possible, so that one operation stands for many.
// Why here: before everything that asks whether a value varies over a tile.
// Does not: make a scalar of a tile that only a target could prove to be uniform.
#include "compiler/Normalize/Passes.h"

#include "compiler/Analysis/TileForm.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "pavage-scalarize-uniform"

namespace pavage::normalize {
#define GEN_PASS_DEF_SCALARIZEUNIFORMPASS
#include "compiler/Normalize/Passes.h.inc"
} // namespace pavage::normalize

using namespace mlir;
using namespace pavage;

namespace {

// --- Legality --------------------------------------------------------------------------------------------------------

bool isCandidate(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) && isa<RankedTensorType>(op->getResult(0).getType());
}

/// Whether the operand is one scalar; `isSplat` tells that it is one of the program, not a constant.
bool isUniform(Value operand, bool &isSplat) {
  if (!isa<RankedTensorType>(operand.getType())) {
    return true;
  }
  if (analysis::uniformScalar(operand)) {
    isSplat = true;
    return true;
  }
  SplatElementsAttr elements;
  return matchPattern(operand, m_Constant(&elements));
}

// --- Rewrite ---------------------------------------------------------------------------------------------------------

Value scalarOf(Value operand, OpBuilder &builder) {
  if (!isa<RankedTensorType>(operand.getType())) {
    return operand;
  }
  if (Value scalar = analysis::uniformScalar(operand)) {
    return scalar;
  }
  SplatElementsAttr elements;
  matchPattern(operand, m_Constant(&elements));
  return arith::ConstantOp::create(builder, operand.getLoc(), elements.getSplatValue<TypedAttr>());
}

void rewrite(Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(scalarOf(operand, builder));
  }
  Type type = op->getResult(0).getType();
  OperationState state(op->getLoc(), op->getName(), operands, getElementTypeOrSelf(type), {});
  state.attributes = op->getAttrDictionary();
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *scalar = builder.create(state);
  Value splat = tile::SplatOp::create(builder, op->getLoc(), type, scalar->getResult(0));
  op->getResult(0).replaceAllUsesWith(splat);
  op->erase();
}

// --- Pass ------------------------------------------------------------------------------------------------------------

struct ScalarizeUniform : normalize::impl::ScalarizeUniformPassBase<ScalarizeUniform> {
  void runOnOperation() override {
    // Definitions before uses, so that chains are followed in one walk.
    getOperation().walk([&](Operation *op) {
      if (!isCandidate(op)) {
        return;
      }
      bool hasSplat = false;
      if (llvm::all_of(op->getOperands(), [&](Value operand) { return isUniform(operand, hasSplat); }) && hasSplat) {
        ++numScalarized;
        rewrite(op);
      }
    });
  }
};

} // namespace

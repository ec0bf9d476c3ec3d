// Loops that advance a tile by the same amount everywhere carry a scalar. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// What: a carried tile that each iteration moves by a splat is its initial value plus a scalar.
//
//   scf.for ... iter_args(%p = %p0) {                      scf.for ... iter_args(%o = 0) -> i64 {
//     %x = tile.load %p                                      %p = tile.addptr %p0, splat(%o)
//     %q = tile.addptr %p, splat(%step)              ->      %x = tile.load %p
//     scf.yield %q                                           scf.yield %o + %step
//   }                                                      }
//
// Sums of pointers wrap at 64 bits and sums of integers at their width, here as there, so nothing changes.
//
// Needs: splats in canonical form.
// Leaves: no pointer tile that only a loop moves; raise-accesses sees the initial tile's structure.
// Why here: before raise-accesses, which does not look through loops.
// Does not: touch scf.while; handle steps that differ between elements, or that an inner scf.if chooses.
#include "compiler/Normalize/Passes.h"

#include "compiler/Analysis/TileForm.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "pavage-scalarize-increments"

namespace pavage::normalize {
#define GEN_PASS_DEF_SCALARIZEINCREMENTSPASS
#include "compiler/Normalize/Passes.h.inc"
} // namespace pavage::normalize

using namespace mlir;
using namespace pavage;

namespace {

/// One addition of the chain from a carried tile to its next value.
struct Step {
  Value amount; ///< a scalar, or a constant splat of integers
  bool isNegative;
};

// --- Legality --------------------------------------------------------------------------------------------------------

bool isUniformAmount(Value tile) {
  if (analysis::uniformScalar(tile)) {
    return true;
  }
  SplatElementsAttr elements;
  return matchPattern(tile, m_Constant(&elements));
}

/// The steps from `carried` to `next`, or nothing when something else than uniform additions lies between.
std::optional<SmallVector<Step>> stepsBetween(BlockArgument carried, Value next) {
  SmallVector<Step> steps;
  while (next != carried) {
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != carried.getOwner()) {
      return std::nullopt;
    }
    bool isSum = isa<arith::AddIOp>(op);
    if (!isSum && !isa<tile::AddPtrOp, arith::SubIOp>(op)) {
      return std::nullopt;
    }
    unsigned rest = 0;
    if (!isUniformAmount(op->getOperand(1))) {
      if (!isSum || !isUniformAmount(op->getOperand(0))) {
        return std::nullopt;
      }
      rest = 1;
    }
    steps.push_back({op->getOperand(1 - rest), isa<arith::SubIOp>(op)});
    next = op->getOperand(rest);
  }
  return steps;
}

// --- Rewrite ---------------------------------------------------------------------------------------------------------

bool isPointerTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<tile::PtrType>(tensor.getElementType());
}

bool isIntegerTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger() && !tensor.getElementType().isInteger(1);
}

/// The scalar behind a uniform tile, widened to `type`.
Value amountAs(Type type, Value tile, OpBuilder &builder) {
  Location loc = tile.getLoc();
  Value scalar = analysis::uniformScalar(tile);
  if (!scalar) {
    SplatElementsAttr elements;
    matchPattern(tile, m_Constant(&elements));
    scalar = arith::ConstantOp::create(builder, loc, elements.getSplatValue<TypedAttr>());
  }
  return scalar.getType() == type ? scalar : arith::ExtSIOp::create(builder, loc, type, scalar);
}

/// initial + splat(offset), as a tile.
Value moved(Value initial, Value offset, OpBuilder &builder, Location loc) {
  auto type = cast<RankedTensorType>(initial.getType());
  auto offsets = RankedTensorType::get(type.getShape(), offset.getType());
  Value splat = tile::SplatOp::create(builder, loc, offsets, offset);
  if (isPointerTile(type)) {
    return tile::AddPtrOp::create(builder, loc, initial, splat);
  }
  return arith::AddIOp::create(builder, loc, initial, splat);
}

struct Carried {
  unsigned index;
  SmallVector<Step> steps;
};

void rewrite(scf::ForOp loop, ArrayRef<Carried> carried) {
  IRRewriter builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits(loop.getInitArgs());
  SmallVector<Value> initials(inits);
  for (const Carried &one : carried) {
    Type element = isPointerTile(inits[one.index].getType()) ? builder.getI64Type()
                                                             : getElementTypeOrSelf(inits[one.index].getType());
    inits[one.index] = arith::ConstantIntOp::create(builder, loc, element, 0);
  }
  auto fresh = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  fresh->setAttrs(loop->getAttrs());

  builder.setInsertionPointToStart(fresh.getBody());
  SmallVector<Value> arguments(fresh.getBody()->getArguments());
  for (const Carried &one : carried) {
    Value &argument = arguments[one.index + 1]; // after the index
    argument = moved(initials[one.index], argument, builder, loc);
  }
  if (!fresh.getBody()->empty() && fresh.getBody()->back().hasTrait<OpTrait::IsTerminator>()) {
    fresh.getBody()->back().erase();
  }
  builder.mergeBlocks(loop.getBody(), fresh.getBody(), arguments);

  Operation *yield = fresh.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  for (const Carried &one : carried) {
    Value sum = fresh.getRegionIterArg(one.index);
    for (const Step &step : llvm::reverse(one.steps)) {
      Value amount = amountAs(sum.getType(), step.amount, builder);
      sum = step.isNegative ? Value(arith::SubIOp::create(builder, yield->getLoc(), sum, amount))
                            : Value(arith::AddIOp::create(builder, yield->getLoc(), sum, amount));
    }
    yield->setOperand(one.index, sum);
  }

  builder.setInsertionPointAfter(fresh);
  SmallVector<Value> results(fresh.getResults());
  for (const Carried &one : carried) {
    if (!loop.getResult(one.index).use_empty()) {
      results[one.index] = moved(initials[one.index], results[one.index], builder, loc);
    }
  }
  builder.replaceOp(loop, results);
}

// --- Pass ------------------------------------------------------------------------------------------------------------

struct ScalarizeIncrements : normalize::impl::ScalarizeIncrementsPassBase<ScalarizeIncrements> {
  void runOnOperation() override {
    // Inner loops first: what an inner loop does to a tile of the outer one becomes a uniform addition.
    getOperation().walk([&](scf::ForOp loop) {
      SmallVector<Carried> carried;
      Operation *yield = loop.getBody()->getTerminator();
      for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
        if (!isPointerTile(argument.getType()) && !isIntegerTile(argument.getType())) {
          continue;
        }
        std::optional<SmallVector<Step>> steps = stepsBetween(argument, yield->getOperand(index));
        if (steps && !steps->empty()) {
          carried.push_back({static_cast<unsigned>(index), std::move(*steps)});
        }
      }
      if (!carried.empty()) {
        numScalarized += carried.size();
        rewrite(loop, carried);
      }
    });
  }
};

} // namespace

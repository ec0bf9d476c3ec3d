// Masks that say less, and no more than once. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a comparison that the ranges of its operands decide becomes a constant; what is chosen in place of a load's
// masked-off elements becomes the load's own.
//
//   %m = arith.cmpi slt, %iota, dense<128> : tensor<128xi32>    ->    %m = dense<true>
//
//   %x = tile.load %p mask %m                                   ->    %x = tile.load %p mask %m other %o_t
//   %y = arith.select %m, %x, %o_t
//
// Needs: uniform tiles as splats.
// Leaves: constants, which the canonicalizer takes out of the accesses.
// Why here: before raise-accesses, which then has fewer bounds to express.
// Does not: use what the program's control flow says about scalars.
#include "compiler/Normalize/Passes.h"

#include "compiler/Analysis/TileForm.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "pavage-simplify-masks"

namespace pavage::normalize {
#define GEN_PASS_DEF_SIMPLIFYMASKSPASS
#include "compiler/Normalize/Passes.h.inc"
} // namespace pavage::normalize

using namespace mlir;
using namespace pavage;
using analysis::ExprRange;

namespace {

// --- Legality --------------------------------------------------------------------------------------------------------

/// All values of an integer tile, as signed numbers.
std::optional<ExprRange> rangeOf(Value tile, analysis::TileForms &forms) {
  analysis::Obligations exact;
  std::optional<analysis::LinearForm> form = forms.form(tile, exact);
  if (!form || !exact.empty() || !forms.staysInRange(*form)) {
    return std::nullopt;
  }
  ExprRange range = forms.expressions().range(form->base);
  for (auto [step, extent] : llvm::zip(form->steps, form->extents)) {
    ExprRange each = forms.expressions().range(step);
    range.least += std::min<__int128>(0, each.least * (extent - 1));
    range.greatest += std::max<__int128>(0, each.greatest * (extent - 1));
  }
  return range;
}

/// The result of a comparison that has only one.
std::optional<bool> decide(arith::CmpIOp compare, analysis::TileForms &forms) {
  std::optional<ExprRange> x = rangeOf(compare.getLhs(), forms);
  std::optional<ExprRange> y = x ? rangeOf(compare.getRhs(), forms) : std::nullopt;
  if (!y) {
    return std::nullopt;
  }
  using P = arith::CmpIPredicate;
  bool isNonNegative = x->least >= 0 && y->least >= 0;
  switch (compare.getPredicate()) {
  case P::ult:
  case P::ule:
  case P::ugt:
  case P::uge:
    if (!isNonNegative) {
      return std::nullopt;
    }
    break;
  default:
    break;
  }
  auto less = [](const ExprRange &a, const ExprRange &b, bool orEqual) -> std::optional<bool> {
    if (a.greatest < b.least || (orEqual && a.greatest == b.least)) {
      return true;
    }
    if (a.least > b.greatest || (!orEqual && a.least == b.greatest)) {
      return false;
    }
    return std::nullopt;
  };
  switch (compare.getPredicate()) {
  case P::slt:
  case P::ult:
    return less(*x, *y, false);
  case P::sle:
  case P::ule:
    return less(*x, *y, true);
  case P::sgt:
  case P::ugt:
    return less(*y, *x, false);
  case P::sge:
  case P::uge:
    return less(*y, *x, true);
  default:
    return std::nullopt;
  }
}

/// The load whose masked-off elements a select replaces by a value that is known before the load.
tile::LoadOp replacedLoad(arith::SelectOp select, DominanceInfo &dominance) {
  auto load = select.getTrueValue().getDefiningOp<tile::LoadOp>();
  if (!load || !load.getMask() || load.getMask() != select.getCondition() || !load->hasOneUse()) {
    return {};
  }
  return dominance.properlyDominates(select.getFalseValue(), load) ? load : tile::LoadOp();
}

// --- Pass ------------------------------------------------------------------------------------------------------------

struct SimplifyMasks : normalize::impl::SimplifyMasksPassBase<SimplifyMasks> {
  void runOnOperation() override {
    SmallVector<arith::CmpIOp> comparisons;
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](Operation *op) {
      if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && isa<RankedTensorType>(compare.getType())) {
        comparisons.push_back(compare);
      } else if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<RankedTensorType>(select.getType())) {
        selects.push_back(select);
      }
    });
    if (!comparisons.empty()) {
      analysis::AxisInfoAnalysis axisInfo(getOperation());
      analysis::TileForms forms(axisInfo);
      for (arith::CmpIOp compare : comparisons) {
        if (std::optional<bool> result = decide(compare, forms)) {
          OpBuilder builder(compare);
          auto value = DenseElementsAttr::get(cast<ShapedType>(compare.getType()), *result);
          compare.getResult().replaceAllUsesWith(
              arith::ConstantOp::create(builder, compare.getLoc(), value).getResult());
          compare.erase();
          ++numDecided;
        }
      }
    }
    DominanceInfo dominance(getOperation());
    for (arith::SelectOp select : selects) {
      if (tile::LoadOp load = replacedLoad(select, dominance)) {
        load.getOtherMutable().assign(select.getFalseValue());
        select.getResult().replaceAllUsesWith(load.getResult());
        select.erase();
        ++numOthers;
      }
    }
  }
};

} // namespace

// Integer and pointer tiles as linear functions of the element's index. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Analysis/TileForm.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace pavage::analysis {

using Expr = ExprBuilder::Expr;

/// Ops looked at for one access; beyond it the index is hardly one.
static constexpr unsigned visitLimit = 256;

bool LinearForm::isUniform() const {
  return llvm::all_of(steps, [](Expr step) { return step->isConstant(0); });
}

std::optional<unsigned> LinearForm::onlyAxis() const {
  std::optional<unsigned> found;
  for (auto [axis, step] : llvm::enumerate(steps)) {
    if (!step->isConstant(0)) {
      if (found) {
        return std::nullopt;
      }
      found = axis;
    }
  }
  return found;
}

Value uniformScalar(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto splat = dyn_cast<tile::SplatOp>(op)) {
      return splat.getSrc();
    }
    if (!isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp, tile::SliceOp, tile::HintOp>(op)) {
      return {};
    }
    tile = op->getOperand(0);
  }
  return {};
}

std::nullopt_t TileForms::fail(Operation *op, std::string text) {
  why = std::move(text);
  where = op;
  return std::nullopt;
}

static std::string quoted(Operation *op) { return "'" + op->getName().getStringRef().str() + "'"; }

// --- Range -----------------------------------------------------------------------------------------------------------

bool TileForms::staysInRange(const LinearForm &form) const {
  unsigned width = form.base->width;
  __int128 half = __int128{1} << (width - 1);
  ExprRange base = exprs.range(form.base);
  __int128 least = base.least;
  __int128 greatest = base.greatest;
  __int128 span = 0; // of the steps alone, while all are constants from zero up
  bool isAscending = true;
  for (auto [step, extent] : llvm::zip(form.steps, form.extents)) {
    ExprRange range = exprs.range(step);
    least += std::min<__int128>(0, range.least * (extent - 1));
    greatest += std::max<__int128>(0, range.greatest * (extent - 1));
    isAscending &= range.least == range.greatest && range.least >= 0;
    span += range.greatest * (extent - 1);
  }
  if (least >= -half && greatest < half) {
    return true;
  }
  // A base that is a multiple of a power of two d, and steps that stay below d: no multiple of d is crossed.
  __int128 divisor = std::min<__int128>(exprs.divisor(form.base), half);
  return isAscending && span < divisor;
}

// --- Integers and pointers -------------------------------------------------------------------------------------------

std::optional<LinearForm> TileForms::form(Value tile, Obligations &exact) {
  visited = 0;
  return visit(tile, exact);
}

std::optional<LinearForm> TileForms::visit(Value tile, Obligations &exact) {
  Operation *op = tile.getDefiningOp();
  if (!op) {
    return fail(tile.getParentBlock()->getParentOp(), "the tile is carried by a loop");
  }
  if (++visited > visitLimit) {
    return fail(op, "the index is too long a calculation");
  }
  auto type = cast<RankedTensorType>(tile.getType());
  LinearForm form;
  form.extents.assign(type.getShape().begin(), type.getShape().end());
  bool isPointer = isa<tile::PtrType>(type.getElementType());
  unsigned width = isPointer ? 64 : type.getElementTypeBitWidth();
  form.steps.assign(type.getRank(), exprs.constant(0, width));

  if (Value scalar = uniformScalar(tile)) {
    form.base = isPointer ? exprs.constant(0, 64) : exprs.leaf(scalar);
    form.pointer = isPointer ? scalar : Value();
    return form;
  }
  DenseIntElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat()) {
    form.base = exprs.constant(elements.getSplatValue<APInt>().getSExtValue(), width);
    return form;
  }
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    form.base = exprs.constant(iota.getStart(), width);
    form.steps[0] = exprs.constant(type.getDimSize(0) > 1 ? 1 : 0, width);
    return form;
  }
  if (isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp, tile::HintOp, tile::ReshapeOp>(op)) {
    return shape(op, exact);
  }
  if (isa<arith::ExtSIOp, arith::TruncIOp>(op)) {
    return convert(op, /*isSigned=*/true, exact);
  }
  if (isa<arith::ExtUIOp>(op)) {
    return convert(op, /*isSigned=*/false, exact);
  }
  if (auto cast = dyn_cast<tile::CastOp>(op)) {
    if (isa<IntegerType>(getElementTypeOrSelf(cast.getSrc().getType())) && !isPointer) {
      return convert(op, cast.getIsSigned(), exact);
    }
  }
  return arithmetic(op, exact);
}

std::optional<LinearForm> TileForms::shape(Operation *op, Obligations &exact) {
  std::optional<LinearForm> source = visit(op->getOperand(0), exact);
  if (!source || isa<tile::HintOp>(op)) {
    return source;
  }
  LinearForm form = *source;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Expr zero = exprs.constant(0, source->base->width);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    form.steps.insert(form.steps.begin() + expand.getAxis(), zero);
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    for (auto [axis, from] : llvm::enumerate(trans.getOrder())) {
      form.steps[axis] = source->steps[from];
    }
  } else if (isa<tile::ReshapeOp>(op)) {
    // Only axes of extent 1 may come and go; the others keep their order.
    SmallVector<Expr> kept;
    SmallVector<int64_t> keptExtents;
    for (auto [step, extent] : llvm::zip(source->steps, source->extents)) {
      if (extent != 1) {
        kept.push_back(step);
        keptExtents.push_back(extent);
      }
    }
    form.steps.assign(type.getRank(), zero);
    unsigned next = 0;
    for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
      if (extent == 1) {
        continue;
      }
      if (next == kept.size() || keptExtents[next] != extent) {
        return fail(op, quoted(op) + " joins or splits axes");
      }
      form.steps[axis] = kept[next++];
    }
  } // a broadcast axis has extent 1 before, so its step is 0 already
  form.extents.assign(type.getShape().begin(), type.getShape().end());
  return form;
}

/// From one width to another. Widening wants exact numbers.
std::optional<LinearForm> TileForms::convert(Operation *op, bool isSigned, Obligations &exact) {
  Value source = op->getOperand(0);
  unsigned before = getElementTypeOrSelf(source.getType()).getIntOrFloatBitWidth();
  unsigned after = getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth();
  if (before == 1 || (after > before && after != 64)) {
    return fail(op, quoted(op) + " is not linear");
  }
  if (after > before && !isSigned && !axisInfo.get(source).isNonNegative) {
    return fail(op, quoted(op) + " reads a number as unsigned that may be negative");
  }
  std::optional<LinearForm> form = visit(source, exact);
  if (!form || after == before) {
    return form;
  }
  if (after > before) {
    return toAddress(std::move(*form), exact);
  }
  form->base = exprs.truncate(form->base, after);
  for (Expr &step : form->steps) {
    step = exprs.truncate(step, after);
  }
  return form;
}

std::optional<LinearForm> TileForms::toAddress(LinearForm form, Obligations &exact) {
  if (form.base->width == 64) {
    return form;
  }
  if (!form.isUniform() && !staysInRange(form)) {
    exact.push_back(form);
  }
  form.base = exprs.extend(form.base);
  for (Expr &step : form.steps) {
    step = exprs.extend(step);
  }
  return form;
}

std::optional<LinearForm> TileForms::arithmetic(Operation *op, Obligations &exact) {
  if (auto shift = dyn_cast<arith::ShLIOp>(op); shift || isa<tile::ShlOp>(op)) {
    std::optional<LinearForm> form = visit(op->getOperand(0), exact);
    std::optional<int64_t> amount = axisInfo.get(op->getOperand(1)).constant;
    if (!form) {
      return form;
    }
    unsigned width = form->base->width;
    if (!amount || *amount < 0 || *amount >= width || *amount > 61) {
      return fail(op, quoted(op) + " shifts by an amount that is not known");
    }
    Expr factor = exprs.constant(int64_t{1} << *amount, width);
    form->base = exprs.mul(form->base, factor);
    for (Expr &step : form->steps) {
      step = exprs.mul(step, factor);
    }
    return form;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, tile::AddPtrOp>(op)) {
    return fail(op, quoted(op) + " is not linear");
  }
  std::optional<LinearForm> x = visit(op->getOperand(0), exact);
  if (!x) {
    return x;
  }
  std::optional<LinearForm> y = visit(op->getOperand(1), exact);
  if (!y) {
    return y;
  }
  if (isa<tile::AddPtrOp>(op)) {
    y = toAddress(std::move(*y), exact);
  }
  if (isa<arith::MulIOp>(op)) {
    if (!y->isUniform()) {
      std::swap(x, y);
    }
    if (!y->isUniform()) {
      return fail(op, quoted(op) + " multiplies two values that both vary over the tile");
    }
    for (Expr &step : x->steps) {
      step = exprs.mul(step, y->base);
    }
    x->base = exprs.mul(x->base, y->base);
    return x;
  }
  bool subtracts = isa<arith::SubIOp>(op);
  auto combine = [&](Expr a, Expr b) { return subtracts ? exprs.sub(a, b) : exprs.add(a, b); };
  for (auto [a, b] : llvm::zip(x->steps, y->steps)) {
    a = combine(a, b);
  }
  x->base = combine(x->base, y->base);
  return x;
}

// --- Masks -----------------------------------------------------------------------------------------------------------

std::optional<MaskForm> TileForms::mask(Value tile, Obligations &exact) {
  visited = 0;
  MaskForm form;
  SmallVector<unsigned> axes(cast<RankedTensorType>(tile.getType()).getRank());
  std::iota(axes.begin(), axes.end(), 0);
  if (!conjunct(tile, axes, form, exact)) {
    return std::nullopt;
  }
  return form;
}

/// Adds what a tile of i1 demands; its axis k is axis axes[k] of the mask.
bool TileForms::conjunct(Value tile, ArrayRef<unsigned> axes, MaskForm &out, Obligations &exact) {
  Operation *op = tile.getDefiningOp();
  if (!op) {
    fail(tile.getParentBlock()->getParentOp(), "the mask is carried by a loop");
    return false;
  }
  if (++visited > visitLimit) {
    fail(op, "the mask is too long a calculation");
    return false;
  }
  if (Value scalar = uniformScalar(tile)) {
    out.conditions.push_back(scalar);
    return true;
  }
  DenseIntElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat() && elements.getSplatValue<bool>()) {
    return true;
  }
  if (isa<arith::AndIOp>(op)) {
    return conjunct(op->getOperand(0), axes, out, exact) && conjunct(op->getOperand(1), axes, out, exact);
  }
  if (isa<arith::CmpIOp>(op)) {
    return comparison(op, axes, out, exact);
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    SmallVector<unsigned> inner(axes);
    inner.erase(inner.begin() + expand.getAxis());
    return conjunct(op->getOperand(0), inner, out, exact);
  }
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    SmallVector<unsigned> inner(axes.size());
    for (auto [axis, from] : llvm::enumerate(trans.getOrder())) {
      inner[from] = axes[axis];
    }
    return conjunct(op->getOperand(0), inner, out, exact);
  }
  if (isa<tile::BroadcastOp, tile::HintOp>(op)) {
    return conjunct(op->getOperand(0), axes, out, exact);
  }
  fail(op, "the mask's " + quoted(op) + " is not a range of indices");
  return false;
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return predicate == P::ult || predicate == P::ule || predicate == P::ugt || predicate == P::uge;
}

static arith::CmpIPredicate asSigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
    return P::slt;
  case P::ule:
    return P::sle;
  case P::ugt:
    return P::sgt;
  case P::uge:
    return P::sge;
  default:
    return predicate;
  }
}

static arith::CmpIPredicate swapped(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  default:
    return predicate;
  }
}

/// x_0 + i < r and its kin, as bounds on i.
bool TileForms::comparison(Operation *op, ArrayRef<unsigned> axes, MaskForm &out, Obligations &exact) {
  auto compare = cast<arith::CmpIOp>(op);
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (isUnsigned(predicate)) {
    if (!axisInfo.get(compare.getLhs()).isNonNegative || !axisInfo.get(compare.getRhs()).isNonNegative) {
      fail(op, "the mask compares numbers as unsigned that may be negative");
      return false;
    }
    predicate = asSigned(predicate);
  }
  std::optional<LinearForm> x = visit(compare.getLhs(), exact);
  if (!x) {
    return false;
  }
  std::optional<LinearForm> bound = visit(compare.getRhs(), exact);
  if (!bound) {
    return false;
  }
  if (x->isUniform()) {
    std::swap(x, bound);
    predicate = swapped(predicate);
  }
  std::optional<unsigned> axis = x->onlyAxis();
  if (!axis || !bound->isUniform() || !x->steps[*axis]->isConstant(1) || predicate == arith::CmpIPredicate::ne) {
    fail(op, "the mask's comparison is not of one axis's index with a bound");
    return false;
  }
  if (x->base->width == 64) {
    ExprRange range = exprs.range(x->base);
    if (range.least < -clampLimit / 2 || range.greatest > clampLimit / 2) {
      fail(op, "the mask's index of 64 bits may wrap");
      return false;
    }
  } else if (!staysInRange(*x)) {
    exact.push_back(*x);
  }
  Expr difference = exprs.sub(exprs.clamp(exprs.extend(bound->base)), exprs.extend(x->base));
  Expr next = exprs.add(difference, exprs.constant(1, 64));
  unsigned target = axes[*axis];
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    out.end.push_back({target, difference});
    return true;
  case arith::CmpIPredicate::sle:
    out.end.push_back({target, next});
    return true;
  case arith::CmpIPredicate::sge:
    out.least.push_back({target, difference});
    return true;
  case arith::CmpIPredicate::sgt:
    out.least.push_back({target, next});
    return true;
  default: // eq
    out.least.push_back({target, difference});
    out.end.push_back({target, next});
    return true;
  }
}

} // namespace pavage::analysis

// Tuples of registers under a combine region. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Fold.h"

using namespace mlir;
using pavage::layout::Place;

namespace pavage::gpu {

/// One commutative op on the two arguments. More may be commutative, but this is what decides bits.
static bool isCommutativeOp(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block.without_terminator(), 1)) {
    return false;
  }
  Operation &op = block.front();
  return op.hasTrait<OpTrait::IsCommutative>() && op.getNumOperands() == 2 && op.getOperand(0) != op.getOperand(1) &&
         llvm::all_of(op.getOperands(), llvm::IsaPred<BlockArgument>) &&
         block.getTerminator()->getOperand(0) == op.getResult(0);
}

Fold::Fold(Emitter &e, Region &region, ValueRange sources, unsigned axisNumber)
    : e(e), region(region), attribute(tilegpu::layoutOf(sources.front().getType())), axisNumber(axisNumber),
      isCommutative(isCommutativeOp(region)) {
  layout = attribute.getLayout();
  axis = axisOf(layout, axisNumber);
  for (Value source : sources) {
    elements.push_back(tile::elementTypeOf(source.getType()));
    columns.push_back(e.elements(source));
  }
}

Values Fold::get(unsigned reg) const {
  Values tuple;
  for (const Values &column : columns) {
    tuple.push_back(column[reg]);
  }
  return tuple;
}

void Fold::put(unsigned reg, ValueRange tuple) {
  for (auto [column, value] : llvm::zip(columns, tuple)) {
    column[reg] = value;
  }
}

Values Fold::select(Value condition, ValueRange a, ValueRange c) {
  Values result;
  for (auto [x, y] : llvm::zip(a, c)) {
    result.push_back(e.select(condition, x, y));
  }
  return result;
}

Values Fold::combine(ValueRange left, ValueRange right, Value isValid, ValueRange otherwise) {
  FailureOr<Values> made = e.combine(region, left, right);
  if (failed(made)) {
    failedOnce = true;
    return Values(left);
  }
  return isValid ? select(isValid, *made, otherwise) : *made;
}

int64_t Fold::indexOf(unsigned reg) const { return layout.at({reg})[axisNumber]; }

std::optional<Value> Fold::isValid(int64_t fixed, int64_t threadBits) {
  int64_t most = fixed;
  for (auto [bit, place] : llvm::enumerate(axis->bits)) {
    most += place.place == Place::Register ? 0 : (int64_t(1) << bit) & threadBits;
  }
  if (most < axis->extent) {
    return Value();
  }
  if (fixed >= axis->extent) {
    return std::nullopt;
  }
  Value index = e.bitAnd(e.threadCoordinate(attribute, axisNumber), e.i32(threadBits));
  return e.compare(LLVM::ICmpPredicate::ult, e.add(index, e.i32(fixed)), e.i32(axis->extent));
}

} // namespace pavage::gpu

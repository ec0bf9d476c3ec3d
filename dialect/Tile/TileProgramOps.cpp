// Verifiers and effects of the program ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

LogicalResult HintOp::verify() {
  size_t axes = std::max<size_t>(1, shapeOf(getSrc().getType()).size());
  for (auto list : {getContiguity(), getDivisibility(), getConstancy()}) {
    if (!list.empty() && list.size() != axes) { // hint_c1
      return emitOpError("expected ") << axes << " entries, got " << list.size();
    }
    for (int64_t entry : list) {
      if (entry <= 0) { // hint_c2
        return emitOpError("expected positive entries, got ") << entry;
      }
    }
  }
  return success();
}

LogicalResult AssertOp::verify() {
  if (getMask() && getMask().getType() != getCondition().getType()) { // assert_c1
    return emitOpError("expected a mask of type ") << getCondition().getType() << ", got " << getMask().getType();
  }
  return success();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size()) { // print_c1
    return emitOpError("expected ") << getArgs().size() << " entries in is_signed, got " << getIsSigned().size();
  }
  return success();
}

void InlinePtxOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!getIsPure()) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

LogicalResult InlinePtxOp::verify() {
  std::optional<ArrayRef<int64_t>> shape;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(getArgs().getTypes()), SmallVector<Type>(getResultTypes()))) {
    if (shape && shapeOf(type) != *shape) { // inline_ptx_c1
      return emitOpError("expected operands and results of one shape, got ") << type;
    }
    shape = shapeOf(type);
  }
  int32_t pack = getPack();
  if (pack <= 0 || (pack & (pack - 1)) != 0) { // inline_ptx_c2
    return emitOpError("expected pack to be a positive power of two, got ") << pack;
  }
  return success();
}

// Constants as folders see them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileFolding.h"

using namespace mlir;

namespace pavage::tile {

Attribute splatElement(Attribute constant) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(constant)) {
    return constant;
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  return dense && dense.isSplat() ? dense.getSplatValue<Attribute>() : nullptr;
}

std::optional<APInt> constantInteger(Attribute constant) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(splatElement(constant))) {
    return integer.getValue();
  }
  return std::nullopt;
}

std::optional<APInt> constantInteger(Value value) {
  Attribute constant;
  return value && matchPattern(value, m_Constant(&constant)) ? constantInteger(constant) : std::nullopt;
}

bool isConstantMask(Value mask, bool expected) {
  std::optional<APInt> value = constantInteger(mask);
  return value && value->isZero() != expected;
}

TypedAttr constantOf(Type type, Attribute element) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    return DenseElementsAttr::get(tile, element);
  }
  return cast<TypedAttr>(element);
}

Attribute mapConstants(ArrayRef<Attribute> constants, Type resultType,
                       llvm::function_ref<Attribute(ArrayRef<Attribute>)> fn) {
  SmallVector<Attribute> element;
  for (Attribute constant : constants) {
    element.push_back(splatElement(constant));
  }
  if (llvm::all_of(element, [](Attribute one) { return one != nullptr; })) {
    Attribute result = fn(element);
    return result ? constantOf(resultType, result) : Attribute();
  }
  auto tile = dyn_cast<RankedTensorType>(resultType);
  if (!tile || tile.getNumElements() > maxFoldedElements) {
    return nullptr;
  }
  SmallVector<SmallVector<Attribute>> columns;
  for (auto [constant, one] : llvm::zip(constants, element)) {
    auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
    if (!dense) {
      return nullptr;
    }
    columns.emplace_back(dense.getValues<Attribute>());
  }
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < tile.getNumElements(); ++i) {
    for (auto [slot, column] : llvm::zip(element, columns)) {
      slot = column[i];
    }
    results.push_back(fn(element));
    if (!results.back()) {
      return nullptr;
    }
  }
  return DenseElementsAttr::get(tile, results);
}

} // namespace pavage::tile

// Constants as folders see them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_TILEFOLDING_H
#define PAVAGE_DIALECT_TILE_TILEFOLDING_H

#include "dialect/Tile/TileTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

namespace pavage::tile {

/// Constant tiles with more elements than this, all alike excepted, are left to run time.
inline constexpr int64_t maxFoldedElements = 64;

/// The one element of a number, or of a tile whose elements are all alike; null otherwise.
mlir::Attribute splatElement(mlir::Attribute constant);

/// The one value of a constant integer or of a tile of equal ones.
std::optional<llvm::APInt> constantInteger(mlir::Attribute constant);
std::optional<llvm::APInt> constantInteger(mlir::Value value);

/// Whether a mask is constant and true, or false, in every lane.
bool isConstantMask(mlir::Value mask, bool expected);

/// A constant of `type` with one element everywhere.
mlir::TypedAttr constantOf(mlir::Type type, mlir::Attribute element);

/// Applies fn to the elements of constants of one shape, which may be numbers; null when one is not constant or the
/// tile is too large. fn gets attributes and returns one, or null.
mlir::Attribute mapConstants(llvm::ArrayRef<mlir::Attribute> constants, mlir::Type resultType,
                             llvm::function_ref<mlir::Attribute(llvm::ArrayRef<mlir::Attribute>)> fn);

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_TILEFOLDING_H

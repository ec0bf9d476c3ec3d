// The Tile dialect's class. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_TILEDIALECT_H
#define PAVAGE_DIALECT_TILE_TILEDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialect/Tile/TileDialect.h.inc"

namespace pavage::tile {
/// Names of the attributes that the builder puts on a kernel and its arguments.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
inline constexpr llvm::StringLiteral kSignedAttr = "tile.signed";
inline constexpr llvm::StringLiteral kMemoryAttr = "tile.memory";
} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_TILEDIALECT_H

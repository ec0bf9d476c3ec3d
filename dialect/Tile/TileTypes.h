// Types and enumerations of the Tile dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_TILETYPES_H
#define PAVAGE_DIALECT_TILE_TILETYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

#include "dialect/Tile/TileEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.h.inc"

namespace pavage::tile {
/// The element type of a tile, or a scalar's own type.
mlir::Type elementTypeOf(mlir::Type type);
/// The extents of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
/// `type` with another element type, of the same shape and encoding.
mlir::Type withElementType(mlir::Type type, mlir::Type element);
/// Whether two types have one shape and element type. Tile ops look no further: what a later dialect attaches to a
/// tile is that dialect's to verify.
bool isSameTile(mlir::Type a, mlir::Type b);
/// A tile of `shape`, or a scalar if the shape is empty.
mlir::Type tileOrScalar(llvm::ArrayRef<int64_t> shape, mlir::Type element);
/// Whether every extent is positive and the number of elements at most maxTileElements.
bool isTileShape(llvm::ArrayRef<int64_t> shape);
inline constexpr int64_t maxTileElements = (int64_t(1) << 31) - 1;
/// Bytes that one element occupies in memory (i1 and f8: 1, pointers: 8).
int64_t bytesInMemory(mlir::Type element);
} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_TILETYPES_H

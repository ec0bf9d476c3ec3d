// Hooks of the assembly format that derive types from a pointer's. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// `tile.load %p mask %m : tensor<8x!tile.ptr<f32>>` spells one type; the others follow from it.
#ifndef PAVAGE_DIALECT_TILE_TILESYNTAX_H
#define PAVAGE_DIALECT_TILE_TILESYNTAX_H

#include "dialect/Tile/TileTypes.h"
#include "mlir/IR/OpImplementation.h"

namespace pavage::tile {
using Operand = mlir::OpAsmParser::UnresolvedOperand;

mlir::ParseResult parseLoadTypes(mlir::OpAsmParser &parser, mlir::Type &ptr, const std::optional<Operand> &mask,
                                 mlir::Type &maskType, const std::optional<Operand> &other, mlir::Type &otherType,
                                 mlir::Type &result);
void printLoadTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type ptr, mlir::Value, mlir::Type,
                    mlir::Value, mlir::Type, mlir::Type);

mlir::ParseResult parseStoreTypes(mlir::OpAsmParser &parser, mlir::Type &ptr, mlir::Type &value,
                                  const std::optional<Operand> &mask, mlir::Type &maskType);
void printStoreTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type ptr, mlir::Type, mlir::Value,
                     mlir::Type);

mlir::ParseResult parseAtomicTypes(mlir::OpAsmParser &parser, mlir::Type &ptr, mlir::Type &value,
                                   const std::optional<Operand> &mask, mlir::Type &maskType, mlir::Type &result);
void printAtomicTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type ptr, mlir::Type value, mlir::Value,
                      mlir::Type, mlir::Type);
} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_TILESYNTAX_H

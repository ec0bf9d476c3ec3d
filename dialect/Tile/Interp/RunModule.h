// Runs the functions of a module in Interp and prints what they gave. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// For tests and for looking at IR: numbers in, numbers out. A function runs when it has no arguments or each of them
// carries `tile.test`, its value: a number for a scalar, a dense attribute for a tile, and for a pointer a dense
// attribute with the contents and shape of the array it points to (`tile.test_readonly` beside it write-protects it).
// `tile.test_grid = array<i32: X, Y, Z>` on the function runs a grid of programs.
//
//   func.func @add_one(%p: !tile.ptr<i32> {tile.test = dense<[1, 2]> : tensor<2xi32>}) { ... }
//
//   @add_one
//     arg 0: [2, 3]
//
// Arrays are shown as they are afterwards, then the returned values, then the findings.
#ifndef PAVAGE_DIALECT_TILE_INTERP_RUNMODULE_H
#define PAVAGE_DIALECT_TILE_INTERP_RUNMODULE_H

#include "dialect/Tile/Interp/Interp.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace pavage::tile {

/// Elements in nested brackets; integers as signed numbers.
std::string formatDatum(const Datum &datum);

/// False when an attribute does not fit its argument; a diagnostic says so. Findings are output, not failures.
bool runModule(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_RUNMODULE_H

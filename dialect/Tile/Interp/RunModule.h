// Runs the functions of a module in Interp and prints what they gave. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// For tests and for looking at IR: numbers in, numbers out. A function runs when it has no arguments or each of them
// carries `tile.test`, its value: a number for a scalar, a dense attribute for a tile, and for a pointer a dense
// attribute with the contents and shape of the array it points to. Beside it may stand `tile.test_readonly`, which
// protects the array, and `tile.test_expect`, what it must hold afterwards; `tile.test_alias = N : i32` instead makes
// the pointer equal to argument N.
// `tile.test_grid = array<i32: X, Y, Z>` on the function runs a grid of programs. A run is cut off after 10^8 ops.
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

/// Names of the attributes above.
inline constexpr llvm::StringLiteral kTestAttr = "tile.test";
inline constexpr llvm::StringLiteral kTestReadOnlyAttr = "tile.test_readonly";
inline constexpr llvm::StringLiteral kTestExpectAttr = "tile.test_expect";
inline constexpr llvm::StringLiteral kTestAliasAttr = "tile.test_alias";
inline constexpr llvm::StringLiteral kTestGridAttr = "tile.test_grid";

/// Whether both have the same bits, a NaN being as good as another.
bool equalData(const Datum &a, const Datum &b);

/// False when an attribute does not fit its argument or an array is not as expected; a diagnostic says so. Findings are
/// output, not failures.
bool runModule(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_RUNMODULE_H

// IR text to a function and its data, for tests of the interpreter. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_DIALECT_TILE_INTERP_PROGRAM_H
#define PAVAGE_TESTS_UNIT_DIALECT_TILE_INTERP_PROGRAM_H

#include "dialect/Tile/Interp/Interp.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

namespace pavage::tile {

/// The first function of a module.
class Program {
public:
  explicit Program(llvm::StringRef text) {
    context.loadDialect<TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, mlir::ub::UBDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text.str();
  }

  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }
  Datum argument(unsigned index) { return Datum(function().getArgumentTypes()[index]); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace pavage::tile

#endif // PAVAGE_TESTS_UNIT_DIALECT_TILE_INTERP_PROGRAM_H

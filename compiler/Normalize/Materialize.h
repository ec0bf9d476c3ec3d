// Ops for the scalar expressions of the analyses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_NORMALIZE_MATERIALIZE_H
#define PAVAGE_COMPILER_NORMALIZE_MATERIALIZE_H

#include "compiler/Analysis/ScalarExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace pavage::normalize {

/// Makes the ops of expressions where the builder stands, each expression once.
class Materializer {
public:
  Materializer(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value operator()(analysis::ExprBuilder::Expr expr);
  mlir::Value constant(int64_t value, unsigned width = 64);

private:
  mlir::Value make(analysis::ExprBuilder::Expr expr);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseMap<analysis::ExprBuilder::Expr, mlir::Value> made;
};

} // namespace pavage::normalize

#endif // PAVAGE_COMPILER_NORMALIZE_MATERIALIZE_H

// Passes of compiler/Normalize: Tile to Tile, right on any machine. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_COMPILER_NORMALIZE_PASSES
#define PAVAGE_COMPILER_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

def FuseMultiplyAddPass : Pass<"pavage-fuse-multiply-add", "::mlir::func::FuncOp"> {
  let summary = "join a multiplication and the addition that uses it into one rounding";
  let description = [{
    *What.* An `arith.addf` or `arith.subf` of f32 or f64, scalar or tile, one operand of which is an `arith.mulf` in the
    same block that nothing else uses, becomes a `math.fma`; with subtraction, after a negation, which is exact. When
    both operands qualify the left one is taken.

    ```mlir
    %m = arith.mulf %a, %b : tensor<8xf32>                    // before
    %r = arith.addf %m, %c : tensor<8xf32>

    %r = math.fma %a, %b, %c : tensor<8xf32>                  // after
    ```

    *Needs* common subexpressions merged, so that "nothing else uses it" means that. *Leaves* the only fused operations
    that a program gets: back ends never contract.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
  let statistics = [Statistic<"numFused", "fused", "multiplications joined with an addition">];
}

#endif // PAVAGE_COMPILER_NORMALIZE_PASSES

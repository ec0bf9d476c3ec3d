// Passes of compiler/Normalize: Tile to Tile, right on any machine. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_COMPILER_NORMALIZE_PASSES
#define PAVAGE_COMPILER_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

def FuseMultiplyAddPass : Pass<"pavage-fuse-multiply-add", "::mlir::func::FuncOp"> {
  let summary = "join a multiplication and the addition that uses it into one rounding";
  let description = [{
    *What.* An `arith.addf` or `arith.subf` of f32 or f64, scalar or tile, one operand of which is an `arith.mulf` in
    the same block that nothing else uses, becomes a `math.fma`; with subtraction, after a negation, which is exact.
    When both operands qualify the left one is taken.

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

def RaiseAccessesPass : Pass<"pavage-raise-accesses", "::mlir::func::FuncOp"> {
  let summary = "turn accesses through pointer tiles into block accesses where they are boxes";
  let description = [{
    *What.* A `tile.load` or `tile.store` whose addresses are a linear function of the element's index and whose mask
    is a box becomes a `tile.block_load` or `tile.block_store`.

    ```mlir
    %i = arith.addi %start_t, %iota : tensor<128xi32>         // before
    %m = arith.cmpi slt, %i, %n_t : tensor<128xi32>
    %q = tile.addptr %p_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %x = tile.load %q mask %m : tensor<128x!tile.ptr<f32>>

    %x = tile.block_load %q0[%zero] strides [%one] extents [%left] {checked = array<i32: 0>}
      : !tile.ptr<f32> -> tensor<128xf32>                     // after, with %q0 = %p + %start, %left = %n - %start
    ```

    *Needs* scalars instead of pointer tiles carried by loops. *Leaves* block accesses wherever they can be proven; a
    remark of category raise-accesses for every access, with the reason for those that stay.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pavage::tile::TileDialect"];
  let statistics = [
    Statistic<"numKept", "kept", "accesses that keep their pointer tile">,
    Statistic<"numRaised", "raised", "accesses turned into block accesses">
  ];
}

def ScalarizeIncrementsPass : Pass<"pavage-scalarize-increments", "::mlir::func::FuncOp"> {
  let summary = "let loops that advance a tile evenly carry a scalar";
  let description = [{
    *What.* A tile of pointers or integers that an `scf.for` carries and moves by the same amount everywhere becomes the
    initial tile plus a carried scalar.

    ```mlir
    scf.for ... iter_args(%p = %p0) -> tensor<8x!tile.ptr<f32>> {        // before: yields addptr %p, splat(%step)

    scf.for ... iter_args(%o = %zero) -> i64 {                           // after: yields %o + %step
      %p = tile.addptr %p0, splat(%o)
    ```

    *Needs* splats in canonical form. *Leaves* no tile that only a loop moves.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pavage::tile::TileDialect"];
  let statistics = [Statistic<"numScalarized", "scalarized", "carried tiles that became scalars">];
}

def ScalarizeUniformPass : Pass<"pavage-scalarize-uniform", "::mlir::func::FuncOp"> {
  let summary = "compute on scalars what is the same in all elements";
  let description = [{
    *What.* An elementwise op whose operands are splats, constant splats or scalars becomes the op on scalars and a
    splat.

    ```mlir
    %c = arith.muli %a_t, %b_t : tensor<8xi32>                           // before: %a_t, %b_t splats of %a, %b

    %s = arith.muli %a, %b : i32                                         // after
    %c = tile.splat %s : i32 -> tensor<8xi32>
    ```

    *Needs* shape ops of splats folded. *Leaves* splats as late as possible.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pavage::tile::TileDialect"];
  let statistics = [Statistic<"numScalarized", "scalarized", "elementwise ops that became scalar">];
}

def SimplifyMasksPass : Pass<"pavage-simplify-masks", "::mlir::func::FuncOp"> {
  let summary = "decide comparisons by ranges, and give loads their masked-off values";
  let description = [{
    *What.* A comparison of index tiles that their ranges decide becomes a constant. An `arith.select` that replaces the
    masked-off elements of a load becomes the load's `other`.

    ```mlir
    %x = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>                 // before
    %y = arith.select %m, %x, %o : tensor<8xi1>, tensor<8xf32>

    %y = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>        // after
    ```

    *Needs* uniform tiles as splats. *Leaves* constants, which the canonicalizer takes out of the accesses.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numDecided", "decided", "comparisons that became constants">,
    Statistic<"numOthers", "others", "selects that became the other value of a load">
  ];
}

#endif // PAVAGE_COMPILER_NORMALIZE_PASSES

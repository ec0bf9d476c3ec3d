// Contraction. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_CONTRACT_OPS
#define PAVAGE_DIALECT_TILE_CONTRACT_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product added to an accumulator";
  let description = [{
    **Semantics** `result[.., m, n] = acc[.., m, n] + sum_k lhs[.., m, k] * rhs[.., k, n]`, with at most one leading
    batch axis.

    **Order** each target states its own; Interp and cpu: `c = acc; for k ascending: c = fma(lhs, rhs, c)` in the
    computation type, rounded once to the result's. Integers wrap and are exact everywhere.

    | lhs, rhs | acc, result | computed in |
    |---|---|---|
    | i8 (each `signed` unless its flag says unsigned) | i32 | i32 |
    | f8E4M3FN, f8E5M2 (mixed too), f16, bf16 | f32, f16 (bf16 from bf16) | f32 |
    | f32 | f32 | `precision` on GPUs, f32 on cpu and in Interp |
    | f64 | f64 | f64 |

    **Constraints** (C1) ranks are equal, 2 or 3. (C2) lhs is [B x] M x K, rhs [B x] K x N, acc [B x] M x N. (C3)
    element types are a row of the table. (C4) a `precision` other than `default` needs f32 operands.

    **Example**
    ```mlir
    func.func @dot(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
      %d = tile.dot %a, %b, %c precision ieee : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
      return %d : tensor<3x7xf32>
    }
    ```
    **See also** `tile.reduce` for other sums of products.
  }];
  let arguments = (ins Tile_NumberTile:$lhs, Tile_NumberTile:$rhs, Tile_NumberTile:$acc,
    DefaultValuedAttr<Tile_Precision, "Precision::Default">:$precision, OptionalAttr<I32Attr>:$max_imprecise_acc,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $lhs (`unsigned` $lhs_unsigned^)? `,` $rhs (`unsigned` $rhs_unsigned^)? `,` $acc (`precision` $precision^)?
    attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // PAVAGE_DIALECT_TILE_CONTRACT_OPS

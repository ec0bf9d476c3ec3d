// Elementwise ops that arith and math leave partial. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_ARITH_OPS
#define PAVAGE_DIALECT_TILE_ARITH_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_CastOp : Tile_Op<"cast", [Pure, Elementwise]> {
  let summary = "number of another type";
  let description = [{
    Converts each element to the result's element type; the shape stays.

    **Semantics** `result[i] = convert(src[i])`. `is_signed` says how an integer on either side is read (`i1` is always
    0 or 1, and any number converts to `i1` as "is not zero").

    | from | to | result |
    |---|---|---|
    | any | the same type | the same bits |
    | integer | integer | low bits, or zero- or sign-extended |
    | integer | float | nearest, ties to even; too large for f16: infinity; too large for f8: the largest finite |
    | float | integer | toward zero, saturating; NaN gives 0 |
    | float | wider float | exact; a NaN stays a NaN |
    | float | narrower f16, bf16, f32 | by `rounding`: nearest-even (overflow gives infinity) or toward zero |
    | float | f8E4M3FN, f8E5M2 | nearest-even or toward zero, saturating to the largest finite number; NaN stays NaN |

    **Edge behaviour** denormals are kept; the sign of zero is kept.

    **Constraints** (C1) source and result have the same shape. (C2) `rounding` other than `rtne` needs a float source
    and a float result.

    **Example**
    ```mlir
    func.func @cast(%x: tensor<4xf32>) -> tensor<4xi8> {
      %y = tile.cast %x signed : tensor<4xf32> -> tensor<4xi8>
      return %y : tensor<4xi8>
    }
    ```
    `[300.0, -1.5, nan, 7.0]` gives `[127, -1, 0, 7]`. **See also** `tile.bitcast`, `arith.bitcast`.
  }];
  let arguments = (ins Tile_NumberLike:$src, DefaultValuedAttr<Tile_Rounding, "Rounding::Nearest">:$rounding,
    UnitAttr:$is_signed);
  let results = (outs Tile_NumberLike:$result);
  let assemblyFormat = [{
    $src (`signed` $is_signed^)? (`rounding` $rounding^)? attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

class Tile_TotalIntOp<string mnemonic> : Tile_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins Tile_IntLike:$lhs, Tile_IntLike:$rhs, UnitAttr:$is_signed);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs (`signed` $is_signed^)? attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_DivOp : Tile_TotalIntOp<"div"> {
  let summary = "integer quotient, total";
  let description = [{
    **Semantics** `result[i] = lhs[i] / rhs[i]`, toward zero as in C.

    **Edge behaviour** x / 0 has all bits set, signed or not; the least signed number / −1 is itself. No lane traps.

    **Example**
    ```mlir
    func.func @div(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
      %q = tile.div %x, %y signed : tensor<4xi32>
      return %q : tensor<4xi32>
    }
    ```
    `[7, -7, 7, -2147483648] / [2, 2, 0, -1]` is `[3, -3, -1, -2147483648]`. **See also** `tile.rem`.
  }];
  let hasCanonicalizeMethod = 1;
}

def Tile_RemOp : Tile_TotalIntOp<"rem"> {
  let summary = "integer remainder, total";
  let description = [{
    **Semantics** `result[i] = lhs[i] - (lhs[i] / rhs[i]) * rhs[i]` with `tile.div`'s quotient: the sign is the
    dividend's.

    **Edge behaviour** x % 0 is x; the least signed number % −1 is 0. No lane traps.

    **Example**
    ```mlir
    func.func @rem(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
      %r = tile.rem %x, %y signed : tensor<4xi32>
      return %r : tensor<4xi32>
    }
    ```
    `[7, -7, 7, -2147483648] % [2, 2, 0, -1]` is `[1, -1, 7, 0]`. **See also** `tile.div`.
  }];
  let hasCanonicalizeMethod = 1;
}

def Tile_ShlOp : Tile_Op<"shl", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "shift left, total";
  let description = [{
    **Semantics** `result[i] = lhs[i] << rhs[i]`, the amount read as unsigned.

    **Edge behaviour** an amount of at least the width gives 0.

    **Example**
    ```mlir
    func.func @shl(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
      %r = tile.shl %x, %y : tensor<2xi32>
      return %r : tensor<2xi32>
    }
    ```
    `[3, 3] << [4, 32]` is `[48, 0]`. **See also** `tile.shr`.
  }];
  let arguments = (ins Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_ShrOp : Tile_TotalIntOp<"shr"> {
  let summary = "shift right, total";
  let description = [{
    **Semantics** `result[i] = lhs[i] >> rhs[i]`, with the sign shifted in when `signed`, the amount read as unsigned.

    **Edge behaviour** an amount of at least the width gives 0, or the sign in every bit when `signed`.

    **Example**
    ```mlir
    func.func @shr(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
      %r = tile.shr %x, %y signed : tensor<2xi32>
      return %r : tensor<2xi32>
    }
    ```
    `[-16, -16] >> [2, 32]` is `[-4, -1]`. **See also** `tile.shl`.
  }];
}

#endif // PAVAGE_DIALECT_TILE_ARITH_OPS

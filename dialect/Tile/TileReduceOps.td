// Reductions, scans, sorting. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_REDUCE_OPS
#define PAVAGE_DIALECT_TILE_REDUCE_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ReduceOp : Tile_Op<"reduce", [RecursiveMemoryEffects, SingleBlock, SameVariadicOperandSize]> {
  let summary = "one axis folded by a combine region";
  let description = [{
    **Semantics** folds the tuple of sources along `axis` with the region, whose arguments are the left tuple and then
    the right one, all scalars, and which yields the combined tuple. The axis disappears; a rank-1 tile gives scalars.

    **Order** from the extent N alone, the same on Interp and cpu: 64 virtual lanes; lane l folds elements l, l + 64,
    l + 128, .. with the accumulator on the left; then for h = 32, 16, 8, 4, 2, 1 lane l becomes combine(lane l,
    lane l + h) for every l < h with l + h < N. The region should be associative and commutative; whatever it is, this
    order applies. GPUs have their own order.

    **Edge behaviour** N = 1 gives the element itself.

    **Constraints** (C1) at least one source; all have one shape. (C2) axis is in range. (C3) results have the shape
    without the axis and the source's element type. (C4) the region takes twice the elements and yields them once. (C5)
    the region has no side effects.

    **Example**
    ```mlir
    func.func @sum(%x: tensor<3x5xf32>) -> tensor<3xf32> {
      %s = tile.reduce %x axis 1 : (tensor<3x5xf32>) -> tensor<3xf32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      return %s : tensor<3xf32>
    }
    ```
    **See also** `tile.scan`, `tile.dot`.
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<Tile_AnyLike>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$srcs `axis` $axis attr-dict `:` functional-type($srcs, $results) $combine";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [RecursiveMemoryEffects, SingleBlock, SameVariadicOperandSize]> {
  let summary = "running folds along one axis";
  let description = [{
    **Semantics** `result[0] = src[0]; result[i] = combine(result[i-1], src[i])` along `axis`; with `reverse` from the
    last element down: `result[N-1] = src[N-1]; result[i] = combine(result[i+1], src[i])`.

    **Order** exactly that, on Interp and cpu; GPUs may reassociate.

    **Constraints** (C1) at least one source; all have one shape. (C2) axis is in range. (C3) results have the sources'
    types. (C4) the region takes twice the elements and yields them once. (C5) the region has no side effects.

    **Example**
    ```mlir
    func.func @cumsum(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
      %s = tile.scan %x axis 1 : (tensor<3x5xi32>) -> tensor<3x5xi32> {
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        tile.yield %c : i32
      }
      return %s : tensor<3x5xi32>
    }
    ```
    **See also** `tile.reduce`.
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$srcs, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $srcs `axis` $axis (`reverse` $reverse^)? attr-dict `:` functional-type($srcs, $results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "combined tuple of a reduce or scan region";
  let description = [{
    **Semantics** ends the combine region of `tile.reduce` or `tile.scan` with the combined values.

    **Example** see `tile.reduce`.
  }];
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "attr-dict $values `:` type($values)";
}

def Tile_SortOp : Tile_Op<"sort", [Pure, SameOperandsAndResultType]> {
  let summary = "last axis in order";
  let description = [{
    **Semantics** each row along the last axis in ascending, or `descending`, order; integers are read by `signed`, but
    `i1` is 0 or 1.

    **Edge behaviour** NaN comes last in both directions; −0 before +0 when ascending, after it when descending.

    **Example**
    ```mlir
    func.func @sort(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
      %y = tile.sort %x signed : tensor<3x5xi32>
      return %y : tensor<3x5xi32>
    }
    ```
  }];
  let arguments = (ins Tile_NumberTile:$src, UnitAttr:$descending, UnitAttr:$is_signed);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$src (`descending` $descending^)? (`signed` $is_signed^)? attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "how often each small integer occurs";
  let description = [{
    **Semantics** `result[b]` is the number of lanes with `src[i] == b` and the mask, if any, set; values are unsigned.

    **Edge behaviour** values of at least the number of bins are not counted.

    **Constraints** (C1) source and result have rank 1, the result's element is i32. (C2) mask has the source's shape.

    **Example**
    ```mlir
    func.func @hist(%x: tensor<100xi32>) -> tensor<8xi32> {
      %h = tile.histogram %x : tensor<100xi32> -> tensor<8xi32>
      return %h : tensor<8xi32>
    }
    ```
  }];
  let arguments = (ins Tile_IntTile:$src, Optional<Tile_BoolTile>:$mask);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$src (`mask` $mask^ `:` type($mask))? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif // PAVAGE_DIALECT_TILE_REDUCE_OPS

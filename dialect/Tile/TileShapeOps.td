// Making tiles and changing their shape. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_SHAPE_OPS
#define PAVAGE_DIALECT_TILE_SHAPE_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "consecutive integers";
  let description = [{
    **Semantics** `result[i] = start + i`, wrapping.

    **Constraints** (C1) the result has rank 1 and element i32 or i64.

    **Example**
    ```mlir
    func.func @iota() -> tensor<5xi32> {
      %x = tile.iota 3 : tensor<5xi32>
      return %x : tensor<5xi32>
    }
    ```
    gives `[3, 4, 5, 6, 7]`.
  }];
  let arguments = (ins I64Attr:$start);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "tile with one value everywhere";
  let description = [{
    **Semantics** `result[i] = src`.

    **Constraints** (C1) the result's element type is the source's type.

    **Example**
    ```mlir
    func.func @splat(%x: f32) -> tensor<3x5xf32> {
      %y = tile.splat %x : f32 -> tensor<3x5xf32>
      return %y : tensor<3x5xf32>
    }
    ```
    **See also** `tile.broadcast`, `tile.unsplat`.
  }];
  let arguments = (ins Tile_Element:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_UnsplatOp : Tile_Op<"unsplat", [Pure]> {
  let summary = "the element of a tile that has one";
  let description = [{
    **Semantics** `result = src[0, .., 0]`.

    **Constraints** (C1) the source has exactly one element. (C2) the result's type is its element type.

    **Example**
    ```mlir
    func.func @unsplat(%x: tensor<1x1xf32>) -> f32 {
      %y = tile.unsplat %x : tensor<1x1xf32> -> f32
      return %y : f32
    }
    ```
    **See also** `tile.splat`.
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_Element:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "tile with an axis of extent 1 inserted";
  let description = [{
    **Semantics** `result[.., 0, ..] = src[..]`, the new axis at `axis` of the result.

    **Constraints** (C1) axis is in 0 .. rank. (C2) the result has the source's shape with 1 inserted there, and its
    element type.

    **Example**
    ```mlir
    func.func @expand(%x: tensor<5xf32>) -> tensor<5x1xf32> {
      %y = tile.expand_dims %x axis 1 : tensor<5xf32> -> tensor<5x1xf32>
      return %y : tensor<5x1xf32>
    }
    ```
    **See also** `tile.reshape`, which also removes axes.
  }];
  let arguments = (ins Tile_AnyTile:$src, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `axis` $axis attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "axes of extent 1 repeated";
  let description = [{
    **Semantics** `result[i] = src[j]` with `j_a = 0` where the source's extent is 1, else `i_a`.

    **Constraints** (C1) ranks are equal. (C2) each source extent is the result's or 1. (C3) element types are equal.

    **Example**
    ```mlir
    func.func @broadcast(%x: tensor<5x1xf32>) -> tensor<5x7xf32> {
      %y = tile.broadcast %x : tensor<5x1xf32> -> tensor<5x7xf32>
      return %y : tensor<5x7xf32>
    }
    ```
    **See also** `tile.splat`, `tile.expand_dims`.
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements, in row-major order, in another shape";
  let description = [{
    **Semantics** element number n of the result, counted row-major, is element number n of the source.

    **Constraints** (C1) the numbers of elements are equal. (C2) element types are equal.

    **Example**
    ```mlir
    func.func @reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
      %y = tile.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
      return %y : tensor<3x4xf32>
    }
    ```
    **See also** `tile.trans`.
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure]> {
  let summary = "axes in another order";
  let description = [{
    **Semantics** axis a of the result is axis `order[a]` of the source.

    **Constraints** (C1) order is a permutation of the axes. (C2) the result's shape is the source's, permuted; element
    types are equal.

    **Example**
    ```mlir
    func.func @trans(%x: tensor<3x5xf32>) -> tensor<5x3xf32> {
      %y = tile.trans %x order [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
      return %y : tensor<5x3xf32>
    }
    ```
    **See also** `tile.reshape`.
  }];
  let arguments = (ins Tile_AnyTile:$src, DenseI32ArrayAttr:$order);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `order` $order attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "two values side by side in a new last axis";
  let description = [{
    **Semantics** `result[.., 0] = lhs[..]`, `result[.., 1] = rhs[..]`; two scalars give a tile of extent 2.

    **Constraints** (C1) the result has the operands' shape followed by 2, and their element type.

    **Example**
    ```mlir
    func.func @join(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5x2xf32> {
      %z = tile.join %x, %y : tensor<5xf32> -> tensor<5x2xf32>
      return %z : tensor<5x2xf32>
    }
    ```
    **See also** `tile.split`, `tile.cat`.
  }];
  let arguments = (ins Tile_AnyLike:$lhs, Tile_AnyLike:$rhs);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "the two halves of a last axis of extent 2";
  let description = [{
    **Semantics** `lhs[..] = src[.., 0]`, `rhs[..] = src[.., 1]`; a tile of extent 2 gives two scalars.

    **Constraints** (C1) the source's last extent is 2. (C2) the results have the source's shape without it, and its
    element type.

    **Example**
    ```mlir
    func.func @split(%x: tensor<5x2xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
      %y, %z = tile.split %x : tensor<5x2xf32> -> tensor<5xf32>
      return %y, %z : tensor<5xf32>, tensor<5xf32>
    }
    ```
    **See also** `tile.join`, `tile.slice`.
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyLike:$lhs, Tile_AnyLike:$rhs);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($lhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure]> {
  let summary = "two tiles one after the other along an axis";
  let description = [{
    **Semantics** along `axis` first lhs's elements, then rhs's.

    **Constraints** (C1) ranks and element types are equal, axis is in range. (C2) extents are equal but on axis, where
    the result has their sum.

    **Example**
    ```mlir
    func.func @cat(%x: tensor<2x5xf32>, %y: tensor<3x5xf32>) -> tensor<5x5xf32> {
      %z = tile.cat %x, %y axis 0 : tensor<2x5xf32>, tensor<3x5xf32> -> tensor<5x5xf32>
      return %z : tensor<5x5xf32>
    }
    ```
    **See also** `tile.join`.
  }];
  let arguments = (ins Tile_AnyTile:$lhs, Tile_AnyTile:$rhs, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$lhs `,` $rhs `axis` $axis attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "every n-th element from a place on";
  let description = [{
    **Semantics** `result[i] = src[j]` with `j_a = offsets[a] + i_a * strides[a]`.

    **Constraints** (C1) offsets and strides have one entry per axis; ranks and element types are equal. (C2) every j_a
    lies in 0 .. extent - 1.

    **Example**
    ```mlir
    func.func @slice(%x: tensor<4x8xf32>) -> tensor<1x4xf32> {
      %y = tile.slice %x offsets [2, 1] strides [1, 2] : tensor<4x8xf32> -> tensor<1x4xf32>
      return %y : tensor<1x4xf32>
    }
    ```
    **See also** `tile.gather` for places known only at run time.
  }];
  let arguments = (ins Tile_AnyTile:$src, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$strides);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `offsets` $offsets `strides` $strides attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "elements chosen along an axis by an index tile";
  let description = [{
    **Semantics** `result[i] = src[i with i_axis replaced by index[i]]`.

    **Edge behaviour** an index outside 0 .. extent - 1 gives 0 (indices are signed); Interp reports it.

    **Constraints** (C1) axis is in range; ranks are equal. (C2) source and index have equal extents but on axis. (C3)
    the result has the index's shape and the source's element type.

    **Example**
    ```mlir
    func.func @gather(%x: tensor<3x5xf32>, %i: tensor<3x2xi32>) -> tensor<3x2xf32> {
      %y = tile.gather %x[%i] axis 1 : tensor<3x5xf32>, tensor<3x2xi32> -> tensor<3x2xf32>
      return %y : tensor<3x2xf32>
    }
    ```
    **See also** `tile.slice`.
  }];
  let arguments = (ins Tile_AnyTile:$src, Tile_IntTile:$index, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `[` $index `]` `axis` $axis attr-dict `:` type($src) `,` type($index) `->` type($result)";
  let hasVerifier = 1;
}

#endif // PAVAGE_DIALECT_TILE_SHAPE_OPS

// Addresses and accesses to global memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_MEMORY_OPS
#define PAVAGE_DIALECT_TILE_MEMORY_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, Elementwise, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "address moved by a number of elements";
  let description = [{
    **Semantics** `result[i] = ptr[i] + offset[i] * stride(T)` bytes, the offset sign-extended to 64 bits; wraps modulo
    2^64.

    **Constraints** (C1) `ptr` and `offset` have the same shape, or both are scalars.

    **Example**
    ```mlir
    func.func @addptr(%p: tensor<8x!tile.ptr<f32>>, %i: tensor<8xi32>) -> tensor<8x!tile.ptr<f32>> {
      %q = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      return %q : tensor<8x!tile.ptr<f32>>
    }
    ```
    **See also** `tile.block_load`, which needs no address per element.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BitcastOp : Tile_Op<"bitcast", [Pure, Elementwise]> {
  let summary = "pointer as integer, integer as pointer, or pointer to another type";
  let description = [{
    **Semantics** the same 64 bits, read as the result type.

    **Constraints** (C1) source and result have the same shape. (C2) at least one side is a pointer, the other a pointer
    or i64.

    **Example**
    ```mlir
    func.func @bitcast(%p: !tile.ptr<f32>) -> i64 {
      %i = tile.bitcast %p : !tile.ptr<f32> -> i64
      return %i : i64
    }
    ```
    **See also** `arith.bitcast` for numbers.
  }];
  let arguments = (ins Tile_AnyLike:$src);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

defvar Tile_HintArgs = (ins DefaultValuedAttr<Tile_Cache, "Cache::None">:$cache,
  DefaultValuedAttr<Tile_Eviction, "Eviction::Normal">:$eviction);

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "elements read from their addresses";
  let description = [{
    **Semantics** `result[i] = mask[i] ? *ptr[i] : (other ? other[i] : 0)`. The whole tile is read before anything that
    follows in program order.

    **Edge behaviour** a masked-off lane touches no memory, whatever its address.

    **Constraints** (C1) mask has the pointer's shape. (C2) other has the result's type and needs a mask. (C3) the
    result has the pointer's shape and its pointee type.

    **Effects and order** reads global memory; a `volatile` load is also kept when unused and never merged.

    **Example**
    ```mlir
    func.func @load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) -> tensor<8xf32> {
      %x = tile.load %p mask %m other %o cache cg eviction evict_last : tensor<8x!tile.ptr<f32>>
      return %x : tensor<8xf32>
    }
    ```
    **See also** `tile.block_load`, `tile.store`.
  }];
  let arguments = !con((ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_AnyLike>:$other),
    Tile_HintArgs, (ins UnitAttr:$is_volatile));
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? (`cache` $cache^)? (`eviction` $eviction^)? (`volatile` $is_volatile^)?
    attr-dict `:` custom<LoadTypes>(type($ptr), ref($mask), type($mask), ref($other), type($other), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask,
    CArg<"::mlir::Value", "{}">:$other)>];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "elements written to their addresses";
  let description = [{
    **Semantics** `if (mask[i]) *ptr[i] = value[i]`.

    **Edge behaviour** a masked-off lane touches no memory. Of lanes with one address some lane wins: in Interp and on
    cpu the last in row-major order; Interp notes different values for one address.

    **Constraints** (C1) value has the pointer's shape and its pointee type. (C2) mask has the pointer's shape.

    **Effects and order** writes global memory after everything that precedes it in program order.

    **Example**
    ```mlir
    func.func @store(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) {
      tile.store %p, %v mask %m : tensor<8x!tile.ptr<f32>>
      return
    }
    ```
    **See also** `tile.block_store`, `tile.load`.
  }];
  let arguments = !con((ins Tile_PtrLike:$ptr, Tile_AnyLike:$value, Optional<Tile_BoolLike>:$mask), Tile_HintArgs);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? (`cache` $cache^)? (`eviction` $eviction^)? attr-dict `:`
    custom<StoreTypes>(type($ptr), type($value), ref($mask), type($mask))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic read, modify and write of each address";
  let description = [{
    **Semantics** for each lane with its mask set, as one indivisible step: `result[i] = *ptr[i]; *ptr[i] =
    kind(*ptr[i], value[i])`; a masked-off lane gives 0. Lanes act in some order (Interp and cpu: row-major).

    **Edge behaviour** float min and max ignore NaN; f16 and bf16 additions round each time.

    | kind | element types |
    |---|---|
    | addi, maxs, maxu, mins, minu, and, or, xor | i8, i16, i32, i64 |
    | addf, maxf, minf | f16, bf16, f32, f64 |
    | xchg | all of those |

    **Constraints** (C1) value has the pointer's shape and pointee type. (C2) mask has the pointer's shape. (C3) kind
    fits the element type.

    **Example**
    ```mlir
    func.func @count(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>) -> tensor<8xi32> {
      %old = tile.atomic_rmw addi %p, %v : tensor<8x!tile.ptr<i32>>
      return %old : tensor<8xi32>
    }
    ```
    **See also** `tile.atomic_cas`.
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_PtrLike:$ptr, Tile_NumberLike:$value, Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_MemOrder, "MemOrder::AcqRel">:$order,
    DefaultValuedAttr<Tile_MemScope, "MemScope::Gpu">:$scope);
  let results = (outs Tile_NumberLike:$result);
  let assemblyFormat = [{
    $kind $ptr `,` $value (`mask` $mask^)? (`order` $order^)? (`scope` $scope^)? attr-dict `:`
    custom<AtomicTypes>(type($ptr), type($value), ref($mask), type($mask), type($result))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas",
    [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "atomic compare and swap of each address";
  let description = [{
    **Semantics** for each lane, as one indivisible step: `result[i] = *ptr[i]; if (*ptr[i] == compare[i]) *ptr[i] =
    value[i]`. The comparison is of bits.

    **Constraints** (C1) compare and value have the pointer's shape and pointee type, of 16, 32 or 64 bits.

    **Example**
    ```mlir
    func.func @lock(%p: !tile.ptr<i32>, %free: i32, %taken: i32) -> i32 {
      %old = tile.atomic_cas %p, %free, %taken order acquire scope sys : !tile.ptr<i32>, i32
      return %old : i32
    }
    ```
    **See also** `tile.atomic_rmw`.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_NumberLike:$compare, Tile_NumberLike:$value,
    DefaultValuedAttr<Tile_MemOrder, "MemOrder::AcqRel">:$order,
    DefaultValuedAttr<Tile_MemScope, "MemScope::Gpu">:$scope);
  let results = (outs Tile_NumberLike:$result);
  let assemblyFormat = [{
    $ptr `,` $compare `,` $value (`order` $order^)? (`scope` $scope^)? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_BlockLoadOp : Tile_Op<"block_load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "box of a strided array read as a tile";
  let description = [{
    **Semantics** with `x_a = offsets[a] + i_a` on each axis a: `result[i] = inside ? *(base + sum_a x_a * strides[a])
    : (other or 0)`, where inside means `0 <= x_a < extents[a]` on every axis that `checked` names. Strides count
    elements; all of it is 64-bit and wraps.

    **Edge behaviour** an element outside touches no memory.

    **Constraints** (C1) offsets, strides, extents have one entry per axis of the result. (C2) `checked` names axes of
    the result, ascending. (C3) the result's element type is the pointee. (C4) other is a scalar of that type.

    **Example**
    ```mlir
    func.func @block(%p: !tile.ptr<f32>, %r: i64, %c: i64, %ld: i64, %m: i64, %n: i64) -> tensor<3x5xf32> {
      %one = arith.constant 1 : i64
      %x = tile.block_load %p[%r, %c] strides [%ld, %one] extents [%m, %n] checked [0, 1]
        : !tile.ptr<f32> -> tensor<3x5xf32>
      return %x : tensor<3x5xf32>
    }
    ```
    **See also** `tile.load`, of which this is the form whose structure is known.
  }];
  let arguments = !con((ins Tile_PtrType:$base, Variadic<I64>:$offsets, Variadic<I64>:$strides, Variadic<I64>:$extents,
    Optional<Tile_Element>:$other, DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$checked), Tile_HintArgs,
    (ins UnitAttr:$is_volatile));
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $base `[` $offsets `]` `strides` `[` $strides `]` `extents` `[` $extents `]` (`checked` $checked^)?
    (`other` $other^ `:` type($other))? (`cache` $cache^)? (`eviction` $eviction^)? (`volatile` $is_volatile^)?
    attr-dict `:` qualified(type($base)) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_BlockStoreOp : Tile_Op<"block_store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "tile written to a box of a strided array";
  let description = [{
    **Semantics** with `x_a = offsets[a] + i_a`: `if (inside) *(base + sum_a x_a * strides[a]) = value[i]`, inside as in
    `tile.block_load`.

    **Edge behaviour** an element outside touches no memory; of elements with one address the last in row-major order
    wins on cpu and in Interp.

    **Constraints** (C1) offsets, strides, extents have one entry per axis of the value. (C2) `checked` names axes of
    the value, ascending. (C3) the value's element type is the pointee.

    **Example**
    ```mlir
    func.func @block(%p: !tile.ptr<f32>, %x: tensor<3x5xf32>, %r: i64, %c: i64, %ld: i64, %m: i64, %n: i64) {
      %one = arith.constant 1 : i64
      tile.block_store %p[%r, %c] strides [%ld, %one] extents [%m, %n] checked [0, 1], %x
        : !tile.ptr<f32>, tensor<3x5xf32>
      return
    }
    ```
    **See also** `tile.block_load`, `tile.store`.
  }];
  let arguments = !con((ins Tile_PtrType:$base, Variadic<I64>:$offsets, Variadic<I64>:$strides, Variadic<I64>:$extents,
    Tile_AnyTile:$value, DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$checked), Tile_HintArgs);
  let assemblyFormat = [{
    $base `[` $offsets `]` `strides` `[` $strides `]` `extents` `[` $extents `]` (`checked` $checked^)?
    `,` $value (`cache` $cache^)? (`eviction` $eviction^)? attr-dict `:` qualified(type($base)) `,` type($value)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // PAVAGE_DIALECT_TILE_MEMORY_OPS

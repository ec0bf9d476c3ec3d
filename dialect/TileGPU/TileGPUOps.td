// Ops of TileGPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILEGPU_OPS
#define PAVAGE_DIALECT_TILEGPU_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "dialect/TileGPU/TileGPUAttrs.td"
include "dialect/TileGPU/TileGPUTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileGPU_ConvertOp : TileGPU_Op<"convert", [Pure]> {
  let summary = "the same tile, held elsewhere";
  let description = [{
    **Semantics** every element keeps its value and takes the place that the result's layout gives it. What it costs
    follows from the two layouts alone: nothing, renamed registers, shuffles in a warp, or a way through shared memory.

    **Constraints** (C1) source and result have one shape and element type, and a layout each.

    **Example**
    ```mlir
    #pairs = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
    #halves = #tilegpu.layout<[64], register = [(32)], lane = [(1), (2), (4), (8), (16)]>
    func.func @convert(%x: tensor<64xf32, #pairs>) {
      %y = tilegpu.convert %x : tensor<64xf32, #pairs> -> tensor<64xf32, #halves>
      return
    }
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TileGPU_AllocOp : TileGPU_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring in shared memory";
  let description = [{
    **Semantics** a ring whose slots are undefined. It lives from here to its last use; `tilegpu.offset`, in bytes from
    the start of the program's shared memory, says where.

    **Example**
    ```mlir
    func.func @alloc() {
      %r = tilegpu.alloc : !tilegpu.ring<2, tensor<8xf32, #tilegpu.layout<[8], offset = [(1), (2), (4)]>>>
      return
    }
    ```
  }];
  let results = (outs TileGPU_RingType:$ring);
  let assemblyFormat = "attr-dict `:` type($ring)";
}

def TileGPU_WriteOp : TileGPU_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "a tile stored into a slot";
  let description = [{
    **Semantics** slot number `slot` holds the tile; other threads see it after a barrier. `slot` is below the number of
    slots.

    **Constraints** (C1) value and slot have one shape and element type.
  }];
  let arguments = (ins Tile_AnyTile:$value, TileGPU_RingType:$ring, I32:$slot);
  let assemblyFormat = "$value `,` $ring `[` $slot `]` attr-dict `:` type($value) `,` type($ring)";
  let hasVerifier = 1;
}

def TileGPU_ReadOp : TileGPU_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "the tile of a slot";
  let description = [{
    **Semantics** the tile that slot number `slot` holds, in the result's layout.

    **Constraints** (C1) slot and result have one shape and element type.
  }];
  let arguments = (ins TileGPU_RingType:$ring, I32:$slot);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$ring `[` $slot `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_CopyAsyncOp : TileGPU_Op<"copy_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "box of a strided array on its way into a slot";
  let description = [{
    **Semantics** of a `tile.block_load` without `other`, written to slot number `slot` when a `tilegpu.wait` covers it;
    until then the slot is undefined. `threads` says which thread moves which elements, a layout of registers, lanes and
    warps: runs of `tilegpu.vector` registers are one access of 4, 8 or 16 bytes.

    **Constraints** (C1) offsets, strides, extents have one entry per axis. (C2) the slot's element type is the pointee.
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I64>:$offsets, Variadic<I64>:$strides, Variadic<I64>:$extents,
    TileGPU_RingType:$ring, I32:$slot, DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$checked, TileGPU_LayoutAttr:$threads,
    DefaultValuedAttr<Tile_Cache, "::pavage::tile::Cache::None">:$cache,
    DefaultValuedAttr<Tile_Eviction, "::pavage::tile::Eviction::Normal">:$eviction);
  let assemblyFormat = [{
    $base `[` $offsets `]` `strides` `[` $strides `]` `extents` `[` $extents `]` (`checked` $checked^)?
    `,` $ring `[` $slot `]` `threads` $threads attr-dict `:` qualified(type($base)) `,` type($ring)
  }];
  let hasVerifier = 1;
}

def TileGPU_GatherAsyncOp : TileGPU_Op<"gather_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "elements on their way from their addresses into a slot";
  let description = [{
    **Semantics** of a `tile.load` without `other`, written to slot number `slot` when a `tilegpu.wait` covers it; until
    then the slot is undefined. The layout of `ptr` says which thread moves which elements, as in `tilegpu.copy_async`.

    **Constraints** (C1) `ptr` has the slot's shape and points to its element type. (C2) `mask` has that shape.
  }];
  let arguments = (ins Tile_PtrTile:$ptr, Optional<Tile_BoolTile>:$mask, TileGPU_RingType:$ring, I32:$slot,
    DefaultValuedAttr<Tile_Cache, "::pavage::tile::Cache::None">:$cache,
    DefaultValuedAttr<Tile_Eviction, "::pavage::tile::Eviction::Normal">:$eviction);
  let assemblyFormat = [{
    $ptr (`mask` $mask^ `:` type($mask))? `,` $ring `[` $slot `]` attr-dict `:` type($ptr) `,` type($ring)
  }];
  let hasVerifier = 1;
}

def TileGPU_CommitOp : TileGPU_Op<"commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies issued so far become one group";
  let description = [{
    **Semantics** the asynchronous copies since the last commit form a group, which may be empty.
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_WaitOp : TileGPU_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all but the youngest groups of copies have landed";
  let description = [{
    **Semantics** waits until at most `pending` groups are on their way, and then for all threads of the program: each
    sees what the others' copies wrote, and has read what it read before.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the program meet";
  let description = [{
    **Semantics** shared memory written before by any thread is seen after by every thread.
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_MmaOp : TileGPU_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product by the tensor cores";
  let description = [{
    **Semantics** of a `tile.dot` of rank 2, by instructions of `shape` = [m, n, k]; sums in the order of the hardware.
    With `tf32`, f32 operands lose the low 13 bits of their fraction, rounded to nearest, ties away from zero.

    **Constraints** (C1) a is M x K, b is K x N, acc M x N. (C2) `shape` has three entries.
  }];
  let arguments = (ins Tile_NumberTile:$a, Tile_NumberTile:$b, Tile_NumberTile:$acc, DenseI32ArrayAttr:$shape,
    UnitAttr:$tf32, UnitAttr:$a_unsigned, UnitAttr:$b_unsigned);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $a (`unsigned` $a_unsigned^)? `,` $b (`unsigned` $b_unsigned^)? `,` $acc `shape` $shape (`tf32` $tf32^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def TileGPU_DotFmaOp : TileGPU_Op<"dot_fma", [MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product of two slots by multiply-adds";
  let description = [{
    **Semantics** of a `tile.dot` whose operands are slots: `c = acc; for k ascending: c = fma(a, b, c)`, computed in
    f32 where elements are shorter floats, rounded once. Integers wrap.

    **Constraints** (C1) a is [B x] M x K, b is [B x] K x N, acc [B x] M x N.
  }];
  let arguments = (ins TileGPU_RingType:$a, I32:$a_slot, TileGPU_RingType:$b, I32:$b_slot, Tile_NumberTile:$acc,
    UnitAttr:$a_unsigned, UnitAttr:$b_unsigned);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $a `[` $a_slot `]` (`unsigned` $a_unsigned^)? `,` $b `[` $b_slot `]` (`unsigned` $b_unsigned^)? `,` $acc attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // PAVAGE_DIALECT_TILEGPU_OPS

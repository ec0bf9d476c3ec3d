// The program among its grid, hints, assertions and prints. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_PROGRAM_OPS
#define PAVAGE_DIALECT_TILE_PROGRAM_OPS

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_Axis : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>;

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "position of this program on a grid axis";
  let description = [{
    **Semantics** the program's coordinate on `axis`, in `0 .. num_programs(axis) - 1`.

    **Example**
    ```mlir
    func.func @pid() -> i32 {
      %x = tile.program_id 0
      return %x : i32
    }
    ```
    **See also** `tile.num_programs`.
  }];
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "extent of the grid on an axis";
  let description = [{
    **Semantics** how many programs the launch has along `axis`; at least 1.

    **Example**
    ```mlir
    func.func @grid() -> i32 {
      %x = tile.num_programs 1
      return %x : i32
    }
    ```
    **See also** `tile.program_id`.
  }];
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_HintOp : Tile_Op<"hint", [Pure, SameOperandsAndResultType]> {
  let summary = "value about which the author promises something";
  let description = [{
    **Semantics** `result = src`. Each list has one entry per axis (one for a scalar): every run of `contiguity[a]`
    elements along axis a is consecutive, starting with a multiple of `divisibility[a]`; every run of `constancy[a]`
    elements is equal. A pointer's divisibility is in bytes. An empty list promises nothing.

    **Edge behaviour** a promise that does not hold may be used by a GPU target; Interp and cpu do not rely on it.

    **Constraints** (C1) a list is empty or has as many entries as axes (one for a scalar). (C2) entries are positive.

    **Example**
    ```mlir
    func.func @hint(%x: tensor<8xi32>) -> tensor<8xi32> {
      %y = tile.hint %x contiguity [8] divisibility [16] : tensor<8xi32>
      return %y : tensor<8xi32>
    }
    ```
    **See also** `tile.assume`.
  }];
  let arguments = (ins Tile_AnyLike:$src, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$contiguity,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$divisibility, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$constancy);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = [{
    $src (`contiguity` $contiguity^)? (`divisibility` $divisibility^)? (`constancy` $constancy^)? attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "condition that the author promises";
  let description = [{
    **Semantics** none when the condition holds. Interp reports one that does not; a target may rely on it.

    **Example**
    ```mlir
    func.func @assume(%c: i1) {
      tile.assume %c
      return
    }
    ```
    **See also** `tile.assert`, which checks.
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let hasCanonicalizeMethod = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "condition checked in every lane";
  let description = [{
    **Semantics** ends the launch with `message` when some lane has `condition` false and its mask, if any, set.

    **Constraints** (C1) mask has the condition's shape.

    **Example**
    ```mlir
    func.func @assert(%c: tensor<8xi1>) {
      tile.assert %c, "index below n" : tensor<8xi1>
      return
    }
    ```
    **See also** `tile.assume`.
  }];
  let arguments = (ins Tile_BoolLike:$condition, Optional<Tile_BoolLike>:$mask, StrAttr:$message);
  let assemblyFormat = "$condition (`mask` $mask^ `:` type($mask))? `,` $message attr-dict `:` type($condition)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "values printed with their program and a prefix";
  let description = [{
    **Semantics** writes, for each operand, `pid (x, y, z) prefix values`, whole tiles in nested brackets.
    `is_signed[j]` says how integer operand j reads; `hex` prints bits.

    **Constraints** (C1) `is_signed` has one entry per operand.

    **Example**
    ```mlir
    func.func @print(%x: tensor<8xi32>) {
      tile.print "x = " %x {is_signed = array<i1: true>} : tensor<8xi32>
      return
    }
    ```
    **See also** `tile.assert`.
  }];
  let arguments = (ins StrAttr:$prefix, Variadic<Tile_AnyLike>:$args, DenseBoolArrayAttr:$is_signed, UnitAttr:$hex);
  let assemblyFormat = "$prefix ($args^)? attr-dict (`:` type($args)^)?";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "point that orders a program's accesses on a GPU";
  let description = [{
    **Semantics** accesses before it are done, for the whole program, before any after it begins. Interp and cpu keep
    program order anyway.

    **Example**
    ```mlir
    func.func @barrier() {
      tile.barrier
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_InlinePtxOp : Tile_Op<"inline_ptx", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "PTX text applied to groups of elements";
  let description = [{
    **Semantics** for each group of `pack` elements (a power of two) in row-major order, runs `ptx` with PTX
    `constraints`; several results come back in order. Only GPU targets have it: cpu and Interp give a numbered error.

    **Edge behaviour** with `is_pure` it may be moved, merged and dropped.

    **Constraints** (C1) operands and results have one common shape. (C2) `pack` is a positive power of two.

    **Example**
    ```mlir
    func.func @ptx(%x: tensor<8xi32>) -> tensor<8xi32> {
      %y = tile.inline_ptx "popc.b32 $0, $1;" constraints "=r,r" pack 1 pure (%x) : (tensor<8xi32>) -> tensor<8xi32>
      return %y : tensor<8xi32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$ptx, StrAttr:$constraints, I32Attr:$pack, UnitAttr:$is_pure,
    Variadic<Tile_AnyLike>:$args);
  let results = (outs Variadic<Tile_AnyLike>:$results);
  let assemblyFormat = [{
    $ptx `constraints` $constraints `pack` $pack (`pure` $is_pure^)? `(` $args `)` attr-dict `:`
    functional-type($args, $results)
  }];
  let hasVerifier = 1;
}

#endif // PAVAGE_DIALECT_TILE_PROGRAM_OPS

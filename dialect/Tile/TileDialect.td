// The Tile dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_DIALECT
#define PAVAGE_DIALECT_TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::pavage::tile";
  let summary = "what one program computes on tiles of data, with no machine in sight";
  let description = [{
    ```
    Python, C++ --builder--> [ Tile ] --Normalize--> [ Tile ] --Gpu/Schedule--> TileGPU --> NVVM --> PTX
                                                         `------Cpu/Schedule--> vector, memref, scf --> LLVM --> object
    ```

    **What a value is.** A *tile* is a builtin ranked tensor of static, positive extents, whole and immutable; a single
    number is a plain scalar, never a tensor of rank 0. Elements are `i1`, `i8`, `i16`, `i32`, `i64`, `f8E4M3FN`,
    `f8E5M2`, `f16`, `bf16`, `f32`, `f64` and pointers `!tile.ptr<T>`. Extents need not be powers of two; a tile has
    at most 2^31 - 1 elements. Integers are signless; where it matters, the op says `signed` or `unsigned`.

    **What an op is.** Elementwise arithmetic is upstream `arith` and `math`, without fast-math or wrap flags, where
    those are total; control flow is upstream `scf`, functions are `func`. This dialect adds only what they lack:
    program ids, shapes, memory, contraction, reduction, and the arithmetic that upstream leaves undefined. Every op is
    *total*: each bit pattern of its operands has a stated result, and no lane traps.

    **What a program is.** A `func.func` with the attribute `tile.kernel`. A launch runs one program for each point of a
    grid of up to three axes. It gives no result. Arguments are scalars and pointers and may carry `tile.name`,
    `tile.divisibility` (the value is a multiple of it, in bytes for a pointer), `tile.signed`, and on pointers
    `tile.memory` (a number from 1; pointers with different numbers never reach the same byte). Launch options are
    attributes of the kernel: `tile.num_warps`, `tile.num_stages`, `tile.num_ctas`, `tile.maxnreg`. The verifier checks
    them all.

    **What is absent on purpose.** Layouts, warps, shared memory, calls between kernels, dynamic extents, and undefined
    behaviour: the one undefined value is `ub.poison`, which stands for a variable on a path that has left, and whose
    use Interp reports.

    A whole kernel, `out[i] = a[i] + b[i]`:

    ```mlir
    func.func @add(%out: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
      %pid = tile.program_id 0
      %size = arith.constant 128 : i32
      %start = arith.muli %pid, %size : i32
      %iota = tile.iota 0 : tensor<128xi32>
      %start_t = tile.splat %start : i32 -> tensor<128xi32>
      %i = arith.addi %start_t, %iota : tensor<128xi32>
      %n_t = tile.splat %n : i32 -> tensor<128xi32>
      %mask = arith.cmpi slt, %i, %n_t : tensor<128xi32>
      %a_t = tile.splat %a : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
      %pa = tile.addptr %a_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      %x = tile.load %pa mask %mask : tensor<128x!tile.ptr<f32>>
      %b_t = tile.splat %b : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
      %pb = tile.addptr %b_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      %y = tile.load %pb mask %mask : tensor<128x!tile.ptr<f32>>
      %z = arith.addf %x, %y : tensor<128xf32>
      %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
      %po = tile.addptr %out_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      tile.store %po, %z mask %mask : tensor<128x!tile.ptr<f32>>
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::func::FuncDialect", "::mlir::ub::UBDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = "void registerTypes();";
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif // PAVAGE_DIALECT_TILE_DIALECT

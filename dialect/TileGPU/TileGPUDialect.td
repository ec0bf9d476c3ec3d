// The TileGPU dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILEGPU_DIALECT
#define PAVAGE_DIALECT_TILEGPU_DIALECT

include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::pavage::tilegpu";
  let summary = "how and where the threads of one program compute its tiles";
  let description = [{
    ```
    Tile --Gpu/Schedule--> [ TileGPU ] --Gpu/Lower--> NVVM --Gpu/Emit--> PTX
    ```

    **What a value is.** The tiles of dialect Tile, each with a *layout*: `tensor<16x8xf32, #tilegpu.layout<...>>` says
    which register of which lane of which warp holds which element (dialect/Layout explains the algebra). Scalars are
    uniform: every thread computes them. Where extents are no powers of two, or a tile has fewer elements than there are
    threads, places are left over: *padding* lies outside the extents, has any value and reaches neither memory nor
    another element; *copies* hold an element that another place holds too, and have its value.

    **What an op is.** The ops of Tile, `arith` and `math` on such values, plus conversions between layouts, rings of
    tiles in shared memory, and tensor-core products. Control flow stays `scf`.

    **What a program is.** A `func.func` with `tile.kernel` and `tilegpu.num_warps`, a power of two, run by that many
    warps of 32 lanes. All of them meet at each op that exchanges data.

    **Shared memory.** A `!tilegpu.ring` is a number of slots that each hold a tile. Plain writes and asynchronous
    copies fill slots, reads empty them. An asynchronous copy lands as late as the `tilegpu.wait` that covers it; until
    then its slot is undefined. What one thread wrote, another sees after a barrier; `tilegpu.wait` ends with one.
    Ops that exchange data between warps have scratch memory of their own at the offset `tilegpu.scratch`.
  }];
  let dependentDialects = ["::pavage::tile::TileDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;

#endif // PAVAGE_DIALECT_TILEGPU_DIALECT

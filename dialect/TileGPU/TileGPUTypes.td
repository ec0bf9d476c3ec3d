// Types of TileGPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILEGPU_TYPES
#define PAVAGE_DIALECT_TILEGPU_TYPES

include "dialect/TileGPU/TileGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"

def TileGPU_RingType : TypeDef<TileGPU_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "slots in shared memory that each hold a tile";
  let description = [{
    `!tilegpu.ring<4, tensor<128x32xf16, #tilegpu.layout<...>>>`: four slots; the layout maps the offset of an element
    within a slot, counted in elements, to its coordinates.
  }];
  let parameters = (ins "int64_t":$slots, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $slots `,` $tile `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "int64_t":$slots, "::mlir::RankedTensorType":$tile), [{
    return $_get(tile.getContext(), slots, tile);
  }]>];
  let extraClassDeclaration = [{
    /// Bytes of one slot, and of all.
    int64_t getSlotBytes();
    int64_t getBytes() { return getSlots() * getSlotBytes(); }
  }];
  let genVerifyDecl = 1;
}

#endif // PAVAGE_DIALECT_TILEGPU_TYPES

// The one layout attribute. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILEGPU_ATTRS
#define PAVAGE_DIALECT_TILEGPU_ATTRS

include "dialect/TileGPU/TileGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

def TileGPU_LayoutAttr : AttrDef<TileGPU_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let mnemonic = "layout";
  let summary = "linear map from places to the elements of a tile";
  let description = [{
    `#tilegpu.layout<[16, 8], register = [(0, 1), (8, 0)], lane = [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)]>`: extents,
    then for each kind of place the coordinates that its bits stand for. Kinds without bits are left out. See
    dialect/Layout/Layout.h.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$extents, ArrayRefParameter<"unsigned">:$counts,
    ArrayRefParameter<"uint64_t">:$images);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static LayoutAttr get(::mlir::MLIRContext *context, const ::pavage::layout::Layout &layout);
    ::pavage::layout::Layout getLayout() const;
  }];
}

#endif // PAVAGE_DIALECT_TILEGPU_ATTRS

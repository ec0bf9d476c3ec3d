// Types of the Tile dialect and type constraints of its ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_TYPES
#define PAVAGE_DIALECT_TILE_TYPES

include "dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "address of an element in global memory";
  let description = [{
    `!tile.ptr<T>` is a 64-bit address of a value of type `T`, a number or again a pointer. Adding an integer moves it
    by that many elements. An `i1` element occupies one byte, of which only zero and non-zero are told apart.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let extraClassDeclaration = [{
    /// Bytes between neighbouring elements.
    int64_t getStride();
  }];
  let genVerifyDecl = 1;
}

def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer", "::mlir::IntegerType">;
def Tile_Float : AnyTypeOf<[F8E4M3FN, F8E5M2, F16, BF16, F32, F64], "float", "::mlir::FloatType">;
def Tile_Number : AnyTypeOf<[Tile_Int, Tile_Float], "number">;
def Tile_Element : AnyTypeOf<[Tile_Number, Tile_PtrType], "number or pointer">;

class Tile_Tile<list<Type> elements, string what>
    : ConfinedType<StaticShapeTensorOf<elements>, [
        CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() > 0">,
        CPred<"::pavage::tile::isTileShape(::llvm::cast<::mlir::RankedTensorType>($_self).getShape())">], what,
        "::mlir::RankedTensorType">;

def Tile_AnyTile : Tile_Tile<[Tile_Element], "tile of numbers or pointers">;
def Tile_IntTile : Tile_Tile<[Tile_Int], "tile of integers">;
def Tile_NumberTile : Tile_Tile<[Tile_Number], "tile of numbers">;
def Tile_BoolTile : Tile_Tile<[I1], "tile of i1">;

def Tile_AnyLike : AnyTypeOf<[Tile_Element, Tile_AnyTile], "scalar or tile">;
def Tile_NumberLike : AnyTypeOf<[Tile_Number, Tile_NumberTile], "number or tile of numbers">;
def Tile_IntLike : AnyTypeOf<[Tile_Int, Tile_IntTile], "integer or tile of integers">;
def Tile_BoolLike : AnyTypeOf<[I1, Tile_BoolTile], "i1 or tile of i1">;
def Tile_PtrTile : Tile_Tile<[Tile_PtrType], "tile of pointers">;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, Tile_PtrTile], "pointer or tile of pointers">;

#endif // PAVAGE_DIALECT_TILE_TYPES

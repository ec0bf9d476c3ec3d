// Enumerations of the Tile dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_ATTRS
#define PAVAGE_DIALECT_TILE_ATTRS

include "dialect/Tile/TileDialect.td"
include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::pavage::tile";
  let genSpecializedAttr = 1;
}

def Tile_Rounding : Tile_Enum<"Rounding", "how a conversion to fewer digits rounds", [
  I32EnumAttrCase<"Nearest", 0, "rtne">, I32EnumAttrCase<"TowardZero", 1, "rtz">]>;

def Tile_Cache : Tile_Enum<"Cache", "where an access is cached, as PTX names it", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">, I32EnumAttrCase<"CG", 2, "cg">,
  I32EnumAttrCase<"CS", 3, "cs">, I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">,
  I32EnumAttrCase<"WT", 6, "wt">]>;

def Tile_Eviction : Tile_Enum<"Eviction", "which data leaves a cache first", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"First", 1, "evict_first">,
  I32EnumAttrCase<"Last", 2, "evict_last">]>;

def Tile_MemOrder : Tile_Enum<"MemOrder", "order of an atomic access", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;

def Tile_MemScope : Tile_Enum<"MemScope", "who sees an atomic access as one", [
  I32EnumAttrCase<"Cta", 0, "cta">, I32EnumAttrCase<"Gpu", 1, "gpu">, I32EnumAttrCase<"Sys", 2, "sys">]>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic read-modify-write computes", [
  I32EnumAttrCase<"AddI", 0, "addi">, I32EnumAttrCase<"AddF", 1, "addf">, I32EnumAttrCase<"MaxS", 2, "maxs">,
  I32EnumAttrCase<"MaxU", 3, "maxu">, I32EnumAttrCase<"MaxF", 4, "maxf">, I32EnumAttrCase<"MinS", 5, "mins">,
  I32EnumAttrCase<"MinU", 6, "minu">, I32EnumAttrCase<"MinF", 7, "minf">, I32EnumAttrCase<"And", 8, "and">,
  I32EnumAttrCase<"Or", 9, "or">, I32EnumAttrCase<"Xor", 10, "xor">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;

def Tile_Precision : Tile_Enum<"Precision", "precision in which a dot multiplies f32 operands", [
  I32EnumAttrCase<"Default", 0, "default">, I32EnumAttrCase<"IEEE", 1, "ieee">, I32EnumAttrCase<"TF32", 2, "tf32">,
  I32EnumAttrCase<"TF32x3", 3, "tf32x3">, I32EnumAttrCase<"BF16x3", 4, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 5, "bf16x6">]>;

#endif // PAVAGE_DIALECT_TILE_ATTRS

// The TileGPU dialect: attribute, types, ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILEGPU_TILEGPU_H
#define PAVAGE_DIALECT_TILEGPU_TILEGPU_H

#include "dialect/Layout/Layout.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/TileGPU/TileGPUDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/TileGPU/TileGPUAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/TileGPU/TileGPUTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/TileGPU/TileGPUOps.h.inc"

namespace pavage::tilegpu {

/// On a kernel: warps that run one program; bytes of shared memory that it takes; the target's name.
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tilegpu.num_warps";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tilegpu.shared_bytes";
inline constexpr llvm::StringLiteral kTargetAttr = "tilegpu.target";
/// On an op: where in shared memory its scratch, or its ring, begins. Bytes.
inline constexpr llvm::StringLiteral kScratchAttr = "tilegpu.scratch";
inline constexpr llvm::StringLiteral kOffsetAttr = "tilegpu.offset";
/// On an access of global memory: each run of so many registers, a power of two, is contiguous and ascending in memory,
/// aligned to its size, and on or off as one.
inline constexpr llvm::StringLiteral kVectorAttr = "tilegpu.vector";

/// The layout of a tile; null for a scalar or a tile without one.
LayoutAttr layoutOf(mlir::Type tile);
/// The same tile, held by `layout`.
mlir::RankedTensorType withLayout(mlir::Type tile, LayoutAttr layout);

} // namespace pavage::tilegpu

#endif // PAVAGE_DIALECT_TILEGPU_TILEGPU_H

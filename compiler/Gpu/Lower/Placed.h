// Tiles in scratch memory in row-major order, for ops whose places follow from values or from arithmetic that is not
// linear over F2. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents are rounded up to powers of two, so the offset of an element is its packed coordinates.
#ifndef PAVAGE_COMPILER_GPU_LOWER_PLACED_H
#define PAVAGE_COMPILER_GPU_LOWER_PLACED_H

#include "compiler/Gpu/Lower/Exchange.h"

namespace pavage::gpu {

/// Offset of coordinates in a row-major tile. i32.
mlir::Value packedOffset(Emitter &e, llvm::ArrayRef<int64_t> extents, mlir::ValueRange coordinates);
/// The coordinates of a register.
Values coordinatesOf(Emitter &e, tilegpu::LayoutAttr layout, unsigned reg);

/// The row-major layout of shared memory.
layout::Layout rowMajor(llvm::ArrayRef<int64_t> extents);

/// An element that goes to an offset of the result where `mask` (null: always) holds.
struct Placement {
  mlir::Value offset, mask;
};
/// Binds the result of `op` to what its sources' registers bring: `place(source, register)` says where to.
void emitPlaced(Emitter &e, mlir::Operation *op, mlir::ValueRange sources,
                llvm::function_ref<Placement(unsigned source, unsigned reg)> place);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_PLACED_H

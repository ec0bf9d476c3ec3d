// What Schedule and Lower of the CPU agree on: attributes, buffers, kinds of ops. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
//
// A tile op is *inline* (its elements are computed in the loops of whatever uses them), or it is a *root*, which runs
// where it stands. An inline op's result may nevertheless live in a buffer; then it is computed once, in the first
// loops that run over all of it or in loops of its own.
#ifndef PAVAGE_COMPILER_CPU_PLAN_PLAN_H
#define PAVAGE_COMPILER_CPU_PLAN_PLAN_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace pavage::cpu {

// --- attributes ------------------------------------------------------------------------------------------------------

/// On an op: byte offset in scratch memory per result, -1 for none. On scf.for the carried tiles live there as well.
inline constexpr llvm::StringLiteral buffersAttr = "tile.buffers";
/// On scf.while: the same for the arguments of its first region.
inline constexpr llvm::StringLiteral beforeBuffersAttr = "tile.before_buffers";
/// On an op that needs memory while it runs: byte offsets, in an order that the op defines (see tempBytes).
inline constexpr llvm::StringLiteral tempsAttr = "tile.temps";
/// On the kernel: bytes of scratch memory of one thread.
inline constexpr llvm::StringLiteral scratchBytesAttr = "tile.scratch_bytes";
/// On the lowered kernel: the places it may call back from, see Sites.h.
inline constexpr llvm::StringLiteral sitesAttr = "tile.sites";

/// Bytes behind the last buffer that vector reads may touch.
inline constexpr int64_t scratchSlack = 1024;
/// Rows of a buffer are padded to a multiple of this many elements, so that each vector of a row is whole.
inline constexpr int64_t rowAlignment = 16;
/// Partial results of a reduction (docs/spec/numerics.md).
inline constexpr int64_t virtualLanes = 64;

// --- shapes ----------------------------------------------------------------------------------------------------------

/// The axis along which vectors lie: the last one longer than 1; -1 when there is none.
int vectorAxis(llvm::ArrayRef<int64_t> shape);

/// Lanes of a vector along an axis of this extent.
int64_t lanesFor(int64_t extent, int64_t targetLanes);

/// Where the elements of a tile lie in its buffer.
struct BufferShape {
  llvm::SmallVector<int64_t> strides; ///< in elements
  int64_t elements = 1;               ///< padding included
};
BufferShape bufferShape(llvm::ArrayRef<int64_t> shape);

/// Bytes of one element in memory: i1 and f8 take one, pointers eight.
int64_t storageBytes(mlir::Type element);

/// Bytes of a tile's buffer, a multiple of 64.
int64_t bufferBytes(mlir::Type tile);

/// The type in which a dot computes: f32, f64 or i32.
mlir::Type dotType(mlir::Type accumulator);

/// Bytes of each piece of memory that an op needs while it runs; a size of 0 needs none. The order: dot: lhs, rhs
/// packed; reduce: partial results per source; sort: one row; print: each operand without gaps.
llvm::SmallVector<int64_t> tempBytes(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isBuffered);

// --- ops -------------------------------------------------------------------------------------------------------------

bool isTile(mlir::Value value);

/// The op's tiles can be computed element by element wherever they are used.
bool isInlineable(mlir::Operation *op);

/// Element i of the result depends on element i of each operand only.
bool keepsCoordinates(mlir::Operation *op);

/// The operand is read at places that only run time knows, so it must lie in a buffer.
bool needsBuffer(mlir::OpOperand &use);

/// The op, or one inside, writes memory that kernels can see.
bool writesMemory(mlir::Operation *op);

// --- memory ----------------------------------------------------------------------------------------------------------

/// The kernel argument from which a pointer was derived; null when there is not exactly one.
mlir::Value pointerRoot(mlir::Value pointer);

/// Whether a read of `load` may see what `write` (any op) writes.
bool mayConflict(mlir::Operation *load, mlir::Operation *write);

/// Visits the inline computations that `value` stands for, down to buffers and scalars: `visit(value, identity)`, where
/// identity says that the element is read at the coordinates of the element computed. Returning false does not go on
/// below that value.
void visitCone(mlir::Value value, llvm::function_ref<bool(mlir::Value, bool)> visit);

/// A load in the cone of a store may run in the same loops: the store cannot write what a later lane loads. Judges only
/// the store's own addresses.
bool mayFuse(mlir::Operation *load, mlir::Operation *store);

} // namespace pavage::cpu

#endif // PAVAGE_COMPILER_CPU_PLAN_PLAN_H

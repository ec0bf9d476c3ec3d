// Entry points of the families of ops that the emitter dispatches to. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// `...Element` functions compute one element of an elementwise op from the elements of its operands; where they accept
// vectors of elements, `isPacked` says so. The others bind the op's results. Each reports its own errors.
#ifndef PAVAGE_COMPILER_GPU_LOWER_FAMILIES_H
#define PAVAGE_COMPILER_GPU_LOWER_FAMILIES_H

#include "compiler/Gpu/Lower/Emitter.h"

namespace pavage::gpu {

// Arith.cpp: arith's integer and float arithmetic, comparisons, select.
mlir::FailureOr<Values> emitArithElement(Emitter &e, mlir::Operation *op, mlir::ValueRange operands);
/// Whether the op may be given whole words (vector<2xf16> ...) instead of elements.
bool isPackedArith(const Emitter &e, mlir::Operation *op);

// Math.cpp: dialect math. Casts.cpp: conversions of arith and tile.cast. IntDivision.cpp: tile.div, rem, shl, shr.
mlir::FailureOr<Values> emitMathElement(Emitter &e, mlir::Operation *op, mlir::ValueRange operands);
mlir::FailureOr<Values> emitCastElement(Emitter &e, mlir::Operation *op, mlir::ValueRange operands);
mlir::FailureOr<Values> emitTotalIntElement(Emitter &e, mlir::Operation *op, mlir::ValueRange operands);

// Access.cpp: loads and stores, tile and block.
mlir::LogicalResult emitLoad(Emitter &e, mlir::Operation *op);
mlir::LogicalResult emitStore(Emitter &e, mlir::Operation *op);
// Atomics.cpp
mlir::LogicalResult emitAtomic(Emitter &e, mlir::Operation *op);
// PrintAssert.cpp
mlir::LogicalResult emitAssert(Emitter &e, mlir::Operation *op);
mlir::LogicalResult emitPrint(Emitter &e, mlir::Operation *op);
// InlinePtx.cpp
mlir::LogicalResult emitInlinePtx(Emitter &e, mlir::Operation *op);

// Shape.cpp: splat, unsplat, expand_dims, broadcast, reshape, trans, join, split, cat, slice.
mlir::LogicalResult emitShape(Emitter &e, mlir::Operation *op);
// Convert.cpp
mlir::LogicalResult emitConvert(Emitter &e, tilegpu::ConvertOp op);
// Reduce.cpp, Scan.cpp, Sort.cpp, Gather.cpp, Histogram.cpp
mlir::LogicalResult emitReduce(Emitter &e, tile::ReduceOp op);
mlir::LogicalResult emitScan(Emitter &e, tile::ScanOp op);
mlir::LogicalResult emitSort(Emitter &e, tile::SortOp op);
mlir::LogicalResult emitGather(Emitter &e, tile::GatherOp op);
mlir::LogicalResult emitHistogram(Emitter &e, tile::HistogramOp op);
// Ring.cpp: alloc, write, read, copy_async, gather_async, commit, wait.
mlir::LogicalResult emitRing(Emitter &e, mlir::Operation *op);
// Mma.cpp, DotFma.cpp
mlir::LogicalResult emitMma(Emitter &e, tilegpu::MmaOp op);
mlir::LogicalResult emitDotFma(Emitter &e, tilegpu::DotFmaOp op);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_FAMILIES_H

// Families that have no file of their own yet: each says so. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Families.h"

using namespace mlir;

namespace pavage::gpu {

#define PENDING __attribute__((weak))

PENDING FailureOr<Values> emitMathElement(Emitter &e, Operation *op, ValueRange) { return e.unsupported(op); }
PENDING LogicalResult emitShape(Emitter &e, Operation *op) { return e.unsupported(op); }
PENDING LogicalResult emitConvert(Emitter &e, tilegpu::ConvertOp op) { return e.unsupported(op); }
PENDING LogicalResult emitReduce(Emitter &e, tile::ReduceOp op) { return e.unsupported(op); }
PENDING LogicalResult emitScan(Emitter &e, tile::ScanOp op) { return e.unsupported(op); }
PENDING LogicalResult emitSort(Emitter &e, tile::SortOp op) { return e.unsupported(op); }
PENDING LogicalResult emitGather(Emitter &e, tile::GatherOp op) { return e.unsupported(op); }
PENDING LogicalResult emitHistogram(Emitter &e, tile::HistogramOp op) { return e.unsupported(op); }
PENDING LogicalResult emitRing(Emitter &e, Operation *op) { return e.unsupported(op); }
PENDING LogicalResult emitMma(Emitter &e, tilegpu::MmaOp op) { return e.unsupported(op); }
PENDING LogicalResult emitDotFma(Emitter &e, tilegpu::DotFmaOp op) { return e.unsupported(op); }

} // namespace pavage::gpu

// Histograms: bins in scratch memory that every thread counts into. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Placed.h"

using namespace mlir;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

LogicalResult emitHistogram(Emitter &e, tile::HistogramOp op) {
  Type i32 = e.b.getI32Type();
  int64_t extent = op.getType().getShape().front();
  int64_t bins = int64_t(1) << layout::bitsFor(extent);
  Value base = e.shared(e.scratchOffset(op));
  // All bins zero, padding too.
  int64_t rounds = (bins + e.numThreads() - 1) / e.numThreads();
  e.repeat(e.i32(rounds), {}, [&](Value round, ValueRange) {
    Value bin = e.add(e.mul(round, e.i32(e.numThreads())), e.tid);
    e.when(e.compare(Predicate::ult, bin, e.i32(bins)),
           [&] { LLVM::StoreOp::create(e.b, e.loc, e.i32(0), e.gep(base, i32, bin), 4); });
    return Values();
  });
  e.barrier();
  tilegpu::LayoutAttr source = tilegpu::layoutOf(op.getSrc().getType());
  Value isFirst = e.isFirstCopy(source);
  Values masks = op.getMask() ? e.elements(op.getMask()) : Values();
  for (auto [reg, value] : llvm::enumerate(e.elements(op.getSrc()))) {
    Value wide = e.resize(value, std::max(32u, value.getType().getIntOrFloatBitWidth()), /*isSigned=*/false);
    Value mask = e.compare(Predicate::ult, wide, e.constant(wide.getType(), extent));
    mask = e.both(e.both(mask, e.isInside(source, reg)), isFirst);
    mask = e.both(mask, masks.empty() ? Value() : masks[reg]);
    e.when(mask, [&] {
      Value bin = e.gep(base, i32, e.resize(wide, 32, /*isSigned=*/false));
      LLVM::AtomicRMWOp::create(e.b, e.loc, LLVM::AtomicBinOp::add, bin, e.i32(1), LLVM::AtomicOrdering::monotonic,
                                "block", 4);
    });
  }
  e.barrier();
  layout::Layout to = tilegpu::layoutOf(op.getType()).getLayout();
  layout::SharedMove move = layout::planMove(to, rowMajor(op.getType().getShape()), 4, false);
  SharedReader reader(e, move, i32, base);
  reader.read();
  e.bindWords(op, reader.finish(Emitter::numRegisters(op.getType()), 1));
  return success();
}

} // namespace pavage::gpu

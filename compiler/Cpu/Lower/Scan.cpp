// Running folds along an axis. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the sources are brought into the results' buffers, then a loop along the axis overwrites each element by the
// fold up to it, in all lanes of another axis at once where there is one.
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pavage::cpu {

LogicalResult Emitter::emitScan(Operation *op) {
  auto scan = cast<tile::ScanOp>(op);
  ArrayRef<int64_t> shape = tile::shapeOf(scan.getSrcs()[0].getType());
  int axis = scan.getAxis();
  int64_t extent = shape[axis];
  SmallVector<Buffer> results;
  for (Value result : op->getResults()) {
    results.push_back(bufferAt(result, *plannedOffset(result)));
  }
  runNest(shape, llvm::to_vector(scan.getSrcs()), [&](Nest &current) {
    for (auto [source, result] : llvm::zip(scan.getSrcs(), results)) {
      storeBuffer(result, current.coords, eval(source, current.coords));
    }
  });

  SmallVector<int64_t> outer(shape);
  outer[axis] = 1;
  Nest current = openNest(outer, axis == vectorAxis(shape));
  nest = &current;
  auto read = [&](Value place) {
    current.coords[axis] = {place, 0, 0, {}, 0};
    SmallVector<Value> values;
    for (const Buffer &result : results) {
      values.push_back(vectorOf(loadBuffer(result, current.coords)));
    }
    return values;
  };
  bool isReverse = scan.getReverse();
  SmallVector<Value> first = read(i64(isReverse ? extent - 1 : 0));
  if (extent > 1) {
    auto loop = scf::ForOp::create(b, loc, i64(1), i64(extent), i64(1), first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Ops o = ops();
    Value step = loop.getInductionVar();
    SmallVector<Value> values = read(isReverse ? o.sub(i64(extent - 1), step) : step);
    SmallVector<Value> folded = combine(scan.getCombine(), loop.getRegionIterArgs(), values, current.tail);
    for (auto [result, value] : llvm::zip(results, folded)) {
      storeBuffer(result, current.coords, lanesFrom(value));
    }
    scf::YieldOp::create(b, loc, folded);
  }
  closeNest(current);
  return success();
}

} // namespace pavage::cpu

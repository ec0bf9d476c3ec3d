// Sorting rows, counting values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pavage::cpu {

// --- sort ------------------------------------------------------------------------------------------------------------

/// A number whose unsigned order is the order asked for; NaN is last.
static Value sortKey(Ops o, Value value, Type element, bool isSigned, bool isDescending) {
  unsigned width = Ops::width(value);
  uint64_t sign = uint64_t(1) << (width - 1);
  auto floatType = dyn_cast<FloatType>(element);
  Value bits = o.bitcast(value, o.i(width));
  Value key = bits;
  if (floatType) {
    Value isNegative = o.cmp(Ops::Pred::slt, bits, 0);
    key = o.select(isNegative, o.xorI(bits, ~uint64_t(0)), o.orI(bits, sign));
  } else if (isSigned) {
    key = o.xorI(bits, sign); // of an i1, which is a byte 0 or 1, the order stays
  }
  if (isDescending) {
    key = o.xorI(key, ~uint64_t(0));
  }
  if (floatType) {
    llvm::APFloat largest = isa<Float8E4M3FNType>(element) ? llvm::APFloat::getLargest(floatType.getFloatSemantics())
                                                           : llvm::APFloat::getInf(floatType.getFloatSemantics());
    Value isNan = o.cmp(Ops::Pred::ugt, o.andI(bits, sign - 1), largest.bitcastToAPInt().getZExtValue());
    key = o.select(isNan, o.constantLike(key, ~uint64_t(0)), key);
  }
  return key;
}

/// Merges runs of doubling length from one row to another and back; stable, n log n.
LogicalResult Emitter::emitSort(Operation *op) {
  auto sort = cast<tile::SortOp>(op);
  Buffer result = bufferAt(sort.getResult(), *plannedOffset(sort.getResult()));
  Buffer temp = bufferAt(RankedTensorType::get({result.extents.back()}, result.element), tempsOf(op)[0]);
  assign(sort.getSrc(), result);
  int64_t extent = result.extents.back(), levels = llvm::Log2_64_Ceil(extent);
  if (extent == 1) {
    return success();
  }
  SmallVector<int64_t> rows(result.extents);
  rows.back() = 1;
  Nest current = openNest(rows, true);
  nest = &current;
  Type memory = memoryType(result.element);
  unsigned bytes = storageBytes(result.element);
  Value row = elementPointer(result, bufferIndex(result, current.coords)), other = elementPointer(temp, {});
  auto at = [&](Value base, Value index) {
    return LLVM::GEPOp::create(b, loc, base.getType(), memory, base, ArrayRef<LLVM::GEPArg>{index});
  };
  auto read = [&](Value base, Value index) -> Value {
    return LLVM::LoadOp::create(b, loc, memory, at(base, index), bytes);
  };
  if (levels % 2 == 1) { // so that the last merge ends in the row
    copyBytes(other, row, i64(temp.shape.elements * bytes));
  }
  Value from = levels % 2 == 1 ? other : row, to = levels % 2 == 1 ? row : other;
  auto byLevel = scf::ForOp::create(b, loc, i64(0), i64(levels), i64(1), ValueRange{from, to});
  b.setInsertionPointToEnd(byLevel.getBody());
  from = byLevel.getRegionIterArg(0), to = byLevel.getRegionIterArg(1);
  Ops o = ops();
  Value run = o.shl(i64(1), byLevel.getInductionVar()), limit = i64(extent);
  auto least = [&](Value x, Value y) { return o.select(o.cmp(Ops::Pred::slt, x, y), x, y); };
  auto byPair = scf::ForOp::create(b, loc, i64(0), limit, o.shl(run, 1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(byPair.getBody()->getTerminator());
    Value start = byPair.getInductionVar(), middle = least(o.add(start, run), limit);
    Value end = least(o.add(middle, run), limit);
    auto merge = scf::ForOp::create(b, loc, start, end, i64(1), ValueRange{start, middle});
    b.setInsertionPointToEnd(merge.getBody());
    Value i = merge.getRegionIterArg(0), j = merge.getRegionIterArg(1);
    Value hasLeft = o.cmp(Ops::Pred::slt, i, middle), hasRight = o.cmp(Ops::Pred::slt, j, end);
    Value left = read(from, o.select(hasLeft, i, start)), right = read(from, o.select(hasRight, j, start));
    auto key = [&](Value value) { return sortKey(o, value, result.element, sort.getIsSigned(), sort.getDescending()); };
    Value isOrdered = o.cmp(Ops::Pred::ule, key(left), key(right));
    Value takesLeft = o.andI(hasLeft, o.orI(isOrdered, o.notI1(hasRight)));
    LLVM::StoreOp::create(b, loc, o.select(takesLeft, left, right), at(to, merge.getInductionVar()), bytes);
    Value next[] = {o.select(takesLeft, o.add(i, 1), i), o.select(takesLeft, j, o.add(j, 1))};
    scf::YieldOp::create(b, loc, next);
  }
  scf::YieldOp::create(b, loc, ValueRange{to, from});
  closeNest(current);
  return success();
}

// --- histogram -------------------------------------------------------------------------------------------------------

LogicalResult Emitter::emitHistogram(Operation *op) {
  auto histogram = cast<tile::HistogramOp>(op);
  Buffer result = bufferAt(histogram.getResult(), *plannedOffset(histogram.getResult()));
  Value source = histogram.getSrc(), mask = histogram.getMask();
  runNest(result.extents, {},
          [&](Nest &current) { storeBuffer(result, current.coords, uniform(ops().constant(b.getI32Type(), 0))); });
  SmallVector<Value> reads(op->getOperands());
  runNest(
      tile::shapeOf(source.getType()), reads,
      [&](Nest &current) {
        Ops o = ops();
        Value bin = eval(source, current.coords).value;
        Value place = o.resize(bin, 64, false);
        Value counts = o.cmp(Ops::Pred::ult, place, result.extents[0]);
        if (mask) {
          counts = o.andI(counts, eval(mask, current.coords).value);
        }
        when(counts, [&] {
          Coord coord{place, 0, 0, {}, 0};
          Value pointer = elementPointer(result, coord);
          Value count = LLVM::LoadOp::create(b, loc, b.getI32Type(), pointer, 4);
          LLVM::StoreOp::create(b, loc, o.add(count, 1), pointer, 4);
        });
      },
      true);
  return success();
}

} // namespace pavage::cpu

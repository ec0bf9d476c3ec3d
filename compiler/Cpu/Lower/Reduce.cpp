// Reductions in the stated order: 64 virtual lanes, then a tree. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Along the vectors' own axis the virtual lanes are 64 / W vectors in registers; a loop takes 64 elements a round:
//
//   acc_s = combine(acc_s, x[64 r + W s ..]),  s = 0 .. 64/W - 1;   acc_s = combine(acc_s, acc_{s + n/2});   shuffles
//
// Across another axis each vector lane reduces its own column, with the 64 partial results in scratch memory.
#include "compiler/Cpu/Lower/Emitter.h"

#include "compiler/Support/Diagnostics.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace pavage::cpu {

static SmallVector<Value> selectAll(Ops o, Value condition, ValueRange x, ValueRange y) {
  SmallVector<Value> result;
  for (auto [a, b] : llvm::zip(x, y)) {
    result.push_back(o.select(condition, a, b));
  }
  return result;
}

LogicalResult Emitter::emitReduce(Operation *op) {
  auto reduce = cast<tile::ReduceOp>(op);
  ArrayRef<int64_t> shape = tile::shapeOf(reduce.getSrcs()[0].getType());
  if (static_cast<int>(reduce.getAxis()) == vectorAxis(shape)) {
    reduceAlongLanes(op);
  } else {
    reduceAcrossLanes(op);
  }
  return success();
}

/// The values take more than a few instructions of their own; a load with its mask does.
bool Emitter::isLarge(ArrayRef<Value> values) {
  int64_t count = 0;
  for (Value value : values) {
    visitCone(value, [&](Value current, bool) {
      bool isLoad = isa_and_nonnull<tile::LoadOp, tile::BlockLoadOp>(current.getDefiningOp());
      count += isReady(current) ? 0 : isLoad ? 8 : 1;
      return !isReady(current);
    });
  }
  return count >= 8;
}

// --- along the lanes -------------------------------------------------------------------------------------------------

void Emitter::reduceAlongLanes(Operation *op) {
  auto reduce = cast<tile::ReduceOp>(op);
  ArrayRef<int64_t> shape = tile::shapeOf(reduce.getSrcs()[0].getType());
  int axis = reduce.getAxis();
  int64_t extent = shape[axis];
  SmallVector<Value> sources(reduce.getSrcs());
  llvm::DenseSet<Value> tees = prepare(shape, sources);

  // The loops over the other axes; the axis itself is one element until its own loop opens.
  SmallVector<int64_t> outer(shape);
  outer[axis] = 1;
  Nest current = openNest(outer, true);
  nest = &current;
  current.tees = std::move(tees);
  current.shape.assign(shape.begin(), shape.end());
  current.axis = axis;
  current.lanes = lanesFor(extent, target.lanes);
  int64_t lanes = current.lanes, chunk = std::min<int64_t>(virtualLanes, llvm::divideCeil(extent, lanes) * lanes);
  int64_t strips = chunk / lanes, rounds = extent / virtualLanes, rest = extent % virtualLanes;
  unsigned level = current.levels.size() - 1;
  auto place = [&](Value base, int64_t offset, unsigned level, bool hasTail) {
    current.coords[axis] = {base, offset, 1, {}, level};
    current.tail = {};
    if (hasTail) {
      setTail(current, extent);
    }
    SmallVector<Value> values;
    for (Value source : sources) {
      values.push_back(evalVector(source, current.coords));
    }
    return values;
  };

  SmallVector<SmallVector<Value>> partial(strips);
  auto flatten = [&] {
    SmallVector<Value> all;
    for (auto &values : partial) {
      all.append(values.begin(), values.end());
    }
    return all;
  };
  auto unflatten = [&](ValueRange all) {
    size_t next = 0;
    for (auto &values : partial) {
      for (Value &value : values) {
        value = all[next++];
      }
    }
  };
  if (extent > virtualLanes && isLarge(sources)) {
    // One copy of the sources' code: the first round replaces what the lanes hold, and each round tests their end.
    for (auto &values : partial) {
      for (Value source : sources) {
        Type element = loweredElement(tile::elementTypeOf(source.getType()));
        values.push_back(ops().splat(ops().bits(element, 0), lanes));
      }
    }
    int64_t end = llvm::divideCeil(extent, virtualLanes) * virtualLanes;
    auto loop = scf::ForOp::create(b, loc, i64(0), i64(end), i64(virtualLanes), flatten());
    descend(current, loop);
    unflatten(loop.getRegionIterArgs());
    Value isFirst = ops().cmp(Ops::Pred::eq, loop.getInductionVar(), 0);
    current.masksTees = true;
    for (int64_t strip = 0; strip < strips; ++strip) {
      SmallVector<Value> values = place(loop.getInductionVar(), strip * lanes, level + 1, extent % virtualLanes != 0);
      SmallVector<Value> combined =
          combine(reduce.getCombine(), partial[strip], values, both(current.tail, ops().notI1(isFirst)));
      combined = selectAll(ops(), isFirst, values, combined);
      partial[strip] = current.tail ? selectAll(ops(), current.tail, combined, partial[strip]) : combined;
    }
    current.masksTees = false;
    scf::YieldOp::create(b, loc, flatten());
    ascend(current, loop);
    unflatten(loop.getResults());
    current.cache.clear();
  } else {
    // The first 64 elements start the virtual lanes.
    for (int64_t strip = 0; strip < strips && strip * lanes < extent; ++strip) {
      partial[strip] = place({}, strip * lanes, level, strip * lanes + lanes > extent);
    }
    if (rounds > 1) {
      auto loop =
          scf::ForOp::create(b, loc, i64(virtualLanes), i64(rounds * virtualLanes), i64(virtualLanes), flatten());
      descend(current, loop);
      unflatten(loop.getRegionIterArgs());
      for (int64_t strip = 0; strip < strips; ++strip) {
        SmallVector<Value> values = place(loop.getInductionVar(), strip * lanes, level + 1, false);
        partial[strip] = combine(reduce.getCombine(), partial[strip], values, {});
      }
      scf::YieldOp::create(b, loc, flatten());
      ascend(current, loop);
      unflatten(loop.getResults());
      current.cache.clear();
    }
    // The elements behind the last full round; lanes beyond the end keep what they have.
    for (int64_t strip = 0; rounds > 0 && strip * lanes < rest; ++strip) {
      bool isPart = (strip + 1) * lanes > rest;
      SmallVector<Value> values = place({}, rounds * virtualLanes + strip * lanes, level, isPart);
      SmallVector<Value> combined =
          combine(reduce.getCombine(), partial[strip], values, isPart ? current.tail : Value());
      partial[strip] = isPart ? selectAll(ops(), current.tail, combined, partial[strip]) : combined;
    }
  }

  // The tree, first over whole vectors, then inside of one.
  int64_t live = std::min(extent, virtualLanes);
  for (int64_t half = virtualLanes / 2; half >= 1; half /= 2) {
    for (int64_t strip = 0; half >= lanes && strip * lanes < half; ++strip) {
      int64_t other = strip + half / lanes, count = live - other * lanes; // lanes of the other vector that exist
      if (count <= 0) {
        continue;
      }
      Value exists;
      if (count < lanes) {
        exists = ops().cmp(Ops::Pred::ult, laneNumbers(b.getI32Type()), count);
      }
      SmallVector<Value> combined = combine(reduce.getCombine(), partial[strip], partial[other], exists);
      if (exists) {
        combined = selectAll(ops(), exists, combined, partial[strip]);
      }
      partial[strip] = combined;
    }
    if (half >= lanes || half >= live) {
      continue;
    }
    SmallVector<Value> moved;
    for (Value value : partial[0]) {
      SmallVector<int64_t> order;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        order.push_back(lane + half < lanes ? lane + half : lane);
      }
      moved.push_back(vector::ShuffleOp::create(b, loc, value, value, order));
    }
    int64_t count = std::min(half, live - half);
    Value exists = ops().cmp(Ops::Pred::ult, laneNumbers(b.getI32Type()), count);
    SmallVector<Value> combined = combine(reduce.getCombine(), partial[0], moved, exists);
    if (count < half) {
      combined = selectAll(ops(), exists, combined, partial[0]);
    }
    partial[0] = combined;
  }

  SmallVector<Coord> outerPlace(current.coords);
  outerPlace.erase(outerPlace.begin() + axis);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Value value = vector::ExtractOp::create(b, loc, partial[0][index], 0);
    if (!isTile(result)) {
      scalars.map(result, value);
    } else if (auto offset = plannedOffset(result)) {
      current.lanes = 1;
      storeBuffer(bufferAt(result, *offset), outerPlace, uniform(value));
    }
  }
  closeNest(current);
}

// --- across the lanes ------------------------------------------------------------------------------------------------

void Emitter::reduceAcrossLanes(Operation *op) {
  auto reduce = cast<tile::ReduceOp>(op);
  ArrayRef<int64_t> shape = tile::shapeOf(reduce.getSrcs()[0].getType());
  int axis = reduce.getAxis();
  int64_t extent = shape[axis], live = std::min(extent, virtualLanes);
  SmallVector<Value> sources(reduce.getSrcs());
  llvm::DenseSet<Value> tees = prepare(shape, sources);

  // Loops over the other axes, lanes along the last of them; then the axis's own.
  SmallVector<int64_t> outer(shape);
  outer[axis] = 1;
  Nest current = openNest(outer);
  nest = &current;
  current.tees = std::move(tees);
  current.shape.assign(shape.begin(), shape.end());
  unsigned level = current.levels.size() - 1;

  // 64 rows of one vector per source.
  SmallVector<Buffer> partial;
  for (auto [source, offset] : llvm::zip(sources, tempsOf(op))) {
    Buffer buffer;
    buffer.offset = offset;
    buffer.element = tile::elementTypeOf(source.getType());
    buffer.shape.strides = {current.lanes, 1};
    partial.push_back(buffer);
  }
  auto row = [&](Value base, int64_t offset = 0) {
    return SmallVector<Coord>{{base, offset, 0, {}, level}, {{}, 0, current.lanes == 1 ? 0 : 1, {}, level}};
  };
  auto readRow = [&](Coords coords) {
    SmallVector<Value> values;
    for (const Buffer &buffer : partial) {
      values.push_back(vectorOf(loadBuffer(buffer, coords)));
    }
    return values;
  };
  auto writeRow = [&](Coords coords, ValueRange values) {
    for (auto [buffer, value] : llvm::zip(partial, values)) {
      storeBuffer(buffer, coords, lanesFrom(value));
    }
  };
  auto evalRow = [&](Value position, unsigned level) {
    current.coords[axis] = {position, 0, 0, {}, level};
    SmallVector<Value> values;
    for (Value source : sources) {
      values.push_back(evalVector(source, current.coords));
    }
    return values;
  };
  auto inLoop = [&](scf::ForOp loop, llvm::function_ref<void(Value)> body) {
    auto saved = current.cache;
    descend(current, loop);
    body(loop.getInductionVar());
    ascend(current, loop);
    current.cache = saved;
  };

  // Large sources have one copy of code, in which the first round replaces what the rows hold.
  bool isOneLoop = extent > virtualLanes && isLarge(sources);
  if (!isOneLoop) {
    inLoop(openLoop(live, 1), [&](Value lane) { writeRow(row(lane), evalRow(lane, level + 1)); });
  }
  if (extent > virtualLanes) {
    int64_t start = isOneLoop ? 0 : virtualLanes;
    auto rounds = scf::ForOp::create(b, loc, i64(start), i64(extent), i64(virtualLanes));
    inLoop(rounds, [&](Value first) {
      Ops o = ops();
      Value left = o.sub(i64(extent), first);
      Value count = o.select(o.cmp(Ops::Pred::slt, left, virtualLanes), left, i64(virtualLanes));
      inLoop(scf::ForOp::create(b, loc, i64(0), count, i64(1)), [&](Value lane) {
        SmallVector<Value> values = evalRow(ops().add(first, lane), level + 2);
        Value isFirst = ops().cmp(Ops::Pred::eq, first, 0);
        Value active = isOneLoop ? both(current.tail, ops().notI1(isFirst)) : current.tail;
        SmallVector<Value> combined = combine(reduce.getCombine(), readRow(row(lane)), values, active);
        writeRow(row(lane), isOneLoop ? selectAll(ops(), isFirst, values, combined) : combined);
      });
    });
  }
  // The tree: h = 32, 16, .., 1 over the lanes that have a partner.
  if (live > 1) {
    inLoop(scf::ForOp::create(b, loc, i64(0), i64(6), i64(1)), [&](Value step) {
      Ops o = ops();
      Value half = o.shrU(i64(virtualLanes / 2), step), partners = o.sub(i64(live), half);
      Value count = o.select(o.cmp(Ops::Pred::slt, partners, half), partners, half);
      inLoop(scf::ForOp::create(b, loc, i64(0), count, i64(1)), [&](Value lane) {
        SmallVector<Value> left = readRow(row(lane)), right = readRow(row(ops().add(lane, half)));
        writeRow(row(lane), combine(reduce.getCombine(), left, right, current.tail));
      });
    });
  }
  SmallVector<Value> values = readRow(row({}));
  SmallVector<Coord> place(current.coords);
  place.erase(place.begin() + axis);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (!isTile(result)) {
      scalars.map(result, values[index]);
    } else if (auto offset = plannedOffset(result)) {
      storeBuffer(bufferAt(result, *offset), place, lanesFrom(values[index]));
    }
  }
  closeNest(current);
}

} // namespace pavage::cpu

// Loop nests, and what must be computed before them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pavage::cpu {

// --- buffers ---------------------------------------------------------------------------------------------------------

std::optional<int64_t> Emitter::plannedOffset(Value tile) const {
  auto result = dyn_cast<OpResult>(tile);
  auto offsets = result ? result.getOwner()->getAttrOfType<DenseI64ArrayAttr>(buffersAttr) : DenseI64ArrayAttr();
  if (!offsets || offsets[result.getResultNumber()] < 0) {
    return std::nullopt;
  }
  return offsets[result.getResultNumber()];
}

Buffer Emitter::bufferAt(Type type, int64_t offset) {
  ArrayRef<int64_t> extents = tile::shapeOf(type);
  return {offset, tile::elementTypeOf(type), bufferShape(extents), llvm::to_vector(extents)};
}

Buffer Emitter::bufferAt(Value tile, int64_t offset) { return bufferAt(tile.getType(), offset); }

ArrayRef<int64_t> Emitter::tempsOf(Operation *op) const {
  auto temps = op->getAttrOfType<DenseI64ArrayAttr>(tempsAttr);
  return temps ? temps.asArrayRef() : ArrayRef<int64_t>();
}

void Emitter::defineTile(Value tile) {
  if (auto offset = plannedOffset(tile)) {
    buffers[tile] = bufferAt(tile, *offset);
    ready.insert(tile);
  }
}

// --- loops -----------------------------------------------------------------------------------------------------------

scf::ForOp Emitter::openLoop(int64_t extent, int64_t step, ValueRange carried) {
  return scf::ForOp::create(b, loc, i64(0), i64(extent), i64(step), carried);
}

/// The next level is the loop's body.
void Emitter::enterLoop(Nest &nest, scf::ForOp loop) {
  nest.levels.push_back({loop->getBlock(), loop->getIterator()});
  Block *body = loop.getBody();
  if (body->mightHaveTerminator()) {
    b.setInsertionPoint(body->getTerminator());
  } else {
    b.setInsertionPointToEnd(body);
  }
}

/// Goes on in a loop at the innermost place of the nest, and back behind it.
void Emitter::descend(Nest &nest, scf::ForOp loop) {
  nest.levels.pop_back();
  enterLoop(nest, loop);
  nest.levels.push_back(b.saveInsertionPoint());
}

void Emitter::ascend(Nest &nest, scf::ForOp loop) {
  b.setInsertionPointAfter(loop);
  nest.levels.pop_back();
  nest.levels.back() = b.saveInsertionPoint();
}

void Emitter::setTail(Nest &nest, int64_t extent) {
  nest.tail = {};
  Value numbers = laneNumbers(b.getI32Type());
  const Coord &coord = nest.coords[nest.axis];
  Ops o = ops();
  Value index = numbers;
  if (coord.base) {
    index = o.add(numbers, o.splat(o.resize(coord.base, 32, false), nest.lanes));
  }
  index = o.add(index, static_cast<uint64_t>(coord.offset));
  nest.tail = o.cmp(Ops::Pred::ult, index, extent);
}

Nest Emitter::openNest(ArrayRef<int64_t> shape, bool isScalar) {
  Nest result;
  result.shape.assign(shape.begin(), shape.end());
  result.coords.resize(shape.size());
  result.after = b.saveInsertionPoint();
  result.axis = isScalar ? -1 : vectorAxis(shape);
  result.lanes = result.axis < 0 ? 1 : lanesFor(shape[result.axis], target.lanes);
  for (int axis = 0, rank = shape.size(); axis < rank; ++axis) {
    bool isVector = axis == result.axis;
    int64_t step = isVector ? result.lanes : 1;
    Coord &coord = result.coords[axis];
    coord.lane = isVector ? 1 : 0;
    if (shape[axis] > step) {
      scf::ForOp loop = openLoop(shape[axis], step);
      enterLoop(result, loop);
      coord.base = loop.getInductionVar();
      coord.level = result.levels.size();
    }
  }
  result.levels.push_back(b.saveInsertionPoint());
  nest = &result;
  if (result.lanes > 1 && shape[result.axis] % result.lanes != 0) {
    setTail(result, shape[result.axis]);
  }
  return result;
}

void Emitter::closeNest(Nest &finished) {
  for (Value tee : finished.tees) {
    ready.insert(tee);
  }
  b.restoreInsertionPoint(finished.after);
  nest = nullptr;
}

void Emitter::runNest(ArrayRef<int64_t> shape, ArrayRef<Value> reads, llvm::function_ref<void(Nest &)> body,
                      bool isScalar) {
  llvm::DenseSet<Value> tees = prepare(shape, reads);
  Nest current = openNest(shape, isScalar);
  nest = &current;
  current.tees = std::move(tees);
  body(current);
  closeNest(current);
}

// --- what must be there ----------------------------------------------------------------------------------------------

llvm::DenseSet<Value> Emitter::prepare(ArrayRef<int64_t> shape, ArrayRef<Value> values) {
  llvm::DenseSet<Value> tees;
  for (Value value : values) {
    visitCone(value, [&](Value current, bool identity) {
      if (isReady(current)) {
        return false;
      }
      if (!isBuffered(current)) {
        return true;
      }
      bool isWhole = identity && tile::shapeOf(current.getType()) == shape && !current.getDefiningOp<tile::CatOp>();
      if (isWhole) {
        tees.insert(current);
        return true;
      }
      tees.erase(current);
      compute(current);
      return false;
    });
  }
  // What was computed on its own meanwhile is no longer to be computed along the way.
  SmallVector<Value> done;
  for (Value tee : tees) {
    if (isReady(tee)) {
      done.push_back(tee);
    }
  }
  for (Value tee : done) {
    tees.erase(tee);
  }
  return tees;
}

void Emitter::compute(Value tile) {
  if (isReady(tile)) {
    return;
  }
  Nest *outer = nest;
  buffers[tile] = bufferAt(tile, *plannedOffset(tile));
  if (tile.getDefiningOp<tile::CatOp>()) {
    computeCat(tile);
  } else {
    runNest(tile::shapeOf(tile.getType()), {tile}, [&](Nest &current) { eval(tile, current.coords); });
  }
  ready.insert(tile);
  nest = outer;
}

void Emitter::computeCat(Value tile) {
  auto cat = tile.getDefiningOp<tile::CatOp>();
  int axis = cat.getAxis();
  int64_t shift = 0;
  for (Value part : {cat.getLhs(), cat.getRhs()}) {
    ArrayRef<int64_t> shape = tile::shapeOf(part.getType());
    runNest(shape, {part}, [&](Nest &current) {
      Lanes value = eval(part, current.coords);
      SmallVector<Coord> coords = current.coords;
      coords[axis].offset += shift;
      // The lanes behind the end of the first part would do no harm, those of the second might belong to the next row.
      storeBuffer(buffers[tile], coords, value, current.tail);
    });
    shift = shape[axis];
  }
}

void Emitter::settle(Operation *op) {
  SmallVector<Value> rest;
  bool hasRegions = op->getNumRegions() != 0 && !isa<tile::ReduceOp, tile::ScanOp>(op);
  for (Value tile : std::exchange(pending, {})) {
    if (isReady(tile)) {
      continue;
    }
    bool isNeeded = hasRegions || op->hasTrait<OpTrait::IsTerminator>();
    visitCone(tile, [&](Value current, bool) {
      if (isReady(current)) {
        return false;
      }
      Operation *load = current.getDefiningOp();
      isNeeded |= isa_and_nonnull<tile::LoadOp, tile::BlockLoadOp>(load) && mayConflict(load, op);
      return true;
    });
    if (isNeeded && !tile.use_empty()) {
      compute(tile);
    } else {
      rest.push_back(tile);
    }
  }
  pending.append(rest);
}

} // namespace pavage::cpu

// The value of a tile's element at given coordinates, in all lanes. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace pavage::cpu {

static Nest::Key keyOf(Value value, Coords coords, bool exact) {
  Nest::Key key{value.getAsOpaquePointer(), reinterpret_cast<const void *>(static_cast<uintptr_t>(exact))};
  for (const Coord &coord : coords) {
    key.push_back(coord.base.getAsOpaquePointer());
    key.push_back(coord.vec.getAsOpaquePointer());
    key.push_back(reinterpret_cast<const void *>(coord.offset));
    key.push_back(reinterpret_cast<const void *>(coord.lane));
  }
  return key;
}

Value Emitter::laneNumbers(Type element) {
  Ops o = ops();
  if (nest->lanes == 1) {
    return o.constant(element, 0);
  }
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < nest->lanes; ++lane) {
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), lane, false, true));
  }
  auto type = VectorType::get({nest->lanes}, element);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
}

Value Emitter::vectorOf(const Lanes &lanes) {
  int64_t count = nest->lanes == 1 ? 0 : nest->lanes;
  Ops o = ops();
  if (lanes.kind != Lanes::Affine || count == 0) {
    return o.splat(lanes.value, count);
  }
  Value steps = laneNumbers(lanes.value.getType());
  return o.add(o.splat(lanes.value, count), o.mul(steps, static_cast<uint64_t>(lanes.step)));
}

Lanes Emitter::eval(Value value, Coords coords, bool exact) {
  if (!isTile(value)) {
    return uniform(scalar(value));
  }
  for (bool isExact : {exact, !exact}) {
    auto found = nest->cache.find(keyOf(value, coords, isExact));
    if (found != nest->cache.end() && !(exact && found->second.guard)) {
      return found->second;
    }
  }
  OpBuilder::InsertionGuard insertion(b);
  unsigned level = 0;
  for (const Coord &coord : coords) {
    level = std::max(level, coord.level);
  }
  moveTo(level);
  Location outer = loc;
  if (Operation *op = value.getDefiningOp()) {
    loc = op->getLoc();
  }
  Lanes result;
  auto buffer = buffers.find(value);
  if (isReady(value)) {
    result = loadBuffer(buffer->second, coords);
  } else if (isBuffered(value)) {
    assert(nest->tees.contains(value) && "a buffered tile must have been computed before");
    result = evalOp(value, coords, true);
    Buffer target = bufferAt(value, *plannedOffset(value));
    buffers[value] = target;
    storeBuffer(target, coords, result, nest->masksTees ? nest->tail : Value());
  } else {
    result = evalOp(value, coords, exact);
  }
  loc = outer;
  nest->cache[keyOf(value, coords, exact)] = result;
  return result;
}

/// The bits of an element of a constant.
static APInt bitsOf(Attribute element) {
  if (auto number = dyn_cast<FloatAttr>(element)) {
    return number.getValue().bitcastToAPInt();
  }
  return cast<IntegerAttr>(element).getValue();
}

Lanes Emitter::evalOp(Value value, Coords coords, bool exact) {
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  Type element = tile::elementTypeOf(value.getType());
  if (Lanes affine = evalAffine(op, coords, exact)) {
    return affine;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      return uniform(ops().bits(loweredElement(element), bitsOf(splat.getSplatValue<Attribute>()).getZExtValue()));
    }
    Buffer buffer = bufferAt(value, 0);
    Coord place = bufferIndex(buffer, coords);
    Access access{op, element, {}, {}, {}};
    Coord bytes = scale(place, storageBytes(element));
    Value base = constantAddress(op);
    if (bytes.vec) {
      access.pointer = vector(ops().add(ops().splat(base, nest->lanes), bytes.vec));
    } else {
      Value start = ops().add(base, coordScalar(bytes));
      access.pointer = bytes.lane == 0 ? uniform(start) : Lanes{Lanes::Affine, start, bytes.lane, {}, {}};
    }
    return load(access, {});
  }
  if (isa<ub::PoisonOp>(op)) {
    return uniform(ops().bits(loweredElement(element), 0));
  }
  if (isa<tile::LoadOp, tile::BlockLoadOp>(op)) {
    return evalLoad(op, coords, exact);
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    ArrayRef<int64_t> from = tile::shapeOf(broadcast.getSrc().getType());
    SmallVector<Coord> source(coords);
    for (size_t axis = 0; axis < from.size(); ++axis) {
      source[axis] = from[axis] == 1 ? Coord() : coords[axis];
    }
    return eval(broadcast.getSrc(), source, exact);
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    SmallVector<Coord> source(coords);
    source.erase(source.begin() + expand.getAxis());
    return eval(expand.getSrc(), source, exact);
  }
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    SmallVector<Coord> source(coords.size());
    for (auto [axis, from] : llvm::enumerate(trans.getOrder())) {
      source[from] = coords[axis];
    }
    return eval(trans.getSrc(), source, exact);
  }
  if (auto slice = dyn_cast<tile::SliceOp>(op)) {
    SmallVector<Coord> source;
    for (auto [axis, coord] : llvm::enumerate(coords)) {
      OpBuilder::InsertionGuard insertion(b);
      moveTo(coord.level);
      Coord place = scale(coord, slice.getStrides()[axis]);
      source.push_back(sum(place, Coord{{}, slice.getOffsets()[axis], 0, {}, 0}));
    }
    return eval(slice.getSrc(), source, exact);
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    return eval(reshape.getSrc(),
                reshapeCoords(tile::shapeOf(reshape.getType()), tile::shapeOf(reshape.getSrc().getType()), coords),
                exact);
  }
  if (auto split = dyn_cast<tile::SplitOp>(op)) {
    SmallVector<Coord> source(coords);
    source.push_back(Coord{{}, static_cast<int64_t>(index), 0, {}, 0});
    return eval(split.getSrc(), source, exact);
  }
  if (isa<tile::JoinOp>(op)) {
    return evalJoin(op, coords);
  }
  if (isa<tile::GatherOp>(op)) {
    return evalGather(op, coords);
  }
  return evalElementwise(op, index, coords);
}

Lanes Emitter::evalElementwise(Operation *op, unsigned result, Coords coords) {
  SmallVector<Value> operands;
  bool isUniform = true;
  for (Value operand : op->getOperands()) {
    Lanes lanes = eval(operand, coords);
    isUniform &= lanes.isUniform();
    operands.push_back(lanes.isUniform() ? lanes.value : vectorOf(lanes));
  }
  SmallVector<Value> values = ops().elementwise(op, operands);
  if (values.empty()) {
    failedOp = op;
    return uniform(ops().bits(loweredElement(tile::elementTypeOf(op->getResult(result).getType())), 0));
  }
  for (auto [index, value] : llvm::enumerate(values)) {
    if (op->getNumResults() > 1) {
      nest->cache[keyOf(op->getResult(index), coords, true)] = isUniform ? uniform(value) : vector(value);
    }
  }
  return isUniform ? uniform(values[result]) : vector(values[result]);
}

Lanes Emitter::evalJoin(Operation *op, Coords coords) {
  auto join = cast<tile::JoinOp>(op);
  Coords common = coords.drop_back();
  const Coord &last = coords.back();
  if (!last.base && !last.vec && last.lane == 0) {
    return eval(last.offset == 0 ? join.getLhs() : join.getRhs(), common);
  }
  Lanes left = eval(join.getLhs(), common), right = eval(join.getRhs(), common);
  Ops o = ops();
  bool isScalarChoice = !last.vec && last.lane == 0;
  Value place = isScalarChoice ? coordScalar(last) : coordVector(last);
  Value isLeft = o.cmp(Ops::Pred::eq, place, 0);
  if (isScalarChoice && left.isUniform() && right.isUniform()) {
    return uniform(o.select(isLeft, left.value, right.value));
  }
  return lanesFrom(o.select(isLeft, vectorOf(left), vectorOf(right)));
}

Lanes Emitter::evalGather(Operation *op, Coords coords) {
  auto gather = cast<tile::GatherOp>(op);
  unsigned level = 0;
  for (const Coord &coord : coords) {
    level = std::max(level, coord.level);
  }
  Ops o = ops();
  Lanes index = eval(gather.getIndex(), coords);
  Value place = index.isUniform() ? index.value : vectorOf(index);
  place = o.resize(place, 64, true);
  int64_t extent = tile::shapeOf(gather.getSrc().getType())[gather.getAxis()];
  Value inside = o.cmp(Ops::Pred::ult, place, extent);
  Value safe = o.select(inside, place, o.constantLike(place, 0));
  SmallVector<Coord> source(coords);
  source[gather.getAxis()] = coordFrom(lanesFrom(safe), level);
  Lanes value = eval(gather.getSrc(), source);
  Value zero = o.bits(loweredElement(tile::elementTypeOf(gather.getType())), 0);
  if (index.isUniform() && value.isUniform()) {
    return uniform(o.select(inside, value.value, zero));
  }
  return lanesFrom(o.select(o.splat(inside, nest->lanes == 1 ? 0 : nest->lanes), vectorOf(value), zero));
}

} // namespace pavage::cpu

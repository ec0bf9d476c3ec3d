// Arithmetic on coordinates. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

using namespace mlir;

namespace pavage::cpu {

Value Emitter::coordScalar(const Coord &coord) {
  if (!coord.base) {
    return i64(coord.offset);
  }
  return ops().add(coord.base, static_cast<uint64_t>(coord.offset));
}

Value Emitter::coordVector(const Coord &coord) {
  if (coord.vec) {
    return coord.vec;
  }
  return vectorOf({Lanes::Affine, coordScalar(coord), coord.lane, {}, {}});
}

Coord Emitter::coordFrom(const Lanes &lanes, unsigned level) {
  if (lanes.isUniform()) {
    return {lanes.value, 0, 0, {}, level};
  }
  return {{}, 0, 0, vectorOf(lanes), level};
}

void Emitter::moveTo(unsigned level) {
  if (!nest->isPinned) {
    b.restoreInsertionPoint(nest->levels[level]);
  }
}

Coord Emitter::scale(const Coord &coord, int64_t factor) {
  if (factor == 1) {
    return coord;
  }
  if (coord.vec) {
    return {{}, 0, 0, ops().mul(coord.vec, static_cast<uint64_t>(factor)), coord.level};
  }
  Value base = coord.base ? ops().mul(coord.base, static_cast<uint64_t>(factor)) : Value();
  return {base, coord.offset * factor, coord.lane * factor, {}, coord.level};
}

Coord Emitter::sum(const Coord &a, const Coord &b2) {
  unsigned level = std::max(a.level, b2.level);
  if (a.vec || b2.vec) {
    return {{}, 0, 0, ops().add(coordVector(a), coordVector(b2)), level};
  }
  Value base = a.base && b2.base ? ops().add(a.base, b2.base) : a.base ? a.base : b2.base;
  return {base, a.offset + b2.offset, a.lane + b2.lane, {}, level};
}

Coord Emitter::linearize(Coords coords, ArrayRef<int64_t> strides) {
  Coord result;
  for (auto [coord, stride] : llvm::zip(coords, strides)) {
    result = sum(result, scale(coord, stride));
  }
  return result;
}

/// A power of two that divides a scalar of lowered code, at most 2^20.
static int64_t divisorOf(Value value) {
  constexpr int64_t most = int64_t(1) << 20;
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar()) {
      return 1;
    }
    return std::min(divisorOf(loop.getLowerBound()), divisorOf(loop.getStep()));
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return constant.isZero() ? most : std::min<int64_t>(most, int64_t(1) << std::min(20u, constant.countr_zero()));
  }
  if (isa<arith::MulIOp>(op)) {
    return std::min(most, divisorOf(op->getOperand(0)) * divisorOf(op->getOperand(1)));
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    return std::min(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    int64_t inner = divisorOf(op->getOperand(0));
    unsigned width = value.getType().getIntOrFloatBitWidth();
    return width < 21 ? std::min(inner, int64_t(1) << (width - 1)) : inner;
  }
  return 1;
}

int64_t knownDivisor(Value value) { return divisorOf(value); }

/// The coordinates, in these extents, of the element with a row-major number.
SmallVector<Coord> Emitter::splitLinear(ArrayRef<int64_t> extents, Coord linear) {
  SmallVector<Coord> result(extents.size());
  Ops o = ops();
  // All lanes lie in one row when rows are whole vectors and the first lane starts one.
  int64_t row = extents.back();
  bool staysInRow = !linear.vec && linear.lane == 1 && row % nest->lanes == 0 && linear.offset % nest->lanes == 0 &&
                    (!linear.base || knownDivisor(linear.base) >= nest->lanes);
  if (!linear.vec && (linear.lane == 0 || staysInRow)) {
    Value rest = coordScalar(linear);
    for (int axis = static_cast<int>(extents.size()) - 1; axis >= 0; --axis) {
      Coord &coord = result[axis];
      coord.level = linear.level;
      bool isLast = axis + 1 == static_cast<int>(extents.size());
      coord.lane = isLast ? linear.lane : 0;
      if (axis == 0) {
        coord.base = rest;
      } else {
        Value extent = o.constantLike(rest, extents[axis]);
        coord.base = arith::RemUIOp::create(b, loc, rest, extent);
        rest = arith::DivUIOp::create(b, loc, rest, extent);
      }
    }
    return result;
  }
  Value rest = o.resize(coordVector(linear), 32, false);
  for (int axis = static_cast<int>(extents.size()) - 1; axis >= 0; --axis) {
    Value place = rest;
    if (axis > 0) {
      Value extent = o.constantLike(rest, extents[axis]);
      place = arith::RemUIOp::create(b, loc, rest, extent);
      rest = arith::DivUIOp::create(b, loc, rest, extent);
    }
    result[axis] = {{}, 0, 0, o.resize(place, 64, false), linear.level};
  }
  return result;
}

SmallVector<Coord> Emitter::reshapeCoords(ArrayRef<int64_t> to, ArrayRef<int64_t> from, Coords coords) {
  SmallVector<Coord> result(from.size());
  // Groups of axes with equal products, from the front.
  size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    size_t firstTo = i, firstFrom = j;
    int64_t products[2] = {1, 1};
    auto take = [&](ArrayRef<int64_t> shape, size_t &axis, int64_t &product) { product *= shape[axis++]; };
    if (i < to.size()) {
      take(to, i, products[0]);
    }
    if (j < from.size()) {
      take(from, j, products[1]);
    }
    while (products[0] != products[1]) {
      products[0] < products[1] ? take(to, i, products[0]) : take(from, j, products[1]);
    }
    if (products[0] == 1) {
      continue; // coordinates 0
    }
    // Axes of extent 1 do not count.
    SmallVector<Coord> source;
    SmallVector<int64_t> sourceExtents, targetExtents, targetAxes;
    for (size_t axis = firstTo; axis < i; ++axis) {
      if (to[axis] > 1) {
        source.push_back(coords[axis]);
        sourceExtents.push_back(to[axis]);
      }
    }
    for (size_t axis = firstFrom; axis < j; ++axis) {
      if (from[axis] > 1) {
        targetExtents.push_back(from[axis]);
        targetAxes.push_back(axis);
      }
    }
    SmallVector<int64_t> strides(sourceExtents.size(), 1);
    for (int axis = static_cast<int>(strides.size()) - 2; axis >= 0; --axis) {
      strides[axis] = strides[axis + 1] * sourceExtents[axis + 1];
    }
    // Where the result says that it stands: a later use may lie outside the innermost loop.
    OpBuilder::InsertionGuard insertion(b);
    unsigned level = 0;
    for (const Coord &coord : source) {
      level = std::max(level, coord.level);
    }
    moveTo(level);
    Coord linear = linearize(source, strides);
    SmallVector<Coord> parts =
        targetExtents.size() == 1 ? SmallVector<Coord>{linear} : splitLinear(targetExtents, linear);
    for (auto [axis, part] : llvm::zip(targetAxes, parts)) {
      result[axis] = part;
    }
  }
  return result;
}

} // namespace pavage::cpu

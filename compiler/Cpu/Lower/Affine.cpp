// Numbers that grow by the same step from lane to lane. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses, offsets and the masks that compare them are kept as a scalar and a step, so that an access to consecutive
// elements becomes one vector access. Where that holds only as long as nothing wraps, or no multiple of a divisor is
// crossed, a *guard* tests it at run time, and the access falls back to the exact value of each lane.
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"

using namespace mlir;

namespace pavage::cpu {

int64_t knownDivisor(Value value);

static Value orGuards(Ops o, Value a, Value b) { return a && b ? o.orI(a, b) : a ? a : b; }

/// Lane 0's value, whatever the kind; only for uniform and affine.
static int64_t stepOf(const Lanes &lanes) { return lanes.kind == Lanes::Affine ? lanes.step : 0; }
static bool isAffine(const Lanes &lanes) { return lanes.kind == Lanes::Affine || lanes.kind == Lanes::Uniform; }

static Lanes describe(Value value, int64_t step, Value guard) {
  if (step == 0) {
    return {Lanes::Uniform, value, 0, guard, {}};
  }
  return {Lanes::Affine, value, step, guard, {}};
}

Lanes Emitter::addAffine(const Lanes &a, const Lanes &b2, bool subtract) {
  if (!isAffine(a) || !isAffine(b2)) {
    return {};
  }
  Ops o = ops();
  Value value = subtract ? o.sub(a.value, b2.value) : o.add(a.value, b2.value);
  int64_t step = subtract ? stepOf(a) - stepOf(b2) : stepOf(a) + stepOf(b2);
  return describe(value, step, orGuards(o, a.guard, b2.guard));
}

Lanes Emitter::scaleAffine(const Lanes &a, int64_t factor) {
  if (!isAffine(a)) {
    return {};
  }
  return describe(ops().mul(a.value, static_cast<uint64_t>(factor)), stepOf(a) * factor, a.guard);
}

/// Sign- or zero-extended to 64 bits: right unless the narrow number wraps from one lane to the next.
Lanes Emitter::extendAffine(Lanes lanes, bool isSigned, bool exact) {
  if (!isAffine(lanes)) {
    return {};
  }
  Ops o = ops();
  unsigned width = Ops::width(lanes.value);
  if (width == 64 || lanes.kind == Lanes::Uniform) {
    return describe(o.resize(lanes.value, 64, isSigned), stepOf(lanes), lanes.guard);
  }
  int64_t reach = lanes.step * (nest->lanes - 1);
  // Steps of 1 from a multiple of the number of lanes do not reach the next one.
  bool isSafe = lanes.step == 1 && knownDivisor(lanes.value) >= nest->lanes;
  if (!isSafe) {
    if (exact || width < 32 || std::abs(reach) > (1 << 20)) {
      return {};
    }
    int64_t least = isSigned ? llvm::minIntN(width) : 0;
    int64_t most = isSigned ? llvm::maxIntN(width) : static_cast<int64_t>(llvm::maxUIntN(width));
    Ops::Pred beyond = isSigned ? Ops::Pred::sgt : Ops::Pred::ugt, before = isSigned ? Ops::Pred::slt : Ops::Pred::ult;
    Value wraps = reach > 0 ? o.cmp(beyond, lanes.value, static_cast<uint64_t>(most - reach))
                            : o.cmp(before, lanes.value, static_cast<uint64_t>(least - reach));
    lanes.guard = orGuards(o, lanes.guard, wraps);
  }
  return describe(o.resize(lanes.value, 64, isSigned), lanes.step, lanes.guard);
}

/// The divisor's multiples are seldom crossed within a vector: then the remainder steps as the dividend does, and the
/// quotient is the same in all lanes.
Lanes Emitter::remainderAffine(Operation *op, Coords coords, bool isSigned, bool remainder) {
  Lanes x = eval(op->getOperand(0), coords, false), n = eval(op->getOperand(1), coords, false);
  if (x.kind != Lanes::Affine || x.step <= 0 || n.kind != Lanes::Uniform || Ops::width(x.value) < 32) {
    return {};
  }
  Ops o = ops();
  int64_t reach = x.step * (nest->lanes - 1);
  Value rest = o.divide(x.value, n.value, isSigned, true);
  // All in range: 0 <= x, 0 < n, rest + reach < n, which also rules out wrapping.
  Value room = o.sub(n.value, rest); // > 0 when the rest is proper
  Value fits = o.cmp(isSigned ? Ops::Pred::sgt : Ops::Pred::ugt, room, static_cast<uint64_t>(reach));
  Value bad = o.notI1(fits);
  if (isSigned) {
    bad = o.orI(bad, o.orI(o.cmp(Ops::Pred::slt, x.value, 0), o.cmp(Ops::Pred::sle, n.value, 0)));
    uint64_t most = static_cast<uint64_t>(llvm::maxIntN(Ops::width(x.value)) - reach);
    bad = o.orI(bad, o.cmp(Ops::Pred::sgt, x.value, most));
  } else {
    bad = o.orI(bad, o.cmp(Ops::Pred::eq, n.value, 0));
    bad = o.orI(bad, o.cmp(Ops::Pred::ugt, x.value, llvm::maxUIntN(Ops::width(x.value)) - reach));
  }
  Value guard = orGuards(o, orGuards(o, x.guard, n.guard), bad);
  if (remainder) {
    return describe(rest, x.step, guard);
  }
  return describe(o.divide(x.value, n.value, isSigned, false), 0, guard);
}

/// A comparison by vectors, with a scalar test that implies that it holds in all lanes.
Lanes Emitter::compareLanes(Operation *op, Coords coords) {
  auto compare = cast<arith::CmpIOp>(op);
  Lanes x = eval(compare.getLhs(), coords), y = eval(compare.getRhs(), coords);
  Ops o = ops();
  Ops::Pred predicate = compare.getPredicate();
  if (x.isUniform() && y.isUniform()) {
    return uniform(o.cmp(predicate, x.value, y.value));
  }
  Lanes result = vector(o.cmp(predicate, vectorOf(x), vectorOf(y)));
  bool isUpper = predicate == Ops::Pred::slt || predicate == Ops::Pred::sle || predicate == Ops::Pred::ult ||
                 predicate == Ops::Pred::ule;
  bool isSigned = predicate == Ops::Pred::slt || predicate == Ops::Pred::sle;
  if (nest->lanes == 1 || x.kind != Lanes::Affine || x.step <= 0 || !y.isUniform() || !isUpper) {
    return result;
  }
  unsigned width = Ops::width(x.value);
  int64_t reach = x.step * (nest->lanes - 1);
  if (width < 32 || reach > (1 << 20)) {
    return result;
  }
  Value last = o.add(x.value, static_cast<uint64_t>(reach));
  result.allTrue = o.cmp(predicate, last, y.value);
  bool isSafe = x.step == 1 && knownDivisor(x.value) >= nest->lanes;
  if (!isSafe) {
    Value ascends = o.cmp(isSigned ? Ops::Pred::sge : Ops::Pred::uge, last, x.value);
    result.allTrue = o.andI(result.allTrue, ascends);
  }
  return result;
}

Lanes Emitter::evalAffine(Operation *op, Coords coords, bool exact) {
  Ops o = ops();
  auto finish = [&](Lanes lanes) { return exact && lanes.guard ? Lanes() : lanes; };
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    unsigned width = tile::elementTypeOf(iota.getType()).getIntOrFloatBitWidth();
    const Coord &coord = coords[0];
    if (coord.vec) {
      return vector(o.add(o.resize(coord.vec, width, false), static_cast<uint64_t>(iota.getStart())));
    }
    Value start = coord.base ? o.resize(coord.base, width, false) : o.constant(o.i(width), 0);
    return describe(o.add(start, static_cast<uint64_t>(coord.offset + iota.getStart())), coord.lane, {});
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    return uniform(scalar(splat.getSrc()));
  }
  if (isa<tile::HintOp>(op)) {
    return eval(op->getOperand(0), coords, exact);
  }
  if (auto cast = dyn_cast<tile::BitcastOp>(op)) {
    return eval(cast.getSrc(), coords, exact);
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    Lanes x = eval(op->getOperand(0), coords, exact), y = eval(op->getOperand(1), coords, exact);
    return finish(addAffine(x, y, isa<arith::SubIOp>(op)));
  }
  if (isa<arith::MulIOp>(op)) {
    Lanes x = eval(op->getOperand(0), coords, exact), y = eval(op->getOperand(1), coords, exact);
    if (x.kind == Lanes::Uniform && y.kind == Lanes::Uniform) {
      return finish(describe(o.mul(x.value, y.value), 0, orGuards(o, x.guard, y.guard)));
    }
    if (x.kind == Lanes::Uniform) {
      std::swap(x, y);
    }
    APInt factor;
    if (y.kind == Lanes::Uniform && matchPattern(y.value, m_ConstantInt(&factor)) && isAffine(x)) {
      int64_t number = factor.getSExtValue();
      if (std::abs(number) <= (int64_t(1) << 40)) {
        return finish(scaleAffine({x.kind, x.value, x.step, orGuards(o, x.guard, y.guard), {}}, number));
      }
    }
    return {};
  }
  bool isSignExtension = isa<arith::ExtSIOp>(op);
  bool isExtension = isSignExtension || isa<arith::ExtUIOp>(op);
  if (auto cast = dyn_cast<tile::CastOp>(op)) {
    Type from = tile::elementTypeOf(cast.getSrc().getType()), to = tile::elementTypeOf(cast.getType());
    isExtension = from.isInteger() && to.isInteger() && !from.isInteger(1) &&
                  to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
    isSignExtension = isExtension && cast.getIsSigned();
  }
  if (isExtension && tile::elementTypeOf(op->getResult(0).getType()).isInteger(64) &&
      !tile::elementTypeOf(op->getOperand(0).getType()).isInteger(1)) {
    return finish(extendAffine(eval(op->getOperand(0), coords, exact), isSignExtension, exact));
  }
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    int64_t stride = cast<tile::PtrType>(tile::elementTypeOf(add.getType())).getStride();
    Lanes pointer = eval(add.getPtr(), coords, exact), offset = eval(add.getOffset(), coords, exact);
    if (Ops::width(offset.value) == 1) {
      return {};
    }
    offset = extendAffine(offset, true, exact);
    if (!isAffine(pointer) || !isAffine(offset)) {
      return {};
    }
    return finish(addAffine(pointer, scaleAffine(offset, stride), false));
  }
  if (isa<tile::RemOp, tile::DivOp, arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op) && !exact) {
    bool isSigned = isa<arith::RemSIOp, arith::DivSIOp>(op) || op->hasAttr("is_signed");
    return remainderAffine(op, coords, isSigned, isa<tile::RemOp, arith::RemSIOp, arith::RemUIOp>(op));
  }
  if (isa<arith::CmpIOp>(op)) {
    return compareLanes(op, coords);
  }
  if (isa<arith::AndIOp>(op) && tile::elementTypeOf(op->getResult(0).getType()).isInteger(1)) {
    Lanes x = eval(op->getOperand(0), coords), y = eval(op->getOperand(1), coords);
    if (x.isUniform() && y.isUniform()) {
      return uniform(o.andI(x.value, y.value));
    }
    Lanes result = vector(o.andI(vectorOf(x), vectorOf(y)));
    if (x.allTrue && y.allTrue) {
      result.allTrue = o.andI(x.allTrue, y.allTrue);
    }
    return result;
  }
  return {};
}

} // namespace pavage::cpu

// Random programs: memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Dialect/Math/IR/Math.h"
#include "tests/fuzz/Generator.h"

using namespace mlir;
using namespace pavage::tile;

namespace pavage::fuzz {

/// The address of this program's region in a buffer of the role. Outputs are always new, others are shared by all
/// accesses of their element type.
Value Generator::bufferPointer(Argument::Role role, Type element) {
  bool fresh = role == Argument::Output || role == Argument::Approximate;
  Value argument;
  for (auto [index, known] : llvm::enumerate(arguments)) {
    if (!fresh && known.role == role && known.element == element) {
      argument = entry->getArgument(index);
    }
  }
  if (!argument) {
    arguments.push_back({role, element, kRegion * 4});
    argument = entry->addArgument(PtrType::get(element), builder.getLoc());
  }
  return AddPtrOp::create(builder, argument, regionStart);
}

/// Offsets below kRegion of a tile: contiguous, strided, transposed, or (if lanes may share one) anything.
Value Generator::offsets(const Shape &shape, bool unique) {
  Type i32 = builder.getI32Type();
  int64_t rank = shape.size(), total = 1;
  for (int64_t extent : shape) {
    total *= extent;
  }
  if (!unique && dice.chance(20)) {
    Value any = pool.find(dice, [&](Value v) { return v.getType() == tileOrScalar(shape, i32); });
    if (any) {
      return RemOp::create(builder, any, splat(constant(i32, kRegion), shape), false);
    }
  }
  // Axes from the fastest to the slowest; usually the last axis is the fastest.
  std::vector<int64_t> order;
  for (int64_t axis = rank - 1; axis >= 0; --axis) {
    order.push_back(axis);
  }
  if (dice.chance(25)) {
    for (int64_t i = rank - 1; i > 0; --i) {
      std::swap(order[i], order[dice.below(i + 1)]);
    }
  }
  int64_t stride = dice.chance(20) && total * 3 < kRegion ? 2 + dice.below(2) : 1;
  if (!unique && dice.chance(10)) {
    stride = 0;
  }
  Value sum;
  int64_t span = stride;
  for (int64_t axis : order) {
    Value along = IotaOp::create(builder, tileOrScalar({shape[axis]}, i32), 0);
    along = arith::MulIOp::create(builder, along, splat(constant(i32, span), {shape[axis]}));
    span *= shape[axis];
    Shape at{shape[axis]};
    for (int64_t other = 0; other < rank; ++other) {
      if (other != axis) {
        Shape wider = at;
        wider.insert(wider.begin() + other, 1);
        along = ExpandDimsOp::create(builder, tileOrScalar(wider, i32), along, other);
        at = wider;
      }
    }
    along = BroadcastOp::create(builder, tileOrScalar(shape, i32), along);
    sum = sum ? Value(arith::AddIOp::create(builder, sum, along)) : along;
  }
  int64_t slack = kRegion - std::max<int64_t>(span, 1);
  if (slack > 0 && dice.chance(40)) {
    sum = arith::AddIOp::create(builder, sum, splat(constant(i32, dice.below(std::min<int64_t>(slack, 97))), shape));
  }
  return sum;
}

Value Generator::load(const Shape &shape, Type element) {
  Value base = bufferPointer(dice.chance(25) ? Argument::InOut : Argument::Input, element);
  Value pointers = AddPtrOp::create(builder, splat(base, shape), offsets(shape, false));
  Value keep, other;
  if (dice.chance(35)) {
    keep = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, offsets(shape, false),
                                 splat(constant(builder.getI32Type(), dice.below(600)), shape));
    if (dice.chance(50)) {
      other = splat(constant(element, dice.below(5) - 2), shape);
    }
  }
  return LoadOp::create(builder, pointers, keep, other);
}

void Generator::store() {
  Value stored = anyTile();
  Shape shape(shapeOf(stored.getType()));
  Type element = elementTypeOf(stored.getType());
  if (dice.chance(40)) {
    return storeResult(stored, false);
  }
  Value base = bufferPointer(Argument::InOut, element);
  Value pointers = AddPtrOp::create(builder, splat(base, shape), offsets(shape, true));
  Value keep = dice.chance(40) ? mask(shape) : Value();
  StoreOp::create(builder, pointers, stored, keep);
}

/// Stores a value of any type, contiguously, to an output of its own.
void Generator::storeResult(Value stored, bool approximate) {
  Shape shape(shapeOf(stored.getType()));
  Type element = elementTypeOf(stored.getType()), i32 = builder.getI32Type();
  Value base = bufferPointer(approximate ? Argument::Approximate : Argument::Output, element);
  if (shape.empty()) {
    StoreOp::create(builder, base, stored, Value());
    return;
  }
  int64_t total = cast<RankedTensorType>(stored.getType()).getNumElements();
  Value flat = IotaOp::create(builder, tileOrScalar({total}, i32), 0);
  if (shape.size() > 1) {
    flat = ReshapeOp::create(builder, tileOrScalar(shape, i32), flat);
  }
  StoreOp::create(builder, AddPtrOp::create(builder, splat(base, shape), flat), stored, Value());
}

void Generator::blockAccess() {
  Type element = randomElement(), i64 = builder.getI64Type();
  Shape shape(1 + dice.below(3));
  for (int64_t &extent : shape) {
    extent = 1 + dice.below(12);
  }
  SmallVector<Value> starts, strides, extents;
  SmallVector<int32_t> checked;
  int64_t span = 1;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    int64_t extent = 1 + dice.below(14), start = dice.below(5);
    bool check = dice.chance(70) || true; // unchecked axes must stay inside: keep the box within them
    start -= check ? 2 : 0;
    starts.insert(starts.begin(), constant(i64, start));
    strides.insert(strides.begin(), constant(i64, span));
    extents.insert(extents.begin(), constant(i64, extent));
    checked.insert(checked.begin(), axis);
    span *= 15;
  }
  bool storing = dice.chance(40);
  Value base = bufferPointer(storing || dice.chance(30) ? Argument::InOut : Argument::Input, element);
  Type tile = tileOrScalar(shape, element);
  if (storing) {
    BlockStoreOp::create(builder, base, starts, strides, extents, value(tile), checked);
  } else {
    Value other = dice.chance(50) ? constant(element, dice.below(7) - 3) : Value();
    pool.add(BlockLoadOp::create(builder, tile, base, starts, strides, extents, other, checked, Cache::None,
                                 Eviction::Normal, false));
  }
}

/// Integer atomics; lanes act in row-major order, so with one program even the old values are known.
void Generator::atomic() {
  Type element = dice.chance(70) ? builder.getI32Type() : builder.getI64Type();
  Shape shape = randomShape();
  static const std::vector<AtomicKind> kinds = {AtomicKind::AddI, AtomicKind::MaxS, AtomicKind::MaxU,
                                                AtomicKind::MinS, AtomicKind::MinU, AtomicKind::And,
                                                AtomicKind::Or,   AtomicKind::Xor,  AtomicKind::Xchg};
  Value base = bufferPointer(Argument::InOut, element);
  Value pointers = AddPtrOp::create(builder, splat(base, shape), offsets(shape, false));
  Type type = tileOrScalar(shape, element);
  if (dice.chance(20)) {
    return pool.add(AtomicCASOp::create(builder, type, pointers, value(type), value(type)));
  }
  Value keep = dice.chance(40) ? mask(shape) : Value();
  pool.add(AtomicRMWOp::create(builder, type, dice.pick(kinds), pointers, value(type), keep));
}

/// A function that targets only approximate: compared with a tolerance and never used further.
void Generator::transcendental() {
  Shape shape = randomShape();
  Value x = value(tileOrScalar(shape, dice.chance(80) ? builder.getF32Type() : builder.getF64Type()));
  Value r;
  switch (dice.below(12)) {
  case 0:
    r = math::ExpOp::create(builder, x);
    break;
  case 1:
    r = math::Exp2Op::create(builder, x);
    break;
  case 2:
    r = math::LogOp::create(builder, x);
    break;
  case 3:
    r = math::Log2Op::create(builder, x);
    break;
  case 4:
    r = math::SinOp::create(builder, x);
    break;
  case 5:
    r = math::CosOp::create(builder, x);
    break;
  case 6:
    r = math::TanhOp::create(builder, x);
    break;
  case 7:
    r = math::ErfOp::create(builder, x);
    break;
  case 8:
    r = math::RsqrtOp::create(builder, x);
    break;
  case 9:
    r = math::Log1pOp::create(builder, x);
    break;
  case 10:
    r = math::ExpM1Op::create(builder, x);
    break;
  default:
    r = math::AtanOp::create(builder, x);
    break;
  }
  storeResult(r, true);
}

/// Stores a handful of values that nothing has used, so that little of the program is dead.
void Generator::finish() {
  for (int64_t i = 0, n = 2 + dice.below(3); i < n; ++i) {
    Value last = pool.find(dice, [](Value v) { return v.use_empty() && !isa<PtrType>(elementTypeOf(v.getType())); });
    if (last) {
      storeResult(last, false);
    }
  }
}

} // namespace pavage::fuzz

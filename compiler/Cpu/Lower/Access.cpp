// Loads and stores of vectors: consecutive elements at once, others one by one. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "runtime/Artifact/Abi.h"

using namespace mlir;

namespace pavage::cpu {

// --- types in memory -------------------------------------------------------------------------------------------------

Type Emitter::memoryType(Type element) {
  Type lowered = loweredElement(element);
  return lowered.isInteger(1) ? b.getI8Type() : lowered;
}

Value Emitter::toMemory(Value value, Type element) {
  return element.isInteger(1) ? ops().resize(value, 8, false) : value;
}

Value Emitter::fromMemory(Value value, Type element) {
  return element.isInteger(1) ? ops().cmp(Ops::Pred::ne, value, 0) : value;
}

Value Emitter::pointerFrom(Value address) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::IntToPtrOp::create(b, loc, typeLike(pointer, address.getType()), address);
}

// --- choices ---------------------------------------------------------------------------------------------------------

Value Emitter::branch(Value condition, Type result, llvm::function_ref<Value()> then,
                      llvm::function_ref<Value()> otherwise) {
  auto op = scf::IfOp::create(b, loc, result, condition, true);
  OpBuilder::InsertionGuard guard(b);
  auto saved = nest->cache;
  bool wasPinned = std::exchange(nest->isPinned, true);
  b.setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(b, loc, then());
  nest->cache = saved;
  b.setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(b, loc, otherwise());
  nest->cache = saved;
  nest->isPinned = wasPinned;
  return op.getResult(0);
}

void Emitter::when(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(b, loc, condition, static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(b);
  std::map<Nest::Key, Lanes> saved;
  bool wasPinned = false;
  if (nest) {
    saved = nest->cache;
    wasPinned = std::exchange(nest->isPinned, true);
  }
  b.setInsertionPointToStart(op.thenBlock());
  then();
  if (otherwise) {
    if (nest) {
      nest->cache = saved;
    }
    b.setInsertionPointToStart(op.elseBlock());
    otherwise();
  }
  if (nest) {
    nest->cache = saved;
    nest->isPinned = wasPinned;
  }
}

/// The lanes that are accessed: the mask, inside the shape; null = all.
static Value activeLanes(Ops o, Value mask, Value tail) {
  return mask && tail ? o.andI(mask, tail) : mask ? mask : tail;
}

Lanes Emitter::load(const Access &access, Lanes other) {
  Ops o = ops();
  Type element = access.element, memory = memoryType(element);
  unsigned bytes = storageBytes(element);
  bool hasScalarMask = !access.mask || access.mask.isUniform();
  if (nest->lanes == 1 || (access.pointer.isUniform() && hasScalarMask && (!other || other.isUniform()))) {
    auto read = [&]() -> Value {
      checkAccess(access, access.pointer, false);
      Value value = LLVM::LoadOp::create(b, loc, memory, pointerFrom(access.pointer.value), bytes);
      return fromMemory(value, element);
    };
    if (!access.mask) {
      return uniform(read());
    }
    Value otherwise = other ? other.value : o.bits(loweredElement(element), 0);
    return uniform(branch(access.mask.value, loweredElement(element), read, [&] { return otherwise; }));
  }
  Value mask = access.mask ? vectorOf(access.mask) : Value();
  Value active = activeLanes(o, mask, nest->tail);
  Value allTrue = nest->tail ? Value() : access.mask ? access.mask.allTrue : Value();
  Value otherwise = other ? toMemory(vectorOf(other), element) : Value();
  Type result = VectorType::get({nest->lanes}, memory);
  auto consecutive = [&]() -> Value {
    checkAccess(access, access.pointer, false);
    return contiguousLoad(memory, access.pointer.value, active, allTrue, otherwise);
  };
  auto scattered = [&](const Lanes &pointer) -> Value {
    checkAccess(access, pointer, false);
    return gather(memory, vectorOf(pointer), active, otherwise);
  };
  bool isConsecutive = access.pointer.kind == Lanes::Affine && access.pointer.step == bytes;
  Value value;
  if (access.pointer.guard) {
    auto plain = access.pointer;
    plain.guard = {};
    value = branch(
        access.pointer.guard, result, [&] { return scattered(access.exact()); },
        [&] { return isConsecutive ? consecutive() : scattered(plain); });
  } else {
    value = isConsecutive ? consecutive() : scattered(access.pointer);
  }
  return vector(fromMemory(value, element));
}

void Emitter::store(const Access &access, const Lanes &data) {
  Ops o = ops();
  Type element = access.element;
  unsigned bytes = storageBytes(element);
  if (nest->lanes == 1) {
    auto write = [&] {
      checkAccess(access, access.pointer, true);
      LLVM::StoreOp::create(b, loc, toMemory(data.value, element), pointerFrom(access.pointer.value), bytes);
    };
    access.mask ? when(access.mask.value, write) : write();
    return;
  }
  Value mask = access.mask ? vectorOf(access.mask) : Value();
  Value active = activeLanes(o, mask, nest->tail);
  Value allTrue = nest->tail ? Value() : access.mask ? access.mask.allTrue : Value();
  Value value = toMemory(vectorOf(data), element);
  auto consecutive = [&] {
    checkAccess(access, access.pointer, true);
    contiguousStore(value, access.pointer.value, active, allTrue);
  };
  auto scattered = [&](const Lanes &pointer) {
    checkAccess(access, pointer, true);
    scatter(value, vectorOf(pointer), active);
  };
  bool isConsecutive = access.pointer.kind == Lanes::Affine && access.pointer.step == bytes;
  if (access.pointer.guard) {
    auto unguarded = access.pointer;
    unguarded.guard = {};
    when(
        access.pointer.guard, [&] { scattered(access.exact()); },
        [&] { isConsecutive ? consecutive() : scattered(unguarded); });
  } else {
    isConsecutive ? consecutive() : scattered(access.pointer);
  }
}

// --- from ops --------------------------------------------------------------------------------------------------------

Emitter::Access Emitter::accessOf(Operation *op, Coords coords) {
  Value pointer = op->getOperand(0), mask;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    mask = load.getMask();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    mask = store.getMask();
  }
  Type element = cast<tile::PtrType>(tile::elementTypeOf(pointer.getType())).getPointee();
  SmallVector<Coord> place(coords);
  Access access{op, element, eval(pointer, coords, false), [this, pointer, place] { return eval(pointer, place); }, {}};
  if (mask) {
    access.mask = eval(mask, coords);
  }
  return access;
}

/// The lanes l with 0 <= first + l < limit, for a limit from 0. Which they are is found out in scalars, so that the
/// lanes compare narrow numbers: an i64 takes twice the registers.
Value Emitter::lanesInside(Value first, Value limit) {
  Ops o = ops();
  Value lanes = o.constantLike(first, nest->lanes), zero = o.constantLike(first, 0);
  Value isBefore = o.cmp(Ops::Pred::slt, first, 0);
  auto narrow = [&](Value count) { // at most all lanes
    count = o.select(o.cmp(Ops::Pred::ult, count, lanes), count, lanes);
    return o.splat(o.resize(count, 32, false), nest->lanes);
  };
  Value from = o.select(isBefore, o.sub(zero, first), zero);
  Value reaches = o.orI(isBefore, o.cmp(Ops::Pred::ult, first, limit));
  Value to = o.select(reaches, o.sub(limit, first), zero);
  Value numbers = laneNumbers(b.getI32Type());
  return o.andI(o.cmp(Ops::Pred::sge, numbers, narrow(from)), o.cmp(Ops::Pred::slt, numbers, narrow(to)));
}

Emitter::Access Emitter::blockAccessOf(Operation *op, Coords coords) {
  auto parts = [&](auto block) {
    return std::make_tuple(Value(block.getBase()), ValueRange(block.getOffsets()), ValueRange(block.getStrides()),
                           ValueRange(block.getExtents()), block.getChecked());
  };
  auto [base, offsets, strides, extents, checked] =
      isa<tile::BlockLoadOp>(op) ? parts(cast<tile::BlockLoadOp>(op)) : parts(cast<tile::BlockStoreOp>(op));
  Ops o = ops();
  auto pointer = cast<tile::PtrType>(base.getType());
  Access access{op, pointer.getPointee(), uniform(scalar(base)), {}, {}};
  unsigned level = 0;
  for (const Coord &coord : coords) {
    level = std::max(level, coord.level);
  }
  Lanes mask;
  bool isAffine = true;
  Value address = access.pointer.value, vectorAddress;
  int64_t step = 0;
  for (auto [axis, coord] : llvm::enumerate(coords)) {
    Value offset = scalar(offsets[axis]), stride = scalar(strides[axis]), extent = scalar(extents[axis]);
    Value unit = o.mul(stride, static_cast<uint64_t>(pointer.getStride()));
    bool isVector = coord.vec || coord.lane != 0;
    Value place = coord.vec ? coord.vec : isVector ? coordVector(coord) : coordScalar(coord);
    Value x = o.add(isVector ? o.splat(offset, nest->lanes) : offset, place);
    APInt constant;
    if (isVector && !coord.vec && matchPattern(unit, m_ConstantInt(&constant))) {
      address = o.add(address, o.mul(o.add(offset, coordScalar(coord)), unit));
      step += constant.getSExtValue() * coord.lane;
    } else if (isVector) {
      Value move = o.mul(x, o.splat(unit, nest->lanes));
      vectorAddress = vectorAddress ? o.add(vectorAddress, move) : move;
      isAffine = false;
    } else {
      address = o.add(address, o.mul(x, unit));
    }
    if (!llvm::is_contained(checked, static_cast<int32_t>(axis))) {
      continue;
    }
    // 0 <= x < extent as one unsigned comparison; an extent below 0 admits nothing.
    Value limit = o.select(o.cmp(Ops::Pred::sgt, extent, 0), extent, o.constantLike(extent, 0));
    Value inside = isVector && !coord.vec && coord.lane == 1
                       ? lanesInside(o.add(offset, coordScalar(coord)), limit)
                       : o.cmp(Ops::Pred::ult, x, isVector ? o.splat(limit, nest->lanes) : limit);
    Lanes part = lanesFrom(inside);
    if (isVector && !coord.vec && coord.lane > 0) {
      Value first = o.add(offset, coordScalar(coord)), last = o.add(first, coord.lane * (nest->lanes - 1));
      part.allTrue = o.andI(o.cmp(Ops::Pred::ult, first, limit), o.cmp(Ops::Pred::ult, last, limit));
    }
    if (!mask) {
      mask = part;
    } else {
      bool stays = mask.isUniform() && part.isUniform();
      Lanes both = stays ? uniform(o.andI(mask.value, part.value)) : vector(o.andI(vectorOf(mask), vectorOf(part)));
      both.allTrue = mask.allTrue && part.allTrue ? o.andI(mask.allTrue, part.allTrue) : Value();
      mask = both;
    }
  }
  access.pointer = step == 0 ? uniform(address) : Lanes{Lanes::Affine, address, step, {}, {}};
  if (!isAffine) {
    access.pointer = vector(o.add(vectorOf(access.pointer), vectorAddress));
  }
  access.mask = mask;
  return access;
}

Lanes Emitter::evalLoad(Operation *op, Coords coords, bool exact) {
  if (auto block = dyn_cast<tile::BlockLoadOp>(op)) {
    Lanes other = block.getOther() ? uniform(scalar(block.getOther())) : Lanes();
    return load(blockAccessOf(op, coords), other);
  }
  auto plain = cast<tile::LoadOp>(op);
  Access access = accessOf(op, coords);
  return load(access, plain.getOther() ? eval(plain.getOther(), coords) : Lanes());
}

LogicalResult Emitter::emitStore(Operation *op) {
  auto block = dyn_cast<tile::BlockStoreOp>(op);
  Value value = block ? Value(block.getValue()) : cast<tile::StoreOp>(op).getValue();
  SmallVector<Value> reads(op->getOperands());
  runNest(tile::shapeOf(value.getType()), reads, [&](Nest &current) {
    Lanes data = eval(value, current.coords);
    Access access = block ? blockAccessOf(op, current.coords) : accessOf(op, current.coords);
    store(access, data);
  });
  return success();
}

// --- checks ----------------------------------------------------------------------------------------------------------

void Emitter::checkAccess(const Access &access, const Lanes &pointer, bool isWrite) {
  if (!check || isa<arith::ConstantOp>(access.op)) {
    return;
  }
  Ops o = ops();
  Value root = pointerRoot(access.op->getOperand(0));
  auto argument = dyn_cast_or_null<BlockArgument>(root);
  auto found = accessSites.find(access.op);
  unsigned site =
      found != accessSites.end() ? found->second : addSite("access", access.op->getName().getStringRef(), loc);
  accessSites[access.op] = site;
  auto ask = [&](Value address) {
    Value result =
        callLaunch(offsetof(PavageLaunch, check_access),
                   {o.constant(o.i(32), site), o.constant(o.i(32), argument ? argument.getArgNumber() : -1), address,
                    i64(storageBytes(access.element)), o.constant(o.i(32), isWrite), fields.program},
                   true);
    exitIf(result);
  };
  if (nest->lanes == 1 || pointer.kind == Lanes::Uniform) {
    // Asked only where some lane is accessed; a scalar access is inside of the test of its mask already.
    Value some = nest->lanes != 1 && access.mask && !access.mask.isUniform() ? o.any(vectorOf(access.mask)) : Value();
    some ? when(some, [&] { ask(pointer.value); }) : ask(pointer.value);
    return;
  }
  Value addresses = vectorOf(pointer), mask = activeLanes(o, access.mask ? vectorOf(access.mask) : Value(), nest->tail);
  LLVM::StoreOp::create(b, loc, addresses, laneSlot(1), 8);
  forActiveLanes(mask, [&](Value lane) {
    ask(LLVM::LoadOp::create(b, loc, b.getI64Type(), laneElement(laneSlot(1), b.getI64Type(), lane), 8));
  });
}

} // namespace pavage::cpu

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

// --- single accesses -------------------------------------------------------------------------------------------------

static Value allOnes(OpBuilder &b, Location loc, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
}

/// Consecutive elements of a vector, those without mask being `otherwise` (null = 0).
Value Emitter::contiguousLoad(Type memory, Value address, Value mask, Value allTrue, Value otherwise) {
  auto type = VectorType::get({nest->lanes}, memory);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  auto plain = [&]() -> Value { return LLVM::LoadOp::create(b, loc, type, pointerFrom(address), bytes); };
  if (!mask) {
    return plain();
  }
  Value other = otherwise ? otherwise : ops().bits(type, 0);
  auto masked = [&]() -> Value {
    return LLVM::MaskedLoadOp::create(b, loc, type, pointerFrom(address), mask, other, bytes);
  };
  if (target.hasMaskedMemory) {
    return masked();
  }
  // Without masked memory this becomes a branch per lane, so the common case is taken out.
  return branch(allTrue ? allTrue : ops().all(mask), type, plain, masked);
}

Value Emitter::gather(Type memory, Value addresses, Value mask, Value otherwise) {
  auto type = VectorType::get({nest->lanes}, memory);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  Value other = otherwise ? otherwise : ops().bits(type, 0);
  Value active = mask ? mask : allOnes(b, loc, nest->lanes);
  return LLVM::masked_gather::create(b, loc, type, pointerFrom(addresses), active, other, b.getI32IntegerAttr(bytes));
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
  auto plain = [&] { LLVM::StoreOp::create(b, loc, value, pointerFrom(access.pointer.value), bytes); };
  auto masked = [&] { LLVM::MaskedStoreOp::create(b, loc, value, pointerFrom(access.pointer.value), active, bytes); };
  auto consecutive = [&] {
    checkAccess(access, access.pointer, true);
    if (!active) {
      plain();
    } else if (allTrue || !target.hasMaskedMemory) {
      // A masked store of a line that is not in the cache is slow.
      when(allTrue ? allTrue : o.all(active), plain, masked);
    } else {
      masked();
    }
  };
  // In the order of the lanes, so that the last of equal addresses wins.
  auto scattered = [&](const Lanes &pointer) {
    checkAccess(access, pointer, true);
    LLVM::masked_scatter::create(b, loc, value, pointerFrom(vectorOf(pointer)),
                                 active ? active : allOnes(b, loc, nest->lanes), b.getI32IntegerAttr(bytes));
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
    Value inside = o.cmp(Ops::Pred::ult, x, isVector ? o.splat(limit, nest->lanes) : limit);
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
  scf::ForOp loop = openLoop(nest->lanes, 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  auto lane = [&](Value vector) { return LLVM::ExtractElementOp::create(b, loc, vector, loop.getInductionVar()); };
  auto one = [&] { ask(lane(addresses)); };
  mask ? when(lane(mask), one) : one();
}

// --- buffers ---------------------------------------------------------------------------------------------------------

Value Emitter::bufferAddress(int64_t offset) { return ops().add(fields.scratchAddress, static_cast<uint64_t>(offset)); }

Coord Emitter::bufferIndex(const Buffer &buffer, Coords coords) { return linearize(coords, buffer.shape.strides); }

/// A pointer to the element of lane 0, derived from the scratch pointer, which nothing else reaches.
Value Emitter::elementPointer(const Buffer &buffer, const Coord &index) {
  Coord bytes = scale({index.base, index.offset, 0, {}, index.level}, storageBytes(buffer.element));
  Value place = bytes.base ? ops().add(bytes.base, static_cast<uint64_t>(buffer.offset + bytes.offset))
                           : i64(buffer.offset + bytes.offset);
  return LLVM::GEPOp::create(b, loc, fields.scratch.getType(), b.getI8Type(), fields.scratch,
                             ArrayRef<LLVM::GEPArg>{place});
}

Lanes Emitter::loadBuffer(const Buffer &buffer, Coords coords) {
  Ops o = ops();
  Coord index = bufferIndex(buffer, coords);
  Type memory = memoryType(buffer.element);
  unsigned bytes = storageBytes(buffer.element);
  if (!index.vec && (index.lane == 0 || nest->lanes == 1)) {
    Value value = LLVM::LoadOp::create(b, loc, memory, elementPointer(buffer, index), bytes);
    return uniform(fromMemory(value, buffer.element));
  }
  if (!index.vec && index.lane == 1) {
    auto type = VectorType::get({nest->lanes}, memory);
    Value value = LLVM::LoadOp::create(b, loc, type, elementPointer(buffer, index), bytes);
    return vector(fromMemory(value, buffer.element));
  }
  Value addresses = o.add(o.splat(bufferAddress(buffer.offset), nest->lanes), o.mul(coordVector(index), bytes));
  return vector(fromMemory(gather(memory, addresses, nest->tail, {}), buffer.element));
}

void Emitter::storeBuffer(const Buffer &buffer, Coords coords, const Lanes &value, Value mask) {
  Coord index = bufferIndex(buffer, coords);
  unsigned bytes = storageBytes(buffer.element);
  bool isScalar = nest->lanes == 1 || index.lane == 0;
  Value data = toMemory(isScalar ? value.value : vectorOf(value), buffer.element);
  Value address = elementPointer(buffer, index);
  if (mask && !isScalar) {
    LLVM::MaskedStoreOp::create(b, loc, data, address, mask, bytes);
    return;
  }
  LLVM::StoreOp::create(b, loc, data, address, bytes);
}

/// The address of a constant tile's elements, laid out as in a buffer.
Value Emitter::constantAddress(Operation *op) {
  Value &address = constants[op];
  if (address) {
    return address;
  }
  auto values = cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  Buffer buffer = bufferAt(op->getResult(0), 0);
  unsigned bytes = storageBytes(buffer.element);
  // Vectors may read beyond the last element.
  std::vector<char> data((buffer.shape.elements + rowAlignment) * bytes, 0);
  SmallVector<int64_t> place(buffer.extents.size(), 0);
  for (Attribute element : values.getValues<Attribute>()) {
    int64_t index = 0;
    for (auto [coord, stride] : llvm::zip(place, buffer.shape.strides)) {
      index += coord * stride;
    }
    auto number = dyn_cast<FloatAttr>(element);
    uint64_t bits =
        (number ? number.getValue().bitcastToAPInt() : cast<IntegerAttr>(element).getValue()).getZExtValue();
    std::memcpy(&data[index * bytes], &bits, bytes);
    for (int axis = static_cast<int>(place.size()) - 1; axis >= 0 && ++place[axis] == buffer.extents[axis]; --axis) {
      place[axis] = 0;
    }
  }
  OpBuilder::InsertionGuard guard(b);
  std::string name = "pavage.constant." + std::to_string(numConstants++);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), data.size());
  auto global = LLVM::GlobalOp::create(b, loc, type, true, LLVM::Linkage::Private, name,
                                       b.getStringAttr(StringRef(data.data(), data.size())), 64);
  b.setInsertionPointAfterValue(fields.scratchAddress);
  Value pointer = LLVM::AddressOfOp::create(b, loc, global);
  address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
  return address;
}

} // namespace pavage::cpu

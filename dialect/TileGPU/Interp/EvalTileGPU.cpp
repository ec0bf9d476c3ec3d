// Rings, asynchronous copies and products. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/TileGPU/Interp/Interp.h"

#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/TileGPU/TileGPU.h"
#include <bit>

using namespace mlir;
using namespace pavage;
using namespace pavage::tile;
using namespace pavage::tilegpu;

using State = Interp::State;

namespace {
/// A copy that has been issued and not landed.
struct Flight {
  uint64_t ring;
  int64_t slot;
  Datum data;
};

/// Shared memory of one program.
struct SharedMemory {
  std::vector<std::vector<Datum>> rings; ///< by handle, by slot
  std::vector<std::vector<Flight>> groups;
  std::vector<Flight> open; ///< since the last commit
};
} // namespace

static void makePoison(Datum &datum) { datum.poison.assign(datum.numElements(), 1); }

/// The slot that an operand pair names; null after a finding.
static Datum *findSlot(State &state, Operation *op, const Datum &ring, const Datum &slot) {
  if (!state.usable(op, slot, 0, "the slot")) {
    return nullptr;
  }
  std::vector<Datum> &slots = state.memoryOf<SharedMemory>().rings[ring.bits(0)];
  uint64_t number = slot.bits(0);
  if (number >= slots.size()) {
    state.report(FindingKind::OutOfBounds, op,
                 "slot " + Twine(number) + " of a ring with " + Twine(slots.size()) + " slots");
    return nullptr;
  }
  return &slots[number];
}

static bool evalConvert(State &state, Operation *op, Data in) {
  Datum value = *in[0];
  state.set(op->getResult(0), std::move(value));
  return true;
}

static bool evalAlloc(State &state, Operation *op, Data) {
  auto &rings = state.memoryOf<SharedMemory>().rings;
  RingType type = cast<AllocOp>(op).getRing().getType();
  Datum empty(type.getTile());
  makePoison(empty);
  state.define(op->getResult(0), 1).setBits(0, rings.size());
  rings.emplace_back(type.getSlots(), empty);
  return true;
}

static bool evalWrite(State &state, Operation *op, Data in) {
  Datum *slot = findSlot(state, op, *in[1], *in[2]);
  if (!slot) {
    return false;
  }
  slot->bytes = in[0]->bytes;
  slot->poison = in[0]->poison;
  return true;
}

static bool evalRead(State &state, Operation *op, Data in) {
  const Datum *slot = findSlot(state, op, *in[0], *in[1]);
  if (!slot) {
    return false;
  }
  state.set(op->getResult(0), *slot);
  return true;
}

/// The slot is poison from now on.
static bool issue(State &state, Operation *op, const Datum &ring, const Datum &number, Datum data) {
  Datum *slot = findSlot(state, op, ring, number);
  if (!slot) {
    return false;
  }
  makePoison(*slot);
  auto index = static_cast<int64_t>(number.bits(0));
  state.memoryOf<SharedMemory>().open.push_back({ring.bits(0), index, std::move(data)});
  return true;
}

static bool evalCopyAsync(State &state, Operation *op, Data in) {
  auto copy = cast<CopyAsyncOp>(op);
  BlockOperands block{copy.getBase(), copy.getOffsets(), copy.getStrides(), copy.getExtents(), copy.getChecked()};
  Datum data(copy.getRing().getType().getTile());
  std::vector<uint64_t> pointers;
  std::vector<uint8_t> inside;
  return addressBlock(state, op, block, data.type, pointers, inside) &&
         loadLanes(state, op, data, pointers.data(), inside.data(), nullptr) &&
         issue(state, op, *state.find(copy.getRing()), *state.find(copy.getSlot()), std::move(data));
}

static bool evalGatherAsync(State &state, Operation *op, Data) {
  auto copy = cast<GatherAsyncOp>(op);
  const Datum &pointer = *state.find(copy.getPtr());
  const Datum *mask = copy.getMask() ? state.find(copy.getMask()) : nullptr;
  Datum data(copy.getRing().getType().getTile());
  return usableAccess(state, op, pointer, mask) &&
         loadLanes(state, op, data, elements<uint64_t>(pointer), mask ? mask->bytes.data() : nullptr, nullptr) &&
         issue(state, op, *state.find(copy.getRing()), *state.find(copy.getSlot()), std::move(data));
}

static bool evalCommit(State &state, Operation *, Data) {
  auto &memory = state.memoryOf<SharedMemory>();
  memory.groups.push_back(std::move(memory.open));
  memory.open.clear();
  return true;
}

static bool evalWait(State &state, Operation *op, Data) {
  auto &memory = state.memoryOf<SharedMemory>();
  while (static_cast<int64_t>(memory.groups.size()) > cast<WaitOp>(op).getPending()) {
    for (Flight &flight : memory.groups.front()) {
      Datum &slot = memory.rings[flight.ring][flight.slot];
      slot.bytes = std::move(flight.data.bytes);
      slot.poison = std::move(flight.data.poison);
    }
    memory.groups.erase(memory.groups.begin());
  }
  return true;
}

static bool evalBarrier(State &, Operation *, Data) { return true; }

/// The nearest number with ten digits after the point, ties away from zero.
static float roundToTf32(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  return std::isfinite(x) ? std::bit_cast<float>((bits + 0x1000) & ~uint32_t(0x1fff)) : x;
}

static bool evalMma(State &state, Operation *op, Data in) {
  auto mma = cast<MmaOp>(op);
  Datum lhs, rhs;
  if (mma.getTf32()) {
    auto rounded = [](Datum datum) {
      auto *numbers = elements<float>(datum);
      std::transform(numbers, numbers + datum.numElements(), numbers, roundToTf32);
      return datum;
    };
    lhs = rounded(*in[0]);
    rhs = rounded(*in[1]);
    in = {};
    const Datum *rounds[] = {&lhs, &rhs, state.find(mma.getAcc())};
    evalProduct(state.define(op->getResult(0)), rounds, false, false);
    return true;
  }
  evalProduct(state.define(op->getResult(0)), in, mma.getAUnsigned(), mma.getBUnsigned());
  return true;
}

static bool evalDotFma(State &state, Operation *op, Data) {
  auto dot = cast<DotFmaOp>(op);
  const Datum *a = findSlot(state, op, *state.find(dot.getA()), *state.find(dot.getASlot()));
  const Datum *b = findSlot(state, op, *state.find(dot.getB()), *state.find(dot.getBSlot()));
  if (!a || !b) {
    return false;
  }
  const Datum *in[] = {a, b, state.find(dot.getAcc())};
  evalProduct(state.define(op->getResult(0)), in, dot.getAUnsigned(), dot.getBUnsigned());
  return true;
}

static void addTileGPUHandlers(HandlerTable &table) {
  table.addHandle<RingType>();
  table.add<ConvertOp>(evalConvert);
  table.add<AllocOp>(evalAlloc);
  table.add<WriteOp>(evalWrite);
  table.add<ReadOp>(evalRead);
  table.add<CopyAsyncOp>(evalCopyAsync);
  table.add<GatherAsyncOp>(evalGatherAsync);
  table.add<CommitOp>(evalCommit);
  table.add<WaitOp>(evalWait);
  table.add<tilegpu::BarrierOp>(evalBarrier);
  table.add<MmaOp>(evalMma);
  table.add<DotFmaOp>(evalDotFma);
}

void pavage::tilegpu::extendInterp() { HandlerTable::extend(addTileGPUHandlers); }

// Addresses, loads, stores and atomics on real host memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access is a list of pointers and of lanes that take part. It is split into runs of neighbouring elements; a run is
// checked against its array and copied as a whole, and only when the check fails lane by lane, to name the lane.
#include "dialect/Tile/Interp/FloatOps.h"
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

namespace {
struct Run {
  int64_t lane;
  int64_t count;
  uint64_t pointer;
};

/// The lanes of one access; `mask` is null when all take part.
class Access {
public:
  Access(State &state, Operation *op, const uint64_t *pointers, const uint8_t *mask, int64_t lanes, int64_t size)
      : state(state), op(op), pointers(pointers), mask(mask), lanes(lanes), size(size) {}

  /// Splits into runs and checks them.
  bool prepare(bool isWrite) {
    for (int64_t i = 0; i < lanes; ++i) {
      if (mask && mask[i] == 0) {
        continue;
      }
      if (!runs.empty() && runs.back().lane + runs.back().count == i &&
          runs.back().pointer + static_cast<uint64_t>(runs.back().count * size) == pointers[i]) {
        ++runs.back().count;
      } else {
        runs.push_back({i, 1, pointers[i]});
      }
    }
    if (!state.options.checkBounds) {
      return true;
    }
    for (const Run &run : runs) {
      if (check(run.pointer, run.count * size, isWrite, -1)) {
        continue;
      }
      for (int64_t i = 0; i < run.count; ++i) {
        if (!check(run.pointer + static_cast<uint64_t>(i * size), size, isWrite, run.lane + i)) {
          return false;
        }
      }
    }
    return true;
  }

  ArrayRef<Run> getRuns() const { return runs; }
  static void *hostPointer(uint64_t pointer) { return reinterpret_cast<void *>(plainAddress(pointer)); }

private:
  /// Whether [pointer, pointer + bytes) may be accessed; with a lane, a miss is reported.
  bool check(uint64_t pointer, int64_t bytes, bool isWrite, int64_t lane) {
    uint64_t address = plainAddress(pointer), origin = originOf(pointer);
    const std::vector<ArrayRecord> &arrays = state.options.arrays;
    if (origin >= 1 && origin <= arrays.size()) {
      const ArrayRecord &record = arrays[origin - 1];
      if (!record.anyExtent && !state.bounds[origin - 1].contains(address, bytes)) {
        return lane >= 0 &&
               outOfBounds(isWrite, lane, "'" + record.name + "', at " + state.bounds[origin - 1].describe(address));
      }
      return !isWrite || !record.readOnly || readOnly(record, lane);
    }
    bool known = true;
    for (auto [record, bounds] : llvm::zip(arrays, state.bounds)) {
      if (!record.anyExtent && bounds.contains(address, bytes)) {
        return !isWrite || !record.readOnly || readOnly(record, lane);
      }
      known &= !record.anyExtent;
    }
    return !known ||
           (lane >= 0 && outOfBounds(isWrite, lane, "every argument, at address 0x" + llvm::utohexstr(address)));
  }

  bool outOfBounds(bool isWrite, int64_t lane, const Twine &where) {
    return state.report(FindingKind::OutOfBounds, op,
                        Twine(isWrite ? "writes" : "reads") + " outside " + where +
                            (lanes > 1 ? " (lane " + Twine(lane) + ")" : ""));
  }

  bool readOnly(const ArrayRecord &record, int64_t lane) {
    return lane >= 0 &&
           state.report(FindingKind::ReadOnlyWrite, op, "writes to '" + record.name + "', which is read-only");
  }

  State &state;
  Operation *op;
  const uint64_t *pointers;
  const uint8_t *mask;
  int64_t lanes;
  int64_t size;
  SmallVector<Run> runs;
};
} // namespace

/// Finds a use of poison in lanes that take part.
static bool usableLanes(State &state, Operation *op, const Datum &datum, const uint8_t *mask, StringRef what) {
  if (datum.poison.empty()) {
    return true;
  }
  for (int64_t i = 0, lanes = datum.numElements(); i < lanes; ++i) {
    if ((!mask || mask[i]) && !state.usable(op, datum, i, what)) {
      return false;
    }
  }
  return true;
}

/// The address and mask operands may be used.
bool pavage::tile::usableAccess(State &state, Operation *op, const Datum &pointer, const Datum *mask) {
  return (!mask || usableLanes(state, op, *mask, nullptr, "the mask")) &&
         usableLanes(state, op, pointer, mask ? mask->bytes.data() : nullptr, "the address");
}

/// Bytes as they are in registers: an i1 is 0 or 1.
static void normalize(Datum &result) {
  if (elementTypeOf(result.type).isInteger(1)) {
    for (uint8_t &byte : result.bytes) {
      byte = byte != 0;
    }
  }
}

// ---- Loads

bool pavage::tile::loadLanes(State &state, Operation *op, Datum &result, const uint64_t *pointers, const uint8_t *mask,
                             const Datum *other) {
  int64_t lanes = result.numElements(), size = elementBytes(result.type);
  Access access(state, op, pointers, mask, lanes, size);
  if (!access.prepare(false)) {
    return false;
  }
  if (mask && other) {
    bool one = other->numElements() == 1;
    for (int64_t i = 0; i < lanes; ++i) {
      if (mask[i] == 0) {
        std::memcpy(result.bytes.data() + i * size, other->bytes.data() + (one ? 0 : i * size), size);
        if (other->isPoison(one ? 0 : i)) {
          result.poison.resize(lanes);
          result.poison[i] = 1;
        }
      }
    }
  } else if (mask) {
    std::fill(result.bytes.begin(), result.bytes.end(), 0);
  }
  for (const Run &run : access.getRuns()) {
    std::memcpy(result.bytes.data() + run.lane * size, Access::hostPointer(run.pointer), run.count * size);
  }
  normalize(result);
  return true;
}

static bool evalLoad(State &state, Operation *op, Data in) {
  auto load = cast<LoadOp>(op);
  const Datum *mask = load.getMask() ? in[1] : nullptr, *other = load.getOther() ? in.back() : nullptr;
  return usableAccess(state, op, *in[0], mask) &&
         loadLanes(state, op, state.define(op->getResult(0)), elements<uint64_t>(*in[0]),
                   mask ? mask->bytes.data() : nullptr, other);
}

// ---- Stores

/// Reports an address that several lanes write with different values.
static void findDuplicates(State &state, Operation *op, ArrayRef<Run> runs, const Datum &value, int64_t size) {
  bool ascends = true;
  for (size_t i = 1; i < runs.size() && ascends; ++i) {
    ascends = runs[i].pointer >= runs[i - 1].pointer + static_cast<uint64_t>(runs[i - 1].count * size);
  }
  if (ascends) {
    return;
  }
  std::vector<std::pair<uint64_t, int64_t>> places;
  for (const Run &run : runs) {
    for (int64_t i = 0; i < run.count; ++i) {
      places.emplace_back(run.pointer + static_cast<uint64_t>(i * size), run.lane + i);
    }
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    auto [before, lane] = places[i - 1];
    auto [after, other] = places[i];
    bool same = before == after && value.bits(lane) == value.bits(other);
    if (after - before < static_cast<uint64_t>(size) && !same) {
      state.report(FindingKind::DuplicateStore, op,
                   "lanes " + Twine(lane) + " and " + Twine(other) + " write different values to one address");
      return;
    }
  }
}

static bool storeLanes(State &state, Operation *op, const uint64_t *pointers, const uint8_t *mask, const Datum &value) {
  int64_t lanes = value.numElements(), size = elementBytes(value.type);
  Access access(state, op, pointers, mask, lanes, size);
  if (!usableLanes(state, op, value, mask, "the stored value") || !access.prepare(true)) {
    return false;
  }
  findDuplicates(state, op, access.getRuns(), value, size);
  bool isPointer = isa<PtrType>(elementTypeOf(value.type));
  for (const Run &run : access.getRuns()) {
    auto *target = static_cast<uint8_t *>(Access::hostPointer(run.pointer));
    if (isPointer) {
      for (int64_t i = 0; i < run.count; ++i) {
        uint64_t plain = value.bits(run.lane + i);
        std::memcpy(target + i * size, &plain, size);
      }
    } else {
      std::memcpy(target, value.bytes.data() + run.lane * size, run.count * size);
    }
  }
  return true;
}

static bool evalStore(State &state, Operation *op, Data in) {
  const Datum *mask = in.size() > 2 ? in[2] : nullptr;
  return usableAccess(state, op, *in[0], mask) &&
         storeLanes(state, op, elements<uint64_t>(*in[0]), mask ? mask->bytes.data() : nullptr, *in[1]);
}

// ---- Blocks

bool pavage::tile::addressBlock(State &state, Operation *op, const BlockOperands &block, Type tile,
                                std::vector<uint64_t> &pointers, std::vector<uint8_t> &inside) {
  auto scalar = [&](Value value, StringRef what, uint64_t &out) {
    const Datum &datum = *state.find(value);
    std::memcpy(&out, datum.bytes.data(), sizeof(out)); // a pointer keeps its origin
    return state.usable(op, datum, 0, what);
  };
  ArrayRef<int64_t> shape = shapeOf(tile);
  uint64_t start, size = static_cast<uint64_t>(elementBytes(tile));
  if (!scalar(block.base, "the base", start)) {
    return false;
  }
  pointers.assign(1, start);
  inside.assign(1, 1);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    uint64_t offset, stride, extent;
    if (!scalar(block.offsets[axis], "an offset", offset) || !scalar(block.strides[axis], "a stride", stride) ||
        !scalar(block.extents[axis], "an extent", extent)) {
      return false;
    }
    bool isChecked = llvm::is_contained(block.checked, static_cast<int32_t>(axis));
    std::vector<uint64_t> nextPointers;
    std::vector<uint8_t> nextInside;
    nextPointers.reserve(pointers.size() * shape[axis]);
    nextInside.reserve(pointers.size() * shape[axis]);
    for (size_t outer = 0; outer < pointers.size(); ++outer) {
      for (int64_t i = 0; i < shape[axis]; ++i) {
        auto x = static_cast<int64_t>(offset + static_cast<uint64_t>(i));
        nextPointers.push_back(pointers[outer] + static_cast<uint64_t>(x) * stride * size);
        nextInside.push_back(inside[outer] && (!isChecked || (x >= 0 && x < static_cast<int64_t>(extent))));
      }
    }
    pointers.swap(nextPointers);
    inside.swap(nextInside);
  }
  return true;
}

template <class Op> static BlockOperands operandsOf(Op op) {
  return {op.getBase(), op.getOffsets(), op.getStrides(), op.getExtents(), op.getChecked()};
}

static bool evalBlockLoad(State &state, Operation *op, Data in) {
  auto block = cast<BlockLoadOp>(op);
  std::vector<uint64_t> pointers;
  std::vector<uint8_t> inside;
  return addressBlock(state, op, operandsOf(block), block.getResult().getType(), pointers, inside) &&
         loadLanes(state, op, state.define(op->getResult(0)), pointers.data(), inside.data(),
                   block.getOther() ? state.find(block.getOther()) : nullptr);
}

static bool evalBlockStore(State &state, Operation *op, Data in) {
  auto block = cast<BlockStoreOp>(op);
  std::vector<uint64_t> pointers;
  std::vector<uint8_t> inside;
  return addressBlock(state, op, operandsOf(block), block.getValue().getType(), pointers, inside) &&
         storeLanes(state, op, pointers.data(), inside.data(), *in.back());
}

// ---- Pointers

static bool evalAddPtr(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  auto stride = static_cast<uint64_t>(cast<PtrType>(elementTypeOf(result.type)).getStride());
  return withIntKind(in[1]->type, [&]<class K>(K) {
    mapLanes(result.numElements(), elements<uint64_t>(result), elements<uint64_t>(*in[0]), in[0]->numElements() == 1,
             elements<typename K::Storage>(*in[1]), in[1]->numElements() == 1,
             [=](uint64_t pointer, typename K::Storage offset) {
               return pointer + static_cast<uint64_t>(static_cast<int64_t>(K::template load<true>(offset))) * stride;
             });
  });
}

static bool evalBitcast(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  bool toInteger = !isa<PtrType>(elementTypeOf(result.type));
  if (!isa<PtrType>(elementTypeOf(op->getOperand(0).getType()))) {
    for (int64_t lane = 0; lane < in[0]->numElements(); ++lane) {
      if (originOf(elements<uint64_t>(*in[0])[lane])) {
        return state.unsupported(op, "does not make pointers of integers that look like Interp's own");
      }
    }
  }
  mapLanes(result.numElements(), elements<uint64_t>(result), elements<uint64_t>(*in[0]), false,
           [=](uint64_t bits) { return toInteger ? plainAddress(bits) : bits; });
  return true;
}

// ---- Atomics

template <class K>
static typename K::Storage combine(AtomicKind kind, typename K::Storage old, typename K::Storage value) {
  if constexpr (K::isFloat) {
    auto a = K::load(old), b = K::load(value);
    switch (kind) {
    case AtomicKind::AddF:
      return K::store(a + b);
    case AtomicKind::MaxF:
      return K::store(maxnumOf(a, b));
    case AtomicKind::MinF:
      return K::store(minnumOf(a, b));
    default:
      return value;
    }
  } else {
    auto a = K::template load<true>(old), b = K::template load<true>(value);
    switch (kind) {
    case AtomicKind::AddI:
      return K::store(K::template load<false>(old) + K::template load<false>(value));
    case AtomicKind::MaxS:
      return a > b ? old : value;
    case AtomicKind::MinS:
      return a < b ? old : value;
    case AtomicKind::MaxU:
      return old > value ? old : value;
    case AtomicKind::MinU:
      return old < value ? old : value;
    case AtomicKind::And:
      return old & value;
    case AtomicKind::Or:
      return old | value;
    case AtomicKind::Xor:
      return old ^ value;
    default:
      return value;
    }
  }
}

/// One step after the other in row-major order; `step(old, lane)` gives the new element.
template <class T, class Fn>
static void atomicSteps(Datum &result, const uint64_t *pointers, const uint8_t *mask, Fn step) {
  for (int64_t i = 0, lanes = result.numElements(); i < lanes; ++i) {
    T old = 0;
    if (!mask || mask[i]) {
      void *place = Access::hostPointer(pointers[i]);
      std::memcpy(&old, place, sizeof(T));
      T next = step(old, i);
      std::memcpy(place, &next, sizeof(T));
    }
    elements<T>(result)[i] = old;
  }
}

static bool evalAtomicRMW(State &state, Operation *op, Data in) {
  auto atomic = cast<AtomicRMWOp>(op);
  const Datum &value = *in[1], *mask = in.size() > 2 ? in[2] : nullptr;
  const uint8_t *active = mask ? mask->bytes.data() : nullptr;
  const uint64_t *pointers = elements<uint64_t>(*in[0]);
  Datum &result = state.define(op->getResult(0));
  Access access(state, op, pointers, active, result.numElements(), elementBytes(result.type));
  if (!usableAccess(state, op, *in[0], mask) || !usableLanes(state, op, value, active, "the operand") ||
      !access.prepare(true)) {
    return false;
  }
  return withKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    atomicSteps<Storage>(result, pointers, active, [&](Storage old, int64_t lane) {
      return combine<K>(atomic.getKind(), old, elements<Storage>(value)[lane]);
    });
  });
}

static bool evalAtomicCAS(State &state, Operation *op, Data in) {
  const uint64_t *pointers = elements<uint64_t>(*in[0]);
  Datum &result = state.define(op->getResult(0));
  Access access(state, op, pointers, nullptr, result.numElements(), elementBytes(result.type));
  if (!usableAccess(state, op, *in[0], nullptr) || !usableLanes(state, op, *in[1], nullptr, "the compared value") ||
      !usableLanes(state, op, *in[2], nullptr, "the new value") || !access.prepare(true)) {
    return false;
  }
  withStorage(elementBytes(result.type), [&]<class T>(T) {
    atomicSteps<T>(result, pointers, nullptr, [&](T old, int64_t lane) {
      return old == elements<T>(*in[1])[lane] ? elements<T>(*in[2])[lane] : old;
    });
  });
  return true;
}

void pavage::tile::addMemoryHandlers(HandlerTable &table) {
  table.addElementwise<AddPtrOp>(evalAddPtr);
  table.addElementwise<BitcastOp>(evalBitcast);
  table.add<LoadOp>(evalLoad);
  table.add<StoreOp>(evalStore);
  table.add<BlockLoadOp>(evalBlockLoad);
  table.add<BlockStoreOp>(evalBlockStore);
  table.add<AtomicRMWOp>(evalAtomicRMW);
  table.add<AtomicCASOp>(evalAtomicCAS);
}

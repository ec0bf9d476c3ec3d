// Neighbours, alignment and sectors of accesses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Schedule/Access.h"

#include "compiler/Support/IntMath.h"
#include "dialect/Layout/Constructors.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <set>

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;

namespace pavage::gpu {

namespace {
constexpr int64_t widestAccess = 16; // bytes of one lane
constexpr int64_t sectorBytes = 32;

/// Whether runs of `run` elements fill the extent, so that none lies on both sides of it.
bool fits(int64_t extent, int64_t run) { return extent % run == 0 || (llvm::isPowerOf2_64(extent) && run <= extent); }

/// Chooses the axis and the run, given how long a run each axis allows.
void chooseAxis(Access &access, function_ref<bool(int, int64_t)> allows) {
  int rank = access.extents.size();
  access.axis = rank - 1;
  int64_t best = 0, longest = 0;
  for (int axis = rank - 1; axis >= 0; --axis) {
    int64_t run = std::max<int64_t>(1, widestAccess / access.bytes);
    while (run > 1 && !(fits(access.extents[axis], run) && allows(axis, run))) {
      run /= 2;
    }
    if (run > best || (run == best && access.contiguity[axis] > longest)) {
      access.axis = axis;
      access.run = best = run;
      longest = access.contiguity[axis];
    }
  }
}

/// An access through a tile of pointers.
Access pointerAccess(Value pointer, Value mask, const analysis::AxisInfoAnalysis &axisInfo) {
  auto type = cast<RankedTensorType>(pointer.getType());
  analysis::AxisInfo info = axisInfo.get(pointer);
  Access access;
  access.extents = type.getShape().vec();
  access.bytes = tile::bytesInMemory(cast<tile::PtrType>(type.getElementType()).getPointee());
  access.contiguity.assign(info.contiguity.begin(), info.contiguity.end());
  access.constancy.assign(info.constancy.begin(), info.constancy.end());
  std::optional<analysis::AxisInfo> masks;
  if (mask) {
    masks = axisInfo.get(mask);
  }
  chooseAxis(access, [&](int axis, int64_t run) {
    // Within a run of neighbours, each part of `run` elements begins as many elements further.
    return info.contiguity[axis] % run == 0 && info.divisibility[axis] >= run * access.bytes &&
           (!masks || masks->constancy[axis] % run == 0);
  });
  return access;
}

template <class Op> Access blockAccess(Op op, Type tile, const analysis::AxisInfoAnalysis &axisInfo) {
  auto type = cast<RankedTensorType>(tile);
  Access access;
  access.extents = type.getShape().vec();
  access.bytes = tile::bytesInMemory(type.getElementType());
  int rank = type.getRank();
  access.contiguity.assign(rank, 1);
  access.constancy.assign(rank, 1);
  auto divisor = [&](Value scalar) { return axisInfo.get(scalar).divisibilityOfAll(); };
  // What divides the address of an element whose index on `free` is a multiple of the run, axis `free` aside.
  auto divisorWithout = [&](int free) {
    int64_t all = divisor(op.getBase());
    for (int axis = 0; axis < rank; ++axis) {
      if (axis == free) {
        continue;
      }
      int64_t step = divisor(op.getStrides()[axis]);
      if (access.extents[axis] == 1) {
        step = support::multiplyDivisors(step, divisor(op.getOffsets()[axis]));
      }
      all = std::min(all, support::multiplyDivisors(step, access.bytes));
    }
    return all;
  };
  for (int axis = 0; axis < rank; ++axis) {
    std::optional<int64_t> stride = axisInfo.get(op.getStrides()[axis]).constant;
    if (stride && *stride == 1) {
      access.contiguity[axis] = access.extents[axis];
    } else if (stride && *stride == 0) {
      access.constancy[axis] = access.extents[axis];
    }
  }
  chooseAxis(access, [&](int axis, int64_t run) {
    if (access.contiguity[axis] == 1) {
      return false;
    }
    int64_t offset = divisor(op.getOffsets()[axis]);
    bool isChecked = llvm::is_contained(op.getChecked(), axis);
    bool together = !isChecked || (offset >= run && divisor(op.getExtents()[axis]) >= run);
    return together && offset >= run && divisorWithout(axis) >= run * access.bytes;
  });
  return access;
}
} // namespace

std::optional<Access> accessOf(Operation *op, const analysis::AxisInfoAnalysis &axisInfo) {
  auto isTile = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  auto pointer = [&](Value ptr, Value mask) -> std::optional<Access> {
    return isTile(ptr) ? std::optional(pointerAccess(ptr, mask, axisInfo)) : std::nullopt;
  };
  std::optional<Access> access =
      llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
          .Case([&](tile::LoadOp load) { return pointer(load.getPtr(), load.getMask()); })
          .Case([&](tile::StoreOp store) { return pointer(store.getPtr(), store.getMask()); })
          .Case([&](tile::AtomicRMWOp atomic) { return pointer(atomic.getPtr(), atomic.getMask()); })
          .Case([&](tile::AtomicCASOp atomic) { return pointer(atomic.getPtr(), Value()); })
          .Case([&](tile::BlockLoadOp load) { return blockAccess(load, load.getType(), axisInfo); })
          .Case([&](tile::BlockStoreOp store) { return blockAccess(store, store.getValue().getType(), axisInfo); })
          .Default([](Operation *) { return std::nullopt; });
  if (access) {
    access->isRead = isa<tile::LoadOp, tile::BlockLoadOp>(op);
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
      access->run = 1; // each element is a step of its own
    }
  }
  return access;
}

int64_t Access::vectorOf(const Layout &layout) const {
  int64_t vector = 1;
  for (layout::Vector image : layout.basis(Place::Register)) {
    std::vector<int64_t> unit(extents.size(), 0);
    unit[axis] = vector;
    if (2 * vector > run || image != layout.pack(unit)) {
      break;
    }
    vector *= 2;
  }
  return vector;
}

int64_t Access::sectorsOf(const Layout &layout, int64_t vector) const {
  std::set<std::vector<int64_t>> sectors;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    layout::Where where{};
    where[static_cast<int>(Place::Lane)] = lane;
    std::vector<int64_t> place = layout.at(where);
    int64_t inSector = 0;
    for (size_t i = 0; i < place.size(); ++i) {
      if (contiguity[i] > 1) {
        int64_t first = place[i] / contiguity[i], byte = place[i] % contiguity[i] * bytes;
        inSector = static_cast<int>(i) == axis ? byte % sectorBytes : inSector;
        place[i] = first << 32 | byte / sectorBytes;
      } else {
        place[i] /= std::max<int64_t>(1, constancy[i]);
      }
    }
    // A wide access may begin in one sector and end in the next.
    for (int64_t byte = 0; byte < inSector + vector * bytes; byte += sectorBytes) {
      std::vector<int64_t> sector = place;
      sector[axis] += byte / sectorBytes;
      sectors.insert(std::move(sector));
    }
  }
  return sectors.size();
}

std::vector<Layout> plainLayouts(const std::vector<int64_t> &extents, int axis, int64_t perLane, int warps) {
  int rank = extents.size();
  std::vector<int> order;
  if (rank > 0) {
    order.push_back(axis);
  }
  for (int other = rank - 1; other >= 0; --other) {
    if (other != axis) {
      order.push_back(other);
    }
  }
  std::vector<Layout> result;
  for (int free = 0; free < std::max(1, rank); ++free) {
    Layout layout = layout::dealt(extents, perLane, warps, order, free);
    if (llvm::find(result, layout) == result.end()) {
      result.push_back(layout);
    }
  }
  return result;
}

std::vector<Layout> Access::layouts(int warps) const {
  int64_t elements = 1;
  for (int64_t extent : extents) {
    elements *= int64_t(1) << layout::bitsFor(extent);
  }
  int64_t share = std::max<int64_t>(1, elements / (32 * warps));
  std::vector<Layout> result = plainLayouts(extents, axis, std::min(run, share), warps);
  if (share < run) { // fewer threads with wide accesses
    std::vector<Layout> wide = plainLayouts(extents, axis, run, warps);
    result.insert(result.end(), wide.begin(), wide.end());
  }
  return result;
}

} // namespace pavage::gpu

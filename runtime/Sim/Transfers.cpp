// Host arrays of a launch, on the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Transfers.h"

#include "runtime/Artifact/CheckAccess.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pavage::sim {

using artifact::AddressRange;
using errors::Error;
using errors::Result;

namespace {

bool isOnDevice(u64 address) { return address >= deviceBase; }

/// Calls run(offset from element [0, ..., 0], bytes) for stretches of elements that lie together.
template <typename Run> void forEachRun(const PavageArray &array, Run run) {
  struct Axis {
    i64 extent, stride;
  };
  std::vector<Axis> axes; // innermost last; without those along which nothing moves
  i64 rowMajor = array.itemsize;
  for (i32 k = array.ndim - 1; k >= 0; --k) {
    i64 extent = array.shape[k], stride = array.strides ? array.strides[k] : rowMajor;
    if (extent == 0) {
      return;
    }
    rowMajor *= extent;
    if (extent != 1 && stride != 0) {
      axes.insert(axes.begin(), {extent, stride});
    }
  }
  i64 bytes = array.itemsize;
  while (!axes.empty() && axes.back().stride == bytes) {
    bytes *= axes.back().extent;
    axes.pop_back();
  }
  std::vector<i64> index(axes.size(), 0);
  for (i64 offset = 0;;) {
    run(offset, static_cast<u64>(bytes));
    size_t k = axes.size();
    for (; k > 0; --k) {
      Axis &axis = axes[k - 1];
      offset += axis.stride;
      if (++index[k - 1] < axis.extent) {
        break;
      }
      offset -= axis.stride * axis.extent;
      index[k - 1] = 0;
    }
    if (k == 0) {
      return;
    }
  }
}

} // namespace

std::string Transfers::nameOf(u32 slot) const {
  return slot < facts.params.size() ? facts.params[slot].name : "argument " + std::to_string(slot);
}

Error Transfers::toDevice(const PavageArray *arrays, size_t count, bool marksUnwritten) {
  // The regions: ranges of addresses, joined where they overlap.
  std::vector<Region> regions;
  std::vector<AddressRange> ranges(count);
  for (size_t k = 0; k < count; ++k) {
    if (isOnDevice(arrays[k].base)) {
      continue;
    }
    ranges[k] = artifact::addressRange(arrays[k]);
    if (ranges[k].begin == ranges[k].end) {
      ranges[k] = {arrays[k].base, arrays[k].base};
    }
    regions.push_back({ranges[k].begin, ranges[k].end, 0});
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region &a, const Region &b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  size_t kept = 0;
  for (size_t k = 1; k < regions.size(); ++k) {
    if (regions[k].begin < regions[kept].end || (regions[k].begin == regions[kept].begin)) {
      regions[kept].end = std::max(regions[kept].end, regions[k].end);
    } else {
      regions[++kept] = regions[k];
    }
  }
  regions.resize(regions.empty() ? 0 : kept + 1);
  auto regionOf = [&](const AddressRange &range) {
    return std::find_if(regions.begin(), regions.end(), [&](const Region &r) {
      return r.begin <= range.begin && range.end <= r.end && (r.begin == r.end || range.begin < r.end);
    });
  };

  for (size_t k = 0; k < count; ++k) {
    const PavageArray &array = arrays[k];
    u64 base = array.base;
    if (!isOnDevice(base)) {
      Region &region = *regionOf(ranges[k]);
      u64 bytes = region.end - region.begin;
      bool isFirst = region.device == 0;
      if (isFirst) {
        region.device = memory.allocate(bytes, nameOf(array.slot), 256, region.begin % 16);
        if (region.device == 0) {
          return Error(errors::Code::OutOfMemory, "expected " + std::to_string(bytes) +
                                                      " bytes of the virtual GPU's memory for '" + nameOf(array.slot) +
                                                      "', got none");
        }
      } else {
        memory.find(region.device)->name += "/" + nameOf(array.slot);
      }
      base = region.device + (array.base - region.begin);
      bool isKnown = array.slot < facts.params.size();
      bool isWritten = (array.flags & PAVAGE_ARRAY_READONLY) == 0 && (!isKnown || facts.params[array.slot].isWritten);
      bool isOutput = marksUnwritten && isWritten && isKnown && !facts.params[array.slot].isRead;
      // An output that lives elsewhere too may be written through the other name: only lone ones can be judged.
      Allocation &allocation = *memory.find(region.device);
      allocation.isOutput = isOutput && isFirst && ranges[k].begin == region.begin && ranges[k].end == region.end;
      allocation.elementBytes = array.itemsize;
      allocation.hasGaps = true;
      forEachRun(array, [&](i64 offset, u64 run) {
        const void *from = reinterpret_cast<const void *>(array.base + static_cast<u64>(offset));
        u64 to = base + static_cast<u64>(offset);
        if (allocation.isOutput) { // its values count as defined, but not as written: 3 instead of 1
          std::memcpy(memory.host(to), from, run);
          std::memset(allocation.defined + (to - allocation.base), 3, run);
        } else {
          memory.write(to, from, run);
        }
      });
      moved.push_back({array, base, isWritten});
    }
    PavageArray there = array;
    there.base = base;
    passed.push_back({there, nameOf(array.slot)});
  }
  return Error::success();
}

Result<u64> Transfers::pointer(u32 slot, u64 bits) const {
  for (const LaunchArray &array : passed) {
    if (array.array.slot == slot) {
      return array.array.base;
    }
  }
  if (bits == 0 || isOnDevice(bits)) {
    return bits;
  }
  char address[24];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(bits));
  return Error(errors::Code::WrongDevice,
               "expected an array, or an address in the virtual GPU's memory, for the parameter '" + nameOf(slot) +
                   "', got the host's address " + address + " without extents");
}

void Transfers::toHost() const {
  for (const Moved &array : moved) {
    if (array.isWritten) {
      forEachRun(array.host, [&](i64 offset, u64 bytes) {
        void *to = reinterpret_cast<void *>(array.host.base + static_cast<u64>(offset));
        std::memcpy(to, memory.host(array.device + static_cast<u64>(offset)), bytes);
      });
    }
  }
}

} // namespace pavage::sim

// Which bytes of an allocation belong to an array argument. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Extents.h"

#include "runtime/Artifact/CheckAccess.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace pavage::sim {

namespace {

/// Marks the elements of axes `axis`.. from `at` on; inner axes without gaps are one run.
void markElements(const PavageArray &x, const std::vector<i64> &strides, i32 axis, u64 at, const Allocation &a) {
  i32 inner = x.ndim;
  u64 run = x.itemsize;
  while (inner > axis && strides[static_cast<size_t>(inner - 1)] == static_cast<i64>(run)) {
    run *= static_cast<u64>(x.shape[--inner]);
  }
  if (inner == axis) {
    u64 begin = std::max(at, a.base), end = std::min(at + run, a.base + a.bytes);
    if (begin < end) {
      std::memset(a.logical + (begin - a.base), 1, end - begin);
    }
    return;
  }
  for (i64 k = 0; k < x.shape[axis]; ++k) {
    markElements(x, strides, axis + 1, at + static_cast<u64>(k * strides[static_cast<size_t>(axis)]), a);
    if (strides[static_cast<size_t>(axis)] == 0) {
      break;
    }
  }
}

void mark(const PavageArray &x, const Allocation &a) {
  std::vector<i64> strides(static_cast<size_t>(std::max(x.ndim, 0)));
  i64 dense = x.itemsize;
  for (size_t axis = strides.size(); axis-- > 0;) {
    if (x.shape[axis] <= 0) {
      return;
    }
    strides[axis] = x.strides ? x.strides[axis] : dense;
    dense *= x.shape[axis];
  }
  markElements(x, strides, 0, x.base, a);
}

/// The array covers its whole range of addresses, and that is the allocation.
bool ownsAll(const PavageArray &x, const Allocation &a) {
  artifact::AddressRange range = artifact::addressRange(x);
  return range.begin == a.base && range.end == a.base + a.bytes &&
         artifact::ArrayBounds(x).contains(a.base, static_cast<i64>(a.bytes));
}

} // namespace

Extents::Extents(DeviceMemory &memory, const std::vector<LaunchArray> &arrays) : memory(memory) {
  for (const LaunchArray &x : arrays) {
    artifact::AddressRange range = artifact::addressRange(x.array);
    Allocation *a = range.begin >= deviceBase ? memory.find(range.begin) : nullptr;
    if (a && !a->isFreed && range.begin - a->base < a->bytes) {
      a->arrays.push_back(&x);
    }
  }
  for (auto &a : memory.all()) {
    bool isWhole = a->arrays.empty();
    for (const LaunchArray *x : a->arrays) {
      isWhole = isWhole || ownsAll(x->array, *a);
    }
    if (isWhole) {
      continue;
    }
    void *map = mmap(nullptr, a->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
      continue; // no address space: the allocation's bounds have to do
    }
    a->logical = static_cast<u8 *>(map);
    for (const LaunchArray *x : a->arrays) {
      mark(x->array, *a);
    }
  }
}

Extents::~Extents() {
  for (auto &a : memory.all()) {
    if (a->logical) {
      munmap(a->logical, a->bytes);
      a->logical = nullptr;
    }
    a->arrays.clear();
  }
}

void checkExtents(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite, const u8 *logical,
                  u64 base) {
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    const u8 *first = logical + (addresses[l] - base);
    const u8 *miss = static_cast<const u8 *>(std::memchr(first, 0, bytes));
    if (!miss) {
      continue;
    }
    u64 at = addresses[l] + static_cast<u64>(miss - first);
    Allocation *a = w.cta->launch->memory->find(at);
    // The array that it is nearest to explains most.
    const LaunchArray *best = nullptr;
    u64 distance = ~u64(0);
    for (const LaunchArray *x : a->arrays) {
      artifact::AddressRange range = artifact::addressRange(x->array);
      u64 d = at < range.begin ? range.begin - at : at >= range.end ? at - range.end + 1 : 0;
      if (!best || d < distance) {
        best = x;
        distance = d;
      }
    }
    report(w, i, Kind::Oob,
           std::string("invalid ") + (isWrite ? "write" : "read") + " of " + std::to_string(bytes) +
               " bytes by thread " + std::to_string(w.index * 32 + l) + ": inside the allocation, but no element of '" +
               best->name + "': " + artifact::ArrayBounds(best->array).describe(at));
    return;
  }
}

} // namespace pavage::sim

// Global memory of the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DeviceMemory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace pavage::sim {

namespace {

void *reserveRange(u64 bytes) {
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

constexpr u64 redZone = 1024;

} // namespace

DeviceMemory::DeviceMemory(u64 reserve) {
  // Under a limit on address space take what there is.
  for (reserved = reserve; reserved >= (u64(1) << 26) && !arena; reserved /= 2) {
    arena = static_cast<u8 *>(reserveRange(reserved));
    if (arena) {
      break;
    }
  }
  if (!arena) {
    throw std::bad_alloc();
  }
}

DeviceMemory::~DeviceMemory() {
  for (auto &a : allocations) {
    if (a->defined) {
      munmap(a->defined, a->bytes);
    }
  }
  dropShadows();
  munmap(arena, reserved);
}

u64 DeviceMemory::allocate(u64 bytes, std::string name, u64 align, u64 phase) {
  u64 start = ((used + redZone + align - 1) & ~(align - 1)) + phase;
  if (bytes > reserved || start > reserved - bytes || reserved - bytes - start < redZone) {
    return 0;
  }
  auto a = std::make_unique<Allocation>();
  a->base = deviceBase + start;
  a->bytes = bytes;
  a->name = std::move(name);
  if (bytes) {
    a->defined = static_cast<u8 *>(reserveRange(bytes));
    if (!a->defined) {
      return 0;
    }
  }
  used = start + bytes;
  u64 address = a->base;
  allocations.push_back(std::move(a));
  return address;
}

Allocation *DeviceMemory::find(u64 address) {
  auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                [](u64 at, const std::unique_ptr<Allocation> &a) { return at < a->base; });
  return after == allocations.begin() ? nullptr : std::prev(after)->get();
}

void DeviceMemory::rewind(const Mark &to) {
  for (size_t k = to.count; k < allocations.size(); ++k) {
    if (allocations[k]->defined) {
      munmap(allocations[k]->defined, allocations[k]->bytes);
    }
  }
  allocations.resize(to.count);
  u64 page = 4096, begin = (to.used + page - 1) & ~(page - 1);
  if (used > begin) {
    madvise(arena + begin, used - begin, MADV_DONTNEED);
  }
  used = to.used;
}

bool DeviceMemory::release(u64 address) {
  Allocation *a = find(address);
  if (!a || a->base != address || a->isFreed) {
    return false;
  }
  a->isFreed = true;
  u64 page = 4096;
  u64 begin = (address - deviceBase + page - 1) & ~(page - 1), end = (address - deviceBase + a->bytes) & ~(page - 1);
  if (end > begin) {
    madvise(arena + begin, end - begin, MADV_DONTNEED);
  }
  return true;
}

bool DeviceMemory::write(u64 address, const void *from, u64 bytes) {
  Allocation *a = find(address);
  if (!a || a->isFreed || !contains(*a, address, bytes)) {
    return bytes == 0;
  }
  std::memcpy(host(address), from, bytes);
  if (a->defined) {
    if (bytes == a->bytes) {
      munmap(a->defined, a->bytes);
      a->defined = nullptr;
    } else {
      std::memset(a->defined + (address - a->base), 1, bytes);
    }
  }
  return true;
}

bool DeviceMemory::read(u64 address, void *to, u64 bytes) const {
  Allocation *a = const_cast<DeviceMemory *>(this)->find(address);
  if (!a || a->isFreed || !contains(*a, address, bytes)) {
    return bytes == 0;
  }
  std::memcpy(to, host(address), bytes);
  return true;
}

bool DeviceMemory::fill(u64 address, u8 value, u64 bytes) {
  Allocation *a = find(address);
  if (!a || a->isFreed || !contains(*a, address, bytes)) {
    return bytes == 0;
  }
  std::memset(host(address), value, bytes);
  if (a->defined) {
    std::memset(a->defined + (address - a->base), 1, bytes);
    if (bytes == a->bytes) {
      munmap(a->defined, a->bytes);
      a->defined = nullptr;
    }
  }
  return true;
}

void DeviceMemory::dropShadows() {
  for (u32 **shadow : {&writers, &strongWriters, &readers, &writerPcs}) {
    if (*shadow) {
      munmap(*shadow, shadowBytes);
      *shadow = nullptr;
    }
  }
  raceBase = 0;
}

u32 DeviceMemory::beginRaceEpoch(u32 ctas, u32 shift) {
  u64 wanted = reserved << (2 - shift);
  if (shadowBytes < wanted) {
    dropShadows();
    shadowBytes = wanted;
  } else if (raceBase != 0) {
    // What an earlier launch did is ordered before this one; its mark for "several CTAs" does not say whose it is.
    for (u32 *shadow : {writers, strongWriters, readers, writerPcs}) {
      if (shadow) {
        madvise(shadow, shadowBytes, MADV_DONTNEED);
      }
    }
    raceBase = 0;
  }
  raceShift = shift;
  for (u32 **shadow : {&writers, &strongWriters, &readers, &writerPcs}) {
    if (!*shadow) {
      *shadow = static_cast<u32 *>(reserveRange(shadowBytes));
    }
  }
  if (!writers || !strongWriters || !readers || !writerPcs) {
    return ~0u; // no address space: the check is off
  }
  u32 base = raceBase;
  raceBase += ctas;
  return base;
}

bool DeviceMemory::claimStamp(u32 stamp) {
  if (stamp >= 0xff000000u) {
    return false;
  }
  raceBase = std::max(raceBase, stamp);
  return true;
}

} // namespace pavage::sim

// Global memory of the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reserved arena; an address on the device is its offset in the arena plus deviceBase, so that runs are repeatable.
// Allocations are separated by red zones and their addresses are never used again.
#pragma once

#include "runtime/Sim/Machine.h"

#include <mutex>

namespace pavage::sim {

struct Allocation {
  u64 base = 0;
  u64 bytes = 0;
  std::string name;
  bool isFreed = false;
  bool isReadOnly = false;
  u8 *defined = nullptr; // one per byte; null when all of it is defined
  // Logical extents, when the launch knows them: innermost last, in bytes.
  std::vector<u64> shape, strides;
  u32 elementBytes = 0;
  bool isOutput = false;
};

class DeviceMemory {
public:
  explicit DeviceMemory(u64 reserve = u64(1) << 38);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// 0 when the arena is full. Fresh memory counts as undefined.
  u64 allocate(u64 bytes, std::string name, u64 align = 256);
  bool release(u64 address);
  /// Copies; false when the range is not inside one live allocation.
  bool write(u64 address, const void *from, u64 bytes);
  bool read(u64 address, void *to, u64 bytes) const;
  bool fill(u64 address, u8 value, u64 bytes);

  u8 *host(u64 address) const { return arena + (address - deviceBase); }
  /// The allocation that holds the address or, failing that, the nearest below it; null when there is none.
  Allocation *find(u64 address);
  bool contains(const Allocation &a, u64 address, u64 bytes) const {
    return address >= a.base && bytes <= a.bytes && address - a.base <= a.bytes - bytes;
  }
  std::vector<std::unique_ptr<Allocation>> &all() { return allocations; }

  // Shadow of races between CTAs: a u32 per word, writers and readers. Entries up to raceBase belong to earlier
  // launches.
  u32 *writers = nullptr;
  u32 *readers = nullptr;
  u32 *writerPcs = nullptr;
  u32 raceBase = 0;
  /// Makes room for entries of `ctas` CTAs and returns the number before the first.
  u32 beginRaceEpoch(u32 ctas);
  u64 wordIndex(u64 address) const { return (address - deviceBase) >> 2; }

private:
  u8 *arena = nullptr;
  u64 reserved = 0;
  u64 used = 4096;
  std::vector<std::unique_ptr<Allocation>> allocations; // by address
};

} // namespace pavage::sim

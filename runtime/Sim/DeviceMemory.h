// Global memory of the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reserved arena; an address on the device is its offset in the arena plus deviceBase, so that runs are repeatable.
// Allocations are separated by red zones and their addresses are never used again.
#pragma once

#include "runtime/Sim/Machine.h"

#include <mutex>

namespace pavage::sim {

struct LaunchArray;

struct Allocation {
  u64 base = 0;
  u64 bytes = 0;
  std::string name;
  bool isFreed = false;
  bool isReadOnly = false;
  u8 *logical = nullptr; // during a launch, one per byte: 1 in an element of an array argument; null when all are
  std::vector<const LaunchArray *> arrays; // during a launch: those that lie here
  u8 *defined = nullptr;                   // one per byte; null when all of it is defined
  // Logical extents, when the launch knows them: innermost last, in bytes.
  std::vector<u64> shape, strides;
  u32 elementBytes = 0;
  bool isOutput = false;
  bool hasGaps = false; // between the elements that the host has copied in
};

class DeviceMemory {
public:
  explicit DeviceMemory(u64 reserve = u64(1) << 38);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// 0 when the arena is full. Fresh memory counts as undefined. The address is `phase` past a multiple of `align`.
  u64 allocate(u64 bytes, std::string name, u64 align = 256, u64 phase = 0);
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
  const std::vector<std::unique_ptr<Allocation>> &all() const { return allocations; }

  /// What is allocated after mark() is gone after rewind(), and its addresses are given again: for memory that belongs
  /// to one launch.
  struct Mark {
    u64 used;
    size_t count;
  };
  Mark mark() const { return {used, allocations.size()}; }
  void rewind(const Mark &to);

  // Shadows for races between CTAs (GlobalRaces.cpp): a u32 per unit of 1 << raceShift bytes. Stamps up to raceBase
  // belong to earlier launches.
  u32 *writers = nullptr, *strongWriters = nullptr;
  u32 *readers = nullptr;
  u32 *writerPcs = nullptr;
  u32 raceBase = 0, raceShift = 2;
  /// Makes room for the stamps of `ctas` CTAs and returns the number before the first; ~0 when there is no memory.
  u32 beginRaceEpoch(u32 ctas, u32 shift);
  /// Takes one more stamp; false when there are none left.
  bool claimStamp(u32 stamp);
  u64 raceUnit(u64 address) const { return (address - deviceBase) >> raceShift; }

private:
  void dropShadows();

  u64 shadowBytes = 0;
  u8 *arena = nullptr;
  u64 reserved = 0;
  u64 used = 4096;
  std::vector<std::unique_ptr<Allocation>> allocations; // by address
};

} // namespace pavage::sim

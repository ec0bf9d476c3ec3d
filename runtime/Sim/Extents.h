// Logical bounds of array arguments. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x[:, :3] of a wider array leaves bytes between its rows that are inside the allocation and belong to somebody else.
// For the time of a launch, an allocation whose arrays do not own all of it carries a map with a byte per byte.
#pragma once

#include "runtime/Sim/Checks.h"
#include "runtime/Sim/Launch.h"

namespace pavage::sim {

class Extents {
public:
  Extents(DeviceMemory &memory, const std::vector<LaunchArray> &arrays);
  ~Extents();
  Extents(const Extents &) = delete;
  Extents &operator=(const Extents &) = delete;

private:
  DeviceMemory &memory;
};

/// Reports the first lane with a byte that no array owns. `logical` is the map from address `base` on.
void checkExtents(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite, const u8 *logical,
                  u64 base);

} // namespace pavage::sim

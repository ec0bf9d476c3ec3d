// Host arrays of a launch, on the virtual GPU for as long as the launch runs. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Arrays that share memory stay together: their bytes become one allocation, so that x and x[1:] overlap on the device
// as they do on the host. Only elements travel; bytes between them count as never written.
//
//   host    |  x[::2]  ..  x[1::2]  |            |  y  |
//   device  |        one region     |  red zone  |  y  |     same distance to a multiple of 16 bytes
#pragma once

#include "runtime/Artifact/Artifact.h"
#include "runtime/Errors/Errors.h"
#include "runtime/Sim/DeviceMemory.h"
#include "runtime/Sim/Launch.h"

#include <vector>

namespace pavage::sim {

class Transfers {
public:
  Transfers(DeviceMemory &memory, const artifact::Artifact &facts) : memory(memory), facts(facts) {}

  /// Allocates and copies. PV0318 when the device's memory is full.
  errors::Error toDevice(const PavageArray *arrays, size_t count, bool marksUnwritten);
  /// The address that the kernel gets for a pointer argument. PV0302 for a host address of no array.
  errors::Result<u64> pointer(u32 slot, u64 bits) const;
  /// The arrays at their addresses on the device.
  const std::vector<LaunchArray> &arrays() const { return passed; }
  /// Copies what the kernel may have written.
  void toHost() const;

private:
  struct Region {
    u64 begin, end; // on the host
    u64 device;
  };
  struct Moved {
    PavageArray host;
    u64 device; // of element [0, ..., 0]
    bool isWritten;
  };

  std::string nameOf(u32 slot) const;

  DeviceMemory &memory;
  const artifact::Artifact &facts;
  std::vector<Moved> moved;
  std::vector<LaunchArray> passed; // one per array of the launch
};

} // namespace pavage::sim

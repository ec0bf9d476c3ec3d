// The one interface of all devices, and the list of them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device makes a Kernel of an artifact and runs it over a grid. Devices are opened by name, exist once per name, and
// live as long as the process.
#ifndef PAVAGE_RUNTIME_CORE_DEVICE_H
#define PAVAGE_RUNTIME_CORE_DEVICE_H

#include "runtime/Artifact/Abi.h"
#include "runtime/Artifact/Artifact.h"
#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pavage::core {

struct LaunchArgs {
  int64_t grid[3] = {1, 1, 1};
  const uint64_t *slots = nullptr; ///< one per parameter of the artifact
  const PavageArray *arrays = nullptr;
  uint32_t arrayCount = 0;
  int (*poll)(void *context) = nullptr; ///< see pvrt_launch_args
  void *pollContext = nullptr;
  bool stopsOnSigint = false; ///< put a SigintGuard around what may take long
};

/// A loaded kernel. Launches of one kernel may run at the same time.
class Kernel {
public:
  virtual ~Kernel() = default;

  /// Runs the grid, whose sizes are valid and not zero, and returns when it has ended. Called within a LaunchScope.
  virtual errors::Error launch(const LaunchArgs &args) = 0;
};

/// What a device gets to load: the artifact and its serialized bytes, both kept alive by whoever keeps the kernel.
struct Loadable {
  const artifact::Artifact &artifact;
  std::string_view bytes;
};

class Device {
public:
  Device(std::string name, std::string target) : deviceName(std::move(name)), deviceTarget(std::move(target)) {}
  virtual ~Device() = default;

  const std::string &name() const { return deviceName; }
  /// What to compile for; the `target` of the artifacts it loads.
  const std::string &target() const { return deviceTarget; }
  /// Its own in the process.
  uint32_t id() const { return number; }

  /// Can kernels run on it now?
  virtual bool ready() const { return true; }
  /// Does it work on the host's memory?
  virtual bool isHost() const { return true; }

  virtual errors::Result<std::unique_ptr<Kernel>> load(const Loadable &loadable) = 0;

  // Memory; the host's unless overridden. Addresses are aligned to 64 and never null.
  virtual errors::Result<void *> allocate(size_t bytes);
  virtual void release(void *address);
  virtual errors::Error copyToDevice(void *to, const void *from, size_t bytes);
  virtual errors::Error copyToHost(void *to, const void *from, size_t bytes);
  virtual errors::Error synchronize() { return errors::Error::success(); }

private:
  friend class DeviceList;
  std::string deviceName;
  std::string deviceTarget;
  uint32_t number = 0;
};

/// A device name taken apart.
struct DeviceName {
  std::string kind;   ///< "cpu", "interp", "sim", "cuda"
  std::string target; ///< for sim: "sm_80"
  unsigned index = 0; ///< for cuda

  /// The one spelling of it: "cuda" and "cuda:0" are both "cuda:0".
  std::string canonical() const;
};
errors::Result<DeviceName> parseDeviceName(std::string_view name);

/// The architectures that virtual GPUs can be: "sm_75", ...
std::span<const std::string_view> simulatedTargets();

/// How a kind of device comes into being. Rooms with devices are lower than who lists them, so they are registered.
struct DeviceKind {
  virtual ~DeviceKind() = default;
  virtual errors::Result<std::unique_ptr<Device>> open(const DeviceName &name) = 0;
  /// Names that open here.
  virtual std::vector<std::string> names() const = 0;
};

/// The last one registered for a kind counts for devices that are not open yet.
void registerDeviceKind(std::string kind, std::unique_ptr<DeviceKind> factory);

/// Opens by name; empty = PAVAGE_DEVICE, else "cpu".
errors::Result<Device *> openDevice(std::string_view name);

/// Names of all devices that open here.
std::vector<std::string> deviceNames();

/// PV0304 unless each size is in [0, 2^31) and the product is below 2^62.
errors::Error checkGrid(const int64_t (&grid)[3]);

} // namespace pavage::core

#endif // PAVAGE_RUNTIME_CORE_DEVICE_H

// Device names, the list of devices, host memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/Device.h"

#include "runtime/Core/Environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <pthread.h>

namespace pavage::core {

using errors::Code;
using errors::Error;
using errors::Result;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr std::string_view simulated[] = {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"};

std::span<const std::string_view> simulatedTargets() { return simulated; }

/// "sm_" and a number, perhaps a letter: a GPU, though none that is simulated.
static bool looksLikeGpu(std::string_view target) {
  if (target.substr(0, 3) != "sm_") {
    return false;
  }
  unsigned number = 0;
  auto [end, status] = std::from_chars(target.data() + 3, target.data() + target.size(), number);
  std::string_view rest(end, static_cast<size_t>(target.data() + target.size() - end));
  return status == std::errc() && number >= 10 && (rest.empty() || rest == "a" || rest == "f");
}

std::string DeviceName::canonical() const {
  if (kind == "sim") {
    return "sim:" + target;
  }
  if (kind == "cuda") {
    return "cuda:" + std::to_string(index);
  }
  return kind;
}

Result<DeviceName> parseDeviceName(std::string_view name) {
  size_t colon = name.find(':');
  std::string_view kind = name.substr(0, colon);
  bool hasDetail = colon != std::string_view::npos;
  std::string_view detail = hasDetail ? name.substr(colon + 1) : std::string_view();
  DeviceName result;
  result.kind = kind;
  if ((kind == "cpu" || kind == "interp") && !hasDetail) {
    return result;
  }
  if (kind == "sim" && std::find(std::begin(simulated), std::end(simulated), detail) != std::end(simulated)) {
    result.target = detail;
    return result;
  }
  if (kind == "sim" && looksLikeGpu(detail)) {
    std::string all;
    for (std::string_view target : simulated) {
      all += (all.empty() ? "" : ", ") + std::string(target);
    }
    return Error(Code::DeviceUnavailable,
                 "expected a GPU that can be simulated (" + all + "), got '" + std::string(detail) + "'");
  }
  if (kind == "cuda") {
    auto [end, status] = std::from_chars(detail.data(), detail.data() + detail.size(), result.index);
    bool isNumber = status == std::errc() && end == detail.data() + detail.size() && result.index < 1024;
    if (!hasDetail || isNumber) {
      return result;
    }
  }
  return Error(Code::UnknownDevice, "expected a device cpu, interp, sim:sm_75|80|86|87|89|90|90a or cuda:N, got '" +
                                        std::string(name) + "'");
}

//===----------------------------------------------------------------------===//
// List
//===----------------------------------------------------------------------===//

/// Never destroyed: kernels may run until the process is gone.
class DeviceList {
public:
  static DeviceList &get() {
    static auto &list = *[] {
      static auto *made = new DeviceList();
      // A child forked by another thread must find the list in order.
      pthread_atfork([] { made->mutex.lock(); }, [] { made->mutex.unlock(); }, [] { made->mutex.unlock(); });
      return made;
    }();
    return list;
  }

  void registerKind(std::string kind, std::unique_ptr<DeviceKind> factory) {
    std::lock_guard lock(mutex);
    // An older factory may be in use by another thread just now; there are only a few ever.
    retired.push_back(std::move(kinds[kind]));
    kinds[kind] = std::move(factory);
  }

  Result<Device *> open(const DeviceName &name) {
    std::lock_guard lock(mutex);
    std::string canonical = name.canonical();
    if (auto found = devices.find(canonical); found != devices.end()) {
      return found->second.get();
    }
    auto kind = kinds.find(name.kind);
    if (kind == kinds.end()) {
      return Error(Code::DeviceUnavailable, "device '" + canonical + "' is not supported by this build");
    }
    auto device = kind->second->open(name);
    if (!device) {
      return device.takeError();
    }
    (*device)->number = static_cast<uint32_t>(devices.size());
    return (devices[canonical] = std::move(*device)).get();
  }

  std::vector<std::string> names() {
    std::lock_guard lock(mutex);
    std::vector<std::string> all;
    for (auto &[kind, factory] : kinds) {
      for (std::string &name : factory->names()) {
        all.push_back(std::move(name));
      }
    }
    return all;
  }

private:
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<DeviceKind>> kinds;
  std::map<std::string, std::unique_ptr<Device>> devices;
  std::vector<std::unique_ptr<DeviceKind>> retired;
};

void registerDeviceKind(std::string kind, std::unique_ptr<DeviceKind> factory) {
  DeviceList::get().registerKind(std::move(kind), std::move(factory));
}

Result<Device *> openDevice(std::string_view name) {
  std::string wanted(name);
  if (wanted.empty()) {
    wanted = environment("PAVAGE_DEVICE").value_or("");
    wanted = wanted.empty() ? "cpu" : wanted;
  }
  auto parsed = parseDeviceName(wanted);
  if (!parsed) {
    return parsed.takeError();
  }
  return DeviceList::get().open(*parsed);
}

std::vector<std::string> deviceNames() { return DeviceList::get().names(); }

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

Result<void *> Device::allocate(size_t bytes) {
  constexpr size_t alignment = 64;
  bool fits = bytes <= size_t(1) << 46; // more than an address can reach
  size_t rounded = std::max<size_t>((bytes + alignment - 1) / alignment * alignment, alignment);
  void *address = fits ? std::aligned_alloc(alignment, rounded) : nullptr;
  if (address == nullptr) {
    return Error(Code::OutOfMemory, "expected " + std::to_string(bytes) + " bytes of memory, got none");
  }
  return address;
}

void Device::release(void *address) { std::free(address); }

Error Device::copyToDevice(void *to, const void *from, size_t bytes) {
  if (bytes != 0) {
    std::memmove(to, from, bytes);
  }
  return Error::success();
}

Error Device::copyToHost(void *to, const void *from, size_t bytes) { return Device::copyToDevice(to, from, bytes); }

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

Error checkGrid(const int64_t (&grid)[3]) {
  static constexpr const char *axes[] = {"x", "y", "z"};
  uint64_t programs = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] < 0 || grid[axis] > INT32_MAX) {
      return Error(Code::BadGrid, "expected a grid size from 0 to 2147483647 along " + std::string(axes[axis]) +
                                      ", got " + std::to_string(grid[axis]));
    }
    if (grid[axis] != 0 && programs > (uint64_t(1) << 62) / static_cast<uint64_t>(grid[axis])) {
      return Error(Code::BadGrid, "expected fewer than 2^62 programs in a grid, got (" + std::to_string(grid[0]) +
                                      ", " + std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + ")");
    }
    programs *= static_cast<uint64_t>(grid[axis]);
  }
  return Error::success();
}

} // namespace pavage::core

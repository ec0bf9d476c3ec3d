// Built-in and hosted devices. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hosted device is run by code outside the runtime: Interp lives in the compiler's library, which the runtime must
// not link. The device has its name and can be asked for from the start; what it does arrives by registerHosted.
#include "runtime/Launch/Devices.h"

#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/SigintGuard.h"
#include "runtime/Cpu/CpuDevice.h"
#include "runtime/Launch/ErrorObject.h"
#include "runtime/Sim/Device.h"

#include <atomic>
#include <mutex>

namespace pavage::launch {

using errors::Code;
using errors::Error;
using errors::Result;

namespace {

/// Never freed: a kernel that was loaded by an implementation is unloaded by the same one, whenever that is.
using Implementation = std::shared_ptr<const pvrt_hosted>;

class HostedKernel : public core::Kernel {
public:
  HostedKernel(Implementation implementation, void *loaded, uint32_t slots)
      : implementation(std::move(implementation)), loaded(loaded), slotCount(slots) {}
  ~HostedKernel() override {
    if (implementation->unload) {
      implementation->unload(implementation->context, loaded);
    }
  }

  Error launch(const core::LaunchArgs &args) override {
    pvrt_launch_args passed = {};
    passed.struct_size = sizeof(passed);
    std::copy(std::begin(args.grid), std::end(args.grid), passed.grid);
    passed.slots = args.slots;
    passed.slot_count = slotCount;
    passed.arrays = reinterpret_cast<const pvrt_array *>(args.arrays);
    passed.array_count = args.arrayCount;
    passed.poll = args.poll;
    passed.poll_context = args.pollContext;
    core::SigintGuard guard(args.stopsOnSigint);
    return fromC(
        implementation->launch(implementation->context, loaded, &passed, core::cancelWord(*core::threadControl())));
  }

private:
  Implementation implementation;
  void *loaded;
  uint32_t slotCount;
};

class HostedDevice : public core::Device {
public:
  using Device::Device;

  void implement(const pvrt_hosted &hosted) {
    std::atomic_store(&implementation, std::make_shared<const pvrt_hosted>(hosted));
  }

  bool ready() const override { return std::atomic_load(&implementation) != nullptr; }

  Result<std::unique_ptr<core::Kernel>> load(const core::Loadable &loadable) override {
    Implementation by = std::atomic_load(&implementation);
    if (by == nullptr) {
      return Error(Code::DeviceUnavailable,
                   "expected the library that runs device '" + name() + "' to be loaded, got no such library");
    }
    void *loaded = nullptr;
    if (pvrt_error *error = by->load(by->context, loadable.bytes.data(), loadable.bytes.size(), &loaded)) {
      return fromC(error);
    }
    return std::unique_ptr<core::Kernel>(
        std::make_unique<HostedKernel>(std::move(by), loaded, static_cast<uint32_t>(loadable.artifact.params.size())));
  }

private:
  Implementation implementation;
};

/// interp, whose launches are registered from outside.
class HostedKind : public core::DeviceKind {
public:
  Result<std::unique_ptr<core::Device>> open(const core::DeviceName &name) override {
    std::string target = name.target.empty() ? name.kind : name.target;
    auto device = std::make_unique<HostedDevice>(name.canonical(), target);
    std::lock_guard lock(mutex);
    opened.push_back(device.get());
    return std::unique_ptr<core::Device>(std::move(device));
  }

  std::vector<std::string> names() const override {
    std::lock_guard lock(mutex);
    std::vector<std::string> usable;
    for (const HostedDevice *device : opened) {
      if (device->ready()) {
        usable.push_back(device->name());
      }
    }
    return usable;
  }

private:
  mutable std::mutex mutex;
  std::vector<HostedDevice *> opened; ///< devices live for ever
};

} // namespace

static void registerBuiltIn() {
  static const bool isDone = [] {
    core::registerDeviceKind("cpu", cpu::makeCpuKind());
    core::registerDeviceKind("interp", std::make_unique<HostedKind>());
    core::registerDeviceKind("sim", sim::makeSimKind());
    return true;
  }();
  (void)isDone;
}

Result<core::Device *> openDevice(const char *name) {
  registerBuiltIn();
  return core::openDevice(name ? name : "");
}

std::vector<std::string> usableDevices() {
  registerBuiltIn();
  return core::deviceNames();
}

Error registerHosted(const char *name, const pvrt_hosted &hosted) {
  if (name == nullptr || hosted.struct_size != sizeof(pvrt_hosted) || hosted.load == nullptr ||
      hosted.launch == nullptr) {
    return misuse("expected a device name and its functions, got an incomplete registration");
  }
  auto device = openDevice(name);
  if (!device) {
    return device.takeError();
  }
  auto *target = dynamic_cast<HostedDevice *>(*device);
  if (target == nullptr) {
    return misuse("expected the name of a hosted device, got '" + std::string(name) + "'");
  }
  target->implement(hosted);
  return Error::success();
}

} // namespace pavage::launch

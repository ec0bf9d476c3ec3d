// The devices sim:sm_75 ... sim:sm_90a. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Device.h"

#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/Output.h"
#include "runtime/Core/SigintGuard.h"
#include "runtime/Sim/Record.h"
#include "runtime/Sim/Report.h"
#include "runtime/Sim/Settings.h"
#include "runtime/Sim/Transfers.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pavage::sim {

using errors::Error;
using errors::Result;

namespace {

/// The one virtual machine. Never destroyed: kernels are unloaded whenever their owners go.
struct Machine {
  std::mutex mutex; // of all of it
  Gpu gpu{u64(1) << 38};
};

Machine &machine() {
  static auto *shared = [] {
    static auto *made = new Machine();
    // A child forked by another thread must be able to launch.
    pthread_atfork([] { made->mutex.lock(); }, [] { made->mutex.unlock(); }, [] { new (&made->mutex) std::mutex(); });
    return made;
  }();
  return *shared;
}

/// Gives what a launch allocated back when it is over.
class Temporaries {
public:
  explicit Temporaries(DeviceMemory &memory) : memory(memory), before(memory.mark()) {}
  ~Temporaries() { memory.rewind(before); }

private:
  DeviceMemory &memory;
  DeviceMemory::Mark before;
};

u32 archNumber(const std::string &target) {
  return static_cast<u32>(std::strtoul(target.c_str() + std::strlen("sm_"), nullptr, 10));
}

/// Bytes of a kernel parameter.
u32 paramBytes(const artifact::Param &param) {
  return param.isPointer ? 8 : std::max<u32>(1, artifact::dtypeSize(param.dtype));
}

class SimKernel : public core::Kernel {
public:
  SimKernel(const artifact::Artifact &facts, std::string device, std::shared_ptr<const LoadedModule> module,
            const sim::Kernel &entry)
      : facts(facts), device(std::move(device)), module(std::move(module)), entry(entry) {}
  ~SimKernel() override {
    std::lock_guard lock(machine().mutex);
    for (const GlobalVariable &variable : module->program.globals) {
      machine().gpu.memory().release(variable.address);
    }
  }

  Error launch(const core::LaunchArgs &args) override;

private:
  Result<LaunchOptions> options(const core::LaunchArgs &args) const;
  Result<std::vector<u8>> params(const core::LaunchArgs &args, const Transfers &transfers) const;
  Error verdict(const Record &record) const;

  const artifact::Artifact &facts;
  std::string device;
  std::shared_ptr<const LoadedModule> module;
  const sim::Kernel &entry;
};

Result<LaunchOptions> SimKernel::options(const core::LaunchArgs &args) const {
  auto made = currentSettings();
  if (!made) {
    return made;
  }
  LaunchOptions &o = *made;
  for (int axis = 0; axis < 3; ++axis) {
    o.grid[axis] = static_cast<u32>(args.grid[axis]);
  }
  int64_t warps = facts.fact("num_warps", 0);
  if (warps > 0) {
    o.block[0] = static_cast<u32>(std::min<int64_t>(32 * warps, INT32_MAX));
  } else if (entry.reqntid[0] != 0) {
    std::copy_n(entry.reqntid, 3, o.block);
  } else {
    return Error(errors::Code::SimBadBlock,
                 "expected the launch fact num_warps or .reqntid for kernel '" + facts.kernel + "', got neither");
  }
  o.dynamicShared = static_cast<u32>(std::clamp<int64_t>(facts.fact("shared_bytes", 0), 0, UINT32_MAX));
  o.arch = archNumber(facts.target);
  o.cancel = core::cancelWord(*core::threadControl());
  o.poll = args.poll;
  o.pollContext = args.pollContext;
  return made;
}

Result<std::vector<u8>> SimKernel::params(const core::LaunchArgs &args, const Transfers &transfers) const {
  std::vector<u8> buffer(entry.paramBytes);
  for (u32 k = 0; k < facts.params.size(); ++k) {
    const artifact::Param &param = facts.params[k];
    u64 bits = args.slots[k];
    if (param.isPointer) {
      auto address = transfers.pointer(k, bits);
      if (!address) {
        return address.takeError();
      }
      bits = *address;
    }
    std::memcpy(buffer.data() + entry.params[k].offset, &bits, paramBytes(param));
  }
  return buffer;
}

/// The error of a launch: its first fault, or that it was stopped.
Error SimKernel::verdict(const Record &record) const {
  for (const Finding &finding : record.result.findings) {
    if (isFaultKind(finding.kind)) {
      return asError(record, finding);
    }
  }
  if (record.result.isStopped) {
    return Error(errors::Code::Interrupted, "the launch of kernel '" + facts.kernel + "' was interrupted");
  }
  return Error::success();
}

Error SimKernel::launch(const core::LaunchArgs &args) {
  auto wanted = options(args);
  if (!wanted) {
    return wanted.takeError();
  }
  std::lock_guard lock(machine().mutex);
  Gpu &gpu = machine().gpu;
  Temporaries temporaries(gpu.memory());
  Transfers transfers(gpu.memory(), facts);
  bool marksUnwritten = (wanted->checks & bit(Kind::Unwritten)) != 0;
  if (Error error = transfers.toDevice(args.arrays, args.arrayCount, marksUnwritten)) {
    return error;
  }
  auto buffer = params(args, transfers);
  if (!buffer) {
    return buffer.takeError();
  }
  wanted->arrays = transfers.arrays();
  auto record = std::make_shared<Record>();
  {
    core::SigintGuard guard(args.stopsOnSigint);
    auto result = gpu.launch(*module, entry.name, *wanted, *buffer);
    if (!result) {
      return result.takeError();
    }
    record->result = std::move(*result);
  }
  if (marksUnwritten) {
    addUnwritten(gpu.memory(), record->result);
  }
  record->kernel = facts.kernel;
  record->device = device;
  record->module = module;
  std::copy_n(wanted->grid, 3, record->grid);
  std::copy_n(wanted->block, 3, record->block);
  if (!record->result.output.empty()) {
    core::write(core::Output::Print, record->result.output);
  }
  Error error = verdict(*record);
  if (!error) {
    transfers.toHost();
  }
  remember(std::move(record));
  return error;
}

class SimDevice : public core::Device {
public:
  using Device::Device;

  bool isHost() const override { return false; }

  Result<std::unique_ptr<core::Kernel>> load(const core::Loadable &loadable) override;
  Result<void *> allocate(size_t bytes) override;
  void release(void *address) override;
  Error copyToDevice(void *to, const void *from, size_t bytes) override;
  Error copyToHost(void *to, const void *from, size_t bytes) override;
};

Result<std::unique_ptr<core::Kernel>> SimDevice::load(const core::Loadable &loadable) {
  const artifact::Artifact &facts = loadable.artifact;
  if (facts.abiVersion != PAVAGE_ABI_VERSION) {
    return Error(errors::Code::ArtifactVersion, "expected code for kernel interface " +
                                                    std::to_string(PAVAGE_ABI_VERSION) + ", got " +
                                                    std::to_string(facts.abiVersion));
  }
  const std::string *ptx = facts.section("ptx");
  if (ptx == nullptr) {
    return Error(errors::Code::EntryMissing, "expected PTX in the artifact of kernel '" + facts.kernel + "', got none");
  }
  std::lock_guard lock(machine().mutex);
  auto loaded = machine().gpu.load(*ptx, facts.kernel + ".ptx");
  if (!loaded) {
    return loaded.takeError();
  }
  (*loaded)->ops = facts.ops;
  (*loaded)->opLines = facts.opLines;
  std::shared_ptr<const LoadedModule> module = std::move(*loaded);
  const Kernel *entry = module->program.findKernel(facts.entry);
  if (entry == nullptr) {
    return Error(errors::Code::EntryMissing,
                 "expected an entry '" + facts.entry + "' in the PTX of kernel '" + facts.kernel + "', got none");
  }
  if (entry->params.size() != facts.params.size()) {
    return Error(errors::Code::SimBadArguments, "expected " + std::to_string(facts.params.size()) +
                                                    " parameters in the PTX of kernel '" + facts.kernel + "', got " +
                                                    std::to_string(entry->params.size()));
  }
  for (size_t k = 0; k < facts.params.size(); ++k) {
    if (entry->params[k].bytes != paramBytes(facts.params[k])) {
      return Error(errors::Code::SimBadArguments, "expected " + std::to_string(paramBytes(facts.params[k])) +
                                                      " bytes for the parameter '" + facts.params[k].name +
                                                      "' in the PTX of kernel '" + facts.kernel + "', got " +
                                                      std::to_string(entry->params[k].bytes));
    }
  }
  return std::unique_ptr<core::Kernel>(std::make_unique<SimKernel>(facts, name(), std::move(module), *entry));
}

Result<void *> SimDevice::allocate(size_t bytes) {
  std::lock_guard lock(machine().mutex);
  u64 address = bytes <= size_t(1) << 46 ? machine().gpu.memory().allocate(bytes, "a buffer of the host") : 0;
  if (address == 0) {
    return Error(errors::Code::OutOfMemory,
                 "expected " + std::to_string(bytes) + " bytes of the virtual GPU's memory, got none");
  }
  return reinterpret_cast<void *>(address);
}

void SimDevice::release(void *address) {
  std::lock_guard lock(machine().mutex);
  machine().gpu.memory().release(reinterpret_cast<u64>(address));
}

Error outside(const char *what, size_t bytes) {
  return Error(errors::Code::CopyOutOfRange,
               std::string("expected ") + what + " of " + std::to_string(bytes) +
                   " bytes to be inside one live allocation of the virtual GPU, got addresses that are not");
}

Error SimDevice::copyToDevice(void *to, const void *from, size_t bytes) {
  std::lock_guard lock(machine().mutex);
  return machine().gpu.memory().write(reinterpret_cast<u64>(to), from, bytes) ? Error::success()
                                                                              : outside("the target", bytes);
}

Error SimDevice::copyToHost(void *to, const void *from, size_t bytes) {
  std::lock_guard lock(machine().mutex);
  return machine().gpu.memory().read(reinterpret_cast<u64>(from), to, bytes) ? Error::success()
                                                                             : outside("the source", bytes);
}

class SimKind : public core::DeviceKind {
public:
  Result<std::unique_ptr<core::Device>> open(const core::DeviceName &name) override {
    return std::unique_ptr<core::Device>(std::make_unique<SimDevice>(name.canonical(), name.target));
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (std::string_view target : core::simulatedTargets()) {
      all.push_back("sim:" + std::string(target));
    }
    return all;
  }
};

} // namespace

std::unique_ptr<core::DeviceKind> makeSimKind() { return std::make_unique<SimKind>(); }

} // namespace pavage::sim

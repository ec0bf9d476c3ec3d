// The C interface: devices, CPU, threads, cache. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/CpuInfo.h"
#include "runtime/Cpu/Pool.h"
#include "runtime/Launch/Devices.h"
#include "runtime/Launch/DiskCache.h"
#include "runtime/Launch/ErrorObject.h"

#include <mutex>
#include <pthread.h>
#include <set>

using namespace pavage;
using errors::Error;
using launch::guarded;
using launch::misuse;
using launch::unwrap;

/// A copy of the text that is never freed, one per text: for results without an owner.
static const char *intern(const std::string &text) {
  static auto *texts = new std::set<std::string>();
  static auto *mutex = [] {
    static auto *made = new std::mutex();
    pthread_atfork([] { made->lock(); }, [] { made->unlock(); }, [] { made->unlock(); });
    return made;
  }();
  std::lock_guard lock(*mutex);
  return texts->insert(text).first->c_str();
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

pvrt_error *pvrt_device_open(const char *name, pvrt_device **device) {
  return guarded([&] {
    if (!device) {
      return misuse("expected a place for the device, got none");
    }
    auto opened = launch::openDevice(name);
    if (!opened) {
      return opened.takeError();
    }
    *device = launch::wrap(*opened);
    return Error::success();
  });
}

const char *pvrt_device_name(const pvrt_device *device) { return unwrap(device)->name().c_str(); }
const char *pvrt_device_target(const pvrt_device *device) { return unwrap(device)->target().c_str(); }
int pvrt_device_ready(const pvrt_device *device) { return unwrap(device)->ready(); }
int pvrt_device_is_host(const pvrt_device *device) { return unwrap(device)->isHost(); }
uint32_t pvrt_device_id(const pvrt_device *device) { return unwrap(device)->id(); }

const char *pvrt_device_list(size_t index) {
  try {
    std::vector<std::string> names = launch::usableDevices();
    return index < names.size() ? intern(names[index]) : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

pvrt_error *pvrt_alloc(pvrt_device *device, size_t bytes, void **address) {
  return guarded([&] {
    if (!device || !address) {
      return misuse("expected a device and a place for the address, got less");
    }
    auto memory = unwrap(device)->allocate(bytes);
    if (!memory) {
      return memory.takeError();
    }
    *address = *memory;
    return Error::success();
  });
}

void pvrt_free(pvrt_device *device, void *address) {
  if (device && address) {
    unwrap(device)->release(address);
  }
}

pvrt_error *pvrt_copy_to_device(pvrt_device *device, void *to, const void *from, size_t bytes) {
  return guarded(
      [&] { return device ? unwrap(device)->copyToDevice(to, from, bytes) : misuse("expected a device, got none"); });
}

pvrt_error *pvrt_copy_to_host(pvrt_device *device, void *to, const void *from, size_t bytes) {
  return guarded(
      [&] { return device ? unwrap(device)->copyToHost(to, from, bytes) : misuse("expected a device, got none"); });
}

pvrt_error *pvrt_synchronize(pvrt_device *device) {
  return guarded([&] { return device ? unwrap(device)->synchronize() : misuse("expected a device, got none"); });
}

pvrt_error *pvrt_register_hosted(const char *device_name, const pvrt_hosted *hosted) {
  return guarded([&] {
    return hosted ? launch::registerHosted(device_name, *hosted) : misuse("expected the device's functions, got none");
  });
}

//===----------------------------------------------------------------------===//
// CPU and threads
//===----------------------------------------------------------------------===//

const char *pvrt_cpu_name(void) { return core::cpuInfo().name.c_str(); }

const char *pvrt_cpu_fingerprint(void) { return core::cpuInfo().fingerprint.c_str(); }

pvrt_error *pvrt_cpu_level(const char **level) {
  return guarded([&] {
    auto found = core::cpuLevel();
    if (!found) {
      return found.takeError();
    }
    *level = core::cpuLevelName(*found).data();
    return Error::success();
  });
}

uint32_t pvrt_num_threads(void) {
  // A wrong PAVAGE_NUM_THREADS is reported by the launch.
  auto count = cpu::threads();
  return count ? *count : 1;
}

pvrt_error *pvrt_set_num_threads(uint32_t count) {
  return guarded([&] { return cpu::setThreads(count); });
}

void pvrt_reload_environment(void) {
  cpu::reloadThreads();
  launch::reloadDiskCache();
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

pvrt_error *pvrt_cache_folder(const char **folder) {
  return guarded([&] {
    auto disk = launch::diskCache();
    if (!disk) {
      return disk.takeError();
    }
    *folder = *disk ? intern((*disk)->folder()) : "";
    return Error::success();
  });
}

pvrt_error *pvrt_cache_list(void (*visit)(void *context, const pvrt_cache_entry *entry), void *context) {
  return guarded([&] {
    auto disk = launch::diskCache();
    if (!disk || !*disk) {
      return disk ? Error::success() : disk.takeError();
    }
    auto all = (*disk)->list();
    if (!all) {
      return all.takeError();
    }
    for (const cache::Listed &listed : *all) {
      pvrt_cache_entry entry = {listed.file.c_str(), listed.kernel.c_str(), listed.target.c_str(),
                                listed.bytes,        listed.lastUsed,       listed.isDamaged};
      visit(context, &entry);
    }
    return Error::success();
  });
}

pvrt_error *pvrt_cache_clear(uint64_t *removed) {
  return guarded([&] {
    *removed = 0;
    auto disk = launch::diskCache();
    if (!disk || !*disk) {
      return disk ? Error::success() : disk.takeError();
    }
    auto count = (*disk)->clear();
    if (!count) {
      return count.takeError();
    }
    *removed = *count;
    return Error::success();
  });
}

pvrt_error *pvrt_cache_verify(uint64_t *good, uint64_t *removed) {
  return guarded([&] {
    *good = *removed = 0;
    auto disk = launch::diskCache();
    if (!disk || !*disk) {
      return disk ? Error::success() : disk.takeError();
    }
    auto counts = (*disk)->verify();
    if (!counts) {
      return counts.takeError();
    }
    *good = counts->good;
    *removed = counts->removed;
    return Error::success();
  });
}

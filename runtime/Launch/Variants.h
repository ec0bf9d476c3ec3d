// All compiled variants of one kernel. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// find() is the hot path: an open-addressing table of variants by fingerprint, read without locks; the full key is
// compared where fingerprints agree. A table is never changed after it is full to the point of growing: a larger copy
// takes its place, and old ones stay until the kernel goes, since a reader may be in them.
//
// get() is the rest: memory, then disk, then the compile callback; then load and remember. For each key at most one
// thread is at it ("a flight"); others that come wait for its result, good or bad. Nothing is locked while a callback
// runs.
#ifndef PAVAGE_RUNTIME_LAUNCH_VARIANTS_H
#define PAVAGE_RUNTIME_LAUNCH_VARIANTS_H

#include "runtime/Artifact/Artifact.h"
#include "runtime/Core/Device.h"
#include "runtime/Errors/Errors.h"
#include "runtime/Launch/include/pavage/runtime.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// One compiled variant, loaded on its device. The C interface hands out pointers to it.
struct pvrt_variant {
  pavage::core::Device *device = nullptr;
  uint64_t fingerprint = 0;
  std::string key;
  std::string bytes; ///< the serialized artifact
  pavage::artifact::Artifact artifact;
  std::unique_ptr<pavage::core::Kernel> kernel; ///< after what it refers to: destroyed first
  std::vector<pvrt_param> params;               ///< views of artifact.params
  pvrt_origin origin = PVRT_ORIGIN_GIVEN;
  double milliseconds = 0;
};

namespace pavage::launch {

/// A variant of an artifact's bytes, loaded; the key is left empty.
errors::Result<std::unique_ptr<pvrt_variant>> loadVariant(core::Device &device, std::string bytes,
                                                          artifact::Artifact artifact);

using Parts = std::vector<std::pair<std::string, std::string>>;

/// What changed between two variants, as people read it: "BLOCK: 128 -> 256, n: i32 -> i32:16". Only names for parts
/// that start with '.'.
std::string describeChange(const Parts &before, const Parts &after);

/// The variant of `earlier` that differs least.
const Parts *nearest(const std::vector<Parts> &earlier, const Parts &wanted);

} // namespace pavage::launch

/// The kernel of the C interface.
struct pvrt_kernel {
public:
  pvrt_kernel(std::string name, std::string file, unsigned line)
      : name(std::move(name)), file(std::move(file)), line(line) {}

  pvrt_variant *find(const pavage::core::Device *device, uint64_t fingerprint, std::string_view key) const {
    const Table *current = table.load(std::memory_order_acquire);
    if (current == nullptr) {
      return nullptr;
    }
    for (size_t at = fingerprint & current->mask;; at = (at + 1) & current->mask) {
      pvrt_variant *variant = current->slots[at].load(std::memory_order_acquire);
      if (variant == nullptr) {
        return nullptr;
      }
      if (variant->fingerprint == fingerprint && variant->device == device && variant->key == key) {
        return variant;
      }
    }
  }

  pavage::errors::Result<pvrt_variant *> get(pavage::core::Device &device, uint64_t fingerprint, std::string_view key,
                                             const pvrt_request &request);

private:
  struct Table {
    explicit Table(size_t size) : mask(size - 1), slots(new std::atomic<pvrt_variant *>[size]()) {}
    size_t mask;
    std::unique_ptr<std::atomic<pvrt_variant *>[]> slots;
    size_t used = 0;

    void insert(pvrt_variant *variant);
  };
  struct Flight {
    std::thread::id thread;
    int process = 0; ///< a flight of the parent never lands in a forked child
    bool isOver = false;
    pavage::errors::Error error;
    pvrt_variant *variant = nullptr;
  };
  using FlightKey = std::pair<const pavage::core::Device *, std::string>;

  pavage::errors::Result<std::unique_ptr<pvrt_variant>>
  obtain(pavage::core::Device &device, const pvrt_request &request, const pavage::launch::Parts &parts);
  pavage::errors::Error noticeRecompile(const pavage::core::Device &device, const pvrt_request &request,
                                        const pavage::launch::Parts &parts);
  void publish(std::unique_ptr<pvrt_variant> variant);

  const std::string name, file;
  const unsigned line;
  std::atomic<const Table *> table{nullptr};

  // Guarded by the lock of Variants.cpp.
  std::vector<std::unique_ptr<Table>> tables; ///< the last is the current one
  std::vector<std::unique_ptr<pvrt_variant>> variants;
  std::map<FlightKey, std::shared_ptr<Flight>> flights;
  std::map<const pavage::core::Device *, std::vector<pavage::launch::Parts>> history; ///< of variants, per device
};

#endif // PAVAGE_RUNTIME_LAUNCH_VARIANTS_H

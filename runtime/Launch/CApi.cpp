// The C interface: kernels, variants, launches. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/CheckAccess.h"
#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/Output.h"
#include "runtime/Launch/Devices.h"
#include "runtime/Launch/ErrorObject.h"
#include "runtime/Launch/Variants.h"

#include <algorithm>
#include <cstring>

using namespace pavage;
using errors::Code;
using errors::Error;
using launch::guarded;
using launch::misuse;
using launch::unwrap;

static_assert(sizeof(pvrt_array) == sizeof(PavageArray));
static_assert(offsetof(pvrt_array, shape) == offsetof(PavageArray, shape));
static_assert(offsetof(pvrt_array, strides) == offsetof(PavageArray, strides));
static_assert(offsetof(pvrt_array, ndim) == offsetof(PavageArray, ndim));
static_assert(offsetof(pvrt_array, itemsize) == offsetof(PavageArray, itemsize));
static_assert(offsetof(pvrt_array, slot) == offsetof(PavageArray, slot));
static_assert(offsetof(pvrt_array, flags) == offsetof(PavageArray, flags));

uint32_t pvrt_version(void) { return PVRT_VERSION; }

//===----------------------------------------------------------------------===//
// Kernels and variants
//===----------------------------------------------------------------------===//

pvrt_kernel *pvrt_kernel_new(const char *name, const char *file, uint32_t line) {
  try {
    return new pvrt_kernel(name ? name : "", file ? file : "", line);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void pvrt_kernel_free(pvrt_kernel *kernel) { delete kernel; }

pvrt_variant *pvrt_kernel_find(const pvrt_kernel *kernel, const pvrt_device *device, uint64_t fingerprint,
                               const void *key, size_t key_bytes) {
  return kernel->find(unwrap(device), fingerprint, {static_cast<const char *>(key), key_bytes});
}

pvrt_error *pvrt_kernel_get(pvrt_kernel *kernel, pvrt_device *device, uint64_t fingerprint, const void *key,
                            size_t key_bytes, const pvrt_request *request, pvrt_variant **variant) {
  return guarded([&] {
    if (!kernel || !device || !request || !variant || request->struct_size != sizeof(pvrt_request) ||
        (!key && key_bytes != 0) || (!request->parts && request->part_count != 0)) {
      return misuse("expected kernel, device, key and a complete request, got less");
    }
    auto got = kernel->get(*unwrap(device), fingerprint, {static_cast<const char *>(key), key_bytes}, *request);
    if (!got) {
      return got.takeError();
    }
    *variant = *got;
    return Error::success();
  });
}

pvrt_error *pvrt_load(pvrt_device *device, const void *artifact, size_t bytes, pvrt_variant **variant) {
  return guarded([&] {
    if (!device || !artifact || !variant) {
      return misuse("expected a device and an artifact, got less");
    }
    std::string copy(static_cast<const char *>(artifact), bytes);
    auto read = artifact::deserialize(copy);
    if (!read) {
      return read.takeError();
    }
    auto loaded = launch::loadVariant(*unwrap(device), std::move(copy), std::move(*read));
    if (!loaded) {
      return loaded.takeError();
    }
    *variant = loaded->release();
    return Error::success();
  });
}

void pvrt_variant_free(pvrt_variant *variant) { delete variant; }

pvrt_origin pvrt_variant_origin(const pvrt_variant *variant) { return variant->origin; }

double pvrt_variant_milliseconds(const pvrt_variant *variant) { return variant->milliseconds; }

void pvrt_variant_artifact(const pvrt_variant *variant, const void **data, size_t *size) {
  *data = variant->bytes.data();
  *size = variant->bytes.size();
}

int pvrt_variant_section(const pvrt_variant *variant, const char *name, const void **data, size_t *size) {
  const std::string *section = name ? variant->artifact.section(name) : nullptr;
  if (section == nullptr) {
    return 0;
  }
  *data = section->data();
  *size = section->size();
  return 1;
}

const char *pvrt_variant_section_name(const pvrt_variant *variant, size_t index) {
  const auto &sections = variant->artifact.sections;
  return index < sections.size() ? sections[index].first.c_str() : nullptr;
}

size_t pvrt_variant_param_count(const pvrt_variant *variant) { return variant->params.size(); }

const pvrt_param *pvrt_variant_param(const pvrt_variant *variant, size_t index) {
  return index < variant->params.size() ? &variant->params[index] : nullptr;
}

int64_t pvrt_variant_fact(const pvrt_variant *variant, const char *name, int64_t fallback) {
  if (name == nullptr) {
    return fallback;
  }
  if (std::strcmp(name, "scratch_bytes") == 0) {
    return static_cast<int64_t>(variant->artifact.scratchBytes);
  }
  return variant->artifact.fact(name, fallback);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

pvrt_error *pvrt_launch(pvrt_variant *variant, const pvrt_launch_args *args) {
  return guarded([&] {
    if (!variant || !args || args->struct_size != sizeof(pvrt_launch_args)) {
      return misuse("expected a variant and launch arguments, got less");
    }
    size_t slots = variant->artifact.params.size();
    if (args->slot_count != slots || (slots != 0 && !args->slots)) {
      return misuse("expected " + std::to_string(slots) + " argument slots for kernel '" + variant->artifact.kernel +
                    "', got " + std::to_string(args->slot_count));
    }
    if (Error error = core::checkGrid(args->grid)) {
      return error;
    }
    core::LaunchScope scope;
    if (Error error = scope.error()) {
      return error;
    }
    if (args->grid[0] == 0 || args->grid[1] == 0 || args->grid[2] == 0) {
      return Error::success();
    }
    core::LaunchArgs passed;
    std::copy(std::begin(args->grid), std::end(args->grid), passed.grid);
    passed.slots = args->slots;
    passed.arrays = reinterpret_cast<const PavageArray *>(args->arrays);
    passed.arrayCount = args->arrays ? args->array_count : 0;
    passed.poll = args->poll;
    passed.pollContext = args->poll_context;
    passed.stopsOnSigint = (args->flags & PVRT_LAUNCH_SIGINT) != 0;
    return variant->kernel->launch(passed);
  });
}

void pvrt_number_memory(const pvrt_array *arrays, size_t count, uint8_t *memory) {
  constexpr size_t most = 64;
  artifact::AddressRange ranges[most];
  std::fill(memory, memory + count, 0);
  count = std::min(count, most);
  bool joins = false;
  for (size_t i = 0; i < count; ++i) {
    // A null pointer, which stands for an array in warm-ups, reaches nothing.
    ranges[i] = arrays[i].base == 0 ? artifact::AddressRange()
                                    : artifact::addressRange(reinterpret_cast<const PavageArray &>(arrays[i]));
    memory[i] = static_cast<uint8_t>(i + 1);
    for (size_t j = 0; j < i; ++j) {
      if (memory[j] != memory[i] && ranges[i].overlaps(ranges[j])) {
        auto [kept, gone] = std::minmax({memory[i], memory[j]});
        std::replace(memory, memory + i + 1, gone, kept);
        joins = true;
      }
    }
  }
  if (!joins) {
    return; // 1, 2, 3, ...
  }
  uint8_t names[most + 1] = {}, next = 0;
  for (size_t i = 0; i < count; ++i) {
    uint8_t &name = names[memory[i]];
    memory[i] = name = name ? name : ++next;
  }
}

pvrt_thread *pvrt_current_thread(void) { return reinterpret_cast<pvrt_thread *>(core::threadControl()); }

void pvrt_interrupt(pvrt_thread *thread) { core::interrupt(reinterpret_cast<core::ThreadControl *>(thread)); }

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

void pvrt_set_print_handler(void (*handler)(void *context, const char *text, size_t size), void *context) {
  core::setOutputHandler(core::Output::Print, handler, context);
}

void pvrt_set_notice_handler(void (*handler)(void *context, const char *text, size_t size), void *context) {
  core::setOutputHandler(core::Output::Notice, handler, context);
}

void pvrt_print(const char *text, size_t size) { core::write(core::Output::Print, {text, size}); }

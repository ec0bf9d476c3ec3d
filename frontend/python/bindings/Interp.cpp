// The device `interp` of the runtime, made of the compiler's pv_interpret. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The runtime and the compiler do not know each other; this file is where both are at hand. The grid runs on a thread
// of its own, so that the launching one can look for signals meanwhile.
#include "frontend/python/bindings/Bindings.h"

#include <pavage/runtime.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace pavage::python {

namespace {

pvrt_error *lastError() {
  pv_error_info e;
  pv_error(nullptr, &e);
  return pvrt_error_new(static_cast<uint32_t>(e.number), e.text ? e.text : "", e.file, static_cast<uint32_t>(e.line),
                        static_cast<uint32_t>(e.column), nullptr);
}

pvrt_error *load(void *, const void *artifact, size_t bytes, void **loaded) {
  pv_module *m = nullptr;
  if (pv_module_from_artifact(artifact, bytes, &m)) {
    return lastError();
  }
  *loaded = m;
  return nullptr;
}

void unload(void *, void *loaded) { pv_module_destroy(static_cast<pv_module *>(loaded)); }

void print(void *, const char *text) { pvrt_print(text, std::char_traits<char>::length(text)); }

struct Run {
  pv_module *module = nullptr;
  pv_interpret_args args{};
  pvrt_error *error = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  void operator()() {
    pvrt_error *e = pv_interpret(module, &args) ? lastError() : nullptr;
    std::lock_guard lock(mutex);
    error = e;
    done = true;
    changed.notify_one();
  }
};

pvrt_error *launch(void *, void *loaded, const pvrt_launch_args *args, const volatile uint32_t *cancel) {
  static_assert(sizeof(pvrt_array) == sizeof(pv_launch_array));
  volatile uint32_t stop = 0;
  Run run;
  run.module = static_cast<pv_module *>(loaded);
  run.args.struct_size = sizeof(run.args);
  std::copy(args->grid, args->grid + 3, run.args.grid);
  run.args.slots = args->slots;
  run.args.num_slots = args->slot_count;
  run.args.arrays = reinterpret_cast<const pv_launch_array *>(args->arrays);
  run.args.num_arrays = args->array_count;
  run.args.cancel = &stop;
  run.args.print = print;
  std::thread worker([&run] { run(); });
  std::unique_lock lock(run.mutex);
  while (!run.changed.wait_for(lock, std::chrono::milliseconds(10), [&run] { return run.done; })) {
    lock.unlock();
    if (*cancel || (args->poll && args->poll(args->poll_context))) {
      stop = 1;
    }
    lock.lock();
  }
  lock.unlock();
  worker.join();
  return run.error;
}

} // namespace

void registerInterp() {
  pvrt_hosted hosted{};
  hosted.struct_size = sizeof(hosted);
  hosted.load = load;
  hosted.launch = launch;
  hosted.unload = unload;
  if (pvrt_error *e = pvrt_register_hosted("interp", &hosted)) {
    Error error(static_cast<int>(e->number), e->text);
    pvrt_error_free(e);
    throw error;
  }
}

} // namespace pavage::python

// Bookkeeping of running launches. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/LaunchScope.h"

namespace pavage::core {

using errors::Code;
using errors::Error;

static std::atomic<ThreadControl *> controls{nullptr};

static ThreadControl *acquireControl() {
  for (ThreadControl *control = controls.load(std::memory_order_acquire); control; control = control->next) {
    bool free = false;
    if (control->isOwned.compare_exchange_strong(free, true)) {
      return control;
    }
  }
  auto *control = new ThreadControl();
  control->next = controls.load(std::memory_order_relaxed);
  while (
      !controls.compare_exchange_weak(control->next, control, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return control;
}

namespace {
struct Owner {
  ThreadControl *control = acquireControl();
  ~Owner() { control->isOwned.store(false, std::memory_order_release); }
};
} // namespace

static thread_local bool isInsideKernel = false;

ThreadControl *threadControl() {
  static thread_local Owner owner;
  return owner.control;
}

static void stop(ThreadControl &control) {
  if (control.isLaunching.load()) {
    uint32_t running = runOn;
    control.cancel.compare_exchange_strong(running, userStop);
  }
}

void interrupt(ThreadControl *thread) {
  if (thread != nullptr) {
    stop(*thread);
    return;
  }
  for (ThreadControl *control = controls.load(std::memory_order_acquire); control; control = control->next) {
    stop(*control);
  }
}

LaunchScope::LaunchScope() {
  if (isInsideKernel) {
    return;
  }
  isEntered = isInsideKernel = true;
  ThreadControl *control = threadControl();
  control->cancel.store(runOn, std::memory_order_relaxed);
  control->isLaunching.store(true);
}

LaunchScope::~LaunchScope() {
  if (isEntered) {
    threadControl()->isLaunching.store(false);
    isInsideKernel = false;
  }
}

Error LaunchScope::error() const {
  return isEntered ? Error::success()
                   : Error(Code::NestedLaunch, "expected no kernel to be running in this thread, got a launch from "
                                               "inside a kernel's callback");
}

WorkerScope::WorkerScope() { isInsideKernel = true; }
WorkerScope::~WorkerScope() { isInsideKernel = false; }

} // namespace pavage::core

// The mark "this thread is running a kernel": nesting and interruption. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Each thread that launches has one ThreadControl with the word that its running kernels poll. interrupt() only touches
// atomics in memory that is never freed, so a signal handler may call it.
#ifndef PAVAGE_RUNTIME_CORE_LAUNCHSCOPE_H
#define PAVAGE_RUNTIME_CORE_LAUNCHSCOPE_H

#include "runtime/Errors/Errors.h"

#include <atomic>
#include <cstdint>

namespace pavage::core {

/// Values of the cancel word.
enum : uint32_t { runOn = 0, userStop = 1, errorStop = 2 };

struct ThreadControl {
  std::atomic<uint32_t> cancel{runOn};
  std::atomic<bool> isLaunching{false};
  std::atomic<bool> isOwned{true}; ///< by a living thread
  ThreadControl *next = nullptr;
};

/// This thread's control block. When a thread ends a later one gets its block.
ThreadControl *threadControl();

/// Stops the launch of that thread, if it runs one; null: of every thread. Async-signal-safe.
void interrupt(ThreadControl *thread);

/// Around a launch. Not entered (see error()) when this thread is inside a kernel already.
class LaunchScope {
public:
  LaunchScope();
  ~LaunchScope();
  LaunchScope(const LaunchScope &) = delete;
  LaunchScope &operator=(const LaunchScope &) = delete;

  /// PV0310 when nested.
  errors::Error error() const;

private:
  bool isEntered = false;
};

/// Marks a worker thread as inside a kernel while alive, so that launches from its callbacks are seen to be nested.
class WorkerScope {
public:
  WorkerScope();
  ~WorkerScope();
};

/// The word that kernels launched by this thread must look at.
inline const volatile uint32_t *cancelWord(const ThreadControl &control) {
  static_assert(sizeof(control.cancel) == sizeof(uint32_t));
  return reinterpret_cast<const volatile uint32_t *>(&control.cancel);
}

} // namespace pavage::core

#endif // PAVAGE_RUNTIME_CORE_LAUNCHSCOPE_H

// Access to the disk cache for launches. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Launch/DiskCache.h"

#include "runtime/Core/Environment.h"
#include "runtime/Core/Output.h"

#include <atomic>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pavage::launch {

using errors::Code;
using errors::Error;
using errors::Result;

namespace {
struct State {
  std::mutex mutex;
  bool isRead = false;
  std::shared_ptr<cache::Cache> cache;
  std::atomic<bool> hasComplained{false};
};
} // namespace

static State &state() {
  static auto *shared = [] {
    static auto *made = new State();
    // Held for an instant only, but another thread may be in that instant at a fork.
    pthread_atfork(nullptr, nullptr, [] { new (&made->mutex) std::mutex(); });
    return made;
  }();
  return *shared;
}

Result<std::shared_ptr<cache::Cache>> diskCache() {
  State &shared = state();
  std::lock_guard lock(shared.mutex);
  if (!shared.isRead) {
    auto opened = cache::Cache::fromEnvironment();
    if (!opened) {
      return opened.takeError();
    }
    shared.cache = *opened;
    shared.isRead = true;
  }
  return shared.cache;
}

void reloadDiskCache() {
  State &shared = state();
  std::lock_guard lock(shared.mutex);
  shared.isRead = false;
  shared.cache = nullptr;
  shared.hasComplained = false;
}

Error diskTrouble(Error error) {
  if (!error || error.is(Code::CacheFolderUnsafe)) {
    return error;
  }
  auto named = core::environment("PAVAGE_CACHE_DIR");
  if (error.is(Code::CacheFolderUnusable) && named && !named->empty()) {
    return error;
  }
  if (!state().hasComplained.exchange(true)) {
    core::write(core::Output::Notice,
                errors::render("warning " + errors::formatNumber(error.number()),
                               error.text() + "; kernels are compiled again in each process", error.at()) +
                    "\n");
  }
  return Error::success();
}

} // namespace pavage::launch

// The thread pool that runs grids. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch is a job: programs 0..total-1, cut into chunks. The launching thread and the workers claim chunks in
// ascending order from one counter, and each runs its chunk from first to last before it claims another. So whenever a
// program runs, every lower one has ended or is being run by a thread: a program may wait for one of lower id, with any
// number of threads, also with none but the launching one.
//
// Workers spin for some microseconds when idle, then sleep on a futex; a launch right after another costs well under a
// microsecond, one after a pause a wake-up. Several threads may launch at once: each runs its own job, workers help
// where they find chunks. After fork() the child starts workers of its own at its first launch.
#ifndef PAVAGE_RUNTIME_CPU_POOL_H
#define PAVAGE_RUNTIME_CPU_POOL_H

#include "runtime/Errors/Errors.h"

#include <cstdint>

namespace pavage::cpu {

struct PoolJob {
  int64_t total = 0;
  /// Runs programs [begin, end) in order, on any thread. False = start no further chunk.
  bool (*run)(void *context, int64_t begin, int64_t end) = nullptr;
  void *context = nullptr;
  /// Called by the launching thread about every 10 ms; may be null. False = start no further chunk.
  bool (*poll)(void *context) = nullptr;
  unsigned threads = 1; ///< at most so many, the launching one included
};

/// Runs all chunks and returns when the last has ended. False when a run or poll said so.
bool runJob(const PoolJob &job);

/// Threads for a launch that starts now: what setThreads set, else defaultThreads().
errors::Result<unsigned> threads();

/// 0 = the default again. PV0315 above maxThreads.
errors::Error setThreads(unsigned count);

/// PAVAGE_NUM_THREADS may have changed.
void reloadThreads();

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_POOL_H

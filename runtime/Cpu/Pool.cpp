// Jobs, workers, and where workers run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a job is shared. The pool has a fixed number of slots. The launching thread takes a free slot, stores its job
// there and raises `epoch`, on which idle workers spin and sleep. A worker that enters a slot first counts itself in
// `users`, then reads the job; the launching thread, when no chunk is left, first clears the job, then waits until
// `users` is 0. Both orders are sequentially consistent, so either the worker sees no job or the launching thread sees
// the worker, and a job can live on its launcher's stack.
#include "runtime/Cpu/Pool.h"

#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/Output.h"
#include "runtime/Cpu/CpuLimits.h"
#include "runtime/Cpu/Futex.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <vector>

namespace pavage::cpu {

using errors::Code;
using errors::Error;
using errors::Result;

/// Idle workers and waiting launchers spin this long before they sleep: longer than the host's work between two
/// launches of a loop, shorter than what a neighbour on the same CPU would notice.
static constexpr uint64_t spinNanoseconds = 30000;
static constexpr int pollMilliseconds = 10;
static constexpr int slotCount = 16;

namespace {

struct Job {
  explicit Job(const PoolJob &what, int64_t chunkSize) : work(what), chunk(chunkSize) {}

  const PoolJob &work;
  const int64_t chunk;
  std::atomic<bool> isStopped{false};
  alignas(64) std::atomic<int64_t> next{0};

  /// The next chunk, in ascending order.
  bool claim(int64_t &begin, int64_t &end) {
    if (isStopped.load(std::memory_order_relaxed)) {
      return false;
    }
    begin = next.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= work.total) {
      return false;
    }
    end = std::min(begin + chunk, work.total);
    return true;
  }

  void run(int64_t begin, int64_t end) {
    if (!work.run(work.context, begin, end)) {
      isStopped.store(true, std::memory_order_relaxed);
    }
  }
};

struct alignas(64) Slot {
  std::atomic<Job *> job{nullptr};
  std::atomic<uint32_t> users{0};     ///< workers inside; the launcher sleeps on it
  std::atomic<uint32_t> isAwaited{0}; ///< the launcher may be sleeping
  std::atomic<uint32_t> serial{0};    ///< counts jobs, so that a worker need not look twice at an exhausted one
  std::atomic<bool> isTaken{false};
};

class Pool {
public:
  /// The pool of this process; a new one in a forked child.
  static Pool &get();

  bool run(const PoolJob &work);

private:
  struct Worker {
    Pool *pool;
    unsigned index;
    pthread_t thread;
    int cpu = -1; ///< where it is pinned to
  };

  static void *main(void *worker);
  void work(unsigned index);
  bool help(Slot &slot, unsigned index, uint32_t &exhausted);
  void runAsLauncher(Job &job, uint64_t &lastPoll);
  void awaitUsers(Slot &slot, Job &job, uint64_t &lastPoll);
  void ensureWorkers(unsigned count);
  void place(unsigned count);
  void keepOffCaller();

  Slot slots[slotCount];
  alignas(64) std::atomic<uint32_t> epoch{0};
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<unsigned> started{0};

  std::mutex growth; ///< workers, placement
  std::vector<Worker *> workers;
  std::vector<int> cpus; ///< of the process
  bool isPinned = false; ///< each worker has a CPU of its own, one is left for the caller
  std::atomic<int> spareCpu{-1};
  std::atomic<uint64_t> lastPlaced{0};
  bool hasComplained = false;
};

std::atomic<Pool *> current{nullptr};

} // namespace

/// Made anew in a forked child, as its lock may have been held at the fork.
static std::mutex &creation() {
  static auto *mutex = new std::mutex();
  return *mutex;
}

Pool &Pool::get() {
  if (Pool *pool = current.load(std::memory_order_acquire)) {
    return *pool;
  }
  std::lock_guard lock(creation());
  if (Pool *pool = current.load(std::memory_order_acquire)) {
    return *pool;
  }
  static bool isWatchingForks = false;
  if (!isWatchingForks) {
    isWatchingForks = true;
    // The child has none of the workers. The old pool is left as it is: its memory may be in any state.
    pthread_atfork(nullptr, nullptr, [] {
      current.store(nullptr);
      new (&creation()) std::mutex();
    });
  }
  Pool *pool = new Pool();
  current.store(pool, std::memory_order_release);
  return *pool;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void *Pool::main(void *argument) {
  auto *worker = static_cast<Worker *>(argument);
  pthread_setname_np(pthread_self(), "pavage");
  core::WorkerScope scope; // for good: whatever runs here is inside a kernel
  worker->pool->work(worker->index);
  return nullptr;
}

bool Pool::help(Slot &slot, unsigned index, uint32_t &exhausted) {
  uint32_t serial = slot.serial.load(std::memory_order_relaxed);
  if (slot.job.load(std::memory_order_relaxed) == nullptr || serial == exhausted) {
    return false;
  }
  bool hasHelped = false;
  slot.users.fetch_add(1);
  if (Job *job = slot.job.load()) {
    exhausted = slot.serial.load(std::memory_order_relaxed);
    int64_t begin, end;
    while (index + 1 < job->work.threads && job->claim(begin, end)) {
      job->run(begin, end);
      hasHelped = true;
    }
  }
  if (slot.users.fetch_sub(1) == 1 && slot.isAwaited.load() != 0) {
    futexWake(slot.users);
  }
  return hasHelped;
}

void Pool::work(unsigned index) {
  uint32_t exhausted[slotCount] = {};
  while (true) {
    uint32_t seen = epoch.load();
    bool hasHelped = false;
    for (int i = 0; i < slotCount; ++i) {
      hasHelped |= help(slots[i], index, exhausted[i]);
    }
    if (hasHelped) {
      continue;
    }
    uint64_t start = nanoseconds();
    while (epoch.load(std::memory_order_relaxed) == seen && nanoseconds() - start < spinNanoseconds) {
      spinPause();
    }
    if (epoch.load(std::memory_order_relaxed) == seen) {
      sleepers.fetch_add(1);
      futexWait(epoch, seen);
      sleepers.fetch_sub(1);
    }
  }
}

void Pool::ensureWorkers(unsigned count) {
  if (started.load(std::memory_order_acquire) >= count) {
    return;
  }
  std::lock_guard lock(growth);
  if (cpus.empty()) {
    cpus = allowedCpus();
  }
  // Signals are for the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (workers.size() < count && !hasComplained) {
    auto *worker = new Worker{this, static_cast<unsigned>(workers.size()), {}};
    int status = pthread_create(&worker->thread, nullptr, &Pool::main, worker);
    if (status != 0) {
      delete worker;
      hasComplained = true;
      Error error(Code::ThreadsUnavailable, "expected " + std::to_string(count) + " worker threads, got " +
                                                std::to_string(workers.size()) + ": " + std::strerror(status));
      core::write(core::Output::Notice, error.render() + "\n");
      break;
    }
    pthread_detach(worker->thread);
    workers.push_back(worker);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  place(static_cast<unsigned>(workers.size()));
  // After a failure act as if all were there: the launching thread does the rest.
  started.store(hasComplained ? maxThreads : static_cast<unsigned>(workers.size()), std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

// Linux likes to wake a worker on its waker's CPU, where it waits for the launching thread to finish: no speed-up at
// all. So with one thread per CPU each worker is pinned to its own, and moved when the launching thread turns up there.
// With fewer threads than CPUs pinning could collide with other processes' workers; then a worker is only kept off the
// CPU on which the pool was started. With more threads than CPUs the system decides.

static void restrictTo(pthread_t thread, const std::vector<int> &cpus, int except) {
  int size = std::max(CPU_SETSIZE, cpus.back() + 1);
  cpu_set_t *set = CPU_ALLOC(size);
  if (set == nullptr) {
    return;
  }
  CPU_ZERO_S(CPU_ALLOC_SIZE(size), set);
  for (int cpu : cpus) {
    if (cpu != except) {
      CPU_SET_S(cpu, CPU_ALLOC_SIZE(size), set);
    }
  }
  // A failure (a CPU that has gone off line) leaves the system's choice, which is right, only slower.
  pthread_setaffinity_np(thread, CPU_ALLOC_SIZE(size), set);
  CPU_FREE(set);
}

void Pool::place(unsigned count) {
  int caller = sched_getcpu();
  isPinned = count + 1 == cpus.size();
  spareCpu = isPinned ? caller : -1;
  size_t next = 0;
  for (Worker *worker : workers) {
    worker->cpu = -1;
    if (isPinned) {
      next += cpus[next] == caller;
      worker->cpu = cpus[std::min(next++, cpus.size() - 1)];
      restrictTo(worker->thread, {worker->cpu}, -1);
    } else {
      restrictTo(worker->thread, cpus, count + 1 < cpus.size() ? caller : -1);
    }
  }
}

void Pool::keepOffCaller() {
  int caller = sched_getcpu(), spare = spareCpu.load(std::memory_order_relaxed);
  if (spare < 0 || caller == spare || !growth.try_lock()) {
    return;
  }
  std::lock_guard lock(growth, std::adopt_lock);
  // Callers that jump between CPUs, or several that launch at once, must not make workers jump with them.
  uint64_t now = nanoseconds();
  if (now - lastPlaced.load(std::memory_order_relaxed) < 2000000) {
    return;
  }
  for (Worker *worker : workers) {
    if (worker->cpu == caller) {
      lastPlaced.store(now, std::memory_order_relaxed);
      worker->cpu = spareCpu;
      restrictTo(worker->thread, {worker->cpu}, -1);
      spareCpu = caller;
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// Polls when it is time to, and stops the job when the poll says so.
static void pollNow(Job &job, uint64_t &lastPoll) {
  if (job.work.poll == nullptr || job.isStopped.load(std::memory_order_relaxed)) {
    return;
  }
  uint64_t now = nanoseconds();
  if (now - lastPoll < pollMilliseconds * 1000000ull) {
    return;
  }
  lastPoll = now;
  if (!job.work.poll(job.work.context)) {
    job.isStopped.store(true, std::memory_order_relaxed);
  }
}

void Pool::runAsLauncher(Job &job, uint64_t &lastPoll) {
  int64_t begin, end;
  // With a poll, chunks are run in pieces of about a millisecond, however long they are.
  int64_t piece = 1;
  while (job.claim(begin, end)) {
    while (begin < end && !job.isStopped.load(std::memory_order_relaxed)) {
      int64_t stop = job.work.poll ? std::min(end, begin + piece) : end;
      uint64_t start = job.work.poll ? nanoseconds() : 0;
      job.run(begin, stop);
      begin = stop;
      if (job.work.poll) {
        uint64_t took = nanoseconds() - start;
        piece = took < 500000    ? std::min(piece * 2, job.chunk)
                : took > 2000000 ? std::max<int64_t>(piece / 2, 1)
                                 : piece;
        pollNow(job, lastPoll);
      }
    }
  }
}

void Pool::awaitUsers(Slot &slot, Job &job, uint64_t &lastPoll) {
  uint64_t start = nanoseconds();
  for (uint32_t users; (users = slot.users.load()) != 0;) {
    if (nanoseconds() - start < spinNanoseconds) {
      spinPause();
      continue;
    }
    slot.isAwaited.store(1);
    if ((users = slot.users.load()) != 0) {
      futexWait(slot.users, users, job.work.poll ? pollMilliseconds : -1);
    }
    slot.isAwaited.store(0);
    pollNow(job, lastPoll);
  }
}

bool Pool::run(const PoolJob &work) {
  // Sixteen chunks per thread balance well and keep the shared counter cool.
  int64_t chunk = std::max<int64_t>(1, work.total / (16 * int64_t(work.threads)));
  Job job(work, chunk);
  uint64_t lastPoll = work.poll ? nanoseconds() : 0;
  Slot *slot = nullptr;
  if (work.threads > 1 && work.total > 1) {
    ensureWorkers(work.threads - 1);
    for (int i = 0; i < slotCount && slot == nullptr; ++i) {
      bool taken = false;
      if (!slots[i].isTaken.load(std::memory_order_relaxed) && slots[i].isTaken.compare_exchange_strong(taken, true)) {
        slot = &slots[i];
      }
    }
  }
  if (slot == nullptr) { // one thread, or more launches at once than slots: the launching thread alone is enough
    runAsLauncher(job, lastPoll);
    return !job.isStopped.load(std::memory_order_relaxed);
  }
  keepOffCaller();
  slot->serial.fetch_add(1, std::memory_order_relaxed);
  slot->job.store(&job);
  epoch.fetch_add(1);
  if (sleepers.load() != 0) {
    int64_t useful = std::min<int64_t>(work.threads, (work.total + chunk - 1) / chunk) - 1;
    // Workers above this launch's limit sleep on the same word, so all of them must be woken when there are such.
    bool isEveryoneUseful = started.load(std::memory_order_relaxed) <= work.threads - 1;
    futexWake(epoch, isEveryoneUseful ? static_cast<int>(useful) : INT_MAX);
  }
  runAsLauncher(job, lastPoll);
  slot->job.store(nullptr);
  awaitUsers(*slot, job, lastPoll);
  slot->isTaken.store(false, std::memory_order_release);
  return !job.isStopped.load(std::memory_order_relaxed);
}

bool runJob(const PoolJob &job) { return Pool::get().run(job); }

//===----------------------------------------------------------------------===//
// Number of threads
//===----------------------------------------------------------------------===//

static std::atomic<unsigned> forcedThreads{0};
static std::atomic<unsigned> cachedDefault{0};

Result<unsigned> threads() {
  if (unsigned forced = forcedThreads.load(std::memory_order_relaxed)) {
    return forced;
  }
  unsigned count = cachedDefault.load(std::memory_order_relaxed);
  if (count == 0) {
    auto found = defaultThreads();
    if (!found) {
      return found;
    }
    count = *found;
    cachedDefault.store(count, std::memory_order_relaxed);
  }
  return count;
}

Error setThreads(unsigned count) {
  if (count > maxThreads) {
    return Error(Code::BadEnvironment,
                 "expected at most " + std::to_string(maxThreads) + " threads, got " + std::to_string(count));
  }
  forcedThreads.store(count, std::memory_order_relaxed);
  return Error::success();
}

void reloadThreads() { cachedDefault.store(0, std::memory_order_relaxed); }

} // namespace pavage::cpu

// The pool: all programs once, in order, from any number of threads. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Cpu/Pool.h"

#include "runtime/Cpu/Futex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pavage::cpu;
using pavage::errors::Code;

// Our children start threads, which ThreadSanitizer takes for a mistake.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }

static bool runAll(int64_t total, unsigned threads, const std::function<bool(int64_t, int64_t)> &body) {
  PoolJob job;
  job.total = total;
  job.threads = threads;
  job.run = [](void *context, int64_t begin, int64_t end) {
    return (*static_cast<const std::function<bool(int64_t, int64_t)> *>(context))(begin, end);
  };
  job.context = const_cast<std::function<bool(int64_t, int64_t)> *>(&body);
  return runJob(job);
}

TEST(Pool, RunsEveryProgramOnce) {
  for (unsigned threads : {1, 2, 3, 8}) {
    for (int64_t total : {1, 2, 3, 31, 32, 33, 1000, 100003}) {
      std::unique_ptr<std::atomic<int>[]> seen(new std::atomic<int>[total]());
      EXPECT_TRUE(runAll(total, threads, [&](int64_t begin, int64_t end) {
        EXPECT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i) {
          seen[i].fetch_add(1);
        }
        return true;
      }));
      for (int64_t i = 0; i < total; ++i) {
        ASSERT_EQ(seen[i].load(), 1) << "program " << i << " of " << total << " with " << threads << " threads";
      }
    }
  }
}

/// How many threads, up to two, take part in a job whose chunks wait until a second one has come.
static size_t threadsThatCome() {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  runAll(64, 2, [&](int64_t, int64_t) {
    bool hasSecond = false;
    for (uint64_t start = nanoseconds(); !hasSecond && nanoseconds() - start < 5000000000ull;) {
      std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
      hasSecond = ids.size() >= 2;
    }
    return hasSecond;
  });
  return ids.size();
}

TEST(Pool, UsesSeveralThreads) { EXPECT_EQ(threadsThatCome(), 2u); }

TEST(Pool, NeverMoreThreadsThanAsked) {
  runAll(100, 8, [](int64_t, int64_t) { return true; }); // eight exist
  std::mutex mutex;
  std::set<std::thread::id> ids;
  runAll(200, 3, [&](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
    return true;
  });
  EXPECT_LE(ids.size(), 3u);
}

// A program waits for the one before it: a chain through all threads. With chunks out of order it would never end.
TEST(Pool, ProgramsMayWaitForLowerOnes) {
  for (unsigned threads : {1, 2, 5}) {
    for (int64_t total : {7, 1000}) {
      std::atomic<int64_t> done{0};
      EXPECT_TRUE(runAll(total, threads, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          for (int spins = 0; done.load() != i; ++spins) {
            if (spins > 1000) {
              std::this_thread::yield();
            }
          }
          done.store(i + 1);
        }
        return true;
      }));
      EXPECT_EQ(done.load(), total);
    }
  }
}

TEST(Pool, ChunksAscendInEachThread) {
  std::mutex mutex;
  std::map<std::thread::id, int64_t> last;
  runAll(10000, 4, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    auto [at, isNew] = last.try_emplace(std::this_thread::get_id(), -1);
    EXPECT_GT(begin, at->second);
    at->second = end - 1;
    return true;
  });
}

TEST(Pool, StopsEarly) {
  for (unsigned threads : {1, 3}) {
    std::atomic<int64_t> ran{0};
    EXPECT_FALSE(runAll(1000000, threads, [&](int64_t begin, int64_t end) {
      ran += end - begin;
      return begin < 1000;
    }));
    EXPECT_LT(ran.load(), 1000000);
  }
}

TEST(Pool, ManyLaunchesFromManyThreads) {
  // More launching threads than the pool has slots.
  std::vector<std::thread> launchers;
  std::atomic<int64_t> sum{0};
  for (int launcher = 0; launcher < 24; ++launcher) {
    launchers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        int64_t expected = 0, total = 1 + round * 7 % 90;
        std::atomic<int64_t> mine{0};
        runAll(total, 3, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            mine += i;
          }
          return true;
        });
        for (int64_t i = 0; i < total; ++i) {
          expected += i;
        }
        EXPECT_EQ(mine.load(), expected);
        sum += mine;
      }
    });
  }
  for (std::thread &launcher : launchers) {
    launcher.join();
  }
  EXPECT_GT(sum.load(), 0);
}

TEST(Pool, PollsAndStops) {
  for (unsigned threads : {1, 2}) {
    struct State {
      int polls = 0;
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<bool> isStopped{false};
      std::atomic<int64_t> ran{0};
    } state;
    PoolJob job;
    job.total = 200000; // some ten seconds, in chunks of a second
    job.threads = threads;
    job.context = &state;
    job.run = [](void *context, int64_t begin, int64_t end) {
      auto &state = *static_cast<State *>(context);
      for (int64_t i = begin; i < end && !state.isStopped; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        ++state.ran;
      }
      return true;
    };
    job.poll = [](void *context) {
      auto &state = *static_cast<State *>(context);
      EXPECT_EQ(std::this_thread::get_id(), state.caller);
      state.isStopped = ++state.polls == 3;
      return !state.isStopped;
    };
    uint64_t start = nanoseconds();
    EXPECT_FALSE(runJob(job));
    EXPECT_EQ(state.polls, 3);
    EXPECT_LT(state.ran.load(), job.total);
    EXPECT_LT(nanoseconds() - start, 2000000000ull);
  }
}

TEST(Pool, SurvivesFork) {
  std::atomic<int64_t> ran{0};
  auto count = [&](int64_t begin, int64_t end) {
    ran += end - begin;
    return true;
  };
  runAll(1000, 4, count);
  for (int round = 0; round < 5; ++round) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20); // a hang is a failure, not a hang of the suite
      ran = 0;
      bool isFine = runAll(1000, 4, count) && ran == 1000 && threadsThatCome() == 2;
      pid_t grandchild = fork();
      if (grandchild == 0) {
        ran = 0;
        _exit(runAll(10, 3, count) && ran == 10 ? 0 : 1);
      }
      int status = 1;
      waitpid(grandchild, &status, 0);
      _exit(isFine && status == 0 ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ran = 0;
    runAll(1000, 4, count);
    EXPECT_EQ(ran.load(), 1000);
  }
}

TEST(Pool, ForkWhileOthersLaunch) {
  std::atomic<bool> isOver{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i) {
    busy.emplace_back([&] {
      while (!isOver) {
        runAll(100, 3, [](int64_t, int64_t) { return true; });
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::atomic<int64_t> ran{0};
      runAll(500, 3, [&](int64_t begin, int64_t end) {
        ran += end - begin;
        return true;
      });
      _exit(ran == 500 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  isOver = true;
  for (std::thread &thread : busy) {
    thread.join();
  }
}

TEST(Pool, WorkersSleepWhenIdle) {
  runAll(100, 4, [](int64_t, int64_t) { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  int64_t used = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
  EXPECT_LT(used, 20000000) << "idle workers burn CPU time";
}

TEST(Pool, NumberOfThreadsCanBeSet) {
  EXPECT_FALSE(setThreads(3));
  EXPECT_EQ(*threads(), 3u);
  EXPECT_TRUE(setThreads(1025).is(Code::BadEnvironment));
  EXPECT_FALSE(setThreads(0));
  setenv("PAVAGE_NUM_THREADS", "5", 1);
  reloadThreads();
  EXPECT_EQ(*threads(), 5u);
  setenv("PAVAGE_NUM_THREADS", "x", 1);
  reloadThreads();
  EXPECT_FALSE(threads());
  unsetenv("PAVAGE_NUM_THREADS");
  reloadThreads();
  EXPECT_GE(*threads(), 1u);
}

// Waiting for a word in memory to change. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CPU_FUTEX_H
#define PAVAGE_RUNTIME_CPU_FUTEX_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pavage::cpu {

/// Sleeps while the word equals `seen`, up to `milliseconds` (negative: for ever). May wake for no reason.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t seen, int milliseconds = -1) {
  timespec timeout = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, seen,
          milliseconds < 0 ? nullptr : &timeout, nullptr, 0);
}

inline void futexWake(std::atomic<uint32_t> &word, int count = INT_MAX) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// A hint to the CPU in a spinning loop.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

inline uint64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_FUTEX_H

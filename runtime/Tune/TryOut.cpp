// Runs in a copy of the process, which is watched. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/TryOut.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pavage::tune {

using errors::Code;
using errors::Error;
using Clock = std::chrono::steady_clock;

/// In the copy: no core file, no handler that reports a crash as if it were the program's, no life after the parent.
[[noreturn]] static void runAndEnd(const std::function<void()> &run) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    std::signal(signal, SIG_DFL);
  }
  try {
    run();
  } catch (...) { // it will be thrown again, where somebody hears it
  }
  _exit(0);
}

static void end(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Error tryOut(const TryOut &request) {
  pid_t child = request.fork ? request.fork() : fork();
  if (child == 0) {
    runAndEnd(request.run);
  }
  if (child < 0) {
    return Error::success();
  }
  auto start = Clock::now(), polled = start;
  auto pause = std::chrono::microseconds(20);
  for (;;) {
    int status = 0;
    pid_t found = waitpid(child, &status, WNOHANG);
    if (found == child) {
      if (!WIFSIGNALED(status)) {
        return Error::success();
      }
      const char *name = sigabbrev_np(WTERMSIG(status));
      return {Code::CandidateCrashed, std::string("expected a candidate that runs, got one that was ended by SIG") +
                                          (name ? name : std::to_string(WTERMSIG(status)))};
    }
    if (found < 0 && errno != EINTR) {
      return Error::success(); // somebody else takes the process's children: nothing is known
    }
    auto now = Clock::now();
    if (std::chrono::duration<double>(now - start).count() > request.seconds) {
      end(child);
      char seconds[32];
      snprintf(seconds, sizeof(seconds), "%.3g", request.seconds);
      return {Code::CandidateCrashed,
              std::string("expected a candidate that ends, got one that ran for more than ") + seconds + " s"};
    }
    if (request.poll && now - polled > std::chrono::milliseconds(10)) {
      polled = now;
      if (request.poll()) {
        end(child);
        return {Code::Interrupted, "the tuning was interrupted"};
      }
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(2000));
  }
}

} // namespace pavage::tune

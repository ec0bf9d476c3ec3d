// A chained signal handler for the length of a launch. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/SigintGuard.h"

#include "runtime/Core/LaunchScope.h"

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

namespace pavage::core {

// Only the first thread has a guard, and only one at a time: launches do not nest.
static struct sigaction previous;
static std::atomic<ThreadControl *> launching{nullptr};

static void onSigint(int signal, siginfo_t *info, void *context) {
  if (ThreadControl *control = launching.load()) {
    interrupt(control);
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

static bool isFirstThread() {
  static thread_local const bool isFirst = syscall(SYS_gettid) == getpid();
  return isFirst;
}

SigintGuard::SigintGuard(bool isWanted) {
  if (!isWanted || !isFirstThread() || sigaction(SIGINT, nullptr, &previous) != 0) {
    return;
  }
  bool isHandled =
      (previous.sa_flags & SA_SIGINFO) != 0 || (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
  if (!isHandled) {
    return;
  }
  struct sigaction chained = previous;
  chained.sa_flags |= SA_SIGINFO;
  chained.sa_sigaction = &onSigint;
  launching.store(threadControl());
  isInstalled = sigaction(SIGINT, &chained, nullptr) == 0;
}

SigintGuard::~SigintGuard() {
  if (!isInstalled) {
    return;
  }
  struct sigaction found;
  sigaction(SIGINT, &previous, &found);
  launching.store(nullptr);
  bool isOurs = (found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == &onSigint;
  if (!isOurs) { // somebody put another handler in place meanwhile: that one stays
    sigaction(SIGINT, &found, nullptr);
  }
}

} // namespace pavage::core

// LLVM's back ends behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// LLVM ends the process when a back end meets what it cannot compile (report_fatal_error). A user's process must not
// end for that: the handler installed here jumps back out of LLVM. What LLVM had allocated for the kernel is lost, no
// lock is held (each thread has its own context and target machine), and the caller gets an error.
#include "compiler/Driver/Guard.h"

#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <mutex>
#include <string>

namespace pavage::driver {

namespace {

struct Escape {
  std::jmp_buf target;
  std::string reason;
};
thread_local Escape *escape = nullptr;

void leave(void *, const char *reason, bool) {
  if (!escape) {
    return; // not ours: LLVM goes on to end the process
  }
  escape->reason = reason;
  std::longjmp(escape->target, 1); // NOLINT: there is no other way out of report_fatal_error
}

void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(leave); });
}

} // namespace

errors::Error guardLlvm(llvm::function_ref<void()> body) {
  installHandler();
  Escape frame;
  Escape *outer = escape;
  escape = &frame;
  if (setjmp(frame.target) != 0) {
    escape = outer;
    return errors::Error(errors::Code::BackEndFailed, "LLVM: " + frame.reason);
  }
  body();
  escape = outer;
  return {};
}

} // namespace pavage::driver

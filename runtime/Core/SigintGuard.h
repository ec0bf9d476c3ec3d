// Ctrl-C while a kernel runs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host like Python notes SIGINT in its C handler and acts on it when its own code runs again, which a long program of
// a kernel keeps from happening. So during a launch the signal first stops the launch (kernels poll its cancel word),
// then goes to the handler that was there.
#ifndef PAVAGE_RUNTIME_CORE_SIGINTGUARD_H
#define PAVAGE_RUNTIME_CORE_SIGINTGUARD_H

namespace pavage::core {

/// While alive, SIGINT stops the launch of this thread. Does nothing in other threads than the process's first, to
/// which hosts deliver signals, and where SIGINT is ignored or ends the process.
class SigintGuard {
public:
  explicit SigintGuard(bool isWanted);
  ~SigintGuard();
  SigintGuard(const SigintGuard &) = delete;
  SigintGuard &operator=(const SigintGuard &) = delete;

private:
  bool isInstalled = false;
};

} // namespace pavage::core

#endif // PAVAGE_RUNTIME_CORE_SIGINTGUARD_H

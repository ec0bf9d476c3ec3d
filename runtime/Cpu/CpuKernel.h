// A compiled kernel in memory, and one launch of it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CPU_CPUKERNEL_H
#define PAVAGE_RUNTIME_CPU_CPUKERNEL_H

#include "runtime/Core/Device.h"
#include "runtime/Cpu/ObjectLoader.h"

#include <atomic>

namespace pavage::cpu {

class CpuKernel : public core::Kernel {
public:
  CpuKernel(const artifact::Artifact &facts, LoadedObject code, PavageKernelFn entry);

  errors::Error launch(const core::LaunchArgs &args) override;

private:
  friend class CpuLaunch;

  void learnCost(uint64_t cost);

  const artifact::Artifact &facts;
  LoadedObject code;
  PavageKernelFn entry;
  bool isChecked;   ///< the code asks about its accesses
  bool isUnbounded; ///< a program may run for ever: it has a loop without a trip count, or nobody said it has none
  /// Estimated time per program, in units of 1/1024 ns; 0 = not known. Tells whether workers are worth waking.
  std::atomic<uint64_t> programCost{0};
};

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_CPUKERNEL_H

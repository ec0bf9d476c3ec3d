// How many CPUs this process may use, and which. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CPU_CPULIMITS_H
#define PAVAGE_RUNTIME_CPU_CPULIMITS_H

#include "runtime/Errors/Errors.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pavage::cpu {

/// The CPUs in the calling thread's affinity mask, ascending; at least one.
std::vector<int> allowedCpus();

/// CPU time per time that the process's control groups grant, e.g. 1.5; nothing when unlimited. The arguments are for
/// tests: a file like /proc/self/cgroup and the folder where control groups are mounted.
std::optional<double> cgroupCpus(const std::string &membership = "/proc/self/cgroup",
                                 const std::string &root = "/sys/fs/cgroup");

/// Threads that run a grid: PAVAGE_NUM_THREADS, else the least of the two above, rounded up; 1 to maxThreads.
errors::Result<unsigned> defaultThreads();

inline constexpr unsigned maxThreads = 1024;

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_CPULIMITS_H

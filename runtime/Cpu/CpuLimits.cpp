// Affinity mask and control groups. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/CpuLimits.h"

#include "runtime/Core/Environment.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <unistd.h>

namespace pavage::cpu {

using errors::Result;

std::vector<int> allowedCpus() {
  std::vector<int> cpus;
  // The kernel refuses a mask that is smaller than its own; 2^16 CPUs are more than any has.
  for (int size = CPU_SETSIZE; size <= 1 << 16 && cpus.empty(); size *= 2) {
    cpu_set_t *set = CPU_ALLOC(size);
    if (set == nullptr) {
      break;
    }
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(size), set) == 0) {
      for (int cpu = 0; cpu < size; ++cpu) {
        if (CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(size), set)) {
          cpus.push_back(cpu);
        }
      }
    }
    CPU_FREE(set);
  }
  if (cpus.empty()) {
    cpus.push_back(0);
  }
  return cpus;
}

static std::optional<std::string> readLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? std::optional(line) : std::nullopt;
}

/// The quota of one folder in either version's spelling.
static std::optional<double> quotaOf(const std::string &folder, bool isV2) {
  double quota = 0, period = 0;
  if (isV2) {
    auto line = readLine(folder + "/cpu.max");
    if (!line || !(std::istringstream(*line) >> quota >> period)) { // "max 100000" is no number
      return std::nullopt;
    }
  } else {
    auto quotaLine = readLine(folder + "/cpu.cfs_quota_us"), periodLine = readLine(folder + "/cpu.cfs_period_us");
    if (!quotaLine || !periodLine || !(std::istringstream(*quotaLine) >> quota) ||
        !(std::istringstream(*periodLine) >> period)) {
      return std::nullopt;
    }
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

std::optional<double> cgroupCpus(const std::string &membership, const std::string &root) {
  std::optional<double> least;
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {
    // "0::/path" for version 2, "4:cpu,cpuacct:/path" for version 1.
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    bool isV2 = controllers == ",,";
    if (!isV2 && controllers.find(",cpu,") == std::string::npos) {
      continue;
    }
    std::string path = line.substr(second + 1);
    if (path.find("..") != std::string::npos) {
      path = "/";
    }
    // Every group above limits as well. In a container the path may not exist under its own mount: then only the root
    // counts, which is the container's group.
    std::string mount = isV2 ? root : root + "/cpu";
    while (true) {
      if (auto quota = quotaOf(mount + (path == "/" ? "" : path), isV2)) {
        least = std::min(least.value_or(*quota), *quota);
      }
      if (path.size() <= 1) {
        break;
      }
      size_t slash = path.find_last_of('/');
      path = slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
    }
  }
  return least;
}

Result<unsigned> defaultThreads() {
  auto forced = core::environmentInteger("PAVAGE_NUM_THREADS", 1, maxThreads);
  if (!forced) {
    return forced.takeError();
  }
  if (*forced) {
    return static_cast<unsigned>(**forced);
  }
  double count = static_cast<double>(allowedCpus().size());
  if (auto quota = cgroupCpus()) {
    count = std::min(count, std::ceil(*quota));
  }
  return static_cast<unsigned>(std::clamp(count, 1.0, double(maxThreads)));
}

} // namespace pavage::cpu

// Facts about CPU levels, as data. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CpuTarget.h"

namespace pavage::target {

// Register blocks of dot: rows * (columns / lanes of one register) accumulators, one row of the right operand and one
// broadcast must fit the registers (16 below AVX-512, 32 from there on), and at least 8 accumulators hide the latency.
static constexpr CpuTarget levels[] = {
    {"portable", "x86-64", "", 8, 2, 16, false, false, 0, false},
    {"avx2", "x86-64-v3", "", 8, 6, 16, true, true, 4, false},
    {"avx512", "x86-64-v4", "", 16, 4, 64, true, true, 1, true},
    {"amx", "x86-64-v4", "+avx512vnni,+avx512bf16,+amx-tile,+amx-bf16,+amx-int8", 16, 4, 64, true, true, 1, true},
};

llvm::ArrayRef<CpuTarget> cpuTargets() { return levels; }

const CpuTarget *findCpuTarget(llvm::StringRef name) {
  for (const CpuTarget &level : levels) {
    if (level.name == name) {
      return &level;
    }
  }
  return nullptr;
}

} // namespace pavage::target

// What this CPU is and what code it can run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This room detects; compiler/Target knows what a level means for code. The fingerprint goes into cache keys, so that a
// cache on a shared home folder never hands one machine's code to another.
#ifndef PAVAGE_RUNTIME_CORE_CPUINFO_H
#define PAVAGE_RUNTIME_CORE_CPUINFO_H

#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pavage::core {

/// Instruction sets, each with all of the ones before it.
enum class CpuLevel : uint8_t {
  Portable, ///< the x86-64 baseline
  Avx2,     ///< x86-64-v3: AVX2, FMA, F16C, BMI, LZCNT, MOVBE
  Avx512,   ///< x86-64-v4: AVX-512 F, BW, CD, DQ, VL
  Amx,      ///< AMX tile, bf16, int8, and the system's permission to use them
};

std::string_view cpuLevelName(CpuLevel level);
std::optional<CpuLevel> parseCpuLevel(std::string_view name);

struct CpuInfo {
  std::string name;        ///< "Intel(R) Xeon(R) Processor"
  CpuLevel best;           ///< the highest level that runs here
  std::string fingerprint; ///< vendor, family, model, feature bits
};

/// Detected once.
const CpuInfo &cpuInfo();

/// The level to compile for: PAVAGE_CPU, else the best. PV0316 when PAVAGE_CPU asks for more than there is.
errors::Result<CpuLevel> cpuLevel();

/// PV0316 unless code of this level can run here.
errors::Error requireCpuLevel(std::string_view level);

} // namespace pavage::core

#endif // PAVAGE_RUNTIME_CORE_CPUINFO_H

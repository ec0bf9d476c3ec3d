// Facts about CPU levels, as data. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A level is a set of instructions that code may use. Passes read the facts below and never compare level names.
//
//   portable  x86-64 (SSE2)             avx2    x86-64-v3 (AVX2, FMA, F16C)
//   avx512    x86-64-v4 (F BW CD DQ VL) amx     avx512 with VNNI, BF16, AMX tiles for bf16 and int8
#ifndef PAVAGE_COMPILER_TARGET_CPUTARGET_H
#define PAVAGE_COMPILER_TARGET_CPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace pavage::target {

struct CpuTarget {
  llvm::StringRef name;     ///< as in PAVAGE_CPU
  llvm::StringRef llvmCpu;  ///< LLVM's name of the processor family
  llvm::StringRef features; ///< added to llvmCpu's own, in LLVM's spelling
  int64_t lanes;            ///< elements of one vector, whatever their type
  int64_t dotRows;          ///< rows of a dot's register block
  int64_t dotColumns;       ///< columns of it; a multiple of lanes
  bool hasFma;              ///< fused multiply-add in hardware
  bool hasHalf;             ///< conversions between f16 and f32 in hardware
  int64_t maskedBytes;      ///< least width of elements that masked loads and stores exist for; 0: none exist
  bool hasGather;           ///< gathers and scatters that are better than a branch per lane
};

/// All levels, from the least to the greatest; each has what the ones before it have.
llvm::ArrayRef<CpuTarget> cpuTargets();

/// The level of this name, or null.
const CpuTarget *findCpuTarget(llvm::StringRef name);

} // namespace pavage::target

#endif // PAVAGE_COMPILER_TARGET_CPUTARGET_H

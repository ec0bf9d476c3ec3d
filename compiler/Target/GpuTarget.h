// Facts about NVIDIA GPUs, as data. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is a set of instructions that code may use, and the limits of one program. Passes read the facts below and
// never compare target names or numbers: a new GPU is a row in GpuTarget.cpp.
#ifndef PAVAGE_COMPILER_TARGET_GPUTARGET_H
#define PAVAGE_COMPILER_TARGET_GPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace pavage::target {

/// One form of mma.sync: D[m x n] = A[m x k] * B[k x n] + C, operands and accumulators by PTX's names of their types.
struct MmaInstruction {
  llvm::StringRef operand;     ///< f16, bf16, tf32, f64, s8, u8, e4m3, e5m2; fp8 operands may differ from each other
  llvm::StringRef accumulator; ///< f16, f32, f64, s32
  int m, n, k;
  bool isNative = true; ///< tensor cores do it; else the assembler takes it apart and it is slow
};

struct GpuTarget {
  llvm::StringRef name;     ///< sm_80
  llvm::StringRef features; ///< the PTX version, in LLVM's spelling; LLVM's cpu is the name

  int64_t sharedStatic;        ///< bytes of shared memory that every launch may have
  int64_t sharedOptIn;         ///< bytes that a launch may have if it asks
  int64_t sharedPerProcessor;  ///< bytes that the programs of one multiprocessor share
  int64_t threadsPerProcessor; ///< and threads
  int64_t registersPerProcessor = 65536;
  int64_t registersPerThread = 255;
  int64_t threadsPerProgram = 1024;
  int64_t accessBytes; ///< the widest access to global memory of one thread

  bool hasAsyncCopy;      ///< cp.async
  bool hasLdmatrix;       ///< ldmatrix of 8 x 8 16-bit matrices
  bool hasStmatrix;       ///< stmatrix of the same
  bool hasBf16;           ///< fma, max and min of bf16, conversions from f32 to it
  bool hasBf16Arithmetic; ///< add, sub, mul and comparisons of bf16
  bool hasF16MinMax;      ///< max and min of f16, and those of f32 that keep a NaN
  bool hasFp8Convert;     ///< cvt between f16 or f32 and fp8, in pairs
  bool hasRedux;          ///< redux.sync of 32-bit integers
  bool hasBf16Atomics;    ///< atom.add of bf16
  bool hasPackedF32;      ///< add, mul and fma of two f32 at once
  llvm::ArrayRef<MmaInstruction> mma;

  /// The instructions for these types, the largest k first.
  llvm::SmallVector<MmaInstruction, 4> mmaFor(llvm::StringRef operand, llvm::StringRef accumulator) const;
};

/// All targets, from the oldest.
llvm::ArrayRef<GpuTarget> gpuTargets();

/// The target of this name, or null.
const GpuTarget *findGpuTarget(llvm::StringRef name);

/// "sm_75, sm_80, ...", for messages.
std::string gpuTargetList();

} // namespace pavage::target

#endif // PAVAGE_COMPILER_TARGET_GPUTARGET_H

// Facts about NVIDIA GPUs, as data. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/GpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace pavage::target {

// --- mma.sync by generation ------------------------------------------------------------------------------------------

static constexpr MmaInstruction mma75[] = {
    {"f16", "f32", 16, 8, 8},
    {"f16", "f16", 16, 8, 8},
    {"s8", "s32", 8, 8, 16},
    {"u8", "s32", 8, 8, 16},
};

// clang-format off
#define PAVAGE_MMA_80                                                                                                  \
  {"f16", "f32", 16, 8, 16}, {"f16", "f32", 16, 8, 8},                                                                 \
  {"f16", "f16", 16, 8, 16}, {"f16", "f16", 16, 8, 8},                                                                 \
  {"bf16", "f32", 16, 8, 16}, {"bf16", "f32", 16, 8, 8},                                                               \
  {"tf32", "f32", 16, 8, 8}, {"tf32", "f32", 16, 8, 4},                                                                \
  {"s8", "s32", 16, 8, 32}, {"s8", "s32", 16, 8, 16},                                                                  \
  {"u8", "s32", 16, 8, 32}, {"u8", "s32", 16, 8, 16},                                                                  \
  {"f64", "f64", 8, 8, 4}
#define PAVAGE_MMA_FP8(native)                                                                                         \
  {"e4m3", "f32", 16, 8, 32, native}, {"e5m2", "f32", 16, 8, 32, native}
#define PAVAGE_MMA_F64(native)                                                                                         \
  {"f64", "f64", 16, 8, 16, native}, {"f64", "f64", 16, 8, 8, native}, {"f64", "f64", 16, 8, 4, native}
// clang-format on

static constexpr MmaInstruction mma80[] = {PAVAGE_MMA_80};
static constexpr MmaInstruction mma89[] = {PAVAGE_MMA_80, PAVAGE_MMA_FP8(true)};
static constexpr MmaInstruction mma90[] = {PAVAGE_MMA_F64(true), PAVAGE_MMA_80, PAVAGE_MMA_FP8(false)};
static constexpr MmaInstruction mma100[] = {PAVAGE_MMA_F64(false), PAVAGE_MMA_80, PAVAGE_MMA_FP8(false)};
static constexpr MmaInstruction mma120[] = {PAVAGE_MMA_F64(false), PAVAGE_MMA_80, PAVAGE_MMA_FP8(true)};

#undef PAVAGE_MMA_80
#undef PAVAGE_MMA_FP8
#undef PAVAGE_MMA_F64

// --- targets ---------------------------------------------------------------------------------------------------------

/// The facts in which a generation differs from the one before it.
static constexpr GpuTarget turing(llvm::StringRef name) {
  GpuTarget t{};
  t.name = name;
  t.features = "+ptx80";
  t.sharedStatic = 48 << 10;
  t.sharedOptIn = 64 << 10;
  t.sharedPerProcessor = 64 << 10;
  t.threadsPerProcessor = 1024;
  t.accessBytes = 16;
  t.hasLdmatrix = true;
  t.mma = mma75;
  return t;
}

static constexpr GpuTarget ampere(llvm::StringRef name, int64_t sharedKiB, int64_t threads) {
  GpuTarget t = turing(name);
  t.sharedOptIn = (sharedKiB - 1) << 10; // the system keeps 1 KiB of each program's
  t.sharedPerProcessor = sharedKiB << 10;
  t.threadsPerProcessor = threads;
  t.hasAsyncCopy = true;
  t.hasBf16 = true;
  t.hasF16MinMax = true;
  t.hasRedux = true;
  t.mma = mma80;
  return t;
}

static constexpr GpuTarget ada(llvm::StringRef name) {
  GpuTarget t = ampere(name, 100, 1536);
  t.features = "+ptx84";
  t.hasFp8Convert = true;
  t.mma = mma89;
  return t;
}

static constexpr GpuTarget hopper(llvm::StringRef name) {
  GpuTarget t = ampere(name, 228, 2048);
  t.features = "+ptx84";
  t.hasFp8Convert = true;
  t.hasStmatrix = true;
  t.hasBf16Arithmetic = true;
  t.hasBf16Atomics = true;
  t.mma = mma90;
  return t;
}

static constexpr GpuTarget blackwell(llvm::StringRef name, int64_t sharedKiB, int64_t threads,
                                     llvm::ArrayRef<MmaInstruction> mma) {
  GpuTarget t = hopper(name);
  t.features = "+ptx88";
  t.sharedOptIn = (sharedKiB - 1) << 10;
  t.sharedPerProcessor = sharedKiB << 10;
  t.threadsPerProcessor = threads;
  t.accessBytes = 32;
  t.hasPackedF32 = true;
  t.mma = mma;
  return t;
}

static constexpr GpuTarget targets[] = {
    turing("sm_75"),
    ampere("sm_80", 164, 2048),
    ampere("sm_86", 100, 1536),
    ampere("sm_87", 164, 1536),
    ada("sm_89"),
    hopper("sm_90"),
    hopper("sm_90a"),
    blackwell("sm_100", 228, 2048, mma100),
    blackwell("sm_120", 100, 1536, mma120),
};

llvm::ArrayRef<GpuTarget> gpuTargets() { return targets; }

const GpuTarget *findGpuTarget(llvm::StringRef name) {
  for (const GpuTarget &target : targets) {
    if (target.name == name) {
      return &target;
    }
  }
  return nullptr;
}

std::string gpuTargetList() {
  return llvm::join(llvm::map_range(targets, [](const GpuTarget &target) { return target.name; }), ", ");
}

llvm::SmallVector<MmaInstruction, 4> GpuTarget::mmaFor(llvm::StringRef operand, llvm::StringRef accumulator) const {
  llvm::SmallVector<MmaInstruction, 4> found;
  for (const MmaInstruction &instruction : mma) {
    if (instruction.operand == operand && instruction.accumulator == accumulator) {
      found.push_back(instruction);
    }
  }
  return found;
}

} // namespace pavage::target

// The shared memory that an op needs for itself while it runs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One place, so that the room that allocates and the room that uses the memory agree.
#ifndef PAVAGE_COMPILER_GPU_PLAN_SCRATCH_H
#define PAVAGE_COMPILER_GPU_PLAN_SCRATCH_H

#include "dialect/Layout/Layout.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace pavage::gpu {

/// Exchanges that can go in rounds take no more bytes than this at once.
inline constexpr int64_t kScratchLimit = 32768;

struct Scratch {
  int64_t bytes = 0; ///< 0: the op needs none
  int64_t alignment = 16;
};

/// Of an op of a scheduled kernel. While the op runs it writes its scratch, meets the other threads at a barrier of its
/// own, and reads; before, no thread may still be reading there.
Scratch scratchOf(mlir::Operation *op);

/// Registers of each thread that a sort exchanges with another warp at once.
unsigned sortChunk(unsigned registers, int64_t keyBytes, int64_t threads);
/// Bytes of a sort's keys: at least those of a machine register.
int64_t sortKeyBytes(int64_t elementBytes);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_PLAN_SCRATCH_H

// Which instruction a product gets. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_DOTS_H
#define PAVAGE_COMPILER_GPU_SCHEDULE_DOTS_H

#include "compiler/Target/GpuTarget.h"
#include "dialect/Layout/Layout.h"
#include "dialect/Tile/TileOps.h"
#include <array>
#include <string>
#include <vector>

namespace pavage::gpu {

/// How a `tile.dot` is computed.
struct DotPlan {
  bool isMma = false;         ///< else multiply-adds
  std::array<int, 3> shape{}; ///< m, n, k of the instruction
  mlir::Type operand;         ///< to which the operands are converted first
  mlir::Type acc;             ///< in which the instruction adds up
  bool tf32 = false;          ///< f32 operands are rounded to tf32
  int parts = 1;              ///< f32 operands are sums of so many parts; products of small ones are left out
  std::string reason;         ///< why multiply-adds

  /// The name by which authors know it: "mma m16n8k16 f16".
  std::string name() const;
};

DotPlan planDot(mlir::Type lhs, mlir::Type rhs, mlir::Type acc, tile::Precision precision,
                const target::GpuTarget &target);

/// The splits of `warps` warps over the axes of an accumulator that are worth a thought.
std::vector<std::vector<int64_t>> warpSplits(llvm::ArrayRef<int64_t> extents, int64_t k, int warps);

/// Cycles of one program for the product by `split`: tensor cores, and operands read from shared memory.
double dotCost(const DotPlan &plan, llvm::ArrayRef<int64_t> extents, int64_t k, llvm::ArrayRef<int64_t> split);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_DOTS_H

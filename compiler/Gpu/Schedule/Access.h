// How an access of global memory can be dealt out to threads. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU moves sectors of 32 bytes, and a lane at most 16 bytes in one instruction. From AxisInfo follows along which
// axis elements are neighbours in memory, how many of them one instruction may take (they must be aligned and share one
// mask), and with a layout, how many sectors a warp's instruction touches.
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_ACCESS_H
#define PAVAGE_COMPILER_GPU_SCHEDULE_ACCESS_H

#include "compiler/Analysis/AxisInfo.h"
#include "dialect/Layout/Layout.h"
#include <optional>
#include <vector>

namespace pavage::gpu {

struct Access {
  std::vector<int64_t> extents;
  int64_t bytes = 1;               ///< of one element
  int axis = 0;                    ///< elements are neighbours along it, if along any
  int64_t run = 1;                 ///< elements along `axis` that one instruction may take, a power of two
  std::vector<int64_t> contiguity; ///< per axis: elements of a run of neighbours
  std::vector<int64_t> constancy;  ///< per axis: elements of one address
  bool isRead = false;

  /// Elements that one instruction takes when `layout` deals them out: the value of `tilegpu.vector`.
  int64_t vectorOf(const layout::Layout &layout) const;
  /// Sectors that one warp's instruction touches.
  int64_t sectorsOf(const layout::Layout &layout, int64_t vector) const;
  /// Layouts that suit it.
  std::vector<layout::Layout> layouts(int warps) const;
};

/// What is known of a load, store, block access or atomic of tiles; nothing for other ops.
std::optional<Access> accessOf(mlir::Operation *op, const analysis::AxisInfoAnalysis &axisInfo);

/// Layouts for a tile of which nothing is known but that `axis` should be the fastest; the first is the plain one.
std::vector<layout::Layout> plainLayouts(const std::vector<int64_t> &extents, int axis, int64_t perLane, int warps);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_ACCESS_H

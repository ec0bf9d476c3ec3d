// What layouts cost, in cycles of one program. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers need to rank choices, not to predict times: an SM issues four warp instructions a cycle, shared memory
// moves 128 bytes a cycle, a sector of global memory costs the bandwidth share of some cycles, and whoever meets at a
// barrier waits.
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_COST_H
#define PAVAGE_COMPILER_GPU_SCHEDULE_COST_H

#include "compiler/Gpu/Schedule/Access.h"

namespace pavage::gpu {

/// One elementwise op on all registers of all warps.
double elementwiseCost(const layout::Layout &layout, int warps);
/// An access of global memory.
double accessCost(const Access &access, const layout::Layout &layout, int warps);
/// Folding an axis.
double reduceCost(const layout::Layout &layout, int axis, int warps);
/// A conversion.
double conversionCost(const layout::Layout &from, const layout::Layout &to, int64_t elementBytes, int warps);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_COST_H

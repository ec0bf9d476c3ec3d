// Races on shared memory between lanes of one warp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a warp are as unordered as warps are, until a .sync instruction that names both, a barrier, or a fence comes
// between. A warp therefore keeps a short list of its accesses since the last instruction that brought all lanes
// together, and compares each access with them. The list is bounded: beyond, the oldest is forgotten, which may miss a
// race and never invents one.
#pragma once

#include "runtime/Sim/Machine.h"

namespace pavage::sim {

/// An access by some lanes. `m` gives the values of a store, null when they are not known.
void noteLanes(Warp &w, const DInst &i, const MemInfo *m, u32 exec, const u64 *addresses, u32 bytes, bool isWrite,
               bool isStrong);

/// These lanes came together: what each did before is ordered before what the others do after.
void syncLanes(Warp &w, u32 lanes);

/// A lane's copy of a cp.async has become visible to that lane.
void noteCopies(Warp &w, u32 pc, u32 lanes, const u32 *to, u32 bytes);

} // namespace pavage::sim

// Slow paths and checks that memory instructions call. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Machine.h"

namespace pavage::sim {

/// Fills the cache with the live allocation that holds the bytes; false when there is none, or it must not be written.
bool findAllocation(Warp &w, u64 address, u32 bytes, bool isWrite, MemCache &cache);

// Each reports a finding and returns the lanes it is about.
u32 reportFault(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite);
u32 reportMisaligned(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite);
u32 reportSharedFault(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite);
u32 reportParamFault(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes);
void reportLocalFault(Warp &w, const DInst &i, u32 lane, u64 address, u32 bytes, bool isWrite);
void reportUndefined(Warp &w, const DInst &i, const char *what);

/// Shared memory: races, reads of incomplete copies, live mbarriers. Lanes in `exec` access `bytes` bytes each.
void checkShared(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite, bool isAtomic);

/// After a store that ran with Warp::isStoring set: reports the races between it and earlier stores of other warps,
/// except where both stored the same. Compilers let several warps write what all of them have.
void settleOverwrites(Warp &w, const DInst &i);

/// A race on shared memory between this warp and an earlier access.
void reportSharedRace(Warp &w, const DInst &i, u32 address, u32 otherWarp, u32 otherPc, bool isWrite, bool otherWrite);

/// Global memory: races between CTAs.
void checkGlobal(Warp &w, const DInst &i, const MemInfo &m, u32 exec, const u64 *addresses, u32 bytes, bool isWrite,
                 bool isAtomic);

/// Acquire and release on a global address.
void acquireGlobal(Warp &w, u32 exec, const u64 *addresses);
void releaseGlobal(Warp &w, u32 exec, const u64 *addresses);
/// A fence of a scope wider than the CTA.
void fenceGlobal(Warp &w);
/// Gives the CTA's present epoch a stamp of its own.
void renewStamp(Cta &cta);

// Starting an asynchronous copy.
AsyncCopy &addCopy(Warp &w);
/// Bounds and alignment of the sources; returns the lanes that may copy.
u32 checkCopySources(Warp &w, const DInst &i, const CopyInfo &info, u32 reads, const u64 *from, const u32 *sizes);
void launchCopy(Warp &w, AsyncCopy &c);

/// A NaN that did not come from a NaN (only on request).
constexpr u32 sharedChecks = bit(Kind::RaceShared) | bit(Kind::AsyncRead) | bit(Kind::Barrier);

} // namespace pavage::sim

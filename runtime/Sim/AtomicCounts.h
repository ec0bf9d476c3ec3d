// Atomics that run more or fewer times than asked for. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile whose elements several threads hold needs a guard in front of its atomics, else each copy counts. What an op
// asks for comes from the side table of the module (artifact::Op::atomics), or from the launch
// (LaunchOptions::atomics) for PTX written by hand; an instruction that nobody says anything about is not checked. Per
// CTA: the op was executed as often as the thread that executed it most, and so many times its elements may, or
// without a mask must, have been updated.
#pragma once

#include "runtime/Sim/LaunchState.h"

namespace pavage::sim {

/// Fills launch.atomicRules from the module and the options.
void findAtomicRules(Launch &launch, const LoadedModule &module);

/// Lanes that execute an atomic.
void countAtomic(Warp &w, const DInst &i, u32 exec);

/// Compares when a CTA has ended.
void checkAtomicCounts(Cta &cta);

/// Rules whose instructions were reached without a single lane: a guard that is never true.
void reportIdleAtomics(Launch &launch, const std::vector<std::unique_ptr<Worker>> &workers);

} // namespace pavage::sim

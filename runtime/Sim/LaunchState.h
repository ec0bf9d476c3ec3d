// A running launch and its host threads. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/DeviceMemory.h"
#include "runtime/Sim/Launch.h"
#include "runtime/Sim/Machine.h"

#include <atomic>
#include <map>
#include <mutex>
#include <random>

namespace pavage::sim {

/// How often the atomics of one op may run in a CTA (AtomicCounts.h).
struct AtomicRule {
  u64 count;     // per execution of the op
  bool isMasked; // or fewer
  std::string owner;
  std::vector<u32> pcs;
};

struct Launch {
  const Program *program = nullptr;
  const Kernel *kernel = nullptr;
  DeviceMemory *memory = nullptr;
  LaunchOptions options;
  const u8 *params = nullptr;
  u32 sharedBytes = 0;
  u32 dynamicShared = 0;
  u32 block[3] = {1, 1, 1};
  u32 grid[3] = {1, 1, 1};
  u32 threads = 1; // of a CTA
  u32 ctas = 1;
  u32 raceBase = ~0u;
  u32 several() const { return raceBase + ctas + 1; } // the stamp of several CTAs (GlobalRaces.cpp)
  u64 gridSync = 0;                                   // device address of the workspace of grid-wide barriers
  std::vector<AtomicRule> atomicRules;
  std::unordered_map<u32, u32> atomicSlots; // pc -> row of Cta::atomicRuns
  std::atomic<u32> nextCta{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> isCancelled{false}; // stop came from the caller
  std::atomic<u64> executed{0};
  std::mutex lock; // of what follows
  std::vector<Finding> findings;
  std::map<std::pair<u32, u32>, size_t> findingIndex; // by kind and instruction
  std::string output;                                 // of printf
  std::vector<std::pair<u32, u32>> laterStamps;       // CTA and epoch of stamps behind each CTA's first
  // What acquire and release of global memory hand over: address -> clock over CTAs.
  std::unordered_map<u64, std::unordered_map<u32, u32>> syncClocks;
};

struct Worker {
  Launch *launch = nullptr;
  std::vector<LineCount> counts;
  std::vector<u64> issued;
  std::vector<MemCache> cache;
  std::mt19937_64 random;
  double cpuSeconds = 0;
};

enum class CtaState : u8 { Running, Done };

/// Prepares a CTA's warps and shared memory.
void startCta(Cta &cta, Worker &worker, u32 linear);
/// Runs until the CTA ends or about `budget` warp instructions are over.
CtaState runCta(Cta &cta, u64 budget);

// Between the interpreter and the handlers.

/// Puts `lanes` of the running split to sleep at the instruction; the others go on.
void sleep(Warp &w, const DInst &i, u32 lanes, Wait wait, u32 waitMask, u32 waitArg, u32 parity);
/// Forces the interpreter to look at the splits before the next instruction.
inline void interrupt(Warp &w) { w.limit = 0; }
/// Lanes end.
void exitLanes(Warp &w, u32 lanes);
/// The warp arrives at its barrier; `pieces` are the splits that wait there.
void arriveAtBarrier(Warp &w, const DInst &i, u32 mask);
void completeBarrierIfReady(Cta &cta, Barrier &b);
/// The wait of a split at an mbarrier has ended.
bool mbarrierReady(Warp &w, u32 address, u32 parity, bool isParity, u64 state);
u32 newFrame(Warp &w, const Frame &f);
void useFrame(Warp &w, u32 frame);
/// Fills constants and special registers of a frame for the lanes.
void initialiseFrame(Warp &w, const Code &code, u32 registers, u32 lanes);
void ensureMemory(Warp &w, size_t registerBytes, size_t localBytes);

// Clocks of shared memory.
void releaseTo(Warp &w, std::vector<u32> &clock);
void acquireFrom(Warp &w, const std::vector<u32> &clock);

// Asynchronous copies.
void completeCopies(Warp &w, u32 lanes, bool all, u64 serialLimit, u32 keepGroups, u32 epoch);

} // namespace pavage::sim

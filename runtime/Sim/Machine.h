// The state that instructions work on. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch (one per kernel launch, shared by host threads) > Worker (one per host thread) > Cta > Warp > Split.
// A split is a set of lanes of a warp that stand at one place: same instruction and same chain of calls. The split that
// runs is spread over Warp::{pc, active, frame}, the others wait in Warp::splits.
#pragma once

#include "runtime/Sim/Program.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace pavage::sim {

struct Cta;
struct Worker;
struct Launch;
class Checker;

/// Check kinds, in the order of their bits.
enum class Kind : u8 {
  Oob,
  Misaligned,
  UseAfterFree,
  Uninit,
  RaceShared,
  RaceGlobal,
  AsyncRead,
  Barrier,
  Deadlock,
  Wrap,
  AtomicCount,
  Nan,
  Unwritten,
  Assert, // always on: assert, trap and the budget are no checks but ends
  Trap,
  Budget,
  Unsupported,
  Count
};
std::string_view kindName(Kind kind);
constexpr u32 bit(Kind kind) { return 1u << static_cast<u8>(kind); }
constexpr u32 alwaysOn = bit(Kind::Assert) | bit(Kind::Trap) | bit(Kind::Budget) | bit(Kind::Unsupported);
constexpr u32 allChecks = (1u << static_cast<u8>(Kind::Nan)) - 1;

/// What is counted per decoded instruction.
struct LineCount {
  u64 requests = 0; // memory accesses with at least one lane
  u64 lanes = 0;    // lanes of these
  u64 sectors = 0;  // 32-byte sectors of global memory touched
  u64 sectorsIdeal = 0;
  u64 conflicts = 0; // bank passes beyond the least
  u64 divergent = 0; // branches that split the warp
};

/// The allocation that an instruction hit last.
struct MemCache {
  u64 lo = 1, hi = 0;    // device addresses
  i64 delta = 0;         // host address - device address
  u8 *defined = nullptr; // one per byte, of address lo; null when all of it is defined
  u8 *logical = nullptr; // one per byte: 1 where an array argument has an element; null when it has everywhere
};

// Windows of the generic address space. Device memory starts at deviceBase, which no host address of a process reaches:
// the two can be told apart.
constexpr u64 sharedWindow = u64(0x01) << 40;
constexpr u64 localWindow = u64(0x02) << 40;
constexpr u64 paramWindow = u64(0x03) << 40;
constexpr u64 windowSize = u64(1) << 32;
constexpr u64 deviceBase = u64(0xa0) << 40;

enum class Wait : u8 { None, Sync, Barrier, Mbarrier, Exited };

struct Split {
  u32 pc = 0;
  u32 mask = 0;
  u32 frame = 0;
  Wait wait = Wait::None;
  u32 waitMask = 0; // Sync: the member mask. Barrier: the barrier's number
  u32 waitArg = 0;  // Mbarrier: address. Barrier: thread count
  u32 waitParity = 0;
};

struct Frame {
  u32 parent = 0;
  u32 function = 0;
  u32 returnPc = 0;
  u32 registers = 0; // offset in the register memory
  u32 local = 0;     // offset in every thread's local memory
  u32 depth = 0;
  const CallInfo *call = nullptr;
  bool isUsed = false;
};

/// One asynchronous copy instruction of one warp that is not complete.
struct AsyncCopy {
  u32 mask = 0; // lanes
  u32 pc = 0;
  u32 bytes = 0;
  u32 group[32]; // of the lane
  u32 to[32];    // shared offset
  u64 from[32];  // device address
  u32 sourceBytes[32];
  u64 serial = 0;
  bool isFull = true;    // no lane copies less than `bytes`
  bool isCopied = false; // the bytes have arrived, though nobody has waited
};

/// A store to shared memory that is not ordered after another warp's store to the same place.
struct Overwrite {
  u32 address = 0; // of a unit of the shadow
  u32 warp = 0;    // that stored before
  u32 pc = 0;      // where
  u64 before = 0;  // the bytes that it left
};

/// An access to shared memory since the lanes of a warp met (LaneRaces.h).
struct LaneAccess {
  u32 pc = 0;
  u32 mask = 0;
  u32 bytes = 0;
  u32 low = 0, high = 0; // addresses of all lanes are in [low, high)
  bool isWrite = false;
  bool isStrong = false; // atomic, volatile or relaxed
  u32 at[32];
  u32 after[32]; // per lane: lanes that are ordered after its access
};

/// What a slow path needs of a warp; the first members are the hot ones.
struct Warp {
  u8 *r = nullptr;     // register frame of the running split
  u32 *def = nullptr;  // lanes defined, per granule of the frame
  u32 *wrap = nullptr; // lanes whose value wrapped at 32 bits, likewise
  u32 active = 0;      // lanes of the running split
  u32 dead = 0;        // lanes that exited or never were
  u32 startDead = 0;   // lanes that never were
  u32 pc = 0;          // of the next instruction
  u32 limit = ~0u;     // reschedule when pc reaches it
  bool yield = false;  // let other warps run
  u32 checks = 0;      // bits of Kind
  u8 traced = 0;       // flags of instructions that need followWrap or lanesWithoutNan
  u8 *shared = nullptr;
  u8 *sharedDefined = nullptr; // one per byte
  u32 sharedBytes = 0;
  u32 index = 0; // in the CTA
  MemCache *cache = nullptr;
  LineCount *counts = nullptr;     // per instruction
  u64 *issued = nullptr;           // warp instructions, per instruction
  u8 *local = nullptr;             // 32 lanes of localStride bytes
  u8 *localDefinedBytes = nullptr; // laid out alike
  u32 localStride = 0;
  u32 localFrame = 0;
  const DInst *code = nullptr; // of the program
  const u8 *params = nullptr;
  u32 paramBytes = 0;
  u32 carry = 0; // CC.CF, one bit per lane
  Cta *cta = nullptr;

  u32 frame = 0;
  u32 lastPc = 0;
  std::vector<Split> splits; // all but the running one
  std::vector<Frame> frames;
  std::vector<u32> freeFrames;
  std::vector<u8> registerMemory;
  std::vector<u32> definedMemory, wrapMemory;
  std::vector<u32> startDefined; // of the kernel's frame when a CTA starts
  std::vector<u8> localMemory;
  std::vector<u8> localDefined;   // one per byte, lane after lane
  std::vector<LaneAccess> window; // shared accesses since all lanes met
  bool isStoring = false;         // the store that is being checked ends in settleOverwrites()
  std::vector<Overwrite> overwrites;
  std::vector<AsyncCopy> copies;
  u64 copySerial = 0;
  u32 openGroup[32];
  std::vector<u32> clock; // vector clock over the warps of the CTA
  u32 ownEpoch = 1;       // clock[index]
  u32 floor = 0;          // accesses with a smaller epoch are ordered before this warp
  bool isBlocked = false; // no split can run
  u32 clusterGeneration = 0;

  u32 live() const { return ~dead; }
};

struct Barrier {
  struct Waiter {
    Warp *warp;
    u32 pc;
    u32 mask;
  };
  u32 expectedWarps = 0; // 0: all live warps of the CTA
  u32 arrivedWarps = 0;
  u32 arrivedMask = 0; // of warps, to find one that arrives twice
  bool hasArriveOnly = false;
  std::vector<Waiter> waiters;
  std::vector<u32> clock;
  u32 popc = 0;
  bool any = false, all = true;
  u64 generation = 0;
  u32 firstPc = 0;
};

/// A cp.async.mbarrier.arrive whose copies are not complete.
struct AsyncArrival {
  Warp *warp;
  u32 mask;
  u64 serial; // copies with a smaller number count
  u32 epoch;  // of the warp when it arrived
};

/// An mbarrier object.
struct Mbarrier {
  u32 expected = 0;
  i64 pending = 0;
  i64 tx = 0;
  u64 phase = 0;
  u32 initPc = 0, initWarp = 0, initEpoch = 0;
  bool live = false;
  std::vector<u32> pendingClock, doneClock;
  std::vector<AsyncArrival> arrivals;
};

/// Shadow of shared memory, per unit of 1 << shift bytes.
struct SharedShadow {
  u32 shift = 2;
  std::vector<u32> write;     // warp << 26 | epoch
  std::vector<u32> readEpoch; // bit 31: see readClocks
  std::vector<u32> readWarps;
  std::vector<u32> writePc, readPc;
  std::vector<u8> flags; // per unit: 1 the last write was atomic
  std::unordered_map<u32, std::vector<u32>> readClocks;
  std::vector<u8> defined;   // per byte
  std::vector<u8> inFlight;  // per byte: 1 + warp of an incomplete copy; 0 none
  std::vector<u32> flightPc; // per word
};

struct Cta {
  Worker *worker = nullptr;
  Launch *launch = nullptr;
  u32 linear = 0;
  u32 id[3] = {0, 0, 0};
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<u8> sharedMemory;
  SharedShadow shadow;
  Barrier barriers[17]; // the last is never used by a kernel
  std::unordered_map<u32, Mbarrier> mbarriers;
  Barrier cluster; // barrier.cluster of a cluster of one
  u32 liveWarps = 0;
  u32 nextWarp = 0;
  bool hasMbarriers = false;
  u32 inFlight = 0; // bytes of incomplete copies
  u64 ticks = 0;    // warp instructions so far, the clock
  bool isStopped = false;
  std::vector<u32> atomicRuns; // per slot and thread; empty when there is no rule
  // Order among CTAs: own epoch, and the latest epoch of others known to be before this one.
  u32 epoch = 1;
  std::unordered_map<u32, u32> ctaClock, observed;
  u32 stamp = 0, stampEpoch = 1;   // of its accesses in the shadow of global memory
  u32 fenced = 0, fencedStamp = 0; // the epoch before the last fence; 0: none
};

// Slow paths, called by handlers. All are safe for any mask.

/// Reports a finding at the instruction that runs; `lanes` are those concerned.
void report(Warp &w, const DInst &i, Kind kind, const std::string &text);
inline u32 pcOf(const Warp &w, const DInst &i) { return static_cast<u32>(&i - w.code); }

struct HandlerRow {
  const char *name;
  Handler fn;
};

/// The handler with this name for the host's vector width, or null.
Handler findHandler(const std::string &name);

} // namespace pavage::sim

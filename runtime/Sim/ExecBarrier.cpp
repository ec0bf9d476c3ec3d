// CTA barriers and mbarriers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier counts whole warps. A warp arrives once all of its live lanes wait at it (see Interpreter.cpp); the last to
// arrive wakes the others. Arriving releases and waiting acquires the order of shared-memory accesses.
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>

namespace pavage::sim {

namespace {

template <class T> T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }
u32 &maskAt(Warp &w, u32 offset) { return *reinterpret_cast<u32 *>(w.r + offset); }
void setDefined(Warp &w, u32 offset, u32 valid, u32 lanes) {
  u32 &d = w.def[offset / granuleBytes];
  d = (d & ~lanes) | (valid & lanes);
}

enum Mode : u32 { Sync, Arrive, Popc, And, Or };

u32 lanesOf(u32 x) { return static_cast<u32>(__builtin_popcount(x)); }

/// sub: bits 0-2 the mode, bit 3 a thread count is given, bit 4 aligned.
void barrier(Warp &w, const DInst &i, u32 exec) {
  u32 lane = static_cast<u32>(__builtin_ctz(exec));
  u32 number = reg<u32>(w, i.a)[lane], count = i.sub & 8 ? reg<u32>(w, i.b)[lane] : 0;
  if (number > 15) {
    report(w, i, Kind::Barrier, "barrier " + std::to_string(number) + " does not exist: there are 16");
    exitLanes(w, exec);
    return;
  }
  if ((i.sub & 8) && (count == 0 || count % 32 != 0)) {
    report(w, i, Kind::Barrier,
           "thread count " + std::to_string(count) + " of a barrier must be a positive multiple of 32");
    count = (count + 31) / 32 * 32;
  }
  // The lanes that are not here may come later: the interpreter lets the warp arrive when all have.
  bool isWhole = (exec | w.dead) == ~0u;
  sleep(w, i, exec, Wait::Barrier, number, count, isWhole ? 1 : 0);
  if (isWhole) {
    arriveAtBarrier(w, i, exec);
  }
}

/// Writes the result of a reduction and lets the lanes go on.
void wake(Barrier &b, const Barrier::Waiter &waiter) {
  Warp &w = *waiter.warp;
  const DInst &i = w.code[waiter.pc];
  for (Split &s : w.splits) {
    if (s.wait == Wait::Barrier && s.pc == waiter.pc && (s.mask & waiter.mask)) {
      u32 mode = i.sub & 7;
      if (mode >= Popc) {
        u32 before = w.frame;
        useFrame(w, s.frame);
        setDefined(w, i.d, ~0u, s.mask);
        if (mode == Popc) {
          for (u32 l = 0; l < 32; ++l) {
            if ((s.mask >> l) & 1) {
              reg<u32>(w, i.d)[l] = b.popc;
            }
          }
        } else {
          u32 &d = maskAt(w, i.d);
          bool value = mode == And ? b.all : b.any;
          d = (d & ~s.mask) | (value ? s.mask : 0);
        }
        useFrame(w, before);
      }
      s.wait = Wait::None;
      s.waitMask = s.waitArg = s.waitParity = 0;
      ++s.pc;
    }
  }
  w.isBlocked = false;
  interrupt(w);
}

void clusterArrive(Warp &w, const DInst &, u32 exec) {
  if ((exec | w.dead) != ~0u) {
    return; // counted with the rest of the warp's lanes
  }
  Barrier &b = w.cta->cluster;
  w.clusterGeneration = static_cast<u32>(b.generation);
  releaseTo(w, b.clock);
  ++b.arrivedWarps;
  completeBarrierIfReady(*w.cta, b);
}

void clusterWait(Warp &w, const DInst &i, u32 exec) {
  Barrier &b = w.cta->cluster;
  if (b.generation > w.clusterGeneration) {
    acquireFrom(w, b.clock);
    return;
  }
  sleep(w, i, exec, Wait::Barrier, 16, 0, 1);
  b.waiters.push_back({&w, pcOf(w, i), exec});
}

// mbarrier objects.

Mbarrier *find(Warp &w, const DInst &i, u32 exec, u32 &address) {
  const MemInfo &m = *static_cast<const MemInfo *>(i.extra);
  u32 lane = static_cast<u32>(__builtin_ctz(exec));
  u64 at = m.addressBytes == 8 ? reg<u64>(w, i.a)[lane] + i.imm : u64(reg<u32>(w, i.a)[lane] + static_cast<u32>(i.imm));
  if (m.space == Space::Generic) {
    at -= sharedWindow;
  }
  if (at % 8 != 0 || at + 8 > w.sharedBytes) {
    report(w, i, at % 8 ? Kind::Misaligned : Kind::Oob,
           "mbarrier address " + std::to_string(at) + " is not 8-byte aligned shared memory");
    return nullptr;
  }
  address = static_cast<u32>(at);
  auto found = w.cta->mbarriers.find(address);
  if (found == w.cta->mbarriers.end() || !found->second.live) {
    report(w, i, Kind::Barrier, "the mbarrier at shared address " + std::to_string(address) + " is not initialised");
    return nullptr;
  }
  return &found->second;
}

void joinClock(std::vector<u32> &into, const std::vector<u32> &from) {
  into.resize(std::max(into.size(), from.size()));
  for (size_t k = 0; k < from.size(); ++k) {
    into[k] = std::max(into[k], from[k]);
  }
}

void completePhase(Mbarrier &m) {
  while (m.pending == 0 && m.tx == 0) {
    ++m.phase;
    m.pending = m.expected;
    joinClock(m.doneClock, m.pendingClock);
    if (m.expected == 0) {
      break;
    }
  }
}

void init(Warp &w, const DInst &i, u32 exec) {
  const MemInfo &m = *static_cast<const MemInfo *>(i.extra);
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 lane = static_cast<u32>(__builtin_ctz(rest));
    u64 at =
        m.addressBytes == 8 ? reg<u64>(w, i.a)[lane] + i.imm : u64(reg<u32>(w, i.a)[lane] + static_cast<u32>(i.imm));
    at -= m.space == Space::Generic ? sharedWindow : 0;
    u32 count = reg<u32>(w, i.b)[lane];
    if (at % 8 != 0 || at + 8 > w.sharedBytes) {
      report(w, i, at % 8 ? Kind::Misaligned : Kind::Oob,
             "mbarrier address " + std::to_string(at) + " is not 8-byte aligned shared memory");
      continue;
    }
    if (count == 0 || count >= (1u << 20)) {
      report(w, i, Kind::Barrier, "mbarrier count " + std::to_string(count) + " is not in 1 .. 1048575");
      continue;
    }
    u64 address[32];
    std::fill(address, address + 32, at);
    checkShared(w, i, 1u << lane, address, 8, true, false);
    Mbarrier &object = w.cta->mbarriers[static_cast<u32>(at)];
    if (object.live) {
      report(w, i, Kind::Barrier, "mbarrier.init on a live mbarrier at shared address " + std::to_string(at));
    }
    object = Mbarrier();
    object.live = true;
    w.cta->hasMbarriers = true;
    object.expected = count;
    object.pending = count;
    object.initPc = pcOf(w, i);
    object.initWarp = w.index;
    object.initEpoch = w.clock[w.index];
    std::fill_n(w.cta->shadow.defined.begin() + static_cast<std::ptrdiff_t>(at), 8, 1);
  }
}

/// Every use needs the initialisation to be ordered before it.
void checkInitOrder(Warp &w, const DInst &i, const Mbarrier &m) {
  if (m.initWarp != w.index && w.clock[m.initWarp] < m.initEpoch && (w.checks & bit(Kind::RaceShared))) {
    report(w, i, Kind::RaceShared,
           "the mbarrier is used without a barrier after its initialisation by warp " + std::to_string(m.initWarp));
  }
}

void invalidate(Warp &w, const DInst &i, u32 exec) {
  u32 address;
  if (Mbarrier *m = find(w, i, exec, address)) {
    m->live = false;
  }
}

/// sub: 1 .expect_tx (b bytes), 2 drop, 4 noComplete.
void arrive(Warp &w, const DInst &i, u32 exec) {
  u32 address = 0;
  for (u32 rest = exec; rest;) {
    // Lanes may name different objects.
    u32 lane = static_cast<u32>(__builtin_ctz(rest));
    Mbarrier *m = find(w, i, 1u << lane, address);
    rest &= rest - 1;
    if (!m) {
      continue;
    }
    checkInitOrder(w, i, *m);
    u64 state = (m->phase << 20) | static_cast<u64>(m->pending);
    if (i.d != sinkOffset) {
      reg<u64>(w, i.d)[lane] = state;
      setDefined(w, i.d, ~0u, 1u << lane);
    }
    u32 value = reg<u32>(w, i.b)[lane];
    i64 count = i.sub & 1 ? 1 : i64(value);
    if (i.sub & 1) {
      m->tx += value;
    }
    if (count > m->pending) {
      report(w, i, Kind::Barrier,
             "more arrivals at the mbarrier at shared address " + std::to_string(address) + " than its count of " +
                 std::to_string(m->expected));
      continue;
    }
    joinClock(m->pendingClock, w.clock);
    m->pending -= count;
    if (i.sub & 2) {
      m->expected -= static_cast<u32>(count);
    }
    if ((i.sub & 4) && m->pending == 0) {
      report(w, i, Kind::Barrier, "arrive.noComplete completes the phase");
    }
    completePhase(*m);
  }
  w.ownEpoch = ++w.clock[w.index];
}

void transaction(Warp &w, const DInst &i, u32 exec) {
  u32 address;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 lane = static_cast<u32>(__builtin_ctz(rest));
    if (Mbarrier *m = find(w, i, 1u << lane, address)) {
      i64 bytes = reg<u32>(w, i.b)[lane];
      m->tx += i.sub ? -bytes : bytes;
      completePhase(*m);
    }
  }
}

/// Copies whose completion the object tracks arrive when somebody looks.
void flushArrivals(Cta &cta, Mbarrier &m) {
  std::vector<AsyncArrival> arrivals;
  arrivals.swap(m.arrivals);
  for (const AsyncArrival &a : arrivals) {
    completeCopies(*a.warp, a.mask, true, a.serial, 0, a.epoch);
    m.pending -= lanesOf(a.mask);
    if (m.pending < 0) {
      m.pending = 0;
    }
  }
  completePhase(m);
  (void)cta;
}

/// sub: 1 parity, 2 try_wait.
void waitFor(Warp &w, const DInst &i, u32 exec) {
  u32 address = 0;
  for (u32 rest = exec; rest;) {
    u32 lane = static_cast<u32>(__builtin_ctz(rest));
    Mbarrier *m = find(w, i, 1u << lane, address);
    // Lanes that ask the same go together.
    u32 lanes = 1u << lane;
    const MemInfo &info = *static_cast<const MemInfo *>(i.extra);
    auto addressOf = [&](u32 l) { return info.addressBytes == 8 ? reg<u64>(w, i.a)[l] : u64(reg<u32>(w, i.a)[l]); };
    auto wantOf = [&](u32 l) { return i.sub & 1 ? u64(reg<u32>(w, i.b)[l]) : reg<u64>(w, i.b)[l]; };
    for (u32 l = lane + 1; l < 32; ++l) {
      if (((rest >> l) & 1) && addressOf(l) == addressOf(lane) && wantOf(l) == wantOf(lane)) {
        lanes |= 1u << l;
      }
    }
    rest &= ~lanes;
    u64 want = wantOf(lane);
    u32 &d = maskAt(w, i.d);
    setDefined(w, i.d, ~0u, lanes);
    if (!m) {
      d |= lanes; // reported; do not hang
      continue;
    }
    checkInitOrder(w, i, *m);
    bool ready = mbarrierReady(w, address, static_cast<u32>(want), i.sub & 1, want);
    if (ready) {
      d |= lanes;
      acquireFrom(w, m->doneClock);
      w.window.clear(); // the arrivals ordered whatever came before them
      continue;
    }
    if ((i.sub & 3) == 3) {
      sleep(w, i, lanes, Wait::Mbarrier, 0, address, static_cast<u32>(want));
      continue;
    }
    d &= ~lanes;
    w.yield = true;
    interrupt(w);
  }
}

void pendingCount(Warp &w, const DInst &i, u32 exec) {
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      reg<u32>(w, i.d)[l] = static_cast<u32>(reg<u64>(w, i.a)[l]) & 0xfffff;
    }
  }
}

/// cp.async.mbarrier.arrive; sub 1: .noinc.
void copyArrive(Warp &w, const DInst &i, u32 exec) {
  u32 address;
  Mbarrier *m = find(w, i, exec, address);
  if (!m) {
    return;
  }
  checkInitOrder(w, i, *m);
  if (!i.sub) {
    m->pending += lanesOf(exec);
  } else if (m->pending < i64(lanesOf(exec))) {
    report(w, i, Kind::Barrier,
           "more arrivals at the mbarrier at shared address " + std::to_string(address) + " than its count of " +
               std::to_string(m->expected));
    return;
  }
  joinClock(m->pendingClock, w.clock);
  m->arrivals.push_back({&w, exec, w.copySerial, w.clock[w.index]});
  w.ownEpoch = ++w.clock[w.index];
  if (w.cta->launch->options.async == AsyncMode::Eager) {
    flushArrivals(*w.cta, *m);
  }
}

const HandlerRow rows[] = {
    {"barrier", &barrier},         {"cluster.arrive", &clusterArrive}, {"cluster.wait", &clusterWait},
    {"mbarrier.init", &init},      {"mbarrier.inval", &invalidate},    {"mbarrier.arrive", &arrive},
    {"mbarrier.tx", &transaction}, {"mbarrier.wait", &waitFor},        {"mbarrier.pending_count", &pendingCount},
    {"cp.mbarrier", &copyArrive},
};

} // namespace

Table barrierTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

bool mbarrierReady(Warp &w, u32 address, u32 parity, bool isParity, u64 state) {
  auto found = w.cta->mbarriers.find(address);
  if (found == w.cta->mbarriers.end()) {
    return true;
  }
  Mbarrier &m = found->second;
  auto ready = [&] { return isParity ? (m.phase & 1) != (parity & 1) : m.phase > (state >> 20); };
  if (!ready() && !m.arrivals.empty()) {
    flushArrivals(*w.cta, m);
  }
  return ready();
}

void releaseTo(Warp &w, std::vector<u32> &clock) {
  joinClock(clock, w.clock);
  w.ownEpoch = ++w.clock[w.index];
}

void acquireFrom(Warp &w, const std::vector<u32> &clock) {
  u32 own = w.clock[w.index];
  joinClock(w.clock, clock);
  w.clock[w.index] = own;
  u32 least = ~0u;
  for (u32 k = 0; k < w.clock.size(); ++k) {
    least = k == w.index ? least : std::min(least, w.clock[k]);
  }
  w.floor = least == ~0u ? own + 1 : std::min(least, own) + 1;
}

void arriveAtBarrier(Warp &w, const DInst &i, u32 exec) {
  Cta &cta = *w.cta;
  u32 pc = pcOf(w, i), lane = static_cast<u32>(__builtin_ctz(exec));
  u32 number = reg<u32>(w, i.a)[lane] & 15, count = i.sub & 8 ? (reg<u32>(w, i.b)[lane] + 31) / 32 : 0;
  Barrier &b = cta.barriers[number];
  bool isFirstPiece = !((b.arrivedMask >> w.index) & 1);
  if (b.arrivedWarps == 0) {
    b.expectedWarps = count;
    b.firstPc = pc;
  } else if (b.expectedWarps != count) {
    const Source &other = cta.launch->program->sources[b.firstPc];
    report(w, i, Kind::Barrier,
           "barrier " + std::to_string(number) + " is entered with " +
               (count ? std::to_string(count * 32) + " threads" : std::string("all threads")) + ", but in line " +
               std::to_string(other.ptxLine) + " with " +
               (b.expectedWarps ? std::to_string(b.expectedWarps * 32) + " threads" : std::string("all threads")));
    b.expectedWarps = std::max(b.expectedWarps, count);
  }
  u32 mode = i.sub & 7;
  if (mode >= Popc) {
    u32 p = maskAt(w, i.c) & exec;
    b.popc += lanesOf(p);
    b.any |= p != 0;
    b.all &= p == exec;
  }
  if (isFirstPiece) {
    w.window.clear();
    b.arrivedMask |= 1u << w.index;
    ++b.arrivedWarps;
    releaseTo(w, b.clock);
  } else if (mode == Arrive) {
    report(w, i, Kind::Barrier, "the warp arrives twice at barrier " + std::to_string(number) + " in one phase");
  }
  if (mode == Arrive) {
    b.hasArriveOnly = true;
    for (Split &s : w.splits) {
      if (s.wait == Wait::Barrier && s.pc == pc && s.mask == exec) {
        s.wait = Wait::None;
        s.waitMask = s.waitArg = s.waitParity = 0;
        ++s.pc;
        break;
      }
    }
    interrupt(w);
  } else {
    b.waiters.push_back({&w, pc, exec});
  }
  u32 expected = b.expectedWarps ? b.expectedWarps : cta.liveWarps;
  if (b.expectedWarps > cta.warps.size()) {
    report(w, i, Kind::Barrier,
           "barrier " + std::to_string(number) + " waits for " + std::to_string(b.expectedWarps * 32) +
               " threads, the CTA has " + std::to_string(cta.warps.size() * 32));
  }
  // Pieces of one warp come one after the other: complete only with the last.
  u32 covered = 0;
  for (const Barrier::Waiter &x : b.waiters) {
    covered |= x.warp == &w ? x.mask : 0;
  }
  if (b.arrivedWarps >= expected && (mode == Arrive || (covered & w.live()) == w.live())) {
    completeBarrierIfReady(cta, b);
  }
}

void completeBarrierIfReady(Cta &cta, Barrier &b) {
  u32 expected = b.expectedWarps ? b.expectedWarps : cta.liveWarps;
  if (b.arrivedWarps == 0 || b.arrivedWarps < expected) {
    return;
  }
  bool isCluster = &b == &cta.cluster;
  std::vector<Barrier::Waiter> waiters;
  waiters.swap(b.waiters);
  std::vector<u32> clock;
  clock.swap(b.clock);
  bool everyone = !isCluster && !b.hasArriveOnly && b.arrivedWarps >= cta.liveWarps;
  if (everyone) {
    // All live warps met: one number orders everything before.
    u32 epoch = 0;
    for (auto &w : cta.warps) {
      epoch = std::max(epoch, w->clock[w->index]);
    }
    for (auto &w : cta.warps) {
      std::fill(w->clock.begin(), w->clock.end(), epoch);
      w->clock[w->index] = w->ownEpoch = w->floor = epoch + 1;
    }
  } else {
    for (const Barrier::Waiter &x : waiters) {
      acquireFrom(*x.warp, clock);
    }
  }
  for (const Barrier::Waiter &x : waiters) {
    wake(b, x);
  }
  u64 generation = b.generation + 1;
  b = Barrier();
  b.generation = generation;
  if (isCluster) {
    b.clock = clock;
  }
}

} // namespace pavage::sim

// Races between CTAs on global memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTAs of one launch are unordered. Two of them that touch a unit of memory, at least one with a write, at least one
// with a plain access, race, unless the first released and the second acquired: an atomic or an access with .release
// and then one with .acquire on the same address, or relaxed ones with fences around. Accesses of scope .cta count as
// plain here.
//
// A CTA's life is cut into epochs by its releases and fences. Every (CTA, epoch) that accesses memory has a number, its
// stamp; the shadows hold, per unit (the smallest access of the program), the stamps of the last plain writer, of the
// last strong writer (atomics, volatile, relaxed) and of the readers. A stamp is ordered before a CTA when that CTA has
// acquired its epoch. Of several readers, or several strong writers, only that they are several is known, by a stamp of
// the launch's own: a CTA that has acquired anything counts as ordered after them, which may miss a race and never
// invents one.
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pavage::sim {

namespace {

/// The CTA and epoch that a stamp stands for.
std::pair<u32, u32> meaningOf(const Launch &launch, u32 stamp) {
  u32 k = stamp - launch.raceBase - 1;
  return k < launch.ctas ? std::make_pair(k, 1u) : launch.laterStamps[k - launch.ctas - 1];
}

/// What a CTA did under this stamp comes before the present.
bool isOrdered(Launch &launch, const Cta &cta, u32 stamp) {
  if (stamp <= launch.raceBase) {
    return true; // an earlier launch
  }
  if (stamp == launch.several()) {
    return !cta.ctaClock.empty();
  }
  if (stamp == cta.stamp) {
    return true;
  }
  std::lock_guard<std::mutex> guard(launch.lock);
  auto [other, epoch] = meaningOf(launch, stamp);
  auto found = cta.ctaClock.find(other);
  return other == cta.linear || (found != cta.ctaClock.end() && found->second >= epoch);
}

/// The shadow after another access under stamp `mine`.
u32 join(Launch &launch, const Cta &cta, u32 stamp, u32 mine) {
  return stamp != launch.several() && isOrdered(launch, cta, stamp) ? mine : launch.several();
}

void reportRace(Warp &w, const DInst &i, u64 address, u32 stamp, const char *what, u32 otherPc) {
  Launch &launch = *w.cta->launch;
  char text[64];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  std::string message =
      std::string(what) + " without synchronisation between CTA " + std::to_string(w.cta->linear) + " here and ";
  if (stamp == launch.several()) {
    message += "other CTAs";
  } else {
    std::lock_guard<std::mutex> guard(launch.lock);
    message += "CTA " + std::to_string(meaningOf(launch, stamp).first);
  }
  Allocation *a = launch.memory->find(address);
  message += std::string(" at ") + text;
  if (a) {
    message += " (byte " + std::to_string(address - a->base) + " of '" + a->name + "')";
  }
  if (otherPc != ~0u && otherPc < launch.program->sources.size()) {
    const Source &s = launch.program->sources[otherPc];
    message += ", the other write is '" + *s.text + "' in line " + std::to_string(s.ptxLine);
  }
  report(w, i, Kind::RaceGlobal, message);
}

/// A strong access learns of releases; a fence turns that into an order.
void observe(Launch &launch, Cta &cta, u32 exec, const u64 *addresses) {
  std::lock_guard<std::mutex> guard(launch.lock);
  if (launch.syncClocks.empty()) {
    return;
  }
  for (u32 rest = exec; rest; rest &= rest - 1) {
    auto found = launch.syncClocks.find(addresses[__builtin_ctz(rest)]);
    if (found == launch.syncClocks.end()) {
      continue;
    }
    for (auto &[other, epoch] : found->second) {
      u32 &seen = cta.observed[other];
      seen = std::max(seen, epoch);
    }
  }
}

/// Hands over, at these addresses, what the CTA has done up to `epoch` and what it knew by then.
void publish(Cta &cta, u32 epoch, u32 exec, const u64 *addresses) {
  std::lock_guard<std::mutex> guard(cta.launch->lock);
  for (u32 rest = exec; rest; rest &= rest - 1) {
    auto &clock = cta.launch->syncClocks[addresses[__builtin_ctz(rest)]];
    u32 &mine = clock[cta.linear];
    mine = std::max(mine, epoch);
    for (auto &[other, theirs] : cta.ctaClock) {
      u32 &known = clock[other];
      known = std::max(known, theirs);
    }
  }
}

} // namespace

void renewStamp(Cta &cta) {
  Launch &launch = *cta.launch;
  std::lock_guard<std::mutex> guard(launch.lock);
  cta.stampEpoch = cta.epoch;
  u32 stamp = launch.several() + 1 + static_cast<u32>(launch.laterStamps.size());
  if (launch.memory->claimStamp(stamp)) {
    launch.laterStamps.push_back({cta.linear, cta.epoch});
    cta.stamp = stamp;
  } // else none are left: later accesses count to the epoch before
}

void checkGlobal(Warp &w, const DInst &i, const MemInfo &m, u32 exec, const u64 *addresses, u32 bytes, bool isWrite,
                 bool isAtomic) {
  Cta &cta = *w.cta;
  Launch &launch = *cta.launch;
  if (launch.raceBase == ~0u || launch.ctas == 1) {
    return;
  }
  DeviceMemory &memory = *launch.memory;
  bool isStrong = (isAtomic || m.isVolatile || m.acquire || m.release) && m.scope != 1;
  if (cta.stampEpoch != cta.epoch) {
    renewStamp(cta);
  }
  // A write behind a fence tells of the time before the fence: who sees it knows that epoch.
  u32 base = launch.raceBase, pc = pcOf(w, i), mine = isStrong && isWrite && cta.fenced ? cta.fencedStamp : cta.stamp;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u64 at = addresses[__builtin_ctz(rest)];
    u64 first = memory.raceUnit(at), last = memory.raceUnit(at + bytes - 1);
    for (u64 unit = first; unit <= last; ++unit) {
      u32 writer = memory.writers[unit], strong = memory.strongWriters[unit], reader = memory.readers[unit];
      if (writer > base && !isOrdered(launch, cta, writer)) {
        reportRace(w, i, at, writer, isWrite ? "write after write" : "read after write", memory.writerPcs[unit]);
      } else if (!isStrong && strong > base && !isOrdered(launch, cta, strong)) {
        reportRace(w, i, at, strong,
                   isWrite ? "plain write after an atomic or volatile one"
                           : "plain read after an atomic or volatile write",
                   ~0u);
      }
      if (isWrite && reader > base && !isOrdered(launch, cta, reader)) {
        reportRace(w, i, at, reader, "write after read", ~0u);
      }
      if (isWrite && isStrong) {
        memory.strongWriters[unit] = join(launch, cta, strong, mine);
      } else if (isWrite) {
        memory.writers[unit] = mine;
        memory.writerPcs[unit] = pc;
      } else if (!isStrong) {
        memory.readers[unit] = join(launch, cta, reader, mine);
      }
    }
  }
  if (!isStrong) {
    return;
  }
  // Relaxed accesses carry order through fences.
  if (isWrite && cta.fenced) {
    publish(cta, cta.fenced, exec, addresses);
  }
  observe(launch, cta, exec, addresses);
  if (m.release && isWrite) {
    ++cta.epoch; // published before the access, by releaseGlobal
  }
}

void releaseGlobal(Warp &w, u32 exec, const u64 *addresses) {
  Cta &cta = *w.cta;
  publish(cta, cta.epoch, exec, addresses);
}

void acquireGlobal(Warp &w, u32 exec, const u64 *addresses) {
  Cta &cta = *w.cta;
  std::lock_guard<std::mutex> guard(cta.launch->lock);
  for (u32 rest = exec; rest; rest &= rest - 1) {
    auto found = cta.launch->syncClocks.find(addresses[__builtin_ctz(rest)]);
    if (found == cta.launch->syncClocks.end()) {
      continue;
    }
    for (auto &[other, epoch] : found->second) {
      if (other != cta.linear) {
        u32 &known = cta.ctaClock[other];
        known = std::max(known, epoch);
      }
    }
  }
}

void fenceGlobal(Warp &w) {
  Cta &cta = *w.cta;
  for (auto &[other, epoch] : cta.observed) {
    if (other != cta.linear) {
      u32 &known = cta.ctaClock[other];
      known = std::max(known, epoch);
    }
  }
  cta.observed.clear();
  if (cta.stampEpoch != cta.epoch) {
    renewStamp(cta);
  }
  cta.fencedStamp = cta.stamp;
  cta.fenced = cta.epoch++;
}

} // namespace pavage::sim

// Races between CTAs on global memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTAs of one launch are unordered. Two of them that touch one word, at least one with a plain write, race, unless the
// first released and the second acquired: an atomic or an access with .release and then one with .acquire on the same
// address, or relaxed ones with fences around. A CTA then knows the releaser's epoch. Accesses are stamped with the CTA
// alone, so an access that the CTA makes after its release counts as ordered too; that misses races, and never invents
// one.
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pavage::sim {

namespace {

constexpr u32 manyReaders = ~0u;

bool isKnown(const Cta &cta, u32 other) { return cta.ctaClock.find(other) != cta.ctaClock.end(); }

void reportRace(Warp &w, const DInst &i, u64 address, u32 otherCta, const char *what, u32 otherPc) {
  Launch &launch = *w.cta->launch;
  char text[64];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  std::string message =
      std::string(what) + " without synchronisation between CTA " + std::to_string(w.cta->linear) + " here and ";
  message += otherCta == manyReaders ? "other CTAs" : "CTA " + std::to_string(otherCta);
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

} // namespace

void checkGlobal(Warp &w, const DInst &i, const MemInfo &m, u32 exec, const u64 *addresses, u32 bytes, bool isWrite,
                 bool isAtomic) {
  Cta &cta = *w.cta;
  Launch &launch = *cta.launch;
  if (launch.raceBase == ~0u || launch.ctas == 1) {
    return;
  }
  DeviceMemory &memory = *launch.memory;
  bool isStrong = isAtomic || m.isVolatile || m.acquire || m.release;
  if (isStrong && m.space != Space::Shared) {
    // Relaxed accesses carry order through fences.
    if (isWrite && cta.releasesPending) {
      releaseGlobal(w, exec, addresses);
    }
    if (!launch.syncClocks.empty()) {
      std::lock_guard<std::mutex> guard(launch.lock);
      for (u32 rest = exec; rest; rest &= rest - 1) {
        auto found = launch.syncClocks.find(addresses[__builtin_ctz(rest)]);
        if (found != launch.syncClocks.end()) {
          for (auto &[other, epoch] : found->second) {
            u32 &seen = cta.observed[other];
            seen = std::max(seen, epoch);
          }
        }
      }
    }
    return;
  }
  u32 base = launch.raceBase, mine = base + cta.linear + 1, pc = pcOf(w, i);
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u64 at = addresses[__builtin_ctz(rest)];
    u64 first = memory.wordIndex(at), last = memory.wordIndex(at + bytes - 1);
    for (u64 word = first; word <= last; ++word) {
      u32 writer = memory.writers[word], reader = memory.readers[word];
      // Sub-word accesses of two CTAs may share a word without a conflict: leave these alone.
      bool isPartial = bytes < 4;
      if (writer > base && writer != mine && !isPartial && !isKnown(cta, writer - base - 1)) {
        reportRace(w, i, at, writer - base - 1, isWrite ? "write after write" : "read after write",
                   memory.writerPcs[word]);
      }
      if (!isWrite) {
        memory.readers[word] = reader <= base || reader == mine ? mine : manyReaders;
        continue;
      }
      bool otherReader = reader > base && reader != mine;
      bool readerKnown = reader != manyReaders && isKnown(cta, reader - base - 1);
      if (otherReader && !isPartial && !readerKnown && !(reader == manyReaders && !cta.ctaClock.empty())) {
        reportRace(w, i, at, reader == manyReaders ? manyReaders : reader - base - 1, "write after read", ~0u);
      }
      memory.writers[word] = mine;
      memory.writerPcs[word] = pc;
    }
  }
}

void releaseGlobal(Warp &w, u32 exec, const u64 *addresses) {
  Cta &cta = *w.cta;
  std::lock_guard<std::mutex> guard(cta.launch->lock);
  for (u32 rest = exec; rest; rest &= rest - 1) {
    auto &clock = cta.launch->syncClocks[addresses[__builtin_ctz(rest)]];
    clock[cta.linear] = cta.epoch;
    for (auto &[other, epoch] : cta.ctaClock) {
      u32 &known = clock[other];
      known = std::max(known, epoch);
    }
  }
  ++cta.epoch;
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

} // namespace pavage::sim

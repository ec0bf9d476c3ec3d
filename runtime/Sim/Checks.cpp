// Reports of faults, and races on shared memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory has a shadow per unit (the smallest access of the program): the last write, as warp and epoch, and the
// warps that have read since, with their epoch. An access by another warp is ordered before this one when its epoch is
// covered by this warp's vector clock; `floor` is the epoch below which every warp's accesses are.
#include "runtime/Sim/Checks.h"

#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pavage::sim {

namespace {

std::string hex(u64 x) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(x));
  return text;
}

std::string lineOf(Warp &w, u32 pc) {
  const Source &s = w.cta->launch->program->sources[pc];
  return "'" + *s.text + "' in line " + std::to_string(s.ptxLine);
}

const char *verb(bool isWrite) { return isWrite ? "write" : "read"; }

std::string threadOf(const Warp &w, u32 lane) {
  u32 t = w.index * 32 + lane;
  const u32 *n = w.cta->launch->block;
  return "thread (" + std::to_string(t % n[0]) + "," + std::to_string(t / n[0] % n[1]) + "," +
         std::to_string(t / n[0] / n[1]) + ")";
}

} // namespace

std::string_view kindName(Kind kind) {
  constexpr std::string_view names[] = {"oob",          "misaligned", "use-after-free", "uninit",   "race-shared",
                                        "race-global",  "async-read", "barrier",        "deadlock", "wrap",
                                        "atomic-count", "nan",        "unwritten",      "assert",   "trap",
                                        "budget",       "unsupported"};
  return names[static_cast<u8>(kind)];
}

void report(Warp &w, const DInst &i, Kind kind, const std::string &text) {
  if (!(w.checks & bit(kind))) {
    return;
  }
  Launch &launch = *w.cta->launch;
  u32 pc = pcOf(w, i);
  std::lock_guard<std::mutex> guard(launch.lock);
  auto key = std::make_pair(static_cast<u32>(kind), pc);
  auto found = launch.findingIndex.find(key);
  if (found != launch.findingIndex.end()) {
    ++launch.findings[found->second].count;
    return;
  }
  if (launch.findings.size() >= launch.options.maxFindings) {
    launch.stop = true;
    return;
  }
  const Source &s = launch.program->sources[pc];
  Finding f;
  f.kind = kind;
  f.pc = pc;
  f.ptxLine = s.ptxLine;
  f.file = s.file;
  f.line = s.line;
  f.column = s.column;
  f.instruction = *s.text;
  f.message = text;
  std::copy_n(w.cta->id, 3, f.cta);
  f.warp = w.index;
  launch.findingIndex[key] = launch.findings.size();
  launch.findings.push_back(std::move(f));
}

bool findAllocation(Warp &w, u64 address, u32 bytes, bool isWrite, MemCache &cache) {
  DeviceMemory &memory = *w.cta->launch->memory;
  if (address < deviceBase) {
    return false;
  }
  Allocation *a = memory.find(address);
  if (!a || a->isFreed || (isWrite && a->isReadOnly) || !memory.contains(*a, address, bytes)) {
    return false;
  }
  cache.lo = a->base;
  cache.hi = a->base + a->bytes;
  cache.delta = static_cast<i64>(reinterpret_cast<uintptr_t>(memory.host(a->base)) - a->base);
  cache.defined = a->defined;
  cache.logical = a->logical;
  return true;
}

u32 reportFault(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite) {
  DeviceMemory &memory = *w.cta->launch->memory;
  u32 lane = static_cast<u32>(__builtin_ctz(exec));
  u64 at = addresses[lane];
  std::string text = std::string("invalid ") + verb(isWrite) + " of " + std::to_string(bytes) + " bytes at " + hex(at) +
                     " by " + threadOf(w, lane);
  Kind kind = Kind::Oob;
  Allocation *a = at >= deviceBase ? memory.find(at) : nullptr;
  if (at < 4096) {
    text += ": a null pointer";
  } else if (a && a->isFreed && at - a->base < a->bytes) {
    kind = Kind::UseAfterFree;
    text += ": '" + a->name + "' has been freed";
  } else if (a && isWrite && a->isReadOnly && memory.contains(*a, at, bytes)) {
    text += ": '" + a->name + "' is read-only";
  } else {
    // The nearest allocation explains most.
    const Allocation *next = nullptr;
    for (auto &other : memory.all()) {
      if (other->base > at && (!next || other->base < next->base)) {
        next = other.get();
      }
    }
    if (a && (!next || at - a->base - a->bytes <= next->base - at)) {
      i64 past = static_cast<i64>(at - a->base - a->bytes);
      text += past >= 0 ? ": " + std::to_string(past) + " bytes behind the end of '" + a->name + "' (" +
                              std::to_string(a->bytes) + " bytes)"
                        : ": it reaches over the end of '" + a->name + "' (" + std::to_string(a->bytes) + " bytes)";
    } else if (next) {
      text += ": " + std::to_string(next->base - at) + " bytes before '" + next->name + "'";
    }
  }
  report(w, i, kind, text);
  return 1u << lane;
}

u32 reportMisaligned(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite) {
  u32 bad = 0;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    bad |= static_cast<u32>((addresses[l] & (bytes - 1)) != 0) << l;
  }
  if (bad) {
    u32 lane = static_cast<u32>(__builtin_ctz(bad));
    report(w, i, Kind::Misaligned,
           std::string("misaligned ") + verb(isWrite) + " of " + std::to_string(bytes) + " bytes at " +
               hex(addresses[lane]) + " by " + threadOf(w, lane));
  }
  return bad;
}

u32 reportSharedFault(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite) {
  u32 bad = 0, odd = 0;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    bool outside = addresses[l] >= w.sharedBytes || addresses[l] + bytes > w.sharedBytes;
    bad |= static_cast<u32>(outside) << l;
    odd |= static_cast<u32>(!outside && (addresses[l] & (bytes - 1))) << l;
  }
  if (bad) {
    u32 lane = static_cast<u32>(__builtin_ctz(bad));
    report(w, i, Kind::Oob,
           std::string("invalid ") + verb(isWrite) + " of " + std::to_string(bytes) + " bytes at shared address " +
               hex(addresses[lane]) + " by " + threadOf(w, lane) + ": the CTA has " + std::to_string(w.sharedBytes) +
               " bytes of shared memory");
  }
  if (odd) {
    reportMisaligned(w, i, odd, addresses, bytes, isWrite);
  }
  return bad | odd;
}

u32 reportParamFault(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes) {
  u32 bad = 0;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    bad |= static_cast<u32>(addresses[l] >= w.paramBytes || addresses[l] + bytes > w.paramBytes) << l;
  }
  if (bad) {
    report(w, i, Kind::Oob,
           "read of " + std::to_string(bytes) + " bytes at offset " + hex(addresses[__builtin_ctz(bad)]) + " of " +
               std::to_string(w.paramBytes) + " bytes of parameters");
  }
  return bad;
}

void reportLocalFault(Warp &w, const DInst &i, u32 lane, u64 address, u32 bytes, bool isWrite) {
  bool outside = address >= w.localStride || address + bytes > w.localStride;
  report(w, i, outside ? Kind::Oob : Kind::Misaligned,
         std::string(outside ? "invalid " : "misaligned ") + verb(isWrite) + " of " + std::to_string(bytes) +
             " bytes at local address " + hex(address) + " by " + threadOf(w, lane));
}

void reportUndefined(Warp &w, const DInst &i, const char *what) {
  report(w, i, Kind::Uninit, std::string(what) + " comes from memory or a register that was never written");
}

void reportSharedRace(Warp &w, const DInst &i, u32 address, u32 otherWarp, u32 otherPc, bool isWrite, bool otherWrite) {
  const char *type = isWrite ? (otherWrite ? "write after write" : "write after read") : "read after write";
  report(w, i, Kind::RaceShared,
         std::string(type) + " without a barrier between: shared address " + hex(address) + ", warp " +
             std::to_string(w.index) + " here and warp " + std::to_string(otherWarp) + " at " + lineOf(w, otherPc));
}

namespace {

/// The bytes of a unit of the shadow, which has at most eight.
u64 unitBytes(const Warp &w, u32 address) {
  u64 bytes = 0;
  u32 size = std::min(1u << w.cta->shadow.shift, w.sharedBytes - address);
  std::memcpy(&bytes, w.shared + address, std::min<u32>(size, sizeof bytes));
  return bytes;
}

} // namespace

void settleOverwrites(Warp &w, const DInst &i) {
  for (const Overwrite &o : w.overwrites) {
    if (unitBytes(w, o.address) != o.before) {
      reportSharedRace(w, i, o.address, o.warp, o.pc, true, true);
    }
  }
  w.overwrites.clear();
}

namespace {

constexpr u32 epochMask = 0x3ffffff;
constexpr u32 manyReaders = 0x80000000;

bool isOrdered(const Warp &w, u32 warp, u32 epoch) { return warp == w.index || epoch <= w.clock[warp]; }

/// The reads of a unit by several warps at several epochs need one epoch each.
std::vector<u32> &splitReaders(SharedShadow &s, u32 unit, size_t warps) {
  std::vector<u32> &clocks = s.readClocks[unit];
  if (!(s.readEpoch[unit] & manyReaders)) {
    clocks.assign(warps, 0);
    for (u32 rest = s.readWarps[unit]; rest; rest &= rest - 1) {
      clocks[static_cast<u32>(__builtin_ctz(rest))] = s.readEpoch[unit];
    }
    s.readEpoch[unit] |= manyReaders;
  }
  return clocks;
}

void noteRead(Warp &w, SharedShadow &s, u32 unit, u32 pc) {
  u32 mine = w.clock[w.index], me = 1u << w.index, &epoch = s.readEpoch[unit];
  if (epoch == mine) {
    s.readWarps[unit] |= me;
  } else if (epoch < w.floor || (epoch < manyReaders && s.readWarps[unit] == me)) {
    epoch = mine;
    s.readWarps[unit] = me;
  } else {
    splitReaders(s, unit, w.cta->warps.size())[w.index] = mine;
    s.readWarps[unit] |= me;
  }
  s.readPc[unit] = pc;
}

/// The first warp whose reads of the unit are not ordered before, or -1.
i32 conflictingReader(const Warp &w, SharedShadow &s, u32 unit) {
  u32 epoch = s.readEpoch[unit];
  if (epoch < w.floor) {
    return -1;
  }
  const std::vector<u32> *clocks = epoch & manyReaders ? &s.readClocks[unit] : nullptr;
  for (u32 rest = s.readWarps[unit]; rest; rest &= rest - 1) {
    u32 other = static_cast<u32>(__builtin_ctz(rest));
    if (!isOrdered(w, other, clocks ? (*clocks)[other] : epoch)) {
      return static_cast<i32>(other);
    }
  }
  return -1;
}

} // namespace

void checkShared(Warp &w, const DInst &i, u32 exec, const u64 *addresses, u32 bytes, bool isWrite, bool isAtomic) {
  Cta &cta = *w.cta;
  SharedShadow &s = cta.shadow;
  u32 pc = pcOf(w, i);
  if (cta.inFlight && (w.checks & bit(Kind::AsyncRead))) {
    for (u32 rest = exec; rest; rest &= rest - 1) {
      u64 at = addresses[__builtin_ctz(rest)];
      for (u32 k = 0; k < bytes; k += 4) {
        if (s.inFlight[at + k]) {
          report(w, i, Kind::AsyncRead,
                 std::string(isWrite ? "write to" : "read of") + " shared address " + hex(at + k) +
                     " while the copy of " + lineOf(w, s.flightPc[(at + k) / 4]) +
                     " has not been waited for by its thread (warp " + std::to_string(s.inFlight[at + k] - 1) + ")");
          break;
        }
      }
    }
  }
  if (!cta.mbarriers.empty() && (w.checks & bit(Kind::Barrier)) && bytes <= 16) {
    for (u32 rest = exec; rest; rest &= rest - 1) {
      u64 at = addresses[__builtin_ctz(rest)];
      auto found = cta.mbarriers.find(static_cast<u32>(at & ~u64(7)));
      if (found != cta.mbarriers.end() && found->second.live && found->second.initPc != pc) {
        report(w, i, Kind::Barrier,
               std::string("plain ") + verb(isWrite) + " of the live mbarrier at shared address " + hex(at));
      }
    }
  }
  if (!(w.checks & bit(Kind::RaceShared)) || cta.warps.size() == 1) {
    return;
  }
  u32 shift = s.shift, stamp = (w.index << 26) | (w.clock[w.index] & epochMask), floor = w.floor;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 lane = static_cast<u32>(__builtin_ctz(rest));
    u32 begin = static_cast<u32>(addresses[lane] >> shift),
        end = static_cast<u32>((addresses[lane] + bytes + (1u << shift) - 1) >> shift);
    for (u32 unit = begin; unit < end; ++unit) {
      u32 write = s.write[unit];
      bool bothAtomic = isAtomic && s.flags[unit];
      if ((write & epochMask) >= floor && (write >> 26) != w.index && !bothAtomic &&
          !isOrdered(w, write >> 26, write & epochMask)) {
        if (isWrite && w.isStoring && shift <= 3) {
          w.overwrites.push_back({unit << shift, write >> 26, s.writePc[unit], unitBytes(w, unit << shift)});
        } else {
          reportSharedRace(w, i, unit << shift, write >> 26, s.writePc[unit], isWrite, true);
        }
      }
      if (!isWrite) {
        if (!isAtomic) { // volatile reads race with plain writes only
          noteRead(w, s, unit, pc);
        }
        continue;
      }
      i32 reader = conflictingReader(w, s, unit);
      if (reader >= 0) {
        reportSharedRace(w, i, unit << shift, static_cast<u32>(reader), s.readPc[unit], true, false);
      }
      s.write[unit] = stamp;
      s.writePc[unit] = pc;
      s.flags[unit] = isAtomic;
      if (s.readEpoch[unit] & manyReaders) {
        s.readClocks.erase(unit);
      }
      s.readEpoch[unit] = 0;
      s.readWarps[unit] = 0;
    }
  }
}

} // namespace pavage::sim

// The common cases of the race checks, over runs of words. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run is a range of shadow units that one lane, or all lanes of a contiguous access, touches. When nothing in it
// looks suspicious it is updated here; anything else goes to checkShared and checkGlobal, one unit at a time.
#pragma once

#include "runtime/Sim/Checks.h"
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/LaunchState.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

constexpr u32 epochBits = 0x3ffffff;

/// The shadow's arrays, so that their addresses stay in registers.
struct ShadowView {
  u32 *write, *writePc, *epoch, *warps, *readPc;
  u8 *flags, *inFlight;
  explicit ShadowView(SharedShadow &s)
      : write(s.write.data()), writePc(s.writePc.data()), epoch(s.readEpoch.data()), warps(s.readWarps.data()),
        readPc(s.readPc.data()), flags(s.flags.data()), inFlight(s.inFlight.data()) {}
};

/// What a run needs of the warp.
struct Actor {
  u32 me, bitOfMe, epoch, floor, pc;
};

/// Does f hold for a unit of the run? f gives 0 or not 0.
template <u32 Count, class F> inline bool anyUnit(u32 counted, F f) {
  u32 n = Count ? Count : counted, bad = 0;
  PAVAGE_LANES
  for (u32 k = 0; k < n; ++k) {
    bad |= f(k);
  }
  return bad != 0;
}

/// False when the run needs the slow path; then nothing has changed. Count 0: not known when compiling.
template <u32 Count> inline bool readRun(const Actor &x, const ShadowView &s, u32 unit, u32 counted) {
  u32 n = Count ? Count : counted;
  const u32 *__restrict write = s.write + unit;
  u32 *__restrict epoch = s.epoch + unit, *__restrict warps = s.warps + unit, *__restrict pcs = s.readPc + unit;
  if (anyUnit<Count>(n, [&](u32 k) {
        return (static_cast<u32>((write[k] & epochBits) >= x.floor) & static_cast<u32>((write[k] >> 26) != x.me)) |
               (static_cast<u32>(epoch[k] >= x.floor) & static_cast<u32>(epoch[k] != x.epoch));
      })) {
    return false;
  }
  PAVAGE_LANES
  for (u32 k = 0; k < n; ++k) {
    warps[k] = epoch[k] == x.epoch ? warps[k] | x.bitOfMe : x.bitOfMe;
    epoch[k] = x.epoch;
    pcs[k] = x.pc;
  }
  return true;
}

template <u32 Count> inline bool writeRun(const Actor &x, const ShadowView &s, u32 unit, u32 counted) {
  u32 n = Count ? Count : counted;
  u32 *__restrict write = s.write + unit, *__restrict pcs = s.writePc + unit;
  u32 *__restrict epoch = s.epoch + unit, *__restrict warps = s.warps + unit;
  if (anyUnit<Count>(n, [&](u32 k) {
        return (static_cast<u32>((write[k] & epochBits) >= x.floor) & static_cast<u32>((write[k] >> 26) != x.me)) |
               (static_cast<u32>(epoch[k] >= x.floor) &
                (static_cast<u32>((warps[k] & ~x.bitOfMe) != 0) | static_cast<u32>(epoch[k] >= 0x80000000)));
      })) {
    return false;
  }
  u32 stamp = (x.me << 26) | (x.epoch & epochBits);
  PAVAGE_LANES
  for (u32 k = 0; k < n; ++k) {
    write[k] = stamp;
    pcs[k] = x.pc;
    epoch[k] = 0;
    warps[k] = 0;
  }
  __builtin_memset(s.flags + unit, 0, n);
  return true;
}

inline bool anyInFlight(const u8 *flags, u32 bytes) {
  u64 any = 0, part;
  u32 k = 0;
  for (; k + 8 <= bytes; k += 8) {
    __builtin_memcpy(&part, flags + k, 8);
    any |= part;
  }
  for (; k < bytes; ++k) {
    any |= flags[k];
  }
  return any != 0;
}

template <u32 N> struct Known {
  static constexpr u32 value = N;
};

/// Shared memory: races and copies in flight for a plain access of `bytes` bytes per lane.
inline void checkSharedLanes(Warp &w, const DInst &i, u32 exec, const u64 *at, u32 bytes, bool isWrite, bool isStrong,
                             bool contiguous) {
  SharedShadow &s = w.cta->shadow;
  bool races = (w.checks & bit(Kind::RaceShared)) && w.cta->warps.size() > 1;
  bool flight = w.cta->inFlight != 0;
  if (isStrong || w.cta->hasMbarriers || (races && (bytes >> s.shift) == 0)) {
    checkShared(w, i, exec, at, bytes, isWrite, isStrong);
    return;
  }
  if (!races && !flight) {
    return;
  }
  ShadowView view(s);
  Actor actor = {w.index, 1u << w.index, w.ownEpoch, w.floor, pcOf(w, i)};
  if (contiguous && exec == ~0u) {
    u32 length = 32 * bytes, unit = static_cast<u32>(at[0] >> s.shift), count = length >> s.shift;
    if (!(flight && anyInFlight(view.inFlight + at[0], length)) &&
        (!races || (isWrite ? writeRun<0>(actor, view, unit, count) : readRun<0>(actor, view, unit, count)))) {
      return;
    }
  }
  u32 slow = 0;
  // The width is known in the usual cases, so that the loops over it vanish.
  auto each = [&](auto width) {
    constexpr u32 words = decltype(width)::value;
    for (u32 rest = exec; rest; rest &= rest - 1) {
      u32 l = static_cast<u32>(__builtin_ctz(rest)), unit = static_cast<u32>(at[l] >> s.shift);
      bool ok = !(flight && anyInFlight(view.inFlight + at[l], words ? 4 * words : bytes));
      if (ok && races) {
        ok = isWrite ? writeRun<words>(actor, view, unit, bytes >> s.shift)
                     : readRun<words>(actor, view, unit, bytes >> s.shift);
      }
      slow |= static_cast<u32>(!ok) << l;
    }
  };
  if (s.shift == 2 && bytes == 16) {
    each(Known<4>());
  } else if (s.shift == 2 && bytes == 4) {
    each(Known<1>());
  } else {
    each(Known<0>());
  }
  if (slow) {
    checkShared(w, i, slow, at, bytes, isWrite, false);
  }
}

/// Stamps of global memory, from the first unit of a run on (GlobalRaces.cpp).
struct GlobalView {
  u32 *writers, *strong, *readers, *pcs;
  GlobalView(const DeviceMemory &m, u64 unit)
      : writers(m.writers + unit), strong(m.strongWriters + unit), readers(m.readers + unit), pcs(m.writerPcs + unit) {}
};

struct GlobalActor {
  u32 base, mine, several, pc;
  bool hasStrong; // the program has atomics or volatile accesses
  bool isFirst;   // the CTA is in its first epoch, so that another stamp is another CTA
};

template <u32 Count> inline bool anyStrong(const GlobalActor &x, const u32 *__restrict strong, u32 counted) {
  return anyUnit<Count>(
      counted, [&](u32 k) { return static_cast<u32>(strong[k] > x.base) & static_cast<u32>(strong[k] != x.mine); });
}

/// False when the run needs the slow path; then nothing has changed. Count 0: not known when compiling.
template <u32 Count> inline bool readUnits(const GlobalActor &x, const GlobalView &v, u32 counted) {
  u32 n = Count ? Count : counted, base = x.base, mine = x.mine, several = x.several, strict = x.isFirst ? 0 : ~0u;
  const u32 *__restrict writers = v.writers;
  u32 *__restrict readers = v.readers;
  bool bad = anyUnit<Count>(n, [&](u32 k) {
    return (static_cast<u32>(writers[k] > base) & static_cast<u32>(writers[k] != mine)) |
           (static_cast<u32>(readers[k] > base) & static_cast<u32>(readers[k] != mine) &
            static_cast<u32>(readers[k] != several) & strict);
  });
  if (bad || (x.hasStrong && anyStrong<Count>(x, v.strong, n))) {
    return false;
  }
  PAVAGE_LANES
  for (u32 k = 0; k < n; ++k) {
    readers[k] = readers[k] <= base || readers[k] == mine ? mine : several;
  }
  return true;
}

template <u32 Count> inline bool writeUnits(const GlobalActor &x, const GlobalView &v, u32 counted) {
  u32 n = Count ? Count : counted, base = x.base, mine = x.mine, pc = x.pc;
  u32 *__restrict writers = v.writers, *__restrict pcs = v.pcs;
  const u32 *__restrict readers = v.readers;
  bool bad = anyUnit<Count>(n, [&](u32 k) {
    return (static_cast<u32>(writers[k] > base) & static_cast<u32>(writers[k] != mine)) |
           (static_cast<u32>(readers[k] > base) & static_cast<u32>(readers[k] != mine));
  });
  if (bad || (x.hasStrong && anyStrong<Count>(x, v.strong, n))) {
    return false;
  }
  PAVAGE_LANES
  for (u32 k = 0; k < n; ++k) {
    writers[k] = mine;
    pcs[k] = pc;
  }
  return true;
}

/// Global memory: races between CTAs.
inline void checkGlobalLanes(Warp &w, const DInst &i, const MemInfo &m, u32 exec, const u64 *at, u32 bytes,
                             bool isWrite, bool contiguous) {
  Launch &launch = *w.cta->launch;
  if (launch.raceBase == ~0u || launch.ctas == 1) {
    return;
  }
  DeviceMemory &memory = *launch.memory;
  u32 shift = memory.raceShift;
  Cta &cta = *w.cta;
  if (m.isVolatile || m.acquire || m.release || (bytes >> shift) == 0) {
    checkGlobal(w, i, m, exec, at, bytes, isWrite, false);
    return;
  }
  if (cta.stampEpoch != cta.epoch) {
    renewStamp(cta);
  }
  GlobalActor actor = {launch.raceBase,    cta.stamp, launch.several(), pcOf(w, i), launch.program->hasStrongAccesses,
                       cta.stampEpoch == 1};
  if (contiguous && exec == ~0u) {
    GlobalView view(memory, memory.raceUnit(at[0]));
    u32 count = (32 * bytes) >> shift;
    if (isWrite ? writeUnits<0>(actor, view, count) : readUnits<0>(actor, view, count)) {
      return;
    }
  }
  // Lanes whose accesses follow each other make one run.
  u32 slow = 0, units = bytes >> shift;
  for (u32 l = 0; l < 32;) {
    if (!((exec >> l) & 1)) {
      ++l;
      continue;
    }
    u32 end = l + 1;
    while (end < 32 && ((exec >> end) & 1) && at[end] == at[end - 1] + bytes) {
      ++end;
    }
    GlobalView view(memory, memory.raceUnit(at[l]));
    u32 count = (end - l) * units;
    bool ok = count == 4   ? (isWrite ? writeUnits<4>(actor, view, 4) : readUnits<4>(actor, view, 4))
              : count == 1 ? (isWrite ? writeUnits<1>(actor, view, 1) : readUnits<1>(actor, view, 1))
              : isWrite    ? writeUnits<0>(actor, view, count)
                           : readUnits<0>(actor, view, count);
    u32 lanes = static_cast<u32>(((u64(1) << end) - 1) & ~((u64(1) << l) - 1));
    slow |= ok ? 0 : lanes & exec;
    l = end;
  }
  if (slow) {
    checkGlobal(w, i, m, slow, at, bytes, isWrite, false);
  }
}

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

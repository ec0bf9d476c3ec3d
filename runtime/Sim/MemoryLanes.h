// What loads, stores and atomics over 32 lanes share. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of lanes that are masked off are replaced by that of the first active lane, so that minimum, maximum
// and gathers run over all 32 lanes without a mask.
#pragma once

#include "runtime/Sim/Checks.h"
#include "runtime/Sim/Extents.h"
#include "runtime/Sim/Lanes.h"
#include "runtime/Sim/ShadowLanes.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

struct alignas(64) Addresses {
  u64 at[32];
};

inline u32 firstLane(u32 exec) { return static_cast<u32>(__builtin_ctz(exec)); }

inline void fillInactive(Addresses &x, u32 exec) {
  if (exec == ~0u) {
    return;
  }
  u64 first = x.at[firstLane(exec)];
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    x.at[l] = (exec >> l) & 1 ? x.at[l] : first;
  }
}

inline void computeAddresses(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  if (m.addressBytes == 8) {
    const u64 *a = reg<u64>(w, i.a);
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      x.at[l] = a[l] + i.imm;
    }
  } else {
    const u32 *a = reg<u32>(w, i.a);
    u32 offset = static_cast<u32>(i.imm);
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      x.at[l] = a[l] + offset; // wraps at 32 bits, as the hardware does
    }
  }
  fillInactive(x, exec);
}

struct Extent {
  u64 low, high, any; // least and greatest address, all address bits or-ed
};

inline Extent extentOf(const Addresses &x) {
  u64 low = ~u64(0), high = 0, any = 0;
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    low = x.at[l] < low ? x.at[l] : low;
    high = x.at[l] > high ? x.at[l] : high;
    any |= x.at[l];
  }
  return {low, high, any};
}

/// Lane l reads the bytes right after those of lane l - 1.
inline bool isContiguous(const Addresses &x, u32 bytes) {
  u64 first = x.at[0], wrong = 0;
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    wrong |= x.at[l] ^ (first + u64(l) * bytes);
  }
  return wrong == 0;
}

/// Distinct 32-byte sectors; no access crosses one, since accesses are aligned.
inline u32 countSectors(const Addresses &x, u32 bytes) {
  u64 s[32];
  u32 changes = 0, down = 0;
  for (u32 l = 0; l < 32; ++l) {
    s[l] = x.at[l] >> 5;
  }
  PAVAGE_LANES
  for (u32 l = 1; l < 32; ++l) {
    changes += s[l] != s[l - 1];
    down |= s[l] < s[l - 1];
  }
  if (!down) {
    return changes + 1;
  }
  u32 distinct = 0;
  for (u32 l = 0; l < 32; ++l) {
    u32 seen = 0;
    PAVAGE_LANES
    for (u32 k = 0; k < 32; ++k) {
      seen |= static_cast<u32>(k < l && s[k] == s[l]);
    }
    distinct += seen == 0;
  }
  return distinct;
}

inline void countGlobal(Warp &w, const DInst &i, u32 exec, const Addresses &x, const Extent &e, u32 bytes,
                        bool contiguous) {
  LineCount &c = w.counts[pcOf(w, i)];
  u32 lanes = static_cast<u32>(__builtin_popcount(exec));
  u32 sectors = contiguous ? static_cast<u32>(((e.high + bytes - 1) >> 5) - (e.low >> 5) + 1) : countSectors(x, bytes);
  u32 ideal = (lanes * bytes + 31) / 32;
  ++c.requests;
  c.lanes += lanes;
  c.sectors += sectors;
  c.sectorsIdeal += ideal < sectors ? ideal : sectors;
}

/// Bank passes beyond the least for a warp access of `bytes` per lane: 32 banks of four bytes; 8-byte accesses go by
/// half warps and 16-byte ones by quarter warps. Lanes that read the same word share a pass.
inline u32 bankConflicts(const Addresses &x, u32 exec, u32 bytes) {
  u32 wordsPerLane = bytes > 4 ? bytes / 4 : 1;
  u32 lanesPerPhase = wordsPerLane >= 4 ? 8 : wordsPerLane == 2 ? 16 : 32;
  u32 unit = bytes > 4 ? bytes : 4;
  u32 groups = 128 / unit, extra = 0;
  for (u32 start = 0; start < 32; start += lanesPerPhase) {
    u32 lanes = (exec >> start) & (lanesPerPhase == 32 ? ~0u : (1u << lanesPerPhase) - 1);
    if (!lanes) {
      continue;
    }
    // Distinct groups: no conflict.
    u32 seen = 0;
    for (u32 l = 0; l < lanesPerPhase; ++l) {
      u32 group = static_cast<u32>(x.at[start + l] / unit) & (groups - 1);
      seen |= ((lanes >> l) & 1) << group;
    }
    if (__builtin_popcount(seen) == __builtin_popcount(lanes)) {
      continue;
    }
    // Distinct units of every group.
    u8 head[32], next[32], count[32];
    for (u32 g = 0; g < groups; ++g) {
      head[g] = 255;
      count[g] = 0;
    }
    u32 most = 1;
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      u32 l = static_cast<u32>(__builtin_ctz(rest));
      u64 mine = x.at[start + l] / unit;
      u32 group = static_cast<u32>(mine) & (groups - 1);
      u32 at = head[group];
      while (at != 255 && x.at[start + at] / unit != mine) {
        at = next[at];
      }
      if (at == 255) {
        next[l] = head[group];
        head[group] = static_cast<u8>(l);
        most = ++count[group] > most ? count[group] : most;
      }
    }
    extra += most - 1;
  }
  return extra;
}

inline void countShared(Warp &w, const DInst &i, u32 exec, const Addresses &x, u32 bytes, bool contiguous) {
  LineCount &c = w.counts[pcOf(w, i)];
  ++c.requests;
  c.lanes += static_cast<u32>(__builtin_popcount(exec));
  if (!contiguous && (exec & (exec - 1))) {
    c.conflicts += bankConflicts(x, exec, bytes);
  }
}

/// Reports lanes whose address was computed from undefined values.
inline void checkAddressDefined(Warp &w, const DInst &i, u32 exec) {
  if ((w.checks & bit(Kind::Uninit)) && (w.def[i.a / granuleBytes] & exec) != exec) {
    reportUndefined(w, i, "an address");
    w.def[i.a / granuleBytes] |= exec; // once is enough
  }
}

/// Splits a global access by allocation, drops lanes that fault, and runs `core(exec, addresses, extent, delta,
/// defined)` for each piece; `defined` is null, or the defined byte of the piece's lowest possible address `cache.lo`.
template <class Core>
inline void globalAccess(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x, u32 bytes, bool isWrite,
                         Core core) {
  MemCache &cache = w.cache[m.id];
  Extent e = extentOf(x);
  if (e.any & (bytes - 1)) [[unlikely]] {
    u32 bad = reportMisaligned(w, i, exec, x.at, bytes, isWrite);
    exec &= ~bad;
    if (!exec) {
      return;
    }
    fillInactive(x, exec);
    e = extentOf(x);
  }
  if (e.low >= cache.lo && e.high + bytes <= cache.hi && e.high < cache.hi) [[likely]] {
    if (cache.logical) [[unlikely]] {
      checkExtents(w, i, exec, x.at, bytes, isWrite, cache.logical, cache.lo);
    }
    core(exec, x, e, cache.delta, cache.defined, cache.lo);
    return;
  }
  for (u32 rest = exec; rest;) {
    u32 l = firstLane(rest);
    if (!findAllocation(w, x.at[l], bytes, isWrite, cache)) {
      u32 bad = reportFault(w, i, rest, x.at, bytes, isWrite);
      rest &= ~bad;
      continue;
    }
    u32 piece = 0;
    for (u32 k = 0; k < 32; ++k) {
      bool inside = x.at[k] >= cache.lo && x.at[k] < cache.hi && cache.hi - x.at[k] >= bytes;
      piece |= static_cast<u32>(inside) << k;
    }
    piece &= rest;
    rest &= ~piece;
    if (cache.logical) {
      checkExtents(w, i, piece, x.at, bytes, isWrite, cache.logical, cache.lo);
    }
    Addresses part = x;
    fillInactive(part, piece);
    core(piece, part, extentOf(part), cache.delta, cache.defined, cache.lo);
  }
}

/// Bounds and alignment of a shared access; returns the lanes that may go on.
inline u32 sharedBounds(Warp &w, const DInst &i, u32 exec, Addresses &x, u32 bytes, bool isWrite) {
  Extent e = extentOf(x);
  if (e.high < w.sharedBytes && e.high + bytes <= w.sharedBytes && (e.any & (bytes - 1)) == 0) [[likely]] {
    return exec;
  }
  exec &= ~reportSharedFault(w, i, exec, x.at, bytes, isWrite);
  if (exec) {
    fillInactive(x, exec);
  }
  return exec;
}

/// All `bytes` bytes of every lane are defined: the mask of lanes.
inline u32 definedLanes(const u8 *defined, const Addresses &x, u64 base, u32 bytes, bool contiguous) {
  if (contiguous) {
    const u8 *p = defined + (x.at[0] - base);
    u32 n = 32 * bytes;
    u8 all = 1;
    for (u32 k = 0; k < n; ++k) {
      all &= p[k];
    }
    if (all) {
      return ~0u;
    }
  }
  u32 mask = 0;
  for (u32 l = 0; l < 32; ++l) {
    const u8 *p = defined + (x.at[l] - base);
    u8 all = 1;
    for (u32 k = 0; k < bytes; ++k) {
      all &= p[k];
    }
    mask |= u32(all & 1) << l;
  }
  return mask;
}

inline void markDefined(u8 *defined, const Addresses &x, u64 base, u32 bytes, u32 exec, u32 valid, bool contiguous) {
  if (contiguous && exec == ~0u && valid == ~0u) {
    std::memset(defined + (x.at[0] - base), 1, size_t(32) * bytes);
    return;
  }
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = firstLane(rest);
    std::memset(defined + (x.at[l] - base), (valid >> l) & 1, bytes);
  }
}

inline void setDefined(Warp &w, u32 offset, u32 lanes, u32 exec) {
  u32 &d = w.def[offset / granuleBytes];
  d = (d & ~exec) | (lanes & exec);
}

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

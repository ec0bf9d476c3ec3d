// cp.async and its groups. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy is in flight until its thread has waited for it, whenever the bytes may have arrived: eager copies them at
// once, lazy as late as the rules allow (and poisons the destination until then), random decides per instruction.
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/Extents.h"
#include "runtime/Sim/LaneRaces.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

constexpr u32 shadowChecks = bit(Kind::AsyncRead) | bit(Kind::RaceShared);

/// Moves full copies of lanes; Bytes is known, so that each is one or two instructions.
template <u32 Bytes> void copyFull(Warp &w, const AsyncCopy &c, u32 lanes) {
  const u8 *base = w.cta->launch->memory->host(deviceBase);
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    std::memcpy(w.shared + c.to[l], base + (c.from[l] - deviceBase), Bytes);
  }
}
template <u32 Bytes> void fillLanes(u8 *base, const AsyncCopy &c, u32 lanes, u8 value) {
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    std::memset(base + c.to[__builtin_ctz(rest)], value, Bytes);
  }
}
void fill(u8 *base, const AsyncCopy &c, u32 lanes, u8 value) {
  c.bytes == 16  ? fillLanes<16>(base, c, lanes, value)
  : c.bytes == 8 ? fillLanes<8>(base, c, lanes, value)
                 : fillLanes<4>(base, c, lanes, value);
}

/// Moves the bytes of the lanes.
void copyBytes(Warp &w, const AsyncCopy &c, u32 lanes) {
  if (c.isFull) {
    c.bytes == 16 ? copyFull<16>(w, c, lanes) : c.bytes == 8 ? copyFull<8>(w, c, lanes) : copyFull<4>(w, c, lanes);
    if (!(w.checks & bit(Kind::Uninit))) {
      return;
    }
    fill(w.sharedDefined, c, lanes, 1);
    Allocation *a = w.cta->launch->memory->find(c.from[__builtin_ctz(lanes)]);
    bool one = a != nullptr;
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      one = one && w.cta->launch->memory->contains(*a, c.from[__builtin_ctz(rest)], c.bytes);
    }
    if (one && !a->defined) {
      return;
    }
  }
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    u8 *to = w.shared + c.to[l];
    u32 n = c.sourceBytes[l];
    if (n) {
      std::memcpy(to, w.cta->launch->memory->host(c.from[l]), n);
    }
    std::memset(to + n, 0, c.bytes - n);
    std::memset(w.sharedDefined + c.to[l], 1, c.bytes);
    if (n && (w.checks & bit(Kind::Uninit))) {
      Allocation *a = w.cta->launch->memory->find(c.from[l]);
      if (a && a->defined) {
        std::memcpy(w.sharedDefined + c.to[l], a->defined + (c.from[l] - a->base), n);
      }
    }
  }
}

void commitGroup(Warp &w, const DInst &, u32 exec) {
  for (u32 l = 0; l < 32; ++l) {
    w.openGroup[l] += (exec >> l) & 1;
  }
}

void waitGroup(Warp &w, const DInst &i, u32 exec) {
  completeCopies(w, exec, false, ~u64(0), static_cast<u32>(std::min<u64>(i.imm, 1u << 30)), w.clock[w.index]);
}

void waitAll(Warp &w, const DInst &, u32 exec) {
  for (u32 l = 0; l < 32; ++l) {
    w.openGroup[l] += (exec >> l) & 1;
  }
  completeCopies(w, exec, true, ~u64(0), 0, w.clock[w.index]);
}

const HandlerRow rows[] = {
    {"cp.commit_group", &commitGroup},
    {"cp.wait_group", &waitGroup},
    {"cp.wait_all", &waitAll},
};

} // namespace

AsyncCopy &addCopy(Warp &w) {
  w.copies.emplace_back();
  return w.copies.back();
}

u32 checkCopySources(Warp &w, const DInst &i, const CopyInfo &info, u32 reads, const u64 *from, const u32 *sizes) {
  MemCache &cache = w.cache[info.from.id];
  u32 valid = reads & ~reportMisaligned(w, i, reads, from, info.from.elementBytes, false);
  for (u32 rest = valid; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    bool inside = from[l] >= cache.lo && from[l] < cache.hi && from[l] + sizes[l] <= cache.hi;
    if (!inside && !findAllocation(w, from[l], sizes[l], false, cache)) {
      u64 same[32];
      std::fill(same, same + 32, from[l]);
      reportFault(w, i, 1u << l, same, sizes[l], false);
      valid &= ~(1u << l);
    } else if (cache.logical && sizes[l]) {
      checkExtents(w, i, 1u << l, from, sizes[l], false, cache.logical, cache.lo);
    }
  }
  return valid;
}

void launchCopy(Warp &w, AsyncCopy &c) {
  c.serial = w.copySerial++;
  AsyncMode mode = w.cta->launch->options.async;
  c.isCopied = mode == AsyncMode::Eager || (mode == AsyncMode::Random && (w.cta->worker->random() & 1));
  if (c.isCopied) {
    copyBytes(w, c, c.mask);
  } else {
    fill(w.shared, c, c.mask, 0xff);
    if (w.checks & bit(Kind::Uninit)) {
      fill(w.sharedDefined, c, c.mask, 1);
    }
  }
  if (w.checks & shadowChecks) {
    fill(w.cta->shadow.inFlight.data(), c, c.mask, static_cast<u8>(1 + w.index));
    for (u32 rest = c.mask; rest; rest &= rest - 1) {
      w.cta->shadow.flightPc[c.to[__builtin_ctz(rest)] / 4] = c.pc;
    }
    w.cta->inFlight += c.bytes * static_cast<u32>(__builtin_popcount(c.mask));
  }
}

Table asyncTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

void completeCopies(Warp &w, u32 lanes, bool all, u64 serialLimit, u32 keepGroups, u32 epoch) {
  SharedShadow &shadow = w.cta->shadow;
  bool races = w.checks & bit(Kind::RaceShared);
  size_t kept = 0;
  for (size_t k = 0; k < w.copies.size(); ++k) {
    AsyncCopy &c = w.copies[k];
    u32 done = 0;
    if (c.serial < serialLimit) {
      for (u32 l = 0; l < 32; ++l) {
        done |= static_cast<u32>(all || c.group[l] + keepGroups < w.openGroup[l]) << l;
      }
      done &= c.mask & lanes;
    }
    if (done) {
      if (!c.isCopied) {
        copyBytes(w, c, done);
      }
      if (w.checks & shadowChecks) {
        fill(shadow.inFlight.data(), c, done, 0);
        w.cta->inFlight -= c.bytes * static_cast<u32>(__builtin_popcount(done));
      }
      if (races && epoch) {
        noteCopies(w, c.pc, done, c.to, c.bytes);
      }
      for (u32 rest = races && epoch ? done : 0; rest; rest &= rest - 1) {
        // To the others it is as if the thread wrote now.
        u32 l = static_cast<u32>(__builtin_ctz(rest));
        for (u32 u = c.to[l] >> shadow.shift, end = (c.to[l] + c.bytes) >> shadow.shift; u < end; ++u) {
          shadow.write[u] = (w.index << 26) | (epoch & 0x3ffffff);
          shadow.writePc[u] = c.pc;
        }
      }
      c.mask &= ~done;
    }
    if (c.mask) {
      if (kept != k) {
        w.copies[kept] = c;
      }
      ++kept;
    }
  }
  w.copies.resize(kept);
}

} // namespace pavage::sim

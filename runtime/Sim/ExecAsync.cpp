// cp.async and its groups. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy is in flight until its thread has waited for it, whenever the bytes may have arrived: eager copies them at
// once, lazy as late as the rules allow (and poisons the destination until then), random decides per instruction.
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

template <class T> T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }

u64 addressOf(Warp &w, u32 offset, const MemInfo &m, u64 add, u32 lane) {
  return m.addressBytes == 8 ? reg<u64>(w, offset)[lane] + add : u64(reg<u32>(w, offset)[lane] + static_cast<u32>(add));
}

/// Moves the bytes of the lanes.
void copyBytes(Warp &w, const AsyncCopy &c, u32 lanes) {
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

void startCopy(Warp &w, const DInst &i, u32 exec) {
  const CopyInfo &info = *static_cast<const CopyInfo *>(i.extra);
  u32 bytes = info.to.elementBytes;
  AsyncCopy c;
  c.pc = pcOf(w, i);
  c.bytes = bytes;
  u64 to[32], from[32];
  u32 first = static_cast<u32>(__builtin_ctz(exec));
  if (w.checks & bit(Kind::Uninit)) {
    if ((w.def[i.a / granuleBytes] & w.def[i.b / granuleBytes] & w.def[i.c / granuleBytes] & exec) != exec) {
      reportUndefined(w, i, "an address or a size");
    }
  }
  u32 reads = 0;
  for (u32 l = 0; l < 32; ++l) {
    u32 k = (exec >> l) & 1 ? l : first;
    to[l] = addressOf(w, i.a, info.to, i.imm, k);
    from[l] = addressOf(w, i.b, info.from, info.fromOffset, k);
    u32 n = i.sub == 1 ? reg<u32>(w, i.c)[k] : bytes;
    if (i.sub == 2 && ((*reg<u32>(w, i.c) >> k) & 1)) {
      n = 0;
    }
    if (n > bytes) {
      report(w, i, Kind::Oob,
             "source size " + std::to_string(n) + " is larger than the copy of " + std::to_string(bytes) + " bytes");
      n = bytes;
    }
    c.sourceBytes[l] = n;
    reads |= static_cast<u32>(n != 0) << l;
  }
  reads &= exec;
  // Destinations.
  u32 bad = 0;
  for (u32 l = 0; l < 32; ++l) {
    bool wrong = to[l] + bytes > w.sharedBytes || to[l] >= w.sharedBytes || (to[l] & (bytes - 1));
    bad |= static_cast<u32>(wrong) << l;
  }
  if (bad & exec) {
    bad = reportSharedFault(w, i, exec, to, bytes, true);
    exec &= ~bad;
    reads &= exec;
    if (!exec) {
      return;
    }
    first = static_cast<u32>(__builtin_ctz(exec));
  }
  // Sources, by allocation.
  LineCount &count = w.counts[c.pc];
  MemCache &cache = w.cache[info.from.id];
  u64 low = ~u64(0), high = 0, any = 0;
  for (u32 rest = reads; rest; rest &= rest - 1) {
    u64 at = from[__builtin_ctz(rest)];
    low = std::min(low, at);
    high = std::max(high, at);
    any |= at;
  }
  if (reads) {
    if (any & (bytes - 1)) {
      u32 wrong = reportMisaligned(w, i, reads, from, bytes, false);
      exec &= ~wrong;
      reads &= ~wrong;
    }
    if (reads && !(low >= cache.lo && high < cache.hi && high + bytes <= cache.hi)) {
      for (u32 rest = reads; rest; rest &= rest - 1) {
        u32 l = static_cast<u32>(__builtin_ctz(rest));
        bool inside = from[l] >= cache.lo && from[l] < cache.hi && from[l] + c.sourceBytes[l] <= cache.hi;
        if (!inside && !findAllocation(w, from[l], c.sourceBytes[l], false, cache)) {
          u64 same[32];
          std::fill(same, same + 32, from[l]);
          reportFault(w, i, 1u << l, same, c.sourceBytes[l], false);
          exec &= ~(1u << l);
          reads &= ~(1u << l);
        }
      }
    }
    u64 sectors[32];
    u32 distinct = 0;
    for (u32 rest = reads; rest; rest &= rest - 1) {
      sectors[distinct++] = from[__builtin_ctz(rest)] >> 5;
    }
    u32 lanes = distinct;
    std::sort(sectors, sectors + distinct);
    distinct = static_cast<u32>(std::unique(sectors, sectors + distinct) - sectors);
    ++count.requests;
    count.lanes += lanes;
    count.sectors += distinct;
    count.sectorsIdeal += std::min(distinct, (lanes * bytes + 31) / 32);
    if (reads && (w.checks & bit(Kind::RaceGlobal))) {
      checkGlobal(w, i, info.from, reads, from, bytes, false, false);
    }
  }
  if (!exec) {
    return;
  }
  if (w.checks & sharedChecks) {
    checkShared(w, i, exec, to, bytes, true, false);
  }
  for (u32 l = 0; l < 32; ++l) {
    c.to[l] = static_cast<u32>(to[l]);
    c.from[l] = from[l];
    c.group[l] = w.openGroup[l];
  }
  c.mask = exec;
  c.serial = w.copySerial++;
  AsyncMode mode = w.cta->launch->options.async;
  c.isCopied = mode == AsyncMode::Eager || (mode == AsyncMode::Random && (w.cta->worker->random() & 1));
  if (c.isCopied) {
    copyBytes(w, c, exec);
  }
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    if (!c.isCopied) {
      std::memset(w.shared + c.to[l], 0xff, bytes);
      std::memset(w.sharedDefined + c.to[l], 1, bytes);
    }
    std::memset(w.cta->shadow.inFlight.data() + c.to[l], static_cast<int>(1 + w.index), bytes);
    w.cta->shadow.flightPc[c.to[l] / 4] = c.pc;
    w.cta->inFlight += bytes;
  }
  w.copies.push_back(c);
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
    {"cp.async", &startCopy},
    {"cp.commit_group", &commitGroup},
    {"cp.wait_group", &waitGroup},
    {"cp.wait_all", &waitAll},
};

} // namespace

Table asyncTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

void completeCopies(Warp &w, u32 lanes, bool all, u64 serialLimit, u32 keepGroups, u32 epoch) {
  SharedShadow &shadow = w.cta->shadow;
  bool races = w.checks & bit(Kind::RaceShared);
  size_t kept = 0;
  for (size_t k = 0; k < w.copies.size(); ++k) {
    AsyncCopy &c = w.copies[k];
    u32 done = 0;
    if (c.serial < serialLimit) {
      for (u32 rest = c.mask & lanes; rest; rest &= rest - 1) {
        u32 l = static_cast<u32>(__builtin_ctz(rest));
        bool isDone = all || u64(c.group[l]) + keepGroups < w.openGroup[l];
        done |= static_cast<u32>(isDone) << l;
      }
    }
    if (done) {
      if (!c.isCopied) {
        copyBytes(w, c, done);
      }
      for (u32 rest = done; rest; rest &= rest - 1) {
        u32 l = static_cast<u32>(__builtin_ctz(rest));
        std::memset(shadow.inFlight.data() + c.to[l], 0, c.bytes);
        w.cta->inFlight -= c.bytes;
        if (races && epoch) {
          // To the others it is as if the thread wrote now.
          for (u32 u = c.to[l] >> shadow.shift, end = (c.to[l] + c.bytes) >> shadow.shift; u < end; ++u) {
            shadow.write[u] = (w.index << 26) | (epoch & 0x3ffffff);
            shadow.writePc[u] = c.pc;
          }
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

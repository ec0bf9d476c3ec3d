// Starting a cp.async for 32 lanes; what happens later is in ExecAsync.cpp. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Sim/MemoryLanes.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

inline void addressesAt(Warp &w, u32 offset, const MemInfo &m, u64 add, u32 exec, Addresses &x) {
  if (m.addressBytes == 8) {
    const u64 *a = reg<u64>(w, offset);
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      x.at[l] = a[l] + add;
    }
  } else {
    const u32 *a = reg<u32>(w, offset);
    u32 add32 = static_cast<u32>(add);
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      x.at[l] = a[l] + add32;
    }
  }
  fillInactive(x, exec);
}

/// sub: 0 plain, 1 source size in c, 2 ignore-source predicate in c.
void startCopy(Warp &w, const DInst &i, u32 exec) {
  const CopyInfo &info = *static_cast<const CopyInfo *>(i.extra);
  u32 bytes = info.to.elementBytes;
  if (w.checks & bit(Kind::Uninit)) {
    u32 valid = w.def[i.a / granuleBytes] & w.def[i.b / granuleBytes] & w.def[i.c / granuleBytes];
    if ((valid & exec) != exec) {
      reportUndefined(w, i, "an address or a size");
    }
  }
  alignas(64) u32 sizes[32];
  u32 reads = exec;
  bool isFull = true;
  if (i.sub == 1) {
    const u32 *n = reg<u32>(w, i.c);
    u32 none = 0, partial = 0, large = 0;
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      none |= static_cast<u32>(n[l] == 0) << l;
      partial |= static_cast<u32>(n[l] != bytes) << l;
      large |= static_cast<u32>(n[l] > bytes) << l;
      sizes[l] = n[l] > bytes ? bytes : n[l];
    }
    if (large & exec) {
      report(w, i, Kind::Oob, "the source size is larger than the copy");
    }
    reads &= ~none;
    isFull = !(partial & exec);
  } else {
    u32 ignored = i.sub == 2 ? mask(w, i.c) : 0;
    for (u32 l = 0; l < 32; ++l) {
      sizes[l] = (ignored >> l) & 1 ? 0 : bytes;
    }
    reads &= ~ignored;
    isFull = !(ignored & exec);
  }
  Addresses to;
  addressesAt(w, i.a, info.to, i.imm, exec, to);
  u32 allowed = sharedBounds(w, i, exec, to, bytes, true);
  exec &= allowed;
  reads &= allowed;
  Addresses from = to;
  if (reads) {
    addressesAt(w, i.b, info.from, info.fromOffset, reads, from);
    Extent e = extentOf(from);
    const MemCache &cache = w.cache[info.from.id];
    if ((e.any & (bytes - 1)) || e.low < cache.lo || e.high >= cache.hi || e.high + bytes > cache.hi || cache.logical) {
      u32 valid = checkCopySources(w, i, info, reads, from.at, sizes);
      exec &= ~(reads & ~valid);
      reads = valid;
      if (reads) {
        fillInactive(from, reads);
      }
    }
    if (reads) {
      LineCount &count = w.counts[pcOf(w, i)];
      u32 lanes = static_cast<u32>(__builtin_popcount(reads)), sectors = countSectors(from, bytes),
          ideal = (lanes * bytes + 31) / 32;
      ++count.requests;
      count.lanes += lanes;
      count.sectors += sectors;
      count.sectorsIdeal += ideal < sectors ? ideal : sectors;
      if (w.checks & bit(Kind::RaceGlobal)) {
        checkGlobalLanes(w, i, info.from, reads, from.at, bytes, false, false);
      }
    }
  }
  if (!exec) {
    return;
  }
  if (w.checks & sharedChecks) {
    checkSharedLanes(w, i, exec, to.at, bytes, true, false, exec == ~0u && isContiguous(to, bytes));
  }
  AsyncCopy &c = addCopy(w);
  c.pc = pcOf(w, i);
  c.bytes = bytes;
  c.mask = exec;
  c.isFull = isFull;
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    c.to[l] = static_cast<u32>(to.at[l]);
    c.from[l] = from.at[l];
    c.group[l] = w.openGroup[l];
    c.sourceBytes[l] = sizes[l];
  }
  launchCopy(w, c);
}

const HandlerRow rows[] = {{"cp.async", &startCopy}};

} // namespace

Table asyncLanesTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

// Atomics, reductions on memory, and order among CTAs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes go one after the other, lowest first, so that a run repeats. Global atomics are real ones, since CTAs may run
// on several host threads.
#include "runtime/Sim/AtomicCounts.h"
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/Extents.h"
#include "runtime/Sim/Floats.h"
#include "runtime/Sim/LaneRaces.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

template <class T> T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }

/// The new value in memory. T is unsigned; S its signed twin.
template <class T, class S> T combine(AtomOp op, Ty type, T old, T b, T c) {
  switch (op) {
  case AtomOp::And:
    return old & b;
  case AtomOp::Or:
    return old | b;
  case AtomOp::Xor:
    return old ^ b;
  case AtomOp::Exch:
    return b;
  case AtomOp::Cas:
    return old == b ? c : old;
  case AtomOp::Min:
    return isSigned(type) ? (static_cast<S>(b) < static_cast<S>(old) ? b : old) : std::min(old, b);
  case AtomOp::Max:
    return isSigned(type) ? (static_cast<S>(b) > static_cast<S>(old) ? b : old) : std::max(old, b);
  case AtomOp::Inc:
    return old >= b ? T(0) : static_cast<T>(old + 1);
  case AtomOp::Dec:
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  case AtomOp::Add:
    break;
  }
  if constexpr (sizeof(T) == 8) {
    return type == Ty::F64 ? bits<u64>(canonical(bits<double>(old) + bits<double>(b))) : old + b;
  } else if constexpr (sizeof(T) == 4) {
    auto half = [](u16 x, u16 y) { return toHalf(fromHalf(x) + fromHalf(y)); };
    auto brain = [](u16 x, u16 y) { return toBf(fromBf(x) + fromBf(y)); };
    u16 ol = static_cast<u16>(old), oh = static_cast<u16>(old >> 16), bl = static_cast<u16>(b),
        bh = static_cast<u16>(b >> 16);
    switch (type) {
    case Ty::F32:
      // The hardware flushes subnormals in global memory; results here keep them, which tests must not rely on.
      return bits<u32>(canonical(bits<float>(old) + bits<float>(b)));
    case Ty::F16x2:
      return (u32(half(oh, bh)) << 16) | half(ol, bl);
    case Ty::BF16x2:
      return (u32(brain(oh, bh)) << 16) | brain(ol, bl);
    default:
      return old + b;
    }
  } else {
    return type == Ty::F16    ? toHalf(fromHalf(old) + fromHalf(b))
           : type == Ty::BF16 ? toBf(fromBf(old) + fromBf(b))
                              : static_cast<T>(old + b);
  }
}

template <class T, class S> void lane(Warp &w, const DInst &i, const AtomInfo &a, u8 *at, u32 l, bool isShared) {
  T b = reg<T>(w, i.b)[l], c = reg<T>(w, i.c)[l], old;
  T *p = reinterpret_cast<T *>(at);
  if (isShared) {
    old = *p;
    *p = combine<T, S>(a.op, a.type, old, b, c);
  } else {
    old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(p, &old, combine<T, S>(a.op, a.type, old, b, c), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
  }
  if (a.hasResult) {
    reg<T>(w, i.d)[l] = old;
  }
}

/// exch and cas of 16 bytes; CTAs on other host threads are kept out, since hosts differ in what they do at once.
void wideLane(Warp &w, const DInst &i, const AtomInfo &a, u8 *at, u32 l) {
  using u128 = unsigned __int128;
  u128 b = reg<u128>(w, i.b)[l], c = reg<u128>(w, i.c)[l], old;
  std::lock_guard<std::mutex> guard(w.cta->launch->lock);
  std::memcpy(&old, at, sizeof old);
  u128 value = a.op == AtomOp::Cas ? (old == b ? c : old) : b;
  std::memcpy(at, &value, sizeof value);
  if (a.hasResult) {
    reg<u128>(w, i.d)[l] = old;
  }
}

void oneLane(Warp &w, const DInst &i, const AtomInfo &a, u8 *at, u32 l, bool isShared) {
  switch (a.mem.elementBytes) {
  case 2:
    return lane<u16, i16>(w, i, a, at, l, isShared);
  case 4:
    return lane<u32, i32>(w, i, a, at, l, isShared);
  case 16:
    return wideLane(w, i, a, at, l);
  default:
    return lane<u64, i64>(w, i, a, at, l, isShared);
  }
}

void gatherAddresses(Warp &w, const DInst &i, const MemInfo &m, u32 exec, u64 *address) {
  u32 first = static_cast<u32>(__builtin_ctz(exec));
  for (u32 l = 0; l < 32; ++l) {
    u32 k = (exec >> l) & 1 ? l : first;
    address[l] = m.addressBytes == 8 ? reg<u64>(w, i.a)[k] + i.imm : u64(reg<u32>(w, i.a)[k] + static_cast<u32>(i.imm));
  }
}

void setDefined(Warp &w, u32 offset, u32 lanes) { w.def[offset / granuleBytes] |= lanes; }

void atomShared(Warp &w, const DInst &i, const AtomInfo &a, u32 exec, u64 *address) {
  u32 bytes = a.mem.elementBytes;
  u32 bad = 0;
  for (u32 l = 0; l < 32; ++l) {
    bad |= static_cast<u32>(address[l] >= w.sharedBytes || address[l] + bytes > w.sharedBytes ||
                            (address[l] & (bytes - 1)))
           << l;
  }
  if (bad & exec) {
    exec &= ~reportSharedFault(w, i, exec, address, bytes, true);
    if (!exec) {
      return;
    }
  }
  if (w.checks & sharedChecks) {
    checkShared(w, i, exec, address, bytes, true, true);
  }
  if (w.checks & bit(Kind::RaceShared)) {
    noteLanes(w, i, nullptr, exec, address, bytes, true, true);
  }
  LineCount &c = w.counts[pcOf(w, i)];
  ++c.requests;
  c.lanes += static_cast<u32>(__builtin_popcount(exec));
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    if (w.checks & bit(Kind::Uninit)) {
      bool undefined = false;
      for (u32 k = 0; k < bytes && a.op != AtomOp::Exch; ++k) {
        undefined |= !w.sharedDefined[address[l] + k];
      }
      if (undefined) {
        reportUndefined(w, i, "the memory that an atomic updates");
      }
    }
    std::memset(w.sharedDefined + address[l], 1, bytes);
    oneLane(w, i, a, w.shared + address[l], l, true);
  }
}

void atomGlobal(Warp &w, const DInst &i, const AtomInfo &a, u32 exec, u64 *address) {
  u32 bytes = a.mem.elementBytes;
  MemCache &cache = w.cache[a.mem.id];
  u64 any = 0;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    any |= address[__builtin_ctz(rest)];
  }
  if (any & (bytes - 1)) {
    exec &= ~reportMisaligned(w, i, exec, address, bytes, true);
  }
  LineCount &c = w.counts[pcOf(w, i)];
  u64 sectors[32];
  u32 n = 0;
  u32 valid = 0;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    bool inside = address[l] >= cache.lo && address[l] < cache.hi && cache.hi - address[l] >= bytes;
    if (!inside && !findAllocation(w, address[l], bytes, true, cache)) {
      u64 same[32];
      std::fill(same, same + 32, address[l]);
      reportFault(w, i, 1u << l, same, bytes, true);
      continue;
    }
    valid |= 1u << l;
    sectors[n++] = address[l] >> 5;
  }
  if (!valid) {
    return;
  }
  std::sort(sectors, sectors + n);
  u32 distinct = static_cast<u32>(std::unique(sectors, sectors + n) - sectors);
  ++c.requests;
  c.lanes += n;
  c.sectors += distinct;
  c.sectorsIdeal += std::min(distinct, (n * bytes + 31) / 32);
  bool wide = a.mem.scope >= 2;
  if (w.checks & bit(Kind::RaceGlobal)) {
    if (a.mem.release && wide) {
      releaseGlobal(w, valid, address);
    }
    checkGlobal(w, i, a.mem, valid, address, bytes, true, true);
  }
  for (u32 rest = valid; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    if (!(address[l] >= cache.lo && address[l] < cache.hi)) {
      findAllocation(w, address[l], bytes, true, cache);
    }
    if (cache.logical) {
      checkExtents(w, i, 1u << l, address, bytes, true, cache.logical, cache.lo);
    }
    if (cache.defined) {
      u8 *d = cache.defined + (address[l] - cache.lo);
      bool undefined = false;
      for (u32 k = 0; k < bytes && a.op != AtomOp::Exch; ++k) {
        undefined |= !d[k];
      }
      if (undefined && (w.checks & bit(Kind::Uninit))) {
        reportUndefined(w, i, "the memory that an atomic updates");
      }
      std::memset(d, 1, bytes);
    }
    oneLane(w, i, a, reinterpret_cast<u8 *>(address[l] + static_cast<u64>(cache.delta)), l, false);
  }
  if ((w.checks & bit(Kind::RaceGlobal)) && a.mem.acquire && wide) {
    acquireGlobal(w, valid, address);
  }
}

void atom(Warp &w, const DInst &i, u32 exec) {
  const AtomInfo &a = *static_cast<const AtomInfo *>(i.extra);
  u64 address[32];
  gatherAddresses(w, i, a.mem, exec, address);
  if (w.checks & bit(Kind::Uninit)) {
    if ((w.def[i.a / granuleBytes] & exec) != exec) {
      reportUndefined(w, i, "an address");
    }
    if ((w.def[i.b / granuleBytes] & w.def[i.c / granuleBytes] & exec) != exec) {
      reportUndefined(w, i, "the operand of an atomic");
    }
  }
  if (a.mem.space == Space::Shared) {
    atomShared(w, i, a, exec, address);
  } else if (a.mem.space == Space::Global) {
    atomGlobal(w, i, a, exec, address);
  } else {
    u32 inShared = 0;
    for (u32 l = 0; l < 32; ++l) {
      inShared |= static_cast<u32>(address[l] - sharedWindow < windowSize) << l;
    }
    if (exec & ~inShared) {
      u64 part[32];
      u32 first = static_cast<u32>(__builtin_ctz(exec & ~inShared));
      for (u32 l = 0; l < 32; ++l) {
        part[l] = ((exec & ~inShared) >> l) & 1 ? address[l] : address[first];
      }
      atomGlobal(w, i, a, exec & ~inShared, part);
    }
    if (exec & inShared) {
      u64 part[32];
      u32 first = static_cast<u32>(__builtin_ctz(exec & inShared));
      for (u32 l = 0; l < 32; ++l) {
        part[l] = (((exec & inShared) >> l) & 1 ? address[l] : address[first]) - sharedWindow;
      }
      atomShared(w, i, a, exec & inShared, part);
    }
  }
  if (!w.cta->atomicRuns.empty()) {
    countAtomic(w, i, exec);
  }
  setDefined(w, i.d, exec);
}

// ld.acquire and st.release are followed or preceded by these.
void acquire(Warp &w, const DInst &i, u32 exec) {
  if (w.checks & bit(Kind::RaceGlobal)) {
    u64 address[32];
    gatherAddresses(w, i, *static_cast<const MemInfo *>(i.extra), exec, address);
    acquireGlobal(w, exec, address);
  }
}
void release(Warp &w, const DInst &i, u32 exec) {
  if (w.checks & bit(Kind::RaceGlobal)) {
    u64 address[32];
    gatherAddresses(w, i, *static_cast<const MemInfo *>(i.extra), exec, address);
    releaseGlobal(w, exec, address);
  }
}

/// A fence turns the relaxed accesses around it into acquires and releases. sub: scope.
void fence(Warp &w, const DInst &i, u32) {
  w.window.clear(); // orders whatever the lanes tell each other
  if (i.sub < 2) {
    return;
  }
  if (w.cta->launch->raceBase != ~0u) {
    fenceGlobal(w);
  }
}

const HandlerRow rows[] = {
    {"atom", &atom},
    {"acquire", &acquire},
    {"release", &release},
    {"fence", &fence},
};

} // namespace

Table atomicTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim

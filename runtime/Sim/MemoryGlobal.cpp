// Loads and stores over 32 lanes: global, shared and generic. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/LaneRaces.h"
#include "runtime/Sim/MemoryLanes.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

/// Element k of every lane from memory at host + offset; T as stored, R as the register holds it.
template <class T, class R> inline void gather(R *t, const u8 *host, const u64 *offsets, u32 k) {
  for (u32 l = 0; l < 32; ++l) {
    T v;
    __builtin_memcpy(&v, host + offsets[l] + k * sizeof(T), sizeof v);
    t[l] = static_cast<R>(v);
  }
}

template <class T, class R, u32 Count> inline void deinterleave(Warp &w, const MemInfo &m, const u8 *from) {
  R *d[Count];
  for (u32 k = 0; k < Count; ++k) {
    d[k] = reg<R>(w, m.regs[k]);
  }
  const T *p = reinterpret_cast<const T *>(from);
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    for (u32 k = 0; k < Count; ++k) {
      T v;
      __builtin_memcpy(&v, p + l * Count + k, sizeof v);
      d[k][l] = static_cast<R>(v);
    }
  }
}

/// Registers from `host + (address - base)`.
template <class T, class R>
inline void loadLanes(Warp &w, const MemInfo &m, u32 exec, const Addresses &x, const u8 *host, u64 base,
                      bool contiguous) {
  if (contiguous && isFull(w, exec)) {
    const u8 *from = host + (x.at[0] - base);
    if (m.count == 1) {
      deinterleave<T, R, 1>(w, m, from);
      return;
    }
    if (m.count == 2) {
      deinterleave<T, R, 2>(w, m, from);
      return;
    }
    if (m.count == 4) {
      deinterleave<T, R, 4>(w, m, from);
      return;
    }
  }
  alignas(64) u64 offsets[32];
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    offsets[l] = x.at[l] - base;
  }
  for (u32 k = 0; k < m.count; ++k) {
    if (exec == ~0u) {
      gather<T, R>(reg<R>(w, m.regs[k]), host, offsets, k);
    } else {
      alignas(64) R t[32];
      gather<T, R>(t, host, offsets, k);
      blend<32>(reg<R>(w, m.regs[k]), t, exec);
    }
  }
}

template <class T, class R>
inline void storeLanes(Warp &w, const MemInfo &m, u32 exec, const Addresses &x, u8 *host, u64 base, bool contiguous) {
  if (contiguous && exec == ~0u && m.count == 1) {
    const R *s = reg<R>(w, m.regs[0]);
    u8 *to = host + (x.at[0] - base);
    PAVAGE_LANES
    for (u32 l = 0; l < 32; ++l) {
      T v = static_cast<T>(s[l]);
      __builtin_memcpy(to + l * sizeof(T), &v, sizeof v);
    }
    return;
  }
  for (u32 k = 0; k < m.count; ++k) {
    const R *s = reg<R>(w, m.regs[k]);
    for (u32 rest = exec; rest; rest &= rest - 1) {
      u32 l = firstLane(rest);
      T v = static_cast<T>(s[l]);
      __builtin_memcpy(host + (x.at[l] - base) + k * sizeof(T), &v, sizeof v);
    }
  }
}

/// The registers of a vector are defined each by itself.
template <class T>
inline void setLoadedDefined(Warp &w, const MemInfo &m, u32 exec, const Addresses &x, const u8 *defined, u64 base,
                             bool contiguous) {
  u32 whole = defined ? definedLanes(defined, x, base, sizeof(T) * m.count, contiguous) : ~0u;
  for (u32 k = 0; k < m.count; ++k) {
    bool isKnown = m.count == 1 || (whole & exec) == exec;
    setDefined(w, m.regs[k], isKnown ? whole : definedLanes(defined + k * sizeof(T), x, base, sizeof(T), false), exec);
  }
}

template <class T, class R> void loadGlobalAt(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  u32 bytes = sizeof(T) * m.count;
  globalAccess(w, i, m, exec, x, bytes, false,
               [&](u32 lanes, const Addresses &y, const Extent &e, i64 delta, u8 *defined, u64 lo) {
                 bool contiguous = lanes == ~0u && isContiguous(y, bytes);
                 countGlobal(w, i, lanes, y, e, bytes, contiguous);
                 loadLanes<T, R>(w, m, lanes, y, reinterpret_cast<const u8 *>(lo + static_cast<u64>(delta)), lo,
                                 contiguous);
                 if (w.checks & bit(Kind::Uninit)) {
                   setLoadedDefined<T>(w, m, lanes, y, defined, lo, contiguous);
                 }
                 if (w.checks & bit(Kind::RaceGlobal)) {
                   checkGlobalLanes(w, i, m, lanes, y.at, bytes, false, contiguous);
                 }
               });
}

template <class T, class R> void storeGlobalAt(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  u32 bytes = sizeof(T) * m.count;
  globalAccess(w, i, m, exec, x, bytes, true,
               [&](u32 lanes, const Addresses &y, const Extent &e, i64 delta, u8 *defined, u64 lo) {
                 bool contiguous = lanes == ~0u && isContiguous(y, bytes);
                 countGlobal(w, i, lanes, y, e, bytes, contiguous);
                 if (w.checks & bit(Kind::RaceGlobal)) {
                   checkGlobalLanes(w, i, m, lanes, y.at, bytes, true, contiguous);
                 }
                 storeLanes<T, R>(w, m, lanes, y, reinterpret_cast<u8 *>(lo + static_cast<u64>(delta)), lo, contiguous);
                 if (w.checks & bit(Kind::Uninit)) {
                   u32 valid = ~0u;
                   for (u32 k = 0; k < m.count; ++k) {
                     valid &= w.def[m.regs[k] / granuleBytes];
                   }
                   if ((valid & lanes) != lanes) {
                     reportUndefined(w, i, "a value stored to global memory");
                   }
                 }
                 if (defined) {
                   markDefined(defined, y, lo, bytes, lanes, ~0u, contiguous);
                 }
               });
}

template <class T, class R> void loadSharedAt(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  u32 bytes = sizeof(T) * m.count;
  exec = sharedBounds(w, i, exec, x, bytes, false);
  if (!exec) {
    return;
  }
  bool contiguous = exec == ~0u && isContiguous(x, bytes);
  countShared(w, i, exec, x, bytes, contiguous);
  if (w.checks & sharedChecks) {
    checkSharedLanes(w, i, exec, x.at, bytes, false, m.isVolatile, contiguous);
  }
  if (w.checks & bit(Kind::RaceShared)) {
    noteLanes(w, i, &m, exec, x.at, bytes, false, m.isVolatile);
  }
  loadLanes<T, R>(w, m, exec, x, w.shared, 0, contiguous);
  if (w.checks & bit(Kind::Uninit)) {
    setLoadedDefined<T>(w, m, exec, x, w.sharedDefined, 0, contiguous);
  }
}

template <class T, class R> void storeSharedAt(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  u32 bytes = sizeof(T) * m.count;
  exec = sharedBounds(w, i, exec, x, bytes, true);
  if (!exec) {
    return;
  }
  bool contiguous = exec == ~0u && isContiguous(x, bytes);
  countShared(w, i, exec, x, bytes, contiguous);
  if (w.checks & sharedChecks) {
    w.isStoring = true;
    checkSharedLanes(w, i, exec, x.at, bytes, true, m.isVolatile, contiguous);
    w.isStoring = false;
  }
  if (w.checks & bit(Kind::RaceShared)) {
    noteLanes(w, i, &m, exec, x.at, bytes, true, m.isVolatile);
  }
  storeLanes<T, R>(w, m, exec, x, w.shared, 0, contiguous);
  if (!w.overwrites.empty()) {
    settleOverwrites(w, i);
  }
  if (w.checks & bit(Kind::Uninit)) {
    u32 valid = ~0u;
    for (u32 k = 0; k < m.count; ++k) {
      valid &= w.def[m.regs[k] / granuleBytes];
    }
    markDefined(w.sharedDefined, x, 0, bytes, exec, valid, contiguous);
    for (u32 k = 0; m.count > 1 && (valid & exec) != exec && k < m.count; ++k) {
      markDefined(w.sharedDefined + k * sizeof(T), x, 0, sizeof(T), exec, w.def[m.regs[k] / granuleBytes], false);
    }
  }
}

/// Local memory is per lane; an address is an offset in the thread's own.
template <class T, class R, bool IsStore>
void localAt(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  u32 bytes = sizeof(T) * m.count;
  LineCount &c = w.counts[pcOf(w, i)];
  ++c.requests;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = firstLane(rest);
    u64 at = x.at[l];
    if (at >= w.localStride || at + bytes > w.localStride || (at & (bytes - 1))) {
      reportLocalFault(w, i, l, at, bytes, IsStore);
      continue;
    }
    u8 *p = w.local + size_t(l) * w.localStride + at;
    u8 *defined = w.localDefinedBytes + size_t(l) * w.localStride + at;
    for (u32 k = 0; k < m.count; ++k) {
      T v;
      u32 &def = w.def[m.regs[k] / granuleBytes];
      if constexpr (IsStore) {
        v = static_cast<T>(reg<R>(w, m.regs[k])[l]);
        __builtin_memcpy(p + k * sizeof(T), &v, sizeof v);
        std::memset(defined + k * sizeof(T), (def >> l) & 1, sizeof v);
      } else {
        __builtin_memcpy(&v, p + k * sizeof(T), sizeof v);
        reg<R>(w, m.regs[k])[l] = static_cast<R>(v);
        u8 all = 1;
        for (u32 b = 0; b < sizeof v; ++b) {
          all &= defined[k * sizeof(T) + b];
        }
        def = (def & ~(1u << l)) | (u32(all) << l);
      }
    }
  }
}

/// Kernel parameters: constant and the same for all lanes.
template <class T, class R> void paramAt(Warp &w, const DInst &i, const MemInfo &m, u32 exec, Addresses &x) {
  u32 bytes = sizeof(T) * m.count;
  Extent e = extentOf(x);
  if (e.high >= w.paramBytes || e.high + bytes > w.paramBytes) {
    exec &= ~reportParamFault(w, i, exec, x.at, bytes);
    if (!exec) {
      return;
    }
    fillInactive(x, exec);
    e = extentOf(x);
  }
  if (e.low == e.high && isFull(w, exec)) {
    for (u32 k = 0; k < m.count; ++k) {
      T v;
      __builtin_memcpy(&v, w.params + e.low + k * sizeof(T), sizeof v);
      R value = static_cast<R>(v), *d = reg<R>(w, m.regs[k]);
      PAVAGE_LANES
      for (u32 l = 0; l < 32; ++l) {
        d[l] = value;
      }
    }
  } else {
    loadLanes<T, R>(w, m, exec, x, w.params, 0, false);
  }
  for (u32 k = 0; k < m.count; ++k) {
    setDefined(w, m.regs[k], ~0u, exec);
  }
}

enum class Where : u8 { Global, Shared, Local, Param, Generic };

template <class T, class R, bool IsStore, Where S> void access(Warp &w, const DInst &i, u32 exec) {
  const MemInfo &m = *static_cast<const MemInfo *>(i.extra);
  Addresses x;
  computeAddresses(w, i, m, exec, x);
  checkAddressDefined(w, i, exec);
  if constexpr (S == Where::Global) {
    IsStore ? storeGlobalAt<T, R>(w, i, m, exec, x) : loadGlobalAt<T, R>(w, i, m, exec, x);
  } else if constexpr (S == Where::Shared) {
    IsStore ? storeSharedAt<T, R>(w, i, m, exec, x) : loadSharedAt<T, R>(w, i, m, exec, x);
  } else if constexpr (S == Where::Local) {
    if (m.isLocalFrame) {
      for (u32 l = 0; l < 32; ++l) {
        x.at[l] += w.localFrame;
      }
    }
    localAt<T, R, IsStore>(w, i, m, exec, x);
  } else if constexpr (S == Where::Param) {
    paramAt<T, R>(w, i, m, exec, x);
  } else {
    // Generic: by window, usually all lanes in one.
    u32 inShared = 0, inLocal = 0, inParam = 0;
    for (u32 l = 0; l < 32; ++l) {
      inShared |= static_cast<u32>(x.at[l] - sharedWindow < windowSize) << l;
      inLocal |= static_cast<u32>(x.at[l] - localWindow < windowSize) << l;
      inParam |= static_cast<u32>(x.at[l] - paramWindow < windowSize) << l;
    }
    u32 inGlobal = exec & ~(inShared | inLocal | inParam);
    auto piece = [&](u32 lanes, u64 window, auto run) {
      if (lanes) {
        Addresses y;
        for (u32 l = 0; l < 32; ++l) {
          y.at[l] = x.at[l] - window;
        }
        fillInactive(y, lanes);
        run(w, i, m, lanes, y);
      }
    };
    if (inGlobal == exec) {
      IsStore ? storeGlobalAt<T, R>(w, i, m, exec, x) : loadGlobalAt<T, R>(w, i, m, exec, x);
      return;
    }
    piece(inGlobal, 0, IsStore ? &storeGlobalAt<T, R> : &loadGlobalAt<T, R>);
    piece(inShared & exec, sharedWindow, IsStore ? &storeSharedAt<T, R> : &loadSharedAt<T, R>);
    piece(inLocal & exec, localWindow, &localAt<T, R, IsStore>);
    if (!IsStore) {
      piece(inParam & exec, paramWindow, &paramAt<T, R>);
    } else if (inParam & exec) {
      reportFault(w, i, inParam & exec, x.at, sizeof(T) * m.count, true);
    }
  }
}

using u128 = unsigned __int128;

// ld.<space>.<element type>.<register bits>; register types only matter by width.
#define LOADS(space, S)                                                                                                \
  {"ld." space ".u8.16", &access<u8, u16, false, Where::S>},                                                           \
      {"ld." space ".u8.32", &access<u8, u32, false, Where::S>},                                                       \
      {"ld." space ".u8.64", &access<u8, u64, false, Where::S>},                                                       \
      {"ld." space ".s8.16", &access<i8, u16, false, Where::S>},                                                       \
      {"ld." space ".s8.32", &access<i8, u32, false, Where::S>},                                                       \
      {"ld." space ".s8.64", &access<i8, u64, false, Where::S>},                                                       \
      {"ld." space ".u16.16", &access<u16, u16, false, Where::S>},                                                     \
      {"ld." space ".u16.32", &access<u16, u32, false, Where::S>},                                                     \
      {"ld." space ".u16.64", &access<u16, u64, false, Where::S>},                                                     \
      {"ld." space ".s16.32", &access<i16, u32, false, Where::S>},                                                     \
      {"ld." space ".s16.64", &access<i16, u64, false, Where::S>},                                                     \
      {"ld." space ".u32.32", &access<u32, u32, false, Where::S>},                                                     \
      {"ld." space ".u32.64", &access<u32, u64, false, Where::S>},                                                     \
      {"ld." space ".s32.64", &access<i32, u64, false, Where::S>},                                                     \
      {"ld." space ".u64.64", &access<u64, u64, false, Where::S>},                                                     \
      {"ld." space ".u128.128", &access<u128, u128, false, Where::S>},
#define STORES(space, S)                                                                                               \
  {"st." space ".u8.16", &access<u8, u16, true, Where::S>}, {"st." space ".u8.32", &access<u8, u32, true, Where::S>},  \
      {"st." space ".u8.64", &access<u8, u64, true, Where::S>},                                                        \
      {"st." space ".u16.16", &access<u16, u16, true, Where::S>},                                                      \
      {"st." space ".u16.32", &access<u16, u32, true, Where::S>},                                                      \
      {"st." space ".u16.64", &access<u16, u64, true, Where::S>},                                                      \
      {"st." space ".u32.32", &access<u32, u32, true, Where::S>},                                                      \
      {"st." space ".u32.64", &access<u32, u64, true, Where::S>},                                                      \
      {"st." space ".u64.64", &access<u64, u64, true, Where::S>},                                                      \
      {"st." space ".u128.128", &access<u128, u128, true, Where::S>},

const HandlerRow rows[] = {LOADS("global", Global) LOADS("shared", Shared) LOADS("local", Local) LOADS("param", Param)
                               LOADS("generic", Generic) STORES("global", Global) STORES("shared", Shared)
                                   STORES("local", Local) STORES("generic", Generic)};

} // namespace

Table memoryTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

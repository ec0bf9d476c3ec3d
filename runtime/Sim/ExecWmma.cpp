// wmma.load, wmma.mma and wmma.store. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments are opaque to a program, except that it may apply one function to all elements. Ours: the tile in row-major
// order, an equal share of consecutive elements per lane; registers beyond that repeat the share.
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/Extents.h"
#include "runtime/Sim/Floats.h"
#include "runtime/Sim/LaunchState.h"

#include <cstring>

namespace pavage::sim {

namespace {

template <class T> T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }

struct Share {
  u32 perLane, slots, bytes; // elements of a lane, element slots of its registers, bytes of an element
};
Share shareOf(const WmmaInfo &x) {
  u32 bytes = typeBits(x.type) / 8;
  return {u32(x.rows) * x.columns / 32, u32(x.count) * x.elementsPerRegister, bytes};
}

u8 *slotAt(Warp &w, const WmmaInfo &x, const Share &s, u32 lane, u32 slot) {
  u32 registerBytes = s.bytes * x.elementsPerRegister;
  return reg<u8>(w, x.regs[slot / x.elementsPerRegister]) + lane * registerBytes +
         (slot % x.elementsPerRegister) * s.bytes;
}

/// Waits until all lanes of the warp have come; false when some have not.
bool wholeWarp(Warp &w, const DInst &i, u32 exec) {
  w.window.clear(); // all lanes meet
  if ((exec | w.dead) != ~0u) {
    sleep(w, i, exec, Wait::Sync, ~0u, 0, 0);
    return false;
  }
  if (exec != ~0u) {
    report(w, i, Kind::Barrier, "executed by a part of the warp only, but .aligned wants all 32 lanes");
  }
  return true;
}

template <bool IsStore> void move(Warp &w, const DInst &i, u32 exec) {
  const WmmaInfo &x = *static_cast<const WmmaInfo *>(i.extra);
  if (!wholeWarp(w, i, exec)) {
    return;
  }
  Share s = shareOf(x);
  u32 lane0 = static_cast<u32>(__builtin_ctz(exec));
  u64 base = x.mem.addressBytes == 8 ? reg<u64>(w, i.a)[lane0] + i.imm
                                     : u64(reg<u32>(w, i.a)[lane0] + static_cast<u32>(i.imm));
  u64 stride = x.stride ? reg<u32>(w, x.stride)[lane0] : (x.rowMajor ? x.columns : x.rows);
  bool isShared = x.mem.space == Space::Shared;
  if (x.mem.space == Space::Generic && base - sharedWindow < windowSize) {
    isShared = true;
    base -= sharedWindow;
  }
  LineCount &count = w.counts[pcOf(w, i)];
  ++count.requests;
  count.lanes += 32;
  MemCache &cache = w.cache[x.mem.id];
  // One request per element slot of all lanes.
  for (u32 slot = 0; slot < s.slots; ++slot) {
    u64 address[32];
    for (u32 l = 0; l < 32; ++l) {
      u32 element = l * s.perLane + slot % s.perLane, row = element / x.columns, column = element % x.columns;
      address[l] = base + (x.rowMajor ? row * stride + column : column * stride + row) * s.bytes;
    }
    if (slot >= s.perLane) {
      // Repeats: no memory traffic.
      for (u32 l = 0; l < 32 && !IsStore; ++l) {
        std::memcpy(slotAt(w, x, s, l, slot), slotAt(w, x, s, l, slot % s.perLane), s.bytes);
      }
      continue;
    }
    u32 bad = 0;
    if (isShared) {
      for (u32 l = 0; l < 32; ++l) {
        bad |= static_cast<u32>(address[l] + s.bytes > w.sharedBytes || address[l] % s.bytes) << l;
      }
      if (bad) {
        reportSharedFault(w, i, ~0u, address, s.bytes, IsStore);
        return;
      }
      if (w.checks & sharedChecks) {
        checkShared(w, i, ~0u, address, s.bytes, IsStore, false);
      }
    } else if (w.checks & bit(Kind::RaceGlobal)) {
      checkGlobal(w, i, x.mem, ~0u, address, s.bytes, IsStore, false);
    }
    for (u32 l = 0; l < 32; ++l) {
      u8 *memory;
      u8 *valid = nullptr;
      if (isShared) {
        memory = w.shared + address[l];
        valid = w.sharedDefined + address[l];
      } else {
        bool inside = address[l] >= cache.lo && address[l] < cache.hi && cache.hi - address[l] >= s.bytes;
        if (!inside && !findAllocation(w, address[l], s.bytes, IsStore, cache)) {
          u64 same[32];
          for (u64 &a : same) {
            a = address[l];
          }
          reportFault(w, i, 1u << l, same, s.bytes, IsStore);
          return;
        }
        if (cache.logical) {
          checkExtents(w, i, 1u << l, address, s.bytes, IsStore, cache.logical, cache.lo);
        }
        memory = reinterpret_cast<u8 *>(address[l] + static_cast<u64>(cache.delta));
        valid = cache.defined ? cache.defined + (address[l] - cache.lo) : nullptr;
      }
      u8 *slotBytes = slotAt(w, x, s, l, slot);
      u32 &def = w.def[x.regs[slot / x.elementsPerRegister] / granuleBytes];
      if (IsStore) {
        std::memcpy(memory, slotBytes, s.bytes);
        bool ok = (def >> l) & 1;
        if (!ok && !isShared) {
          reportUndefined(w, i, "a value stored to global memory");
        }
        if (valid) {
          std::memset(valid, ok || !isShared, s.bytes);
        }
      } else {
        std::memcpy(slotBytes, memory, s.bytes);
        bool ok = true;
        for (u32 b = 0; valid && b < s.bytes; ++b) {
          ok &= valid[b] != 0;
        }
        def = slot % x.elementsPerRegister == 0 ? (def & ~(1u << l)) | (u32(ok) << l) : def & (ok ? ~0u : ~(1u << l));
      }
    }
  }
  for (u32 k = 0; k < x.count && !IsStore; ++k) {
    if (k * x.elementsPerRegister >= s.perLane) {
      w.def[x.regs[k] / granuleBytes] =
          w.def[x.regs[k % ((s.perLane + x.elementsPerRegister - 1) / x.elementsPerRegister)] / granuleBytes];
    }
  }
}

double numberAt(const u8 *p, Ty type) {
  switch (type) {
  case Ty::F16:
  case Ty::BF16: {
    u16 h;
    std::memcpy(&h, p, 2);
    return type == Ty::F16 ? fromHalf(h) : fromBf(h);
  }
  case Ty::F32: {
    float f;
    std::memcpy(&f, p, 4);
    return f;
  }
  case Ty::TF32: {
    u32 b;
    std::memcpy(&b, p, 4);
    return bits<float>(b & ~0x1fffu);
  }
  case Ty::F64: {
    double d;
    std::memcpy(&d, p, 8);
    return d;
  }
  case Ty::S8:
    return static_cast<i8>(*p);
  case Ty::U8:
    return *p;
  default: {
    i32 v;
    std::memcpy(&v, p, 4);
    return v;
  }
  }
}

void multiply(Warp &w, const DInst &i, u32 exec) {
  const Program::WmmaGroup &g = *static_cast<const Program::WmmaGroup *>(i.extra);
  if (!wholeWarp(w, i, exec)) {
    return;
  }
  u32 m = g.a->rows, k = g.a->columns, n = g.b->columns;
  double a[32 * 32], b[32 * 32], c[32 * 32];
  u32 valid = ~0u;
  auto gather = [&](const WmmaInfo &x, double *to) {
    Share s = shareOf(x);
    for (u32 e = 0; e < u32(x.rows) * x.columns; ++e) {
      to[e] = numberAt(slotAt(w, x, s, e / s.perLane, e % s.perLane), x.type);
    }
    for (u32 r = 0; r < x.count; ++r) {
      valid &= w.def[x.regs[r] / granuleBytes];
    }
  };
  gather(*g.a, a);
  gather(*g.b, b);
  gather(*g.c, c);
  if (valid != ~0u) {
    reportUndefined(w, i, "an operand of a matrix product");
  }
  bool isInteger = g.d->type == Ty::S32, isDouble = g.d->type == Ty::F64;
  Share s = shareOf(*g.d);
  for (u32 row = 0; row < m; ++row) {
    for (u32 column = 0; column < n; ++column) {
      double acc = c[row * n + column];
      for (u32 q = 0; q < k; ++q) {
        double x = a[row * k + q], y = b[q * n + column];
        acc = isInteger  ? acc + x * y
              : isDouble ? std::fma(x, y, acc)
                         : std::fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(acc));
      }
      u32 e = row * n + column;
      for (u32 slot = e % s.perLane; slot < s.slots; slot += s.perLane) {
        u8 *to = slotAt(w, *g.d, s, e / s.perLane, slot);
        if (isInteger) {
          i64 wide = static_cast<i64>(acc);
          i32 v = i.sub ? static_cast<i32>(wide > INT32_MAX   ? INT32_MAX
                                           : wide < INT32_MIN ? INT32_MIN
                                                              : wide)
                        : static_cast<i32>(static_cast<u32>(wide));
          std::memcpy(to, &v, 4);
        } else if (isDouble) {
          double v = canonical(acc);
          std::memcpy(to, &v, 8);
        } else if (g.d->type == Ty::F16) {
          u16 h = toHalf(static_cast<float>(acc));
          std::memcpy(to, &h, 2);
        } else {
          float v = canonical(static_cast<float>(acc));
          std::memcpy(to, &v, 4);
        }
      }
    }
  }
  for (u32 r = 0; r < g.d->count; ++r) {
    w.def[g.d->regs[r] / granuleBytes] = ~0u;
  }
}

const HandlerRow rows[] = {
    {"wmma.load", &move<false>},
    {"wmma.store", &move<true>},
    {"wmma.mma", &multiply},
};

} // namespace

Table wmmaTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim

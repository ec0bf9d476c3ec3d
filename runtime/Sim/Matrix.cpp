// ldmatrix, stmatrix, movmatrix and mma. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One register of a fragment, seen across the warp, is a row-major tile of 8 rows of 16 bytes (32 for f64): four lanes
// hold a row. So a fragment is copied row by row, and never gathered element by element.
#include "runtime/Sim/MemoryLanes.h"
#include "runtime/Sim/Tables.h"

namespace pavage::sim::PAVAGE_SIM_VARIANT {

namespace {

/// Waits until all lanes of the warp have come; false when some have not.
bool requireWholeWarp(Warp &w, const DInst &i, u32 exec) {
  if (exec == ~0u) [[likely]] {
    w.window.clear(); // all lanes met
    return true;
  }
  if (!isFull(w, exec)) {
    sleep(w, i, exec, Wait::Sync, ~0u, 0, 0);
    return false;
  }
  report(w, i, Kind::Barrier, "executed by a part of the warp only, but .aligned wants all 32 lanes");
  return true;
}

void countRows(Warp &w, const DInst &i, const Addresses &x, u32 matrices) {
  LineCount &c = w.counts[pcOf(w, i)];
  ++c.requests;
  c.lanes += 32;
  for (u32 m = 0; m < matrices; ++m) {
    u32 seen = 0;
    for (u32 r = 0; r < 8; ++r) {
      seen |= 1u << ((x.at[8 * m + r] >> 4) & 7);
    }
    if (seen != 255) {
      Addresses part;
      for (u32 r = 0; r < 32; ++r) {
        part.at[r] = x.at[8 * m + (r & 7)];
      }
      c.conflicts += bankConflicts(part, 255, 16);
    }
  }
}

void transposeTile(u16 *to, const u16 *from) {
  for (u32 r = 0; r < 8; ++r) {
    for (u32 c = 0; c < 8; ++c) {
      to[c * 8 + r] = from[r * 8 + c];
    }
  }
}

/// Addresses of the rows of all matrices, checked and counted; false when the access must not happen.
bool matrixRows(Warp &w, const DInst &i, u32 exec, const MemInfo &m, Addresses &x, bool isWrite) {
  if (!requireWholeWarp(w, i, exec)) {
    return false;
  }
  computeAddresses(w, i, m, ~0u, x);
  u32 rows = m.count == 4 ? ~0u : (1u << (8 * m.count)) - 1;
  fillInactive(x, rows);
  checkAddressDefined(w, i, rows);
  if (sharedBounds(w, i, rows, x, 16, isWrite) != rows) {
    return false;
  }
  countRows(w, i, x, m.count);
  if (w.checks & sharedChecks) {
    w.isStoring = isWrite;
    checkSharedLanes(w, i, rows, x.at, 16, isWrite, false, false);
    w.isStoring = false;
  }
  return true;
}

/// sub: bit 0 .trans. MemInfo: count matrices, registers in regs.
void loadMatrix(Warp &w, const DInst &i, u32 exec) {
  const MemInfo &m = *static_cast<const MemInfo *>(i.extra);
  Addresses x;
  if (!matrixRows(w, i, exec, m, x, false)) {
    return;
  }
  bool isTransposed = i.sub & 1;
  for (u32 k = 0; k < m.count; ++k) {
    alignas(64) u8 tile[128];
    for (u32 r = 0; r < 8; ++r) {
      std::memcpy(tile + 16 * r, w.shared + x.at[8 * k + r], 16);
    }
    if (isTransposed) {
      transposeTile(reg<u16>(w, m.regs[k]), reinterpret_cast<const u16 *>(tile));
    } else {
      std::memcpy(reg<u8>(w, m.regs[k]), tile, 128);
    }
    if (w.checks & bit(Kind::Uninit)) {
      u8 valid[128], all = 1;
      for (u32 r = 0; r < 8; ++r) {
        std::memcpy(valid + 16 * r, w.sharedDefined + x.at[8 * k + r], 16);
      }
      for (u32 b = 0; b < 128; ++b) {
        all &= valid[b];
      }
      u32 lanes = all ? ~0u : 0;
      if (!all) {
        for (u32 l = 0; l < 32; ++l) {
          u32 first = isTransposed ? 2 * ((l & 3) * 16 + (l >> 2)) : 4 * l;
          u32 second = isTransposed ? first + 16 : first + 2;
          lanes |= u32(valid[first] & valid[first + 1] & valid[second] & valid[second + 1]) << l;
        }
      }
      w.def[m.regs[k] / granuleBytes] = lanes;
    }
  }
}

void storeMatrix(Warp &w, const DInst &i, u32 exec) {
  const MemInfo &m = *static_cast<const MemInfo *>(i.extra);
  Addresses x;
  if (!matrixRows(w, i, exec, m, x, true)) {
    return;
  }
  for (u32 k = 0; k < m.count; ++k) {
    alignas(64) u16 tile[64];
    if (i.sub & 1) {
      transposeTile(tile, reg<u16>(w, m.regs[k]));
    } else {
      std::memcpy(tile, reg<u8>(w, m.regs[k]), 128);
    }
    u8 valid = w.def[m.regs[k] / granuleBytes] == ~0u;
    for (u32 r = 0; r < 8; ++r) {
      std::memcpy(w.shared + x.at[8 * k + r], tile + 8 * r, 16);
      std::memset(w.sharedDefined + x.at[8 * k + r], valid, 16);
    }
  }
  if (!w.overwrites.empty()) {
    settleOverwrites(w, i);
  }
}

void moveMatrix(Warp &w, const DInst &i, u32 exec) {
  if (!requireWholeWarp(w, i, exec)) {
    return;
  }
  alignas(64) u16 tile[64];
  transposeTile(tile, reg<u16>(w, i.a));
  std::memcpy(reg<u16>(w, i.d), tile, sizeof tile);
  w.def[i.d / granuleBytes] = w.def[i.a / granuleBytes] == ~0u ? ~0u : 0;
}

// A matrix of up to 16 rows as raw bytes, `pitch` bytes a row.
template <u32 RowBytes>
inline void copyFragment(Warp &w, u8 *to, u32 pitch, const u32 *regs, u32 count, bool twoRowBlocks) {
  for (u32 r = 0; r < count; ++r) {
    const u8 *from = reg<u8>(w, regs[r]);
    u8 *base = to + (twoRowBlocks ? (r & 1) * 8 * pitch + (r >> 1) * RowBytes : r * RowBytes);
    for (u32 row = 0; row < 8; ++row) {
      std::memcpy(base + row * pitch, from + row * RowBytes, RowBytes);
    }
  }
}

template <class T> inline void loadAccumulator(Warp &w, const MmaInfo &m, T (*c)[8]) {
  for (u32 v = 0; v < m.nc; ++v) {
    const T *r = reg<T>(w, m.rc[v]);
    for (u32 l = 0; l < 32; ++l) {
      c[(l >> 2) + 8 * (v >> 1)][2 * (l & 3) + (v & 1)] = r[l];
    }
  }
}
template <class T> inline void storeAccumulator(Warp &w, const MmaInfo &m, const T (*c)[8]) {
  for (u32 v = 0; v < m.nd; ++v) {
    T *r = reg<T>(w, m.rd[v]);
    for (u32 l = 0; l < 32; ++l) {
      r[l] = c[(l >> 2) + 8 * (v >> 1)][2 * (l & 3) + (v & 1)];
    }
  }
}
// Two columns in a register: the tile itself.
inline void loadHalfAccumulator(Warp &w, const MmaInfo &m, float (*c)[8]) {
  for (u32 q = 0; q < m.nc; ++q) {
    const u16 *r = reg<u16>(w, m.rc[q]);
    for (u32 e = 0; e < 64; ++e) {
      c[8 * q + e / 8][e % 8] = fromHalf(r[e]);
    }
  }
}
inline void storeHalfAccumulator(Warp &w, const MmaInfo &m, const float (*c)[8]) {
  for (u32 q = 0; q < m.nd; ++q) {
    u16 *r = reg<u16>(w, m.rd[q]);
    for (u32 e = 0; e < 64; ++e) {
      r[e] = toHalf(c[8 * q + e / 8][e % 8]);
    }
  }
}

/// c += a * b, one fused multiply-add per product, in the order of k.
template <u32 K, class T> inline void multiply(T (*c)[8], const T (*a)[K], const T (*b)[8], u32 rows) {
  for (u32 row = 0; row < rows; ++row) {
    T acc[8];
    for (u32 n = 0; n < 8; ++n) {
      acc[n] = c[row][n];
    }
    for (u32 k = 0; k < K; ++k) {
      T x = a[row][k];
      for (u32 n = 0; n < 8; ++n) {
        acc[n] = sizeof(T) == 4 ? static_cast<T>(__builtin_fmaf(static_cast<float>(x), static_cast<float>(b[k][n]),
                                                                static_cast<float>(acc[n])))
                                : static_cast<T>(__builtin_fma(x, b[k][n], acc[n]));
      }
    }
    for (u32 n = 0; n < 8; ++n) {
      c[row][n] = acc[n];
    }
  }
}

using V16 = float __attribute__((vector_size(64)));
using W16 = u32 __attribute__((vector_size(64)));
using H64 = u16 __attribute__((vector_size(128)));
using H16 = u16 __attribute__((vector_size(32)));
using F16 = _Float16 __attribute__((vector_size(32)));

struct HalfToFloat {
  using Raw = u16;
  static V16 widen(H16 x) { return __builtin_convertvector(bits<F16>(x), V16); }
};
struct BfToFloat {
  using Raw = u16;
  static V16 widen(H16 x) { return bits<V16>(__builtin_convertvector(x, W16) << 16); }
};
struct Tf32ToFloat {
  using Raw = u32;
  static float of(u32 x) { return bits<float>(x & ~0x1fffu); }
};
struct E4m3ToFloat {
  using Raw = u8;
  static float of(u8 x) { return fromE4m3(x); }
};
struct E5m2ToFloat {
  using Raw = u8;
  static float of(u8 x) { return fromE5m2(x); }
};

void mmaDefined(Warp &w, const DInst &i, const MmaInfo &m) {
  if (!(w.checks & bit(Kind::Uninit))) {
    return;
  }
  u32 all = ~0u;
  for (u32 k = 0; k < m.na; ++k) {
    all &= w.def[m.ra[k] / granuleBytes];
  }
  for (u32 k = 0; k < m.nb; ++k) {
    all &= w.def[m.rb[k] / granuleBytes];
  }
  u32 operands = all;
  for (u32 k = 0; k < m.nc; ++k) {
    all &= w.def[m.rc[k] / granuleBytes];
  }
  if (operands != ~0u) {
    reportUndefined(w, i, "an operand of a matrix product");
  }
  for (u32 k = 0; k < m.nd; ++k) {
    w.def[m.rd[k] / granuleBytes] = all == ~0u || operands != ~0u ? ~0u : 0;
  }
}

/// All 64 halves of a register as 8 rows of 8, transposed.
inline H64 transposeHalves(H64 x) {
  return __builtin_shufflevector(x, x, 0, 8, 16, 24, 32, 40, 48, 56, 1, 9, 17, 25, 33, 41, 49, 57, 2, 10, 18, 26, 34,
                                 42, 50, 58, 3, 11, 19, 27, 35, 43, 51, 59, 4, 12, 20, 28, 36, 44, 52, 60, 5, 13, 21,
                                 29, 37, 45, 53, 61, 6, 14, 22, 30, 38, 46, 54, 62, 7, 15, 23, 31, 39, 47, 55, 63);
}

/// The accumulators as eight columns of 16 rows. A register holds rows g and columns 2t + p, lane 4g + t.
struct Columns {
  V16 of[8];
};
inline Columns loadColumns(Warp &w, const u32 *regs) {
  V16 pair[4][2]; // of a register: columns t = 0, 1 and t = 2, 3, eight rows each
  for (u32 v = 0; v < 4; ++v) {
    V16 low, high;
    std::memcpy(&low, reg<float>(w, regs[v]), 64);
    std::memcpy(&high, reg<float>(w, regs[v]) + 16, 64);
    pair[v][0] = __builtin_shufflevector(low, high, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    pair[v][1] = __builtin_shufflevector(low, high, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  }
  Columns c;
  for (u32 t = 0; t < 4; ++t) {
    for (u32 p = 0; p < 2; ++p) {
      V16 x = pair[p][t >> 1], y = pair[p + 2][t >> 1];
      c.of[2 * t + p] =
          t & 1 ? __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
                : __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    }
  }
  return c;
}
inline void storeColumns(Warp &w, const u32 *regs, const Columns &c) {
  for (u32 v = 0; v < 4; ++v) {
    u32 p = v & 1;
    V16 pair[2];
    for (u32 h = 0; h < 2; ++h) {
      V16 x = c.of[4 * h + p], y = c.of[4 * h + 2 + p];
      pair[h] = v & 2 ? __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
                      : __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    }
    V16 low = __builtin_shufflevector(pair[0], pair[1], 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    V16 high = __builtin_shufflevector(pair[0], pair[1], 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
    std::memcpy(reg<float>(w, regs[v]), &low, 64);
    std::memcpy(reg<float>(w, regs[v]) + 16, &high, 64);
  }
}

inline V16 fuse(V16 x, float y, V16 z) {
#if defined(__clang__)
  V16 ys = {y, y, y, y, y, y, y, y, y, y, y, y, y, y, y, y};
  return __builtin_elementwise_fma(x, ys, z);
#else
  for (u32 e = 0; e < 16; ++e) {
    z[e] = __builtin_fmaf(x[e], y, z[e]);
  }
  return z;
#endif
}

/// c += a * b with f32 accumulators: one fused multiply-add per product, in the order of k. `a` is 16 values a column,
/// `b` eight rows of K.
template <u32 K> inline void multiplyColumns(Columns &c, const V16 *a, const float *b) {
  V16 c0 = c.of[0], c1 = c.of[1], c2 = c.of[2], c3 = c.of[3], c4 = c.of[4], c5 = c.of[5], c6 = c.of[6], c7 = c.of[7];
  for (u32 k = 0; k < K; ++k) {
    V16 x = a[k];
    c0 = fuse(x, b[k], c0);
    c1 = fuse(x, b[K + k], c1);
    c2 = fuse(x, b[2 * K + k], c2);
    c3 = fuse(x, b[3 * K + k], c3);
    c4 = fuse(x, b[4 * K + k], c4);
    c5 = fuse(x, b[5 * K + k], c5);
    c6 = fuse(x, b[6 * K + k], c6);
    c7 = fuse(x, b[7 * K + k], c7);
  }
  c = {{c0, c1, c2, c3, c4, c5, c6, c7}};
}

/// f16 and bf16 operands: tiles of 8 x 8 halves, one register each.
template <class A, u32 K> inline void halfOperands(Warp &w, const MmaInfo &m, V16 *a, float *b) {
  for (u32 block = 0; block < K / 8; ++block) {
    alignas(64) u16 both[8][16];
    for (u32 half = 0; half < 2; ++half) {
      H64 tile;
      std::memcpy(&tile, reg<u16>(w, m.ra[2 * block + half]), 128);
      tile = transposeHalves(tile);
      alignas(64) u16 rows[8][8];
      std::memcpy(rows, &tile, 128);
      for (u32 k = 0; k < 8; ++k) {
        std::memcpy(both[k] + 8 * half, rows[k], 16);
      }
    }
    for (u32 k = 0; k < 8; ++k) {
      H16 column;
      std::memcpy(&column, both[k], 32);
      a[8 * block + k] = A::widen(column);
    }
    for (u32 n = 0; n < 8; n += 2) {
      H16 two;
      std::memcpy(&two, reg<u16>(w, m.rb[block]) + 8 * n, 32);
      V16 wide = A::widen(two);
      std::memcpy(b + n * K + 8 * block, &wide, 32);
      std::memcpy(b + (n + 1) * K + 8 * block, reinterpret_cast<const char *>(&wide) + 32, 32);
    }
  }
}

template <class A, class B, u32 K> void mmaFloat(Warp &w, const DInst &i, u32 exec) {
  const MmaInfo &m = *static_cast<const MmaInfo *>(i.extra);
  if (!requireWholeWarp(w, i, exec)) {
    return;
  }
  using RawA = typename A::Raw;
  using RawB = typename B::Raw;
  V16 a[K];
  alignas(64) float b[8 * K];
  if constexpr (sizeof(RawA) == 2) {
    halfOperands<A, K>(w, m, a, b);
  } else {
    alignas(64) RawA rawA[16][K];
    alignas(64) RawB rawB[8][K];
    copyFragment<16>(w, reinterpret_cast<u8 *>(rawA), K * sizeof(RawA), m.ra, m.na, true);
    copyFragment<16>(w, reinterpret_cast<u8 *>(rawB), K * sizeof(RawB), m.rb, m.nb, false);
    for (u32 row = 0; row < 16; ++row) {
      for (u32 k = 0; k < K; ++k) {
        a[k][row] = A::of(rawA[row][k]);
      }
    }
    for (u32 n = 0; n < 8; ++n) {
      for (u32 k = 0; k < K; ++k) {
        b[n * K + k] = B::of(rawB[n][k]);
      }
    }
  }
  Columns c;
  if (m.c == Ty::F16) {
    float rows[16][8];
    loadHalfAccumulator(w, m, rows);
    for (u32 n = 0; n < 8; ++n) {
      for (u32 row = 0; row < 16; ++row) {
        c.of[n][row] = rows[row][n];
      }
    }
  } else {
    c = loadColumns(w, m.rc);
  }
  multiplyColumns<K>(c, a, b);
  if (m.d == Ty::F16) {
    float rows[16][8];
    for (u32 n = 0; n < 8; ++n) {
      for (u32 row = 0; row < 16; ++row) {
        rows[row][n] = c.of[n][row];
      }
    }
    storeHalfAccumulator(w, m, rows);
  } else {
    for (V16 &column : c.of) {
      W16 isNan = bits<W16>(column != column);
      column = bits<V16>((bits<W16>(column) & ~isNan) | (isNan & 0x7fffffff));
    }
    storeColumns(w, m.rd, c);
  }
  mmaDefined(w, i, m);
}

template <u32 M, u32 K> void mmaDouble(Warp &w, const DInst &i, u32 exec) {
  const MmaInfo &m = *static_cast<const MmaInfo *>(i.extra);
  if (!requireWholeWarp(w, i, exec)) {
    return;
  }
  alignas(64) double a[M][K], bt[8][K], b[K][8], c[M][8];
  copyFragment<32>(w, reinterpret_cast<u8 *>(a), K * 8, m.ra, m.na, M == 16);
  copyFragment<32>(w, reinterpret_cast<u8 *>(bt), K * 8, m.rb, m.nb, false);
  for (u32 k = 0; k < K; ++k) {
    for (u32 n = 0; n < 8; ++n) {
      b[k][n] = bt[n][k];
    }
  }
  loadAccumulator<double>(w, m, c);
  multiply<K, double>(c, a, b, M);
  for (auto &row : c) {
    for (double &x : row) {
      x = canonical(x);
    }
  }
  storeAccumulator<double>(w, m, c);
  mmaDefined(w, i, m);
}

/// s8, u8, s4, u4 and b1: K elements of `bits` bits, low ones first.
void mmaInteger(Warp &w, const DInst &i, u32 exec) {
  const MmaInfo &m = *static_cast<const MmaInfo *>(i.extra);
  if (!requireWholeWarp(w, i, exec)) {
    return;
  }
  u32 width = typeBits(m.a), rowBytes = m.kFull * width / 8, rows = m.m;
  alignas(64) u8 a[16 * 32], b[8 * 32];
  copyFragment<16>(w, a, rowBytes, m.ra, m.na, rows == 16);
  copyFragment<16>(w, b, rowBytes, m.rb, m.nb, false);
  i32 c[16][8];
  loadAccumulator<i32>(w, m, c);
  auto element = [&](const u8 *row, u32 k, Ty type) -> i32 {
    if (width == 8) {
      return type == Ty::S8 ? i32(i8(row[k])) : i32(row[k]);
    }
    i32 x = (row[k / 2] >> (4 * (k & 1))) & 15;
    return type == Ty::S4 && x >= 8 ? x - 16 : x;
  };
  i32 wide[2][16][128];
  if (width != 1) {
    for (u32 r = 0; r < rows; ++r) {
      for (u32 k = 0; k < m.kFull; ++k) {
        wide[0][r][k] = element(a + r * rowBytes, k, m.a);
      }
    }
    for (u32 n = 0; n < 8; ++n) {
      for (u32 k = 0; k < m.kFull; ++k) {
        wide[1][n][k] = element(b + n * rowBytes, k, m.b);
      }
    }
  }
  for (u32 r = 0; r < rows; ++r) {
    for (u32 n = 0; n < 8; ++n) {
      i32 sum = 0;
      if (width == 1) {
        for (u32 k = 0; k < rowBytes; k += 4) {
          u32 x, y;
          std::memcpy(&x, a + r * rowBytes + k, 4);
          std::memcpy(&y, b + n * rowBytes + k, 4);
          sum += __builtin_popcount(m.isAnd ? x & y : x ^ y);
        }
      } else {
        for (u32 k = 0; k < m.kFull; ++k) {
          sum += wide[0][r][k] * wide[1][n][k];
        }
      }
      i64 total = i64(c[r][n]) + sum;
      c[r][n] = m.satfinite ? static_cast<i32>(total > INT32_MAX   ? INT32_MAX
                                               : total < INT32_MIN ? INT32_MIN
                                                                   : total)
                            : static_cast<i32>(static_cast<u32>(total));
    }
  }
  storeAccumulator<i32>(w, m, c);
  mmaDefined(w, i, m);
}

const HandlerRow rows[] = {
    {"ldmatrix", &loadMatrix},
    {"stmatrix", &storeMatrix},
    {"movmatrix", &moveMatrix},
    {"mma.f16.8", &mmaFloat<HalfToFloat, HalfToFloat, 8>},
    {"mma.f16.16", &mmaFloat<HalfToFloat, HalfToFloat, 16>},
    {"mma.bf16.8", &mmaFloat<BfToFloat, BfToFloat, 8>},
    {"mma.bf16.16", &mmaFloat<BfToFloat, BfToFloat, 16>},
    {"mma.tf32.4", &mmaFloat<Tf32ToFloat, Tf32ToFloat, 4>},
    {"mma.tf32.8", &mmaFloat<Tf32ToFloat, Tf32ToFloat, 8>},
    {"mma.e4m3.e4m3.16", &mmaFloat<E4m3ToFloat, E4m3ToFloat, 16>},
    {"mma.e4m3.e5m2.16", &mmaFloat<E4m3ToFloat, E5m2ToFloat, 16>},
    {"mma.e5m2.e4m3.16", &mmaFloat<E5m2ToFloat, E4m3ToFloat, 16>},
    {"mma.e5m2.e5m2.16", &mmaFloat<E5m2ToFloat, E5m2ToFloat, 16>},
    {"mma.e4m3.e4m3.32", &mmaFloat<E4m3ToFloat, E4m3ToFloat, 32>},
    {"mma.e4m3.e5m2.32", &mmaFloat<E4m3ToFloat, E5m2ToFloat, 32>},
    {"mma.e5m2.e4m3.32", &mmaFloat<E5m2ToFloat, E4m3ToFloat, 32>},
    {"mma.e5m2.e5m2.32", &mmaFloat<E5m2ToFloat, E5m2ToFloat, 32>},
    {"mma.f64.8.4", &mmaDouble<8, 4>},
    {"mma.f64.16.4", &mmaDouble<16, 4>},
    {"mma.f64.16.8", &mmaDouble<16, 8>},
    {"mma.f64.16.16", &mmaDouble<16, 16>},
    {"mma.integer", &mmaInteger},
};

} // namespace

Table mmaTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

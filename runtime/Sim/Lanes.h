// Loops over the 32 lanes of a warp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that include this header are compiled several times, each for another vector width of the host, into a
// namespace of their own (PAVAGE_SIM_VARIANT); the loader takes the widest that the host can run. They must not use
// templates of the C++ library that are not inlined: the linker would keep one copy, possibly that for the widest host.
//
// A handler computes all lanes, also those that are masked off: all operations are total, and a full-width loop without
// branches is what vectorises. Lanes that have exited may be overwritten, so that a warp with a partial tail takes the
// unmasked path too.
#pragma once

#include "runtime/Sim/Floats.h"
#include "runtime/Sim/Machine.h"

#include <cstring>

#ifndef PAVAGE_SIM_VARIANT
#define PAVAGE_SIM_VARIANT base
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // loops around libm calls stay scalar
#define PAVAGE_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define PAVAGE_LANES _Pragma("GCC ivdep")
#endif

namespace pavage::sim::PAVAGE_SIM_VARIANT {

template <class T> inline T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }
inline u32 mask(Warp &w, u32 offset) { return *reinterpret_cast<u32 *>(w.r + offset); }

inline bool isFull(const Warp &w, u32 exec) { return (exec | w.dead) == ~0u; }

/// Writes the lanes of exec. N is 32, or 64 for packed halves.
template <u32 N, class D> inline void blend(D *d, const D *t, u32 exec) {
  constexpr u32 shift = N == 64 ? 1 : 0;
  PAVAGE_LANES
  for (u32 l = 0; l < N; ++l) {
    d[l] = (exec >> (l >> shift)) & 1 ? t[l] : d[l];
  }
}

template <class D, class A, auto F, u32 N = 32> void unary(Warp &w, const DInst &i, u32 exec) {
  const A *a = reg<A>(w, i.a);
  D *d = reg<D>(w, i.d);
  if (isFull(w, exec)) {
    PAVAGE_LANES
    for (u32 l = 0; l < N; ++l) {
      d[l] = F(a[l]);
    }
    return;
  }
  alignas(64) D t[N];
  PAVAGE_LANES
  for (u32 l = 0; l < N; ++l) {
    t[l] = F(a[l]);
  }
  blend<N>(d, t, exec);
}

template <class D, class A, class B, auto F, u32 N = 32> void binary(Warp &w, const DInst &i, u32 exec) {
  const A *a = reg<A>(w, i.a);
  const B *b = reg<B>(w, i.b);
  D *d = reg<D>(w, i.d);
  if (isFull(w, exec)) {
    PAVAGE_LANES
    for (u32 l = 0; l < N; ++l) {
      d[l] = F(a[l], b[l]);
    }
    return;
  }
  alignas(64) D t[N];
  PAVAGE_LANES
  for (u32 l = 0; l < N; ++l) {
    t[l] = F(a[l], b[l]);
  }
  blend<N>(d, t, exec);
}

template <class D, class A, class B, class C, auto F, u32 N = 32> void ternary(Warp &w, const DInst &i, u32 exec) {
  const A *a = reg<A>(w, i.a);
  const B *b = reg<B>(w, i.b);
  const C *c = reg<C>(w, i.c);
  D *d = reg<D>(w, i.d);
  if (isFull(w, exec)) {
    PAVAGE_LANES
    for (u32 l = 0; l < N; ++l) {
      d[l] = F(a[l], b[l], c[l]);
    }
    return;
  }
  alignas(64) D t[N];
  PAVAGE_LANES
  for (u32 l = 0; l < N; ++l) {
    t[l] = F(a[l], b[l], c[l]);
  }
  blend<N>(d, t, exec);
}

/// The mask of lanes where F holds.
template <class A, class B, auto F> inline u32 compareMask(const A *a, const B *b) {
  u32 bits = 0;
  PAVAGE_LANES
  for (u32 l = 0; l < 32; ++l) {
    bits |= static_cast<u32>(F(a[l], b[l])) << l;
  }
  return bits;
}

inline void writeMask(Warp &w, u32 offset, u32 bits, u32 exec) {
  u32 *d = reinterpret_cast<u32 *>(w.r + offset);
  *d = (*d & ~exec) | (bits & exec);
}

#define U1(name, D, A, expr) {name, &unary<D, A, [](A a) -> D { return expr; }>},
#define U1x2(name, D, A, expr) {name, &unary<D, A, [](A a) -> D { return expr; }, 64>},
#define U2(name, D, A, B, expr) {name, &binary<D, A, B, [](A a, B b) -> D { return expr; }>},
#define U2x2(name, D, A, B, expr) {name, &binary<D, A, B, [](A a, B b) -> D { return expr; }, 64>},
#define U3(name, D, A, B, C, expr) {name, &ternary<D, A, B, C, [](A a, B b, C c) -> D { return expr; }>},
#define U3x2(name, D, A, B, C, expr) {name, &ternary<D, A, B, C, [](A a, B b, C c) -> D { return expr; }, 64>},

} // namespace pavage::sim::PAVAGE_SIM_VARIANT

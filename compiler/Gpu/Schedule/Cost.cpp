// The cost model. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Schedule/Cost.h"

#include "dialect/Layout/Convert.h"
#include <algorithm>

using pavage::layout::Layout;
using pavage::layout::Place;

namespace pavage::gpu {

namespace {
constexpr double issue = 0.25;      // cycles per warp instruction
constexpr double perAccess = 4;     // cycles of the load-store unit per instruction
constexpr double perSector = 2;     // cycles per 32 bytes of global memory
constexpr double perShuffle = 1;    // one pass over the shared-memory crossbar
constexpr double sharedBytes = 128; // per cycle
constexpr double meeting = 60;      // a barrier and the latency before it

double registersOf(const Layout &layout) { return double(uint64_t(1) << layout.numBits(Place::Register)); }
} // namespace

double elementwiseCost(const Layout &layout, int warps) { return registersOf(layout) * warps * issue; }

double accessCost(const Access &access, const Layout &layout, int warps) {
  int64_t vector = access.vectorOf(layout);
  double instructions = registersOf(layout) / double(vector) * warps;
  return instructions * (perAccess + perSector * double(access.sectorsOf(layout, vector)));
}

double reduceCost(const Layout &layout, int axis, int warps) {
  auto isAlong = [&](layout::Vector image) { return layout.unpack(image)[axis] != 0; };
  double left = registersOf(layout), cost = left * warps * issue;
  for (layout::Vector image : layout.basis(Place::Register)) {
    left /= isAlong(image) ? 2 : 1;
  }
  for (layout::Vector image : layout.basis(Place::Lane)) {
    cost += isAlong(image) ? left * warps * (perShuffle + issue) : 0;
  }
  bool crosses = std::any_of(layout.basis(Place::Warp).begin(), layout.basis(Place::Warp).end(), isAlong);
  return cost + (crosses ? 2 * meeting + left * warps * 2 : 0);
}

double conversionCost(const Layout &from, const Layout &to, int64_t elementBytes, int warps) {
  double words = std::max(registersOf(from), registersOf(to)) * double(std::max<int64_t>(1, elementBytes)) / 4;
  switch (layout::classify(from, to)) {
  case layout::Conversion::Nothing:
    return 0;
  case layout::Conversion::Registers:
    return 0.1 * words * warps * issue;
  case layout::Conversion::Shuffle:
    return words * warps * (perShuffle + 4 * issue);
  case layout::Conversion::Shared:
    break;
  }
  double bytes = (registersOf(from) + registersOf(to)) * 32 * warps * double(elementBytes);
  return 2 * meeting + 1.5 * bytes / sharedBytes;
}

} // namespace pavage::gpu

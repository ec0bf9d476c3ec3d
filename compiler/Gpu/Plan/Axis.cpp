// Axes bit by bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Plan/Axis.h"

#include <algorithm>
#include <bit>

using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::layout::Vector;
using pavage::layout::Vectors;

namespace pavage::gpu {

std::vector<Axis::Run> Axis::runs() const {
  std::vector<Run> result;
  for (int bit = 0; bit < static_cast<int>(bits.size()); ++bit) {
    bool isNew = result.empty() || result.back().place != bits[bit].place;
    isNew |= bits[bit].place == Place::Lane && bit > 0 && bits[bit].number < bits[bit - 1].number;
    if (isNew) {
      result.push_back({bits[bit].place, bit, 0});
    }
    ++result.back().count;
  }
  return result;
}

uint32_t Axis::placeMask(Place place, int first, int count) const {
  uint32_t mask = 0;
  for (int bit = first; bit < first + count; ++bit) {
    mask |= bits[bit].place == place ? 1u << bits[bit].number : 0;
  }
  return mask;
}

std::optional<Axis> axisOf(const Layout &layout, int axis) {
  layout::Coordinates all(layout.rank(), 0);
  all[axis] = (int64_t(1) << layout.axisBits(axis)) - 1;
  Axis result{layout.extents()[axis], layout.pack(all), {}};
  int shift = std::countr_zero(result.mask);
  result.bits.assign(layout.axisBits(axis), {Place::Register, -1});
  for (Place place : {Place::Register, Place::Lane, Place::Warp}) {
    for (int number = 0; number < layout.numBits(place); ++number) {
      Vector image = layout.basis(place)[number];
      if ((image & result.mask) == 0) {
        continue;
      }
      if (!std::has_single_bit(image)) {
        return std::nullopt;
      }
      Axis::Bit &bit = result.bits[std::countr_zero(image) - shift];
      if (bit.number >= 0) {
        return std::nullopt;
      }
      bit = {place, number};
    }
  }
  bool isWhole = std::all_of(result.bits.begin(), result.bits.end(), [](Axis::Bit bit) { return bit.number >= 0; });
  return isWhole ? std::optional(result) : std::nullopt;
}

WarpExchange warpExchange(const Layout &layout, const Axis &axis, Axis::Run run, Vector done) {
  WarpExchange exchange;
  exchange.count = run.count;
  layout::Rounds kept{done};
  auto classOf = [&](Vector image) { return kept.rest(image & ~done) << run.count; };
  Layout::Bases writer, reader;
  for (int bit = 0; bit < run.count; ++bit) {
    reader[static_cast<int>(Place::Register)].push_back(Vector(1) << bit);
  }
  for (Vector image : layout.basis(Place::Register)) {
    // Bits of folded registers have no class; a layout drops them by itself.
    writer[static_cast<int>(Place::Register)].push_back(classOf(image));
    reader[static_cast<int>(Place::Register)].push_back(classOf(image));
  }
  for (Vector image : layout.basis(Place::Lane)) {
    writer[static_cast<int>(Place::Lane)].push_back(classOf(image));
    reader[static_cast<int>(Place::Lane)].push_back(classOf(image));
  }
  for (int number = 0; number < layout.numBits(Place::Warp); ++number) {
    Vector image = classOf(layout.basis(Place::Warp)[number]), own = image;
    for (int bit = 0; bit < run.count; ++bit) {
      own = axis.bits[run.first + bit].number == number ? Vector(1) << bit : own;
    }
    writer[static_cast<int>(Place::Warp)].push_back(own);
    reader[static_cast<int>(Place::Warp)].push_back(image);
  }
  int classBits = layout.totalBits() - std::popcount(done);
  std::vector<int64_t> extents = {int64_t(1) << classBits, int64_t(1) << run.count};
  exchange.writer = Layout(extents, std::move(writer));
  exchange.reader = Layout(extents, std::move(reader));
  return exchange;
}

std::vector<WarpExchange> reduceExchanges(const Layout &layout, const Axis &axis) {
  // Order does not matter, so all warps are one run.
  Axis gathered = axis;
  std::erase_if(gathered.bits, [](Axis::Bit bit) { return bit.place != Place::Warp; });
  int count = std::popcount(axis.placeMask(Place::Warp));
  if (count == 0) {
    return {};
  }
  return {warpExchange(layout, gathered, {Place::Warp, 0, count}, axis.mask)};
}

std::vector<WarpExchange> scanExchanges(const Layout &layout, const Axis &axis) {
  std::vector<WarpExchange> result;
  int shift = std::countr_zero(axis.mask);
  for (Axis::Run run : axis.runs()) {
    if (run.place == Place::Warp) {
      Vector done = ((Vector(1) << (run.first + run.count)) - 1) << shift;
      result.push_back(warpExchange(layout, axis, run, done));
    }
  }
  return result;
}

} // namespace pavage::gpu

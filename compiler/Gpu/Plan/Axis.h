// Where the bits of one axis of a tile lie, for ops that work along it. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Reductions, scans and sorts take an axis bit by bit. What a step costs depends on where the bit is: between registers
// of a lane it is arithmetic, between lanes a shuffle, between warps a way through shared memory. The plan is the same
// for the room that sizes the scratch memory and for the one that writes the code.
#ifndef PAVAGE_COMPILER_GPU_PLAN_AXIS_H
#define PAVAGE_COMPILER_GPU_PLAN_AXIS_H

#include "dialect/Layout/SharedMove.h"
#include <optional>
#include <vector>

namespace pavage::gpu {

struct Axis {
  struct Bit {
    layout::Place place; ///< Register, Lane or Warp
    int number;          ///< of the bit of that place
  };
  /// Neighbouring bits in one kind of place, those of lanes in ascending order.
  struct Run {
    layout::Place place;
    int first, count; ///< bits of the axis
  };

  int64_t extent;
  layout::Vector mask;   ///< packed coordinate bits of the axis
  std::vector<Bit> bits; ///< from the lowest

  bool isPadded() const { return extent != int64_t(1) << bits.size(); }
  std::vector<Run> runs() const;
  /// The place's bits that stand for axis bits first .. first + count - 1.
  uint32_t placeMask(layout::Place place, int first, int count) const;
  uint32_t placeMask(layout::Place place) const { return placeMask(place, 0, static_cast<int>(bits.size())); }
};

/// Nothing where a bit of a place touches the axis and something else, or where an axis bit is in two places: such a
/// layout is no order along the axis.
std::optional<Axis> axisOf(const layout::Layout &layout, int axis);

/// Values that warps exchange: each has one for every class of its registers modulo what is folded already, and needs
/// those of all warps that differ in `count` bits.
struct WarpExchange {
  layout::Layout writer, reader; ///< axis 0: classes of elements, axis 1: the warps; the reader's lowest registers
                                 ///< count warps
  int count = 0;
};
/// `done`: packed coordinate bits that are folded or that `run`, of warps, is about to fold.
WarpExchange warpExchange(const layout::Layout &layout, const Axis &axis, Axis::Run run, layout::Vector done);

/// All exchanges of a reduction along the axis (none or one), and of a scan, in order.
std::vector<WarpExchange> reduceExchanges(const layout::Layout &layout, const Axis &axis);
std::vector<WarpExchange> scanExchanges(const layout::Layout &layout, const Axis &axis);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_PLAN_AXIS_H

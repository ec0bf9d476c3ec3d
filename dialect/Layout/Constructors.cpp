// Blocked, mma and shared-memory layouts. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Constructors.h"

#include "dialect/Layout/Convert.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace pavage::layout {

namespace {

/// Gives away the bits of a tile, from the lowest of each axis upwards.
class Dealer {
public:
  explicit Dealer(const std::vector<int64_t> &extents) : shape(extents, {}), used(extents.size(), 0) {}

  /// `count` bits of `axis` to a place; bits that the tile lacks become copies, or vanish for registers.
  void give(Place place, int axis, int count) {
    for (int i = 0; i < count; ++i) {
      Vector image = 0;
      if (used[axis] < shape.axisBits(axis)) {
        Coordinates unit(shape.rank(), 0);
        unit[axis] = int64_t(1) << used[axis]++;
        image = shape.pack(unit);
      }
      bases[static_cast<int>(place)].push_back(image);
    }
  }

  /// Bits of an axis that are still to be given.
  int left(int axis) const { return shape.axisBits(axis) - used[axis]; }

  /// `count` bits of copies.
  void copy(Place place, int count) {
    bases[static_cast<int>(place)].insert(bases[static_cast<int>(place)].end(), count, Vector(0));
  }

  /// What is left goes to registers, axes in `order`.
  Layout finish(const std::vector<int> &order) {
    for (int axis : order) {
      give(Place::Register, axis, shape.axisBits(axis) - used[axis]);
    }
    return Layout(shape.extents(), bases);
  }

private:
  Layout shape;
  std::vector<int> used;
  Layout::Bases bases;
};

int log2Of(int64_t value) {
  assert(std::has_single_bit(static_cast<uint64_t>(value)) && "needs a power of two");
  return std::countr_zero(static_cast<uint64_t>(value));
}

} // namespace

Layout blocked(const std::vector<int64_t> &extents, const std::vector<int64_t> &perLane,
               const std::vector<int64_t> &lanes, const std::vector<int64_t> &warps, const std::vector<int> &order) {
  Dealer dealer(extents);
  for (int axis : order) {
    dealer.give(Place::Register, axis, std::min(log2Of(perLane[axis]), bitsFor(extents[axis])));
  }
  for (int axis : order) {
    dealer.give(Place::Lane, axis, log2Of(lanes[axis]));
  }
  for (int axis : order) {
    dealer.give(Place::Warp, axis, log2Of(warps[axis]));
  }
  return dealer.finish(order);
}

Layout dealt(const std::vector<int64_t> &extents, int64_t perLane, int warps, const std::vector<int> &order,
             int warpAxes) {
  Dealer dealer(extents);
  if (!order.empty()) {
    dealer.give(Place::Register, order.front(), std::min(log2Of(perLane), bitsFor(extents[order.front()])));
  }
  auto deal = [&](Place place, int count, size_t from) {
    for (size_t i = from; i < order.size(); ++i) {
      int taken = std::min(count, dealer.left(order[i]));
      dealer.give(place, order[i], taken);
      count -= taken;
    }
    dealer.copy(place, count);
  };
  deal(Place::Lane, 5, 0);
  deal(Place::Warp, log2Of(warps), warpAxes);
  return dealer.finish(order);
}

/// The axes of a product's operand, M x K or K x N, behind an optional batch axis.
struct ProductAxes {
  explicit ProductAxes(size_t rank) : first(static_cast<int>(rank) - 2), second(first + 1) {
    assert((rank == 2 || rank == 3) && "a matrix, or a batch of them");
  }
  int first, second;
};

Layout mmaAccumulator(const std::vector<int64_t> &extents, const std::vector<int64_t> &warps) {
  auto [m, n] = ProductAxes(extents.size());
  Dealer dealer(extents);
  dealer.give(Place::Register, n, 1); // v & 1
  dealer.give(Place::Lane, n, 2);     // t
  dealer.give(Place::Lane, m, 3);     // g
  dealer.give(Place::Register, m, 1); // v >> 1
  dealer.give(Place::Warp, m, log2Of(warps[m]));
  dealer.give(Place::Warp, n, log2Of(warps[n]));
  std::vector<int> rest{n, m};
  if (m == 1) {
    dealer.give(Place::Warp, 0, log2Of(warps[0]));
    rest.push_back(0);
  }
  return dealer.finish(rest);
}

Layout mmaOperand(int side, const std::vector<int64_t> &extents, int elementBits, const std::vector<int64_t> &warps) {
  // One 32-bit register holds 32 / elementBits neighbours along K.
  int inRegister = std::max(0, log2Of(32) - log2Of(elementBits));
  auto [first, second] = ProductAxes(extents.size());
  int k = side == 0 ? second : first, other = side == 0 ? first : second;
  Dealer dealer(extents);
  dealer.give(Place::Register, k, inRegister); // j
  dealer.give(Place::Lane, k, 2);              // t
  dealer.give(Place::Lane, other, 3);          // g
  if (side == 0) {
    dealer.give(Place::Register, other, 1); // r & 1: row + 8
  }
  dealer.give(Place::Register, k, 1); // the upper half of K
  // Warps along the other operand's axis see the same data: copies, in the order in which mmaAccumulator numbers its
  // warps, M first.
  if (side == 1) {
    dealer.copy(Place::Warp, log2Of(warps[first]));
  }
  dealer.give(Place::Warp, other, log2Of(warps[other]));
  if (side == 0) {
    dealer.copy(Place::Warp, log2Of(warps[second]));
  }
  std::vector<int> rest{k, other};
  if (first == 1) {
    dealer.give(Place::Warp, 0, log2Of(warps[0]));
    rest.push_back(0);
  }
  return dealer.finish(rest);
}

Layout sharedPlain(const std::vector<int64_t> &extents, const std::vector<int> &order) {
  Layout shape(extents, {});
  Layout::Bases bases;
  for (int axis : order) {
    for (int bit = 0; bit < shape.axisBits(axis); ++bit) {
      Coordinates unit(extents.size(), 0);
      unit[axis] = int64_t(1) << bit;
      bases[static_cast<int>(Place::Offset)].push_back(shape.pack(unit));
    }
  }
  return Layout(extents, bases);
}

Layout sharedSwizzled(const Layout &writer, const Layout &reader, int elementBytes) {
  Vectors common = intersect(writer.basis(Place::Register), reader.basis(Place::Register));
  int most = std::max(0, 4 - log2Of(elementBytes));
  Vectors run(common.begin(), common.begin() + std::min<size_t>(most, common.size()));
  // Elements of one 4-byte word never conflict with each other, so a word is filled up first, with the reader's
  // neighbours where it has any.
  Vectors neighbours = reader.basis(Place::Register);
  for (Place place : {Place::Register, Place::Lane}) {
    const Vectors &own = writer.basis(place);
    neighbours.insert(neighbours.end(), own.begin(), own.end());
  }
  for (Vector x : extend(run, neighbours)) {
    if (static_cast<int>(run.size()) < 2 - log2Of(elementBytes)) {
      run.push_back(x);
    }
  }
  return sharedSwizzled(writer.basis(Place::Lane), reader.basis(Place::Lane), run, writer.extents(), elementBytes);
}

Layout sharedSwizzled(const Vectors &writerLanes, const Vectors &readerLanes, const Vectors &run,
                      const std::vector<int64_t> &extents, int elementBytes) {
  // Offsets are, from the lowest: elements of one access, then the banks, then rows of 128 bytes. A phase of an access
  // (as many lanes as fill 128 bytes) is free of conflicts when no two of its lanes differ only in the row, that is,
  // when the space of rows meets the phase's space only in 0. Two spaces always have a common complement.
  int bits = Layout(extents, {}).totalBits();
  int runBits = static_cast<int>(run.size());
  int bankBits = std::min(7 - log2Of(elementBytes) - runBits, bits - runBits);
  int rowBits = bits - runBits - bankBits;

  auto phase = [&](const Vectors &lanes) {
    Vectors space = run;
    for (Vector lane : lanes) {
      if (static_cast<int>(space.size()) < runBits + bankBits && !contains(space, lane)) {
        space.push_back(lane);
      }
    }
    Vectors rest = extend(space, complement(space, bits));
    for (Vector x : rest) { // fill up, so that both have one dimension
      if (static_cast<int>(space.size()) < runBits + bankBits) {
        space.push_back(x);
      }
    }
    return space;
  };
  Vectors p = phase(writerLanes), q = phase(readerLanes);
  Vectors rows = commonComplement(p, q, bits);
  assert(static_cast<int>(rows.size()) == rowBits && "complement of the phase");
  Vectors offsets = run;
  Vectors fixed = run;
  fixed.insert(fixed.end(), rows.begin(), rows.end());
  Vectors banks = extend(fixed, p);
  offsets.insert(offsets.end(), banks.begin(), banks.end());
  offsets.insert(offsets.end(), rows.begin(), rows.end());
  Layout::Bases bases;
  bases[static_cast<int>(Place::Offset)] = offsets;
  return Layout(extents, bases);
}

} // namespace pavage::layout

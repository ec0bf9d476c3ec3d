// Planning the exchange of data within warps. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place of `to` is a register c and a context x, the bits of lane and warp. Its element lies in `from` at a register
// and a lane that are linear in (c, x), up to places of `from` that hold the same element. In one step the lane at x
// fills slot c + A x; A is chosen so that the source lane is the own one wherever that can be, and otherwise so that
// lanes which read from one lane want the same register of it. Where no A does that, the slots get a bit more: a lane
// receives both candidates and drops one.
#include "dialect/Layout/Shuffle.h"

#include "dialect/Layout/Convert.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace pavage::layout {

namespace {

/// Columns of the planned maps; a source (register, lane) is one vector, the lane above the register.
class Planner {
public:
  Planner(const Layout &from, const Layout &to) : from(from), to(to), registerBits(from.numBits(Place::Register)) {
    columns = from.basis(Place::Register);
    const Vectors &lanes = from.basis(Place::Lane);
    columns.insert(columns.end(), lanes.begin(), lanes.end());
    for (Vector image : to.basis(Place::Register)) {
      slots.push_back(sourceOfImage(image));
    }
    equal = kernelOf(columns);
    chooseSlots();
  }

  Vector registerOf(Vector source) const { return source & ((Vector(1) << registerBits) - 1); }
  Vector laneOf(Vector source) const { return source >> registerBits; }

  Vectors slots;                    ///< source of each slot bit
  Vectors lanes, warps;             ///< source of each bit of lane and warp, with A x in the slot
  Vectors slotOfLanes, slotOfWarps; ///< A

private:
  Vector sourceOfImage(Vector image) const {
    std::optional<Vector> source = solve(columns, image);
    assert(source && "the conversion stays within warps");
    return *source;
  }

  /// What may be added to a source: places with the same element, then other slots.
  struct Choice {
    Vector source, slot;
  };
  /// The sum of choices whose part `part` of the source is `wanted`.
  template <typename Part> std::optional<Choice> choose(Part part, Vector wanted) const {
    Vectors parts;
    for (Vector source : equal) {
      parts.push_back(part(source));
    }
    for (Vector source : slots) {
      parts.push_back(part(source));
    }
    std::optional<Vector> sum = solve(parts, wanted);
    if (!sum) {
      return std::nullopt;
    }
    Vectors all = equal;
    all.insert(all.end(), slots.begin(), slots.end());
    return Choice{multiply(all, *sum), *sum >> equal.size()};
  }

  void chooseSlots() {
    auto lanePart = [&](Vector source) { return laneOf(source); };
    int numLanes = std::max(from.numBits(Place::Lane), to.numBits(Place::Lane));
    Vectors targets = to.basis(Place::Lane);
    targets.resize(numLanes, 0);
    lanes.assign(numLanes, 0);
    slotOfLanes.assign(numLanes, 0);
    std::vector<int> left;
    Vectors reached; // source lanes of the bits that are settled
    for (int bit = 0; bit < numLanes; ++bit) {
      Vector source = sourceOfImage(targets[bit]);
      if (auto choice = choose(lanePart, laneOf(source) ^ (Vector(1) << bit));
          choice && bit < from.numBits(Place::Lane)) {
        lanes[bit] = source ^ choice->source;
        slotOfLanes[bit] = choice->slot;
        reached.push_back(laneOf(lanes[bit]));
      } else {
        lanes[bit] = source;
        left.push_back(bit);
      }
    }
    for (int bit : left) {
      settle(bit, reached, left);
    }
    auto sameWarp = [&](Vector source) { return laneOf(source); };
    const Vectors &fromWarps = from.basis(Place::Warp), &toWarps = to.basis(Place::Warp);
    for (size_t bit = 0; bit < std::max(fromWarps.size(), toWarps.size()); ++bit) {
      Vector difference = (bit < fromWarps.size() ? fromWarps[bit] : 0) ^ (bit < toWarps.size() ? toWarps[bit] : 0);
      Vector source = sourceOfImage(difference);
      auto choice = choose(sameWarp, laneOf(source));
      warps.push_back(source ^ (choice ? choice->source : 0));
      slotOfWarps.push_back(choice ? choice->slot : 0);
    }
  }

  /// A lane bit that cannot read from the own lane: from a lane that no other reads from, if there is one.
  void settle(int bit, Vectors &reached, const std::vector<int> &left) {
    auto accept = [&](Choice choice) {
      lanes[bit] ^= choice.source;
      slotOfLanes[bit] ^= choice.slot;
      reached.push_back(laneOf(lanes[bit]));
    };
    if (!contains(reached, laneOf(lanes[bit]))) {
      return accept({0, 0});
    }
    for (Vector source : equal) {
      if (!contains(reached, laneOf(lanes[bit] ^ source))) {
        return accept({source, 0});
      }
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!contains(reached, laneOf(lanes[bit] ^ slots[i]))) {
        return accept({slots[i], Vector(1) << i});
      }
    }
    // Lanes share a source lane: they must want one register of it.
    Vectors others;
    for (int other = 0; other < static_cast<int>(lanes.size()); ++other) {
      bool later = std::find(left.begin(), left.end(), other) != left.end() && other >= bit;
      others.push_back(later ? 0 : lanes[other]);
    }
    Vectors otherLanes;
    for (Vector source : others) {
      otherLanes.push_back(laneOf(source));
    }
    Vector residue = lanes[bit] ^ multiply(others, *solve(otherLanes, laneOf(lanes[bit])));
    if (auto choice = choose([](Vector source) { return source; }, residue)) {
      return accept(*choice);
    }
    slots.push_back(residue);
    accept({residue, Vector(1) << (slots.size() - 1)});
  }

  const Layout &from, &to;
  int registerBits;
  Vectors columns;
  Vectors equal; ///< differences between places of one element
};

} // namespace

std::vector<Flip> flipsOf(const Vectors &ofLanes, const Vectors &ofWarps) {
  Vectors all = ofLanes;
  all.insert(all.end(), ofWarps.begin(), ofWarps.end());
  Vectors basis = basisOf(all);
  std::vector<Flip> flips;
  for (Vector registers : basis) {
    flips.push_back({static_cast<uint32_t>(registers), 0, 0});
  }
  for (size_t bit = 0; bit < all.size(); ++bit) {
    Vector used = *solve(basis, all[bit]);
    for (size_t i = 0; i < basis.size(); ++i) {
      if (used >> i & 1) {
        (bit < ofLanes.size() ? flips[i].lanes : flips[i].warps) |=
            1u << (bit < ofLanes.size() ? bit : bit - ofLanes.size());
      }
    }
  }
  return flips;
}

int ShufflePlan::numShuffles() const {
  return static_cast<int>(std::count_if(steps.begin(), steps.end(), [](const Step &step) { return !step.isLocal; }));
}

ShufflePlan planShuffle(const Layout &from, const Layout &to, int elementBits) {
  assert(classify(from, to) <= Conversion::Shuffle && "data crosses warps");
  Planner map(from, to);
  ShufflePlan plan;
  plan.slotBits = static_cast<int>(map.slots.size());

  // What a lane offers depends on the lane itself: Q with Q(source lane of x) = source register of x.
  Vectors sourceLanes, sourceRegisters;
  for (Vector source : map.lanes) {
    sourceLanes.push_back(map.laneOf(source));
    sourceRegisters.push_back(map.registerOf(source));
  }
  int laneBits = static_cast<int>(map.lanes.size());
  Vectors spanned = sourceLanes;
  for (Vector unit : complement(sourceLanes, laneBits)) {
    spanned.push_back(unit);
  }
  Vectors offers;
  for (int bit = 0; bit < laneBits; ++bit) {
    Vector x = *solve(spanned, Vector(1) << bit);
    offers.push_back(multiply(sourceRegisters, x & ((Vector(1) << laneBits) - 1)));
  }
  auto offered = [&](Vector source) { return multiply(offers, map.laneOf(source)) ^ map.registerOf(source); };
  Vectors offersOfWarps;
  for (Vector source : map.warps) {
    offersOfWarps.push_back(offered(source));
    plan.warpImages.push_back(map.laneOf(source));
  }
  plan.laneImages = sourceLanes;
  plan.sendFlips = flipsOf(offers, offersOfWarps);
  plan.receiveFlips = flipsOf(map.slotOfLanes, map.slotOfWarps);
  plan.isButterfly = std::all_of(plan.warpImages.begin(), plan.warpImages.end(), [](Vector v) { return v == 0; });
  for (int bit = 0; bit < laneBits; ++bit) {
    plan.isButterfly &= sourceLanes[bit] == Vector(1) << bit;
  }

  // Slots with one source lane ride together, first those that lie in one word at both ends.
  Vectors slotLanes;
  for (Vector source : map.slots) {
    slotLanes.push_back(map.laneOf(source));
  }
  int perWord = std::max(1, 32 / elementBits);
  Vectors together;
  plan.keepsWords = true;
  for (int bit = 0; 1 << bit < perWord; ++bit) {
    Vector unit = Vector(1) << bit;
    bool isStraight = bit < plan.slotBits && map.laneOf(map.slots[bit]) == 0 && offered(map.slots[bit]) == unit;
    plan.keepsWords &= isStraight;
    if (isStraight) {
      together.push_back(unit);
    }
  }
  for (Vector slot : extend(together, kernelOf(slotLanes))) {
    if (Vector(1) << together.size() < static_cast<Vector>(perWord)) {
      together.push_back(slot);
    }
  }
  for (const auto *flips : {&plan.sendFlips, &plan.receiveFlips}) {
    for (const Flip &flip : *flips) {
      plan.keepsWords &= flip.registers % perWord == 0;
    }
  }
  plan.perWord = perWord;
  std::vector<bool> done(size_t(1) << plan.slotBits, false);
  for (uint32_t slot = 0; slot < 1u << plan.slotBits; ++slot) {
    if (done[slot]) {
      continue;
    }
    ShufflePlan::Step step;
    Vector source = multiply(map.slots, slot);
    step.laneFlip = static_cast<uint32_t>(map.laneOf(source));
    step.isLocal = plan.isButterfly && step.laneFlip == 0;
    for (uint32_t member = 0; member < 1u << together.size(); ++member) {
      Vector other = slot ^ multiply(together, member);
      done[other] = true;
      step.receive.push_back(static_cast<uint32_t>(other));
      step.send.push_back(static_cast<uint32_t>(offered(multiply(map.slots, other))));
    }
    plan.keepsWords &= step.send.front() % perWord == 0; // else the halves of a word change places
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

} // namespace pavage::layout

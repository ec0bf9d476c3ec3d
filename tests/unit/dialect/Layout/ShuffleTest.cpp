// Plans of shuffles, carried out on numbers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Shuffle.h"

#include "dialect/Layout/Constructors.h"
#include "dialect/Layout/Convert.h"
#include "tests/unit/dialect/Layout/RandomLayout.h"
#include <bit>
#include <gtest/gtest.h>

using namespace pavage::layout;

namespace {

using Lanes = std::vector<std::vector<Vector>>; ///< [lane][register] -> element

void flip(Lanes &lanes, const std::vector<Flip> &flips, uint32_t warp) {
  for (const Flip &f : flips) {
    for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
      if ((std::popcount(lane & f.lanes) + std::popcount(warp & f.warps)) % 2 == 0) {
        continue;
      }
      std::vector<Vector> old = lanes[lane];
      for (uint32_t r = 0; r < old.size(); ++r) {
        lanes[lane][r] = old[r ^ f.registers];
      }
    }
  }
}

/// Carries a plan out in every warp; every place of `to` must end with its element.
void check(const Layout &from, const Layout &to, const ShufflePlan &plan, int warps) {
  for (uint32_t warp = 0; warp < static_cast<uint32_t>(warps); ++warp) {
    Lanes source(32), target(32, std::vector<Vector>(size_t(1) << plan.slotBits, ~Vector(0)));
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t r = 0; r < 1u << from.numBits(Place::Register); ++r) {
        source[lane].push_back(from.packedAt({r, lane, warp, 0, 0, 0, 0}));
      }
    }
    flip(source, plan.sendFlips, warp);
    for (const ShufflePlan::Step &step : plan.steps) {
      ASSERT_LE(step.send.size(), static_cast<size_t>(plan.perWord));
      for (size_t i = 0; plan.keepsWords && i < step.send.size(); ++i) {
        ASSERT_EQ(step.send[i] % plan.perWord, i) << "a word travels as it is";
        ASSERT_EQ(step.receive[i] % plan.perWord, i);
        ASSERT_EQ(step.send[i] / plan.perWord, step.send[0] / plan.perWord);
        ASSERT_EQ(step.receive[i] / plan.perWord, step.receive[0] / plan.perWord);
      }
      for (uint32_t lane = 0; lane < 32; ++lane) {
        Vector at = multiply(plan.laneImages, lane) ^ multiply(plan.warpImages, warp) ^ step.laneFlip;
        if (step.isLocal) {
          ASSERT_EQ(at, lane);
        }
        for (size_t i = 0; i < step.send.size(); ++i) {
          target[lane][step.receive[i]] = source[at][step.send[i]];
        }
      }
    }
    flip(target, plan.receiveFlips, warp);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t r = 0; r < 1u << to.numBits(Place::Register); ++r) {
        ASSERT_EQ(target[lane][r], to.packedAt({r, lane, warp, 0, 0, 0, 0})) << from.print() << "to\n" << to.print();
      }
    }
  }
}

/// A layout that differs from `from` within warps only.
Layout shakeWithinWarps(Random &random, const Layout &from, bool pure) {
  Layout::Bases bases;
  for (int place = 0; place < kNumPlaces; ++place) {
    bases[place] = from.basis(Place(place));
  }
  Vectors inner = bases[0];
  inner.insert(inner.end(), bases[1].begin(), bases[1].end());
  std::shuffle(inner.begin(), inner.end(), random);
  for (size_t i = 0; !pure && i < 2 * inner.size(); ++i) {
    size_t a = random() % inner.size(), b = random() % inner.size();
    if (a != b && random() % 2) {
      inner[a] ^= inner[b];
    }
  }
  // Copies among the lanes may become registers' places and the other way round.
  size_t lanes = std::min<size_t>(5, inner.size());
  bases[1].assign(inner.begin(), inner.begin() + lanes);
  bases[0].assign(inner.begin() + lanes, inner.end());
  bases[1].resize(5, 0);
  for (Vector &warp : bases[2]) {
    if (!pure && random() % 3 == 0) {
      warp ^= inner[random() % inner.size()];
    }
  }
  return Layout(from.extents(), bases);
}

} // namespace

TEST(Shuffle, randomPlansMoveEveryElement) {
  Random random(21);
  int shuffles = 0, words = 0;
  for (int round = 0; round < 4000; ++round) {
    Layout from = randomLayout(random, randomExtents(random));
    Layout to = shakeWithinWarps(random, from, round % 2);
    ASSERT_LE(classify(from, to), Conversion::Shuffle);
    ShufflePlan plan = planShuffle(from, to, 8 << round % 4);
    check(from, to, plan, 4);
    if (HasFatalFailure()) {
      return;
    }
    shuffles += plan.numShuffles();
    words += plan.keepsWords;
  }
  EXPECT_GT(shuffles, 0);
  EXPECT_GT(words, 0);
}

TEST(Shuffle, transpositionsOfRegistersAndLanesCostLittle) {
  // One register bit against one lane bit: half the registers travel.
  Layout rows = blocked({32, 2}, {1, 2}, {32, 1}, {1, 1}, {1, 0});
  Layout columns = blocked({32, 2}, {2, 1}, {16, 2}, {1, 1}, {0, 1});
  ShufflePlan plan = planShuffle(rows, columns, 32);
  check(rows, columns, plan, 1);
  EXPECT_EQ(plan.numShuffles(), 2) << "the other lane bits move too";
  Layout::Bases bases;
  bases[0] = {1, 2, 4};
  bases[1] = {8, 16, 32, 64, 128};
  Layout from({256}, bases);
  std::swap(bases[0][2], bases[1][0]);
  Layout to({256}, bases);
  plan = planShuffle(from, to, 32);
  check(from, to, plan, 1);
  EXPECT_EQ(plan.numShuffles(), 4);
  EXPECT_TRUE(plan.isButterfly);
  plan = planShuffle(from, to, 16);
  EXPECT_EQ(plan.numShuffles(), 2) << "halves ride together";
  EXPECT_TRUE(plan.keepsWords);
  plan = planShuffle(from, to, 8);
  EXPECT_EQ(plan.numShuffles(), 1) << "quarters ride together";
  // Nothing to do costs nothing.
  EXPECT_EQ(planShuffle(from, from, 32).numShuffles(), 0);
}

TEST(Shuffle, lanesThatWantDifferentRegistersOfOneLane) {
  // Eight elements in the registers of every fourth lane of bit 0, wanted by all lanes: more registers than one shuffle
  // can offer.
  Layout::Bases from, to;
  from[0] = {1};
  from[1] = {2, 0, 0, 0, 0};
  from[2] = {0};
  to[0] = {};
  to[1] = {1, 0, 0, 0, 0};
  to[2] = {2};
  Layout a({4}, from), b({4}, to);
  ASSERT_EQ(classify(a, b), Conversion::Shuffle);
  check(a, b, planShuffle(a, b, 32), 2);
}

TEST(Shuffle, HalvesThatChangePlacesInTheirWordAreNoWord) {
  std::vector<int64_t> extents = {8, 31, 2};
  auto made = [&](std::vector<Coordinates> registers, std::vector<Coordinates> lanes) {
    Layout shape(extents, {});
    Layout::Bases bases;
    for (const Coordinates &at : registers) {
      bases[0].push_back(shape.pack(at));
    }
    for (const Coordinates &at : lanes) {
      bases[1].push_back(shape.pack(at));
    }
    bases[1].resize(5, 0);
    return Layout(extents, bases);
  };
  Layout from =
      made({{2, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 24, 0}, {2, 8, 0}, {4, 3, 0}, {6, 10, 0}}, {{0, 0, 1}, {0, 16, 0}});
  Layout to =
      made({{2, 0, 0}, {0, 8, 1}, {4, 0, 0}, {3, 4, 0}, {0, 0, 1}, {0, 10, 0}}, {{0, 17, 0}, {0, 16, 0}, {0, 4, 0}});
  ShufflePlan plan = planShuffle(from, to, 16);
  check(from, to, plan, 1);
  EXPECT_FALSE(plan.keepsWords);
}

// The map from places to elements. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Constructors.h"
#include "tests/unit/dialect/Layout/RandomLayout.h"
#include <bit>
#include <gtest/gtest.h>
#include <numeric>

using namespace pavage::layout;

static Where at(uint32_t reg, uint32_t lane, uint32_t warp = 0) { return {reg, lane, warp, 0, 0, 0, 0}; }

TEST(Layout, examplesOfTheHeader) {
  Layout neighbours({8}, {{{1}, {2, 4}}});
  EXPECT_EQ(neighbours.at(at(1, 3)), Coordinates{7});
  Layout cards({8}, {{{4}, {1, 2}}});
  EXPECT_EQ(cards.at(at(1, 2)), Coordinates{6});
  EXPECT_NE(neighbours, cards);
  Layout swizzled({2, 4}, {{{}, {}, {}, {}, {1, 2, 6}}});
  std::vector<Coordinates> order;
  for (uint32_t offset = 0; offset < 8; ++offset) {
    order.push_back(swizzled.at({0, 0, 0, 0, offset, 0, 0}));
  }
  EXPECT_EQ(order, (std::vector<Coordinates>{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {1, 0}, {1, 1}}));
  EXPECT_EQ(swizzled.print(), "offset 1 -> (0, 1)\noffset 2 -> (0, 2)\noffset 4 -> (1, 2)\n");
}

TEST(Layout, oneFormForOneMap) {
  EXPECT_EQ(Layout({4}, {{{1, 0, 2}}}), Layout({4}, {{{1, 2}}}));
  EXPECT_NE(Layout({4}, {{{1, 2}, {0}}}), Layout({4}, {{{1, 2}}})) << "two lanes are not one";
}

TEST(Layout, findUndoesAt) {
  Random random(5);
  for (int round = 0; round < 10000; ++round) {
    Layout layout = randomLayout(random, randomExtents(random));
    ASSERT_TRUE(layout.isSurjective());
    Vector element = random() & ((Vector(1) << layout.totalBits()) - 1);
    std::optional<Where> where = layout.find(element);
    ASSERT_TRUE(where);
    ASSERT_EQ(layout.packedAt(*where), element);
    ASSERT_EQ(layout.pack(layout.unpack(element)), element);
  }
}

TEST(Layout, copiesAreTheKernel) {
  Random random(6);
  for (int round = 0; round < 10000; ++round) {
    Layout layout = randomLayout(random, randomExtents(random));
    bool copies = false;
    for (Place place : {Place::Register, Place::Lane, Place::Warp}) {
      copies |= layout.copies(place) != 0;
    }
    ASSERT_EQ(layout.isInjective(), !copies);
  }
}

TEST(Layout, productAndQuotient) {
  Random random(7);
  for (int round = 0; round < 10000; ++round) {
    std::vector<int64_t> inner{int64_t(1) << random() % 4, int64_t(1) << random() % 4};
    std::vector<int64_t> outer{1 + int64_t(random() % 5), int64_t(1) << random() % 3};
    Layout tile = randomLayout(random, inner), rest = randomLayout(random, outer), product = tile * rest;
    std::optional<Layout> quotient = product.divide(tile);
    ASSERT_TRUE(quotient);
    ASSERT_EQ(*quotient, rest);
    // The element at a joint place is the outer one scaled, plus the inner one.
    Where a{}, b{}, both{};
    for (int place = 0; place < kNumPlaces; ++place) {
      a[place] = random() & ((1u << tile.basis(Place(place)).size()) - 1);
      b[place] = random() & ((1u << rest.basis(Place(place)).size()) - 1);
      both[place] = a[place] | b[place] << tile.basis(Place(place)).size();
    }
    Coordinates x = tile.at(a), y = rest.at(b), z = product.at(both);
    for (int axis = 0; axis < 2; ++axis) {
      ASSERT_EQ(z[axis], x[axis] + inner[axis] * y[axis]);
    }
  }
}

TEST(Layout, sliceTransposeExpandMoveCoordinates) {
  Random random(8);
  for (int round = 0; round < 10000; ++round) {
    Layout layout = randomLayout(random, {8, 5, 16});
    Where where = at(random() % 256, random() % 32, random() % 4);
    Coordinates here = layout.at(where);
    // A register bit without image is dropped by the slice, so registers are counted anew: lanes and warps only.
    where[0] = 0;
    here = layout.at(where);
    ASSERT_EQ(layout.slice(1).at(where), (Coordinates{here[0], here[2]}));
    ASSERT_EQ(layout.transpose({2, 0, 1}).at(where), (Coordinates{here[2], here[0], here[1]}));
    ASSERT_EQ(layout.expand(1).at(where), (Coordinates{here[0], 0, here[1], here[2]}));
    ASSERT_EQ(layout.transpose({2, 0, 1}).transpose({1, 2, 0}), layout);
  }
}

TEST(Layout, paddingIsOutside) {
  Layout layout = blocked({5, 3}, {1, 1}, {8, 4}, {1, 1}, {1, 0});
  int inside = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    inside += layout.inside(layout.packedAt(at(0, lane)));
  }
  EXPECT_EQ(inside, 15);
}

TEST(Constructors, blockedDealsInOrder) {
  Layout layout = blocked({16, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0});
  EXPECT_EQ(layout.at(at(3, 0)), (Coordinates{0, 3}));
  EXPECT_EQ(layout.at(at(0, 1)), (Coordinates{0, 4}));
  EXPECT_EQ(layout.at(at(0, 16)), (Coordinates{1, 0}));
  EXPECT_EQ(layout.at(at(0, 0, 3)), (Coordinates{6, 0}));
  EXPECT_EQ(layout.at(at(4, 0)), (Coordinates{8, 0})) << "the rest repeats in registers";
  EXPECT_TRUE(layout.isSurjective() && layout.isInjective());
  Layout small = blocked({8}, {1}, {32}, {4}, {0});
  EXPECT_EQ(small.copies(Place::Lane), 0b11000u);
  EXPECT_EQ(small.copies(Place::Warp), 0b11u);
}

/// The closed formulas of the PTX manual for mma.sync fragments.
TEST(Constructors, mmaFragmentsMatchTheirFormulas) {
  for (int bits : {8, 16, 32}) {
    int e = 32 / bits, depth = 8 * e;
    Layout a = mmaOperand(0, {16, depth}, bits, {1, 1}), b = mmaOperand(1, {depth, 8}, bits, {1, 1});
    for (int lane = 0; lane < 32; ++lane) {
      int g = lane >> 2, t = lane & 3;
      for (int r = 0; r < 4; ++r) {
        for (int j = 0; j < e; ++j) {
          ASSERT_EQ(a.at(at(r * e + j, lane)), (Coordinates{g + 8 * (r & 1), t * e + j + 4 * e * (r >> 1)}));
          if (r < 2) {
            ASSERT_EQ(b.at(at(r * e + j, lane)), (Coordinates{t * e + j + 4 * e * r, g}));
          }
        }
      }
    }
  }
  Layout c = mmaAccumulator({16, 8}, {1, 1});
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < 4; ++v) {
      ASSERT_EQ(c.at(at(v, lane)), (Coordinates{(lane >> 2) + 8 * (v >> 1), 2 * (lane & 3) + (v & 1)}));
    }
  }
}

TEST(Constructors, operandsFollowTheWarpsOfTheAccumulator) {
  Layout c = mmaAccumulator({64, 32}, {2, 2});
  Layout a = mmaOperand(0, {64, 16}, 16, {2, 2}), b = mmaOperand(1, {16, 32}, 16, {2, 2});
  for (uint32_t warp = 0; warp < 4; ++warp) {
    EXPECT_EQ(a.at(at(0, 0, warp))[0], c.at(at(0, 0, warp))[0]);
    EXPECT_EQ(b.at(at(0, 0, warp))[1], c.at(at(0, 0, warp))[1]);
  }
}

// Each product of a batch is dealt out as if it were alone, and the batch's operands follow its accumulator.
TEST(Constructors, batchesAreManyProducts) {
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    auto power = [&](int most) { return int64_t(1) << random() % (most + 1); };
    int64_t batch = power(3), m = power(6), n = power(6), k = power(5);
    std::vector<int64_t> warps{power(1), power(2), power(2)};
    Layout c = mmaAccumulator({batch, m, n}, warps);
    Layout alone = mmaAccumulator({m, n}, {warps[1], warps[2]});
    // The last warps belong to the batch; registers of other products vanish with their axis.
    Layout::Bases bases;
    for (int place = 0; place < kNumPlaces; ++place) {
      bases[place] = c.slice(0).basis(static_cast<Place>(place));
    }
    bases[2].resize(alone.numBits(Place::Warp));
    ASSERT_EQ(Layout({m, n}, bases), alone);
    Layout a = mmaOperand(0, {batch, m, k}, 16, warps), b = mmaOperand(1, {batch, k, n}, 16, warps);
    ASSERT_TRUE(c.isSurjective() && a.isSurjective() && b.isSurjective());
    for (uint32_t warp = 0; warp < uint32_t(warps[0] * warps[1] * warps[2]); ++warp) {
      Coordinates own = c.at(at(0, 0, warp));
      ASSERT_EQ(a.at(at(0, 0, warp)), (Coordinates{own[0], own[1], 0}));
      ASSERT_EQ(b.at(at(0, 0, warp)), (Coordinates{own[0], 0, own[2]}));
    }
  }
}

// Bits go to registers, lanes, warps and registers again, along each axis of the order in turn; each element is
// somewhere, and twice only where there are more threads than elements.
TEST(Constructors, dealtGoesOnWhereItEnded) {
  Random random(22);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> extents = randomExtents(random);
    std::vector<int> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    int free = static_cast<int>(random() % extents.size());
    int64_t perLane = int64_t(1) << random() % 4;
    int warps = 1 << random() % 6;
    Layout layout = dealt(extents, perLane, warps, order, free);
    ASSERT_TRUE(layout.isSurjective());
    ASSERT_EQ(layout.numBits(Place::Lane), 5);
    ASSERT_EQ(1 << layout.numBits(Place::Warp), warps);
    Vectors images;
    for (Vector image : layout.allImages()) {
      ASSERT_TRUE(image == 0 || std::has_single_bit(image));
      images.push_back(image);
    }
    std::erase(images, Vector(0));
    ASSERT_EQ(static_cast<int>(images.size()), layout.totalBits()) << "each bit has one place";
    for (Vector image : layout.basis(Place::Warp)) {
      for (int i = 0; i < free; ++i) {
        ASSERT_EQ(layout.unpack(image)[order[i]], 0) << "warps keep off the first axes";
      }
    }
    if (layout.axisBits(order[0]) >= 3 && perLane == 8) {
      for (uint32_t r = 0; r < 8; ++r) {
        ASSERT_EQ(layout.at(at(r, 0))[order[0]], r) << "neighbours of a lane";
      }
    }
  }
}

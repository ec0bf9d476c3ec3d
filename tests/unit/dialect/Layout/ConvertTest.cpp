// Conversions: class, source places, bank conflicts. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Convert.h"

#include "dialect/Layout/Constructors.h"
#include "tests/unit/dialect/Layout/RandomLayout.h"
#include <gtest/gtest.h>

using namespace pavage::layout;

static int kind(Place place) { return static_cast<int>(place); }

/// The source of every place of `to` holds the same element, and crosses no more than the class allows.
static void checkSources(const Layout &from, const Layout &to) {
  Conversion conversion = classify(from, to);
  uint32_t registers = 1u << to.numBits(Place::Register);
  for (uint32_t warp = 0; warp < 4; ++warp) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t reg = 0; reg < registers; ++reg) {
        Where place{reg, lane, warp, 0, 0, 0, 0};
        Where source = sourceOf(from, to, place);
        ASSERT_EQ(from.packedAt(source), to.packedAt(place));
        if (conversion == Conversion::Nothing) {
          ASSERT_EQ(source[kind(Place::Lane)], lane);
        }
        if (conversion <= Conversion::Registers) {
          ASSERT_EQ(source[kind(Place::Lane)], lane);
        }
        if (conversion <= Conversion::Shuffle) {
          ASSERT_EQ(source[kind(Place::Warp)], warp);
        }
      }
    }
  }
}

/// Whether some place must fetch from another lane (or warp), by enumeration: the class may not be dearer than needed.
static bool needs(const Layout &from, const Layout &to, Place crossing) {
  for (uint32_t warp = 0; warp < 4; ++warp) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t reg = 0; reg < 1u << to.numBits(Place::Register); ++reg) {
        Where source = sourceOf(from, to, {reg, lane, warp, 0, 0, 0, 0});
        if (source[kind(Place::Warp)] != warp || (crossing == Place::Lane && source[kind(Place::Lane)] != lane)) {
          return true;
        }
      }
    }
  }
  return false;
}

TEST(Convert, randomPairs) {
  Random random(9);
  int seen[4] = {};
  for (int round = 0; round < 600; ++round) {
    std::vector<int64_t> extents = randomExtents(random);
    Layout from = randomLayout(random, extents), to = randomLayout(random, extents);
    if (round % 3 == 1) { // a renaming of registers, or of lanes too
      Layout::Bases bases;
      for (int place = 0; place < kNumPlaces; ++place) {
        bases[place] = from.basis(Place(place));
      }
      std::shuffle(bases[0].begin(), bases[0].end(), random);
      if (round % 2 == 0) {
        std::shuffle(bases[1].begin(), bases[1].end(), random);
      }
      to = Layout(extents, bases);
    }
    checkSources(from, to);
    Conversion conversion = classify(from, to);
    ++seen[static_cast<int>(conversion)];
    ASSERT_EQ(conversion == Conversion::Shared, needs(from, to, Place::Warp));
    ASSERT_EQ(conversion >= Conversion::Shuffle, needs(from, to, Place::Lane));
  }
  for (int count : seen) {
    EXPECT_GT(count, 0) << "every class was met";
  }
}

TEST(Convert, knownPairs) {
  Layout rows = blocked({32, 32}, {1, 4}, {4, 8}, {4, 1}, {1, 0});
  Layout columns = blocked({32, 32}, {4, 1}, {8, 4}, {1, 4}, {0, 1});
  EXPECT_EQ(classify(rows, rows), Conversion::Nothing);
  EXPECT_EQ(classify(rows, columns), Conversion::Shared);
  Layout oneWarp = blocked({8, 32}, {1, 4}, {4, 8}, {1, 1}, {1, 0});
  Layout other = blocked({8, 32}, {2, 1}, {1, 32}, {1, 1}, {1, 0});
  EXPECT_EQ(classify(oneWarp, other), Conversion::Shuffle);
}

TEST(Convert, computedSwizzlesHaveNoBankConflicts) {
  int checked = 0;
  for (int bytes : {1, 2, 4}) {
    for (int64_t m : {32, 64, 128}) {
      for (int64_t k : {32, 64}) {
        int vector = 16 / bytes;
        Layout global =
            blocked({m, k}, {1, vector}, {32 / std::min<int64_t>(32, k / vector), std::min<int64_t>(32, k / vector)},
                    {4, 1}, {1, 0});
        for (const Layout &reader :
             {mmaOperand(0, {m, k}, 8 * bytes, {4, 1}), blocked({m, k}, {4, 1}, {8, 4}, {1, 4}, {0, 1})}) {
          Layout shared = sharedSwizzled(global, reader, bytes);
          ASSERT_TRUE(shared.isSurjective() && shared.isInjective());
          EXPECT_EQ(accessShared(global, shared, bytes).extraPasses, 0)
              << m << "x" << k << " of " << bytes << " bytes, written";
          EXPECT_EQ(accessShared(reader, shared, bytes).extraPasses, 0)
              << m << "x" << k << " of " << bytes << " bytes, read";
          ++checked;
        }
      }
    }
  }
  EXPECT_EQ(checked, 36);
  // The check can fail: a column read of plain rows of 128 bytes hits one bank 32 times.
  Layout column = blocked({32, 32}, {1, 1}, {32, 1}, {1, 4}, {0, 1});
  EXPECT_EQ(accessShared(column, sharedPlain({32, 32}, {1, 0}), 4).extraPasses, 31);
}

TEST(Convert, randomSwizzles) {
  Random random(10);
  for (int round = 0; round < 3000; ++round) {
    int bytes = 1 << round % 3;
    Layout writer = randomLayout(random, {32, 32}), reader = randomLayout(random, {32, 32});
    Layout shared = sharedSwizzled(writer, reader, bytes);
    ASSERT_TRUE(shared.isSurjective() && shared.isInjective());
    ASSERT_EQ(accessShared(writer, shared, bytes).extraPasses, 0);
    ASSERT_EQ(accessShared(reader, shared, bytes).extraPasses, 0);
  }
}

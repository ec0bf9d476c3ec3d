// Properties of the linear algebra over F2. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/dialect/Layout/RandomLayout.h"
#include <gtest/gtest.h>

using namespace pavage::layout;

/// All sums of a list: the span, by brute force.
static std::vector<bool> spanOf(const Vectors &vectors, int bits) {
  std::vector<bool> in(size_t(1) << bits, false);
  in[0] = true;
  for (Vector v : vectors) {
    std::vector<bool> next = in;
    for (size_t x = 0; x < in.size(); ++x) {
      if (in[x]) {
        next[x ^ v] = true;
      }
    }
    in = next;
  }
  return in;
}

TEST(F2, spansAgreeWithEnumeration) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    int bits = 1 + random() % 6;
    Vectors a = randomVectors(random, random() % 6, bits), b = randomVectors(random, random() % 6, bits);
    std::vector<bool> inA = spanOf(a, bits), inB = spanOf(b, bits), inBoth = spanOf(intersect(a, b), bits);
    EXPECT_EQ(size_t(1) << rank(a), static_cast<size_t>(std::count(inA.begin(), inA.end(), true)));
    EXPECT_EQ(spanOf(basisOf(a), bits), inA);
    for (Vector x = 0; x < Vector(1) << bits; ++x) {
      ASSERT_EQ(contains(a, x), inA[x]);
      ASSERT_EQ(inBoth[x], inA[x] && inB[x]);
      std::optional<Vector> solution = solve(a, x);
      ASSERT_EQ(solution.has_value(), inA[x]);
      if (solution) {
        ASSERT_EQ(multiply(a, *solution), x);
      }
    }
  }
}

TEST(F2, basisIsCanonical) {
  Random random(2);
  for (int round = 0; round < 20000; ++round) {
    Vectors a = randomVectors(random, 5, 8), mixed = a;
    for (int i = 0; i < 10; ++i) {
      size_t x = random() % 5, y = random() % 5;
      if (x != y) {
        mixed[x] ^= mixed[y];
      }
    }
    ASSERT_EQ(basisOf(a), basisOf(mixed));
  }
}

TEST(F2, kernelHasTheRightDimension) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    Vectors a = randomVectors(random, 1 + random() % 8, 1 + random() % 8), kernel = kernelOf(a);
    ASSERT_EQ(rank(kernel) + rank(a), static_cast<int>(a.size()));
    for (Vector x : kernel) {
      ASSERT_EQ(multiply(a, x), 0u);
    }
  }
}

TEST(F2, commonComplementCompletesBoth) {
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    int bits = 1 + random() % 10;
    Vectors a = basisOf(randomVectors(random, random() % 8, bits)),
            b = basisOf(randomVectors(random, random() % 8, bits));
    size_t dimension = std::min(a.size(), b.size());
    a.resize(dimension);
    b.resize(dimension);
    Vectors c = commonComplement(a, b, bits);
    ASSERT_EQ(rank(c), bits - static_cast<int>(dimension));
    for (const Vectors &space : {a, b}) {
      Vectors whole = space;
      whole.insert(whole.end(), c.begin(), c.end());
      ASSERT_EQ(rank(whole), bits);
    }
  }
}

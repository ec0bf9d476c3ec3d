// Random spaces and layouts for property tests. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_DIALECT_LAYOUT_RANDOMLAYOUT_H
#define PAVAGE_TESTS_UNIT_DIALECT_LAYOUT_RANDOMLAYOUT_H

#include "dialect/Layout/Layout.h"
#include <algorithm>
#include <random>

namespace pavage::layout {

using Random = std::mt19937_64;

inline Vectors randomVectors(Random &random, int count, int bits) {
  Vectors vectors;
  for (int i = 0; i < count; ++i) {
    vectors.push_back(random() & ((Vector(1) << bits) - 1));
  }
  return vectors;
}

/// A surjective layout: a random invertible matrix, sheared, some lanes and warps holding copies.
inline Layout randomLayout(Random &random, std::vector<int64_t> extents) {
  int bits = Layout(extents, {}).totalBits();
  Vectors columns;
  for (int i = 0; i < bits; ++i) {
    columns.push_back(Vector(1) << i);
  }
  std::shuffle(columns.begin(), columns.end(), random);
  for (int i = 0; i < 3 * bits && bits > 1; ++i) {
    int a = static_cast<int>(random() % bits), b = static_cast<int>(random() % bits);
    if (a != b && random() % 3 == 0) {
      columns[a] ^= columns[b];
    }
  }
  Layout::Bases bases;
  int lanes = 5, warps = 2;
  for (Vector column : columns) {
    int choice = static_cast<int>(random() % 3);
    if (choice == 1 && lanes > 0) {
      --lanes;
      bases[static_cast<int>(Place::Lane)].push_back(column);
    } else if (choice == 2 && warps > 0) {
      --warps;
      bases[static_cast<int>(Place::Warp)].push_back(column);
    } else {
      bases[static_cast<int>(Place::Register)].push_back(column);
    }
  }
  bases[static_cast<int>(Place::Lane)].resize(5, 0);
  bases[static_cast<int>(Place::Warp)].resize(2, 0);
  return Layout(std::move(extents), std::move(bases));
}

inline std::vector<int64_t> randomExtents(Random &random) {
  std::vector<int64_t> extents;
  int bits = 10;
  for (int axis = 0, rank = 1 + static_cast<int>(random() % 3); axis < rank; ++axis) {
    int mine = static_cast<int>(random() % (bits + 1));
    mine = std::min(mine, 6);
    bits -= mine;
    int64_t extent = int64_t(1) << mine;
    if (extent > 2 && random() % 4 == 0) {
      extent -= static_cast<int64_t>(random() % (extent / 2)); // not a power of two, the same number of bits
    }
    extents.push_back(extent);
  }
  return extents;
}

} // namespace pavage::layout

#endif // PAVAGE_TESTS_UNIT_DIALECT_LAYOUT_RANDOMLAYOUT_H

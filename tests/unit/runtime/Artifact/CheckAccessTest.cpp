// Bounds of strided arrays against enumeration. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/CheckAccess.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace pavage::artifact;

namespace {
struct Array {
  std::vector<int64_t> shape, strides;
  uint32_t itemsize = 4;
  uint64_t base = 0x10000;

  PavageArray record() const {
    return {base, shape.data(), strides.data(), static_cast<int32_t>(shape.size()), itemsize, 0, 0};
  }
};
} // namespace

/// All byte addresses of an array's elements, by brute force.
static std::set<uint64_t> bytesOf(const Array &array) {
  std::set<uint64_t> bytes;
  std::vector<int64_t> index(array.shape.size(), 0);
  for (int64_t extent : array.shape) {
    if (extent == 0) {
      return bytes;
    }
  }
  while (true) {
    uint64_t at = array.base;
    for (size_t i = 0; i < index.size(); ++i) {
      at += static_cast<uint64_t>(index[i] * array.strides[i]);
    }
    for (uint32_t i = 0; i < array.itemsize; ++i) {
      bytes.insert(at + i);
    }
    size_t axis = 0;
    while (axis < index.size() && ++index[axis] == array.shape[axis]) {
      index[axis++] = 0;
    }
    if (axis == index.size()) {
      return bytes;
    }
  }
}

TEST(CheckAccess, DenseRow) {
  Array array{{5}, {4}};
  ArrayBounds bounds(array.record());
  EXPECT_TRUE(bounds.contains(array.base, 4));
  EXPECT_TRUE(bounds.contains(array.base + 16, 4));
  EXPECT_TRUE(bounds.contains(array.base, 20));
  EXPECT_TRUE(bounds.contains(array.base + 20, 0));
  EXPECT_FALSE(bounds.contains(array.base + 20, 4));
  EXPECT_FALSE(bounds.contains(array.base + 16, 8));
  EXPECT_FALSE(bounds.contains(array.base - 1, 1));
  EXPECT_FALSE(bounds.contains(0, 4));
  EXPECT_FALSE(bounds.contains(~0ull - 3, 4));
}

TEST(CheckAccess, GapsBetweenRowsAreOutside) {
  Array array{{4, 3}, {20, 4}}; // x[:, :3] of a 4x5 array
  ArrayBounds bounds(array.record());
  EXPECT_TRUE(bounds.contains(array.base + 20 + 8, 4));
  EXPECT_FALSE(bounds.contains(array.base + 12, 4));
  EXPECT_FALSE(bounds.contains(array.base + 8, 8));
  EXPECT_EQ(bounds.describe(array.base + 12), "index [0, 3] of shape [4, 3], in a gap between its elements");
}

TEST(CheckAccess, DescribesWhereItIs) {
  Array row{{1000}, {4}};
  EXPECT_EQ(ArrayBounds(row.record()).describe(row.base + 4000), "index [1000] of shape [1000], 0 bytes past its end");
  EXPECT_EQ(ArrayBounds(row.record()).describe(row.base - 4),
            "index [-1] of shape [1000], 4 bytes before its first element");
  EXPECT_EQ(ArrayBounds(row.record()).describe(row.base + 4001), "index [1000] of shape [1000], 1 byte past its end");
  Array matrix{{4, 5}, {20, 4}};
  EXPECT_EQ(ArrayBounds(matrix.record()).describe(matrix.base + 80 + 8),
            "index [4, 2] of shape [4, 5], 8 bytes past its end");
  Array flipped{{4, 5}, {-20, 4}};
  EXPECT_EQ(ArrayBounds(flipped.record()).describe(flipped.base - 80 + 4),
            "index [4, 1] of shape [4, 5], 16 bytes before its first element");
  Array empty{{0}, {4}};
  EXPECT_EQ(ArrayBounds(empty.record()).describe(empty.base), "index [0] of shape [0], which has no elements");
  Array scalar{{}, {}};
  EXPECT_EQ(ArrayBounds(scalar.record()).describe(scalar.base + 4), "index [] of shape [], 0 bytes past its end");
}

TEST(CheckAccess, ZeroStrideRepeatsOneElement) {
  Array array{{1000, 3}, {0, 4}};
  ArrayBounds bounds(array.record());
  EXPECT_TRUE(bounds.contains(array.base + 8, 4));
  EXPECT_FALSE(bounds.contains(array.base + 12, 4));
}

TEST(CheckAccess, WithoutStridesItIsRowMajor) {
  Array array{{2, 3}, {}};
  PavageArray record = array.record();
  record.strides = nullptr;
  EXPECT_TRUE(ArrayBounds(record).contains(array.base, 24));
  EXPECT_FALSE(ArrayBounds(record).contains(array.base + 24, 1));
  EXPECT_EQ(addressRange(record).end, array.base + 24);
}

TEST(CheckAccess, PointersCastToOtherTypes) {
  Array halves{{6}, {2}, 2};
  ArrayBounds bounds(halves.record());
  EXPECT_TRUE(bounds.contains(halves.base + 2, 8)); // two f32 over four f16
  EXPECT_TRUE(bounds.contains(halves.base + 3, 1)); // a byte of an f16
  Array spread{{3}, {8}, 4};
  EXPECT_TRUE(ArrayBounds(spread.record()).contains(spread.base + 9, 2));
  EXPECT_FALSE(ArrayBounds(spread.record()).contains(spread.base + 11, 2));
}

TEST(CheckAccess, AgreesWithEnumeration) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    Array array;
    array.itemsize = 1u << (random() % 3);
    for (size_t rank = random() % 4; rank != 0; --rank) {
      array.shape.push_back(random() % 5);
      array.strides.push_back(static_cast<int64_t>(random() % 41) - 20);
    }
    std::set<uint64_t> bytes = bytesOf(array);
    ArrayBounds bounds(array.record());
    for (uint64_t address = array.base - 90; address < array.base + 90; ++address) {
      for (int64_t width : {1, 2, 4, 7}) {
        bool inside = true;
        for (int64_t i = 0; i < width; ++i) {
          inside &= bytes.count(address + i) != 0;
        }
        ASSERT_EQ(bounds.contains(address, width), inside) << "round " << round << " at " << address - array.base;
      }
    }
    AddressRange range = addressRange(array.record());
    if (bytes.empty()) {
      EXPECT_EQ(range.begin, range.end);
    } else {
      EXPECT_EQ(range.begin, *bytes.begin());
      EXPECT_EQ(range.end, *bytes.rbegin() + 1);
    }
  }
}

TEST(CheckAccess, SlidingWindowsAreFast) {
  Array array{{1000, 64, 64, 64, 64}, {8, 8, 24, 40, 56}, 8};
  ArrayBounds bounds(array.record());
  for (int i = 0; i < 10000; ++i) {
    EXPECT_TRUE(bounds.contains(array.base + 8 * i % 2000, 8));
    EXPECT_FALSE(bounds.contains(array.base - 8, 8));
  }
}

// A search without a look at common divisors would run out of its budget here, and take the gap for an element.
TEST(CheckAccess, GapsOfOverlappingWindows) {
  Array array{{1000, 1000, 1000}, {24, 40, 56}, 4};
  ArrayBounds bounds(array.record());
  for (int64_t at = 60000; at < 60800; at += 8) {
    EXPECT_TRUE(bounds.contains(array.base + at, 4));
    EXPECT_FALSE(bounds.contains(array.base + at + 4, 4));
  }
}

TEST(CheckAccess, SenselessExtentsDoNotOverflow) {
  Array array{{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MIN, 3}};
  ArrayBounds bounds(array.record());
  (void)bounds.contains(5, 4);
  (void)bounds.describe(5);
  Array negative{{-3, 2}, {4, 4}};
  EXPECT_FALSE(ArrayBounds(negative.record()).contains(negative.base, 4));
  (void)ArrayBounds(negative.record()).describe(negative.base);
}

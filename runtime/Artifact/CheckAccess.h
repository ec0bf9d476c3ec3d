// Is an address an element of an array argument? SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds are logical: x[:, :3] of a wider array has bytes between its rows that belong to somebody else, and an address
// there is outside although it is in the allocation. Used by Interp, by PAVAGE_CHECK=1 on the CPU, and by the virtual
// GPU.
//
// An array is a set of offsets { sum i[k] * stride[k] }. Preparing an array drops axes that add nothing, turns negative
// strides round, and joins axes that follow each other without a gap, so that a check of a usual array is one division
// per remaining axis. Overlapping strides (sliding windows) are searched with pruning by range and by common divisor;
// the search has a budget, beyond which an address counts as inside: no false alarm, ever.
#ifndef PAVAGE_RUNTIME_ARTIFACT_CHECKACCESS_H
#define PAVAGE_RUNTIME_ARTIFACT_CHECKACCESS_H

#include "runtime/Artifact/Abi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pavage::artifact {

/// The first and the past-the-last byte that an array's elements touch, as addresses; equal when it has no element.
struct AddressRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool overlaps(const AddressRange &other) const { return begin < other.end && other.begin < end; }
};
AddressRange addressRange(const PavageArray &array);

class ArrayBounds {
public:
  explicit ArrayBounds(const PavageArray &array);

  /// True when every byte of [address, address + bytes) lies in some element.
  bool contains(uint64_t address, int64_t bytes) const;

  /// For an address that is not an element: what its index would be and how far out it is, such as
  /// "index [4, 0] of shape [4, 5], 12 bytes past its end".
  std::string describe(uint64_t address) const;

private:
  using Wide = __int128;
  struct Axis {
    Wide extent;
    Wide stride;
  };

  bool isElement(Wide offset) const;
  bool search(size_t axis, Wide offset, unsigned &budget) const;

  uint64_t base;
  Wide itemsize;
  bool isEmpty = false;
  Wide least = 0;         ///< offset of the lowest element
  std::vector<Axis> axes; ///< by descending stride, all positive, every extent > 1
  std::vector<Wide> span; ///< of axes k.. together; one more than axes
  std::vector<Wide> step; ///< greatest common divisor of the strides k..
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

} // namespace pavage::artifact

#endif // PAVAGE_RUNTIME_ARTIFACT_CHECKACCESS_H

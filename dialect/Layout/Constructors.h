// The layouts that GPUs ask for, as constructors of the one kind. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_DIALECT_LAYOUT_CONSTRUCTORS_H
#define PAVAGE_DIALECT_LAYOUT_CONSTRUCTORS_H

#include "dialect/Layout/Layout.h"

namespace pavage::layout {

/// A tile dealt out to registers, lanes and warps in blocks: `perLane` elements in a lane, `lanes` lanes and `warps`
/// warps along each axis (powers of two), axes taken in `order`, the fastest first. A larger tile repeats in registers;
/// in a smaller one, surplus lanes and warps hold copies.
Layout blocked(const std::vector<int64_t> &extents, const std::vector<int64_t> &perLane,
               const std::vector<int64_t> &lanes, const std::vector<int64_t> &warps, const std::vector<int> &order);

/// The accumulator of mma.sync m16n8 (rows g and g + 8, columns 2t and 2t + 1 with g = lane / 4, t = lane % 4),
/// repeated over an M x N tile; `warps` along M and N. A tile of rank 3 is a batch of such products, with warps along
/// the batch first.
Layout mmaAccumulator(const std::vector<int64_t> &extents, const std::vector<int64_t> &warps);

/// Operand A (side 0, M x K) or B (side 1, K x N) of mma.sync for elements of `elementBits`, matching mmaAccumulator of
/// the same warps: warps along the other operand's axis hold copies. Rank 3 as above.
Layout mmaOperand(int side, const std::vector<int64_t> &extents, int elementBits, const std::vector<int64_t> &warps);

/// A tile dealt out along `order`, the fastest axis first: `perLane` elements of that axis to a lane, then lanes, then
/// warps, each kind going on where the one before ended. `warpAxes` > 0 keeps warps off that many of the fastest axes.
Layout dealt(const std::vector<int64_t> &extents, int64_t perLane, int warps, const std::vector<int> &order,
             int warpAxes = 0);

/// Row-major shared memory, axes in `order` (the fastest first); offsets count elements.
Layout sharedPlain(const std::vector<int64_t> &extents, const std::vector<int> &order);

/// Shared memory that `writer` fills and `reader` reads without bank conflicts, as far as possible: 32 banks of 4
/// bytes, accesses of up to 16 bytes a lane. See Convert.h for the count.
Layout sharedSwizzled(const Layout &writer, const Layout &reader, int elementBytes);
/// The same by the lanes' images alone, for accesses that take the elements of `run`, in that order, at once.
Layout sharedSwizzled(const Vectors &writerLanes, const Vectors &readerLanes, const Vectors &run,
                      const std::vector<int64_t> &extents, int elementBytes);

} // namespace pavage::layout

#endif // PAVAGE_DIALECT_LAYOUT_CONSTRUCTORS_H

// What a change of layout costs, by algebra. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_LAYOUT_CONVERT_H
#define PAVAGE_DIALECT_LAYOUT_CONVERT_H

#include "dialect/Layout/Layout.h"

namespace pavage::layout {

/// The cheapest way to turn one layout into another of the same tile.
enum class Conversion : uint8_t {
  Nothing,   ///< every place keeps its element
  Registers, ///< each lane renames its own registers
  Shuffle,   ///< lanes of a warp exchange data
  Shared     ///< warps exchange data through shared memory
};
const char *nameOf(Conversion conversion);

Conversion classify(const Layout &from, const Layout &to);

/// For each register of `to` at a lane and warp: a place of `from` that holds its element, in the same warp and lane if
/// that is possible. Bits beyond what `classify` needs stay equal.
Where sourceOf(const Layout &from, const Layout &to, const Where &place);

/// How one warp reaches its registers in shared memory.
struct SharedAccess {
  int width;       ///< elements that a lane moves at once, a power of two, at most 16 bytes
  int passes;      ///< passes over the banks that one such access of the warp takes
  int extraPasses; ///< of them, beyond the least for this width; 0 = free of bank conflicts
};

/// The width that takes the fewest passes for all registers, and what it costs. 32 banks of 4 bytes.
SharedAccess accessShared(const Layout &registers, const Layout &shared, int elementBytes);

} // namespace pavage::layout

#endif // PAVAGE_DIALECT_LAYOUT_CONVERT_H

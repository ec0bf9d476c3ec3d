// Executable meaning of TileGPU, on top of Tile's. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts say who holds an element, not what it is: a tile has the value it has in Tile, and a conversion changes none.
// What Interp adds is shared memory and time. A slot is poison until it is written. An asynchronous copy reads global
// memory when it is issued and lands as late as the `tilegpu.wait` that covers it; from issue to landing its slot is
// poison, so a schedule that reads too early, waits for too little or overwrites what is still needed shows as a use of
// poison.
#ifndef PAVAGE_DIALECT_TILEGPU_INTERP_INTERP_H
#define PAVAGE_DIALECT_TILEGPU_INTERP_INTERP_H

namespace pavage::tilegpu {

/// Makes Tile's Interp know TileGPU. To be called while no thread is evaluating.
void extendInterp();

} // namespace pavage::tilegpu

#endif // PAVAGE_DIALECT_TILEGPU_INTERP_INTERP_H

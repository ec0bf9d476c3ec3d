// All op groups of the Tile dialect, for tablegen. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_OPS
#define PAVAGE_DIALECT_TILE_OPS

include "dialect/Tile/TileArithOps.td"
include "dialect/Tile/TileContractOps.td"
include "dialect/Tile/TileMemoryOps.td"
include "dialect/Tile/TileProgramOps.td"
include "dialect/Tile/TileReduceOps.td"
include "dialect/Tile/TileShapeOps.td"

#endif // PAVAGE_DIALECT_TILE_OPS

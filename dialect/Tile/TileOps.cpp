// The generated part of the Tile ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

#include "dialect/Tile/TileSyntax.h"

using namespace mlir;
using namespace pavage::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileOps.cpp.inc"

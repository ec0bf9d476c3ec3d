// All ops of the Tile dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_TILEOPS_H
#define PAVAGE_DIALECT_TILE_TILEOPS_H

#include "dialect/Tile/TileDialect.h"
#include "dialect/Tile/TileTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialect/Tile/TileOps.h.inc"

#endif // PAVAGE_DIALECT_TILE_TILEOPS_H

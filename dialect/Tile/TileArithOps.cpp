// Verifiers of the total arithmetic ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

LogicalResult CastOp::verify() {
  Type from = getSrc().getType(), to = getResult().getType();
  if (shapeOf(from) != shapeOf(to)) { // cast_c1
    return emitOpError("expected a result of the source's shape, got ") << to << " from " << from;
  }
  bool floats = isa<FloatType>(elementTypeOf(from)) && isa<FloatType>(elementTypeOf(to));
  if (getRounding() != Rounding::Nearest && !floats) { // cast_c2
    return emitOpError("expected float types for a rounding other than rtne, got ") << from << " and " << to;
  }
  return success();
}

// Verifiers of the total arithmetic ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

LogicalResult CastOp::verify() { // cast_c1 is the trait Elementwise
  Type from = getSrc().getType(), to = getResult().getType();
  bool floats = isa<FloatType>(elementTypeOf(from)) && isa<FloatType>(elementTypeOf(to));
  if (getRounding() != Rounding::Nearest && !floats) { // cast_c2
    return emitOpError("expected float types for a rounding other than rtne, got ") << from << " and " << to;
  }
  return success();
}

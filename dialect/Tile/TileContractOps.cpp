// Verifier of the dot op. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

/// Whether the element types are a row of the table on the op's page.
static bool legalDotTypes(Type lhs, Type rhs, Type acc) {
  auto isF8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (isF8(lhs) && isF8(rhs)) {
    return acc.isF32() || acc.isF16();
  }
  if (lhs != rhs) {
    return false;
  }
  if (lhs.isInteger(8)) {
    return acc.isInteger(32);
  }
  if (lhs.isF16()) {
    return acc.isF32() || acc.isF16();
  }
  if (lhs.isBF16()) {
    return acc.isF32() || acc.isBF16();
  }
  return (lhs.isF32() || lhs.isF64()) && acc == lhs;
}

LogicalResult DotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType()), rhs = cast<RankedTensorType>(getRhs().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = lhs.getRank();
  if ((rank != 2 && rank != 3) || rhs.getRank() != rank || acc.getRank() != rank) { // dot_c1
    return emitOpError("expected operands of one rank, 2 or 3, got ") << lhs << ", " << rhs << ", " << acc;
  }
  int64_t m = lhs.getDimSize(rank - 2), k = lhs.getDimSize(rank - 1), n = rhs.getDimSize(rank - 1);
  if (rhs.getDimSize(rank - 2) != k) { // dot_c2
    return emitOpError("expected rhs inner extent ") << k << ", got " << rhs.getDimSize(rank - 2);
  }
  if (acc.getDimSize(rank - 2) != m || acc.getDimSize(rank - 1) != n) {
    return emitOpError("expected acc of ") << m << "x" << n << ", got " << acc;
  }
  if (rank == 3 && (rhs.getDimSize(0) != lhs.getDimSize(0) || acc.getDimSize(0) != lhs.getDimSize(0))) {
    return emitOpError("expected batch extent ") << lhs.getDimSize(0) << " in rhs and acc";
  }
  if (!legalDotTypes(lhs.getElementType(), rhs.getElementType(), acc.getElementType())) { // dot_c3
    return emitOpError("does not multiply ")
           << lhs.getElementType() << " by " << rhs.getElementType() << " into " << acc.getElementType();
  }
  if (getPrecision() != Precision::Default && !lhs.getElementType().isF32()) { // dot_c4
    return emitOpError("expected f32 operands for precision ")
           << stringifyPrecision(getPrecision()) << ", got " << lhs.getElementType();
  }
  return success();
}

// Pointer type and type helpers of the Tile dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileTypes.h"

#include "dialect/Tile/TileDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pavage::tile;

#include "dialect/Tile/TileEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Tile/TileTypes.cpp.inc"
      >();
}

LogicalResult PtrType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  bool integer =
      pointee.isSignlessInteger() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, pointee.getIntOrFloatBitWidth());
  if (integer ||
      isa<PtrType, Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type, Float32Type, Float64Type>(pointee)) {
    return success();
  }
  return emitError() << "expected a pointee of i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32, f64 or a "
                        "pointer, got "
                     << pointee;
}

int64_t PtrType::getStride() { return bytesInMemory(getPointee()); }

namespace pavage::tile {

Type elementTypeOf(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    return tile.getElementType();
  }
  return type;
}

llvm::ArrayRef<int64_t> shapeOf(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    return tile.getShape();
  }
  return {};
}

Type withElementType(Type type, Type element) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    return RankedTensorType::get(tile.getShape(), element, tile.getEncoding());
  }
  return element;
}

bool isSameTile(Type a, Type b) { return shapeOf(a) == shapeOf(b) && elementTypeOf(a) == elementTypeOf(b); }

Type tileOrScalar(llvm::ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : Type(RankedTensorType::get(shape, element));
}

bool isTileShape(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || extent > maxTileElements / elements) {
      return false;
    }
    elements *= extent;
  }
  return true;
}

int64_t bytesInMemory(Type element) { return isa<PtrType>(element) ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8; }

} // namespace pavage::tile

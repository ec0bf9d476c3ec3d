// Registration of the TileGPU dialect, and its types. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/TileGPU/TileGPU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pavage::tilegpu;

#include "dialect/TileGPU/TileGPUDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/TileGPU/TileGPUTypes.cpp.inc"

void TileGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/TileGPU/TileGPUOps.cpp.inc"
      >();
}

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/TileGPU/TileGPUTypes.cpp.inc"
      >();
}

LogicalResult RingType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                               RankedTensorType tile) {
  if (slots < 1) {
    return emitError() << "expected at least one slot, got " << slots;
  }
  LayoutAttr attribute = layoutOf(tile);
  if (!attribute) {
    return emitError() << "expected a tile with a layout, got " << tile;
  }
  pavage::layout::Layout layout = attribute.getLayout();
  bool isOffsets = layout.numBits(pavage::layout::Place::Offset) == static_cast<int>(layout.allImages().size());
  if (!isOffsets || !layout.isSurjective() || !layout.isInjective()) {
    return emitError() << "expected a layout that gives each element one offset, got " << attribute;
  }
  return success();
}

int64_t RingType::getSlotBytes() {
  int bits = layoutOf(getTile()).getLayout().totalBits();
  return pavage::tile::bytesInMemory(getTile().getElementType()) << bits;
}

// Types that the assembly format of memory ops leaves out. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileSyntax.h"

using namespace mlir;

namespace pavage::tile {

static ParseResult parsePointer(OpAsmParser &parser, Type &ptr, Type &pointee, Type &mask) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(ptr)) {
    return failure();
  }
  auto element = dyn_cast<PtrType>(elementTypeOf(ptr));
  if (!element) {
    return parser.emitError(loc, "expected a pointer or a tile of pointers, got ") << ptr;
  }
  pointee = withElementType(ptr, element.getPointee());
  mask = withElementType(ptr, IntegerType::get(ptr.getContext(), 1));
  return success();
}

ParseResult parseLoadTypes(OpAsmParser &parser, Type &ptr, const std::optional<Operand> &mask, Type &maskType,
                           const std::optional<Operand> &other, Type &otherType, Type &result) {
  Type maskLike;
  if (parsePointer(parser, ptr, result, maskLike)) {
    return failure();
  }
  if (mask) {
    maskType = maskLike;
  }
  if (other) {
    otherType = result;
  }
  return success();
}

void printLoadTypes(OpAsmPrinter &printer, Operation *, Type ptr, Value, Type, Value, Type, Type) { printer << ptr; }

ParseResult parseStoreTypes(OpAsmParser &parser, Type &ptr, Type &value, const std::optional<Operand> &mask,
                            Type &maskType) {
  Type maskLike;
  if (parsePointer(parser, ptr, value, maskLike)) {
    return failure();
  }
  if (mask) {
    maskType = maskLike;
  }
  return success();
}

void printStoreTypes(OpAsmPrinter &printer, Operation *, Type ptr, Type, Value, Type) { printer << ptr; }

ParseResult parseAtomicTypes(OpAsmParser &parser, Type &ptr, Type &value, const std::optional<Operand> &mask,
                             Type &maskType, Type &result) {
  if (parseStoreTypes(parser, ptr, value, mask, maskType)) {
    return failure();
  }
  result = value;
  return success();
}

void printAtomicTypes(OpAsmPrinter &printer, Operation *, Type ptr, Type, Value, Type, Type) { printer << ptr; }

} // namespace pavage::tile

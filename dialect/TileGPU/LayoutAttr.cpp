// The layout attribute: storage, text, and the check against its tile. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "dialect/TileGPU/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::tilegpu;

// The parameters are one list of all images, cut up by how many belong to each kind of place.

#define GET_ATTRDEF_CLASSES
#include "dialect/TileGPU/TileGPUAttrs.cpp.inc"

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/TileGPU/TileGPUAttrs.cpp.inc"
      >();
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const layout::Layout &layout) {
  SmallVector<unsigned, layout::kNumPlaces> counts;
  for (int place = 0; place < layout::kNumPlaces; ++place) {
    counts.push_back(layout.numBits(static_cast<layout::Place>(place)));
  }
  return get(context, layout.extents(), counts, layout.allImages());
}

layout::Layout LayoutAttr::getLayout() const {
  layout::Layout::Bases bases;
  const uint64_t *next = getImages().begin();
  for (auto [images, count] : llvm::zip(bases, getCounts())) {
    images.assign(next, next + count);
    next += count;
  }
  return {getExtents().vec(), std::move(bases)};
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape != getExtents()) {
    return emitError() << "expected a layout of extents [" << shape << "], got [" << getExtents() << "]";
  }
  return success();
}

// --- Text ------------------------------------------------------------------------------------------------------------

void LayoutAttr::print(AsmPrinter &printer) const {
  layout::Layout layout = getLayout();
  printer << "<[";
  llvm::interleaveComma(getExtents(), printer);
  printer << "]";
  for (int index = 0; index < layout::kNumPlaces; ++index) {
    auto place = static_cast<layout::Place>(index);
    if (layout.numBits(place) == 0) {
      continue;
    }
    printer << ", " << layout::nameOf(place) << " = [";
    llvm::interleaveComma(layout.basis(place), printer, [&](layout::Vector image) {
      printer << "(";
      llvm::interleaveComma(layout.unpack(image), printer);
      printer << ")";
    });
    printer << "]";
  }
  printer << ">";
}

/// A parenthesised or bracketed list of integers.
static ParseResult parseIntegers(AsmParser &parser, AsmParser::Delimiter delimiter, std::vector<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(delimiter, [&] { return parser.parseInteger(numbers.emplace_back()); });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  llvm::SMLoc at = parser.getCurrentLocation();
  std::vector<int64_t> extents;
  if (parser.parseLess() || parseIntegers(parser, AsmParser::Delimiter::Square, extents)) {
    return {};
  }
  int bits = 0;
  for (int64_t extent : extents) {
    if (extent <= 0 || extent > tile::maxTileElements) {
      parser.emitError(at) << "expected positive extents, got " << extent;
      return {};
    }
    bits += layout::bitsFor(extent);
  }
  if (bits > 62) {
    parser.emitError(at, "expected extents of at most 2^62 elements");
    return {};
  }
  layout::Layout shape(extents, {});
  layout::Layout::Bases bases;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual()) {
      return {};
    }
    layout::Vectors *images = nullptr;
    for (int place = 0; place < layout::kNumPlaces; ++place) {
      images = name == layout::nameOf(static_cast<layout::Place>(place)) ? &bases[place] : images;
    }
    if (!images) {
      parser.emitError(at) << "expected register, lane, warp, block, offset, row or column, got '" << name << "'";
      return {};
    }
    auto parseImage = [&]() -> ParseResult {
      std::vector<int64_t> coordinates;
      if (parseIntegers(parser, AsmParser::Delimiter::Paren, coordinates)) {
        return failure();
      }
      if (coordinates.size() != extents.size()) {
        return parser.emitError(at) << "expected " << extents.size() << " coordinates, got " << coordinates.size();
      }
      for (auto [axis, coordinate] : llvm::enumerate(coordinates)) {
        if (coordinate < 0 || coordinate >= int64_t(1) << layout::bitsFor(extents[axis])) {
          return parser.emitError(at) << "expected a coordinate inside the extent " << extents[axis] << ", got "
                                      << coordinate;
        }
      }
      images->push_back(shape.pack(coordinates));
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseImage)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), layout::Layout(std::move(extents), std::move(bases)));
}

// --- Helpers ---------------------------------------------------------------------------------------------------------

namespace pavage::tilegpu {

LayoutAttr layoutOf(Type tile) {
  auto tensor = dyn_cast<RankedTensorType>(tile);
  return tensor ? dyn_cast_if_present<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

RankedTensorType withLayout(Type tile, LayoutAttr layout) {
  auto tensor = cast<RankedTensorType>(tile);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

} // namespace pavage::tilegpu

// Where a thread stands in a tile. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout is linear, so the coordinates of a register are those of the thread's register 0 xor a constant. The former
// are made once, at the kernel's entry; where their bits are disjoint from the constant's, the xor is an addition,
// which addresses take as an immediate.
#include "compiler/Gpu/Lower/Emitter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Place;

namespace pavage::gpu {

/// Adds to `sum` the bits of `place` times their images. Neighbouring bits whose images move along are shifted as one.
static void addBits(Emitter &e, Value place, ArrayRef<layout::Vector> images, Value &sum, layout::Vector &used) {
  for (size_t first = 0; first < images.size();) {
    layout::Vector image = images[first];
    size_t end = first + 1;
    if (image == 0) {
      first = end;
      continue;
    }
    if (llvm::isPowerOf2_64(image)) {
      while (end < images.size() && images[end] == image << (end - first)) {
        ++end;
      }
    }
    Value part = e.bitAnd(place, e.i32(((int64_t(1) << (end - first)) - 1) << first));
    layout::Vector bits = 0;
    for (size_t bit = first; bit < end; ++bit) {
      bits |= images[bit];
    }
    int shift = llvm::countr_zero(image) - static_cast<int>(first);
    if (llvm::isPowerOf2_64(image)) {
      part = shift >= 0 ? e.shl(part, shift) : e.lshr(part, -shift);
    } else {
      // One bit with several in its image: all ones or zero, masked.
      part = e.bitAnd(e.sub(e.i32(0), e.lshr(part, first)), e.i32(static_cast<int64_t>(image)));
    }
    sum = !sum ? part : (used & bits) == 0 ? e.bitOr(sum, part) : e.bitXor(sum, part);
    used |= bits;
    first = end;
  }
}

Value Emitter::mapThread(ArrayRef<layout::Vector> laneImages, ArrayRef<layout::Vector> warpImages) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(entry->getTerminator());
  Value sum;
  layout::Vector used = 0;
  addBits(*this, lane, laneImages, sum, used);
  addBits(*this, warp, warpImages, sum, used);
  return sum ? sum : i32(0);
}

const layout::Layout &Emitter::layoutOf(tilegpu::LayoutAttr attribute) {
  auto [found, isNew] = layouts.try_emplace(attribute);
  if (isNew) {
    found->second = attribute.getLayout();
  }
  return found->second;
}

/// The images of a place, one axis of them.
static layout::Vectors alongAxis(const layout::Layout &layout, Place place, unsigned axis) {
  layout::Vectors images;
  for (layout::Vector image : layout.basis(place)) {
    images.push_back(layout.unpack(image)[axis]);
  }
  return images;
}

Value Emitter::threadCoordinate(tilegpu::LayoutAttr attribute, unsigned axis) {
  Value &known = threadCoordinates[{attribute, axis}];
  if (!known) {
    const layout::Layout &layout = layoutOf(attribute);
    Value made = mapThread(alongAxis(layout, Place::Lane, axis), alongAxis(layout, Place::Warp, axis));
    threadCoordinates[{attribute, axis}] = made;
    return made;
  }
  return known;
}

Value Emitter::coordinate(tilegpu::LayoutAttr attribute, unsigned axis, unsigned reg) {
  const layout::Layout &layout = layoutOf(attribute);
  Value thread = threadCoordinate(attribute, axis);
  int64_t fixed = layout.at({reg})[axis];
  int64_t moving = 0;
  for (Place place : {Place::Lane, Place::Warp}) {
    for (layout::Vector image : alongAxis(layout, place, axis)) {
      moving |= static_cast<int64_t>(image);
    }
  }
  return (moving & fixed) == 0 ? add(thread, i32(fixed)) : bitXor(thread, i32(fixed));
}

Value Emitter::isFirstCopy(tilegpu::LayoutAttr attribute) {
  const layout::Layout &layout = layoutOf(attribute);
  Value is;
  for (auto [place, number] : {std::pair(Place::Lane, lane), std::pair(Place::Warp, warp)}) {
    uint32_t copies = layout.copies(place);
    if (copies != 0) {
      is = both(is, compare(LLVM::ICmpPredicate::eq, bitAnd(number, i32(copies)), i32(0)));
    }
  }
  return is;
}

Value Emitter::isInside(tilegpu::LayoutAttr attribute, unsigned reg) {
  Value is;
  for (auto [axis, extent] : llvm::enumerate(attribute.getExtents())) {
    if (!llvm::isPowerOf2_64(extent)) {
      is = both(is, compare(LLVM::ICmpPredicate::ult, coordinate(attribute, axis, reg), i32(extent)));
    }
  }
  return is;
}

} // namespace pavage::gpu

// Tiles in scratch memory in row-major order. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Placed.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Place;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

Value packedOffset(Emitter &e, ArrayRef<int64_t> extents, ValueRange coordinates) {
  Value offset = e.i32(0);
  for (auto [extent, coordinate] : llvm::zip(extents, coordinates)) {
    offset = e.add(e.shl(offset, layout::bitsFor(extent)), coordinate);
  }
  return offset;
}

Values coordinatesOf(Emitter &e, tilegpu::LayoutAttr layout, unsigned reg) {
  Values coordinates;
  for (unsigned axis = 0; axis < layout.getExtents().size(); ++axis) {
    coordinates.push_back(e.coordinate(layout, axis, reg));
  }
  return coordinates;
}

layout::Layout rowMajor(ArrayRef<int64_t> extents) { return layout::Layout::identity(Place::Offset, extents.vec()); }

void emitPlaced(Emitter &e, Operation *op, ValueRange sources,
                llvm::function_ref<Placement(unsigned source, unsigned reg)> place) {
  Value result = op->getResult(0);
  Type element = tile::elementTypeOf(result.getType()), inMemory = e.memoryType(element);
  layout::Layout to = tilegpu::layoutOf(result.getType()).getLayout();
  int64_t bytes = Emitter::bytesOf(element);
  int bits = to.totalBits(), inRound = bits;
  while ((bytes << inRound) > kScratchLimit) {
    --inRound;
  }
  layout::Rounds rounds{((layout::Vector(1) << bits) - 1) & ~((layout::Vector(1) << inRound) - 1)};
  layout::Layout shared =
      rounds.bits == 0 ? rowMajor(to.extents()) : layout::Layout::identity(Place::Offset, {int64_t(1) << inRound});
  layout::SharedMove move = layout::planMove(to, shared, static_cast<int>(bytes), /*hasMatrix=*/false, rounds);
  Value base = e.shared(e.scratchOffset(op));
  SharedReader reader(e, move, element, base);

  struct Item {
    Value value, offset, mask;
  };
  SmallVector<Item> items;
  for (auto [number, source] : llvm::enumerate(sources)) {
    Value isFirst = e.isFirstCopy(tilegpu::layoutOf(source.getType()));
    for (auto [reg, value] : llvm::enumerate(e.elements(source))) {
      Placement placement = place(number, reg);
      items.push_back({e.toMemory(value, element), placement.offset, e.both(isFirst, placement.mask)});
    }
  }
  for (int round = 0; round < rounds.count(); ++round) {
    if (round > 0) {
      e.barrier(); // the round before has been read
    }
    for (const Item &item : items) {
      Value mask = item.mask, offset = item.offset;
      if (rounds.bits != 0) {
        mask = e.both(mask, e.compare(Predicate::eq, e.lshr(offset, inRound), e.i32(round)));
        offset = e.bitAnd(offset, e.i32((int64_t(1) << inRound) - 1));
      }
      e.when(mask, [&] { LLVM::StoreOp::create(e.b, e.loc, item.value, e.gep(base, inMemory, offset), bytes); });
    }
    e.barrier();
    reader.read(round);
  }
  unsigned perWord = Emitter::perWord(result.getType());
  Values words = reader.finish(Emitter::numRegisters(result.getType()), perWord);
  tilegpu::LayoutAttr attribute = tilegpu::layoutOf(result.getType());
  if (llvm::all_of(attribute.getExtents(), [](int64_t extent) { return llvm::isPowerOf2_64(extent); })) {
    e.bindWords(result, words);
    return;
  }
  // Nobody wrote the padding: zero, not what was there before.
  Values elements = e.unpack(words, perWord);
  for (auto [reg, value] : llvm::enumerate(elements)) {
    value = e.select(e.isInside(attribute, reg), value, e.zero(value.getType()));
  }
  e.bindElements(result, elements);
}

} // namespace pavage::gpu

// Ops that change shapes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of views (dialect/TileGPU/Infer.h) are such that no element changes its thread: a view renames registers.
// cat, slice and reshapes between other extents than powers of two are no linear maps; they go through scratch memory.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Placed.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::layout::Vector;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

static void emitSplat(Emitter &e, tile::SplatOp op) {
  Value value = e.scalar(op.getSrc());
  unsigned perWord = Emitter::perWord(op.getType());
  Value word = perWord == 1 ? value : e.vectorOf(Values(perWord, value));
  e.bindWords(op, Values(Emitter::numRegisters(op.getType()) / perWord, word));
}

/// Elements of the result by the register of the source that holds them, `erase` being what the view does to packed
/// coordinates of the result.
static Values renamed(Emitter &e, Value source, const Layout &result, llvm::function_ref<Vector(Vector)> erase) {
  Layout from = tilegpu::layoutOf(source.getType()).getLayout();
  layout::Vectors registers;
  for (Vector image : result.basis(Place::Register)) {
    std::optional<Vector> reg = layout::solve(from.basis(Place::Register), erase(image));
    assert(reg && "a view moves no element to another thread");
    registers.push_back(*reg);
  }
  Values elements = e.elements(source), renamed;
  for (unsigned reg = 0; reg < 1u << registers.size(); ++reg) {
    renamed.push_back(elements[layout::multiply(registers, reg)]);
  }
  return renamed;
}

static void emitBroadcast(Emitter &e, tile::BroadcastOp op) {
  Layout result = tilegpu::layoutOf(op.getType()).getLayout();
  auto from = cast<RankedTensorType>(op.getSrc().getType());
  Layout source = tilegpu::layoutOf(from).getLayout();
  e.bindElements(op, renamed(e, op.getSrc(), result, [&](Vector image) {
                   layout::Coordinates coordinates = result.unpack(image);
                   for (auto [axis, extent] : llvm::enumerate(from.getShape())) {
                     coordinates[axis] = extent == 1 ? 0 : coordinates[axis];
                   }
                   return source.pack(coordinates);
                 }));
}

static void emitJoin(Emitter &e, tile::JoinOp op) {
  Layout result = tilegpu::layoutOf(op.getType()).getLayout();
  // The new axis is bit 0 of packed coordinates.
  auto sides = [&](Value operand) {
    if (!isa<RankedTensorType>(operand.getType())) {
      return Values(Emitter::numRegisters(op.getType()), e.scalar(operand));
    }
    return renamed(e, operand, result, [](Vector image) { return image >> 1; });
  };
  Values left = sides(op.getLhs()), right = sides(op.getRhs()), joined;
  uint32_t lanes = 0, warps = 0;
  for (auto [place, mask] : {std::pair(Place::Lane, &lanes), std::pair(Place::Warp, &warps)}) {
    for (auto [bit, image] : llvm::enumerate(result.basis(place))) {
      *mask |= static_cast<uint32_t>(image & 1) << bit;
    }
  }
  for (unsigned reg = 0; reg < left.size(); ++reg) {
    bool isRight = (result.packedAt({reg}) & 1) != 0;
    Value first = isRight ? right[reg] : left[reg], second = isRight ? left[reg] : right[reg];
    joined.push_back(lanes || warps ? e.select(isOdd(e, lanes, warps), second, first) : first);
  }
  e.bindElements(op, joined);
}

static void emitSplit(Emitter &e, tile::SplitOp op) {
  Layout source = tilegpu::layoutOf(op.getSrc().getType()).getLayout();
  Values elements = e.elements(op.getSrc()), halves[2];
  for (unsigned reg = 0; reg < elements.size(); ++reg) {
    halves[source.packedAt({reg}) & 1].push_back(elements[reg]);
  }
  e.bindElements(op.getLhs(), halves[0]);
  e.bindElements(op.getRhs(), halves[1]);
}

static void emitCat(Emitter &e, tile::CatOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t first = cast<RankedTensorType>(op.getLhs().getType()).getShape()[op.getAxis()];
  emitPlaced(e, op, {op.getLhs(), op.getRhs()}, [&](unsigned source, unsigned reg) -> Placement {
    tilegpu::LayoutAttr layout = tilegpu::layoutOf(op->getOperand(source).getType());
    Values coordinates = coordinatesOf(e, layout, reg);
    Value &moved = coordinates[op.getAxis()];
    moved = source == 0 ? moved : e.add(moved, e.i32(first));
    return {packedOffset(e, type.getShape(), coordinates), e.isInside(layout, reg)};
  });
}

/// x / divisor and x % divisor, unsigned.
static Value divide(Emitter &e, Value x, int64_t divisor) {
  if (llvm::isPowerOf2_64(divisor)) {
    return e.lshr(x, llvm::Log2_64(divisor));
  }
  return LLVM::UDivOp::create(e.b, e.loc, x, e.i32(divisor));
}
static Value remainder(Emitter &e, Value x, int64_t divisor) {
  return e.sub(x, e.mul(divide(e, x, divisor), e.i32(divisor)));
}

static void emitSlice(Emitter &e, tile::SliceOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(op.getSrc().getType());
  // Along an axis with stride 0 an element goes to every place: the source counts once for each.
  int64_t copies = 1;
  for (auto [extent, stride] : llvm::zip(type.getShape(), op.getStrides())) {
    copies *= stride == 0 ? extent : 1;
  }
  emitPlaced(e, op, Values(copies, op.getSrc()), [&](unsigned copy, unsigned reg) -> Placement {
    Values coordinates = coordinatesOf(e, layout, reg);
    Value mask;
    for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
      int64_t stride = op.getStrides()[axis], offset = op.getOffsets()[axis];
      Value x = coordinates[axis], start = e.i32(offset);
      if (offset == 0 && stride == 1 && extent == layout.getExtents()[axis]) {
        continue; // padding goes to padding
      }
      if (stride == 0) {
        mask = e.both(mask, e.compare(Predicate::eq, x, start));
        coordinates[axis] = e.i32(copy % extent);
        copy /= extent;
        continue;
      }
      Value moved = stride > 0 ? e.sub(x, start) : e.sub(start, x);
      mask = e.both(mask, e.compare(stride > 0 ? Predicate::uge : Predicate::ule, x, start));
      if (int64_t step = std::abs(stride); step != 1) {
        mask = e.both(mask, e.compare(Predicate::eq, remainder(e, moved, step), e.i32(0)));
        moved = divide(e, moved, step);
      }
      mask = e.both(mask, e.compare(Predicate::ult, moved, e.i32(extent)));
      coordinates[axis] = moved;
    }
    return {packedOffset(e, type.getShape(), coordinates), mask};
  });
}

static void emitReshape(Emitter &e, tile::ReshapeOp op) {
  auto from = cast<RankedTensorType>(op.getSrc().getType()), to = cast<RankedTensorType>(op.getType());
  auto isPower = [](int64_t extent) { return llvm::isPowerOf2_64(extent); };
  if (llvm::all_of(from.getShape(), isPower) && llvm::all_of(to.getShape(), isPower)) {
    e.bindWords(op, Values(e.words(op.getSrc())));
    return;
  }
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(from);
  emitPlaced(e, op, op.getSrc(), [&](unsigned, unsigned reg) -> Placement {
    Value number = e.i32(0);
    for (auto [extent, x] : llvm::zip(from.getShape(), coordinatesOf(e, layout, reg))) {
      number = e.add(e.mul(number, e.i32(extent)), x);
    }
    Values coordinates(to.getRank());
    for (int64_t axis = to.getRank() - 1; axis >= 0; --axis) {
      int64_t extent = to.getShape()[axis];
      coordinates[axis] = axis == 0 ? number : remainder(e, number, extent);
      number = divide(e, number, extent);
    }
    return {packedOffset(e, to.getShape(), coordinates), e.isInside(layout, reg)};
  });
}

LogicalResult emitShape(Emitter &e, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::SplatOp splat) { emitSplat(e, splat); })
      .Case([&](tile::UnsplatOp unsplat) { e.bindScalar(unsplat, e.elements(unsplat.getSrc()).front()); })
      // The same registers under other names.
      .Case<tile::ExpandDimsOp, tile::TransOp>([&](auto view) { e.bindWords(view, Values(e.words(view.getSrc()))); })
      .Case([&](tile::BroadcastOp broadcast) { emitBroadcast(e, broadcast); })
      .Case([&](tile::ReshapeOp reshape) { emitReshape(e, reshape); })
      .Case([&](tile::JoinOp join) { emitJoin(e, join); })
      .Case([&](tile::SplitOp split) { emitSplit(e, split); })
      .Case([&](tile::CatOp cat) { emitCat(e, cat); })
      .Case([&](tile::SliceOp slice) { emitSlice(e, slice); });
  return success();
}

} // namespace pavage::gpu

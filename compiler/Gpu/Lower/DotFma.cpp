// Products by multiply-adds. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over K, a few steps at a time: each thread loads its rows of a and its columns of b from shared memory and
// updates all of its sums. The loop keeps code size independent of K. For fixed K, what a thread needs of an operand is
// a tile of its own, held by the accumulator's layout with the other operand's axis erased; the low bits of K count as
// registers, the others as what the loop moves.
#include "compiler/Gpu/Lower/Exchange.h"
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Scalars.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::layout::Vector;
using pavage::layout::Vectors;
using pavage::tilegpu::RingType;

namespace pavage::gpu {

namespace {
/// One operand, as the thread reads it.
class Stream {
public:
  Stream(Emitter &e, Value ring, Value slot, const Layout &sums, bool isRight, int stepBits, bool isUnsigned);
  /// Loads the elements of the steps from `first` (i32, a multiple of the number of steps) on.
  void load(Value first);
  /// The element that the sum of register `reg` takes in at a step, in the type of the computation.
  Value get(unsigned reg, unsigned step, Type compute);

private:
  Emitter &e;
  Type element;
  bool isUnsigned;
  int stepBits;
  layout::SharedMove move;
  Vectors loopOffsets; ///< of the bits of K above those of a step
  Vectors ofSums;      ///< register of the stream for each register bit of the accumulator
  unsigned size;
  Value base;
  Values loaded;
  Values widened;
};
} // namespace

Stream::Stream(Emitter &e, Value ring, Value slot, const Layout &sums, bool isRight, int stepBits, bool isUnsigned)
    : e(e), isUnsigned(isUnsigned), stepBits(stepBits) {
  auto type = cast<RingType>(ring.getType());
  element = type.getTile().getElementType();
  Layout shared = tilegpu::layoutOf(type.getTile()).getLayout();
  int rank = sums.rank(), kAxis = isRight ? rank - 2 : rank - 1;
  auto project = [&](Vector image) {
    layout::Coordinates at = sums.unpack(image);
    at[kAxis] = 0;
    return shared.pack(at);
  };
  auto alongK = [&](int bit) {
    layout::Coordinates at(rank, 0);
    at[kAxis] = int64_t(1) << bit;
    return shared.pack(at);
  };
  Layout::Bases bases;
  Vectors &registers = bases[static_cast<int>(Place::Register)];
  for (int bit = 0; bit < stepBits; ++bit) {
    registers.push_back(alongK(bit));
  }
  for (Vector image : sums.basis(Place::Register)) {
    Vector own = project(image);
    ofSums.push_back(own == 0 ? 0 : Vector(1) << registers.size());
    if (own != 0) {
      registers.push_back(own);
    }
  }
  size = 1u << registers.size();
  for (Vector image : sums.basis(Place::Lane)) {
    bases[static_cast<int>(Place::Lane)].push_back(project(image));
  }
  Vectors &warps = bases[static_cast<int>(Place::Warp)];
  for (Vector image : sums.basis(Place::Warp)) {
    warps.push_back(project(image));
  }
  // The loop moves through K as if through more warps.
  size_t numWarpBits = warps.size();
  for (int bit = stepBits; bit < shared.axisBits(kAxis); ++bit) {
    warps.push_back(alongK(bit));
  }
  Layout streamed(type.getTile().getShape().vec(), std::move(bases));
  int bytes = static_cast<int>(Emitter::bytesOf(element));
  move = layout::planMove(streamed, shared, bytes, /*hasMatrix=*/false);
  bool turnsInLoop = llvm::any_of(move.flips, [&](layout::Flip flip) { return flip.warps >> numWarpBits != 0; });
  if (turnsInLoop) {
    move = *layout::planRuns(streamed, shared, bytes, 1);
  }
  for (size_t bit = numWarpBits; bit < move.warpOffsets.size(); ++bit) {
    loopOffsets.push_back(move.warpOffsets[bit] * bytes);
  }
  move.warpOffsets.resize(numWarpBits);
  move.warpRounds.resize(numWarpBits);
  base = e.gep(e.scalar(ring), e.b.getI8Type(), e.mul(e.scalar(slot), e.i32(type.getSlotBytes())));
}

void Stream::load(Value first) {
  // Neighbouring bits of K whose offsets move along are shifted as one.
  Value part = e.i32(0);
  for (size_t bit = 0; bit < loopOffsets.size();) {
    size_t end = bit + 1;
    while (end < loopOffsets.size() && llvm::isPowerOf2_64(loopOffsets[bit]) &&
           loopOffsets[end] == loopOffsets[bit] << (end - bit)) {
      ++end;
    }
    Value own = e.bitAnd(e.lshr(first, stepBits + bit), e.i32((int64_t(1) << (end - bit)) - 1));
    part = e.bitXor(part, e.mul(own, e.i32(static_cast<int64_t>(loopOffsets[bit]))));
    bit = end;
  }
  SharedReader reader(e, move, element, base, part);
  reader.read();
  loaded = reader.finish(size, 1);
  widened.assign(size, Value());
}

Value Stream::get(unsigned reg, unsigned step, Type compute) {
  unsigned at = static_cast<unsigned>(layout::multiply(ofSums, reg)) | step;
  Value &value = widened[at];
  if (!value) {
    bool isShortFloat = isa<FloatType>(element) && element != compute;
    value = isShortFloat                ? Scalars{e}.widen(loaded[at], element)
            : isa<IntegerType>(element) ? e.resize(loaded[at], compute.getIntOrFloatBitWidth(), !isUnsigned)
                                        : loaded[at];
  }
  return value;
}

LogicalResult emitDotFma(Emitter &e, tilegpu::DotFmaOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Layout layout = tilegpu::layoutOf(type).getLayout();
  int64_t extentK = op.getA().getType().getTile().getShape().back();
  Type result = type.getElementType();
  bool isShort = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
  Type compute = isShort ? e.b.getF32Type() : result;
  Values sums = e.elements(op.getAcc());
  for (Value &sum : sums) {
    sum = isShort ? Scalars{e}.widen(sum, result) : sum;
  }
  // Four steps at once where the body stays small.
  int stepBits = std::min<int>(sums.size() > 128 ? 1 : 2, layout::bitsFor(extentK));
  unsigned steps = 1u << stepBits;
  Stream a(e, op.getA(), op.getASlot(), layout, false, stepBits, op.getAUnsigned());
  Stream b(e, op.getB(), op.getBSlot(), layout, true, stepBits, op.getBUnsigned());
  auto update = [&](Values before, Value first, unsigned count) {
    a.load(first);
    b.load(first);
    for (unsigned step = 0; step < count; ++step) {
      for (auto [reg, sum] : llvm::enumerate(before)) {
        Value left = a.get(reg, step, compute), right = b.get(reg, step, compute);
        sum = isa<IntegerType>(compute) ? e.add(sum, e.mul(left, right)) : Scalars{e}.fma(left, right, sum);
      }
    }
    return before;
  };
  if (int64_t rounds = extentK / steps) {
    sums = e.repeat(e.i32(rounds), sums, [&](Value round, ValueRange carried) {
      return update(Values(carried), e.shl(round, stepBits), steps);
    });
  }
  if (unsigned rest = extentK % steps) {
    sums = update(sums, e.i32(extentK - rest), rest);
  }
  for (Value &sum : sums) {
    sum = isShort ? Scalars{e}.narrow(sum, result, /*towardZero=*/false) : sum;
  }
  e.bindElements(op, sums);
  return success();
}

} // namespace pavage::gpu

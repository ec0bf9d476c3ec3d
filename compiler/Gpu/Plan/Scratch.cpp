// Scratch memory of ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Plan/Scratch.h"

#include "compiler/Gpu/Plan/Axis.h"
#include "dialect/Layout/Convert.h"
#include "dialect/TileGPU/TileGPU.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;

namespace pavage::gpu {

static int64_t bytesOf(Type type) { return tile::bytesInMemory(tile::elementTypeOf(type)); }

/// Of a tile with its extents rounded up to powers of two.
static int64_t roundedBytes(Type type) {
  int64_t bytes = bytesOf(type);
  for (int64_t extent : cast<RankedTensorType>(type).getShape()) {
    bytes <<= layout::bitsFor(extent);
  }
  return bytes;
}

static int64_t inRounds(int64_t bytes) { return std::min(bytes, kScratchLimit); }

static int64_t exchangeBytes(const WarpExchange &exchange, int64_t elementBytes) {
  return llvm::alignTo(inRounds(elementBytes << exchange.writer.totalBits()), 16);
}

/// A reduce or scan: what warps tell each other.
static int64_t foldBytes(ValueRange sources, int32_t axisNumber, bool isScan) {
  tilegpu::LayoutAttr attribute = tilegpu::layoutOf(sources.front().getType());
  if (!attribute) {
    return 0;
  }
  Layout layout = attribute.getLayout();
  std::optional<Axis> axis = axisOf(layout, axisNumber);
  if (!axis) {
    return 0; // Lower reports it
  }
  int64_t bytes = 0;
  for (const WarpExchange &exchange : isScan ? scanExchanges(layout, *axis) : reduceExchanges(layout, *axis)) {
    for (Value source : sources) {
      bytes += exchangeBytes(exchange, bytesOf(source.getType()));
    }
  }
  return bytes;
}

int64_t sortKeyBytes(int64_t elementBytes) { return std::max<int64_t>(4, elementBytes); }

unsigned sortChunk(unsigned registers, int64_t keyBytes, int64_t threads) {
  int64_t fits = std::max<int64_t>(1, kScratchLimit / (keyBytes * threads));
  return static_cast<unsigned>(std::min<int64_t>(registers, llvm::bit_floor(static_cast<uint64_t>(fits))));
}

static int64_t sortBytes(tile::SortOp op) {
  tilegpu::LayoutAttr attribute = tilegpu::layoutOf(op.getType());
  if (!attribute) {
    return 0;
  }
  Layout layout = attribute.getLayout();
  std::optional<Axis> axis = axisOf(layout, layout.rank() - 1);
  if (!axis || axis->placeMask(Place::Warp) == 0) {
    return 0;
  }
  int64_t keyBytes = sortKeyBytes(bytesOf(op.getType())), threads = int64_t(32) << layout.numBits(Place::Warp);
  return sortChunk(1u << layout.numBits(Place::Register), keyBytes, threads) * keyBytes * threads;
}

/// Results of an atomic op that other threads than the one that ran it must learn.
static int64_t atomicBytes(Value result) {
  if (result.use_empty()) {
    return 0;
  }
  tilegpu::LayoutAttr attribute = tilegpu::layoutOf(result.getType());
  if (!attribute) {
    return bytesOf(result.getType());
  }
  Layout layout = attribute.getLayout();
  bool hasCopies = layout.copies(Place::Lane) != 0 || layout.copies(Place::Warp) != 0;
  return hasCopies ? roundedBytes(result.getType()) : 0;
}

static bool isRenamedReshape(tile::ReshapeOp op) {
  auto isPower = [](int64_t extent) { return llvm::isPowerOf2_64(extent); };
  return llvm::all_of(cast<RankedTensorType>(op.getSrc().getType()).getShape(), isPower) &&
         llvm::all_of(cast<RankedTensorType>(op.getType()).getShape(), isPower);
}

Scratch scratchOf(Operation *op) {
  int64_t bytes =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case([](tilegpu::ConvertOp convert) {
            tilegpu::LayoutAttr from = tilegpu::layoutOf(convert.getSrc().getType());
            tilegpu::LayoutAttr to = tilegpu::layoutOf(convert.getType());
            bool isShared = layout::classify(from.getLayout(), to.getLayout()) == layout::Conversion::Shared;
            return isShared ? inRounds(roundedBytes(convert.getType())) : 0;
          })
          .Case([](tile::ReduceOp reduce) { return foldBytes(reduce.getSrcs(), reduce.getAxis(), false); })
          .Case([](tile::ScanOp scan) { return foldBytes(scan.getSrcs(), scan.getAxis(), true); })
          .Case([](tile::SortOp sort) { return sortBytes(sort); })
          .Case([](tile::GatherOp gather) { return roundedBytes(gather.getSrc().getType()); })
          .Case([](tile::HistogramOp histogram) { return roundedBytes(histogram.getType()); })
          .Case<tile::CatOp, tile::SliceOp>([](auto moved) { return inRounds(roundedBytes(moved.getType())); })
          .Case([](tile::ReshapeOp reshape) {
            return isRenamedReshape(reshape) ? 0 : inRounds(roundedBytes(reshape.getType()));
          })
          .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([](auto atomic) { return atomicBytes(atomic.getResult()); })
          .Default([](Operation *) { return 0; });
  return {bytes, 16};
}

} // namespace pavage::gpu

// A place in shared memory for everything that needs one. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: rings get `tilegpu.offset`, ops with scratch memory `tilegpu.scratch`, the kernel `tilegpu.shared_bytes`.
//
//   %r = tilegpu.alloc          ->    %r = tilegpu.alloc {tilegpu.offset = 0 : i64}
//   %y = tilegpu.convert %x           %y = tilegpu.convert %x {tilegpu.scratch = 8192 : i64}
//
// A piece is in use from the first to the last position where it is touched, in program order, and for a whole loop
// when it was there before the loop. Pieces that are never in use together may share bytes; large ones choose first.
//
// Needs: layouts, rings. Leaves: places; an error that lists all pieces when they do not fit.
// Why here: after the last pass that makes a ring or a conversion, before barriers, which look at bytes.
#include "compiler/Gpu/Schedule/Passes.h"

#include "compiler/Gpu/Plan/Scratch.h"
#include "compiler/Support/Diagnostics.h"
#include "compiler/Target/GpuTarget.h"
#include "dialect/TileGPU/TileGPU.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "pavage-gpu-allocate-shared"

namespace pavage::gpu {
#define GEN_PASS_DEF_ALLOCATESHAREDPASS
#include "compiler/Gpu/Schedule/Passes.h.inc"
} // namespace pavage::gpu

using namespace mlir;
using namespace pavage;

namespace {

constexpr int64_t ringAlignment = 128; // one row of all banks

struct Piece {
  Operation *op;
  int64_t bytes, alignment;
  int64_t first, last; ///< positions, ends included
  int64_t offset = 0;
};

class Allocator {
public:
  explicit Allocator(func::FuncOp kernel) : kernel(kernel) {
    number(kernel);
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { addPiece(op); });
  }

  /// Bytes in all.
  int64_t place() {
    SmallVector<Piece *> order;
    for (Piece &piece : pieces) {
      order.push_back(&piece);
    }
    llvm::stable_sort(order, [](Piece *a, Piece *b) { return a->bytes > b->bytes; });
    int64_t total = 0;
    SmallVector<Piece *> placed;
    for (Piece *piece : order) {
      SmallVector<Piece *> rivals;
      for (Piece *other : placed) {
        if (other->first <= piece->last && piece->first <= other->last) {
          rivals.push_back(other);
        }
      }
      llvm::sort(rivals, [](Piece *a, Piece *b) { return a->offset < b->offset; });
      for (Piece *rival : rivals) {
        if (piece->offset + piece->bytes > rival->offset) {
          piece->offset = std::max(piece->offset,
                                   static_cast<int64_t>(llvm::alignTo(rival->offset + rival->bytes, piece->alignment)));
        }
      }
      total = std::max(total, piece->offset + piece->bytes);
      placed.push_back(piece);
    }
    return total;
  }

  SmallVector<Piece> pieces;

private:
  /// Positions in program order; a loop spans from before to after its body.
  void number(Operation *op) {
    begin[op] = counter++;
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (Operation &inner : block) {
          number(&inner);
        }
      }
    }
    end[op] = counter++;
  }

  void addPiece(Operation *op) {
    if (auto alloc = dyn_cast<tilegpu::AllocOp>(op)) {
      Piece piece{op, alloc.getRing().getType().getBytes(), ringAlignment, begin[op], begin[op]};
      for (Operation *user : op->getUsers()) {
        // Used in a loop that the ring outlives, it is in use throughout the loop.
        Operation *outermost = user;
        for (Operation *outer = user; outer->getBlock() != op->getBlock(); outer = outer->getParentOp()) {
          outermost = outer->getParentOp();
        }
        piece.last = std::max(piece.last, end[outermost]);
      }
      pieces.push_back(piece);
    } else if (gpu::Scratch scratch = gpu::scratchOf(op); scratch.bytes > 0) {
      pieces.push_back({op, scratch.bytes, std::max<int64_t>(16, scratch.alignment), begin[op], end[op]});
    }
  }

  func::FuncOp kernel;
  DenseMap<Operation *, int64_t> begin, end;
  int64_t counter = 0;
};

std::string describe(Operation *op, int64_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << bytes << " bytes for ";
  if (auto alloc = dyn_cast<tilegpu::AllocOp>(op)) {
    tilegpu::RingType ring = alloc.getRing().getType();
    os << ring.getSlots() << (ring.getSlots() == 1 ? " tile of " : " tiles of ");
    llvm::interleave(ring.getTile().getShape(), os, "x");
    os << " " << ring.getTile().getElementType();
  } else {
    os << "'" << op->getName().getStringRef() << "'";
  }
  return text;
}

struct AllocateShared : gpu::impl::AllocateSharedPassBase<AllocateShared> {
  using AllocateSharedPassBase::AllocateSharedPassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto name = kernel->getAttrOfType<StringAttr>(tilegpu::kTargetAttr);
    if (!name) {
      return;
    }
    const target::GpuTarget *facts = target::findGpuTarget(target.empty() ? name.getValue() : StringRef(target));
    Allocator allocator(kernel);
    int64_t total = allocator.place();
    if (facts && total > facts->sharedOptIn) {
      InFlightDiagnostic error = support::emitNumbered(kernel.getLoc(), 250)
                                 << "the kernel needs " << total << " bytes of shared memory, " << facts->name
                                 << " has " << facts->sharedOptIn;
      llvm::stable_sort(allocator.pieces, [](const Piece &a, const Piece &b) { return a.bytes > b.bytes; });
      for (const Piece &piece : allocator.pieces) {
        error.attachNote(piece.op->getLoc()) << describe(piece.op, piece.bytes);
      }
      return signalPassFailure();
    }
    Builder builder(kernel.getContext());
    for (const Piece &piece : allocator.pieces) {
      bool isRing = isa<tilegpu::AllocOp>(piece.op);
      piece.op->setAttr(isRing ? tilegpu::kOffsetAttr : tilegpu::kScratchAttr, builder.getI64IntegerAttr(piece.offset));
      ++numPieces;
    }
    kernel->setAttr(tilegpu::kSharedBytesAttr, builder.getI64IntegerAttr(total));
  }
};

} // namespace

// Barriers where shared memory needs them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: follows, along every path, which bytes of shared memory were touched since all threads last met. An op that
// would touch such bytes, one of the two writing, gets a `tilegpu.barrier` before it.
//
//   tilegpu.write %x, %r[%c0]           tilegpu.write %x, %r[%c0]
//   %y = tilegpu.read %r[%c0]     ->    tilegpu.barrier
//                                       %y = tilegpu.read %r[%c0]
//
// Slots of a ring are told apart where their numbers are constants, or where the op says `tilegpu.disjoint`: the
// pipeliner has proven that it touches a slot that no other access touches before the next wait. What an asynchronous
// copy writes is guarded by its wait, so a read of the same ring needs no barrier for it.
//
// Needs: places in shared memory. Leaves: no unguarded pair, also from one iteration to the next.
// Why here: last of the room, when nothing moves any more.
#include "compiler/Gpu/Schedule/Passes.h"

#include "compiler/Gpu/Plan/Scratch.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "pavage-gpu-place-barriers"

namespace pavage::gpu {
#define GEN_PASS_DEF_PLACEBARRIERSPASS
#include "compiler/Gpu/Schedule/Passes.h.inc"
} // namespace pavage::gpu

using namespace mlir;
using namespace pavage;

namespace {

/// Bytes touched since the last barrier.
struct Touch {
  int64_t first, end;
  bool isWrite;
  bool isAsync;
  Value ring; ///< null for scratch

  bool operator==(const Touch &other) const {
    return first == other.first && end == other.end && isWrite == other.isWrite && isAsync == other.isAsync &&
           ring == other.ring;
  }
};
using State = SmallVector<Touch>;

bool conflict(const Touch &a, const Touch &b) {
  bool overlaps = a.first < b.end && b.first < a.end;
  bool guarded = a.ring && a.ring == b.ring && (a.isAsync || b.isAsync) && a.isWrite != b.isWrite && a.isAsync;
  return overlaps && (a.isWrite || b.isWrite) && !guarded;
}

void add(State &state, const Touch &touch) {
  if (!llvm::is_contained(state, touch)) {
    state.push_back(touch);
  }
}

bool merge(State &into, const State &from) {
  size_t before = into.size();
  for (const Touch &touch : from) {
    add(into, touch);
  }
  return into.size() != before;
}

class Placer {
public:
  unsigned numBarriers = 0;

  void walk(Block &block, State &state) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op, state);
    }
  }

private:
  void visit(Operation *op, State &state) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      repeat(state, [&](State &inner) { walk(*loop.getBody(), inner); });
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      State after;
      repeat(state, [&](State &inner) {
        walk(*loop.getBeforeBody(), inner);
        after = inner; // the loop ends here
        walk(*loop.getAfterBody(), inner);
      });
      state = after;
      return;
    }
    if (isa<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() > 0) {
      State result;
      bool mayPass = isa<scf::IfOp>(op) && op->getRegion(1).empty();
      for (Region &region : op->getRegions()) {
        if (!region.empty()) {
          State branch = state;
          walk(region.front(), branch);
          merge(result, branch);
        }
      }
      if (mayPass) {
        merge(result, state);
      }
      state = result;
      return;
    }
    if (isa<tilegpu::WaitOp, tilegpu::BarrierOp, tile::BarrierOp>(op)) {
      state.clear();
      return;
    }
    SmallVector<Touch> touches = touchesOf(op);
    bool clashes = llvm::any_of(touches, [&](const Touch &touch) {
      return llvm::any_of(state, [&](const Touch &before) { return conflict(before, touch); });
    });
    if (clashes) {
      OpBuilder builder(op);
      tilegpu::BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
      state.clear();
    }
    bool meets = op->hasAttr(tilegpu::kScratchAttr);
    if (meets) {
      // Inside, all threads meet between writing and reading; what they read is still to be guarded.
      state.clear();
      for (Touch &touch : touches) {
        touch.isWrite = !touch.ring ? false : touch.isWrite;
      }
    }
    for (const Touch &touch : touches) {
      add(state, touch);
    }
  }

  /// A body that runs any number of times: what its end leaves is there at its beginning.
  void repeat(State &state, function_ref<void(State &)> body) {
    while (true) {
      State inner = state;
      body(inner);
      if (!merge(state, inner)) {
        return;
      }
    }
  }

  SmallVector<Touch> touchesOf(Operation *op) {
    SmallVector<Touch> result;
    if (auto offset = op->getAttrOfType<IntegerAttr>(tilegpu::kScratchAttr)) {
      int64_t first = offset.getInt();
      result.push_back({first, first + gpu::scratchOf(op).bytes, true, false, {}});
    }
    auto slot = [&](Value ring, Value number, bool isWrite, bool isAsync) {
      auto alloc = ring.getDefiningOp<tilegpu::AllocOp>();
      int64_t first = alloc->getAttrOfType<IntegerAttr>(tilegpu::kOffsetAttr).getInt();
      int64_t bytes = alloc.getRing().getType().getSlotBytes(), end = first + alloc.getRing().getType().getBytes();
      APInt constant;
      if (matchPattern(number, m_ConstantInt(&constant))) {
        first += constant.getSExtValue() * bytes;
        end = first + bytes;
      }
      result.push_back({first, end, isWrite, isAsync, ring});
    };
    if (auto write = dyn_cast<tilegpu::WriteOp>(op)) {
      slot(write.getRing(), write.getSlot(), true, false);
    } else if (auto read = dyn_cast<tilegpu::ReadOp>(op)) {
      slot(read.getRing(), read.getSlot(), false, false);
    } else if (auto copy = dyn_cast<tilegpu::CopyAsyncOp>(op)) {
      slot(copy.getRing(), copy.getSlot(), true, true);
    } else if (auto copy = dyn_cast<tilegpu::GatherAsyncOp>(op)) {
      slot(copy.getRing(), copy.getSlot(), true, true);
    } else if (auto dot = dyn_cast<tilegpu::DotFmaOp>(op)) {
      slot(dot.getA(), dot.getASlot(), false, false);
      slot(dot.getB(), dot.getBSlot(), false, false);
    }
    return result;
  }
};

struct PlaceBarriers : gpu::impl::PlaceBarriersPassBase<PlaceBarriers> {
  using PlaceBarriersPassBase::PlaceBarriersPassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tilegpu::kSharedBytesAttr)) {
      return;
    }
    Placer placer;
    State state;
    placer.walk(kernel.getBody().front(), state);
    numBarriers += placer.numBarriers;
  }
};

} // namespace

// Operands of products in rings, loaded ahead. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a tile that products read, and that must change hands for it, goes through a ring in shared memory. In a loop,
// tiles that come straight from global memory are copied there asynchronously, `num-stages` - 1 iterations ahead:
//
//   for i:                                   copies for iterations 0 .. S-2, a group each
//     %x = tile.load %p(i)             ->    for i:
//     %a = tilegpu.convert %x                  tilegpu.wait pending S-2       // group i is there; all have read i-1
//     tilegpu.mma %a, ..                       copy for iteration i+S-1 into the slot of i-1; tilegpu.commit
//                                              %a = tilegpu.read %r[i mod S]
//                                              tilegpu.mma %a, ..
//                                            tilegpu.wait pending 0
//
// Copies beyond the last iteration are masked off, so any trip count is right, 0 included; the groups are committed all
// the same, so that the count of groups stays known. What computes addresses runs ahead on values of its own.
//
// Needs: layouts. Leaves: rings; one wait, which is the one barrier, per iteration; remarks.
// Why here: after layouts say who needs what, before shared memory is given away.
// Does not: reorder anything else; move a load over what may write memory.
#include "compiler/Gpu/Schedule/Passes.h"

#include "compiler/Gpu/Schedule/LoadAhead.h"
#include "compiler/Target/GpuTarget.h"
#include "dialect/Layout/Convert.h"
#include "dialect/Layout/SharedMove.h"
#include "dialect/TileGPU/Infer.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "pavage-gpu-pipeline"

namespace pavage::gpu {
#define GEN_PASS_DEF_PIPELINEPASS
#include "compiler/Gpu/Schedule/Passes.h.inc"
} // namespace pavage::gpu

using namespace mlir;
using namespace pavage;
using tilegpu::LayoutAttr;

namespace {

layout::Layout layoutOf(Value tile) { return tilegpu::layoutOf(tile.getType()).getLayout(); }

/// Whether a tile becomes an operand of a product, through elementwise ops and views.
bool feedsProduct(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tilegpu::MmaOp>(user)) {
      return use.getOperandNumber() < 2;
    }
    bool passes = tilegpu::isElementwise(user) || isa<tile::TransOp, tile::ReshapeOp>(user);
    return passes && feedsProduct(user->getResult(0));
  });
}

bool isStaged(tilegpu::ConvertOp op) {
  return layout::classify(layoutOf(op.getSrc()), layoutOf(op.getResult())) == layout::Conversion::Shared &&
         feedsProduct(op.getResult());
}

Value constant(OpBuilder &builder, Location loc, int64_t value, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

class Pipeliner {
public:
  Pipeliner(func::FuncOp kernel, const target::GpuTarget &target, int stages)
      : kernel(kernel), target(target), numStages(stages), roots(kernel) {}

  unsigned numPipelined = 0, numRings = 0;

  void run() {
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      loadAhead(loop);
    }
    SmallVector<tilegpu::ConvertOp> left;
    kernel.walk([&](tilegpu::ConvertOp op) {
      if (isStaged(op)) {
        left.push_back(op);
      }
    });
    // Neighbours write together, so that one barrier serves them all.
    Operation *together = nullptr;
    for (tilegpu::ConvertOp op : left) {
      Operation *source = op.getSrc().getDefiningOp();
      bool isReady = together && together->getBlock() == op->getBlock() && source &&
                     (source->getBlock() != op->getBlock() || source->isBeforeInBlock(together));
      together = throughRing(op, isReady ? together : op);
    }
  }

private:
  // --- Legality ---

  /// Why a load cannot be an asynchronous copy; empty when it can.
  std::string obstacle(Operation *load) {
    if (!target.hasAsyncCopy) {
      return (target.name + " has no asynchronous copies").str();
    }
    auto type = cast<RankedTensorType>(load->getResult(0).getType());
    auto vector = load->getAttrOfType<IntegerAttr>(tilegpu::kVectorAttr);
    int64_t bytes = tile::bytesInMemory(type.getElementType()) * (vector ? vector.getInt() : 1);
    if (bytes < 4) {
      return "a lane's accesses have " + std::to_string(bytes) + " bytes, and asynchronous copies at least 4";
    }
    bool isVolatile = false;
    Value other;
    if (auto block = dyn_cast<tile::BlockLoadOp>(load)) {
      other = block.getOther();
      isVolatile = block.getIsVolatile();
    } else {
      auto plain = cast<tile::LoadOp>(load);
      other = plain.getOther();
      isVolatile = plain.getIsVolatile();
    }
    if (isVolatile) {
      return "the load is volatile";
    }
    if (type.getElementType().isInteger(1)) {
      return "a bool in memory may be any byte";
    }
    if (other && !matchPattern(other, m_Zero()) && !matchPattern(other, m_AnyZeroFloat()) && !isZeroTile(other)) {
      return "masked-off elements are not zero";
    }
    return {};
  }

  static bool isZeroTile(Value tile) {
    if (auto splat = tile.getDefiningOp<tile::SplatOp>()) {
      return matchPattern(splat.getSrc(), m_Zero()) || matchPattern(splat.getSrc(), m_PosZeroFloat());
    }
    DenseElementsAttr elements;
    return matchPattern(tile, m_Constant(&elements)) && elements.isSplat() &&
           (isa<FloatType>(elements.getElementType())
                ? elements.getSplatValue<APFloat>().isPosZero()
                : elements.getElementType().isInteger() && elements.getSplatValue<APInt>().isZero());
  }

  // --- Loops ---

  struct Load {
    Operation *op;
    Value ring;
  };

  /// A ring whose slots `writer` fills and from which products read.
  Value makeRing(OpBuilder &builder, Location loc, Value writer, Type reader, int slots, int64_t run) {
    auto type = cast<RankedTensorType>(writer.getType());
    int bytes = static_cast<int>(tile::bytesInMemory(type.getElementType()));
    layout::SharedUse use;
    use.canLoadMatrix = target.hasLdmatrix;
    use.writerRun = static_cast<int>(run);
    layout::Layout shared = layout::chooseShared(layoutOf(writer), tilegpu::layoutOf(reader).getLayout(), bytes, use);
    auto slot = tilegpu::withLayout(type, LayoutAttr::get(type.getContext(), shared));
    ++numRings;
    return tilegpu::AllocOp::create(builder, loc, tilegpu::RingType::get(slots, slot));
  }

  /// The convert, or the write into a multiply-add's ring, by which a product gets a load's tile.
  static Operation *productUse(Value value) {
    for (Operation *user : value.getUsers()) {
      auto convert = dyn_cast<tilegpu::ConvertOp>(user);
      if ((convert && isStaged(convert)) || isa<tilegpu::WriteOp>(user)) {
        return user;
      }
    }
    return nullptr;
  }

  void missed(Operation *op, const Twine &why) {
    remark::missed(op->getLoc(), remark::RemarkOpts::name("pipeline").category("pipeline"))
        << ("not loaded ahead: " + why).str();
  }

  void loadAhead(scf::ForOp loop) {
    SmallVector<Operation *> loads;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<tile::LoadOp, tile::BlockLoadOp>(op) && isa<RankedTensorType>(op.getResult(0).getType()) &&
          productUse(op.getResult(0))) {
        loads.push_back(&op);
      }
    }
    if (loads.empty()) {
      return;
    }
    auto own = loop->getAttrOfType<IntegerAttr>("tile.num_stages");
    stages = own && own.getInt() > 0 ? static_cast<int>(own.getInt()) : numStages;
    if (stages < 2) {
      return missed(loop, "num_stages is 1");
    }
    std::optional<int64_t> step =
        loop.getConstantStep() ? std::optional(loop.getConstantStep()->getSExtValue()) : std::nullopt;
    unsigned width = loop.getInductionVar().getType().getIntOrFloatBitWidth();
    if (step && *step > (int64_t{1} << (width - 2)) / stages) {
      return missed(loop, "its step is too large");
    }
    gpu::LoadAhead ahead(loop);
    SmallVector<Operation *> chosen;
    for (Operation *load : loads) {
      std::string why = obstacle(load);
      if (Operation *writer = why.empty() ? gpu::findWriter(loop, load, roots) : nullptr) {
        why = ("'" + writer->getName().getStringRef() + "' in the loop may write what is loaded").str();
      }
      if (why.empty() && !ahead.addLoad(load)) {
        why = ahead.reason();
      }
      if (!why.empty()) {
        missed(load, why);
        continue;
      }
      chosen.push_back(load);
    }
    if (!chosen.empty()) {
      rewrite(loop, ahead, chosen);
    }
  }

  /// The copy of a load into a slot, made by `clone`, which maps the load's operands; nothing happens unless `active`.
  void makeCopy(OpBuilder &builder, Operation *load, IRMapping &map, Value ring, Value slot, Value active) {
    Location loc = load->getLoc();
    Operation *made = nullptr;
    auto mapped = [&](ValueRange values) {
      return llvm::map_to_vector(values, [&](Value value) { return map.lookupOrDefault(value); });
    };
    if (auto block = dyn_cast<tile::BlockLoadOp>(load)) {
      SmallVector<Value> extents = mapped(block.getExtents());
      LayoutAttr threads = tilegpu::layoutOf(block.getType());
      auto create = [&](OpBuilder &b) {
        made = tilegpu::CopyAsyncOp::create(b, loc, map.lookupOrDefault(block.getBase()), mapped(block.getOffsets()),
                                            mapped(block.getStrides()), extents, ring, slot, block.getChecked(),
                                            threads, block.getCache(), block.getEviction());
      };
      if (block.getChecked().empty()) {
        auto branch = scf::IfOp::create(builder, loc, active, /*withElseRegion=*/false);
        OpBuilder inner = branch.getThenBodyBuilder();
        create(inner);
      } else {
        // A box of extent 0 has nothing inside.
        Value zero = constant(builder, loc, 0, builder.getI64Type());
        Value &extent = extents[block.getChecked().front()];
        extent = arith::SelectOp::create(builder, loc, active, extent, zero);
        create(builder);
      }
    } else {
      auto plain = cast<tile::LoadOp>(load);
      Value pointer = map.lookupOrDefault(plain.getPtr());
      auto maskType = tilegpu::withLayout(cast<RankedTensorType>(pointer.getType()).clone(builder.getI1Type()),
                                          tilegpu::layoutOf(pointer.getType()));
      Value mask = tile::SplatOp::create(builder, loc, maskType, active);
      if (plain.getMask()) {
        mask = arith::AndIOp::create(builder, loc, map.lookupOrDefault(plain.getMask()), mask);
      }
      made = tilegpu::GatherAsyncOp::create(builder, loc, pointer, mask, ring, slot, plain.getCache(),
                                            plain.getEviction());
    }
    if (Attribute vector = load->getAttr(tilegpu::kVectorAttr)) {
      made->setAttr(tilegpu::kVectorAttr, vector);
    }
  }

  void rewrite(scf::ForOp loop, gpu::LoadAhead &ahead, ArrayRef<Operation *> chosen) {
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    Type i32 = builder.getI32Type();
    SmallVector<Load> loads;
    int64_t bytes = 0;
    for (Operation *op : chosen) {
      Operation *use = productUse(op->getResult(0));
      auto vector = op->getAttrOfType<IntegerAttr>(tilegpu::kVectorAttr);
      Value ring;
      if (auto write = dyn_cast<tilegpu::WriteOp>(use)) {
        auto type = tilegpu::RingType::get(stages, write.getRing().getType().getTile());
        ring = tilegpu::AllocOp::create(builder, op->getLoc(), type);
        ++numRings;
      } else {
        ring = makeRing(builder, op->getLoc(), op->getResult(0), use->getResult(0).getType(), stages,
                        vector ? vector.getInt() : 1);
      }
      bytes += cast<tilegpu::RingType>(ring.getType()).getBytes();
      loads.push_back({op, ring});
    }

    // Before the loop: the first copies.
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    SmallVector<Value> carried = ahead.initial();
    Value index = lower;
    Value isOpen = arith::CmpIOp::create(builder, loc, less, lower, upper);
    for (int s = 0; s + 1 < stages; ++s) {
      Value slot = constant(builder, loc, s, i32);
      IRMapping map = ahead.clone(builder, index, carried);
      for (const Load &load : loads) {
        makeCopy(builder, load.op, map, load.ring, slot, isOpen);
      }
      tilegpu::CommitOp::create(builder, loc);
      carried = ahead.next(map);
      // Whether iteration s + 1 exists: it lies beyond the bound or, which the first test excludes, before it.
      Value distance = arith::SubIOp::create(builder, loc, upper, lower);
      Value reach = arith::MulIOp::create(builder, loc, step, constant(builder, loc, s + 1, step.getType()));
      Value isWithin = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, distance, reach);
      isOpen = arith::AndIOp::create(builder, loc, arith::CmpIOp::create(builder, loc, less, lower, upper), isWithin);
      index = arith::AddIOp::create(builder, loc, index, step);
    }
    Value reach = arith::MulIOp::create(builder, loc, step, constant(builder, loc, stages - 1, step.getType()));

    // The loop, with the values that run ahead, and the slots to fill and to read.
    SmallVector<Value> inits(loop.getInitArgs());
    unsigned firstAhead = inits.size();
    llvm::append_range(inits, carried);
    inits.push_back(constant(builder, loc, stages - 1, i32));
    inits.push_back(constant(builder, loc, 0, i32));
    auto made = scf::ForOp::create(builder, loc, lower, upper, step, inits, {}, loop.getUnsignedCmp());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = made.getBody();
    Value in = body->getArgument(body->getNumArguments() - 2), out = body->getArgument(body->getNumArguments() - 1);
    OpBuilder inner = OpBuilder::atBlockBegin(body);
    tilegpu::WaitOp::create(inner, loc, stages - 2);
    Value iv = made.getInductionVar();
    Value distance = arith::SubIOp::create(inner, loc, upper, iv);
    Value active = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ugt, distance, reach);
    Value aheadIndex = arith::AddIOp::create(inner, loc, iv, reach);
    SmallVector<Value> aheadValues(body->getArguments().slice(1 + firstAhead, carried.size()));
    IRMapping aheadMap = ahead.clone(inner, aheadIndex, aheadValues);
    for (const Load &load : loads) {
      makeCopy(inner, load.op, aheadMap, load.ring, in, active);
    }
    tilegpu::CommitOp::create(inner, loc);

    // The old body, with reads in place of loads.
    IRMapping map;
    map.map(loop.getInductionVar(), iv);
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      map.map(argument, body->getArgument(1 + index));
    }
    DenseMap<Operation *, Value> rings;
    for (const Load &load : loads) {
      rings[load.op] = load.ring;
    }
    cloneBody(inner, loop, map, rings, out);

    Operation *yield = loop.getBody()->getTerminator();
    SmallVector<Value> yielded;
    for (Value value : yield->getOperands()) {
      yielded.push_back(map.lookupOrDefault(value));
    }
    llvm::append_range(yielded, ahead.next(aheadMap));
    Value one = constant(inner, loc, 1, i32), none = constant(inner, loc, 0, i32);
    Value after = arith::AddIOp::create(inner, loc, out, one);
    Value wraps = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, after, constant(inner, loc, stages, i32));
    yielded.push_back(out);
    yielded.push_back(arith::SelectOp::create(inner, loc, wraps, none, after));
    scf::YieldOp::create(inner, loc, yielded);

    // Copies that were masked off fill their slots with zeros, and may still be at it when others want the bytes.
    tilegpu::WaitOp::create(builder, loc, 0);

    for (auto [old, fresh] : llvm::zip(loop.getResults(), made.getResults())) {
      old.replaceAllUsesWith(fresh);
    }
    loop.erase();
    gpu::dropDeadVariables(made);
    ++numPipelined;
    remark::passed(loc, remark::RemarkOpts::name("pipeline").category("pipeline"))
        << ("loads " + Twine(loads.size()) + " tiles " + Twine(stages - 1) + " iterations ahead, " + Twine(bytes) +
            " bytes of shared memory")
               .str();
  }

  /// Clones the body; a load that has become a copy is read from its ring in each layout that is asked for.
  void cloneBody(OpBuilder &builder, scf::ForOp loop, IRMapping &map, DenseMap<Operation *, Value> &rings, Value slot) {
    auto readAs = [&](Operation *load, Type type) -> Value {
      return tilegpu::ReadOp::create(builder, load->getLoc(), type, rings.lookup(load), slot);
    };
    DenseMap<Value, Value> ringOf; // rings of multiply-adds, with the ring that took their place
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (rings.contains(&op)) {
        bool isRead = llvm::any_of(op.getUsers(), [&](Operation *user) {
          return !isa<tilegpu::ConvertOp, tilegpu::WriteOp>(user) || user->getBlock() != op.getBlock();
        });
        if (isRead) {
          map.map(op.getResult(0), readAs(&op, op.getResult(0).getType()));
        }
        continue;
      }
      if (auto convert = dyn_cast<tilegpu::ConvertOp>(op)) {
        Operation *source = convert.getSrc().getDefiningOp();
        if (source && rings.contains(source)) {
          map.map(convert.getResult(), readAs(source, convert.getType()));
          continue;
        }
      }
      if (auto write = dyn_cast<tilegpu::WriteOp>(op)) {
        Operation *source = write.getValue().getDefiningOp();
        if (source && rings.contains(source)) {
          ringOf[write.getRing()] = rings.lookup(source);
          continue;
        }
      }
      Operation *clone = builder.clone(op, map);
      if (auto dot = dyn_cast<tilegpu::DotFmaOp>(op)) {
        auto own = cast<tilegpu::DotFmaOp>(clone);
        if (Value ring = ringOf.lookup(dot.getA())) {
          own.getAMutable().assign(ring);
          own.getASlotMutable().assign(slot);
        }
        if (Value ring = ringOf.lookup(dot.getB())) {
          own.getBMutable().assign(ring);
          own.getBSlotMutable().assign(slot);
        }
      }
    }
  }

  // --- One slot ---

  /// A conversion as a write before `at` and a read, which may be by matrices. Gives the first read.
  Operation *throughRing(tilegpu::ConvertOp op, Operation *at) {
    OpBuilder builder(at);
    Location loc = op.getLoc();
    Value ring = makeRing(builder, loc, op.getSrc(), op.getType(), 1, 1);
    Value slot = constant(builder, loc, 0, builder.getI32Type());
    tilegpu::WriteOp::create(builder, loc, op.getSrc(), ring, slot);
    builder.setInsertionPoint(op);
    auto read = tilegpu::ReadOp::create(builder, loc, op.getType(), ring, slot);
    op.getResult().replaceAllUsesWith(read);
    Operation *first = at == op ? read.getOperation() : at;
    op.erase();
    return first;
  }

  func::FuncOp kernel;
  const target::GpuTarget &target;
  int numStages;
  int stages = 1; ///< of the loop at hand
  analysis::MemoryRoots roots;
};

struct PipelineLoops : gpu::impl::PipelinePassBase<PipelineLoops> {
  using PipelinePassBase::PipelinePassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto name = kernel->getAttrOfType<StringAttr>(tilegpu::kTargetAttr);
    const target::GpuTarget *facts =
        name ? target::findGpuTarget(target.empty() ? name.getValue() : StringRef(target)) : nullptr;
    if (!facts) {
      return;
    }
    Pipeliner pipeliner(kernel, *facts, numStages);
    pipeliner.run();
    numPipelined += pipeliner.numPipelined;
    numRings += pipeliner.numRings;
  }
};

} // namespace

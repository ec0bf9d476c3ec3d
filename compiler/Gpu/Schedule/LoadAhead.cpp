// Cloning of address calculations. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Schedule/LoadAhead.h"

#include "dialect/Tile/TileDialect.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace pavage::gpu {

bool LoadAhead::need(Value value, llvm::SetVector<Operation *> &newOps, llvm::SetVector<unsigned> &newCarried) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next); argument && argument.getOwner() == loop.getBody()) {
      if (argument != loop.getInductionVar()) {
        unsigned index = argument.getArgNumber() - 1;
        if (newCarried.insert(index) && !carriedIndices.contains(index)) {
          open.push_back(loop.getYieldedValues()[index]);
        }
      }
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!op || !loop->isProperAncestor(op)) {
      continue;
    }
    if (op->getBlock() != loop.getBody() || op->getNumRegions() > 0 || !isMemoryEffectFree(op)) {
      why = "its address depends on '" + op->getName().getStringRef().str() + "' of the same iteration";
      return false;
    }
    if (newOps.insert(op)) {
      llvm::append_range(open, op->getOperands());
    }
  }
  return true;
}

bool LoadAhead::addLoad(Operation *load) {
  llvm::SetVector<Operation *> newOps;
  llvm::SetVector<unsigned> newCarried;
  for (Value operand : load->getOperands()) {
    if (!need(operand, newOps, newCarried)) {
      return false;
    }
  }
  ops.insert(newOps.begin(), newOps.end());
  carriedIndices.insert(newCarried.begin(), newCarried.end());
  return true;
}

SmallVector<Value> LoadAhead::initial() {
  // In the order of the loop, whatever the order in which they were found.
  SmallVector<Operation *> sorted(ops.begin(), ops.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  ops = llvm::SetVector<Operation *>(sorted.begin(), sorted.end());
  return llvm::map_to_vector(carriedIndices, [&](unsigned index) { return loop.getInitArgs()[index]; });
}

IRMapping LoadAhead::clone(OpBuilder &builder, Value index, ValueRange carried) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  for (auto [number, value] : llvm::zip(carriedIndices, carried)) {
    map.map(loop.getRegionIterArg(number), value);
  }
  for (Operation *op : ops) {
    builder.clone(*op, map);
  }
  return map;
}

SmallVector<Value> LoadAhead::next(IRMapping &map) {
  return llvm::map_to_vector(carriedIndices,
                             [&](unsigned index) { return map.lookupOrDefault(loop.getYieldedValues()[index]); });
}

/// The pointer through which an op reaches global memory.
static Value pointerOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return load.getPtr();
  }
  if (auto load = dyn_cast<tile::BlockLoadOp>(op)) {
    return load.getBase();
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    return store.getPtr();
  }
  if (auto store = dyn_cast<tile::BlockStoreOp>(op)) {
    return store.getBase();
  }
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
    return atomic.getPtr();
  }
  if (auto atomic = dyn_cast<tile::AtomicCASOp>(op)) {
    return atomic.getPtr();
  }
  return {};
}

/// The numbers of the memories that a pointer may reach; nothing when it may be any.
static std::optional<SmallVector<int64_t>> memoriesOf(Value pointer, func::FuncOp kernel,
                                                      const analysis::MemoryRoots &roots) {
  analysis::RootSet set = roots.get(pointer);
  if (!pointer || set.isAny) {
    return std::nullopt;
  }
  SmallVector<int64_t> numbers;
  for (unsigned argument : set.arguments.set_bits()) {
    auto number = kernel.getArgAttrOfType<IntegerAttr>(argument, tile::kMemoryAttr);
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(number.getInt());
  }
  return numbers;
}

Operation *findWriter(scf::ForOp loop, Operation *load, const analysis::MemoryRoots &roots) {
  auto kernel = loop->getParentOfType<func::FuncOp>();
  std::optional<SmallVector<int64_t>> read = memoriesOf(pointerOf(load), kernel, roots);
  Operation *found = nullptr;
  loop.getBody()->walk([&](Operation *op) {
    bool isOwn = isa<tilegpu::WriteOp, tilegpu::ReadOp, tilegpu::DotFmaOp, tilegpu::AllocOp, tilegpu::CopyAsyncOp,
                     tilegpu::GatherAsyncOp, tilegpu::CommitOp, tilegpu::WaitOp>(op);
    if (found || isOwn || isa<tile::AssertOp, tile::PrintOp, tile::AssumeOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
      return;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (effects ? !effects.hasEffect<MemoryEffects::Write>() : isMemoryEffectFree(op)) {
      return;
    }
    Value pointer = pointerOf(op);
    // An order with respect to other programs is an order with respect to their memory.
    auto atomic = dyn_cast<tile::AtomicRMWOp>(op);
    bool orders = isa<tile::AtomicCASOp>(op) || (atomic && atomic.getOrder() != tile::MemOrder::Relaxed);
    std::optional<SmallVector<int64_t>> written =
        pointer && !orders ? memoriesOf(pointer, kernel, roots) : std::nullopt;
    bool areApart =
        read && written && llvm::none_of(*written, [&](int64_t number) { return llvm::is_contained(*read, number); });
    found = areApart ? nullptr : op;
  });
  return found;
}

void dropDeadVariables(scf::ForOp loop) {
  Block *body = loop.getBody();
  Operation *yield = body->getTerminator();
  unsigned count = loop.getNumRegionIterArgs();
  // Marks what something other than a carried value needs.
  llvm::SmallBitVector live(count);
  llvm::SmallPtrSet<Operation *, 32> visited;
  SmallVector<Value> open;
  for (unsigned i = 0; i < count; ++i) {
    if (!loop.getResult(i).use_empty()) {
      live.set(i);
      open.push_back(yield->getOperand(i));
    }
  }
  for (Operation &op : body->without_terminator()) {
    if (!isMemoryEffectFree(&op) || op.getNumRegions() > 0) {
      visited.insert(&op);
      op.walk([&](Operation *inner) { llvm::append_range(open, inner->getOperands()); });
    }
  }
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == body) {
      if (argument.getArgNumber() > 0 && !live.test(argument.getArgNumber() - 1)) {
        live.set(argument.getArgNumber() - 1);
        open.push_back(yield->getOperand(argument.getArgNumber() - 1));
      }
    } else if (Operation *op = value.getDefiningOp(); op && op->getBlock() == body && visited.insert(op).second) {
      llvm::append_range(open, op->getOperands());
    }
  }
  if (live.all()) {
    return;
  }
  // A dead variable hands on its initial value, until the loop is made anew without it.
  for (unsigned i = 0; i < count; ++i) {
    if (!live.test(i)) {
      yield->setOperand(i, loop.getRegionIterArg(i));
    }
  }
  SmallVector<Operation *> ops;
  for (Operation &op : body->without_terminator()) {
    ops.push_back(&op);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (op->use_empty() && isMemoryEffectFree(op)) {
      op->erase();
    }
  }
  SmallVector<Value> inits, yielded;
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < count; ++i) {
    if (live.test(i)) {
      inits.push_back(loop.getInitArgs()[i]);
      yielded.push_back(yield->getOperand(i));
      kept.push_back(i);
    }
  }
  OpBuilder builder(loop);
  auto made = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                 inits, {}, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!made.getBody()->empty()) {
    made.getBody()->getTerminator()->erase(); // made for loops without carried values
  }
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  for (unsigned i = 0; i < count; ++i) {
    auto *position = llvm::find(kept, i);
    Value fresh = position == kept.end() ? loop.getInitArgs()[i] : made.getRegionIterArg(position - kept.begin());
    loop.getRegionIterArg(i).replaceAllUsesWith(fresh);
    if (position != kept.end()) {
      loop.getResult(i).replaceAllUsesWith(made.getResult(position - kept.begin()));
    }
  }
  yielded.clear();
  for (unsigned i : kept) {
    yielded.push_back(yield->getOperand(i));
  }
  made.getBody()->getOperations().splice(made.getBody()->end(), body->getOperations(), body->begin(),
                                         Block::iterator(yield));
  builder.setInsertionPointToEnd(made.getBody());
  scf::YieldOp::create(builder, loop.getLoc(), yielded);
  loop.erase();
}

} // namespace pavage::gpu

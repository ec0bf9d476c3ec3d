// Loops and branches of the kernel. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars are carried as they were; a carried tile has a buffer that the body overwrites at its end. Where a new tile
// is computed from another one that is overwritten too, the plan gave it room of its own first.
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pavage::cpu {

/// Computes a tile, of whatever kind, into a buffer.
void Emitter::assign(Value tile, const Buffer &target) {
  if (isReady(tile) && buffers[tile].offset == target.offset) {
    return;
  }
  runNest(target.extents, {tile},
          [&](Nest &current) { storeBuffer(target, current.coords, eval(tile, current.coords)); });
}

SmallVector<Value> Emitter::assignAll(ValueRange values, ArrayRef<Buffer> targets, ArrayRef<int64_t> temps) {
  SmallVector<std::pair<Buffer, Buffer>, 2> copies; // from, to
  SmallVector<Value> carried;
  auto hasTemp = [&](size_t index) { return index < temps.size() && temps[index] >= 0; };
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!isTile(value)) {
      carried.push_back(scalar(value));
    } else if (hasTemp(index)) {
      copies.push_back({bufferAt(value, temps[index]), targets[index]});
      assign(value, copies.back().first);
    }
  }
  for (auto [index, value] : llvm::enumerate(values)) {
    if (isTile(value) && !hasTemp(index)) {
      assign(value, targets[index]);
    }
  }
  for (auto &[from, to] : copies) {
    Value bytes = i64(to.shape.elements * storageBytes(to.element));
    copyBytes(elementPointer(to, {}), elementPointer(from, {}), bytes);
  }
  return carried;
}

/// A loop over vectors; a call of memcpy would be one more name for the loader.
void Emitter::copyBytes(Value to, Value from, Value bytes) {
  constexpr int64_t chunk = 64;
  auto type = VectorType::get({chunk}, b.getI8Type());
  auto loop = scf::ForOp::create(b, loc, i64(0), bytes, i64(chunk));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  auto at = [&](Value base) {
    return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
  };
  Value value = LLVM::LoadOp::create(b, loc, type, at(from), 1);
  LLVM::StoreOp::create(b, loc, value, at(to), 1);
}

/// The buffers at these offsets; those of scalars stay empty.
static SmallVector<Buffer> buffersAt(TypeRange types, ArrayRef<int64_t> offsets) {
  SmallVector<Buffer> result;
  for (auto [index, type] : llvm::enumerate(types)) {
    Buffer buffer;
    if (isa<RankedTensorType>(type)) {
      ArrayRef<int64_t> extents = tile::shapeOf(type);
      buffer = {offsets[index], tile::elementTypeOf(type), bufferShape(extents), llvm::to_vector(extents)};
    }
    result.push_back(buffer);
  }
  return result;
}

static ArrayRef<int64_t> offsetsOf(Operation *op, StringRef name) {
  auto offsets = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return offsets ? offsets.asArrayRef() : ArrayRef<int64_t>();
}

void Emitter::bindBlockArguments(ValueRange arguments, ArrayRef<Buffer> places, ValueRange carried) {
  unsigned next = 0;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (isTile(argument)) {
      buffers[argument] = places[index];
      ready.insert(argument);
    } else {
      scalars.map(argument, carried[next++]);
    }
  }
}

/// The scalar results, in order; the tiles are in their buffers.
void Emitter::bindResults(Operation *op, ValueRange carried) {
  unsigned next = 0;
  for (Value result : op->getResults()) {
    if (!isTile(result)) {
      scalars.map(result, carried[next++]);
    }
  }
}

/// Counting up to the bound itself could wrap.
Value Emitter::tripCount(Value lower, Value upper, Value step, bool isUnsigned) {
  Ops o = ops();
  Value runs = o.cmp(isUnsigned ? Ops::Pred::ult : Ops::Pred::slt, lower, upper);
  Value distance = o.sub(upper, lower);
  Value safeStep = o.select(o.cmp(Ops::Pred::ne, step, 0), step, o.constantLike(step, 1));
  Value rounds = o.add(o.binary<arith::DivUIOp>(o.sub(distance, 1), safeStep), 1);
  rounds = o.select(runs, rounds, o.constantLike(rounds, 0));
  return o.resize(rounds, 64, false);
}

/// Rounds that are known, else 1.
static uint64_t knownRounds(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<APInt> rounds = loop ? loop.getStaticTripCount() : std::nullopt;
  return rounds ? rounds->getLimitedValue() : 1;
}

/// About how many vector instructions a block is: too few where a loop inside has an unknown length.
static uint64_t workOf(Block &block) {
  uint64_t work = 0;
  for (Operation &op : block) {
    uint64_t elements = 1;
    for (ValueRange values : {ValueRange(op.getOperands()), ValueRange(op.getResults())}) {
      for (Type type : values.getTypes()) {
        elements = std::max<uint64_t>(elements, ShapedType::getNumElements(tile::shapeOf(type)));
      }
    }
    work = llvm::SaturatingAdd(work, llvm::divideCeil(elements, 16));
    for (Region &region : op.getRegions()) {
      for (Block &inner : region) {
        work = llvm::SaturatingMultiplyAdd(knownRounds(&op), workOf(inner), work);
      }
    }
  }
  return work;
}

/// After how many rounds a loop looks whether it shall stop; 0 = never, for it is short. Looking costs about two
/// instructions, and takes away what LLVM does with a loop of scalars: once in 2^15 instructions it shows in no figure.
static int64_t roundsPerPoll(scf::ForOp loop) {
  constexpr uint64_t between = 1 << 15;
  uint64_t work = std::max<uint64_t>(workOf(*loop.getBody()), 1);
  bool isShort = loop.getStaticTripCount() && llvm::SaturatingMultiply(knownRounds(loop), work) <= between;
  return isShort ? 0 : std::max<int64_t>(between / work, 1);
}

/// Opens a loop and leaves the builder in its body, which has no terminator yet.
scf::ForOp Emitter::openRounds(Value from, Value to, Value step, ValueRange carried) {
  auto loop = scf::ForOp::create(b, loc, from, to, step, carried, nullptr, /*unsignedCmp=*/true);
  if (loop.getBody()->mightHaveTerminator()) {
    loop.getBody()->getTerminator()->erase();
  }
  b.setInsertionPointToEnd(loop.getBody());
  return loop;
}

LogicalResult Emitter::emitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Buffer> places = buffersAt(op->getResultTypes(), offsetsOf(op, buffersAttr));
  SmallVector<Value> init = assignAll(loop.getInitArgs(), places, {});
  Value lower = scalar(loop.getLowerBound()), upper = scalar(loop.getUpperBound()), step = scalar(loop.getStep());
  Value from = i64(0), rounds = tripCount(lower, upper, step, loop.getUnsignedCmp());
  OpBuilder::InsertionGuard guard(b);
  // Blocks of rounds, with a look at the cancel word before each.
  scf::ForOp blocks;
  int64_t block = roundsPerPoll(loop);
  if (block > 1) {
    blocks = openRounds(from, rounds, i64(block), init);
    pollCancel();
    from = blocks.getInductionVar();
    Value end = ops().add(from, i64(block));
    rounds = ops().select(ops().cmp(Ops::Pred::ult, end, rounds), end, rounds);
    init.assign(blocks.getRegionIterArgs().begin(), blocks.getRegionIterArgs().end());
  }
  auto lowered = openRounds(from, rounds, i64(1), init);
  if (block == 1) {
    pollCancel();
  }
  Ops o = ops();
  Value round = o.resize(lowered.getInductionVar(), Ops::width(lower), false);
  scalars.map(loop.getInductionVar(), o.add(lower, o.mul(round, step)));
  bindBlockArguments(loop.getRegionIterArgs(), places, lowered.getRegionIterArgs());
  if (failed(emitBlock(*loop.getBody()))) {
    return failure();
  }
  Operation *yield = loop.getBody()->getTerminator();
  loc = yield->getLoc();
  SmallVector<Value> next = assignAll(yield->getOperands(), places, tempsOf(yield));
  scf::YieldOp::create(b, loc, next);
  if (blocks) {
    b.setInsertionPointToEnd(blocks.getBody());
    scf::YieldOp::create(b, loc, lowered.getResults());
  }
  bindResults(op, (blocks ? blocks : lowered).getResults());
  return success();
}

LogicalResult Emitter::emitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<Buffer> before = buffersAt(loop.getInits().getTypes(), offsetsOf(op, beforeBuffersAttr));
  SmallVector<Buffer> after = buffersAt(op->getResultTypes(), offsetsOf(op, buffersAttr));
  SmallVector<Value> init = assignAll(loop.getInits(), before, {});
  auto scalarTypes = [](ValueRange values) {
    SmallVector<Type> types;
    for (Value value : values) {
      if (!isTile(value)) {
        types.push_back(loweredElement(value.getType()));
      }
    }
    return types;
  };
  auto lowered = scf::WhileOp::create(b, loc, scalarTypes(op->getResults()), init);
  OpBuilder::InsertionGuard guard(b);
  auto addBlock = [&](Region &region, ArrayRef<Type> types) {
    return b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
  };
  {
    Block *block = addBlock(lowered.getBefore(), scalarTypes(loop.getBeforeArguments()));
    bindBlockArguments(loop.getBeforeArguments(), before, block->getArguments());
    if (failed(emitBlock(*loop.getBeforeBody()))) {
      return failure();
    }
    scf::ConditionOp condition = loop.getConditionOp();
    loc = condition.getLoc();
    SmallVector<Value> passed = assignAll(condition.getArgs(), after, {});
    scf::ConditionOp::create(b, loc, scalar(condition.getCondition()), passed);
  }
  {
    Block *block = addBlock(lowered.getAfter(), scalarTypes(loop.getAfterArguments()));
    // Another thread may be what ends the wait.
    pollCancel();
    bindBlockArguments(loop.getAfterArguments(), after, block->getArguments());
    if (failed(emitBlock(*loop.getAfterBody()))) {
      return failure();
    }
    Operation *yield = loop.getYieldOp();
    loc = yield->getLoc();
    SmallVector<Value> next = assignAll(yield->getOperands(), before, {});
    scf::YieldOp::create(b, loc, next);
  }
  bindResults(op, lowered.getResults());
  return success();
}

LogicalResult Emitter::emitIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Buffer> places = buffersAt(op->getResultTypes(), offsetsOf(op, buffersAttr));
  SmallVector<Type> types;
  for (Value result : op->getResults()) {
    if (!isTile(result)) {
      types.push_back(loweredElement(result.getType()));
    }
  }
  bool hasElse = !branch.getElseRegion().empty();
  auto lowered = scf::IfOp::create(b, loc, types, scalar(branch.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : {std::pair(&branch.getThenRegion(), &lowered.getThenRegion()),
                          std::pair(&branch.getElseRegion(), &lowered.getElseRegion())}) {
    if (from->empty()) {
      continue;
    }
    Block *block = &to->front();
    if (block->mightHaveTerminator()) {
      block->getTerminator()->erase();
    }
    b.setInsertionPointToEnd(block);
    if (failed(emitBlock(from->front()))) {
      return failure();
    }
    Operation *yield = from->front().getTerminator();
    loc = yield->getLoc();
    SmallVector<Value> values = assignAll(yield->getOperands(), places, {});
    scf::YieldOp::create(b, loc, values);
  }
  bindResults(op, lowered.getResults());
  return success();
}

} // namespace pavage::cpu

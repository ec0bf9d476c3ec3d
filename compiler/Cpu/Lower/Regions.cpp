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

LogicalResult Emitter::emitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Buffer> places = buffersAt(op->getResultTypes(), offsetsOf(op, buffersAttr));
  SmallVector<Value> init = assignAll(loop.getInitArgs(), places, {});
  Ops o = ops();
  // The number of rounds, as an unsigned number: counting up to the bound itself could wrap.
  Value lower = scalar(loop.getLowerBound()), upper = scalar(loop.getUpperBound()), step = scalar(loop.getStep());
  unsigned width = Ops::width(lower);
  bool isUnsigned = loop.getUnsignedCmp();
  Value runs = o.cmp(isUnsigned ? Ops::Pred::ult : Ops::Pred::slt, lower, upper);
  Value distance = o.sub(upper, lower);
  Value safeStep = o.select(o.cmp(Ops::Pred::ne, step, 0), step, o.constantLike(step, 1));
  Value rounds = o.add(o.binary<arith::DivUIOp>(o.sub(distance, 1), safeStep), 1);
  rounds = o.select(runs, rounds, o.constantLike(rounds, 0));
  rounds = o.resize(rounds, 64, false);
  auto lowered = scf::ForOp::create(b, loc, i64(0), rounds, i64(1), init, nullptr, /*unsignedCmp=*/true);
  Block *body = lowered.getBody();
  if (body->mightHaveTerminator()) {
    body->getTerminator()->erase();
  }
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(body);
    Value round = o.resize(lowered.getInductionVar(), width, false);
    scalars.map(loop.getInductionVar(), o.add(lower, o.mul(round, step)));
    bindBlockArguments(loop.getRegionIterArgs(), places, lowered.getRegionIterArgs());
    if (failed(emitBlock(*loop.getBody()))) {
      return failure();
    }
    Operation *yield = loop.getBody()->getTerminator();
    loc = yield->getLoc();
    SmallVector<Value> next = assignAll(yield->getOperands(), places, tempsOf(yield));
    scf::YieldOp::create(b, loc, next);
  }
  bindResults(op, lowered.getResults());
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

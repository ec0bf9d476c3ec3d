// The combine regions of reductions and scans, on all lanes at once. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Ops are total, so what a lane does not need is computed all the same and not taken:
//
//   scf.if     both sides, then a select
//   scf.for    as many rounds as the lane with most of them has; a lane that is through keeps what it carries
//   scf.while  until the last lane is through
//
// `active` are the lanes that take part (null = all): others may hold anything, and must not keep a loop going.
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace pavage::cpu {

// --- values ----------------------------------------------------------------------------------------------------------

/// A value from inside the region as lowered, or one of the kernel's scalars.
Value Emitter::combineValue(const CombineLanes &at, Value value) {
  return at.mapping.contains(value) ? at.mapping.lookup(value) : scalar(value);
}

SmallVector<Value> Emitter::combineVectors(const CombineLanes &at, ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    result.push_back(ops().splat(combineValue(at, value), at.lanes));
  }
  return result;
}

Value Emitter::both(Value active, Value condition) {
  if (!active || !condition) {
    return active ? active : condition;
  }
  Value values[] = {active, condition};
  ops().unify(values);
  return ops().andI(values[0], values[1]);
}

static SmallVector<Value> selectAll(Ops o, Value condition, ValueRange x, ValueRange y) {
  SmallVector<Value> result;
  for (auto [a, b] : llvm::zip(x, y)) {
    result.push_back(condition ? o.select(condition, a, b) : a);
  }
  return result;
}

// --- control flow ----------------------------------------------------------------------------------------------------

LogicalResult Emitter::combineIf(scf::IfOp branch, CombineLanes &at, Value active) {
  Value condition = combineValue(at, branch.getCondition());
  SmallVector<Value> sides[2];
  for (auto [index, region] : llvm::enumerate(branch->getRegions())) {
    if (region.empty()) {
      continue;
    }
    Value taken;
    if (at.hasLoops) {
      taken = both(active, index == 0 ? condition : ops().notI1(condition));
    }
    if (failed(combineBlock(region.front(), at, taken))) {
      return failure();
    }
    sides[index] = combineVectors(at, region.front().getTerminator()->getOperands());
  }
  for (auto [index, result] : llvm::enumerate(branch.getResults())) {
    at.mapping.map(result, ops().select(condition, sides[0][index], sides[1][index]));
  }
  return success();
}

LogicalResult Emitter::combineFor(scf::ForOp loop, CombineLanes &at, Value active) {
  Ops o = ops();
  Value bounds[] = {combineValue(at, loop.getLowerBound()), combineValue(at, loop.getUpperBound()),
                    combineValue(at, loop.getStep())};
  o.unify(bounds);
  auto [lower, upper, step] = bounds;
  Value rounds = tripCount(lower, upper, step, loop.getUnsignedCmp());
  if (active) {
    rounds = o.select(active, o.splat(rounds, at.lanes), o.splat(i64(0), at.lanes));
  }
  bool differs = isa<VectorType>(rounds.getType());
  Value most = differs ? vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXUI, rounds).getResult() : rounds;
  auto lowered = scf::ForOp::create(b, loc, i64(0), most, i64(1), combineVectors(at, loop.getInitArgs()), nullptr,
                                    /*unsignedCmp=*/true);
  Block *body = lowered.getBody();
  if (body->mightHaveTerminator()) {
    body->getTerminator()->erase();
  }
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(body);
    Value round = lowered.getInductionVar();
    Value runs = differs ? o.cmp(Ops::Pred::ult, o.splat(round, at.lanes), rounds) : Value();
    Value number = o.splat(o.resize(round, Ops::width(lower), false), lanesOf(lower.getType()));
    at.mapping.map(loop.getInductionVar(), o.add(lower, o.mul(number, step)));
    at.mapping.map(loop.getRegionIterArgs(), lowered.getRegionIterArgs());
    if (failed(combineBlock(*loop.getBody(), at, runs))) {
      return failure();
    }
    SmallVector<Value> next = combineVectors(at, loop.getBody()->getTerminator()->getOperands());
    scf::YieldOp::create(b, loc, selectAll(ops(), runs, next, lowered.getRegionIterArgs()));
  }
  at.mapping.map(loop.getResults(), lowered.getResults());
  return success();
}

/// Carried beside the loop's own values: the lanes that still go round, and what the others ended with.
LogicalResult Emitter::combineWhile(scf::WhileOp loop, CombineLanes &at, Value active) {
  Ops o = ops();
  Type flags = o.splat(o.constant(o.i(1), 1), at.lanes).getType();
  SmallVector<Value> init = combineVectors(at, loop.getInits());
  size_t carried = init.size();
  SmallVector<Type> results{flags};
  init.push_back(active ? o.splat(active, at.lanes) : o.constant(flags, 1));
  for (Type type : loop.getResultTypes()) {
    init.push_back(o.splat(o.bits(loweredElement(type), 0), at.lanes));
    results.push_back(init.back().getType());
  }
  auto lowered = scf::WhileOp::create(b, loc, results, init);
  OpBuilder::InsertionGuard guard(b);
  auto addBlock = [&](Region &region, TypeRange types) {
    return b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc))->getArguments();
  };
  {
    ValueRange arguments = addBlock(lowered.getBefore(), ValueRange(init).getTypes());
    at.mapping.map(loop.getBeforeArguments(), arguments.take_front(carried));
    Value running = arguments[carried];
    if (failed(combineBlock(*loop.getBeforeBody(), at, running))) {
      return failure();
    }
    Value goes = both(running, combineValue(at, loop.getConditionOp().getCondition()));
    SmallVector<Value> passed = selectAll(ops(), running, combineVectors(at, loop.getConditionOp().getArgs()),
                                          arguments.drop_front(carried + 1));
    passed.insert(passed.begin(), goes);
    scf::ConditionOp::create(b, loc, ops().any(goes), passed);
  }
  {
    ValueRange arguments = addBlock(lowered.getAfter(), results);
    pollCancel();
    at.mapping.map(loop.getAfterArguments(), arguments.drop_front());
    if (failed(combineBlock(*loop.getAfterBody(), at, arguments.front()))) {
      return failure();
    }
    SmallVector<Value> next = combineVectors(at, loop.getYieldOp().getOperands());
    llvm::append_range(next, arguments);
    scf::YieldOp::create(b, loc, next);
  }
  at.mapping.map(loop.getResults(), lowered.getResults().drop_front());
  return success();
}

// --- ops -------------------------------------------------------------------------------------------------------------

LogicalResult Emitter::combineOp(Operation *op, CombineLanes &at, Value active) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return combineIf(branch, at, active);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return combineFor(loop, at, active);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return combineWhile(loop, at, active);
  }
  if (isa<arith::ConstantOp, ub::PoisonOp, tile::ProgramIdOp, tile::NumProgramsOp>(op)) {
    return emitScalarOp(op); // the same in all lanes
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(combineValue(at, operand));
  }
  bool isKnown = op->getNumRegions() == 0 && op->getNumOperands() > 0;
  SmallVector<Value> values = isKnown ? ops().elementwise(op, operands) : SmallVector<Value>();
  if (values.empty()) {
    failedOp = op;
    return failure();
  }
  at.mapping.map(op->getResults(), values);
  return success();
}

LogicalResult Emitter::combineBlock(Block &block, CombineLanes &at, Value active) {
  for (Operation &op : block.without_terminator()) {
    if (failed(combineOp(&op, at, active))) {
      return failure();
    }
  }
  return success();
}

SmallVector<Value> Emitter::combine(Region &region, ValueRange left, ValueRange right, Value active) {
  CombineLanes at;
  at.lanes = lanesOf(left[0].getType());
  at.hasLoops = region.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  Block &block = region.front();
  at.mapping.map(block.getArguments().take_front(left.size()), left);
  at.mapping.map(block.getArguments().drop_front(left.size()), right);
  if (failed(combineBlock(block, at, at.hasLoops ? active : Value()))) {
    return SmallVector<Value>(left);
  }
  return combineVectors(at, block.getTerminator()->getOperands());
}

} // namespace pavage::cpu

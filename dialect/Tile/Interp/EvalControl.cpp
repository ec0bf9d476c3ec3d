// Functions, structured control flow, poison. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/State.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

static bool finish(State &state, Operation *op, SmallVectorImpl<Datum> &values) {
  for (auto [result, datum] : llvm::zip(op->getResults(), values)) {
    state.set(result, std::move(datum));
  }
  return true;
}

static void forgetArguments(State &state, Region &region) {
  for (BlockArgument argument : region.getArguments()) {
    state.forget(argument);
  }
}

static bool evalPoison(State &state, Operation *op, Data) {
  Datum &result = state.define(op->getResult(0));
  std::fill(result.bytes.begin(), result.bytes.end(), 0);
  result.poison.assign(result.numElements(), 1);
  return true;
}

static bool evalIf(State &state, Operation *op, Data in) {
  auto branch = cast<scf::IfOp>(op);
  if (!state.usable(op, *in[0], 0, "the condition")) {
    return false;
  }
  Region &region = in[0]->bits(0) != 0 ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty()) {
    return true;
  }
  SmallVector<Datum> yielded;
  return state.evaluateBlock(region.front(), yielded) && finish(state, op, yielded);
}

static int64_t signExtend(const Datum &datum) {
  unsigned unused = 64 - 8 * static_cast<unsigned>(datum.bytes.size());
  return static_cast<int64_t>(datum.bits(0) << unused) >> unused;
}

static bool evalFor(State &state, Operation *op, Data in) {
  auto loop = cast<scf::ForOp>(op);
  static constexpr StringLiteral names[] = {"the lower bound", "the upper bound", "the step"};
  for (unsigned i = 0; i < 3; ++i) {
    if (!state.usable(op, *in[i], 0, names[i])) {
      return false;
    }
  }
  bool isUnsigned = loop.getUnsignedCmp();
  auto value = [&](const Datum &datum) { return isUnsigned ? __int128(datum.bits(0)) : __int128(signExtend(datum)); };
  __int128 lower = value(*in[0]), upper = value(*in[1]), step = value(*in[2]);
  if (step <= 0) {
    return state.unsupported(op, "expects a positive step");
  }
  SmallVector<Datum> carried;
  for (const Datum *init : in.drop_front(3)) {
    carried.push_back(*init);
  }
  SmallVector<Datum> arguments;
  Type indexType = loop.getInductionVar().getType();
  for (__int128 index = lower; index < upper; index += step) {
    arguments.clear();
    arguments.push_back(Datum::scalar(indexType, static_cast<uint64_t>(index)));
    for (Datum &datum : carried) {
      arguments.push_back(std::move(datum));
    }
    if (!state.evaluateRegion(loop.getRegion(), arguments, carried)) {
      return false;
    }
  }
  forgetArguments(state, loop.getRegion());
  return finish(state, op, carried);
}

static bool evalWhile(State &state, Operation *op, Data in) {
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<Datum> carried, forwarded;
  for (const Datum *init : in) {
    carried.push_back(*init);
  }
  while (true) {
    // The condition comes first, then what both the body and the results get.
    if (!state.evaluateRegion(loop.getBefore(), carried, forwarded)) {
      return false;
    }
    Datum condition = std::move(forwarded.front());
    forwarded.erase(forwarded.begin());
    if (!state.usable(loop.getConditionOp(), condition, 0, "the condition")) {
      return false;
    }
    if (condition.bits(0) == 0) {
      break;
    }
    if (!state.evaluateRegion(loop.getAfter(), forwarded, carried)) {
      return false;
    }
  }
  forgetArguments(state, loop.getBefore());
  forgetArguments(state, loop.getAfter());
  return finish(state, op, forwarded);
}

static bool evalIndexSwitch(State &state, Operation *op, Data in) {
  auto branch = cast<scf::IndexSwitchOp>(op);
  if (!state.usable(op, *in[0], 0, "the switched value")) {
    return false;
  }
  Region *region = &branch.getDefaultRegion();
  for (auto [value, candidate] : llvm::zip(branch.getCases(), branch.getCaseRegions())) {
    if (value == static_cast<int64_t>(in[0]->bits(0))) {
      region = &candidate;
      break;
    }
  }
  SmallVector<Datum> yielded;
  return state.evaluateBlock(region->front(), yielded) && finish(state, op, yielded);
}

static bool evalExecuteRegion(State &state, Operation *op, Data) {
  Region &region = op->getRegion(0);
  if (!region.hasOneBlock()) {
    return state.unsupported(op, "with several blocks is not supported");
  }
  SmallVector<Datum> yielded;
  return state.evaluateBlock(region.front(), yielded) && finish(state, op, yielded);
}

static bool evalCall(State &state, Operation *op, Data in) {
  auto call = cast<func::CallOp>(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
  if (!callee || !callee.getBody().hasOneBlock()) {
    return state.unsupported(op, "needs a callee with one block");
  }
  // The values of a running function are keyed by its IR, so it may not run twice at once.
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (parent == callee || state.callDepth > 100) {
      return state.unsupported(op, "is recursive");
    }
  }
  SmallVector<Datum> arguments, returned;
  for (const Datum *operand : in) {
    arguments.push_back(*operand);
  }
  ++state.callDepth;
  bool ok = state.evaluateRegion(callee.getBody(), arguments, returned);
  --state.callDepth;
  return ok && finish(state, op, returned);
}

void pavage::tile::addControlHandlers(HandlerTable &table) {
  table.addElementwise<ub::PoisonOp>(evalPoison);
  table.add<scf::IfOp>(evalIf);
  table.add<scf::ForOp>(evalFor);
  table.add<scf::WhileOp>(evalWhile);
  table.add<scf::IndexSwitchOp>(evalIndexSwitch);
  table.add<scf::ExecuteRegionOp>(evalExecuteRegion);
  table.add<func::CallOp>(evalCall);
}

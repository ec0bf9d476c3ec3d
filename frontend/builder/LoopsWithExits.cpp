// A while that break or return may leave. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   while c { body }   ->   scf.while { c; %go, %x.. = if c { body; yield not stop, x.. } else { yield false, x.. }
//                                       condition %go, x.. } do { yield x.. }
//
// The condition is not evaluated again after a break, and a `while True` needs no if: what its body assigned before
// every exit is assigned after the loop.
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static SmallVector<Ref> leavesOf(const Ref &value) {
  SmallVector<Ref> leaves;
  forEachTile(value, [&](const Ref &leaf) { leaves.push_back(leaf); });
  return leaves;
}

bool Session::endWhileWithExits(std::unique_ptr<Frame> condition, std::unique_ptr<Frame> body) {
  size_t outside = frames.size() - 1;
  bool isEndless = condition->isEndless;
  // The body moves into the condition's block: what it saw of variables are the values there.
  for (auto &[var, arg] : body->args) {
    replaceArgs(*body, arg.state.value, arg.incoming);
  }
  llvm::MapVector<pv_variable *, bool> names;
  for (Frame *frame : {condition.get(), body.get()}) {
    for (auto &entry : frame->vars) {
      names[entry.first] = true;
    }
  }
  for (auto &[var, arg] : condition->args) {
    if (!names.contains(var)) {
      replaceArgs(*condition, arg.state.value, arg.incoming);
    }
  }
  // Per variable: its value when a trip ends, per leaf with and without the body.
  struct Way {
    pv_variable *var;
    VarState state;
    SmallVector<mlir::Value> ran, skipped;
    SmallVector<BlockArgument> carried;
    SmallVector<mlir::Value> init;
  };
  SmallVector<Way, 0> ways;
  auto atEnd = [&](Block *block, llvm::function_ref<mlir::Value()> make) {
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(block);
    return make();
  };
  Region elseRegion;
  Block *otherwise = &elseRegion.emplaceBlock();
  for (auto &[var, ignored] : names) {
    auto arg = condition->args.find(var);
    bool hasArg = arg != condition->args.end();
    if (var == body->broke || (isGone(var) && !hasArg)) {
      continue;
    }
    auto inCondition = condition->vars.find(var), inBody = body->vars.find(var);
    bool setByCondition = inCondition != condition->vars.end(), setByBody = inBody != body->vars.end();
    bool isFlag = var->kind == pv_variable::Flag, isReturn = var->kind == pv_variable::ReturnValue;
    const VarState *ran = setByBody ? &inBody->second : nullptr;
    std::optional<VarState> skipped;
    if (setByCondition) {
      skipped = inCondition->second;
    } else if (hasArg) {
      skipped = arg->second.state;
    } else if (std::optional<VarState> before = find(var, outside)) {
      bool fits =
          ran && ran->isReadable() && !ran->liveOnly && before->isReadable() && sameType(*ran->value, *before->value);
      if (isReturn && before->isReadable()) {
        skipped = before;
      } else if (fits && !isEndless) {
        skipped = addLoopArg(*condition, var, *before);
        arg = condition->args.find(var);
        hasArg = true;
      } else if (!isEndless) {
        skipped = before;
      }
    }
    if (!ran && skipped) {
      ran = &*skipped;
    }
    bool anySkipped = isFlag || isReturn || isEndless; // the way without the body does not count
    bool agree = skipped && skipped->isReadable() && ran->isReadable() && sameType(*ran->value, *skipped->value);
    bool isLeft = ran->liveOnly && !isReturn && !isFlag;
    if (!ran->isReadable() || isLeft || (!agree && !anySkipped)) {
      if (hasArg) {
        return failTypeChange(var, arg->second, *ran);
      }
      set(var, problemAfterLoop(skipped, *ran));
      continue;
    }
    if (hasArg && !sameType(*ran->value, *arg->second.state.value)) {
      return failTypeChange(var, arg->second, *ran);
    }
    Way way{var, *ran, {}, {}, {}, {}};
    SmallVector<Ref> others = agree ? leavesOf(skipped->value) : SmallVector<Ref>();
    for (auto [i, leaf] : llvm::enumerate(leavesOf(ran->value))) {
      way.ran.push_back(leaf->ir);
      Type type = leaf->ir.getType();
      way.skipped.push_back(agree    ? others[i]->ir
                            : isFlag ? atEnd(otherwise, [&] { return boolean(false); })
                                     : poisonIn(otherwise, type));
    }
    if (hasArg) {
      for (const Ref &leaf : leavesOf(arg->second.state.value)) {
        way.carried.push_back(cast<BlockArgument>(leaf->ir));
      }
      for (const Ref &leaf : leavesOf(arg->second.incoming)) {
        way.init.push_back(leaf->ir);
      }
    }
    ways.push_back(std::move(way));
  }

  Location place(condition->place);
  mlir::Value goesOn = atEnd(body->block, [&]() -> mlir::Value {
    mlir::Value stop = stopFlag(*body);
    return stop ? mlir::Value(create<arith::XOrIOp>(stop, boolean(true))) : boolean(true);
  });
  SmallVector<mlir::Value> forwarded;
  if (isEndless) {
    condition->block->getOperations().splice(condition->block->end(), body->block->getOperations());
    for (Way &way : ways) {
      llvm::append_range(forwarded, way.ran);
    }
  } else {
    SmallVector<mlir::Value> ran{goesOn}, skipped{atEnd(otherwise, [&] { return boolean(false); })};
    for (Way &way : ways) {
      llvm::append_range(ran, way.ran);
      llvm::append_range(skipped, way.skipped);
    }
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(body->block);
    scf::YieldOp::create(ir, place, ran);
    ir.setInsertionPointToEnd(otherwise);
    scf::YieldOp::create(ir, place, skipped);
    ir.setInsertionPointToEnd(condition->block);
    OperationState state(place, scf::IfOp::getOperationName());
    state.addOperands(condition->condition);
    state.addTypes(TypeRange(ValueRange(ran)));
    state.addRegion(std::move(body->region));
    state.addRegion()->takeBody(elseRegion);
    Operation *op = ir.create(state);
    goesOn = op->getResult(0);
    llvm::append_range(forwarded, op->getResults().drop_front());
  }
  atEnd(condition->block, [&] {
    scf::ConditionOp::create(ir, place, goesOn, forwarded);
    return mlir::Value();
  });
  // After a trip the values go back to where they came in.
  auto afterRegion = std::make_unique<Region>();
  Block *after = &afterRegion->emplaceBlock();
  after->addArguments(TypeRange(ValueRange(forwarded)), SmallVector<Location>(forwarded.size(), place));
  SmallVector<mlir::Value> inits(condition->block->getNumArguments()), yields(inits.size());
  size_t next = 0;
  for (Way &way : ways) {
    for (auto [i, arg] : llvm::enumerate(way.carried)) {
      inits[arg.getArgNumber()] = way.init[i];
      yields[arg.getArgNumber()] = after->getArgument(next + i);
    }
    next += way.ran.size();
  }
  atEnd(after, [&] {
    scf::YieldOp::create(ir, place, yields);
    return mlir::Value();
  });
  forgetArgs(*condition);
  OperationState state(place, scf::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(TypeRange(ValueRange(forwarded)));
  state.addRegion(std::move(condition->region));
  state.addRegion(std::move(afterRegion));
  Operation *op = ir.create(state);
  next = 0;
  for (Way &way : ways) {
    way.state.liveOnly = false;
    way.state.value =
        mapTiles(way.state.value, [&](const Ref &leaf) { return tile(op->getResult(next++), leaf->dtype); });
    set(way.var, std::move(way.state));
  }
  guardReturned(*body);
  return true;
}

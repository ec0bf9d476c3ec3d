// Loops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body is built once, detached; its op is chosen at its end:
//
//   for, nothing leaves        scf.for over a counter whose step is a positive constant
//   for, break or return       scf.while: before { counter < upper and not stop }, after { body }
//   while, nothing leaves      scf.while: before { condition }, after { body }
//   while, break or return     scf.while: before { condition; if it holds { body } }, after {}
//
// The counter of a for is the author's index where that cannot overflow; a wider one, or the number of the trip, else.
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

//===----------------------------------------------------------------------===//
// Bounds and counters
//===----------------------------------------------------------------------===//

/// How often lo, lo + step, .. stays before hi, as int64; all three of one dtype. Exact for every input: a distance is
/// an unsigned number of 64 bits.
mlir::Value Session::tripCount(const Ref &lo, const Ref &hi, const Ref &step) {
  DType d = lo->dtype;
  Ref zero = constantInt(d, 0), one = constantInt(u64, 1), none = constantInt(u64, 0);
  Ref a = cast(lo, d.isSigned() ? i64 : u64), b = cast(hi, d.isSigned() ? i64 : u64);
  Ref up = bitcast(sub(b, a), u64), down = bitcast(sub(a, b), u64);
  Ref s = bitcast(cast(step, d.isSigned() ? i64 : u64), u64);
  Ref minus = sub(none, s);
  auto count = [&](const Ref &distance, const Ref &size) {
    return add(divide(PV_FLOORDIV, sub(distance, one), size), one);
  };
  Ref forward = both(compare(PV_LT, lo, hi), compare(PV_GT, step, zero));
  Ref n = where(forward, count(up, s), none);
  if (d.isSigned()) {
    Ref backward = both(compare(PV_GT, lo, hi), compare(PV_LT, step, zero));
    n = where(backward, count(down, minus), n);
  }
  // More trips than int64 can count would take centuries.
  n = extremum(PV_MINIMUM, n, constantInt(u64, maxOf(i64)));
  return n ? n->ir : mlir::Value();
}

/// Chooses the counter of a for, and what the author sees of it.
bool Session::counterOf(Frame &frame, const Ref &lo, const Ref &hi, const Ref &step) {
  DType d = lo->dtype;
  auto number = [](const Ref &v) { return v->number ? std::optional<Wide>(v->number->integer) : std::nullopt; };
  std::optional<Wide> l = number(lo), h = number(hi), s = number(step);
  frame.runsOnce = l && h && s && (*s > 0 ? *l < *h : *l > *h);
  bool isUp = s && *s > 0;
  bool isPlain = d == i32 || d == i64;
  bool cannotOverflow = isUp && (*s == 1 || (h && *h <= maxOf(d) - *s));
  auto bodyArg = [&](Type type) {
    push(Frame::For);
    mlir::Value arg = top().block->addArgument(type, Location(top().place));
    placeholders[arg];
    return arg;
  };
  if (isPlain && cannotOverflow) {
    mlir::Value counter = bodyArg(lo->ir.getType());
    Frame &f = top();
    f.lower = lo->ir, f.upper = hi->ir, f.step = step->ir;
    f.index = tile(counter, d);
    return true;
  }
  if (isUp && d.bits() <= 32) {
    Ref wideLo = cast(lo, i64), wideHi = cast(hi, i64), wideStep = constantInt(i64, *s);
    mlir::Value counter = bodyArg(wideLo->ir.getType());
    Frame &f = top();
    f.lower = wideLo->ir, f.upper = wideHi->ir, f.step = wideStep->ir;
    f.index = cast(tile(counter, i64), d);
    return static_cast<bool>(f.index);
  }
  mlir::Value trips = tripCount(lo, hi, step);
  if (!trips) {
    return false;
  }
  Ref zero = constantInt(i64, 0), one = constantInt(i64, 1);
  mlir::Value counter = bodyArg(trips.getType());
  Frame &f = top();
  f.lower = zero->ir, f.upper = trips, f.step = one->ir;
  f.index = add(lo, mul(cast(tile(counter, i64), d), step));
  return static_cast<bool>(f.index);
}

static SmallVector<NamedAttribute, 4> hintsOf(OpBuilder &b, const pv_loop_options &o) {
  SmallVector<NamedAttribute, 4> hints;
  auto number = [&](StringRef name, int value) {
    if (value) {
      hints.push_back(b.getNamedAttr(name, b.getI32IntegerAttr(value)));
    }
  };
  auto flag = [&](StringRef name, int value) {
    if (value) {
      hints.push_back(b.getNamedAttr(name, b.getUnitAttr()));
    }
  };
  number("tile.num_stages", o.num_stages);
  number("tile.loop_unroll_factor", o.loop_unroll_factor);
  flag("tile.disallow_acc_multi_buffer", o.disallow_acc_multi_buffer);
  flag("tile.flatten", o.flatten);
  flag("tile.warp_specialize", o.warp_specialize);
  flag("tile.disable_licm", o.disable_licm);
  return hints;
}

bool Session::forBegin(const Ref &lo, const Ref &hi, const Ref &step, const pv_loop_options &options) {
  if (!checkOpen()) {
    return false;
  }
  if (options.num_stages < 0 || options.loop_unroll_factor < 0) {
    return fail(Code::BadLoopBound, "expected num_stages and loop_unroll_factor of at least 0, got " +
                                        Twine(options.num_stages) + " and " + Twine(options.loop_unroll_factor));
  }
  Refs bounds = {lo ? lo : literalInt(0), hi, step ? step : literalInt(1)};
  DType d;
  for (const Ref &b : bounds) {
    if (!checkNumber(b, "a bound of range")) {
      return false;
    }
    if (!b->isScalar() || !b->dtype.isInteger() || b->dtype.isBool()) {
      return fail(Code::BadLoopBound, "expected integer scalars as bounds of range, got " + describe(*b));
    }
  }
  // Where every value is known, only a literal counts: a run-time step of 0 makes no trip.
  if (bounds[2]->number && bounds[2]->number->integer == 0 && (bounds[2]->isLiteral() || !isNative())) {
    return fail(Code::BadLoopBound, "expected a step of range other than 0, got 0");
  }
  // Literals take part with their own dtype, as every other bound.
  for (Ref &b : bounds) {
    b = toTensor(b);
    d = d ? promoteIntegers(d, b->dtype) : b->dtype;
  }
  if (bounds[2]->dtype.isSigned() && !d.isSigned() && !(bounds[2]->number && bounds[2]->number->integer > 0)) {
    // An unsigned index could not go down.
    if (d.bits() == 64) {
      return fail(Code::BadLoopBound, "expected a positive step for bounds of uint64, got " +
                                          describeWithNumber(*(step ? step : bounds[2])) +
                                          "; cast the bounds to int64");
    }
    d = i64;
  }
  for (Ref &b : bounds) {
    b = cast(b, d);
  }
  if (isNative()) {
    NativeFrame frame{NativeFrame::For};
    frame.indexType = d;
    if (!isDeadNative) {
      if (!flush() || !scalarInteger(bounds[0], frame.next) || !scalarInteger(bounds[1], frame.last) ||
          !scalarInteger(bounds[2], frame.step)) {
        return false;
      }
    }
    native.push_back(frame);
    return true;
  }
  Frame probe(Frame::For, 0, here);
  if (!counterOf(probe, bounds[0], bounds[1], bounds[2])) {
    return false;
  }
  top().runsOnce = probe.runsOnce;
  top().hints = hintsOf(ir, options);
  return true;
}

Ref Session::forIndex() {
  if (!checkOpen()) {
    return {};
  }
  if (isNative()) {
    for (NativeFrame &frame : llvm::reverse(native)) {
      if (frame.kind == NativeFrame::For) {
        return frame.index ? frame.index : constantInt(frame.indexType, 0);
      }
    }
    return fail(Code::BadControl, "expected an open for, got none");
  }
  for (auto &frame : llvm::reverse(frames)) {
    if (frame->kind == Frame::For) {
      return frame->index;
    }
  }
  return fail(Code::BadControl, "expected an open for, got none");
}

//===----------------------------------------------------------------------===//
// What a loop carries
//===----------------------------------------------------------------------===//

/// A variable that a loop changes: where its parts come in, stand, and go to the next trip.
struct Session::Carried {
  pv_variable *var;
  VarState inside;               // at the end of the body
  SmallVector<mlir::Value> init; // null: poison
  SmallVector<BlockArgument> args;
  SmallVector<Ref> next;
};

Failed Session::failTypeChange(const pv_variable *var, const LoopArg &arg, const VarState &state) {
  std::string name = "'" + var->name + "'";
  if (!state.value) {
    return failRead(var, state);
  }
  fail(Code::LoopTypeChange, "expected " + name + " to keep its type in the loop, got " + describe(*arg.incoming) +
                                 " before it (line " + Twine(arg.incomingAt.line) + ") and " + describe(*state.value) +
                                 " after a trip (line " + Twine(state.at.line) + ")");
  note(name + " is " + describe(*arg.incoming) + " here", arg.incomingAt);
  note(name + " becomes " + describe(*state.value) + " here", state.at);
  return {};
}

/// What is known after a loop of a variable that only its body assigns.
VarState Session::problemAfterLoop(const std::optional<VarState> &before, const VarState &inside) {
  if (inside.problem != VarState::None) {
    return inside;
  }
  VarState after;
  if (before && before->isReadable()) {
    after.problem = VarState::Conflict;
    after.value = before->value;
    after.at = before->at;
    after.otherValue = inside.value;
    after.other = inside.at;
  } else {
    after.problem = VarState::Partial;
    after.value = inside.value;
    after.at = inside.at;
  }
  return after;
}

/// Sorts out the variables of a closed for: those that do not change are replaced by their first value, those that
/// cannot be had afterwards become problems outside, the rest is carried.
bool Session::collectCarried(Frame &frame, SmallVectorImpl<Carried> &carried) {
  size_t outside = frames.size() - 1;
  for (auto &[var, arg] : frame.args) {
    if (!frame.vars.contains(var)) {
      replaceArgs(frame, arg.state.value, arg.incoming);
    }
  }
  for (auto &[var, state] : frame.vars) {
    auto arg = frame.args.find(var);
    bool hasArg = arg != frame.args.end();
    if (var == frame.broke || (isGone(var) && !hasArg)) {
      continue;
    }
    Carried c{var, state, {}, {}, {}};
    auto append = [&](const Ref &leaf) { c.next.push_back(leaf); };
    if (hasArg) {
      LoopArg &from = arg->second;
      if (!state.isReadable() || state.liveOnly || !sameType(*state.value, *from.state.value)) {
        return failTypeChange(var, from, state);
      }
      if (sameValue(*state.value, *from.state.value)) {
        replaceArgs(frame, from.state.value, from.incoming);
        continue;
      }
      forEachTile(from.incoming, [&](const Ref &leaf) { c.init.push_back(leaf->ir); });
      forEachTile(from.state.value, [&](const Ref &leaf) { c.args.push_back(cast<BlockArgument>(leaf->ir)); });
      forEachTile(state.value, append);
      carried.push_back(std::move(c));
      continue;
    }
    std::optional<VarState> before = find(var, outside);
    bool isFlag = var->kind == pv_variable::Flag, isReturn = var->kind == pv_variable::ReturnValue;
    bool fits = state.isReadable() && !state.liveOnly && before && before->isReadable() &&
                sameType(*state.value, *before->value);
    bool anyInit = state.isReadable() && (isReturn || (frame.runsOnce && !state.liveOnly));
    if (!fits && !isFlag && !anyInit) {
      set(var, problemAfterLoop(before, state));
      continue;
    }
    if (fits) {
      forEachTile(before->value, [&](const Ref &leaf) { c.init.push_back(leaf->ir); });
    }
    forEachTile(state.value, [&](const Ref &leaf) {
      append(leaf);
      if (!fits) {
        mlir::Type type = leaf->ir.getType();
        c.init.push_back(isFlag ? boolean(false) : mlir::Value(create<ub::PoisonOp>(type)));
      }
      c.args.push_back(frame.block->addArgument(leaf->ir.getType(), Location(frame.place)));
    });
    carried.push_back(std::move(c));
  }
  return true;
}

/// break or return at the end of a body; null when neither may have happened. Ops go to the current place.
mlir::Value Session::stopFlag(Frame &loop) {
  mlir::Value stop;
  auto include = [&](pv_variable *flag) {
    auto it = flag ? loop.vars.find(flag) : loop.vars.end();
    if (it != loop.vars.end()) {
      mlir::Value value = it->second.value->ir;
      stop = stop ? mlir::Value(create<arith::OrIOp>(stop, value)) : value;
    }
  };
  include(loop.broke);
  include(loop.mayReturn ? frames[scopeIndex()]->returned : nullptr);
  return stop;
}

/// Code behind a loop that a return may have left runs only if none has.
void Session::guardReturned(Frame &loop) {
  if (loop.broke) {
    release(loop.broke);
  }
  if (!loop.mayReturn) {
    return;
  }
  std::optional<VarState> state = find(frames[scopeIndex()]->returned, frames.size() - 1);
  if (state && state->isReadable()) {
    mlir::Value live = create<arith::XOrIOp>(state->value->ir, boolean(true));
    push(Frame::Live).condition = live;
  }
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

/// Makes the results of a loop the values of its variables.
template <typename CarriedT, typename SetT, typename TileT>
static void bindResults(ArrayRef<CarriedT> carried, ValueRange results, SetT set, TileT tile) {
  size_t next = 0;
  for (const CarriedT &c : carried) {
    VarState state = c.inside;
    state.liveOnly = false;
    state.value = mapTiles(state.value, [&](const Ref &leaf) { return tile(results[next++], leaf->dtype); });
    set(c.var, std::move(state));
  }
}

bool Session::endFor(std::unique_ptr<Frame> frame) {
  SmallVector<Carried, 0> carried;
  if (!collectCarried(*frame, carried)) {
    return false;
  }
  if (frame->mayBreak || frame->mayReturn) {
    return endForWithExits(std::move(frame), carried);
  }
  llvm::sort(carried, [](const Carried &a, const Carried &b) {
    unsigned x = a.args.empty() ? 0 : a.args[0].getArgNumber(), y = b.args.empty() ? 0 : b.args[0].getArgNumber();
    return x < y;
  });
  forgetArgs(*frame);
  OperationState state(Location(frame->place), scf::ForOp::getOperationName());
  state.addOperands({frame->lower, frame->upper, frame->step});
  SmallVector<mlir::Value> yields;
  for (Carried &c : carried) {
    state.addOperands(c.init);
    for (const Ref &leaf : c.next) {
      state.addTypes(leaf->ir.getType());
      yields.push_back(leaf->ir);
    }
  }
  {
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(frame->block);
    scf::YieldOp::create(ir, Location(frame->place), yields);
  }
  state.addAttributes(frame->hints);
  state.addRegion(std::move(frame->region));
  Operation *op = ir.create(state);
  bindResults(
      ArrayRef<Carried>(carried), op->getResults(), [&](pv_variable *v, VarState s) { set(v, std::move(s)); },
      [&](mlir::Value v, DType d) { return tile(v, d); });
  return true;
}

bool Session::endForWithExits(std::unique_ptr<Frame> frame, ArrayRef<Carried> given) {
  SmallVector<Carried, 0> carried(given);
  llvm::sort(carried, [](const Carried &a, const Carried &b) {
    unsigned x = a.args.empty() ? 0 : a.args[0].getArgNumber(), y = b.args.empty() ? 0 : b.args[0].getArgNumber();
    return x < y;
  });
  forgetArgs(*frame);
  Location place(frame->place);
  mlir::Value notStopped = boolean(false);
  // The body: counter, carried values, stop.
  Block *body = frame->block;
  body->addArgument(notStopped.getType(), place);
  SmallVector<mlir::Value> inits{frame->lower}, yields;
  {
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(body);
    mlir::Value stop = stopFlag(*frame);
    yields.push_back(create<arith::AddIOp>(body->getArgument(0), frame->step));
    for (Carried &c : carried) {
      for (const Ref &leaf : c.next) {
        yields.push_back(leaf->ir);
      }
      llvm::append_range(inits, c.init);
    }
    yields.push_back(stop ? stop : boolean(false));
    scf::YieldOp::create(ir, place, yields);
  }
  inits.push_back(notStopped);
  // The condition hands everything on.
  auto beforeRegion = std::make_unique<Region>();
  Block *before = &beforeRegion->emplaceBlock();
  SmallVector<Type> types(body->getArgumentTypes());
  before->addArguments(types, SmallVector<Location>(types.size(), place));
  {
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(before);
    mlir::Value isBefore = create<arith::CmpIOp>(arith::CmpIPredicate::slt, before->getArgument(0), frame->upper);
    mlir::Value goesOn = create<arith::XOrIOp>(before->getArguments().back(), boolean(true));
    scf::ConditionOp::create(ir, place, create<arith::AndIOp>(isBefore, goesOn), before->getArguments());
  }
  OperationState state(place, scf::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(types);
  state.addAttributes(frame->hints);
  state.addRegion(std::move(beforeRegion));
  state.addRegion(std::move(frame->region));
  Operation *op = ir.create(state);
  bindResults(
      ArrayRef<Carried>(carried), op->getResults().drop_front(),
      [&](pv_variable *v, VarState s) { set(v, std::move(s)); }, [&](mlir::Value v, DType d) { return tile(v, d); });
  guardReturned(*frame);
  return true;
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

bool Session::whileBegin() {
  if (!checkOpen()) {
    return false;
  }
  if (isNative()) {
    native.push_back({NativeFrame::While});
    return true;
  }
  push(Frame::Condition);
  return true;
}

bool Session::whileCondition(const Ref &tested, int *enter) {
  if (!checkNumber(tested, "the condition of a while")) {
    return false;
  }
  Ref given = scalarOfOne(tested);
  if (!given->isScalar()) {
    return fail(Code::BadCondition, "expected a scalar condition for a while, got " + describe(*given));
  }
  if (isNative()) {
    if (native.empty() || native.back().kind != NativeFrame::While) {
      return fail(Code::BadControl, "expected an open while before its condition, got none");
    }
    native.back().goOn = false;
    if (!isDeadNative && !scalarTruth(given, native.back().goOn)) {
      return false;
    }
    *enter = native.back().goOn;
    return true;
  }
  Ref condition = toBool(given);
  if (!condition) {
    return false;
  }
  bool found;
  size_t index = explicitTop({Frame::Condition}, found);
  if (!found) {
    return fail(Code::BadControl, "expected an open while before its condition, got none");
  }
  if (closeImplicit(index).kind != End::Always) {
    return fail(Code::BadControl, "expected a condition of a while that does not leave, got one that may");
  }
  Frame &frame = top();
  frame.condition = condition->ir;
  frame.isEndless = condition->number && condition->number->integer != 0;
  openRegions.erase(frame.serial); // the body sees only variables
  push(Frame::Body).isVisited = true;
  *enter = 1;
  return true;
}

bool Session::loopNext(int *go) {
  if (!checkOpen()) {
    return false;
  }
  if (isNative()) {
    return nativeLoopNext(go);
  }
  bool found;
  size_t index = explicitTop({Frame::For, Frame::Condition, Frame::Body}, found);
  if (!found) {
    return fail(Code::BadControl, "expected an open loop, got none");
  }
  Frame &frame = *frames[index];
  *go = !frame.isVisited;
  frame.isVisited = true;
  return true;
}

bool Session::loopEnd() {
  if (!checkOpen()) {
    return false;
  }
  if (isNative()) {
    if (native.empty() || native.back().kind == NativeFrame::If || native.back().kind == NativeFrame::Call) {
      return fail(Code::BadControl, "expected an open loop to end, got none");
    }
    if (isDeadNative && deadUntil == static_cast<int>(native.size()) - 1) {
      isDeadNative = false;
      deadVars.clear();
    }
    native.pop_back();
    return true;
  }
  bool found;
  size_t index = explicitTop({Frame::For, Frame::Body}, found);
  if (!found) {
    return fail(Code::BadControl, "expected an open loop to end, got none");
  }
  closeImplicit(index);
  std::unique_ptr<Frame> frame = pop();
  if (frame->kind == Frame::For) {
    return endFor(std::move(frame));
  }
  std::unique_ptr<Frame> condition = pop();
  return frame->mayBreak || frame->mayReturn ? endWhileWithExits(std::move(condition), std::move(frame))
                                             : endWhile(std::move(condition), std::move(frame));
}

static SmallVector<Ref> leavesOf(const Ref &value) {
  SmallVector<Ref> leaves;
  forEachTile(value, [&](const Ref &leaf) { leaves.push_back(leaf); });
  return leaves;
}

bool Session::endWhile(std::unique_ptr<Frame> condition, std::unique_ptr<Frame> body) {
  size_t outside = frames.size() - 1;
  llvm::MapVector<pv_variable *, bool> names;
  for (Frame *frame : {condition.get(), body.get()}) {
    for (auto &entry : frame->args) {
      names[entry.first] = true;
    }
    for (auto &entry : frame->vars) {
      names[entry.first] = true;
    }
  }
  struct Way {
    pv_variable *var;
    VarState after;
    SmallVector<Ref> forwarded; // values at the end of the condition
    SmallVector<BlockArgument> inside;
  };
  SmallVector<Way, 0> ways;
  SmallVector<std::pair<BlockArgument, mlir::Value>> inits;                 // arguments of the condition
  SmallVector<std::pair<BlockArgument, std::function<mlir::Value()>>> next; // their values after a trip
  for (auto &[var, ignored] : names) {
    auto arg = condition->args.find(var);
    bool hasArg = arg != condition->args.end();
    auto seen = body->args.find(var);
    bool isSeen = seen != body->args.end();
    auto inCondition = condition->vars.find(var), inBody = body->vars.find(var);
    bool setByCondition = inCondition != condition->vars.end(), setByBody = inBody != body->vars.end();
    if (!setByCondition && !setByBody) {
      if (isSeen) {
        replaceArgs(*body, seen->second.state.value, seen->second.incoming);
      }
      if (hasArg) {
        replaceArgs(*condition, arg->second.state.value, arg->second.incoming);
      }
      continue;
    }
    if (isGone(var) && !hasArg && !isSeen) {
      continue;
    }
    if (!hasArg && !setByCondition) {
      // Only the body assigns it: its first value must come from outside.
      const VarState &state = inBody->second;
      std::optional<VarState> before = find(var, outside);
      bool fits = state.isReadable() && !state.liveOnly && before && before->isReadable() &&
                  sameType(*state.value, *before->value);
      if (!fits) {
        set(var, problemAfterLoop(before, state));
        continue;
      }
      addLoopArg(*condition, var, *before);
      arg = condition->args.find(var);
      hasArg = true;
    }
    const VarState &atCondition = setByCondition ? inCondition->second : arg->second.state;
    if (!atCondition.isReadable()) {
      if (isSeen || hasArg) {
        return failRead(var, atCondition);
      }
      set(var, atCondition);
      continue;
    }
    Way way{var, atCondition, leavesOf(atCondition.value), {}};
    if (isSeen) {
      for (const Ref &leaf : leavesOf(seen->second.state.value)) {
        way.inside.push_back(cast<BlockArgument>(leaf->ir));
      }
    } else {
      for (const Ref &leaf : way.forwarded) {
        way.inside.push_back(body->block->addArgument(leaf->ir.getType(), Location(body->place)));
      }
    }
    if (hasArg) {
      const VarState &last = setByBody ? inBody->second : atCondition;
      if (!last.isReadable() || last.liveOnly || !sameType(*last.value, *arg->second.state.value)) {
        return failTypeChange(var, arg->second, last);
      }
      SmallVector<Ref> first = leavesOf(arg->second.incoming), values = leavesOf(last.value);
      for (auto [i, leaf] : llvm::enumerate(leavesOf(arg->second.state.value))) {
        auto place = cast<BlockArgument>(leaf->ir);
        inits.push_back({place, first[i]->ir});
        if (setByBody) {
          next.push_back({place, [v = values[i]] { return v->ir; }});
        } else {
          next.push_back({place, [v = mlir::Value(way.inside[i])] { return v; }});
        }
      }
    }
    ways.push_back(std::move(way));
  }

  Location place(condition->place);
  auto byArgument = [](auto &a, auto &b) { return a.first.getArgNumber() < b.first.getArgNumber(); };
  llvm::sort(inits, byArgument);
  llvm::sort(next, byArgument);
  SmallVector<mlir::Value> forwarded(body->block->getNumArguments());
  for (Way &way : ways) {
    for (auto [leaf, arg] : llvm::zip(way.forwarded, way.inside)) {
      forwarded[arg.getArgNumber()] = leaf->ir;
    }
  }
  forgetArgs(*condition);
  forgetArgs(*body);
  OperationState state(place, scf::WhileOp::getOperationName());
  for (auto &[arg, value] : inits) {
    state.addOperands(value);
  }
  {
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(condition->block);
    scf::ConditionOp::create(ir, place, condition->condition, forwarded);
    SmallVector<mlir::Value> yields;
    for (auto &[arg, value] : next) {
      yields.push_back(value());
    }
    ir.setInsertionPointToEnd(body->block);
    scf::YieldOp::create(ir, place, yields);
  }
  state.addTypes(TypeRange(ValueRange(forwarded)));
  SmallVector<unsigned> resultOf;
  for (Way &way : ways) {
    for (BlockArgument arg : way.inside) {
      resultOf.push_back(arg.getArgNumber());
    }
  }
  state.addRegion(std::move(condition->region));
  state.addRegion(std::move(body->region));
  Operation *op = ir.create(state);
  size_t i = 0;
  for (Way &way : ways) {
    way.after.value =
        mapTiles(way.after.value, [&](const Ref &leaf) { return tile(op->getResult(resultOf[i++]), leaf->dtype); });
    way.after.liveOnly = false;
    set(way.var, std::move(way.after));
  }
  return true;
}

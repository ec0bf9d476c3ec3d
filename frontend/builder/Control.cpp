// Ifs, calls, and what leaves early. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

mlir::Value Session::poisonIn(Block *block, Type type) {
  OpBuilder::InsertionGuard guard(ir);
  ir.setInsertionPointToEnd(block);
  return create<ub::PoisonOp>(type);
}

mlir::Value Session::boolean(bool value) { return create<arith::ConstantOp>(ir.getBoolAttr(value)); }

//===----------------------------------------------------------------------===//
// Merging two arms
//===----------------------------------------------------------------------===//

/// Results of an op with two ways to get there.
struct Session::Merge {
  struct Entry {
    pv_variable *var;
    VarState state;
    SmallVector<int> leaves; // result number of each tile; -1: it is the same on both ways
  };
  SmallVector<Entry, 0> entries;
  SmallVector<Type> types;
  SmallVector<mlir::Value> first, second;

  int add(mlir::Value a, mlir::Value b) {
    types.push_back(a.getType());
    first.push_back(a);
    second.push_back(b);
    return static_cast<int>(types.size()) - 1;
  }
};

/// A state with a value that can be had; a missing flag is false, a missing return value can be anything.
static bool isGood(const std::optional<VarState> &state) { return state && state->isReadable(); }

static VarState problem(VarState::Problem kind, const VarState &a, const VarState *b = nullptr) {
  VarState state;
  state.problem = kind;
  state.value = a.value;
  state.at = a.at;
  if (b) {
    state.otherValue = b->value;
    state.other = b->at;
  }
  return state;
}

End Session::mergeArms(std::unique_ptr<Frame> thenArm, std::unique_ptr<Frame> elseArm) {
  size_t below = frames.size() - 1;
  const End &endA = thenArm->end, &endB = elseArm->end;
  Merge merge;
  llvm::MapVector<pv_variable *, bool> names;
  for (Frame *arm : {thenArm.get(), elseArm.get()}) {
    for (auto &entry : arm->vars) {
      names[entry.first] = true;
    }
  }
  for (auto &[var, ignored] : names) {
    if (isGone(var)) {
      continue;
    }
    auto stateIn = [&](Frame &arm) -> std::optional<VarState> {
      auto it = arm.vars.find(var);
      return it != arm.vars.end() ? it->second : find(var, below);
    };
    std::optional<VarState> a = stateIn(*thenArm), b = stateIn(*elseArm);
    if (var->kind == pv_variable::Flag) {
      auto constantIn = [&](Frame &arm) {
        OpBuilder::InsertionGuard guard(ir);
        ir.setInsertionPointToEnd(arm.block);
        return boolean(false);
      };
      mlir::Value x = a ? a->value->ir : constantIn(*thenArm), y = b ? b->value->ir : constantIn(*elseArm);
      merge.entries.push_back({var, a ? *a : *b, {merge.add(x, y)}});
      continue;
    }
    bool goodA = isGood(a), goodB = isGood(b), agree = goodA && goodB && sameType(*a->value, *b->value);
    bool anyValue = var->kind == pv_variable::ReturnValue;
    if (anyValue && goodA && goodB && !agree) {
      // Returns of different literals: each becomes a scalar where it is returned.
      auto scalarsIn = [&](Frame &arm, const Ref &value) {
        OpBuilder::InsertionGuard guard(ir);
        ir.setInsertionPointToEnd(arm.block);
        auto convert = [&](auto &self, const Ref &v) -> Ref {
          if (v->isLiteral()) {
            return constant(v->dtype, *v->number);
          }
          if (v->kind != PV_KIND_TUPLE) {
            return v;
          }
          Refs items;
          for (const Ref &item : v->items) {
            items.push_back(self(self, item));
          }
          return makeTuple(items);
        };
        return convert(convert, value);
      };
      a->value = scalarsIn(*thenArm, a->value);
      b->value = scalarsIn(*elseArm, b->value);
      agree = sameType(*a->value, *b->value);
    }
    Merge::Entry entry{var, {}, {}};
    const std::optional<VarState> *only = nullptr; // the side whose value counts
    if (agree) {
      entry.state = *a;
      entry.state.liveOnly = a->liveOnly || b->liveOnly;
    } else if (goodA && (anyValue || endB.kind == End::Never)) {
      only = &a;
    } else if (goodB && (anyValue || endA.kind == End::Never)) {
      only = &b;
    } else if (goodA && goodB) {
      entry.state = problem(VarState::Conflict, *a, &*b);
    } else if (goodA || goodB) {
      const std::optional<VarState> &good = goodA ? a : b, &bad = goodA ? b : a;
      entry.state = bad && bad->problem != VarState::None && bad->problem != VarState::Unassigned
                        ? *bad
                        : problem(VarState::Partial, *good);
    } else if (a || b) {
      entry.state = a ? *a : *b;
    } else {
      continue;
    }
    if (only) {
      entry.state = **only;
      entry.state.liveOnly = !anyValue;
    }
    if (entry.state.isReadable()) {
      SmallVector<Ref> others;
      if (agree) {
        forEachTile(b->value, [&](const Ref &leaf) { others.push_back(leaf); });
      }
      size_t i = 0;
      forEachTile(entry.state.value, [&](const Ref &leaf) {
        if (!agree) {
          bool isFirst = only == &a;
          mlir::Value none = poisonIn(isFirst ? elseArm->block : thenArm->block, leaf->ir.getType());
          entry.leaves.push_back(isFirst ? merge.add(leaf->ir, none) : merge.add(none, leaf->ir));
        } else {
          const Ref &other = others[i++];
          entry.leaves.push_back(other->ir == leaf->ir ? -1 : merge.add(leaf->ir, other->ir));
        }
      });
    }
    merge.entries.push_back(std::move(entry));
  }

  // Whether what follows is reached at all.
  End end;
  int live = -1;
  bool simple = endA.kind != End::Maybe && endB.kind != End::Maybe;
  if (endA.kind == End::Never && endB.kind == End::Never) {
    end.kind = End::Never;
  } else if (endA.kind != End::Always || endB.kind != End::Always) {
    end.kind = End::Maybe;
    if (!simple) {
      auto liveIn = [&](Frame &arm) {
        OpBuilder::InsertionGuard guard(ir);
        ir.setInsertionPointToEnd(arm.block);
        return arm.end.kind == End::Maybe ? arm.end.value : boolean(arm.end.kind == End::Always);
      };
      live = merge.add(liveIn(*thenArm), liveIn(*elseArm));
    }
  }

  mlir::Value condition = thenArm->condition;
  bool needsElse = !merge.types.empty() || !elseArm->block->empty();
  auto finish = [&](Frame &arm, ArrayRef<mlir::Value> values) {
    OpBuilder::InsertionGuard guard(ir);
    ir.setInsertionPointToEnd(arm.block);
    scf::YieldOp::create(ir, Location(arm.place), values);
  };
  finish(*thenArm, merge.first);
  OperationState state(Location(thenArm->place), scf::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(merge.types);
  state.addRegion(std::move(thenArm->region));
  if (needsElse) {
    finish(*elseArm, merge.second);
    state.addRegion(std::move(elseArm->region));
  } else {
    state.addRegion();
  }
  Operation *op = ir.create(state);

  for (Merge::Entry &entry : merge.entries) {
    if (entry.state.isReadable()) {
      size_t i = 0;
      entry.state.value = mapTiles(entry.state.value, [&](const Ref &leaf) {
        int result = entry.leaves[i++];
        return result < 0 ? leaf : tile(op->getResult(result), leaf->dtype);
      });
    }
    set(entry.var, std::move(entry.state));
  }
  if (end.kind == End::Maybe) {
    if (live >= 0) {
      end.value = op->getResult(live);
    } else if (endA.kind == End::Always) {
      end.value = condition;
    } else {
      end.value = create<arith::XOrIOp>(condition, boolean(true));
    }
  }
  return end;
}

std::unique_ptr<Frame> Session::emptyArm(const Frame &thenArm, End end) {
  auto arm = std::make_unique<Frame>(Frame::Else, nextSerial++, thenArm.begun);
  arm->place = thenArm.place;
  arm->region = std::make_unique<Region>();
  arm->block = &arm->region->emplaceBlock();
  arm->end = end;
  return arm;
}

//===----------------------------------------------------------------------===//
// Closing what the builder opened
//===----------------------------------------------------------------------===//

End Session::closeOne(std::unique_ptr<Frame> frame, End end) {
  if (frame->kind == Frame::Dead) {
    return {End::Never, {}};
  }
  frame->end = end;
  if (frame->kind == Frame::Live) {
    std::unique_ptr<Frame> left = emptyArm(*frame, {End::Never, {}});
    return mergeArms(std::move(frame), std::move(left));
  }
  std::unique_ptr<Frame> other = std::move(frame->other);
  return frame->kind == Frame::Then ? mergeArms(std::move(frame), std::move(other))
                                    : mergeArms(std::move(other), std::move(frame));
}

/// Closes the implicit frames above `floor`; how that frame ends.
End Session::closeImplicit(size_t floor) {
  End end;
  while (frames.size() - 1 > floor) {
    end = closeOne(pop(), end);
  }
  return end;
}

/// The innermost frame that the author opened, which must be one of `kinds`.
size_t Session::explicitTop(ArrayRef<Frame::Kind> kinds, bool &found) const {
  size_t i = frames.size();
  while (i > 0 &&
         (frames[i - 1]->isImplicit || frames[i - 1]->kind == Frame::Live || frames[i - 1]->kind == Frame::Dead)) {
    --i;
  }
  found = i > 0 && llvm::is_contained(kinds, frames[i - 1]->kind);
  return i - 1;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

Ref Session::scalarOfOne(const Ref &x) {
  return !x->isLiteral() && !x->shape.empty() && x->numElements() == 1 ? reshape(x, {}) : x;
}

bool Session::ifBegin(const Ref &tested, int *enter) {
  if (!checkNumber(tested, "a condition")) {
    return false;
  }
  Ref given = scalarOfOne(tested);
  if (!given->isScalar()) {
    return fail(Code::BadCondition,
                "expected a scalar condition for an if, got " + describe(*given) + "; use where, or reduce it");
  }
  if (isNative()) {
    NativeFrame frame{NativeFrame::If};
    if (!isDeadNative && !scalarTruth(given, frame.taken)) {
      return false;
    }
    *enter = frame.taken && !isDeadNative;
    native.push_back(frame);
    return true;
  }
  Ref condition = toBool(given);
  if (!condition) {
    return false;
  }
  push(Frame::Then).condition = condition->ir;
  *enter = 1;
  return true;
}

bool Session::elseBegin(int *enter) {
  if (!checkOpen()) {
    return false;
  }
  if (isNative()) {
    if (native.empty() || native.back().kind != NativeFrame::If) {
      return fail(Code::BadControl, "expected an open if before else, got none");
    }
    *enter = !native.back().taken && !isDeadNative;
    native.back().taken = true;
    return true;
  }
  bool found;
  size_t index = explicitTop({Frame::Then}, found);
  if (!found) {
    return fail(Code::BadControl, "expected an open if before else, got none");
  }
  End end = closeImplicit(index);
  std::unique_ptr<Frame> arm = pop();
  arm->end = end;
  Frame &otherwise = push(Frame::Else);
  otherwise.place = arm->place;
  otherwise.begun = arm->begun;
  otherwise.other = std::move(arm);
  *enter = 1;
  return true;
}

bool Session::ifEnd() {
  if (!checkOpen()) {
    return false;
  }
  if (isNative()) {
    if (native.empty() || native.back().kind != NativeFrame::If) {
      return fail(Code::BadControl, "expected an open if to end, got none");
    }
    native.pop_back();
    return true;
  }
  bool found;
  size_t index = explicitTop({Frame::Then, Frame::Else}, found);
  if (!found) {
    return fail(Code::BadControl, "expected an open if to end, got none");
  }
  End end = closeImplicit(index);
  std::unique_ptr<Frame> arm = pop();
  arm->end = end;
  bool hasElse = arm->kind == Frame::Else;
  std::unique_ptr<Frame> thenArm = hasElse ? std::move(arm->other) : std::move(arm);
  std::unique_ptr<Frame> elseArm = hasElse ? std::move(arm) : emptyArm(*thenArm, {});

  // Where one arm has left for good, what follows goes into the other one.
  auto continueIn = [&](std::unique_ptr<Frame> rest, std::unique_ptr<Frame> left) {
    rest->isImplicit = true;
    rest->other = std::move(left);
    openRegions.insert(rest->serial);
    frames.push_back(std::move(rest));
    resume();
    return true;
  };
  if (thenArm->end.kind == End::Never && elseArm->end.kind == End::Always) {
    return continueIn(std::move(elseArm), std::move(thenArm));
  }
  if (thenArm->end.kind == End::Always && elseArm->end.kind == End::Never) {
    return continueIn(std::move(thenArm), std::move(elseArm));
  }
  End after = mergeArms(std::move(thenArm), std::move(elseArm));
  if (after.kind == End::Never) {
    push(Frame::Dead);
  } else if (after.kind == End::Maybe) {
    push(Frame::Live).condition = after.value;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Leaving early
//===----------------------------------------------------------------------===//

bool Session::isInDead(size_t above) const {
  for (size_t i = above + 1; i < frames.size(); ++i) {
    if (frames[i]->kind == Frame::Dead) {
      return true;
    }
  }
  return false;
}

bool Session::isDead() const {
  if (isNative()) {
    return isDeadNative;
  }
  return !frames.empty() && frames.back()->kind == Frame::Dead;
}

/// The kernel, call or combine function that a return leaves.
size_t Session::scopeIndex() const {
  size_t i = frames.size() - 1;
  while (frames[i]->kind != Frame::Call && frames[i]->kind != Frame::Kernel && frames[i]->kind != Frame::Combine) {
    --i;
  }
  return i;
}

std::optional<size_t> Session::loopIndex() const {
  for (size_t i = frames.size() - 1, scope = scopeIndex(); i > scope; --i) {
    if (frames[i]->isLoop()) {
      return i;
    }
  }
  return std::nullopt;
}

bool Session::leaveLoop(bool isBreak) {
  if (!checkOpen()) {
    return false;
  }
  StringRef name = isBreak ? "break" : "continue";
  if (isNative()) {
    int i = static_cast<int>(native.size()) - 1;
    while (i >= 0 && native[i].kind == NativeFrame::If) {
      --i;
    }
    if (i < 0 || native[i].kind == NativeFrame::Call) {
      return fail(Code::BadControl, "expected a loop around " + name + ", got none");
    }
    if (!isDeadNative) {
      isDeadNative = true;
      deadUntil = i;
      deadByContinue = !isBreak;
    }
    return true;
  }
  std::optional<size_t> index = loopIndex();
  if (!index) {
    return fail(Code::BadControl, "expected a loop around " + name + ", got none");
  }
  Frame &loop = *frames[*index];
  if (isBreak && !isInDead(*index)) {
    if (!loop.broke) {
      loop.broke = declareHidden("break", pv_variable::Flag);
    }
    loop.mayBreak = true;
    set(loop.broke, tile(boolean(true), i1));
  }
  push(Frame::Dead);
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool Session::callBegin(StringRef callee) {
  if (!checkOpen()) {
    return false;
  }
  constexpr size_t deepest = 256;
  if (calls.size() >= deepest) {
    return fail(Code::CallDepth, "expected at most " + Twine(deepest) + " calls within each other, got one more: '" +
                                     callee + "'; calls are inlined, so they cannot recurse");
  }
  if (isNative()) {
    native.push_back({NativeFrame::Call});
  } else {
    Frame &frame = push(Frame::Call);
    frame.callee = callee.str();
    frame.callId = nextCall;
    frame.returned = declareHidden("return", pv_variable::Flag);
    frame.returnValue = declareHidden("the result of " + callee.str(), pv_variable::ReturnValue);
  }
  openCalls.push_back(nextCall++);
  calls.push_back({callee.str(), here});
  return true;
}

/// Whether two returned values can be merged: a literal counts as a scalar of its own dtype.
static bool canMerge(const pv_value &a, const pv_value &b) {
  if (a.isNumberLike() && b.isNumberLike()) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
  if (a.kind != PV_KIND_TUPLE || b.kind != PV_KIND_TUPLE || a.items.size() != b.items.size()) {
    return sameType(a, b);
  }
  return llvm::all_of(llvm::zip(a.items, b.items),
                      [](const auto &pair) { return canMerge(*std::get<0>(pair), *std::get<1>(pair)); });
}

bool Session::returnValue(const Ref &value) {
  if (!checkOpen() || (value && !checkScope(value))) {
    return false;
  }
  if (isNative()) {
    int i = static_cast<int>(native.size()) - 1;
    while (i >= 0 && native[i].kind != NativeFrame::Call) {
      --i;
    }
    if (i < 0 && value) {
      return fail(Code::KernelReturn, "expected a kernel that returns nothing, got " + describe(*value));
    }
    if (i >= 0 && (!isDeadNative || !native[i].returnValue)) {
      // A call within dead code needs some value of the right type too.
      native[i].returnValue = value;
    }
    if (!isDeadNative) {
      if (!flush()) { // the value still counts
        return false;
      }
      isDeadNative = true;
      deadUntil = i;
      deadByContinue = false;
    }
    return true;
  }
  size_t index = scopeIndex();
  Frame &scope = *frames[index];
  if (scope.kind == Frame::Combine) {
    return fail(Code::BadControl, "expected a function around return, got a combine region");
  }
  if (scope.kind == Frame::Kernel && value) {
    return fail(Code::KernelReturn, "expected a kernel that returns nothing, got " + describe(*value));
  }
  if (scope.kind == Frame::Call) {
    if (scope.hasReturned) {
      bool agrees = scope.returnsNone == !value && (!value || canMerge(*value, *scope.firstValue));
      if (!agrees) {
        auto text = [](const Ref &v) { return !v ? "nothing" : v->isLiteral() ? v->dtype.name() : describe(*v); };
        fail(Code::ReturnMismatch, "expected every return of '" + Twine(scope.callee) + "' to give " +
                                       text(scope.firstValue) + ", got " + text(value));
        note("the first return is here", scope.firstReturn);
        return false;
      }
    } else {
      scope.hasReturned = true;
      scope.returnsNone = !value;
      scope.firstReturn = here;
      scope.firstValue = value;
    }
    if (value) {
      set(scope.returnValue, value);
    }
  }
  // A return leaves the loops around it too.
  if (!isInDead(index)) {
    bool isInLoop = false;
    for (size_t i = index + 1; i < frames.size(); ++i) {
      isInLoop |= frames[i]->isLoop();
      frames[i]->mayReturn |= frames[i]->isLoop();
    }
    if (isInLoop) {
      set(scope.returned, tile(boolean(true), i1));
    }
  }
  push(Frame::Dead);
  return true;
}

bool Session::callEnd(Ref &out) {
  if (!checkOpen()) {
    return false;
  }
  auto leave = [&] {
    openCalls.pop_back();
    here = calls.back().at;
    calls.pop_back();
  };
  if (isNative()) {
    if (native.empty() || native.back().kind != NativeFrame::Call) {
      return fail(Code::BadControl, "expected an open call to end, got none");
    }
    out = native.back().returnValue;
    if (isDeadNative && deadUntil == static_cast<int>(native.size()) - 1) {
      isDeadNative = false;
      deadVars.clear();
    }
    native.pop_back();
    leave();
    return true;
  }
  bool found;
  size_t index = explicitTop({Frame::Call}, found);
  if (!found) {
    return fail(Code::BadControl, "expected an open call to end, got none");
  }
  pv_variable *result = frames[index]->returnValue;
  leave(); // the callee's variables are gone: nothing merges them
  End end = closeImplicit(index);
  std::unique_ptr<Frame> call = pop();
  release(call->returned);
  release(result);
  if (!call->hasReturned || call->returnsNone) {
    return true;
  }
  if (end.kind != End::Never) {
    fail(Code::ReturnMissing, "expected '" + Twine(call->callee) + "' to return a value on every path, got one that " +
                                  "reaches its end without");
    note("a value is returned here", call->firstReturn);
    return false;
  }
  std::optional<VarState> state = find(result, frames.size() - 1);
  if (!state || !state->isReadable()) {
    return failRead(result, state);
  }
  out = state->value;
  return true;
}

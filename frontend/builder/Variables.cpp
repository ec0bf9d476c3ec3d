// Variables: where a read finds its value, and what an assignment keeps. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "frontend/builder/Session.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

Frame &Session::push(Frame::Kind kind) {
  bool sharesBlock = kind == Frame::Call;
  auto frame = std::make_unique<Frame>(kind, sharesBlock ? top().serial : nextSerial++, here);
  frame->place = loc();
  if (sharesBlock) {
    frame->block = top().block;
  } else {
    frame->region = std::make_unique<Region>();
    frame->block = &frame->region->emplaceBlock();
    openRegions.insert(frame->serial);
  }
  frames.push_back(std::move(frame));
  resume();
  return top();
}

std::unique_ptr<Frame> Session::pop() {
  std::unique_ptr<Frame> frame = std::move(frames.back());
  frames.pop_back();
  if (frame->kind != Frame::Call) {
    openRegions.erase(frame->serial);
  }
  resume();
  return frame;
}

void Session::resume() {
  if (!frames.empty()) {
    ir.setInsertionPointToEnd(top().block);
  }
}

size_t Session::blockIndex() const {
  size_t i = frames.size() - 1;
  while (frames[i]->kind == Frame::Call) {
    --i;
  }
  return i;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

bool Session::isGone(const pv_variable *var) const {
  return var->isReleased || !llvm::is_contained(openCalls, var->call);
}

/// What a read in frame `i` sees; nothing where the variable was never assigned. Passing a loop makes an argument.
std::optional<VarState> Session::find(pv_variable *var, size_t i) {
  Frame &frame = *frames[i];
  if (auto it = frame.vars.find(var); it != frame.vars.end()) {
    return it->second;
  }
  if (auto it = frame.args.find(var); it != frame.args.end()) {
    return it->second.state;
  }
  std::optional<VarState> outer = i == 0 ? std::nullopt : find(var, i - 1);
  bool hasTiles = false;
  if (outer && outer->isReadable()) {
    forEachTile(outer->value, [&](const Ref &) { hasTiles = true; });
  }
  return frame.carries() && hasTiles ? addLoopArg(frame, var, *outer) : outer;
}

/// Block arguments that stand for the variable in a loop until its end tells where they come from.
VarState &Session::addLoopArg(Frame &frame, pv_variable *var, const VarState &incoming) {
  LoopArg arg;
  arg.incoming = incoming.value;
  arg.incomingAt = incoming.at;
  arg.state = incoming;
  arg.state.value = mapTiles(incoming.value, [&](const Ref &leaf) {
    mlir::Value value = frame.block->addArgument(leaf->ir.getType(), Location(frame.place));
    placeholders[value];
    Ref r = tile(value, leaf->dtype);
    r->region = frame.serial;
    return r;
  });
  return frame.args.insert({var, std::move(arg)}).first->second.state;
}

void Session::replaceArg(BlockArgument arg, const Ref &value) {
  arg.replaceAllUsesWith(value->ir);
  SmallVector<Ref, 2> users = std::move(placeholders[arg]);
  placeholders.erase(arg);
  auto outer = placeholders.find(value->ir);
  for (Ref &user : users) {
    user->ir = value->ir;
    user->region = value->region;
    if (outer != placeholders.end()) {
      outer->second.push_back(user);
    }
  }
}

/// Replaces the arguments of a variable that turned out not to change, and drops them from the block.
void Session::replaceArgs(Frame &frame, const Ref &args, const Ref &values) {
  SmallVector<Ref> from, to;
  forEachTile(args, [&](const Ref &leaf) { from.push_back(leaf); });
  forEachTile(values, [&](const Ref &leaf) { to.push_back(leaf); });
  for (auto [a, v] : llvm::zip(from, to)) {
    auto arg = cast<BlockArgument>(a->ir);
    replaceArg(arg, v);
    frame.block->eraseArgument(arg.getArgNumber());
  }
}

/// The arguments that a loop keeps stand for themselves from now on.
void Session::forgetArgs(Frame &frame) {
  for (mlir::Value arg : frame.block->getArguments()) {
    placeholders.erase(arg);
  }
}

//===----------------------------------------------------------------------===//
// The author's operations
//===----------------------------------------------------------------------===//

pv_variable *Session::declareHidden(StringRef name, pv_variable::Kind kind) {
  auto var = std::make_unique<pv_variable>();
  var->name = name.str();
  var->kind = kind;
  var->call = openCalls.empty() ? 0 : openCalls.back();
  variables.push_back(std::move(var));
  return variables.back().get();
}

pv_variable *Session::declare(StringRef name, int flags) {
  pv_variable *var = declareHidden(name, pv_variable::Plain);
  var->isConstexpr = flags & PV_VAR_CONSTEXPR;
  return var;
}

void Session::release(pv_variable *var) { var->isReleased = true; }

void Session::set(pv_variable *var, VarState state) { frames[blockIndex()]->vars[var] = std::move(state); }

void Session::set(pv_variable *var, const Ref &value) {
  VarState state;
  state.value = value;
  state.at = here;
  set(var, std::move(state));
}

bool Session::assign(pv_variable *var, const Ref &given) {
  if (!checkOpen()) {
    return false;
  }
  if (!given) {
    return fail(Code::ExpectedNumber, "expected a value for '" + Twine(var->name) + "', got nothing");
  }
  Ref value = given;
  if (!var->isConstexpr) {
    value = materialize(given);
  } else if (!checkScope(given)) {
    return false;
  }
  if (!value) {
    return false;
  }
  if (isNative() && isDeadNative) {
    VarState state;
    state.value = value;
    state.at = here;
    deadVars[var] = state;
  } else {
    set(var, value);
  }
  return true;
}

static std::string placeText(const Position &at) {
  return "line " + std::to_string(at.line) + (at.column ? ":" + std::to_string(at.column) : std::string());
}

Failed Session::failRead(const pv_variable *var, const std::optional<VarState> &state) {
  std::string name = "'" + var->name + "'";
  if (!state || state->problem == VarState::Unassigned || (!state->value && state->problem == VarState::None)) {
    return fail(Code::UnassignedVariable, "expected " + name + " to be assigned before it is read, got no value");
  }
  if (state->problem == VarState::Partial) {
    fail(Code::MaybeUnassigned,
         "expected " + name + " to be assigned on every path, got one on " + placeText(state->at) + " only");
    note(name + " is assigned here, on a path that may not be taken", state->at);
    return {};
  }
  fail(Code::ConflictingTypes, "expected one type for " + name + " on every path, got " +
                                   describeWithNumber(*state->value) + " (" + placeText(state->at) + ") and " +
                                   describeWithNumber(*state->otherValue) + " (" + placeText(state->other) + ")");
  note(name + " is " + describeWithNumber(*state->value) + " here", state->at);
  note(name + " is " + describeWithNumber(*state->otherValue) + " here", state->other);
  return {};
}

Ref Session::read(pv_variable *var) {
  if (!checkOpen()) {
    return {};
  }
  if (isNative() && isDeadNative) {
    if (auto it = deadVars.find(var); it != deadVars.end()) {
      return it->second.value;
    }
  }
  std::optional<VarState> state = find(var, frames.size() - 1);
  if (!state || !state->isReadable()) {
    return failRead(var, state);
  }
  return state->value;
}

bool Session::unassign(pv_variable *var) {
  if (!read(var)) {
    return false;
  }
  VarState state;
  state.problem = VarState::Unassigned;
  state.at = here;
  set(var, std::move(state));
  return true;
}

bool Session::isReadable(pv_variable *var) {
  if (frames.empty()) {
    return false;
  }
  if (isNative() && isDeadNative && deadVars.contains(var)) {
    return true;
  }
  std::optional<VarState> state = find(var, frames.size() - 1);
  return state && state->isReadable();
}

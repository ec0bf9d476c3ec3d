// Decoding control flow, calls and barriers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"

namespace pavage::sim {

/// A branch tests its guard itself, since the lanes that do not take it must go on elsewhere.
void FunctionDecoder::decodeBranch() {
  u32 guard = pendingGuard;
  pendingGuard = 0;
  branches.push_back({static_cast<u32>(program.code.size()), op(0).label});
  DInst &i = emit(inst->guard >= 0 ? "branch" : "jump", Class::Control, sinkOffset, guard);
  i.sub = inst->guard >= 0 && inst->guardNegated ? 1 : 0;
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeBranchIndex() {
  u32 a = source(op(0), 32);
  program.tables.emplace_back();
  tables.push_back({&program.tables.back(), op(1).label});
  DInst &i = emit("brx", Class::Control, sinkOffset, a);
  i.extra = &program.tables.back();
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeCall() {
  CallInfo c;
  u32 at = 0;
  auto readList = [&](const Operand &list, std::vector<u32> &where, std::vector<u32> &bytes) {
    for (const Operand &e : list.elements) {
      u32 offset;
      if (e.kind == Operand::Kind::Sink) {
        continue;
      }
      if (e.local < 0 || !localSymbol(e, offset)) {
        wrong(e, "expected a .param variable");
      }
      where.push_back(offset);
      bytes.push_back(static_cast<u32>(f.locals[static_cast<u32>(e.local)].bytes));
    }
  };
  if (at < ops() && op(at).kind == Operand::Kind::List) {
    readList(op(at++), c.retOffsets, c.retBytes);
  }
  if (at >= ops()) {
    fail(603, inst->where, "expected a function to call");
  }
  const Operand &callee = op(at++);
  if (at < ops() && op(at).kind == Operand::Kind::List) {
    readList(op(at++), c.argOffsets, c.argBytes);
  }
  u32 pointer = 0;
  if (callee.kind == Operand::Kind::Register) {
    pointer = source(callee, 64);
  } else if (callee.kind == Operand::Kind::Symbol) {
    auto found = context.functionNumbers.find(callee.name);
    if (found == context.functionNumbers.end()) {
      fail(606, callee.where, "unknown function '" + callee.name + "'");
    }
    const Function &target = context.module.functions[found->second];
    c.callee = static_cast<i32>(found->second);
    if (!target.hasBody) {
      using B = CallInfo::Builtin;
      c.builtin = callee.name == "vprintf"        ? B::Vprintf
                  : callee.name == "__assertfail" ? B::AssertFail
                  : callee.name == "malloc"       ? B::Malloc
                  : callee.name == "free"         ? B::Free
                                                  : B::None;
      if (c.builtin == B::None) {
        fail(606, callee.where, "function '" + callee.name + "' has no body in this file");
      }
    } else if (target.isEntry) {
      wrong(callee, "a kernel cannot be called");
    } else if (c.argBytes.size() != target.params.size()) {
      wrong(callee, "expected " + std::to_string(target.params.size()) + " arguments, got " +
                        std::to_string(c.argBytes.size()));
    }
  } else {
    wrong(callee, "expected a function");
  }
  program.calls.push_back(std::move(c));
  DInst &i = emit("call", Class::Control, sinkOffset, pointer);
  i.extra = &program.calls.back();
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeExit() {
  bool leaves = f.isEntry || inst->opcode == "exit";
  emit(leaves ? "exit" : "ret", Class::Control).flags |= OwnDefined;
}

void FunctionDecoder::decodeTrap() { emit("trap", Class::Control).flags |= OwnDefined; }

void FunctionDecoder::decodeSimple() {
  u32 a = source(op(0), 32);
  DInst &i = emit("nanosleep", Class::Special, sinkOffset, a);
  i.flags |= OwnDefined;
}

/// sub: bits 0-2 sync, arrive, popc, and, or; bit 3: a thread count is given; bit 4: aligned.
void FunctionDecoder::decodeBarrier() {
  if (group(0) == "cluster") {
    DInst &i = emit(group(1) == "arrive" ? "cluster.arrive" : "cluster.wait", Class::Barrier);
    i.flags |= OwnDefined;
    return;
  }
  if (group(0) == "warp") {
    u32 a = source(op(0), 32);
    emit("warpsync", Class::Warp, sinkOffset, a).flags |= OwnDefined;
    return;
  }
  bool isReduction = group(1) == "red";
  u32 mode = 0;
  if (isReduction) {
    mode = group(2) == "popc" ? 2 : group(2) == "and" ? 3 : 4;
  } else {
    mode = group(1) == "arrive" ? 1 : 0;
  }
  u32 alignedGroup = isReduction ? 4 : 2;
  bool aligned = inst->opcode == "bar" || has(alignedGroup);
  u32 first = isReduction ? 1 : 0;
  size_t values = ops() - first - (isReduction ? 1 : 0);
  if (values > 2 || values == 0) {
    fail(603, inst->where, "expected a barrier number and at most a thread count");
  }
  u32 d = sinkOffset, c = 0;
  if (isReduction) {
    d = mode == 2 ? target(op(0), 32) : predicateTarget(op(0));
    c = predicate(op(static_cast<u32>(ops() - 1)));
  }
  u32 a = source(op(first), 32), b = values > 1 ? source(op(first + 1), 32) : 0;
  if (mode == 1 && values < 2) {
    fail(603, inst->where, "an arrive needs a thread count");
  }
  DInst &i = emit("barrier", Class::Barrier, d, a, b, c);
  i.sub = static_cast<u16>(mode | (values > 1 ? 8 : 0) | (aligned ? 16 : 0));
  i.flags |= OwnDefined;
}

} // namespace pavage::sim

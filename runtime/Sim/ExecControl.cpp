// Branches, calls, exits and small oddments. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Ast.h"
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/DecoderState.h"
#include "runtime/Sim/LaunchState.h"

#include <cstring>

namespace pavage::sim {

namespace {

u32 &maskAt(Warp &w, u32 offset) { return *reinterpret_cast<u32 *>(w.r + offset); }
template <class T> T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }

void nothing(Warp &, const DInst &, u32) {}
/// Carries only defined masks; the handler before has written the value.
void defined(Warp &, const DInst &, u32) {}

void jump(Warp &w, const DInst &i, u32) {
  w.pc = static_cast<u32>(i.imm); // backwards, no split is passed that `limit` does not know
}

void branch(Warp &w, const DInst &i, u32) {
  u32 taken = maskAt(w, i.a);
  if ((w.checks & bit(Kind::Uninit)) && (w.def[i.a / granuleBytes] & w.active) != w.active) {
    reportUndefined(w, i, "a branch condition");
    w.def[i.a / granuleBytes] |= w.active;
  }
  taken = (i.sub ? ~taken : taken) & w.active;
  if (!taken) {
    return;
  }
  u32 target = static_cast<u32>(i.imm);
  if (taken == w.active) {
    w.pc = target;
    return;
  }
  ++w.counts[pcOf(w, i)].divergent;
  Split s;
  s.pc = target;
  s.mask = taken;
  s.frame = w.frame;
  w.splits.push_back(s);
  w.active &= ~taken;
  interrupt(w);
}

void branchIndex(Warp &w, const DInst &i, u32 exec) {
  const std::vector<u32> &table = *static_cast<const std::vector<u32> *>(i.extra);
  const u32 *index = reg<u32>(w, i.a);
  u32 rest = exec, pieces = 0;
  while (rest) {
    u32 l = static_cast<u32>(__builtin_ctz(rest)), value = index[l], lanes = 0;
    for (u32 k = l; k < 32; ++k) {
      lanes |= static_cast<u32>(index[k] == value) << k;
    }
    lanes &= rest;
    rest &= ~lanes;
    if (value >= table.size()) {
      report(w, i, Kind::Trap,
             "branch index " + std::to_string(value) + " is beyond the table of " + std::to_string(table.size()));
      exitLanes(w, lanes);
      continue;
    }
    Split s;
    s.pc = table[value];
    s.mask = lanes;
    s.frame = w.frame;
    w.splits.push_back(s);
    w.active &= ~lanes;
    ++pieces;
  }
  w.counts[pcOf(w, i)].divergent += pieces > 1 || w.active ? 1 : 0;
  interrupt(w);
}

void exitThread(Warp &w, const DInst &, u32 exec) { exitLanes(w, exec); }

void trap(Warp &w, const DInst &i, u32) {
  report(w, i, Kind::Trap, "the kernel executed trap");
  w.cta->isStopped = true;
  w.cta->launch->stop = true;
  interrupt(w);
}

void copyLocal(Warp &w, u32 lanes, u32 from, u32 to, u32 bytes) {
  for (u32 l = 0; l < 32; ++l) {
    if ((lanes >> l) & 1) {
      size_t base = size_t(l) * w.localStride;
      std::memmove(w.local + base + to, w.local + base + from, bytes);
      std::memmove(w.localDefinedBytes + base + to, w.localDefinedBytes + base + from, bytes);
    }
  }
}

constexpr u32 maxDepth = 512;

bool isSameCall(const Frame &a, const Frame &b) {
  return a.depth == b.depth && a.parent == b.parent && a.function == b.function && a.returnPc == b.returnPc &&
         a.local == b.local && a.call == b.call;
}

/// Where the registers of a call lie, from `at` on: where they do for other lanes that make it. Lanes that are apart
/// may be in different functions, whose registers lie differently: only frames of one function may overlap, and then
/// exactly.
u32 registersOf(const Warp &w, const Frame &f, u32 at) {
  const Program &program = *w.cta->launch->program;
  for (const Frame &o : w.frames) {
    if (o.isUsed && isSameCall(o, f)) {
      return o.registers;
    }
  }
  u32 function = f.function, bytes = program.functions[function].frameBytes;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Frame &o : w.frames) {
      u32 end = o.registers + program.functions[o.function].frameBytes;
      bool isSame = o.function == function && o.registers == at;
      if (o.isUsed && !isSame && o.registers < at + bytes && at < end) {
        at = end;
        moved = true;
      }
    }
  }
  return at;
}

void enter(Warp &w, const DInst &i, const CallInfo &call, u32 callee, u32 lanes) {
  const Program &program = *w.cta->launch->program;
  const Code &code = program.functions[callee];
  const Frame caller = w.frames[w.frame];
  const Code &callerCode = program.functions[caller.function];
  if (caller.depth + 1 >= maxDepth) {
    report(w, i, Kind::Oob, "stack overflow: calls are nested deeper than " + std::to_string(maxDepth));
    exitLanes(w, lanes);
    return;
  }
  if (call.argBytes.size() != code.paramBytes.size()) {
    report(w, i, Kind::Trap,
           "function '" + code.name + "' takes " + std::to_string(code.paramBytes.size()) +
               " arguments, the call passes " + std::to_string(call.argBytes.size()));
    exitLanes(w, lanes);
    return;
  }
  Frame f;
  f.parent = w.frame;
  f.function = callee;
  f.returnPc = pcOf(w, i) + 1;
  f.local = caller.local + callerCode.localBytes;
  f.depth = caller.depth + 1;
  f.call = &call;
  f.registers = registersOf(w, f, caller.registers + callerCode.frameBytes);
  ensureMemory(w, f.registers + code.frameBytes, f.local + code.localBytes);
  initialiseFrame(w, code, f.registers, lanes);
  for (u32 l = 0; l < 32; ++l) {
    if ((lanes >> l) & 1) {
      std::memset(w.localDefinedBytes + size_t(l) * w.localStride + f.local, 0, code.localBytes);
    }
  }
  for (size_t k = 0; k < call.argBytes.size(); ++k) {
    copyLocal(w, lanes, caller.local + call.argOffsets[k], f.local + code.paramOffsets[k],
              std::min(call.argBytes[k], code.paramBytes[k]));
  }
  Split s;
  s.pc = code.entry;
  s.mask = lanes;
  s.frame = newFrame(w, f);
  w.splits.push_back(s);
  w.active &= ~lanes;
  interrupt(w);
}

void call(Warp &w, const DInst &i, u32 exec) {
  const CallInfo &c = *static_cast<const CallInfo *>(i.extra);
  const Program &program = *w.cta->launch->program;
  if (c.builtin != CallInfo::Builtin::None) {
    callBuiltin(w, i, c, exec);
    return;
  }
  if (c.callee >= 0) {
    enter(w, i, c, static_cast<u32>(c.callee), exec);
    return;
  }
  const u64 *target = reg<u64>(w, i.a);
  for (u32 rest = exec; rest;) {
    u32 l = static_cast<u32>(__builtin_ctz(rest)), lanes = 0;
    for (u32 k = l; k < 32; ++k) {
      lanes |= static_cast<u32>(target[k] == target[l]) << k;
    }
    lanes &= rest;
    rest &= ~lanes;
    u64 number = (target[l] - functionBase) / 16;
    if (target[l] < functionBase || number >= program.functions.size() || program.functions[number].end == 0) {
      report(w, i, Kind::Oob, "call of an address that is no function");
      exitLanes(w, lanes);
      continue;
    }
    enter(w, i, c, static_cast<u32>(number), lanes);
  }
}

void returnLanes(Warp &w, const DInst &i, u32 exec) {
  const Frame f = w.frames[w.frame];
  if (f.depth == 0) {
    exitLanes(w, exec);
    return;
  }
  const Program &program = *w.cta->launch->program;
  const Code &code = program.functions[f.function];
  const Frame &parent = w.frames[f.parent];
  for (size_t k = 0; k < f.call->retBytes.size() && k < code.resultBytes.size(); ++k) {
    copyLocal(w, exec, f.local + code.resultOffsets[k], parent.local + f.call->retOffsets[k],
              std::min(f.call->retBytes[k], code.resultBytes[k]));
  }
  u32 mine = w.frame;
  Split s;
  s.pc = f.returnPc;
  s.mask = exec;
  s.frame = f.parent;
  w.splits.push_back(s);
  w.active &= ~exec;
  bool used = w.active != 0;
  for (const Split &o : w.splits) {
    used |= o.frame == mine;
  }
  for (const Frame &o : w.frames) {
    used |= o.isUsed && o.depth == f.depth + 1 && o.parent == mine;
  }
  if (!used) {
    w.frames[mine].isUsed = false;
    w.freeFrames.push_back(mine);
  }
  (void)i;
  interrupt(w);
}

template <class T> void localAddress(Warp &w, const DInst &i, u32 exec) {
  T *d = reg<T>(w, i.d);
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      d[l] = static_cast<T>(w.localFrame + i.imm);
    }
  }
}

/// A virtual clock: warp instructions of the CTA, and a nanosecond per instruction.
template <class T> void clockValue(Warp &w, const DInst &i, u32 exec) {
  u64 ticks = w.cta->ticks * 4 + w.issued[pcOf(w, i)];
  w.cta->ticks += 1;
  bool high = i.sub == static_cast<u16>(Special::ClockHi) || i.sub == static_cast<u16>(Special::GlobaltimerHi);
  T *d = reg<T>(w, i.d);
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      d[l] = static_cast<T>(high ? ticks >> 32 : ticks);
    }
  }
}

void isSpace(Warp &w, const DInst &i, u32 exec) {
  const u64 *a = reg<u64>(w, i.a);
  u32 bits = 0;
  for (u32 l = 0; l < 32; ++l) {
    bool is = false;
    switch (static_cast<Space>(i.sub)) {
    case Space::Shared:
      is = a[l] - sharedWindow < windowSize;
      break;
    case Space::Local:
      is = a[l] - localWindow < windowSize;
      break;
    case Space::Param:
      is = a[l] - paramWindow < windowSize;
      break;
    default:
      is = a[l] >= deviceBase;
      break;
    }
    bits |= static_cast<u32>(is) << l;
  }
  u32 &d = maskAt(w, i.d);
  d = (d & ~exec) | (bits & exec);
}

void nanosleep(Warp &w, const DInst &, u32) {
  w.yield = true;
  interrupt(w);
}

struct Wide {
  u64 low, high;
};
void moveWide(Warp &w, const DInst &i, u32 exec) {
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      reg<Wide>(w, i.d)[l] = reg<Wide>(w, i.a)[l];
    }
  }
}
void packWide(Warp &w, const DInst &i, u32 exec) {
  const u32 *parts = static_cast<const u32 *>(i.extra);
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      reg<Wide>(w, i.d)[l] = {reg<u64>(w, parts[0])[l], reg<u64>(w, parts[1])[l]};
    }
  }
}
void unpackWide(Warp &w, const DInst &i, u32 exec) {
  const u32 *parts = static_cast<const u32 *>(i.extra);
  for (u32 l = 0; l < 32; ++l) {
    if ((exec >> l) & 1) {
      Wide v = reg<Wide>(w, i.a)[l];
      reg<u64>(w, parts[0])[l] = v.low;
      reg<u64>(w, parts[1])[l] = v.high;
    }
  }
}

const HandlerRow rows[] = {
    {"nothing", &nothing},
    {"defined", &defined},
    {"jump", &jump},
    {"branch", &branch},
    {"brx", &branchIndex},
    {"call", &call},
    {"ret", &returnLanes},
    {"exit", &exitThread},
    {"trap", &trap},
    {"localaddr.32", &localAddress<u32>},
    {"localaddr.64", &localAddress<u64>},
    {"clock.32", &clockValue<u32>},
    {"clock.64", &clockValue<u64>},
    {"isspacep", &isSpace},
    {"nanosleep", &nanosleep},
    {"mov.b128", &moveWide},
    {"pack.64.128", &packWide},
    {"unpack.64.128", &unpackWide},
};

} // namespace

Table controlTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim

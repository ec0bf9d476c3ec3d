// The loop over instructions, and the splits of a warp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the splits that can run, the one in the deepest call and, there, at the lowest instruction goes first, and splits
// that stand at the same instruction in the same frame merge. For code laid out in topological order this reconverges
// at the immediate post-dominator or before. `limit` is the instruction at which the running split would pass another.
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaunchState.h"
#include "runtime/Sim/Trace.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

constexpr u64 warpSlice = 4000;

inline u32 predicateMask(const Warp &w, u32 offset) {
  u32 m;
  std::memcpy(&m, w.r + offset, 4);
  return m;
}

/// Runs the current split until `limit`, an interrupt or the end of the slice; returns instructions run.
template <bool IsTracked> u64 runSplit(Warp &w, u64 slice) {
  const DInst *code = w.code;
  u64 *issued = w.issued;
  u64 left = slice;
  do {
    u32 pc = w.pc;
    const DInst &i = code[pc];
    u32 exec = w.active;
    ++issued[pc];
    w.pc = pc + 1;
    if (i.flags & Guarded) {
      u32 guard = predicateMask(w, i.guard);
      if constexpr (IsTracked) {
        if ((w.def[i.guard / granuleBytes] & exec) != exec) {
          reportUndefined(w, i, "a guard");
          w.def[i.guard / granuleBytes] |= exec;
        }
      }
      exec &= i.flags & GuardNegated ? ~guard : guard;
      if (!exec) {
        continue;
      }
    }
    if constexpr (!IsTracked) {
      i.fn(w, i, exec);
    } else {
      u32 clean = 0;
      if (i.flags & w.traced) {
        if (i.flags & w.traced & TracksWrap) {
          followWrap(w, i, exec);
        }
        clean = i.flags & w.traced & TracksNan ? lanesWithoutNan(w, i, exec) : 0;
      }
      i.fn(w, i, exec);
      if (clean) {
        reportBirth(w, i, clean);
      }
      if (!(i.flags & OwnDefined)) {
        u32 valid = w.def[i.a / granuleBytes] & w.def[i.b / granuleBytes] & w.def[i.c / granuleBytes];
        u32 &d = w.def[i.d / granuleBytes];
        d = (d & ~exec) | (valid & exec);
        u32 &d2 = w.def[i.d2 / granuleBytes];
        d2 = (d2 & ~exec) | (valid & exec);
      }
    }
  } while (w.pc < w.limit && --left);
  return slice - left;
}

bool canRun(const Split &s) { return s.wait == Wait::None; }

/// Ends waits that have been met.
void wakeSplits(Warp &w) {
  for (Split &s : w.splits) {
    if (s.wait == Wait::Sync) {
      u32 needed = s.waitMask & w.live();
      if ((s.mask & needed) == needed) {
        s.wait = Wait::None;
      }
    } else if (s.wait == Wait::Mbarrier && mbarrierReady(w, s.waitArg, s.waitParity, true, 0)) {
      s.wait = Wait::None;
    }
  }
}

/// Puts splits together that stand at one place; those that can run only if they are to stay together.
void mergeSplits(Warp &w, bool onlyWaiting) {
  for (size_t a = 0; a < w.splits.size(); ++a) {
    for (size_t b = a + 1; b < w.splits.size();) {
      Split &x = w.splits[a], &y = w.splits[b];
      bool same = !(onlyWaiting && canRun(x)) && x.pc == y.pc && x.frame == y.frame && x.wait == y.wait &&
                  x.waitMask == y.waitMask && x.waitArg == y.waitArg && x.waitParity == y.waitParity;
      if (same) {
        x.mask |= y.mask;
        w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(b));
      } else {
        ++b;
      }
    }
  }
}

/// Tears a split that can run into two, at random.
void tear(Warp &w) {
  std::mt19937_64 &random = w.cta->worker->random;
  size_t k = random() % std::max<size_t>(w.splits.size(), 1);
  if (k < w.splits.size() && canRun(w.splits[k]) && random() % 2 == 0) {
    u32 part = w.splits[k].mask & static_cast<u32>(random());
    if (part && part != w.splits[k].mask) {
      Split s = w.splits[k];
      w.splits[k].mask &= ~part;
      s.mask = part;
      w.splits.push_back(s);
    }
  }
}

u32 depthOf(const Warp &w, const Split &s) { return w.frames[s.frame].depth; }

/// All live lanes wait at barriers: the warp arrives if these are one.
bool tryArrive(Warp &w) {
  u32 covered = 0, number = ~0u, arg = 0;
  for (const Split &s : w.splits) {
    if (s.wait != Wait::Barrier || s.waitParity || (number != ~0u && (s.waitMask != number || s.waitArg != arg))) {
      return false;
    }
    number = s.waitMask;
    arg = s.waitArg;
    covered |= s.mask;
  }
  if (!covered || (covered & w.live()) != w.live()) {
    return false;
  }
  if (w.splits.size() > 1) {
    const DInst &i = w.code[w.splits[0].pc];
    const Source &other = w.cta->launch->program->sources[w.splits[1].pc];
    if (i.sub & 16) {
      report(w, i, Kind::Barrier,
             "the lanes of a warp wait at different barrier instructions (the other is in line " +
                 std::to_string(other.ptxLine) + ")");
    }
  }
  // From here on the warp waits as a whole; the barrier wakes the splits.
  std::vector<Split> waiting = w.splits;
  for (Split &s : w.splits) {
    s.waitParity = 1; // arrived
  }
  for (const Split &s : waiting) {
    useFrame(w, s.frame);
    arriveAtBarrier(w, w.code[s.pc], s.mask);
  }
  return true;
}

/// Picks the split to run next; false when none can.
bool pickSplit(Warp &w, bool rotate) {
  if (w.active) {
    Split s;
    s.pc = w.pc;
    s.mask = w.active;
    s.frame = w.frame;
    w.splits.push_back(s);
    w.active = 0;
  }
  bool independent = w.cta->launch->options.schedule == Schedule::Independent;
  wakeSplits(w);
  mergeSplits(w, independent);
  wakeSplits(w);
  if (independent) {
    tear(w);
  }
  size_t best = w.splits.size(), runnable = 0;
  for (size_t k = 0; k < w.splits.size(); ++k) {
    const Split &s = w.splits[k];
    if (!canRun(s)) {
      continue;
    }
    ++runnable;
    if (best == w.splits.size()) {
      best = k;
      continue;
    }
    const Split &b = w.splits[best];
    u32 sd = depthOf(w, s), bd = depthOf(w, b);
    if (sd > bd || (sd == bd && s.pc < b.pc)) {
      best = k;
    }
  }
  if (runnable == 0) {
    w.isBlocked = true;
    return false;
  }
  bool random = w.cta->launch->options.seed != 0;
  if (independent) {
    size_t skip = w.cta->worker->random() % runnable;
    for (best = 0; !canRun(w.splits[best]) || skip-- > 0; ++best) {
    }
  } else if (runnable > 1 && (rotate || (random && w.cta->worker->random() % 16 == 0))) {
    // Forward progress for the others: a spin loop must not starve them.
    u64 skip = random ? w.cta->worker->random() % runnable : 1;
    for (size_t k = (best + 1) % w.splits.size(), seen = 0; seen < w.splits.size();
         ++seen, k = (k + 1) % w.splits.size()) {
      if (canRun(w.splits[k]) && skip-- <= 1) {
        best = k;
        break;
      }
    }
  }
  Split s = w.splits[best];
  w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(best));
  w.pc = s.pc;
  w.active = s.mask;
  w.frame = s.frame;
  useFrame(w, s.frame);
  w.limit = ~0u;
  for (const Split &o : w.splits) {
    if (!independent && canRun(o) && o.frame == s.frame && o.pc > s.pc) {
      w.limit = std::min(w.limit, o.pc);
    }
  }
  w.isBlocked = false;
  return true;
}

/// Runs one warp for a while; returns instructions run.
u64 runWarp(Warp &w, u64 slice) {
  u64 total = 0;
  bool rotate = false;
  w.yield = false;
  bool track = w.checks & (bit(Kind::Uninit) | bit(Kind::Wrap) | bit(Kind::Nan));
  while (total < slice && !w.cta->isStopped) {
    if (!w.active || w.pc >= w.limit || rotate) {
      if (w.dead == ~0u) {
        break;
      }
      if (!pickSplit(w, rotate)) {
        if (w.dead != ~0u && tryArrive(w) && !w.isBlocked) {
          continue;
        }
        break;
      }
      rotate = false;
    }
    u64 want = w.splits.empty() ? slice - total : std::min<u64>(slice - total, 500);
    bool independent = w.cta->launch->options.schedule == Schedule::Independent;
    if (independent) {
      want = std::min<u64>(slice - total, 1 + w.cta->worker->random() % 8);
    }
    u64 ran = track ? runSplit<true>(w, want) : runSplit<false>(w, want);
    total += ran;
    if (w.yield) {
      break;
    }
    rotate = ran >= want && (independent || !w.splits.empty());
  }
  if (w.yield || total >= slice) {
    w.limit = 0; // look at the splits again
  }
  return total;
}

std::string placeOf(const Launch &launch, u32 pc) {
  const Source &s = launch.program->sources[pc];
  return "'" + *s.text + "' in line " + std::to_string(s.ptxLine);
}

/// Nothing in the CTA can run: says who waits for what.
void reportDeadlock(Cta &cta) {
  std::string text = "no warp can go on:";
  const DInst *at = nullptr;
  Warp *where = nullptr;
  for (auto &warp : cta.warps) {
    if (warp->dead == ~0u) {
      continue;
    }
    for (const Split &s : warp->splits) {
      const DInst &i = cta.launch->program->code[s.pc];
      if (!at) {
        at = &i;
        where = warp.get();
      }
      text += " warp " + std::to_string(warp->index) + " (" + std::to_string(__builtin_popcount(s.mask)) +
              " lanes) waits at " + placeOf(*cta.launch, s.pc);
      if (s.wait == Wait::Barrier) {
        Barrier &b = cta.barriers[s.waitMask & 15];
        u32 expected = b.expectedWarps ? b.expectedWarps : cta.liveWarps;
        text += " for barrier " + std::to_string(s.waitMask) + " (" + std::to_string(b.arrivedWarps) + " of " +
                std::to_string(expected) + " warps have arrived)";
      } else if (s.wait == Wait::Sync) {
        char mask[16];
        std::snprintf(mask, sizeof mask, "0x%08x", s.waitMask & warp->live() & ~s.mask);
        text += std::string(" for lanes ") + mask;
      } else if (s.wait == Wait::Mbarrier) {
        auto m = cta.mbarriers.find(s.waitArg);
        text += " for the mbarrier at shared address " + std::to_string(s.waitArg) + " parity " +
                std::to_string(s.waitParity & 1);
        if (m != cta.mbarriers.end()) {
          text += " (" + std::to_string(m->second.pending) + " of " + std::to_string(m->second.expected) +
                  " arrivals missing, " + std::to_string(m->second.tx) + " bytes missing)";
        }
      }
      text += ";";
      if (text.size() > 2000) {
        text += " ...";
        break;
      }
    }
    if (text.size() > 2000) {
      break;
    }
  }
  if (at) {
    report(*where, *at, Kind::Deadlock, text);
  }
  cta.isStopped = true;
}

} // namespace

void useFrame(Warp &w, u32 frame) {
  const Frame &f = w.frames[frame];
  w.frame = frame;
  // Granules are aligned inside the vector's storage.
  w.r = reinterpret_cast<u8 *>((reinterpret_cast<uintptr_t>(w.registerMemory.data()) + 63) & ~uintptr_t(63)) +
        f.registers;
  w.def = w.definedMemory.data() + f.registers / granuleBytes;
  w.wrap = w.wrapMemory.data() + f.registers / granuleBytes;
  w.localFrame = f.local;
}

void sleep(Warp &w, const DInst &i, u32 lanes, Wait wait, u32 waitMask, u32 waitArg, u32 parity) {
  Split s;
  s.pc = pcOf(w, i);
  s.mask = lanes;
  s.frame = w.frame;
  s.wait = wait;
  s.waitMask = waitMask;
  s.waitArg = waitArg;
  s.waitParity = parity;
  w.splits.push_back(s);
  w.active &= ~lanes;
  interrupt(w);
}

void exitLanes(Warp &w, u32 lanes) {
  w.dead |= lanes;
  w.active &= ~lanes;
  interrupt(w);
  if (w.dead == ~0u) {
    completeCopies(w, ~0u, true, ~u64(0), 0, 0);
    Cta &cta = *w.cta;
    --cta.liveWarps;
    for (Barrier &b : cta.barriers) {
      completeBarrierIfReady(cta, b);
    }
    completeBarrierIfReady(cta, cta.cluster);
  }
}

CtaState runCta(Cta &cta, u64 budget) {
  Launch &launch = *cta.launch;
  u64 total = 0;
  u32 idle = 0, count = static_cast<u32>(cta.warps.size());
  while (cta.liveWarps > 0 && !cta.isStopped && !launch.stop.load(std::memory_order_relaxed)) {
    u32 pick = cta.nextWarp;
    u64 slice = warpSlice;
    if (launch.options.seed != 0) {
      pick = static_cast<u32>(cta.worker->random() % count);
      slice = 1 + cta.worker->random() % 400;
    }
    cta.nextWarp = (pick + 1) % count;
    Warp &w = *cta.warps[pick];
    if (w.dead == ~0u) {
      continue;
    }
    u64 ran = runWarp(w, slice);
    cta.ticks += ran;
    total += ran;
    idle = ran ? 0 : idle + 1;
    if (idle > 2 * count + (launch.options.seed ? 32 * count : 0)) {
      bool anyRunnable = false;
      for (auto &other : cta.warps) {
        anyRunnable |= other->dead != ~0u && (runWarp(*other, 1) > 0);
      }
      if (!anyRunnable && cta.liveWarps > 0 && !cta.isStopped) {
        reportDeadlock(cta);
      }
      idle = 0;
    }
    if (total >= budget) {
      break;
    }
  }
  u64 executed = launch.executed.fetch_add(total, std::memory_order_relaxed) + total;
  if (executed > launch.options.maxInstructions && !launch.stop.exchange(true)) {
    for (auto &w : cta.warps) {
      if (w->dead != ~0u) {
        u32 pc = w->active ? w->pc : w->splits.empty() ? 0 : w->splits[0].pc;
        report(*w, launch.program->code[pc], Kind::Budget,
               "more than " + std::to_string(launch.options.maxInstructions) +
                   " warp instructions: the kernel does not end, or --max-instructions is too small");
        break;
      }
    }
  }
  return cta.liveWarps == 0 || cta.isStopped || launch.stop.load() ? CtaState::Done : CtaState::Running;
}

} // namespace pavage::sim

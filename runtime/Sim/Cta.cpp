// Starting a CTA: threads, registers, shared memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Ast.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

/// The value of a special register in one lane.
u64 specialValue(const Warp &w, Special s, u32 lane) {
  const Cta &cta = *w.cta;
  const Launch &launch = *cta.launch;
  u32 thread = w.index * 32 + lane;
  const u32 *n = launch.block;
  switch (s) {
  case Special::TidX:
    return thread % n[0];
  case Special::TidY:
    return thread / n[0] % n[1];
  case Special::TidZ:
    return thread / n[0] / n[1];
  case Special::NtidX:
    return n[0];
  case Special::NtidY:
    return n[1];
  case Special::NtidZ:
    return n[2];
  case Special::CtaidX:
  case Special::ClusteridX:
    return cta.id[0];
  case Special::CtaidY:
  case Special::ClusteridY:
    return cta.id[1];
  case Special::CtaidZ:
  case Special::ClusteridZ:
    return cta.id[2];
  case Special::NctaidX:
  case Special::NclusteridX:
    return launch.grid[0];
  case Special::NctaidY:
  case Special::NclusteridY:
    return launch.grid[1];
  case Special::NctaidZ:
  case Special::NclusteridZ:
    return launch.grid[2];
  case Special::ClusterNctaidX:
  case Special::ClusterNctaidY:
  case Special::ClusterNctaidZ:
  case Special::ClusterNctarank:
    return 1;
  case Special::Laneid:
    return lane;
  case Special::Warpid:
    return w.index;
  case Special::Nwarpid:
    return cta.warps.size();
  case Special::Smid:
    return cta.linear % 4;
  case Special::Nsmid:
    return 4;
  case Special::LanemaskEq:
    return 1u << lane;
  case Special::LanemaskLe:
    return (2u << lane) - 1;
  case Special::LanemaskLt:
    return (1u << lane) - 1;
  case Special::LanemaskGe:
    return ~((1u << lane) - 1);
  case Special::LanemaskGt:
    return ~((2u << lane) - 1);
  case Special::DynamicSmemSize:
    return launch.dynamicShared;
  case Special::TotalSmemSize:
  case Special::AggrSmemSize:
    return launch.sharedBytes;
  case Special::ReservedSmemBegin:
  case Special::ReservedSmem0:
    return launch.sharedBytes - 1024;
  case Special::ReservedSmem1:
    return launch.sharedBytes - 512;
  case Special::ReservedSmemEnd:
  case Special::ReservedSmemCap:
    return launch.sharedBytes;
  case Special::Envreg1:
    return launch.gridSync >> 32;
  case Special::Envreg2:
    return launch.gridSync & 0xffffffff;
  default:
    return 0;
  }
}

bool dependsOnCta(Special s) {
  switch (s) {
  case Special::CtaidX:
  case Special::CtaidY:
  case Special::CtaidZ:
  case Special::ClusteridX:
  case Special::ClusteridY:
  case Special::ClusteridZ:
  case Special::Smid:
    return true;
  default:
    return false;
  }
}

u8 *alignedRegisters(Warp &w) {
  return reinterpret_cast<u8 *>((reinterpret_cast<uintptr_t>(w.registerMemory.data()) + 63) & ~uintptr_t(63));
}

template <class T> void broadcast(u8 *to, u64 value, u32 lanes) {
  T v = static_cast<T>(value);
  T *t = reinterpret_cast<T *>(to);
  for (u32 l = 0; l < 32; ++l) {
    if ((lanes >> l) & 1) {
      t[l] = v;
    }
  }
}

} // namespace

void ensureMemory(Warp &w, size_t registerBytes, size_t localBytes) {
  if (w.registerMemory.size() < registerBytes + 64) {
    // The storage may move to another alignment: copy from aligned to aligned.
    std::vector<u8> bigger(registerBytes * 2 + 64);
    u8 *to = reinterpret_cast<u8 *>((reinterpret_cast<uintptr_t>(bigger.data()) + 63) & ~uintptr_t(63));
    if (!w.registerMemory.empty()) {
      std::memcpy(to, alignedRegisters(w), w.registerMemory.size() - 64);
    }
    w.registerMemory = std::move(bigger);
    w.definedMemory.resize(w.registerMemory.size() / granuleBytes);
    w.wrapMemory.resize(w.definedMemory.size());
  }
  if (w.localStride < localBytes) {
    u32 stride = static_cast<u32>((localBytes * 2 + 63) & ~size_t(63));
    std::vector<u8> bytes(size_t(stride) * 32), defined(size_t(stride) * 32);
    for (u32 l = 0; l < 32 && w.localStride; ++l) {
      std::memcpy(bytes.data() + size_t(l) * stride, w.localMemory.data() + size_t(l) * w.localStride, w.localStride);
      std::memcpy(defined.data() + size_t(l) * stride, w.localDefined.data() + size_t(l) * w.localStride,
                  w.localStride);
    }
    w.localMemory = std::move(bytes);
    w.localDefined = std::move(defined);
    w.localStride = stride;
    w.local = w.localMemory.data();
    w.localDefinedBytes = w.localDefined.data();
  }
}

/// The kernel's frame for another CTA: constants and what depends on the thread alone are still there.
void restartFrame(Warp &w, const Code &code) {
  std::copy(w.startDefined.begin(), w.startDefined.end(), w.definedMemory.begin());
  for (const Code::SpecialUse &s : code.specials) {
    Special special = static_cast<Special>(s.special);
    if (dependsOnCta(special)) {
      broadcast<u32>(alignedRegisters(w) + s.offset, specialValue(w, special, 0), ~0u);
    }
  }
}

void initialiseFrame(Warp &w, const Code &code, u32 registers, u32 lanes) {
  u8 *base = alignedRegisters(w) + registers;
  u32 *def = w.definedMemory.data() + registers / granuleBytes;
  u32 granules = code.frameBytes / granuleBytes;
  for (u32 g = 0; g < granules; ++g) {
    def[g] &= ~lanes;
  }
  u32 *always = reinterpret_cast<u32 *>(base + trueOffset);
  *always |= lanes;
  def[0] |= lanes;
  auto define = [&](u32 offset) { def[offset / granuleBytes] |= lanes; };
  for (const Code::Constant &c : code.constants) {
    define(c.offset);
    u8 *to = base + c.offset;
    switch (c.bytes) {
    case 0: {
      u32 *m = reinterpret_cast<u32 *>(to);
      *m = (*m & ~lanes) | (c.value ? lanes : 0);
      break;
    }
    case 2:
      broadcast<u16>(to, c.value, lanes);
      break;
    case 4:
      broadcast<u32>(to, c.value, lanes);
      break;
    default:
      broadcast<u64>(to, c.value, lanes);
      break;
    }
  }
  for (const Code::SpecialUse &s : code.specials) {
    define(s.offset);
    for (u32 l = 0; l < 32; ++l) {
      if (!((lanes >> l) & 1)) {
        continue;
      }
      u64 value = specialValue(w, static_cast<Special>(s.special), l);
      if (static_cast<Special>(s.special) == Special::Gridid) {
        reinterpret_cast<u64 *>(base + s.offset)[l] = value;
      } else {
        reinterpret_cast<u32 *>(base + s.offset)[l] = static_cast<u32>(value);
      }
    }
  }
}

u32 newFrame(Warp &w, const Frame &f) {
  // Lanes that make the same call at different times share a frame, so that they can meet inside the callee.
  for (u32 k = 0; k < w.frames.size(); ++k) {
    const Frame &o = w.frames[k];
    if (o.isUsed && o.depth == f.depth && o.parent == f.parent && o.function == f.function &&
        o.returnPc == f.returnPc && o.registers == f.registers && o.local == f.local && o.call == f.call) {
      return k;
    }
  }
  if (!w.freeFrames.empty()) {
    u32 k = w.freeFrames.back();
    w.freeFrames.pop_back();
    w.frames[k] = f;
    w.frames[k].isUsed = true;
    return k;
  }
  w.frames.push_back(f);
  w.frames.back().isUsed = true;
  return static_cast<u32>(w.frames.size() - 1);
}

void startCta(Cta &cta, Worker &worker, u32 linear) {
  Launch &launch = *worker.launch;
  const Program &program = *launch.program;
  const Code &code = program.functions[launch.kernel->code];
  cta.worker = &worker;
  cta.launch = &launch;
  cta.linear = linear;
  cta.id[0] = linear % launch.grid[0];
  cta.id[1] = linear / launch.grid[0] % launch.grid[1];
  cta.id[2] = linear / launch.grid[0] / launch.grid[1];
  u32 count = (launch.threads + 31) / 32;
  cta.warps.resize(count);
  cta.liveWarps = count;
  cta.nextWarp = 0;
  cta.inFlight = 0;
  cta.ticks = 0;
  cta.isStopped = false;
  for (Barrier &b : cta.barriers) {
    b = Barrier();
  }
  cta.cluster = Barrier();
  cta.mbarriers.clear();
  cta.hasMbarriers = false;
  cta.epoch = 1;
  cta.ctaClock.clear();
  cta.observed.clear();
  cta.stamp = launch.raceBase + linear + 1;
  cta.stampEpoch = 1;
  cta.fenced = 0;

  cta.atomicRuns.assign(launch.atomicSlots.size() * count * 32, 0);

  u32 shared = launch.sharedBytes;
  cta.sharedMemory.assign(shared + 64, 0xcd); // never zero by luck
  SharedShadow &shadow = cta.shadow;
  shadow.shift = launch.kernel->sharedShift;
  shadow.defined.assign(shared + 64, 0);
  bool races = launch.options.checks & bit(Kind::RaceShared);
  size_t units = races ? (shared >> shadow.shift) + 32 : 0;
  shadow.write.assign(units, 0);
  shadow.readEpoch.assign(units, 0);
  shadow.readWarps.assign(units, 0);
  shadow.writePc.assign(units, 0);
  shadow.readPc.assign(units, 0);
  shadow.flags.assign(units, 0);
  shadow.readClocks.clear();
  shadow.inFlight.assign(shared + 64, 0);
  shadow.flightPc.assign(shared / 4 + 16, 0);

  for (u32 k = 0; k < count; ++k) {
    if (!cta.warps[k]) {
      cta.warps[k] = std::make_unique<Warp>();
    }
    Warp &w = *cta.warps[k];
    w.cta = &cta;
    w.index = k;
    w.code = program.code.data();
    w.checks = launch.options.checks | alwaysOn;
    w.traced =
        static_cast<u8>((w.checks & bit(Kind::Wrap) ? TracksWrap : 0) | (w.checks & bit(Kind::Nan) ? TracksNan : 0));
    w.shared = cta.sharedMemory.data();
    w.sharedDefined = shadow.defined.data();
    w.sharedBytes = shared;
    w.cache = worker.cache.data();
    w.counts = worker.counts.data();
    w.issued = worker.issued.data();
    w.params = launch.params;
    w.paramBytes = launch.kernel->paramBytes;
    w.carry = 0;
    u32 lanes = std::min(32u, launch.threads - 32 * k);
    w.dead = lanes == 32 ? 0 : ~((1u << lanes) - 1);
    w.startDead = w.dead;
    w.active = ~w.dead;
    w.pc = code.entry;
    w.limit = ~0u;
    w.yield = w.isBlocked = false;
    w.splits.clear();
    w.frames.clear();
    w.freeFrames.clear();
    w.copies.clear();
    w.window.clear();
    w.copySerial = 0;
    std::fill(w.openGroup, w.openGroup + 32, 0);
    w.clock.assign(count, 0);
    w.clock[k] = 1;
    w.ownEpoch = w.floor = 1;
    w.clusterGeneration = 0;
    ensureMemory(w, code.frameBytes, code.localBytes);
    std::fill(w.localDefined.begin(), w.localDefined.end(), 0);
    if (w.traced & TracksWrap) {
      std::fill(w.wrapMemory.begin(), w.wrapMemory.end(), 0);
    }
    Frame f;
    f.function = launch.kernel->code;
    w.frame = newFrame(w, f);
    if (w.startDefined.empty()) {
      initialiseFrame(w, code, 0, ~0u);
      w.startDefined.assign(w.definedMemory.begin(), w.definedMemory.begin() + code.frameBytes / granuleBytes);
    } else {
      restartFrame(w, code);
    }
    useFrame(w, w.frame);
  }
}

} // namespace pavage::sim

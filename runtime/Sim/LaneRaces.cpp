// The list of a warp's accesses since its lanes met. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/LaneRaces.h"

#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaunchState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

constexpr size_t maxAccesses = 24;

u32 laneOf(u32 mask) { return static_cast<u32>(__builtin_ctz(mask)); }

bool overlaps(u32 a, u32 aBytes, u32 b, u32 bBytes) { return a < b + bBytes && b < a + aBytes; }

/// Every lane at an address of its own, none inside another's.
bool isDistinct(const LaneAccess &x) {
  bool ascends = true;
  for (u32 l = 1; l < 32; ++l) {
    ascends &= x.at[l] >= x.at[l - 1] + x.bytes;
  }
  if (ascends) {
    return true;
  }
  u32 sorted[32], n = 0;
  for (u32 rest = x.mask; rest; rest &= rest - 1) {
    sorted[n++] = x.at[laneOf(rest)];
  }
  std::sort(sorted, sorted + n);
  for (u32 k = 1; k < n; ++k) {
    if (sorted[k] < sorted[k - 1] + x.bytes) {
      return false;
    }
  }
  return true;
}

/// The lane of `x` that touches a unit of lane `l` of `y` without order between, or -1.
i32 conflictingLane(const LaneAccess &x, const LaneAccess &y, u32 l) {
  u32 hits = 0;
  for (u32 k = 0; k < 32; ++k) {
    hits |= static_cast<u32>(overlaps(x.at[k], x.bytes, y.at[l], y.bytes)) << k;
  }
  for (hits &= x.mask & ~(1u << l); hits; hits &= hits - 1) {
    u32 k = laneOf(hits);
    if (!((x.after[k] >> l) & 1)) {
      return static_cast<i32>(k);
    }
  }
  return -1;
}

std::string placeOf(Warp &w, u32 pc) {
  const Source &s = w.cta->launch->program->sources[pc];
  return "'" + *s.text + "' in line " + std::to_string(s.ptxLine);
}

void compare(Warp &w, const DInst &i, const LaneAccess &before, const LaneAccess &now) {
  for (u32 rest = now.mask; rest; rest &= rest - 1) {
    u32 l = laneOf(rest);
    i32 other = conflictingLane(before, now, l);
    if (other < 0) {
      continue;
    }
    const char *type = !now.isWrite ? "read after write" : before.isWrite ? "write after write" : "write after read";
    report(w, i, Kind::RaceShared,
           std::string(type) + " within a warp without bar.warp.sync between: shared address " +
               std::to_string(now.at[l]) + ", lane " + std::to_string(l) + " of warp " + std::to_string(w.index) +
               " here and lane " + std::to_string(other) + " at " + placeOf(w, before.pc));
    return;
  }
}

/// Two lanes of one store write different values to one address.
void compareStored(Warp &w, const DInst &i, const MemInfo &m, const LaneAccess &x) {
  auto differs = [&](u32 a, u32 b) {
    for (u32 k = 0; k < m.count; ++k) {
      const u8 *r = w.r + m.regs[k];
      if (std::memcmp(r + a * m.registerBytes, r + b * m.registerBytes, m.elementBytes) != 0) {
        return true;
      }
    }
    return false;
  };
  for (u32 rest = x.mask; rest; rest &= rest - 1) {
    u32 l = laneOf(rest);
    for (u32 more = rest & (rest - 1); more; more &= more - 1) {
      u32 k = laneOf(more);
      if (!overlaps(x.at[l], x.bytes, x.at[k], x.bytes) || (x.at[l] == x.at[k] && !differs(l, k))) {
        continue;
      }
      report(w, i, Kind::RaceShared,
             "lanes " + std::to_string(l) + " and " + std::to_string(k) + " of warp " + std::to_string(w.index) +
                 " store different values to shared address " + std::to_string(x.at[k]) + " at once");
      return;
    }
  }
}

/// Compares with the list and joins it.
void add(Warp &w, const DInst &i, const LaneAccess &x) {
  LaneAccess *same = nullptr;
  for (LaneAccess &old : w.window) {
    if (old.low >= x.high || x.low >= old.high) {
      continue;
    }
    bool isRepeat = old.mask == x.mask && old.bytes == x.bytes && std::memcmp(old.at, x.at, sizeof x.at) == 0;
    if (isRepeat && old.pc == x.pc) {
      same = &old;
    }
    if ((!old.isWrite && !x.isWrite) || (old.isStrong && x.isStrong)) {
      continue;
    }
    if (!isRepeat || !isDistinct(x)) {
      compare(w, i, old, x);
    }
  }
  if (same) {
    for (u32 l = 0; l < 32; ++l) {
      same->after[l] = 1u << l;
    }
    return;
  }
  if (w.window.size() >= maxAccesses) {
    w.window.erase(w.window.begin());
  }
  w.window.push_back(x);
}

} // namespace

void noteLanes(Warp &w, const DInst &i, const MemInfo *m, u32 exec, const u64 *addresses, u32 bytes, bool isWrite,
               bool isStrong) {
  LaneAccess x;
  x.pc = pcOf(w, i);
  x.mask = exec;
  x.bytes = bytes;
  x.isWrite = isWrite;
  x.isStrong = isStrong;
  u32 low = ~0u, high = 0;
  for (u32 l = 0; l < 32; ++l) {
    x.at[l] = static_cast<u32>(addresses[l]);
    x.after[l] = 1u << l;
    low = x.at[l] < low ? x.at[l] : low;
    high = x.at[l] > high ? x.at[l] : high;
  }
  x.low = low;
  x.high = high + bytes;
  if (isWrite && !isStrong && m && (exec & (exec - 1)) && !isDistinct(x)) {
    compareStored(w, i, *m, x);
  }
  add(w, i, x);
}

void syncLanes(Warp &w, u32 lanes) {
  if (w.window.empty()) {
    return;
  }
  if ((lanes | w.dead) == ~0u) {
    w.window.clear();
    return;
  }
  for (LaneAccess &x : w.window) {
    for (u32 l = 0; l < 32; ++l) {
      x.after[l] |= x.after[l] & lanes ? lanes : 0;
    }
  }
}

void noteCopies(Warp &w, u32 pc, u32 lanes, const u32 *to, u32 bytes) {
  u64 at[32];
  u32 first = to[laneOf(lanes)];
  for (u32 l = 0; l < 32; ++l) {
    at[l] = (lanes >> l) & 1 ? to[l] : first;
  }
  noteLanes(w, w.code[pc], nullptr, lanes, at, bytes, true, false);
}

} // namespace pavage::sim

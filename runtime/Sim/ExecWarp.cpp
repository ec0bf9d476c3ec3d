// Shuffles, votes and other operations among the lanes of a warp. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// A .sync operation names the lanes that take part. Its lanes wait until all of these that still live have come to it;
// different groups of one warp may execute the same instruction with different masks at the same time.
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/Checks.h"
#include "runtime/Sim/LaneRaces.h"
#include "runtime/Sim/LaunchState.h"

#include <cstdio>

namespace pavage::sim {

namespace {

template <class T> T *reg(Warp &w, u32 offset) { return reinterpret_cast<T *>(w.r + offset); }
u32 &maskAt(Warp &w, u32 offset) { return *reinterpret_cast<u32 *>(w.r + offset); }
void writeMask(Warp &w, u32 offset, u32 bits, u32 exec) {
  u32 &d = maskAt(w, offset);
  d = (d & ~exec) | (bits & exec);
}
void setDefined(Warp &w, u32 offset, u32 valid, u32 lanes) {
  u32 &d = w.def[offset / granuleBytes];
  d = (d & ~lanes) | (valid & lanes);
}

std::string hex(u32 x) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", x);
  return text;
}

/// Runs `body(lanes)` for each group of lanes whose members are all here; the others sleep.
template <class Body> void forGroups(Warp &w, const DInst &i, u32 exec, u32 memberOffset, Body body) {
  const u32 *members = reg<u32>(w, memberOffset);
  for (u32 rest = exec; rest;) {
    u32 first = static_cast<u32>(__builtin_ctz(rest)), mask = members[first], lanes = 0;
    if (rest == ~0u && mask == ~0u) {
      for (u32 l = 0; l < 32; ++l) {
        lanes |= static_cast<u32>(members[l] == mask) << l;
      }
    } else {
      for (u32 l = first; l < 32; ++l) {
        lanes |= static_cast<u32>(members[l] == mask) << l;
      }
      lanes &= rest;
    }
    rest &= ~lanes;
    if (lanes & ~mask) {
      report(w, i, Kind::Barrier,
             "lane " + std::to_string(__builtin_ctz(lanes & ~mask)) + " executes it but is not in its member mask " +
                 hex(mask));
      mask |= lanes;
    }
    if (mask & w.dead & ~(w.startDead)) {
      report(w, i, Kind::Barrier,
             "member mask " + hex(mask) + " names lanes that have exited: " + hex(mask & w.dead & ~w.startDead));
    }
    u32 needed = mask & w.live();
    if ((lanes & needed) != needed) {
      sleep(w, i, lanes, Wait::Sync, mask, 0, 0);
      continue;
    }
    syncLanes(w, lanes);
    body(lanes);
  }
}

/// sub: up, down, bfly, idx; imm: offset of the member mask.
void shuffle(Warp &w, const DInst &i, u32 exec) {
  const u32 *a = reg<u32>(w, i.a), *b = reg<u32>(w, i.b), *c = reg<u32>(w, i.c);
  forGroups(w, i, exec, static_cast<u32>(i.imm), [&](u32 lanes) {
    u32 out[32], in = 0, undefined = 0, from = 0;
    u32 sourceDefined = w.def[i.a / granuleBytes];
    for (u32 l = 0; l < 32; ++l) {
      u32 clamp = c[l] & 31, segment = (c[l] >> 8) & 31, bval = b[l] & 31;
      u32 maxLane = (l & segment) | (clamp & ~segment), minLane = l & segment;
      i32 j = static_cast<i32>(l);
      bool inside;
      switch (i.sub) {
      case 0:
        j -= static_cast<i32>(bval);
        inside = j >= static_cast<i32>(maxLane);
        break;
      case 1:
        j += static_cast<i32>(bval);
        inside = j <= static_cast<i32>(maxLane);
        break;
      case 2:
        j ^= static_cast<i32>(bval);
        inside = j <= static_cast<i32>(maxLane);
        break;
      default:
        j = static_cast<i32>(minLane | (bval & ~segment));
        inside = j <= static_cast<i32>(maxLane);
        break;
      }
      u32 lane = inside ? static_cast<u32>(j) & 31 : l;
      out[l] = a[lane];
      in |= static_cast<u32>(inside) << l;
      if ((lanes >> l) & 1) {
        undefined |= static_cast<u32>(!((lanes >> lane) & 1)) << l;
        from |= ((sourceDefined >> lane) & 1) << l;
      }
    }
    if ((undefined & lanes) && (w.checks & bit(Kind::Uninit))) {
      // A value nobody uses is no fault: only mark it.
      from &= ~undefined;
    }
    u32 *d = reg<u32>(w, i.d);
    for (u32 l = 0; l < 32; ++l) {
      d[l] = (lanes >> l) & 1 ? out[l] : d[l];
    }
    setDefined(w, i.d, from, lanes);
    if (i.d2 != sinkOffset) {
      writeMask(w, i.d2, in, lanes);
      setDefined(w, i.d2, ~0u, lanes);
    }
  });
}

/// sub: all, any, uni, ballot.
void vote(Warp &w, const DInst &i, u32 exec) {
  forGroups(w, i, exec, i.b, [&](u32 lanes) {
    u32 p = maskAt(w, i.a) & lanes;
    u32 valid = (w.def[i.a / granuleBytes] & lanes) == lanes ? ~0u : 0;
    setDefined(w, i.d, valid, lanes);
    if (i.sub == 3) {
      u32 *d = reg<u32>(w, i.d);
      for (u32 l = 0; l < 32; ++l) {
        d[l] = (lanes >> l) & 1 ? p : d[l];
      }
      return;
    }
    bool value = i.sub == 0 ? p == lanes : i.sub == 1 ? p != 0 : p == 0 || p == lanes;
    writeMask(w, i.d, value ? ~0u : 0, lanes);
  });
}

/// sub: bit 0 all, bit 1 64-bit values.
void match(Warp &w, const DInst &i, u32 exec) {
  forGroups(w, i, exec, i.b, [&](u32 lanes) {
    u32 same[32], allSame = 1;
    u32 first = static_cast<u32>(__builtin_ctz(lanes));
    auto value = [&](u32 l) { return i.sub & 2 ? reg<u64>(w, i.a)[l] : u64(reg<u32>(w, i.a)[l]); };
    for (u32 l = 0; l < 32; ++l) {
      same[l] = 0;
      if (!((lanes >> l) & 1)) {
        continue;
      }
      allSame &= value(l) == value(first);
      for (u32 k = 0; k < 32; ++k) {
        same[l] |= static_cast<u32>(((lanes >> k) & 1) && value(k) == value(l)) << k;
      }
    }
    u32 *d = reg<u32>(w, i.d);
    for (u32 l = 0; l < 32; ++l) {
      if ((lanes >> l) & 1) {
        d[l] = i.sub & 1 ? (allSame ? lanes : 0) : same[l];
      }
    }
    u32 valid = (w.def[i.a / granuleBytes] & lanes) == lanes ? ~0u : 0;
    setDefined(w, i.d, valid, lanes);
    if (i.d2 != sinkOffset) {
      writeMask(w, i.d2, allSame ? ~0u : 0, lanes);
      setDefined(w, i.d2, valid, lanes);
    }
  });
}

/// sub: add, min, max, and, or, xor; bit 3 signed.
void redux(Warp &w, const DInst &i, u32 exec) {
  forGroups(w, i, exec, i.b, [&](u32 lanes) {
    const u32 *a = reg<u32>(w, i.a);
    u32 first = static_cast<u32>(__builtin_ctz(lanes)), x = a[first];
    bool isSignedOp = i.sub & 8;
    for (u32 rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
      u32 y = a[__builtin_ctz(rest)];
      bool less = isSignedOp ? static_cast<i32>(y) < static_cast<i32>(x) : y < x;
      switch (i.sub & 7) {
      case 0:
        x += y;
        break;
      case 1:
        x = less ? y : x;
        break;
      case 2:
        x = less ? x : y;
        break;
      case 3:
        x &= y;
        break;
      case 4:
        x |= y;
        break;
      default:
        x ^= y;
        break;
      }
    }
    u32 *d = reg<u32>(w, i.d);
    for (u32 l = 0; l < 32; ++l) {
      d[l] = (lanes >> l) & 1 ? x : d[l];
    }
    setDefined(w, i.d, (w.def[i.a / granuleBytes] & lanes) == lanes ? ~0u : 0, lanes);
  });
}

/// The lowest lane of the members that are here leads.
void elect(Warp &w, const DInst &i, u32 exec) {
  forGroups(w, i, exec, i.a, [&](u32 lanes) {
    u32 leader = static_cast<u32>(__builtin_ctz(lanes));
    u32 *d = reg<u32>(w, i.d);
    for (u32 l = 0; l < 32; ++l) {
      d[l] = (lanes >> l) & 1 ? leader : d[l];
    }
    setDefined(w, i.d, ~0u, lanes);
    writeMask(w, i.d2, 1u << leader, lanes);
    setDefined(w, i.d2, ~0u, lanes);
  });
}

void activeMask(Warp &w, const DInst &i, u32 exec) {
  u32 *d = reg<u32>(w, i.d);
  for (u32 l = 0; l < 32; ++l) {
    d[l] = (exec >> l) & 1 ? exec : d[l];
  }
  setDefined(w, i.d, ~0u, exec);
}

void warpSync(Warp &w, const DInst &i, u32 exec) {
  forGroups(w, i, exec, i.a, [](u32) {});
}

const HandlerRow rows[] = {
    {"shfl", &shuffle},          {"vote", &vote},         {"match", &match}, {"redux", &redux}, {"elect", &elect},
    {"activemask", &activeMask}, {"warpsync", &warpSync},
};

} // namespace

Table warpTable() { return {rows, sizeof(rows) / sizeof(rows[0])}; }

} // namespace pavage::sim

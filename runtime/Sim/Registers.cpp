// Slots for virtual registers, by liveness. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX has thousands of virtual registers; a warp's frame should fit the host's first cache. Liveness is per thread and
// lanes never look into each other's column, so two registers may share a slot exactly when no thread has both alive.
// A guarded write does not end the life of the old value. A register that may be read before it is written is live from
// the entry on, so that nothing else writes its slot and its lanes stay undefined.
#include "runtime/Sim/Decoder.h"
#include "runtime/Sim/Schema.h"

#include <algorithm>

namespace pavage::sim {

namespace {

template <class Visit> void visitOperand(const Operand &o, bool isDefinition, Visit &visit) {
  if (o.kind == Operand::Kind::Register) {
    visit(o.reg, isDefinition);
  }
  for (const Operand &e : o.elements) {
    visitOperand(e, isDefinition && o.kind != Operand::Kind::Address, visit);
  }
}

template <class Visit> void visitAll(const Instruction &i, Visit visit) {
  std::string_view letters = i.row->operands;
  size_t at = 0;
  for (const Operand &o : i.operands) {
    if (at < letters.size() && letters[at] == '?') {
      ++at;
    }
    char letter = at < letters.size() ? letters[at] : 's';
    ++at;
    visitOperand(o, letter == 'd' || letter == 'D' || letter == 'q', visit);
  }
  if (i.guard >= 0) {
    visit(static_cast<u32>(i.guard), false);
  }
}

struct Block {
  u32 begin = 0, end = 0;
  std::vector<u32> successors;
  std::vector<u64> liveIn, liveOut, uses, kills;
};

bool endsBlock(const Instruction &i) {
  return i.opcode == "bra" || i.opcode == "brx" || i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap";
}

std::vector<Block> makeBlocks(const Function &f) {
  u32 n = static_cast<u32>(f.instructions.size());
  std::vector<bool> leader(n + 1, false);
  leader[0] = true;
  for (u32 label : f.labels) {
    leader[label] = true;
  }
  for (u32 k = 0; k < n; ++k) {
    if (endsBlock(f.instructions[k])) {
      leader[k + 1] = true;
    }
  }
  std::vector<Block> blocks;
  std::vector<u32> blockOf(n + 1, 0);
  for (u32 k = 0; k < n; ++k) {
    if (leader[k]) {
      blocks.emplace_back();
      blocks.back().begin = k;
    }
    blocks.back().end = k + 1;
    blockOf[k] = static_cast<u32>(blocks.size() - 1);
  }
  blockOf[n] = static_cast<u32>(blocks.size()); // past the end
  for (u32 b = 0; b < blocks.size(); ++b) {
    const Instruction &last = f.instructions[blocks[b].end - 1];
    auto addLabel = [&](u32 label) {
      if (blockOf[f.labels[label]] < blocks.size()) {
        blocks[b].successors.push_back(blockOf[f.labels[label]]);
      }
    };
    bool falls = true;
    if (last.opcode == "bra") {
      addLabel(last.operands[0].label);
      falls = last.guard >= 0;
    } else if (last.opcode == "brx") {
      for (u32 label : f.branchTargets[last.operands[1].label]) {
        addLabel(label);
      }
      falls = last.guard >= 0;
    } else if (endsBlock(last)) {
      falls = last.guard >= 0;
    }
    if (falls && b + 1 < blocks.size()) {
      blocks[b].successors.push_back(b + 1);
    }
  }
  return blocks;
}

bool get(const std::vector<u64> &set, u32 k) { return (set[k / 64] >> (k % 64)) & 1; }
void put(std::vector<u64> &set, u32 k) { set[k / 64] |= u64(1) << (k % 64); }

/// First and last instruction at which each register is live; first > last when it never is.
struct Interval {
  u32 first = ~0u, last = 0;
  void cover(u32 at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

std::vector<Interval> liveIntervals(const Function &f) {
  u32 registers = static_cast<u32>(f.registers.size());
  std::vector<Interval> intervals(registers);
  std::vector<Block> blocks = makeBlocks(f);
  size_t words = (registers + 63) / 64;
  if (words * blocks.size() * 4 > (size_t(1) << 27)) {
    // Hostile or gigantic: no sharing.
    for (u32 k = 0; k < f.instructions.size(); ++k) {
      visitAll(f.instructions[k], [&](u32 r, bool) { intervals[r] = {0, static_cast<u32>(f.instructions.size())}; });
    }
    return intervals;
  }
  for (Block &b : blocks) {
    b.liveIn.assign(words, 0);
    b.liveOut.assign(words, 0);
    b.uses.assign(words, 0);
    b.kills.assign(words, 0);
    for (u32 k = b.begin; k < b.end; ++k) {
      const Instruction &i = f.instructions[k];
      visitAll(i, [&](u32 r, bool isDefinition) {
        if ((!isDefinition || i.guard >= 0) && !get(b.kills, r)) {
          put(b.uses, r);
        }
      });
      visitAll(i, [&](u32 r, bool isDefinition) {
        if (isDefinition && i.guard < 0) {
          put(b.kills, r);
        }
      });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
      for (size_t word = 0; word < words; ++word) {
        u64 out = 0;
        for (u32 s : b->successors) {
          out |= blocks[s].liveIn[word];
        }
        u64 in = b->uses[word] | (out & ~b->kills[word]);
        changed |= in != b->liveIn[word] || out != b->liveOut[word];
        b->liveIn[word] = in;
        b->liveOut[word] = out;
      }
    }
  }
  for (const Block &b : blocks) {
    for (size_t word = 0; word < words; ++word) {
      for (u64 rest = b.liveIn[word]; rest; rest &= rest - 1) {
        intervals[word * 64 + static_cast<u32>(__builtin_ctzll(rest))].cover(b.begin);
      }
      for (u64 rest = b.liveOut[word]; rest; rest &= rest - 1) {
        intervals[word * 64 + static_cast<u32>(__builtin_ctzll(rest))].cover(b.end - 1);
      }
    }
    for (u32 k = b.begin; k < b.end; ++k) {
      visitAll(f.instructions[k], [&](u32 r, bool) { intervals[r].cover(k); });
    }
  }
  return intervals;
}

} // namespace

u32 registerBytes(Ty type) {
  switch (typeBits(type)) {
  case 1:
  case 8:
  case 16:
    return granuleBytes;
  case 32:
    return 2 * granuleBytes;
  case 64:
    return 4 * granuleBytes;
  default:
    return 8 * granuleBytes;
  }
}

std::vector<u32> allocateRegisters(const Function &f, u32 &frameBytes) {
  std::vector<u32> offsets(f.registers.size(), 0);
  if (f.instructions.empty()) {
    return offsets;
  }
  std::vector<Interval> intervals = liveIntervals(f);
  std::vector<u32> order;
  for (u32 r = 0; r < intervals.size(); ++r) {
    if (intervals[r].first <= intervals[r].last) {
      order.push_back(r);
    }
  }
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) {
    return intervals[a].first != intervals[b].first ? intervals[a].first < intervals[b].first : a < b;
  });
  // One pool of slots per size, and one for predicates: while lanes are apart, a slot holds the values of several
  // registers, each in its lanes' columns, so all of them must lay their lanes out alike. A slot is free again after
  // the instruction of its last use, never at it: a wider result must not overlap a source that is still being read.
  struct Active {
    u32 last, offset, pool;
    bool operator<(const Active &o) const { return last > o.last; } // a heap with the earliest end on top
  };
  std::vector<Active> active;
  std::unordered_map<u32, std::vector<u32>> free;
  for (u32 r : order) {
    while (!active.empty() && active.front().last < intervals[r].first) {
      std::pop_heap(active.begin(), active.end());
      free[active.back().pool].push_back(active.back().offset);
      active.pop_back();
    }
    u32 bytes = registerBytes(f.registers[r].type), key = f.registers[r].type == Ty::Pred ? 0 : bytes;
    std::vector<u32> &pool = free[key];
    u32 offset;
    if (pool.empty()) {
      offset = frameBytes;
      frameBytes += bytes;
    } else {
      offset = pool.back();
      pool.pop_back();
    }
    offsets[r] = offset;
    active.push_back({intervals[r].last, offset, key});
    std::push_heap(active.begin(), active.end());
  }
  return offsets;
}

std::vector<bool> findPartlyWritten(const Function &f) {
  std::vector<bool> isWritten(f.registers.size()), result(f.registers.size());
  for (const Instruction &i : f.instructions) {
    visitAll(i, [&](u32 r, bool isDefinition) { isWritten[r] = isWritten[r] || isDefinition; });
  }
  auto isRegister = [](const Operand &o) { return o.kind == Operand::Kind::Register; };
  auto isPack = [&](const Instruction &i) {
    return i.opcode == "mov" && i.operands[1].kind == Operand::Kind::Vector && i.operands[1].elements.size() == 2;
  };
  // Its result's masks must not replace those of a source between two bytes.
  auto isPick = [&](const Instruction &i) {
    auto isResult = [&](const Operand &o) { return isRegister(o) && o.reg == i.operands[0].reg; };
    return i.opcode == "prmt" && i.modifiers.size() == 1 && i.operands[3].kind == Operand::Kind::Integer &&
           !isResult(i.operands[1]) && !isResult(i.operands[2]);
  };
  auto isFollowed = [&](const Instruction &i) {
    bool isLogic = i.opcode == "and" || i.opcode == "or" || i.opcode == "xor" || i.opcode == "not";
    return !i.operands.empty() && isRegister(i.operands[0]) && typeBits(f.registers[i.operands[0].reg].type) == 32 &&
           (isLogic || isPack(i) || isPick(i));
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &i : f.instructions) {
      if (!isFollowed(i) || result[i.operands[0].reg]) {
        continue;
      }
      bool isPacking = isPack(i) || isPick(i), isPart = false;
      visitAll(
          i, [&](u32 r, bool isDefinition) { isPart |= !isDefinition && (result[r] || (isPacking && !isWritten[r])); });
      result[i.operands[0].reg] = isPart;
      changed |= isPart;
    }
  }
  // Where something else writes the register, too, its bytes' masks would tell of the time before.
  for (const Instruction &i : f.instructions) {
    if (!isFollowed(i)) {
      visitAll(i, [&](u32 r, bool isDefinition) { result[r] = result[r] && !isDefinition; });
    }
  }
  return result;
}

} // namespace pavage::sim

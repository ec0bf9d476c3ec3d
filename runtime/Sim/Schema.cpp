// Matching an instruction against the table of PTX forms. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Schema.h"

#include <unordered_map>

namespace pavage::sim {

namespace {

struct NamedSet {
  std::string_view name, items;
};
constexpr NamedSet namedSets[] = {
    {"rnd", "rn|rz|rm|rp"},
    {"rndi", "rni|rzi|rmi|rpi"},
    {"cmpi", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"cmpf", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"cmptype", "b16|b32|b64|u16|u32|u64|s16|s32|s64"},
    {"cvtint", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"order", "weak|volatile|relaxed|acquire|release|mmio"},
    {"atomorder", "relaxed|acquire|release|acq_rel"},
    {"scope", "cta|cluster|gpu|sys"},
    {"space", "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    {"atomspace", "global|shared|shared::cta|shared::cluster"},
    {"wmmaspace", "global|shared|shared::cta"},
    {"l1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"l2", "L2::64B|L2::128B|L2::256B|L2::evict_last|L2::evict_normal|L2::evict_first"},
    {"memtype", "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|b128|f32|f64"},
};

void addChoices(std::string_view text, std::vector<std::string_view> &out) {
  while (!text.empty()) {
    size_t end = text.find('|');
    std::string_view item = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (item[0] != '@') {
      out.push_back(item);
      continue;
    }
    for (const NamedSet &set : namedSets) {
      if (set.name == item.substr(1)) {
        addChoices(set.items, out);
      }
    }
  }
}

std::vector<SchemaRow> makeSchema() {
  std::vector<SchemaRow> rows = {
#define PTX(opcode, groups, operands, arch, version) {opcode, groups, operands, arch, version, 0, {}, {}},
#include "runtime/Sim/Schema.def"
  };
  for (SchemaRow &row : rows) {
    std::string_view text = row.groups;
    while (!text.empty()) {
      size_t end = text.find(' ');
      std::string_view group = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      bool optional = group[0] == '[' || group == "-";
      if (group[0] == '[') {
        group = group.substr(1, group.size() - 2);
      }
      row.choices.emplace_back();
      if (group != "-") {
        addChoices(group, row.choices.back());
      }
      row.optional.push_back(optional);
    }
  }
  return rows;
}

struct Index {
  std::vector<SchemaRow> rows = makeSchema();
  std::unordered_map<std::string_view, std::pair<u32, u32>> byOpcode; // first row, count
  Index() {
    for (u32 r = 0; r < rows.size(); ++r) {
      auto [it, isNew] = byOpcode.emplace(rows[r].opcode, std::make_pair(r, 0u));
      ++it->second.second;
    }
  }
};

const Index &index() {
  static const Index instance;
  return instance;
}

/// Fills the groups; returns how many modifiers fitted, and all of them plus one when the row matches.
size_t matchRow(const SchemaRow &row, const Instruction &i, std::vector<i16> &groups) {
  groups.assign(row.choices.size(), -1);
  size_t typesFrom = 0; // types keep their order: cvt.f32.bf16 is not cvt.bf16.f32
  for (size_t m = 0; m < i.modifiers.size(); ++m) {
    bool placed = false, isType = parseType(i.modifiers[m]) != Ty::None;
    for (size_t g = isType ? typesFrom : 0; g < groups.size() && !placed; ++g) {
      if (groups[g] >= 0) {
        continue;
      }
      for (std::string_view choice : row.choices[g]) {
        if (choice == i.modifiers[m]) {
          groups[g] = static_cast<i16>(m);
          placed = true;
          typesFrom = isType ? g + 1 : typesFrom;
          break;
        }
      }
    }
    if (!placed) {
      return m;
    }
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g] < 0 && !row.optional[g]) {
      return i.modifiers.size();
    }
  }
  return i.modifiers.size() + 1;
}

bool fits(char kind, const Operand &o) {
  using K = Operand::Kind;
  bool isValue = o.kind == K::Register || o.kind == K::Integer || o.kind == K::Float || o.kind == K::Symbol ||
                 o.kind == K::Special;
  switch (kind) {
  case 'd':
    return o.kind == K::Register || o.kind == K::Sink;
  case 'D':
    return o.kind == K::Register || o.kind == K::Sink || o.kind == K::Vector;
  case 'q':
    return o.kind == K::Register || o.kind == K::Sink || o.kind == K::Pair;
  case 's':
    return isValue;
  case 'S':
    return isValue || o.kind == K::Vector;
  case 'p':
    return o.kind == K::Register || o.kind == K::Integer;
  case 'a':
    return o.kind == K::Address;
  case 'v':
    return o.kind == K::Vector || o.kind == K::Register;
  case 'i':
    return o.kind == K::Integer;
  case 'l':
    return o.kind == K::Label;
  default:
    return true;
  }
}

const char *kindText(char kind) {
  switch (kind) {
  case 'd':
  case 'D':
    return "a register";
  case 'q':
    return "a register or a pair";
  case 'p':
    return "a predicate";
  case 'a':
    return "an address in brackets";
  case 'v':
    return "a vector in braces";
  case 'i':
    return "an integer";
  case 'l':
    return "a label";
  default:
    return "a value";
  }
}

/// Empty when the operands fit the row.
std::string operandError(const SchemaRow &row, const Instruction &i) {
  size_t required = row.operands.find('?');
  std::string letters(row.operands);
  if (required == std::string::npos) {
    required = letters.size();
  } else {
    letters.erase(required, 1);
  }
  if (i.operands.size() < required || i.operands.size() > letters.size()) {
    std::string wanted = std::to_string(required);
    if (letters.size() != required) {
      wanted += " to " + std::to_string(letters.size());
    }
    return "expected " + wanted + " operands, got " + std::to_string(i.operands.size());
  }
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (!fits(letters[k], i.operands[k])) {
      return std::string("expected ") + kindText(letters[k]) + " as operand " + std::to_string(k + 1);
    }
  }
  return {};
}

} // namespace

const std::vector<SchemaRow> &schema() { return index().rows; }

void matchSchema(Instruction &i, u32 arch, char archSuffix, u32 ptxVersion) {
  auto found = index().byOpcode.find(i.opcode);
  if (found == index().byOpcode.end()) {
    fail(601, i.where, "unknown instruction '" + i.fullName() + "'");
  }
  size_t best = 0;
  std::string mismatch, tooOld;
  std::vector<i16> groups;
  for (u32 r = found->second.first, end = r + found->second.second; r < end; ++r) {
    const SchemaRow &row = index().rows[r];
    size_t fitted = matchRow(row, i, groups);
    best = std::max(best, fitted);
    if (fitted <= i.modifiers.size()) {
      continue;
    }
    std::string wrong = operandError(row, i);
    if (!wrong.empty()) {
      mismatch = wrong;
      continue;
    }
    if (arch < row.arch) {
      tooOld = "needs sm_" + std::to_string(row.arch) + ", the module targets sm_" + std::to_string(arch);
      continue;
    }
    if (ptxVersion < row.ptxVersion) {
      tooOld = "needs PTX " + std::to_string(row.ptxVersion / 10) + '.' + std::to_string(row.ptxVersion % 10) +
               ", the module says " + std::to_string(ptxVersion / 10) + '.' + std::to_string(ptxVersion % 10);
      continue;
    }
    i.row = &row;
    i.groups = groups;
    return;
  }
  (void)archSuffix;
  std::string name = "'" + i.fullName() + "'";
  if (!tooOld.empty()) {
    fail(604, i.where, name + " " + tooOld);
  }
  if (!mismatch.empty()) {
    fail(603, i.where, mismatch + " of " + name);
  }
  if (best < i.modifiers.size()) {
    fail(602, i.where, "unsupported form " + name + ": modifier '." + i.modifiers[best] + "' does not fit");
  }
  fail(602, i.where, "unsupported form " + name + ": a modifier or type is missing");
}

std::string describe(const SchemaRow &row) {
  std::string text(row.opcode);
  for (size_t g = 0; g < row.choices.size(); ++g) {
    if (row.choices[g].empty()) {
      continue;
    }
    text += row.optional[g] ? "{." : ".";
    for (size_t c = 0; c < row.choices[g].size(); ++c) {
      text += (c ? "|" : "") + std::string(row.choices[g][c]);
    }
    text += row.optional[g] ? "}" : "";
  }
  return text + ' ' + std::string(row.operands);
}

} // namespace pavage::sim

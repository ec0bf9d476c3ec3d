// Statements between the braces of a PTX function. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/ParserState.h"
#include "runtime/Sim/Schema.h"

#include <cstdlib>
#include <cstring>

namespace pavage::sim {

namespace {
constexpr u32 maxNesting = 64;
constexpr size_t maxInstructions = 4u << 20;
constexpr u32 maxRegisters = 1u << 20;
} // namespace

Special parseSpecial(std::string_view text) {
  static const std::unordered_map<std::string_view, Special> table = {
#define PAVAGE_SPECIAL(id, text) {text, Special::id},
#include "runtime/Sim/Special.def"
  };
  auto found = table.find(text);
  return found == table.end() ? Special::Count : found->second;
}

void Parser::parseBody() {
  scopes.clear();
  locFile = locLine = locColumn = 0;
  do {
    if (atEnd()) {
      unexpected("'}'");
    }
    if (accept("{")) {
      if (scopes.size() >= maxNesting) {
        unexpected("fewer nested braces");
      }
      scopes.emplace_back();
    } else if (accept("}")) {
      closeScope();
    } else {
      parseStatement();
    }
  } while (!scopes.empty());
}

void Parser::closeScope() {
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  for (LabelUse &use : scope.pending) {
    auto found = scope.labels.find(use.name);
    if (found != scope.labels.end()) {
      resolveLabel(use, found->second);
    } else if (!scopes.empty()) {
      scopes.back().pending.push_back(std::move(use));
    } else {
      fail(606, use.where, "unknown label '" + use.name + "'");
    }
  }
}

void Parser::resolveLabel(const LabelUse &use, u32 label) {
  if (use.inTable) {
    function->branchTargets[use.instruction][use.tableEntry] = label;
    return;
  }
  std::vector<Operand> *operands = &function->instructions[use.instruction].operands;
  Operand *operand = nullptr;
  for (u32 index : use.path) {
    operand = &(*operands)[index];
    operands = &operand->elements;
  }
  operand->label = label;
}

void Parser::parseStatement() {
  if (accept(";")) {
    return;
  }
  if (peek().is(".")) {
    return parseBodyDirective();
  }
  if (peek().kind == Token::Kind::Word && peek(1).is(":")) {
    Location where = peek().where;
    std::string name = takeWord("a label");
    take();
    return declareLabel(name, where);
  }
  parseInstruction();
}

void Parser::declareLabel(const std::string &name, Location where) {
  u32 number = static_cast<u32>(function->labels.size());
  if (!scopes.back().labels.emplace(name, number).second) {
    fail(607, where, "label '" + name + "' is defined twice in one scope");
  }
  function->labels.push_back(static_cast<u32>(function->instructions.size()));
  function->branchTargets.resize(function->labels.size());
  if (peek().is(".") && (peek(1).is("branchtargets") || peek(1).is("calltargets"))) {
    bool isBranch = peek(1).is("branchtargets");
    take();
    take();
    std::vector<u32> &table = function->branchTargets[number];
    do {
      Location use = peek().where;
      std::string target = takeWord("a label");
      if (isBranch) {
        scopes.back().pending.push_back({target, number, {}, true, static_cast<u32>(table.size()), use});
        table.push_back(0);
      }
    } while (accept(","));
    expect(";");
  } else if (peek().is(".") && peek(1).is("callprototype")) {
    while (!atEnd() && !peek().is(";")) {
      take();
    }
    expect(";");
  }
}

void Parser::parseLoc() {
  u32 line = peek().where.line;
  locFile = static_cast<u32>(takeUnsigned("a file number"));
  locLine = static_cast<u32>(takeUnsigned("a line number"));
  locColumn = peek().where.line == line && !peek().is(",") ? static_cast<u32>(takeUnsigned("a column")) : 0;
  skipLine(line);
}

void Parser::parseBodyDirective() {
  Location where = peek(1).where;
  std::string name = takeDirective();
  if (name == "reg") {
    return parseRegisters();
  }
  if (name == "loc") {
    return parseLoc();
  }
  if (name == "file") {
    return parseFile();
  }
  if (name == "pragma") {
    take();
    return expect(";");
  }
  bool isExtern = name == "extern";
  if (isExtern) {
    name = takeDirective();
  }
  Space space = name == "local"    ? Space::Local
                : name == "shared" ? Space::Shared
                : name == "param"  ? Space::Param
                : name == "global" ? Space::Global
                : name == "const"  ? Space::Const
                                   : Space::Generic;
  if (space == Space::Generic) {
    fail(608, where, "unknown directive '." + name + "' in a function");
  }
  for (Variable &v : parseVariables(space, isExtern)) {
    if (!scopes.back().variables.emplace(v.name, function->locals.size()).second) {
      fail(607, v.where, "'" + v.name + "' is defined twice in one scope");
    }
    function->locals.push_back(std::move(v));
  }
}

void Parser::parseRegisters() {
  Location where = peek(1).where;
  std::string typeText = takeDirective();
  Ty type = parseType(typeText);
  if (typeText == "v2" || typeText == "v4") {
    fail(608, where, "vector registers are not supported");
  }
  if (type == Ty::None) {
    fail(608, where, "unknown register type '." + typeText + "'");
  }
  do {
    Location at = peek().where;
    std::string name = takeWord("a register name");
    u64 count = 1;
    bool ranged = accept("<");
    if (ranged) {
      count = takeUnsigned("a number of registers");
      expect(">");
    }
    u32 first = static_cast<u32>(function->registers.size());
    if (count > maxRegisters || first + count > maxRegisters) {
      fail(609, at, "too many registers");
    }
    if (!ranged) {
      if (!scopes.back().registers.emplace(name, first).second) {
        fail(607, at, "register '" + name + "' is defined twice in one scope");
      }
    } else if (!scopes.back().ranges.emplace(name, std::make_pair(first, static_cast<u32>(count))).second) {
      fail(607, at, "registers '" + name + "<n>' are defined twice in one scope");
    }
    for (u64 k = 0; k < count; ++k) {
      function->registers.push_back({ranged ? name + std::to_string(k) : name, type});
    }
  } while (accept(","));
  expect(";");
}

bool Parser::findRegister(const std::string &name, u32 &number) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
    --digits;
  }
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto exact = scope->registers.find(name);
    if (exact != scope->registers.end()) {
      number = exact->second;
      return true;
    }
    // %r12 of %r<20>; a prefix may itself end in a digit, as in %p1<4>.
    for (size_t cut = digits; cut < name.size() && name.size() - cut <= 9; ++cut) {
      if (name[cut] == '0' && cut + 1 < name.size()) {
        continue;
      }
      auto range = scope->ranges.find(name.substr(0, cut));
      if (range != scope->ranges.end()) {
        u32 index = static_cast<u32>(std::strtoul(name.c_str() + cut, nullptr, 10));
        if (index < range->second.second) {
          number = range->second.first + index;
          return true;
        }
      }
    }
  }
  return false;
}

void Parser::parseOpcode(Instruction &i) {
  i.where = peek().where;
  i.opcode = takeWord("an instruction");
  while (accept(".")) {
    if (peek().kind != Token::Kind::Word && peek().kind != Token::Kind::Number) {
      unexpected("a modifier");
    }
    std::string modifier(take().text);
    while (accept("::")) {
      if (peek().kind != Token::Kind::Word && peek().kind != Token::Kind::Number) {
        unexpected("a modifier");
      }
      modifier += "::" + std::string(take().text);
    }
    i.modifiers.push_back(std::move(modifier));
    if (i.modifiers.size() > 24) {
      unexpected("fewer modifiers");
    }
  }
}

void Parser::parseInstruction() {
  if (function->instructions.size() >= maxInstructions) {
    fail(609, peek().where, "function '" + function->name + "' is too long");
  }
  Instruction i;
  if (accept("@")) {
    i.guardNegated = accept("!");
    Location where = peek().where;
    std::string name = takeWord("a predicate");
    u32 number;
    if (!findRegister(name, number)) {
      fail(606, where, "unknown register '" + name + "'");
    }
    if (function->registers[number].type != Ty::Pred) {
      fail(603, where, "guard '" + name + "' must be a predicate");
    }
    i.guard = static_cast<i32>(number);
  }
  parseOpcode(i);
  i.sourceFile = locFile;
  i.sourceLine = locLine;
  i.sourceColumn = locColumn;
  bool isBranch = i.opcode == "bra" || i.opcode == "brx";
  u32 index = static_cast<u32>(function->instructions.size());
  while (!peek().is(";")) {
    if (i.operands.size() >= 64) {
      unexpected("fewer operands");
    }
    labelPaths.clear();
    Operand operand = parseOperand(isBranch, 0);
    if (accept("|")) {
      Operand pair;
      pair.kind = Operand::Kind::Pair;
      pair.where = operand.where;
      pair.elements.push_back(std::move(operand));
      pair.elements.push_back(parseOperand(false, 0));
      operand = std::move(pair);
    }
    for (auto &[path, name] : labelPaths) {
      std::vector<u32> full = {static_cast<u32>(i.operands.size())};
      full.insert(full.end(), path.begin(), path.end());
      scopes.back().pending.push_back({name, index, full, false, 0, operand.where});
    }
    i.operands.push_back(std::move(operand));
    if (!accept(",")) {
      break;
    }
  }
  expect(";");
  matchSchema(i, module.arch, module.archSuffix, module.ptxVersion);
  function->instructions.push_back(std::move(i));
}

Operand Parser::parseNumber() {
  Operand o;
  o.where = peek().where;
  bool minus = accept("-");
  if (peek().kind != Token::Kind::Number) {
    unexpected("a number");
  }
  std::string text(take().text);
  bool isSingle = text.size() == 10 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F');
  bool isDouble = text.size() == 18 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D');
  bool isDecimal =
      text.find('.') != std::string::npos || (text[0] != '0' && text.find_first_of("eE") != std::string::npos);
  if (isSingle || isDouble) {
    char *end = nullptr;
    o.kind = Operand::Kind::Float;
    o.single = isSingle;
    o.bits = std::strtoull(text.c_str() + 2, &end, 16);
    if (*end) {
      fail(600, o.where, "expected hexadecimal digits in '" + text + "'");
    }
    if (minus) {
      o.bits ^= isSingle ? u64(1) << 31 : u64(1) << 63;
    }
  } else if (isDecimal) {
    char *end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (*end) {
      fail(600, o.where, "expected a number, got '" + text + "'");
    }
    value = minus ? -value : value;
    o.kind = Operand::Kind::Float;
    std::memcpy(&o.bits, &value, 8);
  } else {
    if (!parseIntegerLiteral(text, o.bits)) {
      fail(600, o.where, "expected a number, got '" + text + "'");
    }
    o.bits = minus ? ~o.bits + 1 : o.bits;
  }
  return o;
}

Operand Parser::parseName(bool isBranch) {
  Operand o;
  o.where = peek().where;
  o.name = takeWord("an operand");
  if (o.name == "_") {
    o.kind = Operand::Kind::Sink;
    return o;
  }
  if (findRegister(o.name, o.reg)) {
    o.kind = Operand::Kind::Register;
    return o;
  }
  if (o.name[0] == '%') {
    std::string full = o.name;
    if (peek().is(".") && (peek(1).is("x") || peek(1).is("y") || peek(1).is("z"))) {
      take();
      full += '.' + std::string(take().text);
    }
    o.special = parseSpecial(full);
    if (o.special == Special::Count) {
      fail(606, o.where, "unknown register '" + full + "'");
    }
    o.kind = Operand::Kind::Special;
    return o;
  }
  if (o.name == "WARP_SZ") {
    o.kind = Operand::Kind::Integer;
    o.bits = 32;
    return o;
  }
  o.kind = isBranch ? Operand::Kind::Label : Operand::Kind::Symbol;
  for (auto scope = scopes.rbegin(); !isBranch && scope != scopes.rend(); ++scope) {
    auto found = scope->variables.find(o.name);
    if (found != scope->variables.end()) {
      o.local = static_cast<i32>(found->second);
      break;
    }
  }
  return o;
}

Operand Parser::parseAddress(u32 depth) {
  Operand o;
  o.kind = Operand::Kind::Address;
  o.where = peek().where;
  expect("[");
  o.elements.push_back(parseOperand(false, depth + 1));
  if (peek().is("+") || peek().is("-")) {
    bool minus = take().is("-");
    Operand offset = parseNumber();
    if (offset.kind != Operand::Kind::Integer) {
      fail(600, offset.where, "expected an integer offset");
    }
    o.offset = static_cast<i64>(minus ? ~offset.bits + 1 : offset.bits);
  }
  while (accept(",")) { // [map, {coordinates}]
    if (o.elements.size() > 8) {
      unexpected("']'");
    }
    o.elements.push_back(parseOperand(false, depth + 1));
  }
  expect("]");
  return o;
}

Operand Parser::parseOperand(bool isBranch, u32 depth) {
  if (depth > 4) {
    unexpected("fewer nested brackets");
  }
  if (accept("!")) {
    Operand o = parseOperand(false, depth + 1);
    if (o.kind != Operand::Kind::Register) {
      fail(603, o.where, "expected a predicate after '!'");
    }
    o.negated = !o.negated;
    return o;
  }
  if (peek().is("[")) {
    return parseAddress(depth);
  }
  if (peek().is("{") || peek().is("(")) {
    Operand o;
    bool isVector = peek().is("{");
    o.kind = isVector ? Operand::Kind::Vector : Operand::Kind::List;
    o.where = take().where;
    std::string_view close = isVector ? "}" : ")";
    while (!accept(close)) {
      if (o.elements.size() >= 512) {
        unexpected("fewer elements");
      }
      o.elements.push_back(parseOperand(false, depth + 1));
      if (!peek().is(close)) {
        expect(",");
      }
    }
    return o;
  }
  if (peek().kind == Token::Kind::Number || peek().is("-")) {
    return parseNumber();
  }
  Operand o = parseName(isBranch);
  if (o.kind == Operand::Kind::Label) {
    labelPaths.push_back({{}, o.name});
  }
  if (o.kind == Operand::Kind::Symbol && (peek().is("+") || peek().is("-")) && depth == 0) {
    bool minus = take().is("-");
    u64 value = takeUnsigned("an offset");
    o.offset = static_cast<i64>(minus ? ~value + 1 : value);
  }
  return o;
}

} // namespace pavage::sim

// Directives, functions and variables of a PTX file. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Parser.h"

#include "runtime/Sim/ParserState.h"

#include <cstdlib>
#include <cstring>

namespace pavage::sim {

namespace {
constexpr u64 maxVariableBytes = u64(1) << 32;
}

bool parseIntegerLiteral(std::string_view text, u64 &value) {
  u32 base = 10;
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) {
    text.remove_suffix(1);
  }
  if (text.size() > 1 && text[0] == '0') {
    char kind = text[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  if (text.empty()) {
    return false;
  }
  value = 0;
  for (char c : text) {
    u32 digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    if (digit >= base || value > (~u64(0) - digit) / base) {
      return false;
    }
    value = value * base + digit;
  }
  return true;
}

void Parser::unexpected(const char *wanted) {
  fail(600, peek().where,
       std::string("expected ") + wanted + ", got " +
           (atEnd() ? std::string("the end of the file") : "'" + std::string(peek().text) + "'"));
}

void Parser::expect(std::string_view text) {
  if (!accept(text)) {
    unexpected(("'" + std::string(text) + "'").c_str());
  }
}

std::string Parser::takeWord(const char *what) {
  if (peek().kind != Token::Kind::Word) {
    unexpected(what);
  }
  return std::string(take().text);
}

std::string Parser::takeDirective() {
  expect(".");
  if (peek().kind != Token::Kind::Word && peek().kind != Token::Kind::Number) {
    unexpected("a directive");
  }
  return std::string(take().text);
}

u64 Parser::takeUnsigned(const char *what) {
  u64 value = 0;
  if (peek().kind != Token::Kind::Number || !parseIntegerLiteral(peek().text, value)) {
    unexpected(what);
  }
  take();
  return value;
}

void Parser::skipLine(u32 line) {
  while (!atEnd() && peek().where.line == line) {
    take();
  }
}

void Parser::skipBalanced(std::string_view open, std::string_view close) {
  Location start = peek().where;
  expect(open);
  for (u64 depth = 1; depth > 0;) {
    if (atEnd()) {
      fail(600, start, "'" + std::string(open) + "' is not closed");
    }
    depth += peek().is(open) ? 1 : peek().is(close) ? -1 : 0;
    take();
  }
}

Module Parser::run() {
  while (!atEnd()) {
    parseTopLevel();
  }
  if (module.ptxVersion == 0) {
    fail(600, {1, 1}, "expected a .version directive");
  }
  if (module.arch == 0) {
    fail(600, {1, 1}, "expected a .target directive");
  }
  return std::move(module);
}

void Parser::parseTarget() {
  do {
    std::string name = takeWord("a target");
    if (name.rfind("sm_", 0) == 0) {
      size_t digits = 3;
      u32 arch = 0;
      for (; digits < name.size() && name[digits] >= '0' && name[digits] <= '9' && arch < 10000; ++digits) {
        arch = arch * 10 + (name[digits] - '0');
      }
      if (arch == 0 || digits + 1 < name.size()) {
        fail(608, peek().where, "unknown target '" + name + "'");
      }
      module.arch = arch;
      module.archSuffix = digits < name.size() ? name[digits] : 0;
    } else if (name != "debug" && name != "texmode_independent" && name != "texmode_unified" &&
               name != "map_f64_to_f32") {
      fail(608, peek().where, "unknown target '" + name + "'");
    }
  } while (accept(","));
}

void Parser::parseFile() {
  u32 line = peek().where.line;
  u64 number = takeUnsigned("a file number");
  if (number < 65536 && peek().kind == Token::Kind::String) {
    module.files.resize(std::max<size_t>(module.files.size(), number + 1));
    module.files[number] = std::string(peek().text);
  }
  skipLine(line);
}

void Parser::parseTopLevel() {
  Location where = peek().where;
  if (accept(";")) {
    return;
  }
  bool isExtern = false;
  while (true) {
    std::string name = takeDirective();
    if (name == "version") {
      // 9.0 is one number token, 8.10 too.
      std::string text(take().text);
      char *end = nullptr;
      u64 major = std::strtoull(text.c_str(), &end, 10);
      u64 minor = *end == '.' ? std::strtoull(end + 1, nullptr, 10) : 0;
      if (major == 0 || major > 99 || minor > 9) {
        fail(608, where, "unknown PTX version '" + text + "'");
      }
      module.ptxVersion = static_cast<u32>(major * 10 + minor);
      return;
    }
    if (name == "target") {
      return parseTarget();
    }
    if (name == "address_size") {
      if (takeUnsigned("an address size") != 64) {
        fail(608, where, "only .address_size 64 is supported");
      }
      return;
    }
    if (name == "file") {
      return parseFile();
    }
    if (name == "loc") {
      return parseLoc();
    }
    if (name == "section") {
      if (accept(".")) {
        take();
      } else {
        take();
      }
      return skipBalanced("{", "}");
    }
    if (name == "pragma") {
      take();
      return expect(";");
    }
    if (name == "alias") {
      std::string alias = takeWord("a function name");
      expect(",");
      std::string target = takeWord("a function name");
      expect(";");
      for (size_t i = 0, n = module.functions.size(); i < n; ++i) {
        if (module.functions[i].name == target) {
          Function copy = module.functions[i];
          copy.name = alias;
          module.functions.push_back(std::move(copy));
          break;
        }
      }
      return;
    }
    if (name == "extern") {
      isExtern = true;
    } else if (name == "visible" || name == "weak" || name == "common") {
      // Linkage means nothing to one module alone.
    } else if (name == "entry" || name == "func") {
      return parseFunction(name == "entry");
    } else if (name == "global" || name == "const" || name == "shared") {
      Space space = name == "global" ? Space::Global : name == "const" ? Space::Const : Space::Shared;
      for (Variable &v : parseVariables(space, isExtern)) {
        module.globals.push_back(std::move(v));
      }
      return;
    } else if (name == "tex" || name == "texref" || name == "samplerref" || name == "surfref") {
      fail(608, where, "textures and surfaces are not supported ('." + name + "')");
    } else {
      fail(608, where, "unknown directive '." + name + "'");
    }
  }
}

void Parser::parseParams(std::vector<Variable> &params) {
  expect("(");
  while (!accept(")")) {
    std::string kind = takeDirective();
    if (kind != "param") {
      fail(608, peek().where, "expected a .param, got '." + kind + "'");
    }
    std::vector<Variable> one = parseVariables(Space::Param, false);
    params.push_back(std::move(one.front()));
    if (!peek().is(")")) {
      expect(",");
    }
  }
}

void Parser::parseFunctionAttributes(Function &f) {
  while (peek().is(".")) {
    std::string name = takeDirective();
    if (name == "maxntid" || name == "reqntid" || name == "reqnctapercluster") {
      u32 *dims = name == "maxntid" ? f.maxntid : f.reqntid;
      u32 ignored[3] = {1, 1, 1};
      dims = name == "reqnctapercluster" ? ignored : dims;
      dims[0] = dims[1] = dims[2] = 1;
      u32 axis = 0;
      do {
        u64 value = takeUnsigned("a block size");
        if (axis >= 3 || value > 0xffffffffu) {
          unexpected("at most three block sizes");
        }
        dims[axis++] = static_cast<u32>(value);
      } while (accept(","));
    } else if (name == "minnctapersm" || name == "maxnctapersm" || name == "maxclusterrank") {
      takeUnsigned("a number");
    } else if (name == "maxnreg") {
      f.maxnreg = static_cast<u32>(takeUnsigned("a number of registers"));
    } else if (name == "pragma") {
      take();
      expect(";");
    } else if (name == "attribute") {
      skipBalanced("(", ")");
    } else if (name == "abi_preserve" || name == "abi_preserve_control") {
      takeUnsigned("a number");
    } else if (name != "noreturn" && name != "explicitcluster" && name != "blocksareclusters") {
      fail(608, peek().where, "unknown function attribute '." + name + "'");
    }
  }
}

void Parser::parseFunction(bool isEntry) {
  Function f;
  f.isEntry = isEntry;
  if (peek().is(".")) { // .func .attribute(...) or .func .noreturn
    parseFunctionAttributes(f);
  }
  if (peek().is("(")) {
    parseParams(f.results);
  }
  f.where = peek().where;
  f.name = takeWord("a function name");
  if (peek().is("(")) {
    parseParams(f.params);
  }
  parseFunctionAttributes(f);
  f.hasBody = peek().is("{");
  function = &f;
  if (f.hasBody) {
    parseBody();
  } else {
    expect(";");
  }
  function = nullptr;
  for (Function &other : module.functions) {
    if (other.name == f.name) {
      if (other.hasBody && f.hasBody) {
        fail(607, f.where, "function '" + f.name + "' is defined twice");
      }
      if (f.hasBody) {
        other = std::move(f);
      }
      return;
    }
  }
  module.functions.push_back(std::move(f));
}

std::vector<Variable> Parser::parseVariables(Space space, bool isExtern) {
  Variable base;
  base.space = space;
  base.isExtern = isExtern;
  u32 lanes = 1;
  u32 align = 0;
  while (peek().is(".")) {
    std::string name = takeDirective();
    if (name == "align") {
      u64 value = takeUnsigned("an alignment");
      if (value == 0 || value > 65536 || (value & (value - 1))) {
        fail(608, peek().where, "alignment must be a power of two");
      }
      align = std::max(align, static_cast<u32>(value));
    } else if (name == "ptr") {
      base.isPointer = true;
      // The alignment after .ptr is the pointee's.
      while (peek().is(".")) {
        std::string what = takeDirective();
        if (what == "align") {
          takeUnsigned("an alignment");
        } else if (what != "global" && what != "shared" && what != "const" && what != "local") {
          unexpected("a state space");
        }
      }
    } else if (name == "v2" || name == "v4") {
      lanes = name == "v2" ? 2 : 4;
    } else if (name == "attribute") {
      skipBalanced("(", ")");
    } else if (Ty type = parseType(name); type != Ty::None) {
      base.type = type;
    } else if (name == "texref" || name == "samplerref" || name == "surfref") {
      fail(608, peek().where, "textures and surfaces are not supported ('." + name + "')");
    } else {
      fail(608, peek().where, "unknown directive '." + name + "' in a declaration");
    }
  }
  u32 size = typeBytes(base.type) * lanes;
  base.align = std::max(align, std::max(1u, size));
  std::vector<Variable> variables;
  do {
    Variable v = base;
    v.where = peek().where;
    v.name = takeWord("a name");
    v.bytes = size;
    if (accept("<")) { // .param .b32 p<4> is not in use; registers have their own reader
      unexpected("a variable without a count");
    }
    while (accept("[")) {
      u64 count = peek().is("]") ? 0 : takeUnsigned("an array size");
      if (count > maxVariableBytes || (count && v.bytes > maxVariableBytes / count)) {
        fail(609, v.where, "array '" + v.name + "' is too large");
      }
      v.bytes *= count;
      expect("]");
    }
    if (accept("=")) {
      parseInitializer(v);
    }
    variables.push_back(std::move(v));
  } while (space != Space::Param && accept(","));
  if (space != Space::Param || function) {
    if (!(space == Space::Param && (peek().is(",") || peek().is(")")))) {
      expect(";");
    }
  }
  return variables;
}

void Parser::parseInitializer(Variable &v) {
  std::vector<u8> bytes;
  if (peek().is("{")) {
    parseInitializerList(v, bytes, 0);
  } else {
    parseInitializerValue(v, bytes);
  }
  if (v.bytes == 0) {
    v.bytes = bytes.size();
  }
  if (bytes.size() > v.bytes) {
    fail(603, v.where, "initialiser of '" + v.name + "' is longer than the variable");
  }
  bytes.resize(v.bytes);
  v.init = std::move(bytes);
}

void Parser::parseInitializerList(Variable &v, std::vector<u8> &bytes, u32 depth) {
  if (depth > 16) {
    unexpected("fewer nested braces");
  }
  expect("{");
  while (!accept("}")) {
    if (peek().is("{")) {
      parseInitializerList(v, bytes, depth + 1);
    } else {
      parseInitializerValue(v, bytes);
    }
    if (!peek().is("}")) {
      expect(",");
    }
  }
}

void Parser::parseInitializerValue(Variable &v, std::vector<u8> &bytes) {
  u32 size = std::max(1u, typeBytes(v.type));
  u64 bits[2] = {0, 0};
  if (peek().kind == Token::Kind::Word) {
    std::string name = takeWord("a symbol");
    bool wrapped = name == "generic" && accept("(");
    if (wrapped) {
      name = takeWord("a symbol");
    }
    i64 addend = 0;
    if (peek().is("+") || peek().is("-")) {
      bool minus = take().is("-");
      addend = static_cast<i64>(takeUnsigned("an offset"));
      addend = minus ? -addend : addend;
    }
    if (wrapped) {
      expect(")");
    }
    v.relocations.push_back({bytes.size(), name, addend, -1, v.where});
  } else if (peek(1).is("(")) { // 0xFF00(symbol): one byte of an address
    u64 mask = takeUnsigned("a mask");
    expect("(");
    std::string name = takeWord("a symbol");
    i64 addend = 0;
    if (name == "generic" && accept("(")) {
      name = takeWord("a symbol");
      expect(")");
    }
    if (accept("+")) {
      addend = static_cast<i64>(takeUnsigned("an offset"));
    }
    expect(")");
    i32 byte = mask ? __builtin_ctzll(mask) / 8 : 0;
    v.relocations.push_back({bytes.size(), name, addend, byte, v.where});
  } else {
    Operand value = parseNumber();
    bits[0] = value.bits;
    if (value.kind == Operand::Kind::Float && !value.single && v.type == Ty::F32) {
      double wide;
      std::memcpy(&wide, &value.bits, 8);
      float narrow = static_cast<float>(wide);
      bits[0] = 0;
      std::memcpy(&bits[0], &narrow, 4);
    }
  }
  const u8 *raw = reinterpret_cast<const u8 *>(bits);
  bytes.insert(bytes.end(), raw, raw + size);
  if (bytes.size() > maxVariableBytes) {
    fail(609, v.where, "initialiser of '" + v.name + "' is too large");
  }
}

Module parseModule(std::string_view text) { return Parser(tokenize(text)).run(); }

} // namespace pavage::sim

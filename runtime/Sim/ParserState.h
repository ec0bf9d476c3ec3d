// The parser's state, shared by its two files. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser.cpp reads directives and declarations, ParserBody.cpp reads what stands between the braces of a function.
// A body is a stack of scopes: { } opens one, and registers, variables and labels of it hide those outside. Labels may
// be used before they stand, so a scope keeps the uses that it could not resolve and hands them outwards when it
// closes.
#pragma once

#include "runtime/Sim/Ast.h"
#include "runtime/Sim/Lexer.h"

#include <string>
#include <unordered_map>

namespace pavage::sim {

class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}
  Module run();

private:
  // Tokens.
  const Token &peek(size_t ahead = 0) const {
    return tokens[at + ahead < tokens.size() ? at + ahead : tokens.size() - 1];
  }
  const Token &take() { return at + 1 < tokens.size() ? tokens[at++] : tokens.back(); }
  bool atEnd() const { return peek().kind == Token::Kind::End; }
  bool accept(std::string_view text) {
    bool found = peek().is(text) && !atEnd();
    at += found ? 1 : 0;
    return found;
  }
  void expect(std::string_view text);
  std::string takeWord(const char *what);
  /// `.` and the word after it.
  std::string takeDirective();
  u64 takeUnsigned(const char *what);
  void skipLine(u32 line);
  void skipBalanced(std::string_view open, std::string_view close);
  [[noreturn]] void unexpected(const char *wanted);

  // Module level (Parser.cpp).
  void parseTopLevel();
  void parseFunction(bool isEntry);
  void parseFunctionAttributes(Function &f);
  void parseParams(std::vector<Variable> &params);
  std::vector<Variable> parseVariables(Space space, bool isExtern);
  void parseInitializer(Variable &v);
  void parseInitializerList(Variable &v, std::vector<u8> &bytes, u32 depth);
  void parseInitializerValue(Variable &v, std::vector<u8> &bytes);
  void parseFile();
  void parseTarget();

  // Bodies (ParserBody.cpp).
  struct LabelUse {
    std::string name;
    u32 instruction;       // or table number when inTable
    std::vector<u32> path; // operand indices
    bool inTable;
    u32 tableEntry;
    Location where;
  };
  struct Scope {
    std::unordered_map<std::string, u32> registers;
    std::unordered_map<std::string, std::pair<u32, u32>> ranges; // prefix -> first number, count
    std::unordered_map<std::string, u32> variables;
    std::unordered_map<std::string, u32> labels;
    std::vector<LabelUse> pending;
  };
  void parseBody();
  void parseStatement();
  void parseBodyDirective();
  void parseLoc();
  void parseRegisters();
  void parseInstruction();
  void parseOpcode(Instruction &i);
  Operand parseOperand(bool isBranch, u32 depth);
  Operand parseName(bool isBranch);
  Operand parseNumber();
  Operand parseAddress(u32 depth);
  void declareLabel(const std::string &name, Location where);
  void closeScope();
  bool findRegister(const std::string &name, u32 &number) const;
  void resolveLabel(const LabelUse &use, u32 label);

  std::vector<Token> tokens;
  size_t at = 0;
  Module module;
  Function *function = nullptr;
  std::vector<Scope> scopes;
  std::vector<std::pair<std::vector<u32>, std::string>> labelPaths; // of the operand being read
  u32 locFile = 0;
  u32 locLine = 0, locColumn = 0;
};

/// The value of an integer literal; false if it is none.
bool parseIntegerLiteral(std::string_view text, u64 &value);

} // namespace pavage::sim

// Words, numbers and punctuation of PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Lexer.h"

namespace pavage::sim {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool isWord(char c) { return isWordStart(c) || isDigit(c); }

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text.size() / 4);
    while (skipBlank()) {
      tokens.push_back(next());
    }
    tokens.push_back({Token::Kind::End, {}, here()});
    return tokens;
  }

private:
  Location here() const { return {line, static_cast<u32>(at - lineStart + 1)}; }
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  /// Moves to the next token; false at the end.
  bool skipBlank() {
    while (at < text.size()) {
      char c = text[at];
      if (c == '\n') {
        ++at;
        newLine();
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at;
      } else if (c == '/' && peek(1) == '/') {
        while (at < text.size() && text[at] != '\n') {
          ++at;
        }
      } else if (c == '/' && peek(1) == '*') {
        skipComment();
      } else if (c == '\0' && at + 1 == text.size()) {
        return false; // the driver takes zero-terminated text
      } else {
        return true;
      }
    }
    return false;
  }

  void skipComment() {
    Location start = here();
    at += 2;
    while (!(peek() == '*' && peek(1) == '/')) {
      if (at >= text.size()) {
        fail(600, start, "comment is not closed");
      }
      if (text[at++] == '\n') {
        newLine();
      }
    }
    at += 2;
  }

  void newLine() {
    ++line;
    lineStart = at;
  }

  Token next() {
    Location start = here();
    size_t begin = at;
    char c = text[at];
    Token::Kind kind = Token::Kind::Punctuation;
    if (isWordStart(c)) {
      kind = Token::Kind::Word;
      while (isWord(peek())) {
        ++at;
      }
    } else if (isDigit(c)) {
      kind = Token::Kind::Number;
      lexNumber();
    } else if (c == '"') {
      return lexString(start);
    } else if (c == ':' && peek(1) == ':') {
      at += 2;
    } else if (c > ' ' && c < 127) {
      ++at;
    } else {
      fail(600, start, "unexpected byte " + std::to_string(static_cast<u8>(c)));
    }
    return {kind, text.substr(begin, at - begin), start};
  }

  void lexNumber() {
    // A fraction only after plain digits: `.x` after a hexadecimal or a register belongs to somebody else.
    bool decimal = !(text[at] == '0' && isWordStart(peek(1)));
    while (isWord(peek())) {
      ++at;
    }
    if (decimal && peek() == '.' && isDigit(peek(1))) {
      ++at;
      while (isWord(peek())) {
        ++at;
      }
    }
    char last = text[at - 1];
    if (decimal && (last == 'e' || last == 'E') && (peek() == '+' || peek() == '-')) {
      ++at;
      while (isDigit(peek())) {
        ++at;
      }
    }
  }

  Token lexString(Location start) {
    size_t begin = ++at;
    while (peek() != '"') {
      if (at >= text.size() || text[at] == '\n') {
        fail(600, start, "string is not closed");
      }
      at += peek() == '\\' && at + 1 < text.size() && text[at + 1] != '\n' ? 2 : 1;
    }
    Token token{Token::Kind::String, text.substr(begin, at - begin), start};
    ++at;
    return token;
  }

  std::string_view text;
  size_t at = 0;
  size_t lineStart = 0;
  u32 line = 1;
};

} // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

} // namespace pavage::sim

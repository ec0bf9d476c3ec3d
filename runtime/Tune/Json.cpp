// A small JSON reader and writer. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/Json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pavage::tune {

Json Json::of(double value) {
  Json json;
  json.kind = Kind::Number;
  json.number = value;
  return json;
}

Json Json::of(std::string value) {
  Json json;
  json.kind = Kind::Text;
  json.text = std::move(value);
  return json;
}

const Json *Json::find(std::string_view name) const {
  for (const auto &[key, value] : object) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

double Json::numberAt(std::string_view name, double fallback) const {
  const Json *member = find(name);
  return member && member->kind == Kind::Number ? member->number : fallback;
}

std::string Json::textAt(std::string_view name, const std::string &fallback) const {
  const Json *member = find(name);
  return member && member->kind == Kind::Text ? member->text : fallback;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<Json> document() {
    Json value;
    if (!parse(value, 0)) {
      return std::nullopt;
    }
    skipSpace();
    return at == text.size() ? std::optional(std::move(value)) : std::nullopt;
  }

  unsigned line() const {
    return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + std::min(at, text.size()), '\n'));
  }

private:
  std::string_view text;
  size_t at = 0;

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
      ++at;
    }
  }
  bool take(char c) {
    skipSpace();
    if (at < text.size() && text[at] == c) {
      ++at;
      return true;
    }
    return false;
  }
  bool takeWord(std::string_view word) {
    if (text.substr(at, word.size()) != word) {
      return false;
    }
    at += word.size();
    return true;
  }

  bool parse(Json &value, int depth) {
    skipSpace();
    if (at >= text.size() || depth > 32) {
      return false;
    }
    switch (text[at]) {
    case '{':
      return parseObject(value, depth);
    case '[':
      return parseList(value, depth);
    case '"':
      value.kind = Json::Kind::Text;
      return parseText(value.text);
    case 't':
    case 'f':
      value.kind = Json::Kind::Bool;
      value.flag = text[at] == 't';
      return takeWord(value.flag ? "true" : "false");
    case 'n':
      return takeWord("null");
    default:
      return parseNumber(value);
    }
  }

  bool parseNumber(Json &value) {
    value.kind = Json::Kind::Number;
    auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), value.number);
    bool isNumber = status == std::errc() && std::isfinite(value.number) && text[at] != '.';
    at = static_cast<size_t>(end - text.data());
    return isNumber;
  }

  bool parseObject(Json &value, int depth) {
    value.kind = Json::Kind::Object;
    take('{');
    if (take('}')) {
      return true;
    }
    do {
      std::string name;
      Json member;
      skipSpace();
      if (!parseText(name) || !take(':') || !parse(member, depth + 1)) {
        return false;
      }
      value.object.push_back({std::move(name), std::move(member)});
    } while (take(','));
    return take('}');
  }

  bool parseList(Json &value, int depth) {
    value.kind = Json::Kind::List;
    take('[');
    if (take(']')) {
      return true;
    }
    do {
      value.list.emplace_back();
      if (!parse(value.list.back(), depth + 1)) {
        return false;
      }
    } while (take(','));
    return take(']');
  }

  bool parseHex(unsigned &code) {
    code = 0;
    auto [end, status] = std::from_chars(text.data() + at, text.data() + std::min(at + 4, text.size()), code, 16);
    bool isWhole = status == std::errc() && end == text.data() + at + 4;
    at += 4;
    return isWhole;
  }

  bool parseText(std::string &out) {
    if (at >= text.size() || text[at] != '"') {
      return false;
    }
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      char c = text[at];
      if (static_cast<unsigned char>(c) < 0x20) {
        return false;
      }
      if (c != '\\') {
        out.push_back(c);
        continue;
      }
      if (++at >= text.size()) {
        return false;
      }
      static constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
      if (size_t which = escapes.find(text[at]); which != std::string_view::npos) {
        out.push_back(meanings[which]);
        continue;
      }
      unsigned code = 0;
      if (text[at] != 'u' || (++at, !parseHex(code))) {
        return false;
      }
      --at; // of the loop
      bool isHalf = code >= 0xd800 && code < 0xe000;
      if (isHalf && (code >= 0xdc00 || text.substr(at + 1, 2) != "\\u")) {
        return false;
      }
      if (isHalf) {
        unsigned low = 0;
        at += 3;
        if (!parseHex(low) || low < 0xdc00 || low >= 0xe000) {
          return false;
        }
        --at;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      }
      appendUtf8(out, code);
    }
    return take('"');
  }

  static void appendUtf8(std::string &out, unsigned code) {
    if (code < 0x80) {
      out.push_back(static_cast<char>(code));
      return;
    }
    int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static constexpr unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
    out.push_back(static_cast<char>(leads[extra] | code >> (6 * extra)));
    while (extra-- > 0) {
      out.push_back(static_cast<char>(0x80 | ((code >> (6 * extra)) & 0x3f)));
    }
  }
};
} // namespace

std::optional<Json> parseJson(std::string_view text, unsigned *line) {
  Parser parser(text);
  auto value = parser.document();
  if (line) {
    *line = parser.line();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeText(std::string &out, const std::string &text) {
  out.push_back('"');
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr char digits[] = "0123456789abcdef";
      out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

static bool isFlat(const Json &value) {
  for (const auto &[name, member] : value.object) {
    if (member.kind == Json::Kind::List || member.kind == Json::Kind::Object) {
      return false;
    }
  }
  return value.list.empty();
}

static void write(std::string &out, const Json &value, size_t indent) {
  char buffer[40];
  std::string separator = isFlat(value) ? " " : "\n" + std::string(indent + 2, ' ');
  bool isFirst = true;
  auto separate = [&] {
    out += isFirst ? (isFlat(value) ? "" : separator) : "," + separator;
    isFirst = false;
  };
  switch (value.kind) {
  case Json::Kind::Null:
    out += "null";
    break;
  case Json::Kind::Bool:
    out += value.flag ? "true" : "false";
    break;
  case Json::Kind::Number:
    out.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value.number).ptr);
    break;
  case Json::Kind::Text:
    writeText(out, value.text);
    break;
  case Json::Kind::List:
  case Json::Kind::Object:
    out.push_back(value.kind == Json::Kind::List ? '[' : '{');
    for (const Json &element : value.list) {
      separate();
      write(out, element, indent + 2);
    }
    for (const auto &[name, member] : value.object) {
      separate();
      writeText(out, name);
      out += ": ";
      write(out, member, indent + 2);
    }
    if (!isFlat(value)) {
      out += "\n" + std::string(indent, ' ');
    }
    out.push_back(value.kind == Json::Kind::List ? ']' : '}');
    break;
  }
}

std::string writeJson(const Json &value) {
  std::string out;
  write(out, value, 0);
  out.push_back('\n');
  return out;
}

} // namespace pavage::tune

// The catalogue's table and the printed form of errors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Errors/Errors.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace pavage::errors {

//===----------------------------------------------------------------------===//
// Catalogue
//===----------------------------------------------------------------------===//

static constexpr Entry entries[] = {
#define PAVAGE_ERROR(number, name, summary, explanation) {number, #name, summary, explanation},
#include "runtime/Errors/Catalogue.def"
};

static constexpr bool numbersAreUnique() {
  for (size_t i = 0; i < std::size(entries); ++i) {
    if (entries[i].number == 0 || entries[i].number > 999) {
      return false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (entries[i].number == entries[j].number) {
        return false;
      }
    }
  }
  return true;
}
static_assert(numbersAreUnique(), "Catalogue.def uses a number twice, or one outside 1..999 (octal?)");

const std::vector<const Entry *> &all() {
  // Never destroyed: errors may be looked up while the process exits.
  static const auto &sorted = *new std::vector<const Entry *>([] {
    std::vector<const Entry *> list;
    for (const Entry &entry : entries) {
      list.push_back(&entry);
    }
    std::sort(list.begin(), list.end(), [](const Entry *a, const Entry *b) { return a->number < b->number; });
    return list;
  }());
  return sorted;
}

const Entry *find(unsigned number) {
  for (const Entry &entry : entries) {
    if (entry.number == number) {
      return &entry;
    }
  }
  return nullptr;
}

std::optional<unsigned> parseNumber(std::string_view text) {
  if (text.size() > 2 && (text[0] == 'P' || text[0] == 'p') && (text[1] == 'V' || text[1] == 'v')) {
    text.remove_prefix(2);
  }
  if (text.empty() || text.size() > 4) {
    return std::nullopt;
  }
  unsigned number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

std::string formatNumber(unsigned number) {
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), "PV%04u", number);
  return buffer;
}

//===----------------------------------------------------------------------===//
// Printed form
//===----------------------------------------------------------------------===//

std::optional<std::string> readSourceLine(const std::string &file, unsigned number) {
  // Longer lines are not for human eyes, and a "file" may be an endless device.
  constexpr size_t longest = 4096;
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  unsigned current = 1;
  size_t budget = size_t(64) << 20;
  for (char c; number != 0 && budget-- != 0 && stream.get(c);) {
    if (c == '\n') {
      if (current++ == number) {
        break;
      }
    } else if (current == number) {
      line.push_back(c);
      if (line.size() > longest) {
        return std::nullopt;
      }
    }
  }
  if (number == 0 || (current < number) || (current == number && line.empty())) {
    return std::nullopt;
  }
  if (!line.empty() && line.back() == '\r') {
    line.pop_back();
  }
  return line;
}

/// White space that puts a caret under byte `column` of `line`: tabs stay tabs, a UTF-8 sequence takes one place.
static std::string caretIndent(const std::string &line, unsigned column) {
  std::string indent;
  for (size_t i = 0; i + 1 < column && i < line.size(); ++i) {
    bool isContinuation = (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
    if (!isContinuation) {
      indent.push_back(line[i] == '\t' ? '\t' : ' ');
    }
  }
  return indent;
}

std::string render(std::string_view kind, std::string_view text, const Position &at,
                   const std::optional<std::string> &given) {
  std::string out;
  if (!at.file.empty()) {
    out += at.file;
    if (at.line != 0) {
      out += ":" + std::to_string(at.line);
      if (at.column != 0) {
        out += ":" + std::to_string(at.column);
      }
    }
    out += ": ";
  }
  out += kind;
  out += ": ";
  out += text;
  std::optional<std::string> line = given;
  if (!line && at.line != 0 && !at.file.empty()) {
    line = readSourceLine(at.file, at.line);
  }
  if (line) {
    out += "\n    " + *line;
    if (at.column != 0) {
      out += "\n    " + caretIndent(*line, at.column) + "^";
    }
  }
  return out;
}

std::string Error::render() const {
  std::string out = errors::render("error " + formatNumber(errorNumber), message, position, line);
  for (const Note &note : attached) {
    out += "\n" + errors::render("note", note.text, note.at);
  }
  return out;
}

} // namespace pavage::errors

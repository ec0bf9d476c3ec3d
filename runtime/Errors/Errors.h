// Numbered errors: catalogue, the Error value, its printed form. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Every error that a user can meet has a number in Catalogue.def. Code that fails returns an Error (or a Result<T>) by
// value; nothing here throws. Usable by the compiler: no dependency but the C++ library.
//
//   if (n < 0)
//     return Error(Code::BadGrid, "expected a grid size of at least 0, got " + std::to_string(n), {file, line,
//     column});
//
//   demo.py:7:12: error PV0304: expected a grid size of at least 0, got -3
//       kernel[(n - 5,)](x)
//               ^
#ifndef PAVAGE_RUNTIME_ERRORS_ERRORS_H
#define PAVAGE_RUNTIME_ERRORS_ERRORS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pavage::errors {

/// The catalogue's names: Code::BadGrid == 304.
enum class Code : uint16_t {
  None = 0,
#define PAVAGE_ERROR(number, name, summary, explanation) name = number,
#include "runtime/Errors/Catalogue.def"
};

/// One entry of the catalogue.
struct Entry {
  unsigned number;
  const char *name;
  const char *summary;
  const char *explanation;
};

/// The entry with this number, or null.
const Entry *find(unsigned number);

/// All entries, by ascending number.
const std::vector<const Entry *> &all();

/// Reads "PV0123", "pv123", "0123" or "123"; nothing when it is not of that form.
std::optional<unsigned> parseNumber(std::string_view text);

/// "PV0123".
std::string formatNumber(unsigned number);

/// A place in a source file. Line and column count from 1, columns in bytes; 0 = unknown.
struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

/// Points to a second place that explains the first.
struct Note {
  std::string text;
  Position at;
};

/// A numbered error, or success when empty.
class [[nodiscard]] Error {
public:
  Error() = default;
  Error(Code code, std::string text, Position at = {}) : Error(static_cast<unsigned>(code), std::move(text), at) {}
  Error(unsigned number, std::string text, Position at = {})
      : errorNumber(number), message(std::move(text)), position(std::move(at)) {}

  static Error success() { return {}; }

  /// True when this is an error.
  explicit operator bool() const { return errorNumber != 0; }

  unsigned number() const { return errorNumber; }
  Code code() const { return static_cast<Code>(errorNumber); }
  bool is(Code code) const { return errorNumber == static_cast<unsigned>(code); }
  const std::string &text() const { return message; }
  const Position &at() const { return position; }
  const std::vector<Note> &notes() const { return attached; }

  /// The text of the line at at(), for sources that are not files (REPL, notebook). Without it render() reads the file.
  const std::optional<std::string> &sourceLine() const { return line; }

  Error withPosition(Position at) && {
    position = std::move(at);
    return std::move(*this);
  }
  Error withSourceLine(std::string text) && {
    line = std::move(text);
    return std::move(*this);
  }
  Error withNote(std::string text, Position at = {}) && {
    attached.push_back({std::move(text), std::move(at)});
    return std::move(*this);
  }

  /// The whole printed form, several lines, without a final newline.
  std::string render() const;

private:
  unsigned errorNumber = 0;
  std::string message;
  Position position;
  std::optional<std::string> line;
  std::vector<Note> attached;
};

/// A value or an error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return *std::get_if<0>(&content); }
  const T &operator*() const { return *std::get_if<0>(&content); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }
  const Error &error() const { return *std::get_if<1>(&content); }
  Error takeError() { return std::move(*std::get_if<1>(&content)); }

private:
  std::variant<T, Error> content;
};

/// `FILE:LINE:COL: KIND: TEXT`, then the line and a caret when the line is known. `kind` is e.g. "error PV0123" or
/// "note".
std::string render(std::string_view kind, std::string_view text, const Position &at,
                   const std::optional<std::string> &line = {});

/// Line `number` (from 1) of a file; nothing when there is no such line or file.
std::optional<std::string> readSourceLine(const std::string &file, unsigned number);

} // namespace pavage::errors

#endif // PAVAGE_RUNTIME_ERRORS_ERRORS_H

// As much JSON as the tuning file needs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading accepts any bytes and says where they stop being JSON; writing is stable (keys in the order given), so that a
// committed file changes only where a choice changed.
#ifndef PAVAGE_RUNTIME_TUNE_JSON_H
#define PAVAGE_RUNTIME_TUNE_JSON_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pavage::tune {

struct Json {
  struct Member;

  enum class Kind { Null, Bool, Number, Text, List, Object };

  Kind kind = Kind::Null;
  bool flag = false;
  double number = 0;
  std::string text;
  std::vector<Json> list;
  std::vector<Member> object;

  static Json of(double value);
  static Json of(std::string value);

  /// The member of an object, or null.
  const Json *find(std::string_view name) const;
  /// A member's number or text, or the fallback when it is missing or of another kind.
  double numberAt(std::string_view name, double fallback) const;
  std::string textAt(std::string_view name, const std::string &fallback) const;
};

struct Json::Member {
  std::string name;
  Json value;
};

/// The value that `text` is, or nothing; then *line says where the trouble is.
std::optional<Json> parseJson(std::string_view text, unsigned *line = nullptr);

/// Indented by two spaces per level; objects without lists and objects in them take one line.
std::string writeJson(const Json &value);

} // namespace pavage::tune

#endif // PAVAGE_RUNTIME_TUNE_JSON_H

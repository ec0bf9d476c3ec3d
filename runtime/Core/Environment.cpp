// Strict reading of environment variables. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/Environment.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace pavage::core {

using errors::Code;
using errors::Error;
using errors::Result;

std::optional<std::string> environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

static Error badValue(const char *name, const std::string &value, const std::string &expected) {
  return Error(Code::BadEnvironment, "expected " + std::string(name) + " to be " + expected + ", got '" + value + "'");
}

Result<std::optional<int64_t>> environmentInteger(const char *name, int64_t least, int64_t most) {
  auto text = environment(name);
  if (!text || text->empty()) {
    return std::optional<int64_t>();
  }
  int64_t value = 0;
  auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (status != std::errc() || end != text->data() + text->size() || value < least || value > most) {
    return badValue(name, *text, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return std::optional<int64_t>(value);
}

Result<bool> environmentFlag(const char *name, bool fallback) {
  auto text = environment(name);
  if (!text || text->empty()) {
    return fallback;
  }
  for (std::string_view word : {"1", "true", "on", "yes"}) {
    if (*text == word) {
      return true;
    }
  }
  for (std::string_view word : {"0", "false", "off", "no"}) {
    if (*text == word) {
      return false;
    }
  }
  return badValue(name, *text, "0 or 1");
}

Result<std::string> environmentChoice(const char *name, std::initializer_list<std::string_view> words) {
  auto text = environment(name);
  if (!text || text->empty()) {
    return std::string(*words.begin());
  }
  std::string list;
  for (std::string_view word : words) {
    if (*text == word) {
      return *text;
    }
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  return badValue(name, *text, "one of " + list);
}

std::optional<uint64_t> parseBytes(std::string_view text) {
  double value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || !(value >= 0)) {
    return std::nullopt;
  }
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  static constexpr std::string_view letters = "KMGT";
  if (!unit.empty() && letters.find(unit[0]) != std::string_view::npos) {
    value = std::ldexp(value, 10 * static_cast<int>(letters.find(unit[0]) + 1));
    unit.remove_prefix(1);
    if (!unit.empty() && unit[0] == 'i') {
      unit.remove_prefix(1);
      if (unit.empty()) {
        return std::nullopt;
      }
    }
  }
  if (unit == "B") {
    unit.remove_prefix(1);
  }
  if (!unit.empty() || value >= 0x1p63) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(value);
}

Result<std::optional<uint64_t>> environmentBytes(const char *name) {
  auto text = environment(name);
  if (!text || text->empty()) {
    return std::optional<uint64_t>();
  }
  auto bytes = parseBytes(*text);
  if (!bytes) {
    return badValue(name, *text, "a size such as 512M or 2G");
  }
  return std::optional<uint64_t>(bytes);
}

} // namespace pavage::core

// How virtual GPUs run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Settings.h"

#include "runtime/Core/Environment.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>

namespace pavage::sim {

using errors::Error;
using errors::Result;

namespace {

struct Setting {
  std::string_view name;
  const char *variable;
  /// Reads the text into the options; PV0630 when it cannot.
  Error (*apply)(std::string_view text, LaunchOptions &options);
};

Error bad(std::string_view name, std::string_view expected, std::string_view text) {
  return Error(errors::Code::SimBadOption,
               std::string(name) + " '" + std::string(text) + "': expected " + std::string(expected));
}

std::optional<u64> parseNumber(std::string_view text) {
  u64 value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Error applyChecks(std::string_view text, LaunchOptions &options) {
  auto checks = parseChecks(text);
  options.checks = checks ? *checks : options.checks;
  return checks ? Error::success() : checks.takeError();
}

Error applyAsync(std::string_view text, LaunchOptions &options) {
  auto mode = parseAsync(text);
  options.async = mode ? *mode : options.async;
  return mode ? Error::success() : mode.takeError();
}

Error applySeed(std::string_view text, LaunchOptions &options) {
  auto value = parseNumber(text);
  options.seed = value.value_or(0);
  return value ? Error::success() : bad("seed", "a number", text);
}

Error applyBudget(std::string_view text, LaunchOptions &options) {
  auto value = parseNumber(text);
  options.maxInstructions = value.value_or(0);
  return value && *value != 0 ? Error::success() : bad("max-instructions", "a number from 1", text);
}

Error applyThreads(std::string_view text, LaunchOptions &options) {
  auto value = parseNumber(text);
  options.hostThreads = static_cast<u32>(std::clamp<u64>(value.value_or(1), 1, 256));
  return value && *value != 0 ? Error::success() : bad("threads", "a number from 1", text);
}

constexpr Setting all[] = {
    {"check", "PAVAGE_SIM_CHECK", applyChecks},      {"async", "PAVAGE_SIM_ASYNC", applyAsync},
    {"seed", "PAVAGE_SIM_SEED", applySeed},          {"max-instructions", "PAVAGE_SIM_MAX_INSTRUCTIONS", applyBudget},
    {"threads", "PAVAGE_NUM_THREADS", applyThreads},
};

const Setting *findSetting(std::string_view name) {
  auto found = std::find_if(std::begin(all), std::end(all), [&](const Setting &s) { return s.name == name; });
  return found == std::end(all) ? nullptr : found;
}

struct Changed {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> values;
};

Changed &changed() {
  static auto *shared = [] {
    static auto *made = new Changed();
    pthread_atfork(nullptr, nullptr, [] { new (&made->mutex) std::mutex(); });
    return made;
  }();
  return *shared;
}

} // namespace

Result<u32> parseChecks(std::string_view text) {
  if (text == "none") {
    return 0u;
  }
  u32 checks = 0;
  std::string known = "all";
  for (u32 k = 0; k <= static_cast<u32>(Kind::Unwritten); ++k) {
    known += ", " + std::string(kindName(static_cast<Kind>(k)));
  }
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, end - at);
    u32 bits = part == "all" ? allChecks : 0;
    for (u32 k = 0; k <= static_cast<u32>(Kind::Unwritten); ++k) {
      bits |= kindName(static_cast<Kind>(k)) == part ? 1u << k : 0;
    }
    if (bits == 0) {
      return bad("check", "none or a list of " + known, part);
    }
    checks |= bits;
    at = end + 1;
  }
  return checks;
}

Result<AsyncMode> parseAsync(std::string_view text) {
  if (text == "eager" || text == "lazy" || text == "random") {
    return text == "eager" ? AsyncMode::Eager : text == "lazy" ? AsyncMode::Lazy : AsyncMode::Random;
  }
  return bad("async", "eager, lazy or random", text);
}

Result<LaunchOptions> currentSettings() {
  LaunchOptions options;
  std::lock_guard lock(changed().mutex);
  for (const Setting &setting : all) {
    auto given = changed().values.find(setting.name);
    if (given != changed().values.end()) {
      if (Error error = setting.apply(given->second, options)) {
        return error;
      }
      continue;
    }
    auto text = core::environment(setting.variable);
    if (text && !text->empty()) {
      if (Error error = setting.apply(*text, options)) {
        return Error(errors::Code::BadEnvironment, std::string(setting.variable) + ": " + error.text());
      }
    }
  }
  return options;
}

Error changeSetting(std::string_view name, std::string_view value) {
  const Setting *setting = findSetting(name);
  if (setting == nullptr) {
    return bad("setting", "check, async, seed, max-instructions or threads", name);
  }
  LaunchOptions scratch;
  if (!value.empty()) {
    if (Error error = setting->apply(value, scratch)) {
      return error;
    }
  }
  std::lock_guard lock(changed().mutex);
  if (value.empty()) {
    auto found = changed().values.find(name);
    if (found != changed().values.end()) {
      changed().values.erase(found);
    }
  } else {
    changed().values[std::string(name)] = value;
  }
  return Error::success();
}

std::string changedSetting(std::string_view name) {
  std::lock_guard lock(changed().mutex);
  auto found = changed().values.find(name);
  return found == changed().values.end() ? std::string() : found->second;
}

} // namespace pavage::sim

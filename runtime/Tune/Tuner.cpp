// The tuner: modes, stored choices, races. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/Tuner.h"

#include "runtime/Core/Environment.h"
#include "runtime/Core/Output.h"
#include "runtime/Tune/TuningFile.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pavage::tune {

using errors::Code;
using errors::Error;
using errors::Result;

namespace {
/// Choices of this process, for when nothing is kept on disk.
struct Memory {
  std::mutex mutex;
  std::map<std::string, StoredChoice> choices;
  std::string lastComplaint;
};
} // namespace

static Memory &memory() {
  static auto *shared = [] {
    static auto *made = new Memory();
    pthread_atfork([] { made->mutex.lock(); }, [] { made->mutex.unlock(); }, [] { made->mutex.unlock(); });
    return made;
  }();
  return *shared;
}

static void complainOnce(const std::string &text) {
  {
    std::lock_guard lock(memory().mutex);
    if (memory().lastComplaint == text) {
      return;
    }
    memory().lastComplaint = text;
  }
  core::write(core::Output::Notice,
              errors::render("warning " + errors::formatNumber(unsigned(Code::TuningFileUnusable)), text, {}) + "\n");
}

/// The stored choice as an outcome, if it is one for these candidates.
static std::optional<Outcome> applies(const StoredChoice &stored, const Request &request, bool isFrozen) {
  auto chosen = std::find(request.labels.begin(), request.labels.end(), stored.chosen);
  if (chosen == request.labels.end()) {
    return std::nullopt;
  }
  Outcome outcome;
  outcome.choice = static_cast<uint32_t>(chosen - request.labels.begin());
  outcome.isStored = true;
  outcome.candidates.resize(request.labels.size());
  size_t known = 0;
  for (size_t i = 0; i < request.labels.size(); ++i) {
    for (const StoredCandidate &candidate : stored.candidates) {
      if (candidate.label == request.labels[i]) {
        Measurement &measurement = outcome.candidates[i];
        measurement.median = candidate.milliseconds;
        measurement.least = candidate.least;
        measurement.runs = candidate.runs;
        if (candidate.error != 0) {
          measurement.refusal = Error(candidate.error, "refused when it was measured");
        }
        ++known;
        break;
      }
    }
  }
  bool isSame = known == request.labels.size() && stored.candidates.size() == request.labels.size();
  return isSame || isFrozen ? std::optional(std::move(outcome)) : std::nullopt;
}

static StoredChoice toStored(const Standing &standing, const std::vector<std::string> &labels) {
  StoredChoice stored;
  stored.chosen = labels[standing.winner];
  for (size_t i = 0; i < labels.size(); ++i) {
    const Measurement &measurement = standing.candidates[i];
    stored.candidates.push_back(
        {labels[i], measurement.median, measurement.least, measurement.runs, measurement.refusal.number()});
  }
  return stored;
}

Result<Outcome> tune(Request request) {
  if (request.labels.empty()) {
    return Error(Code::TuningNoCandidate, "expected candidates, got none");
  }
  request.contest.candidates = static_cast<uint32_t>(request.labels.size());
  auto mode = core::environmentChoice("PAVAGE_TUNING", {"on", "off", "frozen"});
  if (!mode) {
    return mode.takeError();
  }
  bool isFrozen = *mode == "frozen";
  if (*mode == "off") {
    Outcome first;
    first.candidates.resize(request.labels.size());
    return first;
  }

  std::string path = core::environment("PAVAGE_TUNING_FILE").value_or("");
  if (path.empty()) {
    path = request.defaultFile;
  }
  std::optional<StoredChoice> stored;
  if (!path.empty()) {
    std::string damage;
    auto found = TuningFile(path).find(request.key, &damage);
    if (!found && isFrozen) {
      return found.takeError();
    }
    if (!damage.empty() && isFrozen) {
      return Error(Code::TuningFileUnusable, "expected a tuning file, got '" + path + "': " + damage);
    }
    if (!found || !damage.empty()) {
      complainOnce(found ? "the tuning file '" + path + "' is damaged: " + damage : found.error().text());
    }
    stored = found ? std::move(*found) : std::nullopt;
  }
  if (!stored) {
    std::lock_guard lock(memory().mutex);
    auto at = memory().choices.find(request.key);
    stored = at != memory().choices.end() ? std::optional(at->second) : std::nullopt;
  }
  if (stored) {
    if (auto outcome = applies(*stored, request, isFrozen)) {
      return std::move(*outcome);
    }
  }
  if (isFrozen) {
    return Error(Code::TuningFrozen, "expected a stored choice for '" + request.key + "', got none in " +
                                         (!path.empty() ? "'" + path + "'" : "this process"));
  }

  auto seconds = core::environmentInteger("PAVAGE_TUNING_TIMEOUT", 1, 1000000);
  if (!seconds) {
    return seconds.takeError();
  }
  request.contest.tryOutSeconds = static_cast<double>(seconds->value_or(60));
  auto standing = measure(request.contest, request.labels);
  if (!standing) {
    return standing.takeError();
  }
  StoredChoice choice = toStored(*standing, request.labels);
  {
    std::lock_guard lock(memory().mutex);
    memory().choices[request.key] = choice;
  }
  if (!path.empty()) {
    if (Error error = TuningFile(path).store(request.key, choice)) {
      complainOnce(error.text());
    }
  }
  Outcome outcome;
  outcome.choice = standing->winner;
  outcome.candidates = std::move(standing->candidates);
  return outcome;
}

} // namespace pavage::tune

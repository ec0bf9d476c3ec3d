// The race: prove, warm up, run in turns, drop who cannot win. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates run in turns, not one after the other, so that a change of clock or a busy neighbour hits all alike. One
// that is so slow in its first timed runs that noise cannot explain it is not run again.
#include "runtime/Tune/Measure.h"

#include <algorithm>
#include <chrono>

namespace pavage::tune {

using errors::Code;
using errors::Error;
using errors::Result;

/// Shorter runs are timed several at a time, where nothing has to be reset in between: a clock call is not free.
static constexpr double shortRun = 0.02;
static constexpr uint32_t mostRuns = 200;
static constexpr uint32_t fewestRuns = 3;
/// A candidate whose fastest run is so much slower than the best median is out.
static constexpr double hopeless = 1.3;
static constexpr double equalEnough = 1.01;
/// So many times the fastest first run may a first run take.
static constexpr double patience = 20;

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  double upper = values[middle];
  if (values.size() % 2 != 0) {
    return upper;
  }
  return (upper + *std::max_element(values.begin(), values.begin() + middle)) / 2;
}

namespace {
class Race {
public:
  explicit Race(const Contest &contest) : contest(contest), lanes(contest.candidates) {}

  /// An error that ends everything, or success.
  Error run() {
    for (uint32_t i = 0; i < contest.candidates; ++i) {
      if (Error error = isIn(i, prepare(i))) {
        return error;
      }
    }
    for (uint32_t i = 0; i < contest.candidates; ++i) {
      if (Error error = lanes[i].refusal ? Error::success() : isIn(i, prove(i))) {
        return error;
      }
    }
    for (bool isRunning = true; isRunning;) {
      isRunning = false;
      for (uint32_t i = 0; i < contest.candidates; ++i) {
        if (!wantsMore(i)) {
          continue;
        }
        if (Error error = isIn(i, timeOnce(i))) {
          return error;
        }
        isRunning = true;
      }
    }
    return Error::success();
  }

  std::vector<Measurement> results() {
    std::vector<Measurement> all;
    for (Lane &lane : lanes) {
      Measurement measurement;
      measurement.refusal = std::move(lane.refusal);
      if (!measurement.refusal) {
        measurement.median = median(lane.times);
        measurement.least = *std::min_element(lane.times.begin(), lane.times.end());
        measurement.runs = static_cast<uint32_t>(lane.times.size());
      }
      all.push_back(std::move(measurement));
    }
    return all;
  }

private:
  struct Lane {
    Error refusal;
    std::vector<double> times;
    double spent = 0;
    uint32_t batch = 1;
  };

  const Contest &contest;
  std::vector<Lane> lanes;
  double fastestTry = 0; ///< seconds; 0 = none

  double now() const {
    if (contest.clock) {
      return contest.clock();
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// Refuses the candidate on an error of its own; passes on what concerns all.
  Error isIn(uint32_t candidate, Error error) {
    if (error.is(Code::Interrupted) || error.is(Code::NestedLaunch)) {
      return error;
    }
    lanes[candidate].refusal = std::move(error);
    return Error::success();
  }

  Error reset(uint32_t candidate) { return contest.reset ? contest.reset(candidate) : Error::success(); }

  /// Everything that may go wrong badly.
  Error prepare(uint32_t candidate) {
    if (contest.prepare) {
      if (Error error = contest.prepare(candidate)) {
        return error;
      }
    }
    if (!contest.tryOut) {
      return Error::success();
    }
    if (Error error = reset(candidate)) {
      return error;
    }
    // Once one has run, the others need not take much longer: they could not win.
    double limit =
        fastestTry == 0 ? contest.tryOutSeconds : std::min(contest.tryOutSeconds, std::max(1.0, patience * fastestTry));
    double start = now();
    if (Error error = contest.tryOut(candidate, limit)) {
      return error;
    }
    double took = (now() - start) / 1000;
    fastestTry = fastestTry == 0 ? took : std::min(fastestTry, took);
    return Error::success();
  }

  /// First run, check, warm-up.
  Error prove(uint32_t candidate) {
    if (Error error = reset(candidate)) {
      return error;
    }
    if (Error error = contest.run(candidate)) {
      return error;
    }
    if (contest.check) {
      if (Error error = contest.check(candidate)) {
        return error;
      }
    }
    double start = now(), last = 0;
    for (uint32_t runs = 0; runs < mostRuns && now() - start < contest.warmupMilliseconds; ++runs) {
      if (Error error = reset(candidate)) {
        return error;
      }
      double before = now();
      if (Error error = contest.run(candidate)) {
        return error;
      }
      last = now() - before;
    }
    bool canRepeat = !contest.reset && last < shortRun;
    lanes[candidate].batch = canRepeat ? static_cast<uint32_t>(shortRun / std::max(last, shortRun / 100)) + 1 : 1;
    return Error::success();
  }

  bool wantsMore(uint32_t candidate) const {
    const Lane &lane = lanes[candidate];
    if (lane.refusal || lane.times.size() >= mostRuns) {
      return false;
    }
    if (lane.times.empty()) {
      return true;
    }
    double best = 0;
    for (const Lane &other : lanes) {
      if (!other.refusal && !other.times.empty()) {
        double middle = median(other.times);
        best = best == 0 ? middle : std::min(best, middle);
      }
    }
    double fastest = *std::min_element(lane.times.begin(), lane.times.end());
    if (fastest > hopeless * best) {
      return false;
    }
    return lane.times.size() < fewestRuns || lane.spent < contest.measureMilliseconds;
  }

  Error timeOnce(uint32_t candidate) {
    Lane &lane = lanes[candidate];
    if (Error error = reset(candidate)) {
      return error;
    }
    double start = now();
    for (uint32_t i = 0; i < lane.batch; ++i) {
      if (Error error = contest.run(candidate)) {
        return error;
      }
    }
    double took = now() - start;
    lane.times.push_back(took / lane.batch);
    lane.spent += took;
    return Error::success();
  }
};
} // namespace

Result<Standing> measure(const Contest &contest, const std::vector<std::string> &labels) {
  Race race(contest);
  if (Error error = race.run()) {
    return error;
  }
  Standing standing;
  standing.candidates = race.results();
  double best = 0;
  for (const Measurement &measurement : standing.candidates) {
    if (!measurement.refusal && (best == 0 || measurement.median < best)) {
      best = measurement.median;
    }
  }
  std::string reasons;
  for (uint32_t i = 0; i < standing.candidates.size(); ++i) {
    const Measurement &measurement = standing.candidates[i];
    if (!measurement.refusal && measurement.median <= best * equalEnough) {
      standing.winner = i;
      return standing;
    }
    if (measurement.refusal) {
      reasons += "; " + (i < labels.size() ? labels[i] : "candidate " + std::to_string(i)) + ": " +
                 errors::formatNumber(measurement.refusal.number()) + " " + measurement.refusal.text();
    }
  }
  return Error(Code::TuningNoCandidate,
               "expected a candidate that works, got none of " + std::to_string(standing.candidates.size()) + reasons);
}

} // namespace pavage::tune

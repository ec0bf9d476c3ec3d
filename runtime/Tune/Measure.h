// Times candidates against each other. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_TUNE_MEASURE_H
#define PAVAGE_RUNTIME_TUNE_MEASURE_H

#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pavage::tune {

/// What is to be measured. Callbacks get the candidate's index; all but `run` may be empty.
struct Contest {
  uint32_t candidates = 0;
  std::function<errors::Error(uint32_t)> prepare; ///< compile and load
  std::function<errors::Error(uint32_t)> reset;   ///< before each run
  /// Runs it where a crash does no harm, for so many seconds at most. All candidates are tried out before any runs.
  std::function<errors::Error(uint32_t, double)> tryOut;
  std::function<errors::Error(uint32_t)> run;   ///< the only thing that is timed
  std::function<errors::Error(uint32_t)> check; ///< after the first run: is the result right?
  double warmupMilliseconds = 5;
  double measureMilliseconds = 20; ///< per candidate
  double tryOutSeconds = 60;
  /// Milliseconds since some start; for tests. Empty = the steady clock.
  std::function<double()> clock;
};

struct Measurement {
  double median = 0; ///< milliseconds
  double least = 0;
  uint32_t runs = 0;
  errors::Error refusal; ///< why it does not count
};

struct Standing {
  std::vector<Measurement> candidates;
  uint32_t winner = 0;
};

/// Measures all. A candidate that cannot be prepared, fails, or gives a wrong result is refused. The winner is the
/// least median; of those within one percent of it, the first. An interruption (PV0311) ends everything; PV0411 when
/// none is left, with the reasons.
errors::Result<Standing> measure(const Contest &contest, const std::vector<std::string> &labels);

/// The middle value; of an even number, the mean of the two.
double median(std::vector<double> values);

} // namespace pavage::tune

#endif // PAVAGE_RUNTIME_TUNE_MEASURE_H

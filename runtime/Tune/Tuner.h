// Chooses among candidates: stored choice, else a race. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_TUNE_TUNER_H
#define PAVAGE_RUNTIME_TUNE_TUNER_H

#include "runtime/Tune/Measure.h"

namespace pavage::tune {

struct Request {
  std::string key; ///< what the choice depends on: kernel, source, device, argument key
  std::vector<std::string> labels;
  Contest contest; ///< its `candidates` is set from the labels
  /// Where choices are kept when PAVAGE_TUNING_FILE does not say: a path; empty = in the process only.
  std::string defaultFile;
};

struct Outcome {
  uint32_t choice = 0;
  bool isStored = false;
  std::vector<Measurement> candidates; ///< of the race now or then; zeros when nothing was measured
};

/// PAVAGE_TUNING: on (the default), off = candidate 0, frozen = stored choices only (else PV0410). A stored choice
/// counts while the candidates are the same (frozen: while the chosen one is still among them).
errors::Result<Outcome> tune(Request request);

} // namespace pavage::tune

#endif // PAVAGE_RUNTIME_TUNE_TUNER_H

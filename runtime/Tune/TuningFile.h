// Choices that outlive the process. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {
//     "version": 1,
//     "choices": {
//       "softmax cpu ...": {
//         "chosen": "BLOCK=128",
//         "candidates": [ {"label": "BLOCK=128", "ms": 0.013, "least": 0.012, "runs": 200}, ... ]
//       }
//     }
//   }
//
// Made to be read, committed and merged: keys are sorted, labels name candidates. Several processes may add choices at
// once: each takes a lock, reads what is there, adds its own, and replaces the file in one step. A file that cannot be
// read as such is set aside under the name + ".damaged", not overwritten.
#ifndef PAVAGE_RUNTIME_TUNE_TUNINGFILE_H
#define PAVAGE_RUNTIME_TUNE_TUNINGFILE_H

#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pavage::tune {

struct StoredCandidate {
  std::string label;
  double milliseconds = 0;
  double least = 0;
  uint32_t runs = 0;
  uint32_t error = 0; ///< number of the error for which it was refused
};

struct StoredChoice {
  std::string chosen; ///< label
  std::vector<StoredCandidate> candidates;
};

class TuningFile {
public:
  explicit TuningFile(std::string path) : path(std::move(path)) {}

  /// The choice stored for a key. A damaged file holds none; *damage then says what is wrong with it.
  errors::Result<std::optional<StoredChoice>> find(const std::string &key, std::string *damage = nullptr) const;

  /// PV0412 when it cannot be written.
  errors::Error store(const std::string &key, const StoredChoice &choice) const;

private:
  std::string path;
};

} // namespace pavage::tune

#endif // PAVAGE_RUNTIME_TUNE_TUNINGFILE_H

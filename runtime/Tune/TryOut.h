// A first run that may crash or hang. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate of a tuner is code that has never run: it may divide a pointer by the wrong extent, or wait for ever. So
// its first run happens in a copy of the process, made by fork, whose memory is thrown away with it.
#ifndef PAVAGE_RUNTIME_TUNE_TRYOUT_H
#define PAVAGE_RUNTIME_TUNE_TRYOUT_H

#include "runtime/Errors/Errors.h"

#include <functional>
#include <sys/types.h>

namespace pavage::tune {

struct TryOut {
  std::function<void()> run;
  double seconds = 60;              ///< the copy is ended after so long
  std::function<pid_t()> fork = {}; ///< for a language with locks of its own; empty = fork(2)
  std::function<bool()> poll = {};  ///< about every 10 ms; true = end the copy and give PV0311
};

/// PV0413 when a signal ended the copy, or the time. Success otherwise, also when no copy could be made: `run` keeps
/// what it finds out to itself, for it will be run again.
errors::Error tryOut(const TryOut &request);

} // namespace pavage::tune

#endif // PAVAGE_RUNTIME_TUNE_TRYOUT_H

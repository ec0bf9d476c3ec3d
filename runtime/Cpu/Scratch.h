// A thread's memory for tiles that do not fit in registers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CPU_SCRATCH_H
#define PAVAGE_RUNTIME_CPU_SCRATCH_H

#include "runtime/Errors/Errors.h"

#include <cstdint>

namespace pavage::cpu {

/// At least `bytes` bytes of the calling thread's arena, aligned to 64, or PV0314. Valid until the thread's next call
/// or releaseLargeScratch(). A page that cannot be touched follows directly, so that code which writes past its end
/// stops.
errors::Result<void *> scratch(uint64_t bytes);

/// Gives an arena of more than 64 MB back to the system.
void releaseLargeScratch();

/// PV0314 when `threads` arenas of this size are more than the machine has.
errors::Error checkScratch(uint64_t bytes, unsigned threads);

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_SCRATCH_H

// LLVM's back ends behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_GUARD_H
#define PAVAGE_COMPILER_DRIVER_GUARD_H

#include "runtime/Errors/Errors.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pavage::driver {

/// Runs `body`. What LLVM would end the process for becomes error PV0903; what the body owned then is lost.
errors::Error guardLlvm(llvm::function_ref<void()> body);

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_GUARD_H

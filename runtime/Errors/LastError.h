// The error of the last failed C call on this thread. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For C interfaces whose functions return a number and keep the rest (pv_error with no builder). Every library that
// links this room has its own.
#ifndef PAVAGE_RUNTIME_ERRORS_LASTERROR_H
#define PAVAGE_RUNTIME_ERRORS_LASTERROR_H

#include "runtime/Errors/Errors.h"

namespace pavage::errors {

inline Error &lastError() {
  thread_local Error error;
  return error;
}

} // namespace pavage::errors

#endif // PAVAGE_RUNTIME_ERRORS_LASTERROR_H

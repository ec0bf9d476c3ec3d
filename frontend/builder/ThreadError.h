// The last error of this thread: what pv_error(NULL, ..) tells. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_FRONTEND_BUILDER_THREADERROR_H
#define PAVAGE_FRONTEND_BUILDER_THREADERROR_H

#include "runtime/Errors/Errors.h"

namespace pavage::builder {

/// Keeps the error for pv_error(NULL, ..) and gives its number: calls without a builder end with it.
int failOnThread(errors::Error error);
/// Forgets it: such a call went well.
void succeedOnThread();

} // namespace pavage::builder

#endif // PAVAGE_FRONTEND_BUILDER_THREADERROR_H

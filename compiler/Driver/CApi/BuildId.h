// Which build of the library this is. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_CAPI_BUILDID_H
#define PAVAGE_COMPILER_DRIVER_CAPI_BUILDID_H

#include <string>

namespace pavage::driver {

/// The linker's build id of the shared object (or program) that holds this function, in hexadecimal; "unknown" without.
std::string buildId();

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_CAPI_BUILDID_H

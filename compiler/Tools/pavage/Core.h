// libpavage_core.so, opened at its first use. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_TOOLS_PAVAGE_CORE_H
#define PAVAGE_COMPILER_TOOLS_PAVAGE_CORE_H

#include "runtime/Errors/Errors.h"

#include <pavage/compile.h>

namespace pavage::tool {

/// What this tool calls of the library.
#define PAVAGE_CORE_FUNCTIONS(X)                                                                                       \
  X(pv_error)                                                                                                          \
  X(pv_module_parse)                                                                                                   \
  X(pv_module_destroy)                                                                                                 \
  X(pv_compile_options_init)                                                                                           \
  X(pv_stage_name)                                                                                                     \
  X(pv_compile)                                                                                                        \
  X(pv_artifact_destroy)                                                                                               \
  X(pv_artifact_bytes)                                                                                                 \
  X(pv_artifact_section)

struct Core {
#define PAVAGE_CORE_MEMBER(name) decltype(&::name) name = nullptr;
  PAVAGE_CORE_FUNCTIONS(PAVAGE_CORE_MEMBER)
#undef PAVAGE_CORE_MEMBER

  /// The error of the last failed call.
  errors::Error lastError() const;
};

/// The library beside this program (../lib or the same folder), or error PV0815.
errors::Result<const Core *> loadCore();

/// The folder of this program, without a final slash.
std::string programFolder();

} // namespace pavage::tool

#endif // PAVAGE_COMPILER_TOOLS_PAVAGE_CORE_H

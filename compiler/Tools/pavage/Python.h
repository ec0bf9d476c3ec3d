// The Python beside this program, for commands on FILE.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_TOOLS_PAVAGE_PYTHON_H
#define PAVAGE_COMPILER_TOOLS_PAVAGE_PYTHON_H

#include "runtime/Errors/Errors.h"

#include <string>
#include <vector>

namespace pavage::tool {

/// Runs `python -m MODULE WORDS...` and waits. With `output`, its standard output goes there. The result is its exit
/// status; what it says on standard error has been shown.
errors::Result<int> runPython(const std::string &module, const std::vector<std::string> &words,
                              std::string *output = nullptr);

} // namespace pavage::tool

#endif // PAVAGE_COMPILER_TOOLS_PAVAGE_PYTHON_H

// `pavage run FILE.py:KERNEL`: the launch is Python's. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Commands.h"
#include "compiler/Tools/pavage/Options.h"
#include "compiler/Tools/pavage/Python.h"

namespace pavage::tool {

int runCommand(const Words &words) {
  errors::Result<int> status = runPython("pavage._run", words);
  return status ? *status : report(status.error());
}

} // namespace pavage::tool

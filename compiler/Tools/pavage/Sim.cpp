// `pavage sim`: PTX goes to the virtual GPU at once, FILE.py:KERNEL through Python, which compiles it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Commands.h"
#include "compiler/Tools/pavage/Python.h"
#include "runtime/Sim/Report.h"

#include <algorithm>

namespace pavage::tool {

/// FILE.py:KERNEL is meant, be the file there or not.
static bool namesPython(const std::string &word) {
  return word.rfind("--", 0) != 0 && (word.find(".py:") != std::string::npos || word.ends_with(".py"));
}

int simCommand(const Words &words) {
  // The operand usually stands first, but may stand behind options; their values hold no ".py:".
  if (std::any_of(words.begin(), words.end(), namesPython)) {
    errors::Result<int> status = runPython("pavage._sim_cli", words);
    return status ? *status : report(status.error());
  }
  std::vector<const char *> arguments;
  for (const std::string &word : words) {
    arguments.push_back(word.c_str());
  }
  return sim::simMain(static_cast<int>(arguments.size()), arguments.data());
}

} // namespace pavage::tool

// The commands of pavage: each gets the words after its name and returns the exit status. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_TOOLS_PAVAGE_COMMANDS_H
#define PAVAGE_COMPILER_TOOLS_PAVAGE_COMMANDS_H

#include "runtime/Errors/Errors.h"

#include <string>
#include <vector>

namespace pavage::tool {

using Words = std::vector<std::string>;

int cacheCommand(const Words &words);
int compileCommand(const Words &words);
int explainCommand(const Words &words);
int runCommand(const Words &words);
int simCommand(const Words &words);

/// Prints an error as users see it; returns 1.
int report(const errors::Error &error);

} // namespace pavage::tool

#endif // PAVAGE_COMPILER_TOOLS_PAVAGE_COMMANDS_H

// Command-line options of pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--name VALUE` or `--name=VALUE`; `-o F`; everything else is an operand; `--` ends the options. An unknown option is
// error PV0810, which lists the known ones.
#ifndef PAVAGE_COMPILER_TOOLS_PAVAGE_OPTIONS_H
#define PAVAGE_COMPILER_TOOLS_PAVAGE_OPTIONS_H

#include "runtime/Errors/Errors.h"

#include <map>
#include <string>
#include <vector>

namespace pavage::tool {

struct Option {
  const char *name;  ///< with its dashes
  const char *value; ///< what stands for its value in the help; null = it has none
  const char *help;
};

struct Arguments {
  std::vector<std::string> operands;
  std::map<std::string, std::vector<std::string>> given;

  bool has(const std::string &name) const { return given.count(name) != 0; }
  /// The last value, or the fallback.
  std::string get(const std::string &name, const std::string &fallback = "") const;
};

errors::Result<Arguments> parseArguments(const std::vector<std::string> &words, const std::vector<Option> &options);

/// The lines of the help that describe the options.
std::string describe(const std::vector<Option> &options);

} // namespace pavage::tool

#endif // PAVAGE_COMPILER_TOOLS_PAVAGE_OPTIONS_H

// Counters by line of the author's source, which PTX names in .loc. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#pragma once

#include "runtime/Sim/Launch.h"

#include <map>
#include <string>
#include <vector>

namespace pavage::sim {

/// What the instructions that were made of one line did together.
struct SourceLine {
  u64 issued = 0;
  LineCount counts;
  u64 mma = 0;
  std::vector<const LineResult *> instructions; // in order of the PTX
  std::vector<const Finding *> findings;
};

struct SourceFile {
  std::string name;
  std::vector<std::string> text; // its lines; empty when it cannot be read
  std::map<u32, SourceLine> lines;

  /// The text of a line; empty when it is not known.
  std::string textOf(u32 line) const { return line != 0 && line <= text.size() ? text[line - 1] : std::string(); }
};

/// The files with executed lines or findings, by name; none for PTX without .loc.
std::vector<SourceFile> sourceFiles(const LoadedModule &module, const LaunchResult &result);

} // namespace pavage::sim

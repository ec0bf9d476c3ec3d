// Counters by line of the author's source. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/SourceLines.h"

#include <fstream>

namespace pavage::sim {

namespace {

/// A source of more is no kernel's: it is shown without text.
constexpr std::streamoff mostBytes = 4 << 20;

std::vector<std::string> readLines(const std::string &name) {
  std::vector<std::string> lines;
  std::ifstream in(name, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() > mostBytes) {
    return lines;
  }
  in.seekg(0);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void add(LineCount &to, const LineCount &from) {
  to.requests += from.requests;
  to.lanes += from.lanes;
  to.sectors += from.sectors;
  to.sectorsIdeal += from.sectorsIdeal;
  to.conflicts += from.conflicts;
  to.divergent += from.divergent;
}

} // namespace

std::vector<SourceFile> sourceFiles(const LoadedModule &module, const LaunchResult &result) {
  std::map<std::string, SourceFile> byName;
  auto at = [&](u32 file, u32 line) -> SourceLine * {
    const std::vector<std::string> &names = module.program.files;
    if (line == 0 || file >= names.size() || names[file].empty()) {
      return nullptr;
    }
    return &byName[names[file]].lines[line];
  };
  for (const LineResult &instruction : result.lines) {
    if (SourceLine *line = at(instruction.file, instruction.line)) {
      line->issued += instruction.issued;
      line->mma += instruction.cls == Class::Mma ? instruction.issued : 0;
      add(line->counts, instruction.counts);
      line->instructions.push_back(&instruction);
    }
  }
  for (const Finding &finding : result.findings) {
    if (SourceLine *line = at(finding.file, finding.line)) {
      line->findings.push_back(&finding);
    }
  }
  std::vector<SourceFile> files;
  for (auto &[name, file] : byName) {
    file.name = name;
    file.text = readLines(name);
    files.push_back(std::move(file));
  }
  return files;
}

} // namespace pavage::sim

// Findings and counters as text. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Report.h"

#include "runtime/Sim/ReportText.h"
#include "runtime/Sim/SourceLines.h"

#include <algorithm>

namespace pavage::sim {

namespace {

constexpr size_t mostPtxLines = 20; // of the table of instructions that ran most
constexpr u32 longestGap = 4;       // lines without counters that are still shown between two with
constexpr size_t widestText = 90;

std::string_view trimmed(std::string_view text) {
  size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

std::string cut(std::string_view text) {
  return std::string(text.size() > widestText ? text.substr(0, widestText) : text);
}

constexpr const char *columns = " warp instr   share  sectors/req  ideal  conflicts  divergent        mma";

/// The counters of a line, as wide as `columns`.
std::string cells(u64 issued, u64 all, const LineCount &counts, u64 mma) {
  char text[160];
  double share = all ? 100.0 * static_cast<double>(issued) / static_cast<double>(all) : 0;
  std::snprintf(text, sizeof text, "%11llu  %5.1f%%  %11s  %5s  %9s  %9s  %9s", static_cast<unsigned long long>(issued),
                share, counts.sectors ? ratio(counts.sectors, counts.requests).c_str() : "",
                counts.sectors ? ratio(counts.sectorsIdeal, counts.requests).c_str() : "",
                countOrBlank(counts.conflicts).c_str(), countOrBlank(counts.divergent).c_str(),
                countOrBlank(mma).c_str());
  return text;
}

/// Each file's lines from the first to the last with counters, long stretches without left out.
std::string sourceTable(const std::vector<SourceFile> &files, u64 all) {
  std::string text, blank(std::char_traits<char>::length(columns), ' ');
  for (const SourceFile &file : files) {
    if (file.lines.empty()) {
      continue;
    }
    text += file.name + "\n" + columns + "   line\n";
    u32 next = file.lines.begin()->first;
    for (const auto &[number, line] : file.lines) {
      if (number > next + longestGap) {
        text += blank + "    ...\n";
        next = number;
      }
      auto row = [&](const std::string &left, u32 at) {
        char label[16];
        std::snprintf(label, sizeof label, "  %5u  ", at);
        text += left + label + cut(file.textOf(at)) + "\n";
      };
      for (; next < number && !file.text.empty(); ++next) {
        row(blank, next);
      }
      row(cells(line.issued, all, line.counts, line.mma), number);
      for (const Finding *finding : line.findings) {
        text += blank + "    ^ " + std::string(kindName(finding->kind)) + ": " + finding->message + "\n";
      }
      next = number + 1;
    }
  }
  return text;
}

std::string ptxTable(const LoadedModule &module, const LaunchResult &result) {
  std::vector<const LineResult *> hot;
  for (const LineResult &line : result.lines) {
    hot.push_back(&line);
  }
  std::sort(hot.begin(), hot.end(), [](const LineResult *a, const LineResult *b) {
    return a->issued != b->issued ? a->issued > b->issued : a->pc < b->pc;
  });
  std::string text = "PTX instructions executed most\n" + std::string(columns) + "   line\n";
  for (size_t k = 0; k < hot.size() && k < mostPtxLines; ++k) {
    const LineResult &line = *hot[k];
    char label[16];
    std::snprintf(label, sizeof label, "  %5u  ", line.ptxLine);
    bool isMma = line.cls == Class::Mma;
    text += cells(line.issued, result.totals.warpInstructions, line.counts, isMma ? line.issued : 0) + label;
    if (line.ptxLine != 0 && line.ptxLine <= module.lines.size()) {
      text += cut(trimmed(module.lines[line.ptxLine - 1]));
    }
    text += "\n";
  }
  return text;
}

} // namespace

std::string sourceOf(const LoadedModule &module, u32 file, u32 line) {
  if (line == 0 || file >= module.program.files.size() || module.program.files[file].empty()) {
    return {};
  }
  return module.program.files[file] + ":" + std::to_string(line);
}

std::string describe(const LoadedModule &module, const Finding &f) {
  std::string text = std::string(kindName(f.kind)) + ": '" + f.instruction + "'";
  text += f.op.empty() ? ": " : " of " + f.op + ": ";
  text += f.message;
  if (f.ptxLine == 0) {
    return text; // of the launch as a whole
  }
  text += " [CTA (" + std::to_string(f.cta[0]) + ", " + std::to_string(f.cta[1]) + ", " + std::to_string(f.cta[2]) +
          "), warp " + std::to_string(f.warp);
  text += f.count > 1 ? ", " + std::to_string(f.count) + " times" : "";
  bool isFromSource = !sourceOf(module, f.file, f.line).empty();
  return text + (isFromSource ? ", line " + std::to_string(f.ptxLine) + " of " + module.file + "]" : "]");
}

std::string renderFindings(const LoadedModule &module, const LaunchResult &result) {
  std::string text;
  for (const Finding &f : result.findings) {
    bool isInPtx = f.ptxLine != 0 && f.ptxLine <= module.lines.size();
    errors::Position at{module.file, f.ptxLine, isInPtx ? module.program.sources[f.pc].ptxColumn : 0};
    errors::Error error(findingNumber(f.kind), describe(module, f), at);
    if (isInPtx) {
      error = std::move(error).withSourceLine(module.lines[f.ptxLine - 1]);
    }
    if (!sourceOf(module, f.file, f.line).empty()) {
      error = std::move(error).withNote("made of this line", {module.program.files[f.file], f.line, f.column});
    }
    text += error.render() + "\n";
  }
  return text;
}

std::string renderTotals(const LoadedModule &module, const LaunchResult &result) {
  const Totals &t = result.totals;
  std::string text;
  auto put = [&](const std::string &name, const std::string &value) {
    char line[128];
    std::snprintf(line, sizeof line, "  %-24s %14s\n", name.c_str(), value.c_str());
    text += line;
  };
  auto row = [&](const std::string &name, u64 value) { put(name, std::to_string(value)); };
  row("warp instructions", t.warpInstructions);
  for (u32 c = 0; c < static_cast<u32>(Class::Count); ++c) {
    if (t.byClass[c]) {
      row("  " + std::string(className(static_cast<Class>(c))), t.byClass[c]);
    }
  }
  row("global sectors", t.sectors);
  row("  ideal", t.sectorsIdeal);
  for (u32 bytes = 1; bytes <= 32; ++bytes) {
    if (t.globalAccesses[bytes]) {
      row("  accesses of " + std::to_string(bytes) + " bytes", t.globalAccesses[bytes]);
    }
  }
  row("bank conflict passes", t.bankConflictPasses);
  row("divergent branches", t.divergentBranches);
  for (auto [name, value] : {std::pair("ldmatrix", t.ldmatrix), {"cp.async", t.cpAsync}, {"barriers", t.barriers}}) {
    if (value) {
      row(name, value);
    }
  }
  const Totals::Loop &loop = t.innermost;
  if (loop.instructions) {
    text += "innermost loop, lines " + std::to_string(module.program.sources[loop.begin].ptxLine) + " to " +
            std::to_string(module.program.sources[loop.end].ptxLine) + " of the PTX, per iteration:\n";
    auto per = [&](const char *name, u64 value) {
      put(name, shortNumber(static_cast<double>(value) / static_cast<double>(loop.iterations)));
    };
    per("instructions", loop.instructions);
    per("mma", loop.mma);
    per("ldmatrix", loop.ldmatrix);
    per("cp.async", loop.cpAsync);
    per("barriers", loop.barriers);
  }
  return text;
}

std::string renderCounters(const LoadedModule &module, const LaunchResult &result) {
  std::vector<SourceFile> files = sourceFiles(module, result);
  return renderTotals(module, result) +
         (files.empty() ? ptxTable(module, result) : sourceTable(files, result.totals.warpInstructions));
}

} // namespace pavage::sim

// Findings and counters as a page that needs nothing from outside. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Totals, findings, the author's source with counters beside each line (a click shows the PTX that it became), and the
// whole PTX.
#include "runtime/Sim/Report.h"
#include "runtime/Sim/ReportText.h"
#include "runtime/Sim/SourceLines.h"

#include <algorithm>
#include <map>

namespace pavage::sim {

namespace {

constexpr const char *style = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:1.5em auto;max-width:110em;padding:0 1em;color:#1b1b1f;background:#fff}
h1{font-size:1.4em}h2{font-size:1.1em;margin:1.6em 0 .4em}
table{border-collapse:collapse;width:100%}
td,th{padding:1px 10px;text-align:right;white-space:pre;font-variant-numeric:tabular-nums;vertical-align:top}
td:last-child,th:last-child{text-align:left;width:100%}
th{position:sticky;top:0;background:#fff;border-bottom:1px solid #bbb}
.c,pre{font-family:ui-monospace,monospace;font-size:13px}
.f{background:#fde8e8;color:#8a1c1c;white-space:normal;padding:2px 6px;border-left:3px solid #c22}
.n{color:#888}details>summary{cursor:pointer;list-style:none}details pre{margin:.2em 0 .4em 2em;color:#666}
tr.h:hover{background:#f2f4f8}
@media(prefers-color-scheme:dark){body,th{background:#16171b;color:#dfe1e6}.f{background:#3b1d1f;color:#ffb4b4}
tr.h:hover{background:#22242b}details pre{color:#9aa}}
)";

constexpr const char *head = "<table><thead><tr><th>warp instr<th>sectors<th>per request<th>ideal<th>conflicts"
                             "<th>divergent<th>line<th>";

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

/// The counters of a row; shaded by its share of the hottest.
std::string cells(u64 issued, const LineCount &counts, u64 most, u32 line) {
  std::string heat;
  if (issued) {
    double share = static_cast<double>(issued) / static_cast<double>(std::max<u64>(most, 1));
    heat = " style=\"background:rgba(230,120,0," + shortNumber(share * 0.45) + ")\"";
  }
  auto cell = [](const std::string &text) { return "<td>" + text; };
  return "<tr class=h><td" + heat + ">" + countOrBlank(issued) + cell(countOrBlank(counts.sectors)) +
         cell(counts.sectors ? ratio(counts.sectors, counts.requests) : "") +
         cell(counts.sectors ? ratio(counts.sectorsIdeal, counts.requests) : "") +
         cell(countOrBlank(counts.conflicts)) + cell(countOrBlank(counts.divergent)) + "<td class=n>" +
         std::to_string(line) + "<td class=c>";
}

std::string note(const Finding &f) {
  return "<div class=f><b>" + std::string(kindName(f.kind)) + "</b> " + escaped(f.message) + "</div>";
}

/// The instructions that a line became, folded.
std::string folded(const LoadedModule &module, const SourceLine &line, const std::string &text) {
  if (line.instructions.empty()) {
    return text;
  }
  std::string inside;
  for (const LineResult *instruction : line.instructions) {
    char start[64];
    std::snprintf(start, sizeof start, "%6u %10llu  ", instruction->ptxLine,
                  static_cast<unsigned long long>(instruction->issued));
    std::string_view ptx = instruction->ptxLine != 0 && instruction->ptxLine <= module.lines.size()
                               ? std::string_view(module.lines[instruction->ptxLine - 1])
                               : std::string_view();
    size_t first = std::min(ptx.find_first_not_of(" \t"), ptx.size());
    inside += start + escaped(ptx.substr(first)) + "\n";
  }
  return "<details><summary>" + text + "</summary><pre>" + inside + "</pre></details>";
}

std::string sourceTable(const LoadedModule &module, const SourceFile &file) {
  u64 most = 1;
  for (const auto &[number, line] : file.lines) {
    most = std::max(most, line.issued);
  }
  std::string text = "<h2>" + escaped(file.name) + "</h2>\n" + head + "source</tr></thead><tbody>\n";
  // With the text at hand the neighbourhood is shown too: a kernel's mask or bound is often in a line without code.
  u32 first = file.lines.begin()->first, last = file.lines.rbegin()->first;
  auto row = [&](u32 number, const SourceLine &line) {
    text += cells(line.issued, line.counts, most, number) + folded(module, line, escaped(file.textOf(number)));
    for (const Finding *finding : line.findings) {
      text += note(*finding);
    }
    text += "</tr>\n";
  };
  if (file.text.empty()) {
    for (const auto &[number, line] : file.lines) {
      row(number, line);
    }
  } else {
    const SourceLine nothing;
    for (u32 number = first > 3 ? first - 3 : 1; number <= std::min<u64>(u64(last) + 3, file.text.size()); ++number) {
      auto found = file.lines.find(number);
      row(number, found == file.lines.end() ? nothing : found->second);
    }
  }
  return text + "</tbody></table>\n";
}

std::string ptxTable(const LoadedModule &module, const LaunchResult &result) {
  std::map<u32, const LineResult *> byLine;
  std::map<u32, std::string> notes;
  u64 most = 1;
  for (const LineResult &line : result.lines) {
    byLine.emplace(line.ptxLine, &line);
    most = std::max(most, line.issued);
  }
  for (const Finding &f : result.findings) {
    notes[f.ptxLine] += note(f);
  }
  std::string text = std::string(head) + "PTX</tr></thead><tbody>\n";
  for (u32 k = 1; k <= module.lines.size(); ++k) {
    auto found = byLine.find(k);
    const LineResult *line = found == byLine.end() ? nullptr : found->second;
    text += cells(line ? line->issued : 0, line ? line->counts : LineCount(), most, k) + escaped(module.lines[k - 1]);
    auto noted = notes.find(k);
    text += (noted == notes.end() ? "" : noted->second) + "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

} // namespace

std::string renderHtml(const LoadedModule &module, const LaunchResult &result) {
  std::vector<SourceFile> files = sourceFiles(module, result);
  std::string text = "<!doctype html><html lang=en><head><meta charset=utf-8><title>" + escaped(module.file) +
                     "</title><style>" + style + "</style></head><body>\n<h1>" + escaped(module.file) + "</h1>\n";
  text += "<p>" + std::to_string(result.findings.size()) + (result.findings.size() == 1 ? " finding" : " findings") +
          "</p>\n";
  for (const Finding &f : result.findings) {
    std::string at = sourceOf(module, f.file, f.line);
    text += "<div class=f>" + escaped(at.empty() ? "" : at + ": ") + escaped(describe(module, f)) + "</div>\n";
  }
  text += "<h2>Counters</h2>\n<pre>" + escaped(renderTotals(module, result)) + "</pre>\n";
  for (const SourceFile &file : files) {
    if (!file.lines.empty()) {
      text += sourceTable(module, file);
    }
  }
  std::string ptx = ptxTable(module, result);
  text += files.empty() ? "<h2>PTX</h2>\n" + ptx
                        : "<h2>PTX</h2>\n<details><summary>" + std::to_string(module.lines.size()) +
                              " lines</summary>\n" + ptx + "</details>\n";
  return text + "</body></html>\n";
}

} // namespace pavage::sim

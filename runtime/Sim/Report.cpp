// Findings and counters as text, JSON and HTML. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Report.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

namespace pavage::sim {

namespace {

std::string sourceOf(const LoadedModule &module, u32 file, u32 line) {
  if (!file || file >= module.program.files.size() || !line) {
    return {};
  }
  return module.program.files[file] + ":" + std::to_string(line);
}

std::string_view ptxLine(const LoadedModule &module, u32 line) {
  if (!line || line > module.lines.size()) {
    return {};
  }
  std::string_view text = module.lines[line - 1];
  size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    u8 b = static_cast<u8>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (b < 0x20 || b == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", b);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return out;
}

std::string accessMap(const Totals &t) {
  std::string text = "{";
  for (u32 bytes = 1; bytes <= 32; ++bytes) {
    if (t.globalAccesses[bytes]) {
      text += (text.size() > 1 ? ", " : "") + quoted(std::to_string(bytes)) + ": " +
              std::to_string(t.globalAccesses[bytes]);
    }
  }
  return text + "}";
}

std::string classMap(const u64 *byClass) {
  std::string text = "{";
  for (u32 c = 0; c < static_cast<u32>(Class::Count); ++c) {
    if (byClass[c]) {
      text +=
          (text.size() > 1 ? ", " : "") + quoted(className(static_cast<Class>(c))) + ": " + std::to_string(byClass[c]);
    }
  }
  return text + "}";
}

} // namespace

std::string renderFindings(const LoadedModule &module, const LaunchResult &result) {
  std::string text;
  for (const Finding &f : result.findings) {
    std::string message = std::string(kindName(f.kind)) + ": '" + f.instruction + "': " + f.message;
    message += " [CTA (" + std::to_string(f.cta[0]) + ", " + std::to_string(f.cta[1]) + ", " +
               std::to_string(f.cta[2]) + "), warp " + std::to_string(f.warp);
    message += f.count > 1 ? ", " + std::to_string(f.count) + " times]" : "]";
    std::string at = sourceOf(module, f.file, f.line);
    message += at.empty() ? "" : ", from " + at;
    const Source &s = module.program.sources[f.pc];
    std::optional<std::string> line;
    if (f.ptxLine && f.ptxLine <= module.lines.size()) {
      line = module.lines[f.ptxLine - 1];
    }
    text += errors::render("error " + errors::formatNumber(findingNumber(f.kind)), message,
                           {module.file, f.ptxLine, s.ptxColumn}, line) +
            "\n";
  }
  return text;
}

std::string renderCounters(const LoadedModule &module, const LaunchResult &result) {
  const Totals &t = result.totals;
  std::string text;
  auto row = [&](const char *name, u64 value) {
    char line[96];
    std::snprintf(line, sizeof line, "  %-24s %14llu\n", name, static_cast<unsigned long long>(value));
    text += line;
  };
  row("warp instructions", t.warpInstructions);
  for (u32 c = 0; c < static_cast<u32>(Class::Count); ++c) {
    if (t.byClass[c]) {
      row(("  " + std::string(className(static_cast<Class>(c)))).c_str(), t.byClass[c]);
    }
  }
  row("global sectors", t.sectors);
  row("  ideal", t.sectorsIdeal);
  for (u32 bytes = 1; bytes <= 32; ++bytes) {
    if (t.globalAccesses[bytes]) {
      row(("  accesses of " + std::to_string(bytes) + " bytes").c_str(), t.globalAccesses[bytes]);
    }
  }
  row("bank conflict passes", t.bankConflictPasses);
  row("divergent branches", t.divergentBranches);
  const Totals::Loop &loop = t.innermost;
  if (loop.instructions) {
    text += "innermost loop, lines " + std::to_string(module.program.sources[loop.begin].ptxLine) + " to " +
            std::to_string(module.program.sources[loop.end].ptxLine) + ", per iteration:\n";
    auto per = [&](const char *name, u64 value) {
      char line[96];
      std::snprintf(line, sizeof line, "  %-24s %14s\n", name,
                    number(static_cast<double>(value) / static_cast<double>(loop.iterations)).c_str());
      text += line;
    };
    per("instructions", loop.instructions);
    per("mma", loop.mma);
    per("ldmatrix", loop.ldmatrix);
    per("cp.async", loop.cpAsync);
    per("barriers", loop.barriers);
  }
  std::vector<const LineResult *> hot;
  for (const LineResult &line : result.lines) {
    hot.push_back(&line);
  }
  std::sort(hot.begin(), hot.end(), [](const LineResult *a, const LineResult *b) {
    return a->issued != b->issued ? a->issued > b->issued : a->pc < b->pc;
  });
  text += "lines executed most:\n      issued  sectors/request  conflicts    line\n";
  for (size_t k = 0; k < hot.size() && k < 20; ++k) {
    const LineResult &line = *hot[k];
    char head[96];
    std::string sectors =
        line.counts.sectors
            ? number(static_cast<double>(line.counts.sectors) / static_cast<double>(line.counts.requests))
            : "";
    std::snprintf(head, sizeof head, "%12llu  %15s  %9s  %6u  ", static_cast<unsigned long long>(line.issued),
                  sectors.c_str(), line.counts.conflicts ? std::to_string(line.counts.conflicts).c_str() : "",
                  line.ptxLine);
    text += head + std::string(ptxLine(module, line.ptxLine)).substr(0, 80) + "\n";
  }
  return text;
}

std::string renderJson(const LoadedModule &module, const LaunchResult &result) {
  std::string text = "{\n  \"findings\": [";
  bool first = true;
  for (const Finding &f : result.findings) {
    std::string file =
        f.file && f.file < module.program.files.size() && f.line ? module.program.files[f.file] : module.file;
    text += first ? "\n" : ",\n";
    first = false;
    text += "    {\"kind\": " + quoted(kindName(f.kind)) +
            ", \"line\": " + std::to_string(f.line ? f.line : f.ptxLine) + ", \"file\": " + quoted(file) +
            ", \"ptx_line\": " + std::to_string(f.ptxLine) + ", \"op\": " + quoted(f.instruction) +
            ", \"message\": " + quoted(f.message) + ", \"count\": " + std::to_string(f.count) +
            ", \"number\": " + quoted(errors::formatNumber(findingNumber(f.kind))) + "}";
  }
  const Totals &t = result.totals;
  text += first ? "],\n" : "\n  ],\n";
  text += "  \"counters\": {\n";
  auto field = [&](const char *name, u64 value) {
    text += "    " + quoted(name) + ": " + std::to_string(value) + ",\n";
  };
  field("warp_instructions", t.warpInstructions);
  text += "    \"by_class\": " + classMap(t.byClass) + ",\n";
  field("mma", t.mma);
  field("ldmatrix", t.ldmatrix);
  field("cp_async", t.cpAsync);
  field("barriers", t.barriers);
  field("bank_conflict_passes", t.bankConflictPasses);
  field("sectors", t.sectors);
  field("sectors_ideal", t.sectorsIdeal);
  text += "    \"global_access_bytes\": " + accessMap(t) + ",\n";
  field("divergent_branches", t.divergentBranches);
  const Totals::Loop &l = t.innermost;
  text += "    \"innermost_loop\": {\"instructions\": " + std::to_string(l.instructions) +
          ", \"mma\": " + std::to_string(l.mma) + ", \"ldmatrix\": " + std::to_string(l.ldmatrix) +
          ", \"cp_async\": " + std::to_string(l.cpAsync) + ", \"barriers\": " + std::to_string(l.barriers) +
          ", \"iterations\": " + std::to_string(l.iterations) + ", \"by_class\": " + classMap(l.byClass) + "},\n";
  text += "    \"by_line\": [";
  first = true;
  for (const LineResult &line : result.lines) {
    text += first ? "\n" : ",\n";
    first = false;
    text += "      {\"ptx_line\": " + std::to_string(line.ptxLine) + ", \"line\": " + std::to_string(line.line) +
            ", \"op\": " + quoted(*module.program.sources[line.pc].text) +
            ", \"warp_instructions\": " + std::to_string(line.issued) +
            ", \"sectors\": " + std::to_string(line.counts.sectors) +
            ", \"sectors_ideal\": " + std::to_string(line.counts.sectorsIdeal) +
            ", \"requests\": " + std::to_string(line.counts.requests) +
            ", \"bank_conflict_passes\": " + std::to_string(line.counts.conflicts) +
            ", \"divergent\": " + std::to_string(line.counts.divergent) + "}";
  }
  text += "\n    ]\n  },\n  \"seconds\": " + number(result.seconds) + "\n}\n";
  return text;
}

std::string renderHtml(const LoadedModule &module, const LaunchResult &result) {
  std::map<u32, const LineResult *> byLine;
  std::map<u32, std::string> notes;
  u64 most = 1;
  for (const LineResult &line : result.lines) {
    byLine.emplace(line.ptxLine, &line);
    most = std::max(most, line.issued);
  }
  for (const Finding &f : result.findings) {
    notes[f.ptxLine] += "<div class=f><b>" + std::string(kindName(f.kind)) + "</b> " + escaped(f.message) + "</div>";
  }
  std::string text =
      "<!doctype html><html lang=en><head><meta charset=utf-8><title>" + escaped(module.file) +
      "</title><style>\n"
      "body{font:14px/1.4 "
      "system-ui,sans-serif;margin:1.5em;color:#1b1b1f;background:#fff}table{border-collapse:collapse}"
      "td,th{padding:1px "
      "10px;text-align:right;white-space:pre;font-variant-numeric:tabular-nums}td:last-child,th:last-child{text-align:"
      "left}"
      ".c{font-family:ui-monospace,monospace;font-size:13px}.f{background:#fde8e8;color:#8a1c1c;white-space:normal;"
      "padding:2px 6px;border-left:3px solid #c22}"
      "th{position:sticky;top:0;background:#fff;border-bottom:1px solid #bbb}tr.h:hover{background:#f2f4f8}"
      "@media(prefers-color-scheme:dark){body,th{background:#16171b;color:#dfe1e6}.f{background:#3b1d1f;color:#ffb4b4}"
      "tr.h:hover{background:#22242b}}"
      "</style></head><body>\n";
  text +=
      "<h1>" + escaped(module.file) + "</h1><pre>" +
      escaped(renderCounters(module, result).substr(0, renderCounters(module, result).find("lines executed most"))) +
      "</pre>\n";
  text += "<p>" + std::to_string(result.findings.size()) +
          " findings</p>\n<table><thead><tr><th>issued<th>sectors<th>ideal<th>conflicts<th>divergent<th>line<th>PTX</"
          "tr></thead><tbody>\n";
  for (u32 k = 1; k <= module.lines.size(); ++k) {
    auto found = byLine.find(k);
    const LineResult *line = found == byLine.end() ? nullptr : found->second;
    auto cell = [](u64 v) { return "<td>" + (v ? std::to_string(v) : std::string()); };
    std::string heat;
    if (line) {
      double share = static_cast<double>(line->issued) / static_cast<double>(most);
      heat = " style=\"background:rgba(230,120,0," + number(share * 0.45) + ")\"";
    }
    text += "<tr class=h><td" + heat + ">" + (line ? std::to_string(line->issued) : "") +
            cell(line ? line->counts.sectors : 0) + cell(line ? line->counts.sectorsIdeal : 0) +
            cell(line ? line->counts.conflicts : 0) + cell(line ? line->counts.divergent : 0) + "<td>" +
            std::to_string(k) + "<td class=c>" + escaped(module.lines[k - 1]);
    auto note = notes.find(k);
    text += (note == notes.end() ? "" : note->second) + "</tr>\n";
  }
  return text + "</tbody></table></body></html>\n";
}

} // namespace pavage::sim

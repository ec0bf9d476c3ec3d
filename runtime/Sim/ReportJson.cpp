// Findings and counters as JSON. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Report.h"
#include "runtime/Sim/ReportText.h"
#include "runtime/Sim/SourceLines.h"

#include <vector>

namespace pavage::sim {

namespace {

/// A JSON string. Bytes that are no UTF-8 (a file's name may have any) are shown as U+FFFD.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t k = 0; k < text.size();) {
    u8 b = static_cast<u8>(text[k]);
    if (b == '"' || b == '\\') {
      out += '\\';
      out += text[k++];
    } else if (b < 0x20 || b == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", b);
      out += escape;
      ++k;
    } else if (b < 0x80) {
      out += text[k++];
    } else {
      size_t length = b >= 0xf0 && b < 0xf5 ? 4 : b >= 0xe0 ? 3 : 2;
      bool isWhole = b >= 0xc2 && b < 0xf5 && k + length <= text.size();
      for (size_t i = 1; isWhole && i < length; ++i) {
        isWhole = (static_cast<u8>(text[k + i]) & 0xc0) == 0x80;
      }
      out += isWhole ? std::string(text.substr(k, length)) : "\\ufffd";
      k += isWhole ? length : 1;
    }
  }
  return out + '"';
}

/// An object or list, put together item by item.
class Group {
public:
  explicit Group(std::string_view brackets, std::string_view separator = ", ")
      : close(brackets[1]), separator(separator), text(1, brackets[0]) {}

  Group &item(const std::string &value) {
    text += (text.size() > 1 ? separator : separator[1] == '\n' ? separator.substr(1) : "") + value;
    return *this;
  }
  Group &field(std::string_view name, const std::string &value) { return item(quoted(name) + ": " + value); }
  Group &field(std::string_view name, u64 value) { return field(name, std::to_string(value)); }
  std::string done() const { return text + close; }

private:
  char close;
  std::string separator;
  std::string text;
};

Group object() { return Group("{}", ", "); }

std::string accessMap(const Totals &t) {
  Group map = object();
  for (u32 bytes = 1; bytes <= 32; ++bytes) {
    if (t.globalAccesses[bytes]) {
      map.field(std::to_string(bytes), t.globalAccesses[bytes]);
    }
  }
  return map.done();
}

std::string classMap(const u64 *byClass) {
  Group map = object();
  for (u32 c = 0; c < static_cast<u32>(Class::Count); ++c) {
    if (byClass[c]) {
      map.field(className(static_cast<Class>(c)), byClass[c]);
    }
  }
  return map.done();
}

Group counted(u64 issued, const LineCount &counts) {
  Group row = object();
  row.field("warp_instructions", issued)
      .field("requests", counts.requests)
      .field("sectors", counts.sectors)
      .field("sectors_ideal", counts.sectorsIdeal)
      .field("bank_conflict_passes", counts.conflicts)
      .field("divergent", counts.divergent);
  return row;
}

std::string fileOf(const LoadedModule &module, u32 file, u32 line) {
  return sourceOf(module, file, line).empty() ? module.file : module.program.files[file];
}

std::string findingObject(const LoadedModule &module, const Finding &f) {
  bool isFromSource = !sourceOf(module, f.file, f.line).empty();
  return object()
      .field("kind", quoted(kindName(f.kind)))
      .field("line", isFromSource ? f.line : f.ptxLine)
      .field("file", quoted(fileOf(module, f.file, f.line)))
      .field("ptx_line", f.ptxLine)
      .field("op", quoted(f.op.empty() ? f.instruction : f.op))
      .field("message", quoted(f.message))
      .field("instruction", quoted(f.instruction))
      .field("count", f.count)
      .field("number", quoted(errors::formatNumber(findingNumber(f.kind))))
      .field("is_fault", isFaultKind(f.kind) ? "true" : "false")
      .done();
}

} // namespace

std::string renderJson(const LoadedModule &module, const LaunchResult &result) {
  Group findings("[]", ",\n    ");
  for (const Finding &f : result.findings) {
    findings.item(findingObject(module, f));
  }
  Group byLine("[]", ",\n      "), bySource("[]", ",\n      ");
  for (const LineResult &line : result.lines) {
    const Source &source = module.program.sources[line.pc];
    const artifact::Op *op = module.opAt(line.ptxLine);
    byLine.item(counted(line.issued, line.counts)
                    .field("ptx_line", line.ptxLine)
                    .field("line", line.line)
                    .field("file", quoted(fileOf(module, line.file, line.line)))
                    .field("op", quoted(op ? op->text : *source.text))
                    .field("instruction", quoted(*source.text))
                    .done());
  }
  for (const SourceFile &file : sourceFiles(module, result)) {
    for (const auto &[number, line] : file.lines) {
      bySource.item(counted(line.issued, line.counts)
                        .field("mma", line.mma)
                        .field("file", quoted(file.name))
                        .field("line", number)
                        .field("text", quoted(file.textOf(number)))
                        .done());
    }
  }
  const Totals &t = result.totals;
  const Totals::Loop &l = t.innermost;
  std::string loop = object()
                         .field("instructions", l.instructions)
                         .field("mma", l.mma)
                         .field("ldmatrix", l.ldmatrix)
                         .field("cp_async", l.cpAsync)
                         .field("barriers", l.barriers)
                         .field("iterations", l.iterations)
                         .field("by_class", classMap(l.byClass))
                         .done();
  std::string counters = Group("{}", ",\n    ")
                             .field("warp_instructions", t.warpInstructions)
                             .field("by_class", classMap(t.byClass))
                             .field("mma", t.mma)
                             .field("ldmatrix", t.ldmatrix)
                             .field("cp_async", t.cpAsync)
                             .field("barriers", t.barriers)
                             .field("bank_conflict_passes", t.bankConflictPasses)
                             .field("sectors", t.sectors)
                             .field("sectors_ideal", t.sectorsIdeal)
                             .field("global_access_bytes", accessMap(t))
                             .field("divergent_branches", t.divergentBranches)
                             .field("innermost_loop", loop)
                             .field("by_line", byLine.done())
                             .field("by_source_line", bySource.done())
                             .done();
  return Group("{}", ",\n  ")
             .field("findings", findings.done())
             .field("counters", counters)
             .field("seconds", shortNumber(result.seconds))
             .done() +
         "\n";
}

} // namespace pavage::sim

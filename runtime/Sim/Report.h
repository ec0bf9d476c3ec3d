// Findings and counters as text, JSON and HTML. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Launch.h"

#include <string>

namespace pavage::sim {

/// `FILE:LINE:COL: finding PV0640: oob: ...`, one a line, with the source line and a caret.
std::string renderFindings(const LoadedModule &module, const LaunchResult &result);
/// The counters of the whole launch.
std::string renderTotals(const LoadedModule &module, const LaunchResult &result);
/// The same, and those of each line of the author's source beside its text; without .loc, of the hottest PTX lines.
std::string renderCounters(const LoadedModule &module, const LaunchResult &result);
/// As docs/virtual-gpu.md describes it.
std::string renderJson(const LoadedModule &module, const LaunchResult &result);
/// One page without outside parts.
std::string renderHtml(const LoadedModule &module, const LaunchResult &result);

/// One sentence on a finding, without its place.
std::string describe(const LoadedModule &module, const Finding &finding);

/// The number under which a kind of finding stands in the catalogue.
constexpr u32 findingNumber(Kind kind) { return 640 + static_cast<u32>(kind); }

/// `pavage sim`: the whole command. argv[0] is the first argument after "sim".
int simMain(int argc, const char *const *argv);

} // namespace pavage::sim

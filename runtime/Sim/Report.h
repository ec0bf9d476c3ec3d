// Findings and counters as text, JSON and HTML. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Launch.h"

#include <string>

namespace pavage::sim {

/// `FILE:LINE:COL: finding PV0640: oob: ...`, one a line, with the source line and a caret.
std::string renderFindings(const LoadedModule &module, const LaunchResult &result);
/// The table of counters and the hottest lines beside their text.
std::string renderCounters(const LoadedModule &module, const LaunchResult &result);
std::string renderJson(const LoadedModule &module, const LaunchResult &result);
std::string renderHtml(const LoadedModule &module, const LaunchResult &result);

/// The number under which a kind of finding stands in the catalogue.
constexpr u32 findingNumber(Kind kind) { return 640 + static_cast<u32>(kind); }

/// `pavage sim`: the whole command. argv[0] is the first argument after "sim".
int simMain(int argc, const char *const *argv);

} // namespace pavage::sim

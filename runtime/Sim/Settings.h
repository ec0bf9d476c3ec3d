// How virtual GPUs run: what they check, how copies arrive, the schedule. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
//   PAVAGE_SIM_CHECK=all|none|KIND,...        PAVAGE_SIM_ASYNC=eager|lazy|random     PAVAGE_SIM_SEED=N
//   PAVAGE_SIM_MAX_INSTRUCTIONS=N             PAVAGE_NUM_THREADS=N (host threads; else 1, which repeats exactly)
//
// A program may change each; what it has not changed is as the environment says.
#pragma once

#include "runtime/Sim/Launch.h"

#include <string>
#include <string_view>

namespace pavage::sim {

/// "all", "none", or kinds separated by commas; "all" in a list stands for those that are on by default. PV0630.
errors::Result<u32> parseChecks(std::string_view text);
/// "eager", "lazy", "random". PV0630.
errors::Result<AsyncMode> parseAsync(std::string_view text);

/// Options of the next launch on a virtual GPU, without grid, block and arguments. PV0315 for a variable that cannot
/// be.
errors::Result<LaunchOptions> currentSettings();

/// Changes "check", "async", "seed", "max-instructions" or "threads"; empty = as the environment says. PV0630.
errors::Error changeSetting(std::string_view name, std::string_view value);
/// What changeSetting() was given last; empty = as the environment says.
std::string changedSetting(std::string_view name);

} // namespace pavage::sim

// Small pieces of text that reports share. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Launch.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace pavage::sim {

/// "FILE:LINE" of .loc; empty when there is none.
std::string sourceOf(const LoadedModule &module, u32 file, u32 line);

/// A number with six digits at most.
inline std::string shortNumber(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

/// a / b with two digits; empty when b is 0.
inline std::string ratio(u64 a, u64 b) {
  char text[40] = "";
  if (b != 0) {
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(a) / static_cast<double>(b));
  }
  return text;
}

/// Empty for 0: columns of tables show what there is.
inline std::string countOrBlank(u64 n) { return n ? std::to_string(n) : std::string(); }

} // namespace pavage::sim

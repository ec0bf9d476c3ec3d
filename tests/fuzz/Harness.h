// Runs one program in Interp and on cpu and compares. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_FUZZ_HARNESS_H
#define PAVAGE_TESTS_FUZZ_HARNESS_H

#include "tests/fuzz/Generate.h"
#include <optional>

namespace pavage::fuzz {

struct HarnessOptions {
  const char *cpuLevel = nullptr; ///< null: this machine's
  bool check = false;             ///< compile with PAVAGE_CHECK
};

/// What went wrong, or nothing. The first word is the class: "verify", "interp", "compile", "launch", "canary",
/// "differs".
std::optional<std::string> compare(const Program &program, uint64_t seed, const HarnessOptions &options);

/// The arguments' roles and sizes, kept as attributes so that a program can be read back.
void annotate(Program &program);
std::optional<Program> readBack(mlir::MLIRContext &context, const std::string &path);

/// The smallest program found that still fails in the same class.
Program shrink(Program program, uint64_t seed, const HarnessOptions &options, const std::string &failure);

} // namespace pavage::fuzz

#endif // PAVAGE_TESTS_FUZZ_HARNESS_H

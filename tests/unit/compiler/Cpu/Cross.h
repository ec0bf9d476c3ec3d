// Runs a kernel in Interp and as machine code of each CPU level, and compares. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_COMPILER_CPU_CROSS_H
#define PAVAGE_TESTS_UNIT_COMPILER_CPU_CROSS_H

#include "compiler/Cpu/Emit/Emit.h"
#include "runtime/Artifact/Abi.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace pavage::cpu {

/// What a kernel argument is given: an array, or the bits of a scalar.
struct Argument {
  std::vector<uint8_t> bytes; ///< of an array; empty for a scalar
  uint64_t scalar = 0;

  template <typename T> static Argument array(const std::vector<T> &values) {
    Argument result;
    result.bytes.resize(values.size() * sizeof(T));
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
    return result;
  }
  static Argument number(uint64_t bits) {
    Argument result;
    result.scalar = bits;
    return result;
  }
  template <typename T> std::vector<T> as() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};
using Arguments = std::vector<Argument>;

/// Random bits or numbers, the same in every run.
template <typename T> std::vector<T> randomBits(size_t count, uint64_t seed) {
  std::vector<T> result(count);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (T &value : result) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    value = static_cast<T>(state >> 11);
  }
  return result;
}
inline std::vector<float> randomFloats(size_t count, uint64_t seed, float scale = 1) {
  std::vector<float> result;
  for (uint32_t bits : randomBits<uint32_t>(count, seed)) {
    result.push_back((static_cast<float>(bits >> 8) / 8388608.0f - 1) * scale);
  }
  return result;
}

struct CrossOptions {
  std::array<int64_t, 3> grid{1, 1, 1};
  bool isDisjoint = false;   ///< numbers the memory of pointer arguments
  bool check = false;        ///< compiles with access checks
  double tolerance = -1;     ///< relative, of f32 outputs; below 0: equal bits, but any NaN equals any NaN of f32
  char nanOf = 'f';          ///< which NaNs count as equal: f (f32), d (f64), h (f16), b (bf16), 4 and 5 (f8), 0 (none)
  int32_t expectedError = 0; ///< what the machine code returns
  std::function<int32_t(uint32_t site, int32_t argument, uint64_t address, int64_t bytes, bool isWrite)> onAccess;
  std::function<void(uint32_t site, int64_t program, const void *data)> onPrint;
};

/// The levels that this machine runs.
std::vector<const target::CpuTarget *> levelsHere();

/// Compiles the kernel of a module of Tile IR; an empty entry after a failure, which is reported.
CpuObject compileText(llvm::StringRef text, const target::CpuTarget &target, const CrossOptions &options = {},
                      const EmitOptions &emit = {});

/// Runs it in machine code; returns the kernel's result.
int32_t runObject(const CpuObject &object, Arguments &arguments, const CrossOptions &options = {});

/// Runs the kernel in Interp and at each level and expects equal arrays; the arrays of Interp come back.
Arguments cross(llvm::StringRef text, const Arguments &arguments, const CrossOptions &options = {});

/// Runs the kernel at each level, without Interp; calls `judge` with each result.
void runEach(llvm::StringRef text, const Arguments &arguments, const std::function<void(const Arguments &)> &judge,
             const CrossOptions &options = {});

/// The first place where two arrays differ; empty if there is none.
std::string compare(const Argument &expected, const Argument &actual, const CrossOptions &options);

/// Runs a module's kernel in Interp; the arrays afterwards. Errors that it finds are failures, unless one is expected.
Arguments interpret(mlir::ModuleOp module, const Arguments &arguments, const CrossOptions &options);

/// Replaces each $NAME in a text.
std::string fill(llvm::StringRef text, const std::vector<std::pair<std::string, std::string>> &values);

} // namespace pavage::cpu

#endif // PAVAGE_TESTS_UNIT_COMPILER_CPU_CROSS_H

// Random typed tile programs for the differential fuzzer. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is a kernel over input buffers, in-out buffers and output buffers, one of each per element type, and a few
// scalars. It is built op by op from a pool of typed values, so it always verifies. All that it computes is exact (so
// that every back end must agree in every bit but NaN payloads), except what `approximate` outputs hold.
#ifndef PAVAGE_TESTS_FUZZ_GENERATE_H
#define PAVAGE_TESTS_FUZZ_GENERATE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace pavage::fuzz {

/// What a kernel argument is and how the harness fills it.
struct Argument {
  enum Role { Input, InOut, Output, Approximate, Scalar } role;
  mlir::Type element;   ///< of the buffer, or the scalar's type
  int64_t elements = 0; ///< in the buffer
};

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Argument> arguments;
  int32_t grid = 1;
};

struct GenerateOptions {
  int64_t ops = 30;           ///< about how many ops the body has
  int64_t maxElements = 2048; ///< of one tile
};

/// The program of a seed; equal seeds give equal programs.
Program generate(mlir::MLIRContext &context, uint64_t seed, const GenerateOptions &options);

/// Fills the bytes of an argument with small integers, ordinary numbers and edge cases.
std::vector<uint8_t> fill(const Argument &argument, std::mt19937_64 &rng);

} // namespace pavage::fuzz

#endif // PAVAGE_TESTS_FUZZ_GENERATE_H

// The state of one random program being built. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_FUZZ_GENERATOR_H
#define PAVAGE_TESTS_FUZZ_GENERATOR_H

#include "tests/fuzz/Pool.h"

namespace pavage::fuzz {

/// Elements of every buffer that belong to one program of the grid.
inline constexpr int64_t kRegion = 4096;

class Generator {
public:
  Generator(mlir::MLIRContext &context, uint64_t seed, const GenerateOptions &options);
  Program run();

private:
  // Types and values.
  mlir::Type randomElement();
  Shape randomShape();
  Shape shapeOfSize(int64_t elements);
  mlir::Value constant(mlir::Type element, int64_t value);
  mlir::Value splat(mlir::Value scalar, const Shape &shape);
  mlir::Value value(mlir::Type type); ///< from the pool, else loaded or made
  mlir::Value anyTile();
  mlir::Value mask(const Shape &shape);

  // One random step each; they add their results to the pool.
  void step(int depth);
  void binary();
  void unary();
  void cast();
  void compare();
  void shapeChange();
  void reduceOrScan();
  void dot();
  void sortLike();
  void control(int depth);

  // Memory (GenerateMemory.cpp).
  mlir::Value bufferPointer(Argument::Role role, mlir::Type element);
  mlir::Value offsets(const Shape &shape, bool unique);
  mlir::Value load(const Shape &shape, mlir::Type element);
  void store();
  void blockAccess();
  void atomic();
  void finish();
  void storeResult(mlir::Value value, bool approximate);
  void transcendental();

  mlir::Value combine(mlir::Type element, int64_t kind, mlir::Value a, mlir::Value b);

  mlir::MLIRContext &context;
  Dice dice;
  GenerateOptions options;
  mlir::ImplicitLocOpBuilder builder;
  Pool pool;
  std::vector<mlir::Type> elements;
  std::vector<Argument> arguments;
  mlir::Block *entry = nullptr;
  mlir::Value regionStart; ///< first element of this program's region, i32
  int32_t grid = 1;
};

} // namespace pavage::fuzz

#endif // PAVAGE_TESTS_FUZZ_GENERATOR_H

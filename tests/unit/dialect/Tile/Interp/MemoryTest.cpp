// Bounds, origins, strides and findings of memory accesses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/dialect/Tile/Interp/Program.h"

#include <array>

using namespace pavage::tile;

namespace {
ArrayRecord record(const void *data, int32_t argument, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides = {}) {
  ArrayRecord array;
  array.base = reinterpret_cast<uint64_t>(data);
  array.itemSize = 4;
  array.shape.assign(shape.begin(), shape.end());
  array.strides.assign(strides.begin(), strides.end());
  array.name = "x" + std::to_string(argument);
  array.argument = argument;
  return array;
}

Datum pointer(Program &program, unsigned index, const void *data) {
  return Datum::scalar(program.function().getArgumentTypes()[index], reinterpret_cast<uint64_t>(data));
}

constexpr const char *copyOne = R"(
func.func @f(%from: !tile.ptr<i32>, %to: !tile.ptr<i32>, %i: i64) {
  %p = tile.addptr %from, %i : !tile.ptr<i32>, i64
  %x = tile.load %p : !tile.ptr<i32>
  tile.store %to, %x : !tile.ptr<i32>
  return
})";

/// Runs copyOne with from[index]; the finding's kind, or nothing.
std::optional<FindingKind> copyFrom(int64_t index, InterpOptions options, const int32_t *from, int32_t *to) {
  Program program(copyOne);
  Interp interp(std::move(options));
  bool ok = interp.runProgram(program.function(),
                              {pointer(program, 0, from), pointer(program, 1, to),
                               Datum::scalar(program.function().getArgumentTypes()[2], static_cast<uint64_t>(index))},
                              {0, 0, 0});
  EXPECT_EQ(ok, interp.findings().empty());
  return ok ? std::nullopt : std::optional(interp.findings()[0].kind);
}
} // namespace

TEST(Memory, KnowsTheArgumentOfAPointer) {
  // Two arrays side by side: one past the first is inside the second, yet outside for a pointer to the first.
  std::array<int32_t, 8> memory{1, 2, 3, 4, 5, 6, 7, 8};
  InterpOptions options;
  options.arrays = {record(memory.data(), 0, {4}), record(memory.data() + 4, 1, {4})};
  EXPECT_EQ(copyFrom(3, options, memory.data(), memory.data() + 4), std::nullopt);
  EXPECT_EQ(memory[4], 4);
  EXPECT_EQ(copyFrom(4, options, memory.data(), memory.data() + 4), FindingKind::OutOfBounds);
  EXPECT_EQ(copyFrom(-1, options, memory.data(), memory.data() + 4), FindingKind::OutOfBounds);
  EXPECT_EQ(copyFrom(INT64_MAX, options, memory.data(), memory.data() + 4), FindingKind::OutOfBounds);
  // Without the arguments' numbers any array will do.
  options.arrays[0].argument = options.arrays[1].argument = -1;
  EXPECT_EQ(copyFrom(5, options, memory.data(), memory.data() + 4), std::nullopt);
  EXPECT_EQ(copyFrom(8, options, memory.data(), memory.data() + 4), FindingKind::OutOfBounds);
}

TEST(Memory, TakesAnAddressAsGivenWhereNothingIsKnown) {
  std::array<int32_t, 8> memory{1, 2, 3, 4, 5, 6, 7, 8};
  InterpOptions options;
  options.arrays = {record(memory.data(), 0, {2}), record(memory.data() + 4, 1, {1})};
  options.arrays[0].anyExtent = true;
  EXPECT_EQ(copyFrom(3, options, memory.data(), memory.data() + 4), std::nullopt);
  options.arrays.clear();
  options.checkBounds = false;
  EXPECT_EQ(copyFrom(7, options, memory.data(), memory.data() + 4), std::nullopt);
  EXPECT_EQ(memory[4], 8);
}

TEST(Memory, ProtectsReadOnlyArrays) {
  std::array<int32_t, 8> memory{1, 2, 3, 4, 5, 6, 7, 8};
  InterpOptions options;
  options.arrays = {record(memory.data(), 0, {4}), record(memory.data() + 4, 1, {4})};
  options.arrays[1].readOnly = true;
  EXPECT_EQ(copyFrom(0, options, memory.data(), memory.data() + 4), FindingKind::ReadOnlyWrite);
  EXPECT_EQ(memory[4], 5);
}

TEST(Memory, ChecksLogicalExtents) {
  // x[:, :3] of a 3x5 array, and the same from the last row up.
  std::array<int32_t, 15> memory{};
  int32_t target = 0;
  InterpOptions options;
  options.arrays = {record(memory.data(), 0, {3, 3}, {20, 4}), record(&target, 1, {})};
  for (int64_t i = -2; i < 16; ++i) {
    bool inside = i >= 0 && i < 15 && i % 5 < 3;
    EXPECT_EQ(copyFrom(i, options, memory.data(), &target).has_value(), !inside) << i;
  }
  options.arrays[0] = record(memory.data() + 10, 0, {3, 3}, {-20, 4});
  for (int64_t i = -12; i < 6; ++i) {
    bool inside = i >= -10 && i < 5 && (i + 10) % 5 < 3;
    EXPECT_EQ(copyFrom(i, options, memory.data() + 10, &target).has_value(), !inside) << i;
  }
}

TEST(Memory, NamesTheLane) {
  std::array<int32_t, 8> memory{};
  Program program(R"(
func.func @f(%from: !tile.ptr<i32>) -> tensor<2x5xi32> {
  %i = tile.iota 0 : tensor<10xi32>
  %p = tile.splat %from : !tile.ptr<i32> -> tensor<10x!tile.ptr<i32>>
  %q = tile.addptr %p, %i : tensor<10x!tile.ptr<i32>>, tensor<10xi32>
  %r = tile.reshape %q : tensor<10x!tile.ptr<i32>> -> tensor<2x5x!tile.ptr<i32>>
  %x = tile.load %r : tensor<2x5x!tile.ptr<i32>>
  return %x : tensor<2x5xi32>
})");
  InterpOptions options;
  options.arrays = {record(memory.data(), 0, {8})};
  Interp interp(options);
  EXPECT_FALSE(interp.runProgram(program.function(), {pointer(program, 0, memory.data())}, {0, 0, 0}));
  ASSERT_EQ(interp.findings().size(), 1u);
  EXPECT_EQ(interp.findings()[0].text, "reads outside 'x0', at index [8] of shape [8], 0 bytes past its end (lane 8)");
}

TEST(Memory, KeepsOriginsOutOfMemoryAndIntegers) {
  std::array<int32_t, 2> target{7, 9};
  uint64_t cell = 0;
  Program program(R"(
func.func @f(%cell: !tile.ptr<!tile.ptr<i32>>, %to: !tile.ptr<i32>) -> (i64, i32, !tile.ptr<i32>) {
  tile.store %cell, %to : !tile.ptr<!tile.ptr<i32>>
  %back = tile.load %cell : !tile.ptr<!tile.ptr<i32>>
  %one = arith.constant 1 : i32
  %p = tile.addptr %back, %one : !tile.ptr<i32>, i32
  %x = tile.load %p : !tile.ptr<i32>
  %i = tile.bitcast %to : !tile.ptr<i32> -> i64
  return %i, %x, %to : i64, i32, !tile.ptr<i32>
})");
  InterpOptions options;
  options.arrays = {record(&cell, 0, {1}), record(target.data(), 1, {2})};
  options.arrays[0].itemSize = 8;
  Interp interp(options);
  ASSERT_TRUE(interp.runProgram(program.function(), {pointer(program, 0, &cell), pointer(program, 1, target.data())},
                                {0, 0, 0}));
  auto address = reinterpret_cast<uint64_t>(target.data());
  EXPECT_EQ(cell, address);
  EXPECT_EQ(interp.returned()[0].bits(0), address);
  EXPECT_EQ(interp.returned()[1].bits(0), 9u);
  EXPECT_EQ(interp.returned()[2].bits(0), address);
}

TEST(Budget, StopsEndlessLoops) {
  Program program(R"(
func.func @f() {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  return
})");
  InterpOptions options;
  options.maxOps = 100000;
  // An empty loop evaluates no op but itself; its condition still has to count.
  Interp interp(options);
  EXPECT_FALSE(interp.runProgram(program.function(), {}, {0, 0, 0}));
  ASSERT_EQ(interp.findings().size(), 1u);
  EXPECT_EQ(interp.findings()[0].kind, FindingKind::Limit);

  int polled = 0;
  InterpOptions cancellable;
  cancellable.cancelled = [&] { return ++polled > 3; };
  Interp other(cancellable);
  EXPECT_FALSE(other.runGrid(program.function(), {}));
  EXPECT_EQ(other.findings()[0].kind, FindingKind::Cancelled);
}

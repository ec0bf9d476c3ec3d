// Loops and branches that carry scalars and tiles, against Interp. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>
#include <numeric>

namespace pavage::cpu {
namespace {

/// %p: array of i32; %n: a number; %x: tile of its first N elements; the body defines the tile %r, which is stored.
void check(int64_t extent, const std::string &body, std::vector<int64_t> numbers = {0, 1, 2, 5}) {
  std::string text = fill(R"(
func.func @k(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %i = tile.iota 0 : $TT
  %ones = arith.constant dense<1> : $TT
  %p_t = tile.splat %p : !tile.ptr<i32> -> tensor<$Nx!tile.ptr<i32>>
  %pp = tile.addptr %p_t, %i : tensor<$Nx!tile.ptr<i32>>, $TT
  %x = tile.load %pp : tensor<$Nx!tile.ptr<i32>>
)" + body + R"(
  tile.store %pp, %r : tensor<$Nx!tile.ptr<i32>>
  return
}
)",
                          {{"TT", "tensor<" + std::to_string(extent) + "xi32>"}, {"N", std::to_string(extent)}});
  for (int64_t number : numbers) {
    for (bool isDisjoint : {false, true}) {
      SCOPED_TRACE(number);
      CrossOptions options;
      options.nanOf = 0;
      options.isDisjoint = isDisjoint;
      cross(text, {Argument::array(randomBits<int32_t>(extent, 3)), Argument::number(static_cast<uint64_t>(number))},
            options);
    }
  }
}

TEST(CpuControl, CarriedTiles) {
  for (int64_t extent : {1, 5, 37}) {
    check(extent, R"(
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> ($TT) : i32 {
    %k_t = tile.splat %k : i32 -> $TT
    %b = arith.muli %a, %a : $TT
    %c = arith.addi %b, %k_t : $TT
    scf.yield %c : $TT
  })");
  }
}

TEST(CpuControl, SwappedAndShiftedTiles) {
  check(37, R"(
  %y = arith.muli %x, %x : $TT
  %a, %b, %c = scf.for %k = %c0 to %n step %c1 iter_args(%a0 = %x, %b0 = %y, %c0_ = %i) -> ($TT, $TT, $TT) : i32 {
    %s = arith.addi %a0, %c0_ : $TT
    scf.yield %b0, %a0, %s : $TT, $TT, $TT
  }
  %t = arith.muli %a, %ones : $TT
  %u = arith.subi %t, %b : $TT
  %r = arith.xori %u, %c : $TT)");
  // Each round reads its own tile at other places.
  check(36, R"(
  %q = tile.reshape %x : $TT -> tensor<6x6xi32>
  %z = scf.for %k = %c0 to %n step %c1 iter_args(%a = %q) -> (tensor<6x6xi32>) : i32 {
    %t = tile.trans %a order [1, 0] : tensor<6x6xi32> -> tensor<6x6xi32>
    %s = arith.subi %t, %a : tensor<6x6xi32>
    scf.yield %s : tensor<6x6xi32>
  }
  %r = tile.reshape %z : tensor<6x6xi32> -> $TT)");
}

TEST(CpuControl, YieldedValuesUsedTwice) {
  check(37, R"(
  %a, %b, %s = scf.for %k = %c0 to %n step %c1 iter_args(%a0 = %x, %b0 = %i, %s0 = %c3) -> ($TT, $TT, i32) : i32 {
    %m = arith.maxsi %a0, %b0 : $TT
    %v = arith.muli %m, %m : $TT
    %w = arith.subi %v, %a0 : $TT
    %sum = tile.reduce %w axis 0 : ($TT) -> i32 {
    ^bb0(%u0: i32, %u1: i32):
      %u2 = arith.addi %u0, %u1 : i32
      tile.yield %u2 : i32
    }
    %s1 = arith.addi %s0, %sum : i32
    scf.yield %w, %v, %s1 : $TT, $TT, i32
  }
  %s_t = tile.splat %s : i32 -> $TT
  %d = arith.subi %a, %b : $TT
  %r = arith.xori %d, %s_t : $TT)");
}

TEST(CpuControl, NestedLoopsAndOuterTiles) {
  check(20, R"(
  %y = arith.muli %x, %x : $TT
  %z = arith.muli %y, %y : $TT
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> ($TT) : i32 {
    %w = arith.addi %a, %z : $TT
    %v = arith.muli %w, %w : $TT
    %in = scf.for %l = %c0 to %c3 step %c1 iter_args(%b = %v) -> ($TT) : i32 {
      %l_t = tile.splat %l : i32 -> $TT
      %o = arith.addi %b, %z : $TT
      %o2 = arith.subi %o, %a : $TT
      %o3 = arith.muli %o2, %l_t : $TT
      scf.yield %o3 : $TT
    }
    %out = arith.addi %in, %w : $TT
    scf.yield %out : $TT
  })");
}

TEST(CpuControl, StoresInLoopsBetweenLoads) {
  check(20, R"(
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> ($TT) : i32 {
    %v = tile.load %pp : tensor<$Nx!tile.ptr<i32>>
    %w = arith.addi %v, %a : $TT
    tile.store %pp, %w : tensor<$Nx!tile.ptr<i32>>
    %q = arith.muli %v, %v : $TT
    scf.yield %q : $TT
  })");
  check(20, R"(
  %y = arith.addi %x, %x : $TT
  scf.for %k = %c0 to %n step %c1 : i32 {
    tile.store %pp, %i : tensor<$Nx!tile.ptr<i32>>
  }
  %r = arith.addi %y, %x : $TT)");
}

TEST(CpuControl, Branches) {
  check(20, R"(
  %big = arith.cmpi sgt, %n, %c1 : i32
  %a, %s = scf.if %big -> ($TT, i32) {
    %y = arith.muli %x, %x : $TT
    scf.yield %y, %n : $TT, i32
  } else {
    scf.yield %i, %c3 : $TT, i32
  }
  %s_t = tile.splat %s : i32 -> $TT
  %r = arith.subi %a, %s_t : $TT)");
  check(20, R"(
  %y = arith.muli %x, %x : $TT
  %big = arith.cmpi sgt, %n, %c1 : i32
  scf.if %big {
    tile.store %pp, %i : tensor<$Nx!tile.ptr<i32>>
  }
  %v = tile.load %pp : tensor<$Nx!tile.ptr<i32>>
  %r = arith.subi %y, %v : $TT)");
}

TEST(CpuControl, While) {
  check(20, R"(
  %a, %k = scf.while (%a0 = %x, %k0 = %c0) : ($TT, i32) -> ($TT, i32) {
    %go = arith.cmpi slt, %k0, %n : i32
    %b = arith.addi %a0, %ones : $TT
    scf.condition(%go) %b, %k0 : $TT, i32
  } do {
  ^bb0(%a1: $TT, %k1: i32):
    %v = arith.muli %a1, %a1 : $TT
    %k2 = arith.addi %k1, %c1 : i32
    scf.yield %v, %k2 : $TT, i32
  }
  %k_t = tile.splat %k : i32 -> $TT
  %r = arith.subi %a, %k_t : $TT)");
}

TEST(CpuControl, BoundsAndSteps) {
  for (auto [lower, upper, step] :
       std::vector<std::tuple<int32_t, int32_t, int32_t>>{{0, 10, 3},
                                                          {5, 5, 1},
                                                          {7, 3, 2},
                                                          {-5, 4, 4},
                                                          {2147483600, 2147483647, 40},
                                                          {-2147483647, 2147483647, 2000000000}}) {
    std::string text = fill(R"(
func.func @k(%p: !tile.ptr<i32>, %lo: i32, %hi: i32, %st: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %s = scf.for %k = %lo to %hi step %st iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.xori %a, %k : i32
    %c7 = arith.constant 7 : i32
    %c = arith.addi %b, %c7 : i32
    scf.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}
)",
                            {});
    auto bits = [](int32_t x) { return Argument::number(static_cast<uint32_t>(x)); };
    cross(text, {Argument::array(std::vector<int32_t>(1)), bits(lower), bits(upper), bits(step)});
  }
}

TEST(CpuControl, ProgramsOfThreeAxes) {
  std::string text = R"(
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %nz = tile.num_programs 2
  %zy = arith.muli %z, %ny : i32
  %a = arith.addi %zy, %y : i32
  %b = arith.muli %a, %nx : i32
  %id = arith.addi %b, %x : i32
  %q = tile.addptr %p, %id : !tile.ptr<i32>, i32
  %v0 = arith.muli %id, %nz : i32
  %v1 = arith.addi %v0, %z : i32
  tile.store %q, %v1 : !tile.ptr<i32>
  return
}
)";
  CrossOptions options;
  options.grid = {3, 2, 4};
  cross(text, {Argument::array(std::vector<int32_t>(24))}, options);
}

/// Flash attention's loop: running maximum and sum, a rescaled accumulator.
TEST(CpuControl, AttentionLoop) {
  std::string text = R"(
func.func @k(%out: !tile.ptr<f32>, %q: !tile.ptr<f32>, %kv: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %d = arith.constant 8 : i64
  %c0 = arith.constant 0 : i32
  %bn = arith.constant 5 : i32
  %x = tile.block_load %q[%zero, %zero] strides [%d, %one] extents [%zero, %zero] : !tile.ptr<f32> -> tensor<7x8xf32>
  %acc0 = arith.constant dense<0.0> : tensor<7x8xf32>
  %m0 = arith.constant dense<-1.0e30> : tensor<7xf32>
  %l0 = arith.constant dense<0.0> : tensor<7xf32>
  %s0 = arith.constant dense<0.0> : tensor<7x5xf32>
  %acc, %m, %l = scf.for %k = %c0 to %n step %bn iter_args(%a = %acc0, %mi = %m0, %li = %l0) -> (tensor<7x8xf32>, tensor<7xf32>, tensor<7xf32>) : i32 {
    %k64 = arith.extsi %k : i32 to i64
    %y = tile.block_load %kv[%k64, %zero] strides [%d, %one] extents [%zero, %zero] : !tile.ptr<f32> -> tensor<5x8xf32>
    %yt = tile.trans %y order [1, 0] : tensor<5x8xf32> -> tensor<8x5xf32>
    %s = tile.dot %x, %yt, %s0 : tensor<7x8xf32>, tensor<8x5xf32>, tensor<7x5xf32>
    %row = tile.reduce %s axis 1 : (tensor<7x5xf32>) -> tensor<7xf32> {
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tile.yield %w : f32
    }
    %mn = arith.maxnumf %mi, %row : tensor<7xf32>
    %dm = arith.subf %mi, %mn : tensor<7xf32>
    %alpha = math.floor %dm : tensor<7xf32>
    %mn1 = tile.expand_dims %mn axis 1 : tensor<7xf32> -> tensor<7x1xf32>
    %mn2 = tile.broadcast %mn1 : tensor<7x1xf32> -> tensor<7x5xf32>
    %p0 = arith.subf %s, %mn2 : tensor<7x5xf32>
    %p = math.sqrt %p0 : tensor<7x5xf32>
    %sum = tile.reduce %p axis 1 : (tensor<7x5xf32>) -> tensor<7xf32> {
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tile.yield %w : f32
    }
    %la = arith.mulf %li, %alpha : tensor<7xf32>
    %ln = arith.addf %la, %sum : tensor<7xf32>
    %al1 = tile.expand_dims %alpha axis 1 : tensor<7xf32> -> tensor<7x1xf32>
    %al2 = tile.broadcast %al1 : tensor<7x1xf32> -> tensor<7x8xf32>
    %as = arith.mulf %a, %al2 : tensor<7x8xf32>
    %an = tile.dot %p0, %y, %as : tensor<7x5xf32>, tensor<5x8xf32>, tensor<7x8xf32>
    scf.yield %an, %mn, %ln : tensor<7x8xf32>, tensor<7xf32>, tensor<7xf32>
  }
  %m1 = tile.expand_dims %m axis 1 : tensor<7xf32> -> tensor<7x1xf32>
  %m2 = tile.broadcast %m1 : tensor<7x1xf32> -> tensor<7x8xf32>
  %r = arith.addf %acc, %m2 : tensor<7x8xf32>
  tile.block_store %out[%zero, %zero] strides [%d, %one] extents [%zero, %zero], %r : !tile.ptr<f32>, tensor<7x8xf32>
  return
}
)";
  for (int64_t length : {0, 5, 15}) {
    cross(text, {Argument::array(std::vector<float>(56)), Argument::array(randomFloats(56, 1)),
                 Argument::array(randomFloats(160, 2)), Argument::number(length)});
  }
}

} // namespace
} // namespace pavage::cpu

// Matrix products, against Interp to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>

namespace pavage::cpu {
namespace {

/// Tiles by block_load: a of MxK, b of KxN, c of MxN; out = dot(a, b, c).
constexpr const char *dotText = R"(
func.func @k(%out: !tile.ptr<$C>, %a: !tile.ptr<$A>, %b: !tile.ptr<$B>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant $M : i64
  %n = arith.constant $N : i64
  %k = arith.constant $K : i64
  %x = tile.block_load %a[%zero, %zero] strides [%k, %one] extents [%m, %k] : !tile.ptr<$A> -> tensor<$Mx$Kx$A>
  %y = tile.block_load %b[%zero, %zero] strides [%n, %one] extents [%k, %n] : !tile.ptr<$B> -> tensor<$Kx$Nx$B>
  %c = tile.block_load %out[%zero, %zero] strides [%n, %one] extents [%m, %n] : !tile.ptr<$C> -> tensor<$Mx$Nx$C>
  %d = tile.dot %x, %y, %c $F : tensor<$Mx$Kx$A>, tensor<$Kx$Nx$B>, tensor<$Mx$Nx$C>
  tile.block_store %out[%zero, %zero] strides [%n, %one] extents [%m, %n], %d : !tile.ptr<$C>, tensor<$Mx$Nx$C>
  return
}
)";

void check(int64_t m, int64_t n, int64_t k, const std::string &a, const std::string &b, const std::string &c,
           size_t bytesA, size_t bytesC, const std::string &flags = "") {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " " + a);
  std::string text = fill(dotText, {{"M", std::to_string(m)},
                                    {"N", std::to_string(n)},
                                    {"K", std::to_string(k)},
                                    {"A", a},
                                    {"B", b},
                                    {"C", c},
                                    {"F", flags}});
  auto operand = [&](int64_t count, const std::string &type, size_t bytes, uint64_t seed) {
    if (type == "f32") {
      return Argument::array(randomFloats(count, seed));
    }
    std::vector<uint8_t> raw = randomBits<uint8_t>(count * bytes, seed);
    if (type == "f16" || type == "bf16") { // moderate exponents
      for (int64_t i = 0; i < count; ++i) {
        raw[2 * i + 1] = (raw[2 * i + 1] & 0x83) | (type == "f16" ? 0x38 : 0x3c);
      }
    } else if (type == "f64") {
      for (int64_t i = 0; i < count; ++i) {
        raw[8 * i + 7] = 0x3f, raw[8 * i + 6] = 0xe0 | (raw[8 * i + 6] & 0xf);
      }
    }
    return Argument::array(raw);
  };
  CrossOptions options;
  options.nanOf = c == "f32" ? 'f' : c == "f16" ? 'h' : c == "bf16" ? 'b' : 0;
  cross(text, {operand(m * n, c, bytesC, 1), operand(m * k, a, bytesA, 2), operand(k * n, b, bytesA, 3)}, options);
}

TEST(CpuDot, ShapesOfFloats) {
  for (auto [m, n, k] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1},
                                                                           {3, 5, 7},
                                                                           {4, 64, 8},
                                                                           {16, 16, 16},
                                                                           {5, 1, 9},
                                                                           {1, 100, 3},
                                                                           {33, 65, 17},
                                                                           {64, 64, 64},
                                                                           {7, 130, 2}}) {
    check(m, n, k, "f32", "f32", "f32", 4, 4);
  }
}

TEST(CpuDot, OtherTypes) {
  for (auto [m, n, k] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{3, 5, 7}, {17, 33, 40}}) {
    check(m, n, k, "f16", "f16", "f32", 2, 4);
    check(m, n, k, "bf16", "bf16", "f32", 2, 4);
    check(m, n, k, "f16", "f16", "f16", 2, 2);
    check(m, n, k, "bf16", "bf16", "bf16", 2, 2);
    check(m, n, k, "f8E4M3FN", "f8E5M2", "f32", 1, 4);
    check(m, n, k, "f64", "f64", "f64", 8, 8);
    check(m, n, k, "i8", "i8", "i32", 1, 4);
  }
}

/// A matrix product as kernels write it: pointer tiles, masks, a loop over k with the accumulator carried.
constexpr const char *matmulText = R"(
func.func @k(%c: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %m: i32, %n: i32, %k: i32) attributes {tile.kernel} {
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %bm = arith.constant $M : i32
  %bn = arith.constant $N : i32
  %bk = arith.constant $K : i32
  %zero = arith.constant 0 : i32
  %rows0 = arith.muli %pm, %bm : i32
  %cols0 = arith.muli %pn, %bn : i32
  %im = tile.iota 0 : tensor<$Mxi32>
  %in = tile.iota 0 : tensor<$Nxi32>
  %ik = tile.iota 0 : tensor<$Kxi32>
  %rows0_t = tile.splat %rows0 : i32 -> tensor<$Mxi32>
  %cols0_t = tile.splat %cols0 : i32 -> tensor<$Nxi32>
  %rows = arith.addi %rows0_t, %im : tensor<$Mxi32>
  %cols = arith.addi %cols0_t, %in : tensor<$Nxi32>
  %m_t = tile.splat %m : i32 -> tensor<$Mxi32>
  %n_t = tile.splat %n : i32 -> tensor<$Nxi32>
  %k_m = tile.splat %k : i32 -> tensor<$Mxi32>
  %ra = arith.muli %rows, %k_m : tensor<$Mxi32>
  %ra1 = tile.expand_dims %ra axis 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %ra2 = tile.broadcast %ra1 : tensor<$Mx1xi32> -> tensor<$Mx$Kxi32>
  %ik1 = tile.expand_dims %ik axis 0 : tensor<$Kxi32> -> tensor<1x$Kxi32>
  %ik2 = tile.broadcast %ik1 : tensor<1x$Kxi32> -> tensor<$Mx$Kxi32>
  %offa = arith.addi %ra2, %ik2 : tensor<$Mx$Kxi32>
  %a_t = tile.splat %a : !tile.ptr<f32> -> tensor<$Mx$Kx!tile.ptr<f32>>
  %pa0 = tile.addptr %a_t, %offa : tensor<$Mx$Kx!tile.ptr<f32>>, tensor<$Mx$Kxi32>
  %n_k = tile.splat %n : i32 -> tensor<$Kxi32>
  %rb = arith.muli %ik, %n_k : tensor<$Kxi32>
  %rb1 = tile.expand_dims %rb axis 1 : tensor<$Kxi32> -> tensor<$Kx1xi32>
  %rb2 = tile.broadcast %rb1 : tensor<$Kx1xi32> -> tensor<$Kx$Nxi32>
  %cb = arith.remsi %cols, %n_t : tensor<$Nxi32>
  %cb1 = tile.expand_dims %cb axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %cb2 = tile.broadcast %cb1 : tensor<1x$Nxi32> -> tensor<$Kx$Nxi32>
  %offb = arith.addi %rb2, %cb2 : tensor<$Kx$Nxi32>
  %b_t = tile.splat %b : !tile.ptr<f32> -> tensor<$Kx$Nx!tile.ptr<f32>>
  %pb0 = tile.addptr %b_t, %offb : tensor<$Kx$Nx!tile.ptr<f32>>, tensor<$Kx$Nxi32>
  %stepb = arith.muli %n, %bk : i32
  %stepb_t = tile.splat %stepb : i32 -> tensor<$Kx$Nxi32>
  %stepa_t = arith.constant dense<$K> : tensor<$Mx$Kxi32>
  %rmask = arith.cmpi slt, %rows, %m_t : tensor<$Mxi32>
  %rmask1 = tile.expand_dims %rmask axis 1 : tensor<$Mxi1> -> tensor<$Mx1xi1>
  %rmaska = tile.broadcast %rmask1 : tensor<$Mx1xi1> -> tensor<$Mx$Kxi1>
  %acc0 = arith.constant dense<0.0> : tensor<$Mx$Nxf32>
  %acc, %pae, %pbe = scf.for %kk = %zero to %k step %bk iter_args(%s = %acc0, %pa = %pa0, %pb = %pb0) -> (tensor<$Mx$Nxf32>, tensor<$Mx$Kx!tile.ptr<f32>>, tensor<$Kx$Nx!tile.ptr<f32>>) : i32 {
    %left = arith.subi %k, %kk : i32
    %left_k = tile.splat %left : i32 -> tensor<$Kxi32>
    %kmask = arith.cmpi slt, %ik, %left_k : tensor<$Kxi32>
    %kmaska1 = tile.expand_dims %kmask axis 0 : tensor<$Kxi1> -> tensor<1x$Kxi1>
    %kmaska2 = tile.broadcast %kmaska1 : tensor<1x$Kxi1> -> tensor<$Mx$Kxi1>
    %maska = arith.andi %rmaska, %kmaska2 : tensor<$Mx$Kxi1>
    %kmaskb1 = tile.expand_dims %kmask axis 1 : tensor<$Kxi1> -> tensor<$Kx1xi1>
    %maskb = tile.broadcast %kmaskb1 : tensor<$Kx1xi1> -> tensor<$Kx$Nxi1>
    %x = tile.load %pa mask %maska : tensor<$Mx$Kx!tile.ptr<f32>>
    %y = tile.load %pb mask %maskb : tensor<$Kx$Nx!tile.ptr<f32>>
    %t = tile.dot %x, %y, %s : tensor<$Mx$Kxf32>, tensor<$Kx$Nxf32>, tensor<$Mx$Nxf32>
    %pa1 = tile.addptr %pa, %stepa_t : tensor<$Mx$Kx!tile.ptr<f32>>, tensor<$Mx$Kxi32>
    %pb1 = tile.addptr %pb, %stepb_t : tensor<$Kx$Nx!tile.ptr<f32>>, tensor<$Kx$Nxi32>
    scf.yield %t, %pa1, %pb1 : tensor<$Mx$Nxf32>, tensor<$Mx$Kx!tile.ptr<f32>>, tensor<$Kx$Nx!tile.ptr<f32>>
  }
  %n_m = tile.splat %n : i32 -> tensor<$Mxi32>
  %rc = arith.muli %rows, %n_m : tensor<$Mxi32>
  %rc1 = tile.expand_dims %rc axis 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %rc2 = tile.broadcast %rc1 : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %cc1 = tile.expand_dims %cols axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %cc2 = tile.broadcast %cc1 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %offc = arith.addi %rc2, %cc2 : tensor<$Mx$Nxi32>
  %c_t = tile.splat %c : !tile.ptr<f32> -> tensor<$Mx$Nx!tile.ptr<f32>>
  %pc = tile.addptr %c_t, %offc : tensor<$Mx$Nx!tile.ptr<f32>>, tensor<$Mx$Nxi32>
  %rmaskc = tile.broadcast %rmask1 : tensor<$Mx1xi1> -> tensor<$Mx$Nxi1>
  %cmask = arith.cmpi slt, %cols, %n_t : tensor<$Nxi32>
  %cmask1 = tile.expand_dims %cmask axis 0 : tensor<$Nxi1> -> tensor<1x$Nxi1>
  %cmask2 = tile.broadcast %cmask1 : tensor<1x$Nxi1> -> tensor<$Mx$Nxi1>
  %maskc = arith.andi %rmaskc, %cmask2 : tensor<$Mx$Nxi1>
  tile.store %pc, %acc mask %maskc : tensor<$Mx$Nx!tile.ptr<f32>>
  return
}
)";

TEST(CpuDot, WholeMatmul) {
  for (auto [bm, bn, bk] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{16, 16, 16}, {5, 7, 3}, {32, 64, 8}}) {
    std::string text =
        fill(matmulText, {{"M", std::to_string(bm)}, {"N", std::to_string(bn)}, {"K", std::to_string(bk)}});
    for (auto [m, n, k] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{20, 37, 19}, {1, 1, 1}, {32, 64, 16}}) {
      CrossOptions options;
      options.grid = {(m + bm - 1) / bm, (n + bn - 1) / bn, 1};
      cross(text,
            {Argument::array(std::vector<float>(m * n)), Argument::array(randomFloats(m * k, 1)),
             Argument::array(randomFloats(k * n, 2)), Argument::number(m), Argument::number(n), Argument::number(k)},
            options);
    }
  }
}

TEST(CpuDot, BatchAndAccumulatorReadTwice) {
  // The accumulator is also the left operand, and used afterwards: nothing may be overwritten too early.
  std::string text = R"(
func.func @k(%out: !tile.ptr<f32>, %a: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 5 : i64
  %nn = arith.constant 25 : i64
  %x = tile.block_load %a[%zero, %zero, %zero] strides [%nn, %n, %one] extents [%one, %n, %n] : !tile.ptr<f32> -> tensor<3x5x5xf32>
  %y = arith.addf %x, %x : tensor<3x5x5xf32>
  %d = tile.dot %y, %x, %y : tensor<3x5x5xf32>, tensor<3x5x5xf32>, tensor<3x5x5xf32>
  %e = tile.dot %d, %d, %d : tensor<3x5x5xf32>, tensor<3x5x5xf32>, tensor<3x5x5xf32>
  %f = arith.addf %e, %y : tensor<3x5x5xf32>
  tile.block_store %out[%zero, %zero, %zero] strides [%nn, %n, %one] extents [%one, %n, %n], %f : !tile.ptr<f32>, tensor<3x5x5xf32>
  return
}
)";
  cross(text, {Argument::array(std::vector<float>(75)), Argument::array(randomFloats(75, 1))});
}

} // namespace
} // namespace pavage::cpu

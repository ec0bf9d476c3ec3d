// Products, executed: tensor cores and multiply-adds, whole tiles and loops over K. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
//
// Operands are small whole numbers, so sums are exact in every order.
#include "tests/unit/compiler/Gpu/TileProgram.h"
#include <gtest/gtest.h>

namespace pavage::gpu {
namespace {

struct Types {
  const char *left, *right, *sum;
};
const std::vector<Types> kTypes = {{"f16", "f16", "f32"},         {"bf16", "bf16", "f32"},    {"i8", "i8", "i32"},
                                   {"f32", "f32", "f32"},         {"f64", "f64", "f64"},      {"f16", "f16", "f16"},
                                   {"f8E4M3FN", "f8E5M2", "f32"}, {"f8E5M2", "f8E5M2", "f32"}};

/// `raised`: operands plus one, so that padding, which loads as zero, is not zero.
sim::LaunchResult check(int64_t m, int64_t n, int64_t k, const Types &types, const std::string &flags,
                        const GpuOptions &options, bool raised = false) {
  TileOf a{{m, k}, types.left}, b{{k, n}, types.right}, c{{m, n}, types.sum};
  std::string ta = tensorOf(a.shape, a.type), tb = tensorOf(b.shape, b.type), body;
  if (raised) {
    std::string add = a.type[0] == 'i' ? "arith.addi" : "arith.addf", one = a.type[0] == 'i' ? "1" : "1.0";
    body = "  %one0 = arith.constant dense<" + one + "> : " + ta + "\n  %one1 = arith.constant dense<" + one +
           "> : " + tb + "\n  %a = " + add + " %x0, %one0 : " + ta + "\n  %b = " + add + " %x1, %one1 : " + tb + "\n";
  }
  body += std::string("  %r = tile.dot ") + (raised ? "%a, %b" : "%x0, %x1") + ", %x2 " + flags + " : " + ta + ", " +
          tb + ", " + tensorOf(c.shape, c.type) + "\n";
  return checkProgram({a, b, c}, c, body, options,
                      {wholeNumbers(a, 3, 5), wholeNumbers(b, 4, 5), wholeNumbers(c, 5, 5)});
}

} // namespace

TEST(GpuDot, EveryTypeAndTarget) {
  for (const Types &types : kTypes) {
    for (const char *target : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}) {
      for (int warps : {1, 4, 8, 16}) {
        if (!isSampled(4)) {
          continue;
        }
        check(32, 32, 32, types, "", {.target = target, .numWarps = warps, .nanOf = 0});
      }
    }
  }
}

TEST(GpuDot, ManyShapes) {
  for (const Types &types : {kTypes[0], kTypes[2], kTypes[3], kTypes[4]}) {
    for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{16, 8, 16},
                                                              {64, 128, 32},
                                                              {128, 64, 64},
                                                              {16, 16, 8},
                                                              {8, 8, 4},
                                                              {5, 7, 3},
                                                              {1, 16, 64},
                                                              {24, 40, 48},
                                                              {33, 17, 20}}) {
      for (int warps : {1, 2, 4, 16}) {
        if (!isSampled(4)) {
          continue;
        }
        check(m, n, k, types, "", {.numWarps = warps, .nanOf = 0}, /*raised=*/true);
      }
    }
  }
}

TEST(GpuDot, Precisions) {
  for (const char *precision : {"ieee", "tf32", "tf32x3", "bf16x3"}) {
    for (const char *target : {"sm_75", "sm_80", "sm_90"}) {
      check(32, 64, 32, kTypes[3], std::string("precision ") + precision, {.target = target, .nanOf = 0});
    }
  }
}

TEST(GpuDot, UnsignedOperands) {
  for (const char *target : {"sm_75", "sm_80"}) {
    TileOf a{{32, 64}, "i8"}, b{{64, 32}, "i8"}, c{{32, 32}, "i32"};
    std::string t = tensorOf(a.shape, a.type) + ", " + tensorOf(b.shape, b.type) + ", " + tensorOf(c.shape, c.type);
    checkProgram({a, b, c}, c, "  %r = tile.dot %x0 unsigned, %x1, %x2 : " + t + "\n", {.target = target, .nanOf = 0});
    checkProgram({a, b, c}, c, "  %r = tile.dot %x0, %x1 unsigned, %x2 : " + t + "\n", {.target = target, .nanOf = 0});
  }
}

TEST(GpuDot, Batches) {
  for (const Types &types : {kTypes[0], kTypes[3]}) {
    for (int warps : {1, 4, 8}) {
      TileOf a{{4, 16, 32}, types.left}, b{{4, 32, 16}, types.right}, c{{4, 16, 16}, types.sum};
      std::string t = tensorOf(a.shape, a.type) + ", " + tensorOf(b.shape, b.type) + ", " + tensorOf(c.shape, c.type);
      checkProgram({a, b, c}, c, "  %r = tile.dot %x0, %x1, %x2 : " + t + "\n", {.numWarps = warps, .nanOf = 0},
                   {wholeNumbers(a, 3, 5), wholeNumbers(b, 4, 5), wholeNumbers(c, 5, 5)});
    }
  }
}

/// A block of a matrix product: a loop over K in steps, with bounds that may be masked.
static std::string matmulText(int64_t m, int64_t n, int64_t step, const std::string &type, const std::string &sum) {
  return fill(R"(
func.func @k(%out: !tile.ptr<$S> {tile.divisibility = 16 : i64}, %a: !tile.ptr<$T> {tile.divisibility = 16 : i64},
             %b: !tile.ptr<$T> {tile.divisibility = 16 : i64}, %k: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %zero64 = arith.constant 0 : i64
  %one64 = arith.constant 1 : i64
  %step = arith.constant $K : i32
  %m64 = arith.constant $M : i64
  %n64 = arith.constant $N : i64
  %k64 = arith.extsi %k : i32 to i64
  %c0 = arith.constant dense<0$Z> : tensor<$Mx$Nx$S>
  %c = scf.for %at = %zero to %k step %step iter_args(%sum = %c0) -> (tensor<$Mx$Nx$S>) : i32 {
    %at64 = arith.extsi %at : i32 to i64
    %x = tile.block_load %a[%zero64, %at64] strides [%k64, %one64] extents [%m64, %k64] checked [1]
      : !tile.ptr<$T> -> tensor<$Mx$Kx$T>
    %y = tile.block_load %b[%at64, %zero64] strides [%n64, %one64] extents [%k64, %n64] checked [0]
      : !tile.ptr<$T> -> tensor<$Kx$Nx$T>
    %next = tile.dot %x, %y, %sum : tensor<$Mx$Kx$T>, tensor<$Kx$Nx$T>, tensor<$Mx$Nx$S>
    scf.yield %next : tensor<$Mx$Nx$S>
  }
  tile.block_store %out[%zero64, %zero64] strides [%n64, %one64] extents [%m64, %n64], %c
    : !tile.ptr<$S>, tensor<$Mx$Nx$S>
  return
}
)",
              {{"Z", sum[0] == 'i' ? "" : ".0"},
               {"Mx$N", std::to_string(m) + "x" + std::to_string(n)},
               {"Mx$K", std::to_string(m) + "x" + std::to_string(step)},
               {"Kx$N", std::to_string(step) + "x" + std::to_string(n)},
               {"M", std::to_string(m)},
               {"N", std::to_string(n)},
               {"K", std::to_string(step)},
               {"T", type},
               {"S", sum}});
}

TEST(GpuDot, LoopsOverK) {
  for (const Types &types : {kTypes[0], kTypes[3], kTypes[2]}) {
    for (int stages : {1, 2, 3, 4, 5}) {
      for (int64_t k : {0, 32, 64, 96, 128, 208}) {
        for (const char *target : {"sm_80", "sm_75"}) {
          if ((target[4] == '5' && stages > 2) || !isSampled(4)) {
            continue;
          }
          int64_t m = 64, n = 64;
          TileOf a{{m, std::max<int64_t>(1, k)}, types.left}, b{{std::max<int64_t>(1, k), n}, types.right};
          TileOf c{{m, n}, types.sum};
          crossGpu(matmulText(m, n, 32, types.left, types.sum),
                   {emptyTile(c), wholeNumbers(a, 3, 5), wholeNumbers(b, 4, 5), Argument::number(k)},
                   {.target = target, .numStages = stages, .nanOf = 0});
        }
      }
    }
  }
}

TEST(GpuDot, TensorCoresAreFedFromSwizzledSharedMemory) {
  int64_t m = 128, n = 128, k = 256;
  TileOf a{{m, k}, "f16"}, b{{k, n}, "f16"}, c{{m, n}, "f32"};
  sim::LaunchResult result = crossGpu(matmulText(m, n, 32, "f16", "f32"),
                                      {emptyTile(c), wholeNumbers(a, 3, 5), wholeNumbers(b, 4, 5), Argument::number(k)},
                                      {.numStages = 4, .nanOf = 0});
  const sim::Totals &totals = result.totals;
  EXPECT_EQ(totals.mma, uint64_t(m / 16 * n / 8 * k / 16));
  EXPECT_EQ(totals.ldmatrix, uint64_t(k / 16 * 4 * (4 + 4))) << "each warp's 64 x 16 of A and 16 x 64 of B, x4";
  EXPECT_GT(totals.cpAsync, 0u);
  EXPECT_EQ(totals.bankConflictPasses, 0u);
  for (int bytes = 1; bytes < 8; ++bytes) { // sums are stored in pairs, whole sectors at a time
    EXPECT_EQ(totals.globalAccesses[bytes], 0u) << bytes << " bytes a lane";
  }
  if (getenv("PAVAGE_TEST_COUNTS")) {
    llvm::errs() << "innermost loop: " << totals.innermost.instructions << " instructions, " << totals.innermost.mma
                 << " mma, " << totals.innermost.ldmatrix << " ldmatrix, " << totals.innermost.barriers
                 << " barriers\n";
  }
}

} // namespace pavage::gpu

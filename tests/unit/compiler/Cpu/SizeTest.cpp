// Code size and scratch memory do not follow the tile. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>

namespace pavage::cpu {
namespace {

/// Row softmax with a transposed copy and a column sum: elementwise, both reductions, gathers.
constexpr const char *text = R"(
func.func @k(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant $N : i64
  %m = arith.constant $M : i64
  %x = tile.block_load %in[%zero, %zero] strides [%n, %one] extents [%m, %n] checked [0, 1] : !tile.ptr<f32> -> tensor<$Mx$Nxf32>
  %max = tile.reduce %x axis 1 : (tensor<$Mx$Nxf32>) -> tensor<$Mxf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %max1 = tile.expand_dims %max axis 1 : tensor<$Mxf32> -> tensor<$Mx1xf32>
  %max2 = tile.broadcast %max1 : tensor<$Mx1xf32> -> tensor<$Mx$Nxf32>
  %d = arith.subf %x, %max2 : tensor<$Mx$Nxf32>
  %e = math.exp %d : tensor<$Mx$Nxf32>
  %sum = tile.reduce %e axis 0 : (tensor<$Mx$Nxf32>) -> tensor<$Nxf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sum1 = tile.expand_dims %sum axis 0 : tensor<$Nxf32> -> tensor<1x$Nxf32>
  %sum2 = tile.broadcast %sum1 : tensor<1x$Nxf32> -> tensor<$Mx$Nxf32>
  %y = arith.divf %e, %sum2 : tensor<$Mx$Nxf32>
  %t = tile.trans %y order [1, 0] : tensor<$Mx$Nxf32> -> tensor<$Nx$Mxf32>
  tile.block_store %out[%zero, %zero] strides [%m, %one] extents [%n, %m] checked [0, 1], %t : !tile.ptr<f32>, tensor<$Nx$Mxf32>
  return
}
)";

TEST(CpuSize, CodeDoesNotGrowWithTheTile) {
  for (const target::CpuTarget *target : levelsHere()) {
    SCOPED_TRACE(target->name.str());
    size_t least = SIZE_MAX, most = 0;
    for (auto [m, n] : {std::pair(16, 64), std::pair(4, 65536), std::pair(1024, 1024)}) {
      CpuObject object = compileText(fill(text, {{"M", std::to_string(m)}, {"N", std::to_string(n)}}), *target);
      least = std::min(least, object.object.size());
      most = std::max(most, object.object.size());
      // The tiles x and e live in scratch memory, and little else.
      EXPECT_LT(object.scratchBytes, 3u * 4 * m * n + 65536);
    }
    EXPECT_LE(most, least + least / 2);
  }
}

TEST(CpuSize, LargeTilesRun) {
  std::string large = fill(text, {{"M", "512"}, {"N", "300"}});
  CrossOptions options;
  options.tolerance = 1e-6;
  cross(large, {Argument::array(std::vector<float>(512 * 300)), Argument::array(randomFloats(512 * 300, 1))}, options);
}

TEST(CpuSize, ObjectsNeedNoUnwinding) {
  for (const target::CpuTarget *target : levelsHere()) {
    CpuObject object = compileText(fill(text, {{"M", "16"}, {"N", "64"}}), *target);
    EXPECT_EQ(object.object.find(".eh_frame"), std::string::npos);
    EXPECT_EQ(object.entry, "k");
  }
}

} // namespace
} // namespace pavage::cpu

// Whole kernels: addition of vectors, in place and not. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>

namespace pavage::cpu {
namespace {

constexpr const char *addText = R"(
func.func @add(%out: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %size = arith.constant $N : i32
  %start = arith.muli %pid, %size : i32
  %iota = tile.iota 0 : tensor<$Nxi32>
  %start_t = tile.splat %start : i32 -> tensor<$Nxi32>
  %i = arith.addi %start_t, %iota : tensor<$Nxi32>
  %n_t = tile.splat %n : i32 -> tensor<$Nxi32>
  %mask = arith.cmpi slt, %i, %n_t : tensor<$Nxi32>
  %a_t = tile.splat %a : !tile.ptr<f32> -> tensor<$Nx!tile.ptr<f32>>
  %pa = tile.addptr %a_t, %i : tensor<$Nx!tile.ptr<f32>>, tensor<$Nxi32>
  %x = tile.load %pa mask %mask : tensor<$Nx!tile.ptr<f32>>
  %b_t = tile.splat %b : !tile.ptr<f32> -> tensor<$Nx!tile.ptr<f32>>
  %pb = tile.addptr %b_t, %i : tensor<$Nx!tile.ptr<f32>>, tensor<$Nxi32>
  %y = tile.load %pb mask %mask : tensor<$Nx!tile.ptr<f32>>
  %z = arith.addf %x, %y : tensor<$Nxf32>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<$Nx!tile.ptr<f32>>
  %po = tile.addptr %out_t, %i : tensor<$Nx!tile.ptr<f32>>, tensor<$Nxi32>
  tile.store %po, %z mask %mask : tensor<$Nx!tile.ptr<f32>>
  return
}
)";

TEST(CpuAdd, AnyExtentAndLength) {
  for (int64_t extent : {1, 2, 5, 7, 16, 100, 128, 1000}) {
    for (int64_t length : {1, 3, 128, 999}) {
      SCOPED_TRACE(extent);
      std::string text = fill(addText, {{"N", std::to_string(extent)}});
      for (bool isDisjoint : {false, true}) {
        CrossOptions options;
        options.grid[0] = (length + extent - 1) / extent;
        options.isDisjoint = isDisjoint;
        Arguments arguments{Argument::array(randomFloats(length, 1)), Argument::array(randomFloats(length, 2)),
                            Argument::array(randomFloats(length, 3)), Argument::number(length)};
        Arguments result = cross(text, arguments, options);
        EXPECT_EQ(result[0].as<float>()[0], arguments[1].as<float>()[0] + arguments[2].as<float>()[0]);
      }
    }
  }
}

} // namespace
} // namespace pavage::cpu

// Atomic accesses of every kind, type, order and scope as PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/ElementwiseText.h"
#include "tests/unit/compiler/Gpu/GpuRun.h"

#include <gtest/gtest.h>

namespace pavage::gpu {
namespace {

using cpu::bytesOf;
using cpu::nanOf;
using cpu::operandBytes;

const std::vector<std::string> targets{"sm_75", "sm_80", "sm_90"};

/// Each element of memory meets one operand, under a mask; the old values are stored.
std::string oneToOne(const std::string &op, const std::string &type) {
  return fill(R"(func.func @k(%out: !tile.ptr<$T>, %memory: !tile.ptr<$T>, %values: !tile.ptr<$T>)
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<200xi32>
  %limit = arith.constant dense<150> : tensor<200xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<200xi32>
  %ot = tile.splat %out : !tile.ptr<$T> -> tensor<200x!tile.ptr<$T>>
  %op = tile.addptr %ot, %i : tensor<200x!tile.ptr<$T>>, tensor<200xi32>
  %mt = tile.splat %memory : !tile.ptr<$T> -> tensor<200x!tile.ptr<$T>>
  %p = tile.addptr %mt, %i : tensor<200x!tile.ptr<$T>>, tensor<200xi32>
  %vt = tile.splat %values : !tile.ptr<$T> -> tensor<200x!tile.ptr<$T>>
  %vp = tile.addptr %vt, %i : tensor<200x!tile.ptr<$T>>, tensor<200xi32>
  %v = tile.load %vp : tensor<200x!tile.ptr<$T>>
  %old = $OP
  tile.store %op, %old : tensor<200x!tile.ptr<$T>>
  return
}
)",
              {{"OP", op}, {"T", type}});
}

void check(const std::string &op, const std::string &type) {
  static unsigned turn = 0;
  static constexpr int warps[] = {4, 1, 8};
  GpuOptions options;
  options.target = targets[turn % targets.size()];
  options.numWarps = warps[turn / 3 % 3];
  options.nanOf = nanOf(type);
  ++turn;
  SCOPED_TRACE(op + " of " + type + " on " + options.target + ", " + std::to_string(options.numWarps) + " warps");
  size_t bytes = 200 * bytesOf(type);
  crossGpu(oneToOne(op, type),
           {Argument::array(std::vector<uint8_t>(bytes, 0x55)), Argument::array(operandBytes(type, 200, 3)),
            Argument::array(operandBytes(type, 200, 4))},
           options);
}

std::string update(const std::string &kind, const std::string &type, const std::string &semantics) {
  return "tile.atomic_rmw " + kind + " %p, %v mask %mask" + semantics + " : tensor<200x!tile.ptr<" + type + ">>";
}

TEST(GpuAtomics, KindsAndTypes) {
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    for (const char *kind : {"addi", "maxs", "maxu", "mins", "minu", "and", "or", "xor", "xchg"}) {
      check(update(kind, type, ""), type);
    }
  }
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    for (const char *kind : {"addf", "maxf", "minf", "xchg"}) {
      for (size_t target = 0; target < targets.size(); ++target) {
        check(update(kind, type, ""), type);
      }
    }
  }
  for (const char *type : {"i16", "i32", "i64", "f32", "bf16"}) {
    check("tile.atomic_cas %p, %v, %v : tensor<200x!tile.ptr<" + std::string(type) + ">>, tensor<200x" + type + ">",
          type);
  }
}

TEST(GpuAtomics, OrdersAndScopes) {
  for (const char *order : {"relaxed", "acquire", "release", "acq_rel"}) {
    for (const char *scope : {"cta", "gpu", "sys"}) {
      std::string semantics = " order " + std::string(order) + " scope " + scope;
      check(update("addi", "i32", semantics), "i32");
      check(update("maxf", "f32", semantics), "f32");
      std::string text = compileGpu(oneToOne(update("addi", "i32", semantics), "i32")).ptx;
      EXPECT_NE(text.find("atom." + std::string(order) + "." + scope + ".global.add.u32"), std::string::npos) << text;
    }
  }
}

// All elements meet in one word; copies of an element in several threads must count once. Nothing asks for the old
// values.
TEST(GpuAtomics, EachElementOnce) {
  for (const std::string &target : targets) {
    for (int numWarps : {1, 4, 16}) {
      for (const char *extent : {"1", "3", "64", "1000"}) {
        SCOPED_TRACE(target + " " + std::to_string(numWarps) + " " + extent);
        GpuOptions options;
        options.target = target;
        options.numWarps = numWarps;
        options.grid = {3, 1, 1};
        crossGpu(fill(R"(func.func @k(%sum: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.iota 1 : tensor<$Nxi32>
  %p = tile.splat %sum : !tile.ptr<i32> -> tensor<$Nx!tile.ptr<i32>>
  %old = tile.atomic_rmw addi %p, %i : tensor<$Nx!tile.ptr<i32>>
  return
}
)",
                      {{"N", extent}}),
                 {Argument::array(std::vector<int32_t>{5})}, options);
      }
    }
  }
}

// One thread acts for a scalar, and all learn what it saw.
TEST(GpuAtomics, Scalar) {
  for (int numWarps : {1, 4, 32}) {
    GpuOptions options;
    options.numWarps = numWarps;
    crossGpu(R"(func.func @k(%out: !tile.ptr<i32>, %counter: !tile.ptr<i32>) attributes {tile.kernel} {
  %c = arith.constant 7 : i32
  %old = tile.atomic_rmw addi %counter, %c : !tile.ptr<i32>
  %i = tile.iota 0 : tensor<256xi32>
  %t = tile.splat %old : i32 -> tensor<256xi32>
  %p = tile.splat %out : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %q = tile.addptr %p, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.store %q, %t : tensor<256x!tile.ptr<i32>>
  return
}
)",
             {Argument::array(std::vector<int32_t>(256)), Argument::array(std::vector<int32_t>{41})}, options);
  }
}

} // namespace
} // namespace pavage::gpu

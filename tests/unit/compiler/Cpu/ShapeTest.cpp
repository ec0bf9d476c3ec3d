// Ops that change shapes and coordinates, against Interp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>
#include <numeric>

namespace pavage::cpu {
namespace {

std::string shapeText(const std::vector<int64_t> &shape, const std::string &type) {
  std::string result = "tensor<";
  for (int64_t extent : shape) {
    result += std::to_string(extent) + "x";
  }
  return result + type + ">";
}

/// Text of a load or store of a whole row-major array as a tile, by number.
std::string rowMajor(const std::string &verb, const std::string &pointer, const std::string &value,
                     const std::vector<int64_t> &shape, const std::string &type) {
  std::string offsets, strides, extents;
  int64_t stride = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  std::string constants;
  static int counter = 0;
  for (int64_t extent : shape) {
    stride /= extent;
    std::string name = "%c" + std::to_string(counter++);
    constants += "  " + name + " = arith.constant " + std::to_string(stride) + " : i64\n";
    std::string comma = offsets.empty() ? "" : ", ";
    offsets += comma + "%zero", strides += comma + name, extents += comma + "%zero";
  }
  std::string place = pointer + "[" + offsets + "] strides [" + strides + "] extents [" + extents + "]";
  if (verb == "load") {
    return constants + "  " + value + " = tile.block_load " + place + " : !tile.ptr<" + type + "> -> " +
           shapeText(shape, type) + "\n";
  }
  return constants + "  tile.block_store " + place + ", " + value + " : !tile.ptr<" + type + ">, " +
         shapeText(shape, type) + "\n";
}

int64_t count(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// out = body(x) for x of a shape; `body` defines %r from %x.
void check(const std::vector<int64_t> &in, const std::vector<int64_t> &out, const std::string &body,
           const std::string &type = "f32", size_t bytes = 4) {
  SCOPED_TRACE(body);
  std::string text = "func.func @k(%out: !tile.ptr<" + type + ">, %in: !tile.ptr<" + type +
                     ">) attributes {tile.kernel} {\n  %zero = arith.constant 0 : i64\n" +
                     rowMajor("load", "%in", "%x", in, type) + body + rowMajor("store", "%out", "%r", out, type) +
                     "  return\n}\n";
  for (bool isDisjoint : {false, true}) {
    CrossOptions options;
    options.nanOf = type == "f32" ? 'f' : type == "bf16" ? 'b' : 0;
    options.isDisjoint = isDisjoint;
    cross(text,
          {Argument::array(std::vector<uint8_t>(count(out) * bytes)),
           Argument::array(randomBits<uint8_t>(count(in) * bytes, 6))},
          options);
  }
}

TEST(CpuShape, Transposition) {
  for (auto shape : std::vector<std::vector<int64_t>>{{3, 5}, {1, 7}, {7, 1}, {16, 33}, {64, 20}}) {
    std::vector<int64_t> out{shape[1], shape[0]};
    check(shape, out,
          "  %r = tile.trans %x order [1, 0] : " + shapeText(shape, "f32") + " -> " + shapeText(out, "f32") + "\n");
  }
  check({2, 3, 5}, {5, 2, 3}, "  %r = tile.trans %x order [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>\n");
  check({17, 17}, {17, 17},
        "  %t = tile.trans %x order [1, 0] : tensor<17x17xf32> -> tensor<17x17xf32>\n"
        "  %r = arith.addf %x, %t : tensor<17x17xf32>\n");
  check({17, 17}, {17, 17},
        "  %e = math.sqrt %x : tensor<17x17xf32>\n"
        "  %t = tile.trans %e order [1, 0] : tensor<17x17xf32> -> tensor<17x17xf32>\n"
        "  %r = arith.addf %e, %t : tensor<17x17xf32>\n");
}

TEST(CpuShape, Reshape) {
  using Shape = std::vector<int64_t>;
  for (auto [from, to] : std::vector<std::pair<Shape, Shape>>{{{2, 6}, {3, 4}},
                                                              {{12}, {3, 4}},
                                                              {{3, 4}, {12}},
                                                              {{5, 7}, {35}},
                                                              {{64}, {4, 16}},
                                                              {{4, 16}, {64}},
                                                              {{4, 32}, {4, 2, 16}},
                                                              {{2, 3, 4, 5}, {6, 20}},
                                                              {{1, 15}, {15, 1}},
                                                              {{8, 1, 3}, {8, 3}},
                                                              {{100}, {100, 1, 1}},
                                                              {{1}, {1, 1}}}) {
    check(from, to, "  %r = tile.reshape %x : " + shapeText(from, "f32") + " -> " + shapeText(to, "f32") + "\n");
    check(from, to,
          "  %y = arith.muli %x, %x : " + shapeText(from, "i32") + "\n  %z = tile.scan %y axis 0 : (" +
              shapeText(from, "i32") + ") -> " + shapeText(from, "i32") +
              " {\n  ^bb0(%a: i32, %b: i32):\n    %c = arith.addi %a, %b : i32\n    tile.yield %c : i32\n  }\n"
              "  %r = tile.reshape %z : " +
              shapeText(from, "i32") + " -> " + shapeText(to, "i32") + "\n",
          "i32");
  }
}

TEST(CpuShape, SliceJoinSplitCat) {
  check({4, 8}, {1, 4}, "  %r = tile.slice %x offsets [2, 1] strides [1, 2] : tensor<4x8xf32> -> tensor<1x4xf32>\n");
  check({40, 50}, {20, 33},
        "  %r = tile.slice %x offsets [1, 7] strides [2, 1] : tensor<40x50xf32> -> tensor<20x33xf32>\n");
  check({5}, {5, 2},
        "  %y = arith.negf %x : tensor<5xf32>\n  %r = tile.join %x, %y : tensor<5xf32> -> tensor<5x2xf32>\n");
  check({37}, {74},
        "  %y = arith.negf %x : tensor<37xf32>\n  %j = tile.join %x, %y : tensor<37xf32> -> tensor<37x2xf32>\n"
        "  %r = tile.reshape %j : tensor<37x2xf32> -> tensor<74xf32>\n");
  check({5, 2}, {5},
        "  %a, %b = tile.split %x : tensor<5x2xf32> -> tensor<5xf32>\n  %r = arith.subf %a, %b : tensor<5xf32>\n");
  check({2}, {3},
        "  %a, %b = tile.split %x : tensor<2xf32> -> f32\n  %c = arith.subf %a, %b : f32\n"
        "  %r = tile.splat %c : f32 -> tensor<3xf32>\n");
  check({3}, {2},
        "  %u = tile.slice %x offsets [1] strides [1] : tensor<3xf32> -> tensor<1xf32>\n"
        "  %a = tile.unsplat %u : tensor<1xf32> -> f32\n  %b = arith.negf %a : f32\n"
        "  %r = tile.join %a, %b : f32 -> tensor<2xf32>\n");
  for (int axis : {0, 1}) {
    std::vector<int64_t> out{axis == 0 ? 10 : 5, axis == 0 ? 21 : 42};
    check({5, 21}, out,
          "  %y = arith.negf %x : tensor<5x21xf32>\n  %r = tile.cat %x, %y axis " + std::to_string(axis) +
              " : tensor<5x21xf32>, tensor<5x21xf32> -> " + shapeText(out, "f32") + "\n");
  }
  check({5}, {15},
        "  %y = arith.negf %x : tensor<5xf32>\n  %c = tile.cat %x, %y axis 0 : tensor<5xf32>, tensor<5xf32> -> "
        "tensor<10xf32>\n"
        "  %r = tile.cat %c, %x axis 0 : tensor<10xf32>, tensor<5xf32> -> tensor<15xf32>\n");
}

TEST(CpuShape, CatOfColumns) {
  check(
      {20, 1}, {20, 2},
      "  %y = arith.negf %x : tensor<20x1xf32>\n  %r = tile.cat %x, %y axis 1 : tensor<20x1xf32>, tensor<20x1xf32> -> "
      "tensor<20x2xf32>\n");
}

TEST(CpuShape, Gather) {
  for (int axis : {0, 1}) {
    std::vector<int64_t> out{axis == 0 ? 4 : 3, axis == 0 ? 21 : 30};
    std::string index = shapeText(out, "i32");
    std::string text = "  %f = tile.iota -1 : tensor<" + std::to_string(count(out)) +
                       "xi32>\n  %five = arith.constant dense<5> : tensor<" + std::to_string(count(out)) +
                       "xi32>\n  %g = tile.rem %f, %five signed : tensor<" + std::to_string(count(out)) +
                       "xi32>\n  %i = tile.reshape %g : tensor<" + std::to_string(count(out)) + "xi32> -> " + index +
                       "\n  %r = tile.gather %x[%i] axis " + std::to_string(axis) + " : tensor<3x21xf32>, " + index +
                       " -> " + shapeText(out, "f32") + "\n";
    check({3, 21}, out, text);
  }
}

TEST(CpuShape, BroadcastOfComputedRowsAndColumns) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 5}, {33, 17}, {1, 20}, {20, 1}}) {
    std::string M = std::to_string(m), N = std::to_string(n), full = "tensor<" + M + "x" + N + "xf32>";
    std::string reduce =
        "{\n  ^bb0(%a: f32, %b: f32):\n    %c = arith.addf %a, %b : f32\n    tile.yield %c : f32\n  }\n";
    check({m, n}, {m, n},
          "  %s = tile.reduce %x axis 1 : (" + full + ") -> tensor<" + M + "xf32> " + reduce +
              "  %q = math.sqrt %s : tensor<" + M + "xf32>\n  %q1 = tile.expand_dims %q axis 1 : tensor<" + M +
              "xf32> -> tensor<" + M + "x1xf32>\n" + "  %q2 = tile.broadcast %q1 : tensor<" + M + "x1xf32> -> " + full +
              "\n" + "  %t = tile.reduce %x axis 0 : (" + full + ") -> tensor<" + N + "xf32> " + reduce +
              "  %u = math.sqrt %t : tensor<" + N + "xf32>\n  %u1 = tile.expand_dims %u axis 0 : tensor<" + N +
              "xf32> -> tensor<1x" + N + "xf32>\n" + "  %u2 = tile.broadcast %u1 : tensor<1x" + N + "xf32> -> " + full +
              "\n  %v = arith.mulf %q2, %u2 : " + full + "\n  %r0 = arith.addf %v, %x : " + full +
              "\n  %r = arith.negf %r0 : " + full + "\n");
  }
}

TEST(CpuShape, Constants) {
  check({2, 3}, {2, 3},
        "  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
        "  %m = arith.constant dense<[[true, false, true], [false, true, true]]> : tensor<2x3xi1>\n"
        "  %r = arith.select %m, %c, %x : tensor<2x3xi1>, tensor<2x3xf32>\n");
  check({3}, {3},
        "  %c = arith.constant dense<[1.0, -2.0, 0.5]> : tensor<3xbf16>\n  %r = arith.mulf %c, %x : tensor<3xbf16>\n",
        "bf16", 2);
}

} // namespace
} // namespace pavage::cpu

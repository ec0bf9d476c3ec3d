// Reductions and scans, executed. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Gpu/TileProgram.h"
#include <gtest/gtest.h>

namespace pavage::gpu {
namespace {

const std::vector<int> kWarps = {1, 4, 8, 16};

std::string addOf(const std::string &type) { return type[0] == 'i' ? "arith.addi" : "arith.addf"; }

/// %y: the source plus one, so that padding, which loads as zero, is not zero.
std::string aboveZero(const Shape &in, const std::string &type) {
  std::string t = tensorOf(in, type), one = type[0] == 'i' ? (type == "i1" ? "true" : "1") : "1.0";
  return "  %one = arith.constant dense<" + one + "> : " + t + "\n  %y = " + addOf(type) + " %x0, %one : " + t + "\n";
}

std::string reduceBody(const Shape &in, int axis, const std::string &type, const std::string &combine) {
  Shape out = in;
  out.erase(out.begin() + axis);
  std::string result = out.empty() ? type : tensorOf(out, type);
  return aboveZero(in, type) + "  %r = tile.reduce %y axis " + std::to_string(axis) + " : (" + tensorOf(in, type) +
         ") -> " + result + " {\n  ^bb0(%a: " + type + ", %b: " + type + "):\n" + combine +
         "    tile.yield %c : " + type + "\n  }\n";
}

std::string scanBody(const Shape &in, int axis, const std::string &type, const std::string &combine, bool isReverse) {
  return aboveZero(in, type) + "  %r = tile.scan %y axis " + std::to_string(axis) + (isReverse ? " reverse" : "") +
         " : (" + tensorOf(in, type) + ") -> " + tensorOf(in, type) + " {\n  ^bb0(%a: " + type + ", %b: " + type +
         "):\n" + combine + "    tile.yield %c : " + type + "\n  }\n";
}

std::string sumOf(const std::string &type) { return "    %c = " + addOf(type) + " %a, %b : " + type + "\n"; }

/// Associative, but not commutative: the left operand, unless it is zero.
std::string leftOf(const std::string &type) {
  return "    %z = arith.constant 0 : " + type + "\n    %t = arith.cmpi ne, %a, %z : " + type +
         "\n    %c = arith.select %t, %a, %b : " + type + "\n";
}

} // namespace

TEST(GpuReduce, SumsOfEachAxis) {
  for (const Shape &shape : std::vector<Shape>{{64, 32}, {3, 5}, {1, 7}, {128, 1}, {100, 3}, {2, 1000}, {5, 6, 7}}) {
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      for (int warps : kWarps) {
        Shape out = shape;
        out.erase(out.begin() + axis);
        TileOf in{shape, "f32"};
        checkProgram({in}, {out, "f32"}, reduceBody(shape, axis, "f32", sumOf("f32")), {.numWarps = warps},
                     {wholeNumbers(in, 5)});
      }
    }
  }
}

TEST(GpuReduce, EveryType) {
  for (const char *type : {"i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}) {
    for (int warps : kWarps) {
      for (int axis : {0, 1}) {
        Shape shape{24, 40}, out{axis == 0 ? 40 : 24};
        TileOf in{shape, type};
        checkProgram({in}, {out, type}, reduceBody(shape, axis, type, sumOf(type)),
                     {.numWarps = warps, .nanOf = nanOfType(type)}, {wholeNumbers(in, 6, 3)});
      }
    }
  }
}

TEST(GpuReduce, ToAScalar) {
  for (int64_t extent : {1, 2, 7, 64, 1000, 4096}) {
    for (int warps : kWarps) {
      checkProgram({{{extent}, "i32"}}, {{}, "i32"}, reduceBody({extent}, 0, "i32", sumOf("i32")),
                   {.numWarps = warps, .nanOf = 0});
    }
  }
}

TEST(GpuReduce, OfPairs) {
  // The largest value and where it is; ties go left.
  for (const Shape &shape : std::vector<Shape>{{8, 50}, {33, 64}, {1, 300}}) {
    for (int warps : kWarps) {
      std::string M = std::to_string(shape[0]), N = std::to_string(shape[1]);
      std::string body = fill(R"(  %i0 = tile.iota 0 : tensor<$Nxi32>
  %i1 = tile.expand_dims %i0 axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %i = tile.broadcast %i1 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %m, %r = tile.reduce %x0, %i axis 1 : (tensor<$Mx$Nxi32>, tensor<$Mx$Nxi32>) -> (tensor<$Mxi32>, tensor<$Mxi32>) {
  ^bb0(%a: i32, %p: i32, %b: i32, %q: i32):
    %gt = arith.cmpi sgt, %a, %b : i32
    %eq = arith.cmpi eq, %a, %b : i32
    %lt = arith.cmpi slt, %p, %q : i32
    %tie = arith.andi %eq, %lt : i1
    %t = arith.ori %gt, %tie : i1
    %c = arith.select %t, %a, %b : i32
    %d = arith.select %t, %p, %q : i32
    tile.yield %c, %d : i32, i32
  }
)",
                              {{"N", N}, {"M", M}});
      TileOf in{shape, "i32"};
      checkProgram({in}, {{shape[0]}, "i32"}, body, {.numWarps = warps, .nanOf = 0}, {wholeNumbers(in, 9, 5)});
    }
  }
}

TEST(GpuScan, SumsOfEachAxisBothWays) {
  for (const Shape &shape : std::vector<Shape>{{64, 32}, {3, 5}, {1, 7}, {100, 3}, {2, 1000}, {5, 6, 7}}) {
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      for (int warps : kWarps) {
        for (bool isReverse : {false, true}) {
          if (!isSampled(2)) {
            continue;
          }
          checkProgram({{shape, "i32"}}, {shape, "i32"}, scanBody(shape, axis, "i32", sumOf("i32"), isReverse),
                       {.numWarps = warps, .nanOf = 0});
        }
      }
    }
  }
}

TEST(GpuScan, OrderMatters) {
  for (int64_t extent : {5, 64, 300, 2048}) {
    for (int warps : kWarps) {
      for (bool isReverse : {false, true}) {
        TileOf in{{extent}, "i32"};
        checkProgram({in}, in, scanBody({extent}, 0, "i32", leftOf("i32"), isReverse), {.numWarps = warps, .nanOf = 0},
                     {wholeNumbers(in, 11, 40)});
      }
    }
  }
}

TEST(GpuScan, EveryType) {
  for (const char *type : {"i8", "i16", "i64", "f16", "bf16", "f32", "f64"}) {
    for (int warps : kWarps) {
      for (bool isReverse : {false, true}) {
        TileOf in{{6, 40}, type};
        checkProgram({in}, in, scanBody(in.shape, 1, type, sumOf(type), isReverse),
                     {.numWarps = warps, .nanOf = nanOfType(type)}, {wholeNumbers(in, 12, 3)});
      }
    }
  }
}

TEST(GpuFold, OfWhatScratchMemoryBroughtWithoutItsPadding) {
  for (const Shape &shape : std::vector<Shape>{{3, 5}, {67, 2}, {130, 3}}) {
    for (int axis : {0, 1}) {
      for (int warps : kWarps) {
        Shape flat{countOf(shape)}, out{shape[1 - axis]};
        std::string body = reduceBody(shape, axis, "i32", "    %c = arith.maxsi %a, %b : i32\n");
        std::string loaded = "%x0";
        for (size_t at = body.find(loaded); at != std::string::npos; at = body.find(loaded, at)) {
          body.replace(at, loaded.size(), "%w");
        }
        body = "  %w = tile.reshape %x0 : " + tensorOf(flat, "i32") + " -> " + tensorOf(shape, "i32") + "\n" + body;
        checkProgram({{flat, "i32"}}, {out, "i32"}, body, {.numWarps = warps, .nanOf = 0});
      }
    }
  }
}

TEST(GpuFold, LargeTiles) {
  for (int warps : {4, 16, 32}) {
    TileOf in{{4, 16384}, "f32"};
    checkProgram({in}, {{4}, "f32"}, reduceBody(in.shape, 1, "f32", sumOf("f32")), {.numWarps = warps},
                 {wholeNumbers(in, 21, 3)});
    checkProgram({{{8, 2048}, "i32"}}, {{8, 2048}, "i32"}, scanBody({8, 2048}, 1, "i32", sumOf("i32"), false),
                 {.numWarps = warps, .nanOf = 0});
  }
}

TEST(GpuFold, CombineFunctionsWithSeveralOps) {
  // The larger by absolute value, of booleans and f8 through a choice.
  for (int warps : kWarps) {
    for (int axis : {0, 1}) {
      TileOf in{{20, 24}, "i1"};
      Shape out{axis == 0 ? 24 : 20};
      checkProgram({in}, {out, "i1"}, reduceBody(in.shape, axis, "i1", "    %c = arith.ori %a, %b : i1\n"),
                   {.numWarps = warps, .nanOf = 0});
      TileOf bytes{{20, 24}, "i8"};
      checkProgram({bytes}, {out, "i8"},
                   reduceBody(bytes.shape, axis, "i8",
                              "    %l = arith.maxui %a, %b : i8\n    %o = arith.constant 7 : i8\n"
                              "    %c = arith.maxui %l, %o : i8\n"),
                   {.numWarps = warps, .nanOf = 0});
    }
  }
}

} // namespace pavage::gpu

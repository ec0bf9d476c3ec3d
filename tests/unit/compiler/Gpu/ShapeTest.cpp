// Shapes, gathers, sorts and histograms, executed. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Gpu/TileProgram.h"
#include <gtest/gtest.h>

namespace pavage::gpu {
namespace {

const std::vector<int> kWarps = {1, 4, 8, 16};

/// One op on one tile, for all numbers of warps.
void check(const TileOf &in, const TileOf &out, const std::string &body) {
  for (int warps : kWarps) {
    if (!isSampled(2)) {
      continue;
    }
    checkProgram({in}, out, fill(body, {{"IN", tensorOf(in.shape, in.type)}, {"OUT", tensorOf(out.shape, out.type)}}),
                 {.numWarps = warps, .nanOf = 0});
  }
}

} // namespace

TEST(GpuShape, Views) {
  for (const char *type : {"i32", "f16", "i8", "f64", "i1", "bf16", "f8E4M3FN", "i64"}) {
    check({{16, 24}, type}, {{24, 16}, type}, "  %r = tile.trans %x0 order [1, 0] : $IN -> $OUT\n");
    check({{3, 5, 7}, type}, {{7, 3, 5}, type}, "  %r = tile.trans %x0 order [2, 0, 1] : $IN -> $OUT\n");
    check({{16, 32}, type}, {{8, 64}, type}, "  %r = tile.reshape %x0 : $IN -> $OUT\n");
    check({{6, 10}, type}, {{4, 15}, type}, "  %r = tile.reshape %x0 : $IN -> $OUT\n");
    check({{5, 1}, type}, {{5, 9}, type}, "  %r = tile.broadcast %x0 : $IN -> $OUT\n");
    check({{1, 64}, type}, {{32, 64}, type}, "  %r = tile.broadcast %x0 : $IN -> $OUT\n");
  }
}

TEST(GpuShape, JoinAndSplit) {
  for (const char *type : {"i32", "f16", "i8", "f64", "i1"}) {
    for (int warps : kWarps) {
      TileOf in{{12, 20}, type};
      std::string t = tensorOf(in.shape, type), joined = tensorOf({12, 20, 2}, type);
      checkProgram({in, in}, {{12, 20, 2}, type}, "  %r = tile.join %x0, %x1 : " + t + " -> " + joined + "\n",
                   {.numWarps = warps, .nanOf = 0});
      checkProgram({{{12, 20, 2}, type}}, in, "  %l, %r = tile.split %x0 : " + joined + " -> " + t + "\n",
                   {.numWarps = warps, .nanOf = 0});
    }
  }
}

TEST(GpuShape, CatAndSlice) {
  for (const char *type : {"i32", "f16", "i8", "f64", "i1"}) {
    for (int warps : kWarps) {
      for (int axis : {0, 1}) {
        Shape a = axis == 0 ? Shape{6, 10} : Shape{10, 6}, b = axis == 0 ? Shape{3, 10} : Shape{10, 3};
        Shape c = axis == 0 ? Shape{9, 10} : Shape{10, 9};
        checkProgram({{a, type}, {b, type}}, {c, type},
                     "  %r = tile.cat %x0, %x1 axis " + std::to_string(axis) + " : " + tensorOf(a, type) + ", " +
                         tensorOf(b, type) + " -> " + tensorOf(c, type) + "\n",
                     {.numWarps = warps, .nanOf = 0});
      }
      for (const char *where : {"[2, 1] strides [3, 4]", "[19, 32] strides [-1, -4]", "[7, 0] strides [0, 2]"}) {
        Shape from{20, 33}, to{5, 8};
        checkProgram({{from, type}}, {to, type},
                     std::string("  %r = tile.slice %x0 offsets ") + where + " : " + tensorOf(from, type) + " -> " +
                         tensorOf(to, type) + "\n",
                     {.numWarps = warps, .nanOf = 0});
      }
    }
  }
}

TEST(GpuShape, LargeCatsGoInRounds) {
  Shape a{64, 128}, c{128, 128};
  checkProgram({{a, "i32"}, {a, "i32"}}, {c, "i32"},
               "  %r = tile.cat %x0, %x1 axis 0 : " + tensorOf(a, "i32") + ", " + tensorOf(a, "i32") + " -> " +
                   tensorOf(c, "i32") + "\n",
               {.nanOf = 0});
}

TEST(GpuGather, AlongEachAxis) {
  for (const char *type : {"i32", "f16", "i8", "f64", "i1"}) {
    for (const char *index : {"i32", "i64", "i8"}) {
      for (int warps : kWarps) {
        for (int axis : {0, 1}) {
          if (!isSampled(3)) {
            continue;
          }
          Shape from{12, 20}, at = axis == 0 ? Shape{7, 20} : Shape{12, 30};
          TileOf indices{at, index};
          std::string modulus = std::to_string(from[axis]);
          std::string body = fill(R"(  %m = arith.constant dense<$N> : $I
  %i = tile.rem %x1, %m : $I
  %r = tile.gather %x0[%i] axis $A : $F, $I -> $R
)",
                                  {{"N", modulus},
                                   {"I", tensorOf(at, index)},
                                   {"A", std::to_string(axis)},
                                   {"F", tensorOf(from, type)},
                                   {"R", tensorOf(at, type)}});
          checkProgram({{from, type}, indices}, {at, type}, body, {.numWarps = warps, .nanOf = 0});
        }
      }
    }
  }
}

TEST(GpuSort, EveryTypeBothWays) {
  for (const char *type : {"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}) {
    for (int warps : kWarps) {
      for (const char *order : {"", " descending", " signed", " descending signed"}) {
        if ((std::string(order).find("signed") != std::string::npos && type[0] != 'i') || !isSampled(4)) {
          continue;
        }
        for (const Shape &shape : std::vector<Shape>{{3, 37}, {256}}) {
          TileOf in{shape, type};
          checkProgram({in}, in, std::string("  %r = tile.sort %x0") + order + " : " + tensorOf(shape, type) + "\n",
                       {.numWarps = warps, .nanOf = nanOfType(type)});
        }
      }
    }
  }
}

TEST(GpuSort, LargeRows) {
  for (int64_t extent : {1000, 4096}) {
    for (int warps : kWarps) {
      TileOf in{{extent}, "i32"};
      checkProgram({in}, in, "  %r = tile.sort %x0 signed : " + tensorOf(in.shape, "i32") + "\n",
                   {.numWarps = warps, .nanOf = 0});
    }
  }
}

TEST(GpuHistogram, CountsWithAndWithoutMask) {
  for (int64_t extent : {5, 100, 1024}) {
    for (int64_t bins : {1, 8, 13, 300}) {
      for (int warps : kWarps) {
        TileOf in{{extent}, "i32"}, mask{{extent}, "i1"};
        std::string t = tensorOf(in.shape, "i32"), h = tensorOf({bins}, "i32");
        std::string small = "  %k = arith.constant dense<" + std::to_string(bins + 2) + "> : " + t +
                            "\n  %v = tile.rem %x0, %k : " + t + "\n";
        checkProgram({in}, {{bins}, "i32"}, small + "  %r = tile.histogram %v : " + t + " -> " + h + "\n",
                     {.numWarps = warps, .nanOf = 0});
        checkProgram({in, mask}, {{bins}, "i32"},
                     small + "  %r = tile.histogram %v mask %x1 : " + tensorOf(mask.shape, "i1") + " : " + t + " -> " +
                         h + "\n",
                     {.numWarps = warps, .nanOf = 0});
      }
    }
  }
}

} // namespace pavage::gpu

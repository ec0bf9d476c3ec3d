// Reductions, scans, sorting and counting in their stated orders, against Interp to the bit. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>

namespace pavage::cpu {
namespace {

/// Loads $MxN of $T from %in, row-major; `%x` is the tile, %pout a tile of pointers of the same shape for %out.
constexpr const char *matrixHead = R"(
func.func @k(%out: !tile.ptr<$R>, %in: !tile.ptr<$T>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<$Mxi32>
  %j = tile.iota 0 : tensor<$Nxi32>
  %ld = arith.constant dense<$N> : tensor<$Mxi32>
  %row = arith.muli %i, %ld : tensor<$Mxi32>
  %row1 = tile.expand_dims %row axis 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %col1 = tile.expand_dims %j axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %row2 = tile.broadcast %row1 : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %col2 = tile.broadcast %col1 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %at = arith.addi %row2, %col2 : tensor<$Mx$Nxi32>
  %in_t = tile.splat %in : !tile.ptr<$T> -> tensor<$Mx$Nx!tile.ptr<$T>>
  %pin = tile.addptr %in_t, %at : tensor<$Mx$Nx!tile.ptr<$T>>, tensor<$Mx$Nxi32>
  %x = tile.load %pin : tensor<$Mx$Nx!tile.ptr<$T>>
)";

std::string extentText(int64_t n) { return std::to_string(n); }

/// A reduction of one axis, stored by row number.
std::string reduceText(int64_t m, int64_t n, int axis, const std::string &type, const std::string &combine) {
  std::string text = std::string(matrixHead) + R"(
  %s = tile.reduce %x axis $A : (tensor<$Mx$Nx$T>) -> tensor<$Kx$T> {
  ^bb0(%a: $T, %b: $T):
    %c = $OP : $T
    tile.yield %c : $T
  }
  %k = tile.iota 0 : tensor<$Kxi32>
  %out_t = tile.splat %out : !tile.ptr<$R> -> tensor<$Kx!tile.ptr<$R>>
  %po = tile.addptr %out_t, %k : tensor<$Kx!tile.ptr<$R>>, tensor<$Kxi32>
  tile.store %po, %s : tensor<$Kx!tile.ptr<$R>>
  return
}
)";
  return fill(text, {{"OP", combine},
                     {"A", std::to_string(axis)},
                     {"M", extentText(m)},
                     {"N", extentText(n)},
                     {"K", extentText(axis == 0 ? n : m)},
                     {"T", type},
                     {"R", type}});
}

TEST(CpuReduce, SumsOfEitherAxis) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 5},
                                                              {1, 7},
                                                              {7, 1},
                                                              {1, 1},
                                                              {2, 64},
                                                              {5, 65},
                                                              {3, 1000},
                                                              {130, 3},
                                                              {1000, 1},
                                                              {4, 40},
                                                              {40, 16},
                                                              {64, 33},
                                                              {200, 20}}) {
    for (int axis : {0, 1}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " axis " + std::to_string(axis));
      Arguments arguments{Argument::array(std::vector<float>(axis == 0 ? n : m)),
                          Argument::array(randomFloats(m * n, m + n))};
      cross(reduceText(m, n, axis, "f32", "arith.addf %a, %b"), arguments);
    }
  }
}

TEST(CpuReduce, OtherTypesAndCombines) {
  for (int axis : {0, 1}) {
    int64_t m = 70, n = 37, k = axis == 0 ? n : m;
    auto run = [&](const std::string &type, const std::string &combine, size_t bytes, char nan) {
      SCOPED_TRACE(type + " " + combine);
      CrossOptions options;
      options.nanOf = nan;
      Arguments arguments{Argument::array(std::vector<uint8_t>(k * bytes)),
                          Argument::array(randomBits<uint8_t>(m * n * bytes, 5))};
      cross(reduceText(m, n, axis, type, combine), arguments, options);
    };
    run("i32", "arith.addi %a, %b", 4, 0);
    run("i64", "arith.maxsi %a, %b", 8, 0);
    run("i8", "arith.minui %a, %b", 1, 0);
    run("i16", "arith.xori %a, %b", 2, 0);
    run("f64", "arith.addf %a, %b", 8, 'd');
    run("f16", "arith.addf %a, %b", 2, 'h');
    run("bf16", "arith.mulf %a, %b", 2, 'b');
    run("f32", "arith.maxnumf %a, %b", 4, 'f');
    run("f32", "arith.subf %a, %b", 4, 'f'); // not associative: the order shows
  }
}

TEST(CpuReduce, TuplesAndBranches) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 5}, {2, 130}, {70, 20}}) {
    for (int axis : {0, 1}) {
      std::string text = fill(std::string(matrixHead) + R"(
  %s, %arg = tile.reduce %x, %at axis $A : (tensor<$Mx$Nxf32>, tensor<$Mx$Nxi32>) -> (tensor<$Kxf32>, tensor<$Kxi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %v, %w = scf.if %gt -> (f32, i32) {
      scf.yield %a, %ai : f32, i32
    } else {
      scf.yield %b, %bi : f32, i32
    }
    tile.yield %v, %w : f32, i32
  }
  %k = tile.iota 0 : tensor<$Kxi32>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<$Kx!tile.ptr<i32>>
  %po = tile.addptr %out_t, %k : tensor<$Kx!tile.ptr<i32>>, tensor<$Kxi32>
  tile.store %po, %arg : tensor<$Kx!tile.ptr<i32>>
  return
}
)",
                              {{"A", std::to_string(axis)},
                               {"M", extentText(m)},
                               {"N", extentText(n)},
                               {"K", extentText(axis == 0 ? n : m)},
                               {"T", "f32"},
                               {"R", "i32"}});
      Arguments arguments{Argument::array(std::vector<int32_t>(axis == 0 ? n : m)),
                          Argument::array(randomFloats(m * n, 9))};
      cross(text, arguments);
    }
  }
}

// Each lane goes round as often as it needs; lanes beyond the tile's end, whose loop would never end, must not.
TEST(CpuReduce, LoopsInTheCombineRegion) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 5}, {2, 130}, {70, 20}, {1, 7}, {9, 64}}) {
    for (int axis : {0, 1}) {
      std::string text = fill(std::string(matrixHead) + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %one = arith.constant dense<1> : tensor<$Mx$Nxi32>
  %odd = arith.ori %x, %one : tensor<$Mx$Nxi32>
  %s = tile.reduce %odd axis $A : (tensor<$Mx$Nxi32>) -> tensor<$Kxi32> {
  ^bb0(%a: i32, %b: i32):
    // Of odd numbers, the one of the first that is not 0 decides how often; of 0 the loop has no end.
    %w:2 = scf.while (%u = %a, %v = %b) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %u, %c1 : i32
      scf.condition(%more) %u, %v : i32, i32
    } do {
    ^bb0(%u: i32, %v: i32):
      %half = tile.shr %u, %c1 : i32
      %sum = arith.addi %v, %u : i32
      scf.yield %half, %sum : i32, i32
    }
    %low = arith.andi %w#1, %c7 : i32
    %f = scf.for %k = %c0 to %low step %c1 iter_args(%t = %w#1) -> (i32) : i32 {
      %even = arith.andi %t, %c1 : i32
      %isEven = arith.cmpi eq, %even, %c0 : i32
      %next = scf.if %isEven -> (i32) {
        %inner = scf.for %l = %c0 to %k step %c1 iter_args(%p = %t) -> (i32) : i32 {
          %q = arith.xori %p, %l : i32
          %r = arith.addi %q, %k : i32
          scf.yield %r : i32
        }
        scf.yield %inner : i32
      } else {
        %d = arith.addi %t, %b : i32
        scf.yield %d : i32
      }
      scf.yield %next : i32
    }
    %result = arith.ori %f, %c1 : i32
    tile.yield %result : i32
  }
  %k = tile.iota 0 : tensor<$Kxi32>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<$Kx!tile.ptr<i32>>
  %po = tile.addptr %out_t, %k : tensor<$Kx!tile.ptr<i32>>, tensor<$Kxi32>
  tile.store %po, %s : tensor<$Kx!tile.ptr<i32>>
  return
}
)",
                              {{"A", std::to_string(axis)},
                               {"M", extentText(m)},
                               {"N", extentText(n)},
                               {"K", extentText(axis == 0 ? n : m)},
                               {"T", "i32"},
                               {"R", "i32"}});
      std::vector<int32_t> in(m * n);
      for (size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<int32_t>(i * 2654435761u);
      }
      Arguments arguments{Argument::array(std::vector<int32_t>(axis == 0 ? n : m)), Argument::array(in)};
      cross(text, arguments);
    }
  }
}

TEST(CpuReduce, ToAScalarAndSoftmax) {
  for (int64_t n : {1, 5, 64, 100, 1000}) {
    std::string text = fill(R"(
func.func @softmax(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<$Nxi32>
  %n_t = tile.splat %n : i32 -> tensor<$Nxi32>
  %mask = arith.cmpi slt, %i, %n_t : tensor<$Nxi32>
  %in_t = tile.splat %in : !tile.ptr<f32> -> tensor<$Nx!tile.ptr<f32>>
  %pin = tile.addptr %in_t, %i : tensor<$Nx!tile.ptr<f32>>, tensor<$Nxi32>
  %low = arith.constant dense<0xFF800000> : tensor<$Nxf32>
  %x = tile.load %pin mask %mask other %low : tensor<$Nx!tile.ptr<f32>>
  %m = tile.reduce %x axis 0 : (tensor<$Nxf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %m_t = tile.splat %m : f32 -> tensor<$Nxf32>
  %d = arith.subf %x, %m_t : tensor<$Nxf32>
  %e = math.exp %d : tensor<$Nxf32>
  %s = tile.reduce %e axis 0 : (tensor<$Nxf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %s_t = tile.splat %s : f32 -> tensor<$Nxf32>
  %y = arith.divf %e, %s_t : tensor<$Nxf32>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<$Nx!tile.ptr<f32>>
  %pout = tile.addptr %out_t, %i : tensor<$Nx!tile.ptr<f32>>, tensor<$Nxi32>
  tile.store %pout, %y mask %mask : tensor<$Nx!tile.ptr<f32>>
  return
}
)",
                            {{"N", extentText(n)}});
    for (bool isDisjoint : {false, true}) {
      CrossOptions options;
      options.tolerance = 1e-6;
      options.isDisjoint = isDisjoint;
      int64_t length = std::max<int64_t>(1, n - 3);
      Arguments arguments{Argument::array(std::vector<float>(length)), Argument::array(randomFloats(length, 4, 5)),
                          Argument::number(length)};
      cross(text, arguments, options);
    }
  }
}

std::string scanText(int64_t m, int64_t n, int axis, const std::string &reverse, const std::string &type) {
  return fill(std::string(matrixHead) + R"(
  %s = tile.scan %x axis $A $REV : (tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T> {
  ^bb0(%a: $T, %b: $T):
    %h = arith.subf %a, %b : $T
    tile.yield %h : $T
  }
  %out_t = tile.splat %out : !tile.ptr<$T> -> tensor<$Mx$Nx!tile.ptr<$T>>
  %po = tile.addptr %out_t, %at : tensor<$Mx$Nx!tile.ptr<$T>>, tensor<$Mx$Nxi32>
  tile.store %po, %s : tensor<$Mx$Nx!tile.ptr<$T>>
  return
}
)",
              {{"REV", reverse},
               {"A", std::to_string(axis)},
               {"M", extentText(m)},
               {"N", extentText(n)},
               {"T", type},
               {"R", type}});
}

TEST(CpuScan, EitherAxisAndDirection) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 5}, {1, 1}, {1, 100}, {100, 1}, {20, 33}}) {
    for (int axis : {0, 1}) {
      for (const char *reverse : {"", "reverse"}) {
        Arguments arguments{Argument::array(std::vector<float>(m * n)), Argument::array(randomFloats(m * n, 8))};
        cross(scanText(m, n, axis, reverse, "f32"), arguments);
      }
    }
  }
}

TEST(CpuSort, RowsOfAnyLength) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 5}, {2, 7}, {1, 100}, {4, 64}}) {
    for (const char *type : {"i1", "i8", "i32", "i64", "f32", "f16"}) {
      for (const char *flags : {"", "signed", "descending", "descending signed"}) {
        std::string text = fill(std::string(matrixHead) + R"(
  %s = tile.sort %x $F : tensor<$Mx$Nx$T>
  %out_t = tile.splat %out : !tile.ptr<$T> -> tensor<$Mx$Nx!tile.ptr<$T>>
  %po = tile.addptr %out_t, %at : tensor<$Mx$Nx!tile.ptr<$T>>, tensor<$Mx$Nxi32>
  tile.store %po, %s : tensor<$Mx$Nx!tile.ptr<$T>>
  return
}
)",
                                {{"F", flags}, {"M", extentText(m)}, {"N", extentText(n)}, {"T", type}, {"R", type}});
        size_t bytes = type == std::string("i8") || type == std::string("i1") ? 1
                       : type == std::string("f16")                           ? 2
                       : type == std::string("i64")                           ? 8
                                                                              : 4;
        CrossOptions options;
        options.nanOf = type == std::string("f32") ? 'f' : type == std::string("f16") ? 'h' : 0;
        Arguments arguments{Argument::array(std::vector<uint8_t>(m * n * bytes)),
                            Argument::array(randomBits<uint8_t>(m * n * bytes, 3))};
        cross(text, arguments, options);
      }
    }
  }
}

TEST(CpuHistogram, CountsWithAndWithoutMask) {
  for (int64_t n : {1, 5, 100, 1000}) {
    std::string text = fill(R"(
func.func @k(%out: !tile.ptr<i32>, %in: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<$Nxi32>
  %in_t = tile.splat %in : !tile.ptr<i32> -> tensor<$Nx!tile.ptr<i32>>
  %pin = tile.addptr %in_t, %i : tensor<$Nx!tile.ptr<i32>>, tensor<$Nxi32>
  %x = tile.load %pin : tensor<$Nx!tile.ptr<i32>>
  %limit = arith.constant dense<50> : tensor<$Nxi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<$Nxi32>
  %h = tile.histogram %x : tensor<$Nxi32> -> tensor<10xi32>
  %g = tile.histogram %x mask %mask : tensor<$Nxi1> : tensor<$Nxi32> -> tensor<10xi32>
  %ten = arith.constant dense<1000> : tensor<10xi32>
  %gt = arith.muli %g, %ten : tensor<10xi32>
  %sum = arith.addi %h, %gt : tensor<10xi32>
  %k = tile.iota 0 : tensor<10xi32>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<10x!tile.ptr<i32>>
  %po = tile.addptr %out_t, %k : tensor<10x!tile.ptr<i32>>, tensor<10xi32>
  tile.store %po, %sum : tensor<10x!tile.ptr<i32>>
  return
}
)",
                            {{"N", extentText(n)}});
    std::vector<int32_t> values = randomBits<int32_t>(n, 2);
    for (int32_t &value : values) {
      value = value % 12;
    }
    cross(text, {Argument::array(std::vector<int32_t>(10)), Argument::array(values)});
  }
}

} // namespace
} // namespace pavage::cpu

// Elementwise ops of every type, against Interp to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/ElementwiseText.h"

#include <cmath>
#include <gtest/gtest.h>

namespace pavage::cpu {
namespace {

void check(const std::string &op, const std::vector<std::string> &in, const std::string &out, double tolerance = -1,
           std::vector<int> extents = {421}) {
  for (int extent : extents) {
    SCOPED_TRACE(op);
    std::string text = fill(kernelText(op, in, out), {{"N", std::to_string(extent)}});
    Arguments arguments{Argument::array(std::vector<uint8_t>(extent * bytesOf(out), 0x55))};
    for (size_t i = 0; i < in.size(); ++i) {
      arguments.push_back(Argument::array(operandBytes(in[i], extent, 17 * i + extent)));
    }
    CrossOptions options;
    options.nanOf = nanOf(out);
    options.tolerance = tolerance;
    cross(text, arguments, options);
  }
}

TEST(CpuElementwise, IntegerArithmetic) {
  for (const std::string &type : integers) {
    for (const char *name : {"arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori",
                             "arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui"}) {
      check(binary(name, type), {type, type}, type);
    }
    for (const char *predicate : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) {
      check("arith.cmpi " + std::string(predicate) + ", %x0, %x1 : tensor<$Nx" + type + ">", {type, type}, "i1");
    }
  }
}

TEST(CpuElementwise, TotalIntegerArithmetic) {
  for (const std::string &type : integers) {
    for (const char *flags : {"", " signed"}) {
      check(binary("tile.div", type, flags), {type, type}, type, -1, {421, 3});
      check(binary("tile.rem", type, flags), {type, type}, type, -1, {421, 1});
      check(binary("tile.shr", type, flags), {type, type}, type);
    }
    check(binary("tile.shl", type), {type, type}, type);
  }
}

TEST(CpuElementwise, FloatArithmetic) {
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    for (const char *name : {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf",
                             "arith.maxnumf", "arith.minnumf", "math.copysign"}) {
      check(binary(name, type), {type, type}, type);
    }
    for (const char *name : {"arith.negf", "math.absf", "math.sqrt", "math.floor", "math.ceil", "math.trunc",
                             "math.roundeven", "math.round"}) {
      check(unary(name, type), {type}, type);
    }
    check("math.fma %x0, %x1, %x2 : tensor<$Nx" + std::string(type) + ">", {type, type, type}, type);
    for (const char *predicate : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
                                  "une", "uno", "true", "false"}) {
      check("arith.cmpf " + std::string(predicate) + ", %x0, %x1 : tensor<$Nx" + type + ">", {type, type}, "i1");
    }
  }
  check(binary("arith.remf", "f32"), {"f32", "f32"}, "f32");
  check(binary("arith.remf", "f64"), {"f64", "f64"}, "f64");
}

TEST(CpuElementwise, Selection) {
  for (const char *type : {"i1", "i8", "i32", "f16", "f32", "f64", "f8E5M2"}) {
    std::string t(type);
    check("arith.select %x0, %x1, %x2 : tensor<$Nxi1>, tensor<$Nx" + t + ">", {"i1", t, t}, t);
  }
}

TEST(CpuElementwise, CastsOfEveryPair) {
  const std::vector<std::string> types{"i1",     "i8",  "i16",  "i32", "i64", "f8E4M3FN",
                                       "f8E5M2", "f16", "bf16", "f32", "f64"};
  for (const std::string &from : types) {
    for (const std::string &to : types) {
      if (from == to) {
        continue;
      }
      bool isInteger = from[0] == 'i' || to[0] == 'i';
      std::string types = " : tensor<$Nx" + from + "> -> tensor<$Nx" + to + ">";
      check("tile.cast %x0" + types, {from}, to);
      if (isInteger) {
        check("tile.cast %x0 signed" + types, {from}, to);
      } else {
        check("tile.cast %x0 rounding rtz" + types, {from}, to);
      }
    }
  }
}

TEST(CpuElementwise, ExtensionsOfArith) {
  check("arith.extsi %x0 : tensor<$Nxi1> to tensor<$Nxi32>", {"i1"}, "i32");
  check("arith.extui %x0 : tensor<$Nxi8> to tensor<$Nxi64>", {"i8"}, "i64");
  check("arith.trunci %x0 : tensor<$Nxi64> to tensor<$Nxi16>", {"i64"}, "i16");
  check("arith.bitcast %x0 : tensor<$Nxf32> to tensor<$Nxi32>", {"f32"}, "i32");
  check("arith.bitcast %x0 : tensor<$Nxi16> to tensor<$Nxbf16>", {"i16"}, "bf16");
  check("math.ctpop %x0 : tensor<$Nxi32>", {"i32"}, "i32");
  check("math.ctlz %x0 : tensor<$Nxi32>", {"i32"}, "i32");
  check("math.absi %x0 : tensor<$Nxi32>", {"i32"}, "i32");
  check(binary("math.ipowi", "i32"), {"i32", "i32"}, "i32");
}

TEST(CpuElementwise, HighHalvesOfProducts) {
  for (const char *name : {"mulsi_extended", "mului_extended"}) {
    for (const char *type : {"i32", "i64"}) {
      std::string text = fill(kernelText("arith.addi %low, %high : tensor<$Nx$T>", {type, type}, type), {{"T", type}});
      size_t at = text.find("  %r = ");
      text.insert(at, "  %low, %high = arith." + std::string(name) + " %x0, %x1 : tensor<$Nx" + type + ">\n");
      text = fill(text, {{"N", "77"}});
      CrossOptions options;
      options.nanOf = 0;
      Arguments arguments{Argument::array(std::vector<uint8_t>(77 * bytesOf(type)))};
      arguments.push_back(Argument::array(operandBytes(type, 77, 1)));
      arguments.push_back(Argument::array(operandBytes(type, 77, 2)));
      cross(text, arguments, options);
    }
  }
}

TEST(CpuElementwise, Functions) {
  for (const char *name :
       {"exp",   "exp2", "log",  "log2", "log10", "log1p", "expm1", "tanh", "sinh", "cosh",  "asinh", "acosh",
        "atanh", "atan", "asin", "acos", "erf",   "erfc",  "sin",   "cos",  "tan",  "rsqrt", "cbrt"}) {
    check(unary("math." + std::string(name), "f32"), {"f32"}, "f32", 3e-7, {600});
  }
  check(binary("math.powf", "f32"), {"f32", "f32"}, "f32", 3e-7, {3000});
  check(binary("math.atan2", "f32"), {"f32", "f32"}, "f32", 3e-7, {3000});
}

TEST(CpuElementwise, FunctionsOfDoubles) {
  for (const char *name : {"exp", "log", "sin", "tanh", "erf", "sqrt", "floor"}) {
    std::string text = fill(kernelText(unary("math." + std::string(name), "f64"), {"f64"}, "f64"), {{"N", "50"}});
    runEach(text, {Argument::array(std::vector<double>(50)), Argument::array(operandBytes("f64", 50, 3))},
            [&](const Arguments &result) {
              std::vector<double> x = result[1].as<double>(), y = result[0].as<double>();
              for (size_t i = 0; i < x.size(); ++i) {
                double expected = name == std::string("exp")    ? std::exp(x[i])
                                  : name == std::string("log")  ? std::log(x[i])
                                  : name == std::string("sin")  ? std::sin(x[i])
                                  : name == std::string("tanh") ? std::tanh(x[i])
                                  : name == std::string("erf")  ? std::erf(x[i])
                                  : name == std::string("sqrt") ? std::sqrt(x[i])
                                                                : std::floor(x[i]);
                EXPECT_TRUE(y[i] == expected || (std::isnan(y[i]) && std::isnan(expected))) << name << " " << x[i];
              }
            });
  }
}

} // namespace
} // namespace pavage::cpu

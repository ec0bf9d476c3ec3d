// Elementwise ops of every type as PTX, against Interp to the bit. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Each kernel runs on one of the targets that differ in how they compute, in turn, with one of several numbers of
// warps; casts on all targets, since those differ most.
#include "tests/unit/compiler/Cpu/ElementwiseText.h"
#include "tests/unit/compiler/Gpu/GpuRun.h"

#include <cmath>
#include <gtest/gtest.h>

namespace pavage::gpu {
namespace {

using cpu::binary;
using cpu::bytesOf;
using cpu::integers;
using cpu::kernelText;
using cpu::nanOf;
using cpu::operandBytes;
using cpu::unary;

const std::vector<std::string> targets{"sm_75", "sm_80", "sm_89", "sm_90"};

void checkOn(const std::string &target, int numWarps, const std::string &op, const std::vector<std::string> &in,
             const std::string &out, double tolerance = -1, int extent = 421) {
  SCOPED_TRACE(op + " on " + target + ", " + std::to_string(numWarps) + " warps");
  std::string text = fill(kernelText(op, in, out), {{"N", std::to_string(extent)}});
  Arguments arguments{Argument::array(std::vector<uint8_t>(extent * bytesOf(out), 0x55))};
  for (size_t i = 0; i < in.size(); ++i) {
    arguments.push_back(Argument::array(operandBytes(in[i], extent, 17 * i + extent)));
  }
  GpuOptions options;
  options.target = target;
  options.numWarps = numWarps;
  options.nanOf = nanOf(out);
  options.tolerance = tolerance;
  crossGpu(text, arguments, options);
}

/// On one of the targets, which changes from call to call.
void check(const std::string &op, const std::vector<std::string> &in, const std::string &out, double tolerance = -1,
           int extent = 421) {
  static unsigned turn = 0;
  static constexpr int warps[] = {4, 1, 8};
  checkOn(targets[turn % targets.size()], warps[turn % 3], op, in, out, tolerance, extent);
  ++turn;
}

TEST(GpuElementwise, IntegerArithmetic) {
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

TEST(GpuElementwise, TotalIntegerArithmetic) {
  for (const std::string &type : integers) {
    for (const char *flags : {"", " signed"}) {
      check(binary("tile.div", type, flags), {type, type}, type);
      check(binary("tile.rem", type, flags), {type, type}, type);
      check(binary("tile.shr", type, flags), {type, type}, type);
    }
    check(binary("tile.shl", type), {type, type}, type);
  }
}

TEST(GpuElementwise, FloatArithmetic) {
  for (const std::string &target : targets) {
    for (const char *type : {"f16", "bf16", "f32", "f64"}) {
      for (const char *name : {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf",
                               "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.copysign"}) {
        checkOn(target, 4, binary(name, type), {type, type}, type);
      }
    }
  }
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
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
}

TEST(GpuElementwise, CastsOfEveryPair) {
  const std::vector<std::string> types{"i1",     "i8",  "i16",  "i32", "i64", "f8E4M3FN",
                                       "f8E5M2", "f16", "bf16", "f32", "f64"};
  for (const std::string &target : targets) {
    for (const std::string &from : types) {
      for (const std::string &to : types) {
        if (from == to) {
          continue;
        }
        bool isInteger = from[0] == 'i' || to[0] == 'i';
        std::string types = " : tensor<$Nx" + from + "> -> tensor<$Nx" + to + ">";
        checkOn(target, 4, "tile.cast %x0" + types, {from}, to);
        checkOn(target, 1, (isInteger ? "tile.cast %x0 signed" : "tile.cast %x0 rounding rtz") + types, {from}, to);
      }
    }
  }
}

TEST(GpuElementwise, IntegerFunctions) {
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    for (const char *name : {"math.ctpop", "math.ctlz", "math.cttz", "math.absi"}) {
      check(unary(name, type), {type}, type);
    }
    check(binary("math.ipowi", type), {type, type}, type);
  }
}

TEST(GpuElementwise, Classes) {
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    for (const char *name : {"math.isnan", "math.isinf", "math.isfinite", "math.isnormal"}) {
      check(unary(name, type), {type}, "i1");
    }
  }
}

TEST(GpuElementwise, Functions) {
  for (const char *name :
       {"exp",   "exp2", "log",  "log2", "log10", "log1p", "expm1", "tanh", "sinh", "cosh",  "asinh", "acosh",
        "atanh", "atan", "asin", "acos", "erf",   "erfc",  "sin",   "cos",  "tan",  "rsqrt", "cbrt"}) {
    check(unary("math." + std::string(name), "f32"), {"f32"}, "f32", 5e-7, 600);
  }
  check(binary("math.powf", "f32"), {"f32", "f32"}, "f32", 5e-7, 1200);
  check(binary("math.atan2", "f32"), {"f32", "f32"}, "f32", 5e-7, 1200);
}

/// Largest error in units of the last place of `expected`; NaN and infinity must agree.
double errorOf(double got, long double expected) {
  double rounded = static_cast<double>(expected);
  if (std::isnan(rounded) || std::isinf(rounded) || std::isinf(got) || std::isnan(got)) {
    bool isSame = got == rounded || (std::isnan(got) && std::isnan(rounded));
    return isSame || std::fabs(expected) > 1.797e308L ? 0 : HUGE_VAL;
  }
  int exponent = -1074;
  if (rounded != 0) {
    exponent = std::max(std::ilogb(rounded) - 52, -1074);
  }
  return static_cast<double>(std::fabs(got - expected) / std::ldexp(1.0L, exponent));
}

void checkDouble(const std::string &name, std::function<long double(long double, long double)> exact, bool isBinary,
                 double bound) {
  constexpr int count = 1500;
  std::string op = isBinary ? binary("math." + name, "f64") : unary("math." + name, "f64");
  std::vector<std::string> in(isBinary ? 2 : 1, "f64");
  Arguments arguments{Argument::array(std::vector<double>(count))};
  for (size_t i = 0; i < in.size(); ++i) {
    arguments.push_back(Argument::array(operandBytes("f64", count, 5 + i)));
  }
  GpuCode code = compileGpu(fill(kernelText(op, in, "f64"), {{"N", std::to_string(count)}}));
  runGpu(code, arguments);
  std::vector<double> x = arguments[1].as<double>(), y = isBinary ? arguments[2].as<double>() : x,
                      got = arguments[0].as<double>();
  double worst = 0;
  int at = 0;
  for (int i = 0; i < count; ++i) {
    double error = errorOf(got[i], exact(x[i], y[i]));
    if (!(error <= worst)) {
      worst = error, at = i;
    }
  }
  EXPECT_LE(worst, bound) << name << " of " << x[at] << (isBinary ? ", " + std::to_string(y[at]) : "") << " is "
                          << got[at];
}

TEST(GpuElementwise, FunctionsOfDoubles) {
  using Exact = long double (*)(long double);
  const std::vector<std::pair<std::string, Exact>> unaries{
      {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1}, {"log", std::log},     {"log2", std::log2},
      {"log10", std::log10}, {"log1p", std::log1p}, {"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},
      {"asin", std::asin},   {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
      {"tanh", std::tanh},   {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh}, {"cbrt", std::cbrt},
      {"erf", std::erf},     {"erfc", std::erfc}};
  for (const auto &[name, exact] : unaries) {
    double bound = name == "erfc" ? 6 : 3;
    checkDouble(name, [exact = exact](long double x, long double) { return exact(x); }, false, bound);
  }
  checkDouble("powf", [](long double x, long double y) { return std::pow(x, y); }, true, 2);
  checkDouble("atan2", [](long double y, long double x) { return std::atan2(y, x); }, true, 2);
}

} // namespace
} // namespace pavage::gpu

// Elementwise ops of every type, against Interp to the bit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace pavage::cpu {
namespace {

size_t bytesOf(const std::string &type) {
  static const std::map<std::string, size_t> sizes{{"i1", 1},  {"i8", 1},       {"i16", 2},   {"i32", 4},
                                                   {"i64", 8}, {"f16", 2},      {"bf16", 2},  {"f32", 4},
                                                   {"f64", 8}, {"f8E4M3FN", 1}, {"f8E5M2", 1}};
  return sizes.at(type);
}
char nanOf(const std::string &type) {
  return type == "f32" ? 'f' : type == "f64" ? 'd' : type == "f16" ? 'h' : type == "bf16" ? 'b' : 0;
}

/// Random bits with many special numbers among them.
std::vector<uint8_t> operandBytes(const std::string &type, size_t count, uint64_t seed) {
  size_t bytes = bytesOf(type);
  std::vector<uint64_t> bits = randomBits<uint64_t>(count, seed);
  std::vector<uint64_t> special{
      0, 1, ~uint64_t(0), uint64_t(1) << (8 * bytes - 1), (uint64_t(1) << (8 * bytes - 1)) - 1, 2};
  if (type == "f32") {
    for (uint64_t x : {0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x00800000u, 0x4f000000u,
                       0xcf000000u, 0x477fe000u, 0x33800000u, 0x33000000u, 0x43e00000u, 0x3f000000u, 0xbfc00000u}) {
      special.push_back(x);
    }
  } else if (type == "f64") {
    for (uint64_t x : {0x3ff0000000000000u, 0xbff0000000000000u, 0x7ff0000000000000u, 0xfff0000000000000u,
                       0x7ff8000000000000u, 0x41e0000000000000u, 0xc3e0000000000000u, 0x47efffffe0000000u,
                       0x47f0000000000000u, 0x36a0000000000000u, 0x3690000000000000u, 0x3fe0000000000001u}) {
      special.push_back(x);
    }
  } else if (type == "f16") {
    for (uint64_t x : {0x3c00u, 0xbc00u, 0x7c00u, 0xfc00u, 0x7e00u, 0x0400u, 0x7bffu, 0x0001u}) {
      special.push_back(x);
    }
  } else if (type == "bf16") {
    for (uint64_t x : {0x3f80u, 0xbf80u, 0x7f80u, 0xff80u, 0x7fc0u, 0x0080u, 0x7f7fu}) {
      special.push_back(x);
    }
  }
  std::vector<uint8_t> result(count * bytes);
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = bits[i];
    if (i % 3 == 0) {
      value = special[(bits[i] >> 7) % special.size()];
    } else if (i % 3 == 1 && (type == "f32" || type == "f64")) { // moderate numbers
      double number = (static_cast<double>(bits[i] % 200001) - 100000) / (1 + bits[i] / 3 % 1000);
      float single = static_cast<float>(number);
      type == "f32" ? std::memcpy(&value, &single, 4) : std::memcpy(&value, &number, 8);
    }
    if (type == "i1") {
      value &= 1;
    }
    std::memcpy(&result[i * bytes], &value, bytes);
  }
  return result;
}

/// A kernel that applies `op` (its text, with $N for the shape) to tiles of the given types.
std::string kernelText(const std::string &op, const std::vector<std::string> &in, const std::string &out) {
  std::string text = "func.func @k(%out: !tile.ptr<" + out + ">";
  for (size_t i = 0; i < in.size(); ++i) {
    text += ", %a" + std::to_string(i) + ": !tile.ptr<" + in[i] + ">";
  }
  text += ") attributes {tile.kernel} {\n  %i = tile.iota 0 : tensor<$Nxi32>\n";
  auto pointer = [&](const std::string &base, const std::string &type) {
    text +=
        "  " + base + "_t = tile.splat " + base + " : !tile.ptr<" + type + "> -> tensor<$Nx!tile.ptr<" + type + ">>\n";
    text += "  " + base + "_p = tile.addptr " + base + "_t, %i : tensor<$Nx!tile.ptr<" + type + ">>, tensor<$Nxi32>\n";
  };
  for (size_t i = 0; i < in.size(); ++i) {
    std::string base = "%a" + std::to_string(i);
    pointer(base, in[i]);
    text += "  %x" + std::to_string(i) + " = tile.load " + base + "_p : tensor<$Nx!tile.ptr<" + in[i] + ">>\n";
  }
  text += "  %r = " + op + "\n";
  pointer("%out", out);
  text += "  tile.store %out_p, %r : tensor<$Nx!tile.ptr<" + out + ">>\n  return\n}\n";
  return text;
}

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

std::string binary(const std::string &name, const std::string &type, const std::string &flags = "") {
  return name + " %x0, %x1" + flags + " : tensor<$Nx" + type + ">";
}
std::string unary(const std::string &name, const std::string &type) { return name + " %x0 : tensor<$Nx" + type + ">"; }

const std::vector<std::string> integers{"i1", "i8", "i16", "i32", "i64"};

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

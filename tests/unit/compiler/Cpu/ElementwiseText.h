// Kernels of one elementwise op, and numbers to run them on. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_COMPILER_CPU_ELEMENTWISETEXT_H
#define PAVAGE_TESTS_UNIT_COMPILER_CPU_ELEMENTWISETEXT_H

#include "tests/unit/compiler/Cpu/Cross.h"

#include <map>

namespace pavage::cpu {

inline size_t bytesOf(const std::string &type) {
  static const std::map<std::string, size_t> sizes{{"i1", 1},  {"i8", 1},       {"i16", 2},   {"i32", 4},
                                                   {"i64", 8}, {"f16", 2},      {"bf16", 2},  {"f32", 4},
                                                   {"f64", 8}, {"f8E4M3FN", 1}, {"f8E5M2", 1}};
  return sizes.at(type);
}
inline char nanOf(const std::string &type) {
  return type == "f32"        ? 'f'
         : type == "f64"      ? 'd'
         : type == "f16"      ? 'h'
         : type == "bf16"     ? 'b'
         : type == "f8E4M3FN" ? '4'
         : type == "f8E5M2"   ? '5'
                              : 0;
}

/// Random bits with many special numbers among them.
inline std::vector<uint8_t> operandBytes(const std::string &type, size_t count, uint64_t seed) {
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
inline std::string kernelText(const std::string &op, const std::vector<std::string> &in, const std::string &out) {
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

inline std::string binary(const std::string &name, const std::string &type, const std::string &flags = "") {
  return name + " %x0, %x1" + flags + " : tensor<$Nx" + type + ">";
}
inline std::string unary(const std::string &name, const std::string &type) {
  return name + " %x0 : tensor<$Nx" + type + ">";
}

inline const std::vector<std::string> integers{"i1", "i8", "i16", "i32", "i64"};

} // namespace pavage::cpu

#endif // PAVAGE_TESTS_UNIT_COMPILER_CPU_ELEMENTWISETEXT_H

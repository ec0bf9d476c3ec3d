// Kernels that load whole tiles, compute one and store it: the frame around an op under test. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_COMPILER_GPU_TILEPROGRAM_H
#define PAVAGE_TESTS_UNIT_COMPILER_GPU_TILEPROGRAM_H

#include "tests/unit/compiler/Gpu/GpuRun.h"

namespace pavage::gpu {

using Shape = std::vector<int64_t>;

inline int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count;
}
inline std::string tensorOf(const Shape &shape, const std::string &type) {
  std::string text = "tensor<";
  for (int64_t extent : shape) {
    text += std::to_string(extent) + "x";
  }
  return text + type + ">";
}
inline size_t bytesOfType(const std::string &type) {
  if (type == "i1" || type == "i8" || type.starts_with("f8")) {
    return 1;
  }
  return type == "i16" || type == "f16" || type == "bf16" ? 2 : type == "i64" || type == "f64" ? 8 : 4;
}

/// A tile in memory.
struct TileOf {
  Shape shape;
  std::string type;
};

/// Small whole numbers of a type, exact in every order of sums; the same in every run.
inline Argument wholeNumbers(const TileOf &tile, uint64_t seed, int spread = 7) {
  std::vector<uint8_t> bytes;
  for (uint32_t random : cpu::randomBits<uint32_t>(countOf(tile.shape), seed)) {
    int value = static_cast<int>(random >> 8) % spread - (tile.type == "i1" ? 0 : spread / 2);
    auto add = [&](auto number) {
      const auto *raw = reinterpret_cast<const uint8_t *>(&number);
      bytes.insert(bytes.end(), raw, raw + sizeof number);
    };
    auto f = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    if (tile.type == "f32") {
      add(f);
    } else if (tile.type == "f64") {
      add(static_cast<double>(value));
    } else if (tile.type == "bf16") {
      add(static_cast<uint16_t>(bits >> 16));
    } else if (tile.type == "f16") {
      add(static_cast<uint16_t>((bits >> 16 & 0x8000) |
                                (value ? ((bits >> 13) & 0x3ff) | ((bits >> 23 & 0xff) - 112) << 10 : 0)));
    } else if (tile.type == "f8E5M2") {
      add(static_cast<uint8_t>((bits >> 24 & 0x80) |
                               (value ? ((bits >> 21) & 0x3) | ((bits >> 23 & 0xff) - 112) << 2 : 0)));
    } else if (tile.type == "f8E4M3FN") {
      add(static_cast<uint8_t>((bits >> 24 & 0x80) |
                               (value ? ((bits >> 20) & 0x7) | ((bits >> 23 & 0xff) - 120) << 3 : 0)));
    } else if (tile.type == "i1") {
      add(static_cast<uint8_t>(value & 1));
    } else if (tile.type == "i8") {
      add(static_cast<int8_t>(value));
    } else if (tile.type == "i16") {
      add(static_cast<int16_t>(value));
    } else if (tile.type == "i64") {
      add(static_cast<int64_t>(value));
    } else {
      add(static_cast<int32_t>(value));
    }
  }
  Argument result;
  result.bytes = bytes;
  return result;
}
/// Random bits; of i1, zeros and ones.
inline Argument randomTile(const TileOf &tile, uint64_t seed) {
  std::vector<uint8_t> bytes = cpu::randomBits<uint8_t>(countOf(tile.shape) * bytesOfType(tile.type), seed);
  for (uint8_t &byte : bytes) {
    byte &= tile.type == "i1" ? 1 : 0xff;
  }
  return Argument::array(bytes);
}
inline Argument emptyTile(const TileOf &tile) {
  return Argument::array(std::vector<uint8_t>(countOf(tile.shape) * bytesOfType(tile.type)));
}

/// Pointers to all elements of the array %NAME in row-major order, as %NAME_p.
inline std::string pointersText(const std::string &name, const TileOf &tile) {
  std::string count = std::to_string(countOf(tile.shape)), pointer = "!tile.ptr<" + tile.type + ">";
  std::string flat = "tensor<" + count + "x" + pointer + ">", shaped = tensorOf(tile.shape, pointer);
  int rank = static_cast<int>(tile.shape.size());
  if (rank == 0) {
    return "  %" + name + "_p = tile.bitcast %" + name + " : " + pointer + " -> i64\n";
  }
  // Row by row, so that nothing is reshaped on the way.
  std::string text, sum, at = name;
  int64_t stride = countOf(tile.shape);
  for (int axis = 0; axis < rank; ++axis) {
    std::string extent = std::to_string(tile.shape[axis]), id = name + std::to_string(axis);
    stride /= tile.shape[axis];
    text += "  %" + id + "_i = tile.iota 0 : tensor<" + extent + "xi32>\n  %" + id + "_s = arith.constant dense<" +
            std::to_string(stride) + "> : tensor<" + extent + "xi32>\n  %" + id + "_m = arith.muli %" + id + "_i, %" +
            id + "_s : tensor<" + extent + "xi32>\n";
    std::string value = "%" + id + "_m";
    Shape shape{tile.shape[axis]};
    for (int other = 0; other < rank; ++other) {
      if (other == axis) {
        continue;
      }
      Shape wider = shape;
      int place = other < axis ? other : static_cast<int>(shape.size());
      wider.insert(wider.begin() + place, 1);
      std::string next = "%" + id + "_x" + std::to_string(other);
      text += "  " + next + " = tile.expand_dims " + value + " axis " + std::to_string(place) + " : " +
              tensorOf(shape, "i32") + " -> " + tensorOf(wider, "i32") + "\n";
      value = next;
      shape = wider;
    }
    if (shape != tile.shape) {
      text += "  %" + id + "_b = tile.broadcast " + value + " : " + tensorOf(shape, "i32") + " -> " +
              tensorOf(tile.shape, "i32") + "\n";
      value = "%" + id + "_b";
    }
    if (sum.empty()) {
      sum = value;
    } else {
      text += "  %" + id + "_a = arith.addi " + sum + ", " + value + " : " + tensorOf(tile.shape, "i32") + "\n";
      sum = "%" + id + "_a";
    }
  }
  return text + "  %" + name + "_t = tile.splat %" + name + " : " + pointer + " -> " + shaped + "\n  %" + name +
         "_p = tile.addptr %" + name + "_t, " + sum + " : " + shaped + ", " + tensorOf(tile.shape, "i32") + "\n";
}

/// A kernel that loads `inputs` as %x0, %x1, .., runs `body` and stores %r.
inline std::string programText(const std::vector<TileOf> &inputs, const TileOf &output, const std::string &body) {
  std::string text = "func.func @k(%out: !tile.ptr<" + output.type + ">";
  for (size_t index = 0; index < inputs.size(); ++index) {
    text += ", %in" + std::to_string(index) + ": !tile.ptr<" + inputs[index].type + ">";
  }
  text += ") attributes {tile.kernel} {\n";
  for (size_t index = 0; index < inputs.size(); ++index) {
    std::string name = "in" + std::to_string(index);
    text += pointersText(name, inputs[index]) + "  %x" + std::to_string(index) + " = tile.load %" + name +
            "_p : " + tensorOf(inputs[index].shape, "!tile.ptr<" + inputs[index].type + ">") + "\n";
  }
  text += body;
  if (output.shape.empty()) {
    return text + "  tile.store %out, %r : !tile.ptr<" + output.type + ">\n  return\n}\n";
  }
  return text + pointersText("out", output) +
         "  tile.store %out_p, %r : " + tensorOf(output.shape, "!tile.ptr<" + output.type + ">") + "\n  return\n}\n";
}

/// Runs it with random bits, or with the given data.
inline sim::LaunchResult checkProgram(const std::vector<TileOf> &inputs, const TileOf &output, const std::string &body,
                                      const GpuOptions &options, std::vector<Argument> data = {}) {
  Arguments arguments{emptyTile(output)};
  for (size_t index = 0; index < inputs.size(); ++index) {
    arguments.push_back(index < data.size() ? data[index] : randomTile(inputs[index], index + 3));
  }
  return crossGpu(programText(inputs, output, body), arguments, options);
}

/// Whether a case of a large product of cases is run: one of `each`, or all with PAVAGE_TEST_FULL=1.
inline bool isSampled(int each) {
  static uint64_t count = 0;
  return getenv("PAVAGE_TEST_FULL") != nullptr || count++ * 0x9e3779b97f4a7c15u >> 32 < (uint64_t(1) << 32) / each;
}

/// Which NaNs of a type count as equal.
inline char nanOfType(const std::string &type) {
  return type == "f32" ? 'f' : type == "f64" ? 'd' : type == "f16" ? 'h' : type == "bf16" ? 'b' : 0;
}

} // namespace pavage::gpu

#endif // PAVAGE_TESTS_UNIT_COMPILER_GPU_TILEPROGRAM_H

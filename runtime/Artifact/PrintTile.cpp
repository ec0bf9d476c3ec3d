// Text of printed tiles. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/PrintTile.h"

#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace pavage::artifact {

/// Bits of precision and least exponent (of the last place) of a float dtype, to know what its neighbours are.
static void precisionOf(Dtype dtype, int &digits, int &leastPlace) {
  switch (dtype) {
  case Dtype::F8E4M3:
    digits = 4, leastPlace = -9;
    break;
  case Dtype::F8E5M2:
    digits = 3, leastPlace = -16;
    break;
  case Dtype::F16:
    digits = 11, leastPlace = -24;
    break;
  default:
    digits = 8, leastPlace = -133;
    break;
  }
}

static std::string formatFloat(Dtype dtype, double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  char buffer[64];
  std::string text;
  if (dtype == Dtype::F64) {
    text.assign(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  } else if (dtype == Dtype::F32) {
    text.assign(buffer, std::to_chars(buffer, buffer + sizeof(buffer), static_cast<float>(value)).ptr);
  } else {
    int digits, leastPlace, exponent;
    precisionOf(dtype, digits, leastPlace);
    double mantissa = std::frexp(value, &exponent);
    // Half of the last place tells neighbours apart; below a power of two they are twice as near.
    bool isPowerOfTwo = std::fabs(mantissa) == 0.5;
    double room = std::ldexp(isPowerOfTwo ? 0.25 : 0.5, std::max(exponent - digits, leastPlace));
    bool isInteger = value == std::trunc(value) && std::fabs(value) < 1e5;
    for (int precision = isInteger ? 6 : 1; precision <= 12; ++precision) {
      std::snprintf(buffer, sizeof(buffer), "%.*g", precision, value);
      if (std::fabs(std::strtod(buffer, nullptr) - value) < room) {
        break;
      }
    }
    text = buffer;
  }
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string formatElement(Dtype dtype, const void *bytes, bool hex) {
  if (isFloat(dtype)) {
    return formatFloat(dtype, loadFloat(dtype, bytes));
  }
  uint64_t bits = 0;
  unsigned size = dtypeSize(dtype);
  std::memcpy(&bits, bytes, size);
  if (dtype == Dtype::I1) {
    return (bits & 1) != 0 ? "True" : "False";
  }
  if (hex || dtype == Dtype::Pointer) {
    char buffer[24];
    std::snprintf(buffer, sizeof(buffer), "0x%0*" PRIx64, static_cast<int>(2 * size), bits);
    return buffer;
  }
  bool isSigned = dtype == Dtype::I8 || dtype == Dtype::I16 || dtype == Dtype::I32 || dtype == Dtype::I64;
  if (isSigned) {
    unsigned unused = 64 - 8 * size;
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  return std::to_string(bits);
}

/// Appends the sub-tile along axes `axis`.., reading on from `data`.
static void appendTile(std::string &out, const Site &site, size_t axis, size_t indent, const char *&data) {
  if (axis == site.shape.size()) {
    out += formatElement(site.dtype, data, site.hex);
    data += dtypeSize(site.dtype);
    return;
  }
  out += '[';
  for (int64_t i = 0; i < site.shape[axis]; ++i) {
    if (i != 0) {
      bool isInnermost = axis + 1 == site.shape.size();
      out += isInnermost ? ", " : ",\n" + std::string(indent + axis + 1, ' ');
    }
    appendTile(out, site, axis + 1, indent, data);
  }
  out += ']';
}

std::string formatPrint(const Site &site, const int64_t (&program)[3], const void *data) {
  char buffer[96];
  std::snprintf(buffer, sizeof(buffer), "pid (%" PRId64 ", %" PRId64 ", %" PRId64 ")", program[0], program[1],
                program[2]);
  std::string out = buffer;
  if (!site.text.empty()) {
    out += " " + site.text;
  }
  if (data != nullptr && site.dtype != Dtype::None) {
    out += ": ";
    const char *bytes = static_cast<const char *>(data);
    appendTile(out, site, 0, out.size(), bytes);
  }
  out += '\n';
  return out;
}

void splitProgram(int64_t program, const int64_t (&grid)[3], int64_t (&out)[3]) {
  int64_t gx = grid[0] > 0 ? grid[0] : 1, gy = grid[1] > 0 ? grid[1] : 1;
  out[0] = program % gx;
  out[1] = program / gx % gy;
  out[2] = program / gx / gy;
}

} // namespace pavage::artifact

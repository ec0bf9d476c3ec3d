// What device_print shows. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/PrintTile.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace pavage::artifact;

static Site site(Dtype dtype, std::vector<int64_t> shape, std::string text = "x", bool hex = false) {
  Site result;
  result.kind = Site::Kind::Print;
  result.dtype = dtype;
  result.shape = std::move(shape);
  result.text = std::move(text);
  result.hex = hex;
  return result;
}

static const int64_t origin[3] = {0, 0, 0};

TEST(PrintTile, ScalarsRowsAndMatrices) {
  int32_t values[6] = {1, -2, 3, 4, 5, 6};
  EXPECT_EQ(formatPrint(site(Dtype::I32, {}), origin, values), "pid (0, 0, 0) x: 1\n");
  EXPECT_EQ(formatPrint(site(Dtype::I32, {3}), origin, values), "pid (0, 0, 0) x: [1, -2, 3]\n");
  EXPECT_EQ(formatPrint(site(Dtype::I32, {2, 3}, "ab"), {1, 2, 30}, values), "pid (1, 2, 30) ab: [[1, -2, 3],\n"
                                                                             "                    [4, 5, 6]]\n");
  EXPECT_EQ(formatPrint(site(Dtype::I32, {1, 2, 1}), origin, values), "pid (0, 0, 0) x: [[[1],\n"
                                                                      "                   [-2]]]\n");
}

TEST(PrintTile, WithoutOperandOrPrefix) {
  EXPECT_EQ(formatPrint(site(Dtype::None, {}, "here"), origin, nullptr), "pid (0, 0, 0) here\n");
  uint8_t value = 200;
  EXPECT_EQ(formatPrint(site(Dtype::U8, {}, ""), origin, &value), "pid (0, 0, 0): 200\n");
}

template <typename T> static std::string element(Dtype dtype, T value, bool hex = false) {
  char bytes[8] = {};
  std::memcpy(bytes, &value, sizeof(T));
  return formatElement(dtype, bytes, hex);
}

TEST(PrintTile, Integers) {
  EXPECT_EQ(element<uint8_t>(Dtype::I8, 0x80), "-128");
  EXPECT_EQ(element<uint8_t>(Dtype::U8, 0x80), "128");
  EXPECT_EQ(element<uint64_t>(Dtype::U64, ~0ull), "18446744073709551615");
  EXPECT_EQ(element<int64_t>(Dtype::I64, INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(element<uint8_t>(Dtype::I1, 1), "True");
  EXPECT_EQ(element<uint8_t>(Dtype::I1, 0), "False");
  EXPECT_EQ(element<int16_t>(Dtype::I16, -1, true), "0xffff");
  EXPECT_EQ(element<uint64_t>(Dtype::Pointer, 0x1234), "0x0000000000001234");
}

TEST(PrintTile, FloatsHaveTheFewestTellingDigits) {
  EXPECT_EQ(element(Dtype::F32, 0.1f), "0.1");
  EXPECT_EQ(element(Dtype::F32, 1.0f), "1.0");
  EXPECT_EQ(element(Dtype::F64, 0.1), "0.1");
  EXPECT_EQ(element(Dtype::F64, 1e300), "1e+300");
  EXPECT_EQ(element(Dtype::F32, -0.0f), "-0.0");
  EXPECT_EQ(element<uint16_t>(Dtype::F16, 0x2e66), "0.1");
  EXPECT_EQ(element<uint16_t>(Dtype::BF16, 0x3dcd), "0.1");
  EXPECT_EQ(element<uint16_t>(Dtype::F16, 0x7bff), "65504.0");
  EXPECT_EQ(element<uint8_t>(Dtype::F8E4M3, 0x7e), "448.0");
  EXPECT_EQ(element<uint8_t>(Dtype::F8E4M3, 0x7f), "nan");
  EXPECT_EQ(element<uint8_t>(Dtype::F8E5M2, 0xfc), "-inf");
}

// Any two neighbours print differently, or a print could not show a difference of one bit.
TEST(PrintTile, AllHalvesPrintDifferently) {
  for (Dtype dtype : {Dtype::F16, Dtype::BF16}) {
    for (uint16_t bits = 1; bits < (dtype == Dtype::F16 ? 0x7c00 : 0x7f80); ++bits) {
      ASSERT_NE(element<uint16_t>(dtype, bits), element<uint16_t>(dtype, bits - 1)) << bits;
    }
  }
}

TEST(PrintTile, SplitsProgramIds) {
  int64_t out[3];
  splitProgram(0, {3, 5, 2}, out);
  EXPECT_EQ(out[0] + out[1] + out[2], 0);
  splitProgram(3 * 5 + 3 * 2 + 1, {3, 5, 2}, out);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
  EXPECT_EQ(out[2], 1);
}

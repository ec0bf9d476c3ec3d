// Environment variables are read strictly. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/Environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace pavage::core;
using pavage::errors::Code;

namespace {
class Variable : public testing::Test {
protected:
  static constexpr const char *name = "PAVAGE_TEST_VARIABLE";
  static void set(const char *value) { setenv(name, value, 1); }
  void TearDown() override { unsetenv(name); }
};
} // namespace

TEST_F(Variable, Integer) {
  EXPECT_EQ(*environmentInteger(name, 0, 9), std::nullopt);
  set("");
  EXPECT_EQ(*environmentInteger(name, 0, 9), std::nullopt);
  set("9");
  EXPECT_EQ(*environmentInteger(name, 0, 9), 9);
  for (const char *wrong : {"10", "-1", "9x", " 9", "9.0", "0x9"}) {
    set(wrong);
    EXPECT_TRUE(environmentInteger(name, 0, 9).error().is(Code::BadEnvironment)) << wrong;
  }
}

TEST_F(Variable, Flag) {
  EXPECT_TRUE(*environmentFlag(name, true));
  EXPECT_FALSE(*environmentFlag(name, false));
  for (const char *on : {"1", "true", "on", "yes"}) {
    set(on);
    EXPECT_TRUE(*environmentFlag(name, false)) << on;
  }
  for (const char *off : {"0", "false", "off", "no"}) {
    set(off);
    EXPECT_FALSE(*environmentFlag(name, true)) << off;
  }
  set("maybe");
  EXPECT_EQ(environmentFlag(name, true).error().text(), "expected PAVAGE_TEST_VARIABLE to be 0 or 1, got 'maybe'");
}

TEST_F(Variable, Choice) {
  EXPECT_EQ(*environmentChoice(name, {"on", "off"}), "on");
  set("off");
  EXPECT_EQ(*environmentChoice(name, {"on", "off"}), "off");
  set("of");
  EXPECT_EQ(environmentChoice(name, {"on", "off"}).error().text(),
            "expected PAVAGE_TEST_VARIABLE to be one of on, off, got 'of'");
}

TEST_F(Variable, Bytes) {
  EXPECT_EQ(*environmentBytes(name), std::nullopt);
  set("12Q");
  EXPECT_TRUE(environmentBytes(name).error().is(Code::BadEnvironment));
  set("2K");
  EXPECT_EQ(*environmentBytes(name), 2048u);
}

TEST(ParseBytes, Spellings) {
  EXPECT_EQ(parseBytes("0"), 0u);
  EXPECT_EQ(parseBytes("1000000"), 1000000u);
  EXPECT_EQ(parseBytes("512M"), 512ull << 20);
  EXPECT_EQ(parseBytes("2GB"), 2ull << 30);
  EXPECT_EQ(parseBytes("1.5GiB"), 3ull << 29);
  EXPECT_EQ(parseBytes("7B"), 7u);
  EXPECT_EQ(parseBytes("1T"), 1ull << 40);
  for (const char *wrong : {"", "M", "-1", "1X", "1Mi", "1MBB", "1 M", "1e99", "nan", "99999999T", "inf"}) {
    EXPECT_EQ(parseBytes(wrong), std::nullopt) << wrong;
  }
}

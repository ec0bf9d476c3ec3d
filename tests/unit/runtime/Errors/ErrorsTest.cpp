// The catalogue is complete and errors print as documented. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Errors/Errors.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace pavage::errors;

TEST(Catalogue, EveryEntryIsUsable) {
  ASSERT_FALSE(all().empty());
  std::set<std::string> names;
  unsigned last = 0;
  for (const Entry *entry : all()) {
    EXPECT_GT(entry->number, last);
    last = entry->number;
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name;
    std::string summary = entry->summary, explanation = entry->explanation;
    EXPECT_FALSE(summary.empty());
    EXPECT_LE(summary.size(), 100u) << entry->name;
    EXPECT_NE(summary.back(), '.') << entry->name;
    EXPECT_EQ(summary.find('\n'), std::string::npos) << entry->name;
    EXPECT_GT(explanation.size(), 25u) << entry->name << " needs an explanation";
    EXPECT_EQ(find(entry->number), entry);
  }
}

TEST(Catalogue, LooksUpNumbers) {
  EXPECT_EQ(find(0), nullptr);
  EXPECT_EQ(find(1000), nullptr);
  ASSERT_NE(find(304), nullptr);
  EXPECT_STREQ(find(304)->name, "BadGrid");
  EXPECT_EQ(static_cast<unsigned>(Code::BadGrid), 304u);
}

TEST(Catalogue, ReadsNumbersAsPeopleWriteThem) {
  EXPECT_EQ(parseNumber("PV0123"), 123u);
  EXPECT_EQ(parseNumber("pv123"), 123u);
  EXPECT_EQ(parseNumber("0123"), 123u);
  EXPECT_EQ(parseNumber("7"), 7u);
  for (const char *wrong : {"", "PV", "PV12345", "12a", "-3", "PVPV1", " 1"}) {
    EXPECT_FALSE(parseNumber(wrong)) << wrong;
  }
  EXPECT_EQ(formatNumber(7), "PV0007");
}

TEST(Error, EmptyIsSuccess) {
  EXPECT_FALSE(Error());
  EXPECT_FALSE(Error::success());
  EXPECT_TRUE(Error(Code::Internal, "x"));
}

TEST(Error, PrintsPositionLineAndCaret) {
  Error error = Error(Code::BadGrid, "expected 1, got 2", {"<stdin>", 7, 5}).withSourceLine("\tk = 3");
  EXPECT_EQ(error.render(), "<stdin>:7:5: error PV0304: expected 1, got 2\n"
                            "    \tk = 3\n"
                            "    \t   ^");
}

TEST(Error, CountsColumnsInBytesButPlacesTheCaretByCharacters) {
  Error error = Error(Code::BadGrid, "x", {"f", 1, 6}).withSourceLine("\xc3\xa9\xc3\xa9 = 1"); // two e-acute
  EXPECT_EQ(error.render(), "f:1:6: error PV0304: x\n    \xc3\xa9\xc3\xa9 = 1\n       ^");
}

TEST(Error, PrintsWhatIsKnownOnly) {
  EXPECT_EQ(Error(Code::Internal, "x").render(), "error PV0900: x");
  EXPECT_EQ(Error(Code::Internal, "x", {"f", 0, 0}).render(), "f: error PV0900: x");
  EXPECT_EQ(Error(Code::Internal, "x", {"/no/such/file", 3, 0}).render(), "/no/such/file:3: error PV0900: x");
}

TEST(Error, PrintsNotes) {
  Error error = Error(Code::Internal, "x").withNote("declared here", {"/no/such", 2, 1});
  EXPECT_EQ(error.render(), "error PV0900: x\n/no/such:2:1: note: declared here");
}

TEST(Error, ReadsTheLineFromTheFile) {
  std::string path = testing::TempDir() + "pavage-errors-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << "first\r\nsecond line\nlast";
  EXPECT_EQ(readSourceLine(path, 1), "first");
  EXPECT_EQ(readSourceLine(path, 2), "second line");
  EXPECT_EQ(readSourceLine(path, 3), "last");
  EXPECT_FALSE(readSourceLine(path, 0));
  EXPECT_FALSE(readSourceLine(path, 4));
  EXPECT_FALSE(readSourceLine("/no/such/file", 1));
  EXPECT_EQ(Error(Code::Internal, "x", {path, 2, 8}).render(),
            path + ":2:8: error PV0900: x\n    second line\n           ^");
  EXPECT_EQ(Error(Code::Internal, "x", {path, 2, 800}).render(),
            path + ":2:800: error PV0900: x\n    second line\n               ^");
  std::remove(path.c_str());
}

TEST(Result, HoldsValueOrError) {
  Result<int> good = 3;
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  Result<int> bad = Error(Code::Internal, "no");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().number(), 900u);
  EXPECT_EQ(bad.takeError().text(), "no");
}

// The JSON of tuning files. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/Json.h"

#include <gtest/gtest.h>

#include <random>

using namespace pavage::tune;

TEST(Json, ReadsValues) {
  auto json = parseJson(R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "x"}, "d": {}, "e": []} )");
  ASSERT_TRUE(json);
  const Json *a = json->find("a");
  ASSERT_TRUE(a && a->list.size() == 5);
  EXPECT_EQ(a->list[1].number, -2500);
  EXPECT_TRUE(a->list[2].flag);
  EXPECT_EQ(a->list[4].kind, Json::Kind::Null);
  EXPECT_EQ(json->find("b")->textAt("c", "none"), "x");
  EXPECT_EQ(json->find("b")->textAt("z", "none"), "none");
  EXPECT_EQ(json->find("b")->numberAt("c", 7), 7) << "a text is no number";
  EXPECT_EQ(json->find("q"), nullptr);
}

TEST(Json, ReadsEscapes) {
  auto json = parseJson(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00")");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->text, "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(Json, RefusesWhatIsNone) {
  for (const char *wrong : {"",    "{",   "[1,",   "[1,]",        "{\"a\"}",   "{\"a\":}",    "{a: 1}",
                            "tru", "1 2", "\"x",   "\"\\q\"",     "\"\\u12\"", "\"\\ud800\"", "nan",
                            "inf", ".5",  "1e999", "{\"a\": 1,}", "\"\n\"",    "<<<<<<< HEAD"}) {
    EXPECT_FALSE(parseJson(wrong)) << wrong;
  }
  EXPECT_FALSE(parseJson(std::string(100000, '['))) << "depth must not end the stack";
  unsigned line = 0;
  EXPECT_FALSE(parseJson("{\n\"a\": 1,\n<<<", &line));
  EXPECT_EQ(line, 3u);
}

TEST(Json, ComesBackAsWritten) {
  const std::string text = R"({
  "version": 1,
  "choices": {
    "a \"quoted\" \\ key\n": {
      "chosen": "x",
      "candidates": [
        { "label": "x", "ms": 0.25 },
        { "label": "\u0001", "error": 411 }
      ]
    },
    "empty": {}
  }
}
)";
  auto json = parseJson(text);
  ASSERT_TRUE(json);
  std::string written = writeJson(*json);
  auto again = parseJson(written);
  ASSERT_TRUE(again) << written;
  EXPECT_EQ(writeJson(*again), written);
  EXPECT_NE(written.find("\"ms\": 0.25"), std::string::npos);
  EXPECT_NE(written.find("\\u0001"), std::string::npos);
}

TEST(Json, SurvivesDamage) {
  std::mt19937 random(3);
  const std::string text = R"({"version": 1, "choices": {"k\u00e9y": {"chosen": "x", "candidates": [{"ms": 1.5}]}}})";
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int changes = 1 + static_cast<int>(random() % 3); changes != 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    damaged.resize(random() % 4 ? damaged.size() : random() % damaged.size());
    if (auto json = parseJson(damaged)) {
      ++accepted;
      std::string written = writeJson(*json);
      EXPECT_TRUE(parseJson(written)) << written;
    }
  }
  EXPECT_GT(accepted, 0);
}

// Artifacts survive the round trip, and reading survives any bytes. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Artifact/Artifact.h"

#include "runtime/Artifact/Sha256.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace pavage::artifact;
using pavage::errors::Code;

static Artifact sample() {
  Artifact artifact;
  artifact.kernel = "softmax";
  artifact.entry = "softmax_0";
  artifact.target = "cpu";
  artifact.cpuLevel = "avx512";
  artifact.sourceFile = "demo.py";
  artifact.sourceLine = 6;
  artifact.abiVersion = 1;
  artifact.scratchBytes = 4096;
  artifact.params = {{"out", Dtype::F32, true, false, true, 16}, {"n", Dtype::I32, false, false, false, 1}};
  artifact.sites = {{Site::Kind::Assert, "n > 0", Dtype::None, false, {}, {"demo.py", 7, 5}},
                    {Site::Kind::Print, "x", Dtype::BF16, true, {3, 5}, {"demo.py", 8, 9}}};
  artifact.ops = {{"tile.load", {"demo.py", 9, 11}, 0, false}, {"tile.atomic_rmw add", {"demo.py", 10, 5}, 128, true}};
  artifact.opLines = {{12, 0}, {15, 1}, {19, OpLine::noOp}};
  artifact.options = {{"num_warps", "4"}};
  artifact.facts = {{"num_warps", 4}, {"negative", -7}};
  artifact.sections = {{"obj", std::string("\0\1\2", 3)}, {"tile", "module {}\n"}, {"empty", ""}};
  return artifact;
}

/// The same bytes with a checksum and size that fit, so that damage reaches the parser.
static std::string seal(std::string bytes) {
  if (bytes.size() < 56) {
    return bytes;
  }
  Digest digest = sha256(std::string_view(bytes).substr(56));
  std::memcpy(bytes.data() + 24, digest.data(), digest.size());
  uint64_t size = bytes.size() - 56;
  std::memcpy(bytes.data() + 16, &size, 8);
  return bytes;
}

TEST(Artifact, RoundTrip) {
  std::string bytes = serialize(sample());
  auto read = deserialize(bytes);
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(*read, sample());
  EXPECT_EQ(serialize(*read), bytes);
  EXPECT_EQ(seal(bytes), bytes) << "the header is not where the tests think";

  auto empty = deserialize(serialize(Artifact()));
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, Artifact());
}

TEST(Artifact, FindsSectionsAndFacts) {
  Artifact artifact = sample();
  ASSERT_NE(artifact.section("tile"), nullptr);
  EXPECT_EQ(*artifact.section("tile"), "module {}\n");
  EXPECT_EQ(artifact.section("ptx"), nullptr);
  EXPECT_EQ(artifact.fact("num_warps", 1), 4);
  EXPECT_EQ(artifact.fact("num_stages", 2), 2);
}

TEST(Artifact, SaysWhatIsWrong) {
  std::string bytes = serialize(sample());
  EXPECT_TRUE(verify("").is(Code::NotAnArtifact));
  EXPECT_TRUE(verify("#!/bin/sh\nexit 1\n").is(Code::NotAnArtifact));
  EXPECT_TRUE(verify(bytes.substr(0, 20)).is(Code::ArtifactDamaged));
  EXPECT_TRUE(verify(bytes.substr(0, bytes.size() - 1)).is(Code::ArtifactDamaged));
  EXPECT_TRUE(verify(bytes + "x").is(Code::ArtifactDamaged));
  std::string other = bytes;
  other[8] = 99;
  EXPECT_TRUE(verify(other).is(Code::ArtifactVersion));
  EXPECT_FALSE(verify(bytes));
}

TEST(Artifact, OpLinesPointIntoTheTable) {
  Artifact artifact = sample();
  artifact.opLines.push_back({20, 2});
  EXPECT_FALSE(deserialize(serialize(artifact)));
}

TEST(Artifact, EveryChangedByteIsSeen) {
  const std::string bytes = serialize(sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    EXPECT_FALSE(deserialize(damaged)) << "byte " << i;
  }
}

TEST(Artifact, EveryTruncationIsSeen) {
  const std::string bytes = serialize(sample());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(deserialize(bytes.substr(0, length))) << length;
    if (length >= 56) {
      EXPECT_FALSE(deserialize(seal(bytes.substr(0, length)))) << length << ", with a fitting checksum";
    }
  }
}

TEST(Artifact, ParserSurvivesRandomDamageBehindAFittingChecksum) {
  std::mt19937_64 random(42);
  const std::string bytes = serialize(sample());
  int accepted = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string damaged = bytes;
    int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      size_t at = 56 + random() % (damaged.size() - 56);
      switch (random() % 4) {
      case 0:
        damaged[at] = static_cast<char>(random());
        break;
      case 1: // a huge or negative count
        std::memset(damaged.data() + at, random() % 2 ? 0xff : 0x7f, std::min<size_t>(8, damaged.size() - at));
        break;
      case 2:
        damaged.erase(at, random() % 9);
        break;
      default:
        damaged.insert(at, std::string(random() % 9, static_cast<char>(random())));
      }
    }
    if (auto read = deserialize(seal(damaged))) {
      ++accepted;
      EXPECT_EQ(serialize(*read), seal(damaged)) << "two byte strings mean the same artifact";
    }
  }
  EXPECT_GT(accepted, 0) << "no mutation reached the parser's end: the test tests nothing";
}

TEST(Artifact, ParserSurvivesRandomBytes) {
  std::mt19937_64 random(7);
  const std::string header = serialize(sample()).substr(0, 56);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = header;
    for (size_t length = random() % 200; length != 0; --length) {
      bytes.push_back(static_cast<char>(random() % 3 ? 0 : random()));
    }
    auto read = deserialize(seal(bytes));
    if (!read) {
      EXPECT_TRUE(read.error().is(Code::ArtifactDamaged));
    }
  }
}

TEST(Dtype, NamesAndSizes) {
  for (unsigned i = 0; i < dtypeCount; ++i) {
    Dtype dtype = static_cast<Dtype>(i);
    EXPECT_EQ(parseDtype(dtypeName(dtype)), dtype);
  }
  EXPECT_FALSE(parseDtype("f32"));
  EXPECT_EQ(dtypeSize(Dtype::BF16), 2u);
  EXPECT_EQ(dtypeSize(Dtype::I1), 1u);
  EXPECT_EQ(dtypeSize(Dtype::Pointer), 8u);
}

TEST(Dtype, DecodesSmallFloats) {
  auto f16 = [](uint16_t bits) { return loadFloat(Dtype::F16, &bits); };
  auto e4m3 = [](uint8_t bits) { return loadFloat(Dtype::F8E4M3, &bits); };
  auto e5m2 = [](uint8_t bits) { return loadFloat(Dtype::F8E5M2, &bits); };
  EXPECT_EQ(f16(0x3c00), 1.0);
  EXPECT_EQ(f16(0xc000), -2.0);
  EXPECT_EQ(f16(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(f16(0x7bff), 65504.0);
  EXPECT_TRUE(std::isinf(f16(0x7c00)));
  EXPECT_TRUE(std::isnan(f16(0x7e00)));
  EXPECT_EQ(e4m3(0x7e), 448.0);
  EXPECT_TRUE(std::isnan(e4m3(0x7f)));
  EXPECT_TRUE(std::isnan(e4m3(0xff)));
  EXPECT_EQ(e4m3(0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(e4m3(0x78), 256.0) << "the top exponent holds numbers";
  EXPECT_EQ(e5m2(0x7b), 57344.0);
  EXPECT_TRUE(std::isinf(e5m2(0x7c)));
  EXPECT_TRUE(std::isnan(e5m2(0x7d)));
  EXPECT_TRUE(std::signbit(e5m2(0x80)));
}

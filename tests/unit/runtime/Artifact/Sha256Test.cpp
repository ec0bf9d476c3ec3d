// SHA-256 against published values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/Sha256.h"

#include <gtest/gtest.h>

using namespace pavage::artifact;

// From FIPS 180-4's examples.
TEST(Sha256, PublishedValues) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesEqualTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text.push_back(static_cast<char>(i * 7));
  }
  for (size_t length = 0; length < text.size(); ++length) {
    for (size_t cut : {size_t(0), size_t(1), length / 3, length}) {
      Sha256 hash;
      hash.update(std::string_view(text).substr(0, std::min(cut, length)));
      hash.update(std::string_view(text).substr(std::min(cut, length), length - std::min(cut, length)));
      EXPECT_EQ(hash.finish(), sha256(std::string_view(text).substr(0, length))) << length;
    }
  }
}

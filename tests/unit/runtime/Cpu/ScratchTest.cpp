// Scratch arenas: aligned, guarded, refused when senseless. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/Scratch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

using namespace pavage::cpu;
using pavage::errors::Code;

TEST(Scratch, IsAlignedAndUsable) {
  for (uint64_t bytes : {1, 63, 64, 65, 4096, 5000, 1 << 20, 3 << 20, 100}) {
    auto memory = scratch(bytes);
    ASSERT_TRUE(memory);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
    std::memset(*memory, 1, bytes);
  }
  EXPECT_TRUE(scratch(0));
}

TEST(Scratch, EachThreadHasItsOwn) {
  auto mine = scratch(100);
  void *other = nullptr;
  std::thread([&] { other = *scratch(100); }).join();
  EXPECT_NE(*mine, other);
}

TEST(Scratch, EndsAtAGuard) {
  auto memory = scratch(640);
  ASSERT_TRUE(memory);
  volatile char *bytes = static_cast<char *>(*memory);
  bytes[639] = 1;
  EXPECT_DEATH(bytes[640] = 1, "");
}

TEST(Scratch, HugeSizesAreErrors) {
  EXPECT_TRUE(scratch(~0ull).error().is(Code::ScratchTooLarge));
  EXPECT_TRUE(scratch(1ull << 62).error().is(Code::ScratchTooLarge));
  EXPECT_TRUE(checkScratch(1ull << 50, 1).is(Code::ScratchTooLarge));
  EXPECT_TRUE(checkScratch(1ull << 34, 1024).is(Code::ScratchTooLarge));
  EXPECT_FALSE(checkScratch(1 << 20, 4));
  EXPECT_TRUE(scratch(64)) << "a refusal must not spoil the arena";
}

TEST(Scratch, LargeArenasAreGivenBack) {
  ASSERT_TRUE(scratch(200ull << 20));
  releaseLargeScratch();
  auto memory = scratch(100);
  ASSERT_TRUE(memory);
  std::memset(*memory, 1, 100);
}

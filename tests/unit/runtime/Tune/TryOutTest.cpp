// Runs that crash, hang, or change what they must not. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/TryOut.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace pavage;
using namespace pavage::tune;

namespace {
std::string textOf(TryOut request) { return tryOut(request).text(); }
} // namespace

TEST(TryOut, ForgetsWhatTheRunDid) {
  int value = 1;
  EXPECT_FALSE(tryOut({.run = [&] { value = 2; }}));
  EXPECT_EQ(value, 1);
  EXPECT_FALSE(tryOut({.run = [] { throw 3; }})) << "it will be thrown again, where somebody hears it";
}

TEST(TryOut, SaysWhatEndedIt) {
  for (auto [signal, name] : {std::pair(SIGSEGV, "SEGV"), std::pair(SIGFPE, "FPE"), std::pair(SIGABRT, "ABRT")}) {
    EXPECT_EQ(textOf({.run = [signal = signal] { raise(signal); }}),
              std::string("expected a candidate that runs, got one that was ended by SIG") + name);
  }
}

TEST(TryOut, EndsWhatHangs) {
  EXPECT_EQ(textOf({.run =
                        [] {
                          for (;;) {
                            pause();
                          }
                        },
                    .seconds = 0.1}),
            "expected a candidate that ends, got one that ran for more than 0.1 s");
}

TEST(TryOut, StopsWhenAsked) {
  int polls = 0;
  auto error = tryOut({.run =
                           [] {
                             for (;;) {
                               pause();
                             }
                           },
                       .poll = [&] { return ++polls == 3; }});
  EXPECT_EQ(error.number(), 311u);
}

TEST(TryOut, IsLeftOutWhereNoCopyCanBeMade) {
  EXPECT_FALSE(tryOut({.run = [] { FAIL(); }, .fork = [] { return pid_t(-1); }}));
}

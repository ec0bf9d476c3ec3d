// Nesting, interruption, output handlers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/Output.h"
#include "runtime/Core/SigintGuard.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

using namespace pavage::core;
using pavage::errors::Code;

TEST(LaunchScope, Nesting) {
  {
    LaunchScope outer;
    EXPECT_FALSE(outer.error());
    LaunchScope inner;
    EXPECT_TRUE(inner.error().is(Code::NestedLaunch));
    std::thread([] {
      LaunchScope other;
      EXPECT_FALSE(other.error()) << "another thread may launch";
    }).join();
  }
  LaunchScope again;
  EXPECT_FALSE(again.error());
}

TEST(LaunchScope, WorkersCannotLaunch) {
  std::thread([] {
    WorkerScope worker;
    LaunchScope scope;
    EXPECT_TRUE(scope.error().is(Code::NestedLaunch));
  }).join();
}

TEST(LaunchScope, InterruptReachesRunningLaunchesOnly) {
  ThreadControl *self = threadControl();
  interrupt(self);
  {
    LaunchScope scope;
    EXPECT_EQ(*cancelWord(*self), runOn);
    interrupt(self);
    EXPECT_EQ(*cancelWord(*self), userStop);
  }
  LaunchScope scope;
  EXPECT_EQ(*cancelWord(*self), runOn) << "each launch starts afresh";
  self->cancel = errorStop;
  interrupt(nullptr);
  EXPECT_EQ(*cancelWord(*self), errorStop) << "an error is not to become an interruption";
}

TEST(LaunchScope, InterruptFromASignalHandler) {
  static ThreadControl *self = threadControl();
  std::signal(SIGUSR1, [](int) { interrupt(self); });
  LaunchScope scope;
  std::raise(SIGUSR1);
  EXPECT_EQ(*cancelWord(*self), userStop);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(LaunchScope, ControlBlocksAreUsedAgain) {
  ThreadControl *first = nullptr, *second = nullptr;
  std::thread([&] { first = threadControl(); }).join();
  std::thread([&] { second = threadControl(); }).join();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, threadControl());
}

TEST(Output, GoesToTheHandler) {
  std::string text;
  auto append = [](void *context, const char *bytes, size_t size) {
    static_cast<std::string *>(context)->append(bytes, size);
  };
  setOutputHandler(Output::Print, append, &text);
  write(Output::Print, "a\n");
  write(Output::Print, "b\n");
  setOutputHandler(Output::Print, nullptr, nullptr);
  EXPECT_EQ(text, "a\nb\n");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  write(Output::Print, "c\n");
  write(Output::Notice, "d\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "c\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "d\n");
}

TEST(Output, OneCallAtATime) {
  struct State {
    int inside = 0, calls = 0;
  } state;
  setOutputHandler(
      Output::Print,
      [](void *context, const char *, size_t) {
        auto &state = *static_cast<State *>(context);
        EXPECT_EQ(++state.inside, 1);
        std::this_thread::yield();
        --state.inside;
        ++state.calls;
      },
      &state);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 100; ++round) {
        write(Output::Print, "x\n");
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  setOutputHandler(Output::Print, nullptr, nullptr);
  EXPECT_EQ(state.calls, 400);
}

//===----------------------------------------------------------------------===//
// SigintGuard
//===----------------------------------------------------------------------===//

static volatile int handled = 0;
static void countSignal(int) { handled = handled + 1; }
static void countSignalWithInfo(int, siginfo_t *info, void *) { handled = handled + (info ? 10 : 1000); }

TEST(SigintGuard, StopsTheLaunchThenPassesOn) {
  std::signal(SIGINT, countSignal);
  handled = 0;
  {
    LaunchScope scope;
    SigintGuard guard(true);
    EXPECT_EQ(*cancelWord(*threadControl()), runOn);
    std::raise(SIGINT);
    EXPECT_EQ(*cancelWord(*threadControl()), userStop);
    EXPECT_EQ(handled, 1);
  }
  std::raise(SIGINT);
  EXPECT_EQ(handled, 2) << "the handler is back in its place";
  struct sigaction action = {};
  action.sa_sigaction = countSignalWithInfo;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &action, nullptr);
  handled = 0;
  {
    LaunchScope scope;
    SigintGuard guard(true);
    std::raise(SIGINT);
    EXPECT_EQ(handled, 10);
    std::signal(SIGINT, countSignal); // by a callback, say
  }
  handled = 0;
  std::raise(SIGINT);
  EXPECT_EQ(handled, 1) << "the newer handler stays";
  std::signal(SIGINT, SIG_DFL);
}

TEST(SigintGuard, LeavesAloneWhatIsNotItsOwn) {
  struct sigaction found;
  for (auto *handler : {SIG_DFL, SIG_IGN}) {
    std::signal(SIGINT, handler);
    LaunchScope scope;
    SigintGuard guard(true);
    sigaction(SIGINT, nullptr, &found);
    EXPECT_EQ(found.sa_handler, handler);
  }
  std::signal(SIGINT, countSignal);
  {
    LaunchScope scope;
    SigintGuard guard(false);
    sigaction(SIGINT, nullptr, &found);
    EXPECT_EQ(found.sa_handler, countSignal);
  }
  std::thread([&] {
    LaunchScope scope;
    SigintGuard guard(true);
    sigaction(SIGINT, nullptr, &found);
    EXPECT_EQ(found.sa_handler, countSignal) << "not the first thread";
  }).join();
  std::signal(SIGINT, SIG_DFL);
}

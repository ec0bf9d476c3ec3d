// The race, on a clock of its own: the same result each time. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/Measure.h"

#include <gtest/gtest.h>

using namespace pavage;
using namespace pavage::tune;
using errors::Code;
using errors::Error;

namespace {
/// Candidates whose runs take given times on a simulated clock.
struct Simulation {
  explicit Simulation(std::vector<std::vector<double>> times) : times(std::move(times)), runs(this->times.size(), 0) {
    contest.candidates = static_cast<uint32_t>(this->times.size());
    contest.clock = [this] { return now; };
    contest.run = [this](uint32_t i) {
      const std::vector<double> &mine = this->times[i];
      now += mine[static_cast<size_t>(runs[i]++) % mine.size()];
      return Error::success();
    };
  }
  errors::Result<Standing> race() { return measure(contest, labels); }

  std::vector<std::vector<double>> times; ///< per candidate, repeated
  std::vector<int> runs;
  std::vector<std::string> labels = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  double now = 1000;
  Contest contest;
};
} // namespace

TEST(Median, OddAndEven) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Measure, FastestWins) {
  Simulation simulation({{3}, {1}, {2}});
  auto standing = simulation.race();
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->winner, 1u);
  EXPECT_DOUBLE_EQ(standing->candidates[0].median, 3);
  EXPECT_DOUBLE_EQ(standing->candidates[1].least, 1);
  EXPECT_GE(standing->candidates[1].runs, 3u);
}

TEST(Measure, MedianBeatsOneLuckyRun) {
  Simulation simulation({{2, 2, 2, 2, 2}, {4, 1, 4, 4, 4}});
  EXPECT_EQ(simulation.race()->winner, 0u);
}

TEST(Measure, OfEqualsTheFirst) {
  EXPECT_EQ(Simulation({{1.005}, {1.0}, {1.0}}).race()->winner, 0u);
  EXPECT_EQ(Simulation({{1.1}, {1.0}, {1.0}}).race()->winner, 1u);
}

TEST(Measure, HopelessOnesAreNotRunAgain) {
  Simulation simulation({{1}, {1000}});
  ASSERT_TRUE(simulation.race());
  EXPECT_LE(simulation.runs[1], 3) << "proof, warm-up, one timed run";
  EXPECT_GT(simulation.runs[0], 10);
}

TEST(Measure, StopsWithinItsBudget) {
  Simulation simulation({{0.5}, {0.55}});
  double before = simulation.now;
  ASSERT_TRUE(simulation.race());
  EXPECT_LT(simulation.now - before, 2 * (5 + 20) + 5);
}

TEST(Measure, ShortRunsAreTimedTogether) {
  Simulation simulation({{0.001}, {0.0011}});
  auto standing = simulation.race();
  EXPECT_NEAR(standing->candidates[0].median, 0.001, 1e-9);
  EXPECT_GT(simulation.runs[0], 10 * static_cast<int>(standing->candidates[0].runs));
  Simulation withReset({{0.001}});
  int resets = 0;
  withReset.contest.reset = [&](uint32_t) {
    ++resets;
    return Error::success();
  };
  ASSERT_TRUE(withReset.race());
  EXPECT_EQ(resets, withReset.runs[0]) << "each run after a reset";
}

TEST(Measure, ZeroTimesDoNotHang) {
  Simulation simulation({{0}, {0}});
  auto standing = simulation.race();
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->winner, 0u);
}

TEST(Measure, RefusesTheBroken) {
  Simulation simulation({{1}, {0.1}, {0.2}, {0.3}, {5}});
  simulation.contest.prepare = [](uint32_t i) {
    return i == 1 ? Error(Code::CompileFailed, "does not compile") : Error::success();
  };
  simulation.contest.check = [](uint32_t i) {
    return i == 2 ? Error(Code::TuningNoCandidate, "wrong result") : Error::success();
  };
  auto run = simulation.contest.run;
  simulation.contest.run = [&](uint32_t i) {
    // Fails only after having been proven.
    return i == 3 && simulation.runs[3] > 5 ? Error(Code::OutOfBounds, "out of bounds") : run(i);
  };
  auto standing = simulation.race();
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->winner, 0u);
  EXPECT_TRUE(standing->candidates[1].refusal.is(Code::CompileFailed));
  EXPECT_TRUE(standing->candidates[2].refusal.is(Code::TuningNoCandidate));
  EXPECT_TRUE(standing->candidates[3].refusal.is(Code::OutOfBounds));
  EXPECT_FALSE(standing->candidates[4].refusal);
  EXPECT_EQ(simulation.runs[1], 0);
  EXPECT_EQ(simulation.runs[2], 1);
}

TEST(Measure, AllBrokenIsAnErrorWithReasons) {
  Simulation simulation({{1}, {1}});
  simulation.contest.check = [](uint32_t i) {
    return Error(Code::TuningNoCandidate, "wrong result " + std::to_string(i));
  };
  auto standing = simulation.race();
  ASSERT_FALSE(standing);
  EXPECT_EQ(standing.error().text(), "expected a candidate that works, got none of 2; a: PV0411 wrong result 0; b: "
                                     "PV0411 wrong result 1");
}

TEST(Measure, InterruptionEndsEverything) {
  Simulation simulation({{1}, {1}});
  simulation.contest.run = [](uint32_t i) {
    return i == 1 ? Error(Code::Interrupted, "interrupted") : Error::success();
  };
  EXPECT_TRUE(simulation.race().error().is(Code::Interrupted));
}

TEST(Measure, AllAreTriedOutBeforeAnyRuns) {
  Simulation simulation({{3}, {1}, {2}});
  std::vector<double> limits;
  simulation.contest.tryOutSeconds = 50;
  simulation.contest.tryOut = [&](uint32_t i, double seconds) -> Error {
    EXPECT_EQ(simulation.runs, (std::vector<int>{0, 0, 0}));
    limits.push_back(seconds);
    simulation.now += 100; // milliseconds
    return i == 1 ? Error(Code::CandidateCrashed, "boom") : Error::success();
  };
  auto standing = simulation.race();
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->winner, 2u);
  EXPECT_EQ(standing->candidates[1].refusal.number(), 413u);
  EXPECT_EQ(simulation.runs[1], 0);
  EXPECT_EQ(limits, (std::vector<double>{50, 2, 2})) << "20 times the fastest";
}

// Stored choices: modes, files, damage, several processes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/Tuner.h"

#include "runtime/Core/Output.h"
#include "runtime/Tune/TuningFile.h"
#include "tests/unit/runtime/Cache/TestFolder.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>

using namespace pavage;
using namespace pavage::tune;
using errors::Code;
using errors::Error;
namespace fs = std::filesystem;

namespace {
class TunerTest : public TestFolder {
protected:
  void SetUp() override {
    TestFolder::SetUp();
    file = root / "tuning.json";
    setenv("PAVAGE_TUNING_FILE", file.c_str(), 1);
    unsetenv("PAVAGE_TUNING");
    core::setOutputHandler(
        core::Output::Notice,
        [](void *to, const char *text, size_t size) { static_cast<std::string *>(to)->append(text, size); }, &notices);
  }
  void TearDown() override {
    core::setOutputHandler(core::Output::Notice, nullptr, nullptr);
    unsetenv("PAVAGE_TUNING_FILE");
    unsetenv("PAVAGE_TUNING");
    TestFolder::TearDown();
  }

  /// Candidates labelled so, of which the i-th takes times[i]; counts runs.
  errors::Result<Outcome> choose(const std::string &key, std::vector<std::string> labels, std::vector<double> times) {
    Request request;
    // Choices are also kept in the process: a key of this test only.
    request.key = root.string() + key;
    request.labels = std::move(labels);
    request.contest.clock = [this] { return now; };
    request.contest.run = [this, times](uint32_t i) {
      ++runs;
      now += times[i];
      return Error::success();
    };
    return tune::tune(std::move(request));
  }

  fs::path file;
  std::string notices;
  double now = 0;
  int runs = 0;
};
} // namespace

TEST_F(TunerTest, MeasuresOnceAndKeeps) {
  auto first = choose("k", {"a", "b"}, {2, 1});
  ASSERT_TRUE(first) << first.error().render();
  EXPECT_EQ(first->choice, 1u);
  EXPECT_FALSE(first->isStored);
  EXPECT_GT(runs, 0);
  runs = 0;
  auto second = choose("k", {"a", "b"}, {1, 2}); // now the other would win
  EXPECT_EQ(second->choice, 1u);
  EXPECT_TRUE(second->isStored);
  EXPECT_EQ(runs, 0);
  EXPECT_DOUBLE_EQ(second->candidates[0].median, 2);
  auto reordered = choose("k", {"b", "a"}, {1, 2});
  EXPECT_EQ(reordered->choice, 0u) << "labels count, not places";
  EXPECT_EQ(runs, 0);
}

TEST_F(TunerTest, OtherKeysAndOtherCandidatesAreMeasured) {
  ASSERT_TRUE(choose("k", {"a", "b"}, {2, 1}));
  runs = 0;
  EXPECT_EQ(choose("l", {"a", "b"}, {1, 2})->choice, 0u);
  EXPECT_GT(runs, 0);
  runs = 0;
  EXPECT_EQ(choose("k", {"a", "b", "c"}, {3, 2, 1})->choice, 2u);
  EXPECT_GT(runs, 0);
  runs = 0;
  EXPECT_EQ(choose("k", {"a"}, {1})->choice, 0u);
  EXPECT_GT(runs, 0);
}

TEST_F(TunerTest, OffTakesTheFirst) {
  setenv("PAVAGE_TUNING", "off", 1);
  auto outcome = choose("k", {"a", "b"}, {2, 1});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->choice, 0u);
  EXPECT_EQ(runs, 0);
  EXPECT_FALSE(fs::exists(file));
  setenv("PAVAGE_TUNING", "maybe", 1);
  EXPECT_TRUE(choose("k", {"a"}, {1}).error().is(Code::BadEnvironment));
}

TEST_F(TunerTest, FrozenTakesWhatIsThere) {
  setenv("PAVAGE_TUNING", "frozen", 1);
  auto missing = choose("k", {"a", "b"}, {2, 1});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().is(Code::TuningFrozen));
  EXPECT_NE(missing.error().text().find(file.string()), std::string::npos);
  EXPECT_EQ(runs, 0);
  unsetenv("PAVAGE_TUNING");
  ASSERT_TRUE(choose("k", {"a", "b"}, {2, 1}));
  setenv("PAVAGE_TUNING", "frozen", 1);
  runs = 0;
  EXPECT_EQ(choose("k", {"a", "b"}, {1, 2})->choice, 1u);
  EXPECT_EQ(choose("k", {"a", "b", "c"}, {1, 2, 3})->choice, 1u) << "the chosen one is still a candidate";
  EXPECT_TRUE(choose("k", {"a", "c"}, {1, 2}).error().is(Code::TuningFrozen));
  EXPECT_EQ(runs, 0);
  spill(file, "rubbish");
  EXPECT_TRUE(choose("k", {"a", "b"}, {1, 2}).error().is(Code::TuningFileUnusable));
}

TEST_F(TunerTest, NoCandidatesIsAnError) { EXPECT_TRUE(choose("k", {}, {}).error().is(Code::TuningNoCandidate)); }

TEST_F(TunerTest, WithoutAFileTheProcessRemembers) {
  unsetenv("PAVAGE_TUNING_FILE");
  EXPECT_EQ(choose("k", {"a", "b"}, {2, 1})->choice, 1u);
  runs = 0;
  EXPECT_EQ(choose("k", {"a", "b"}, {1, 2})->choice, 1u);
  EXPECT_EQ(runs, 0);
}

TEST_F(TunerTest, DamagedFilesAreSetAside) {
  for (const char *damage : {"<<<<<<< HEAD\n{}", "{}", "[]", "{\"version\": 2, \"choices\": {}}", "{\"version\": 1}",
                             "{\"version\": 1, \"choices\": []}"}) {
    notices.clear();
    file = root / (std::to_string(fs::hash_value(damage)) + ".json"); // a complaint comes once per file
    setenv("PAVAGE_TUNING_FILE", file.c_str(), 1);
    spill(file, damage);
    EXPECT_EQ(choose(std::string("k") + damage, {"a", "b"}, {2, 1})->choice, 1u);
    EXPECT_NE(notices.find("warning PV0412: "), std::string::npos) << damage;
    EXPECT_EQ(slurp(file.string() + ".damaged"), damage);
    EXPECT_TRUE(*TuningFile(file).find(root.string() + "k" + damage));
  }
}

TEST_F(TunerTest, OddChoicesInTheFileAreMeasuredAgain) {
  for (const char *value : {"3", "{}", "{\"chosen\": \"z\"}", "{\"chosen\": \"a\", \"candidates\": 5}",
                            "{\"chosen\": \"a\", \"candidates\": [{\"label\": 1, \"runs\": -1e300}]}"}) {
    std::string key = std::string("odd") + value, escaped;
    for (char c : root.string() + key) {
      escaped += c == '"' ? "\\\"" : std::string(1, c);
    }
    spill(file, "{\"version\": 1, \"choices\": {\"" + escaped + "\": " + value + "}}");
    runs = 0;
    EXPECT_EQ(choose(key, {"a", "b"}, {2, 1})->choice, 1u) << value;
    EXPECT_GT(runs, 0) << value;
  }
}

TEST_F(TunerTest, UnwritableFileCostsANotice) {
  setenv("PAVAGE_TUNING_FILE", (root / "no" / "folder" / "t.json").c_str(), 1);
  EXPECT_EQ(choose("k", {"a", "b"}, {2, 1})->choice, 1u);
  EXPECT_NE(notices.find("warning PV0412: expected a usable tuning file"), std::string::npos) << notices;
  fs::create_directory(root / "dir");
  setenv("PAVAGE_TUNING_FILE", (root / "dir").c_str(), 1);
  EXPECT_EQ(choose("l", {"a", "b"}, {2, 1})->choice, 1u);
}

TEST_F(TunerTest, RefusalsAreKept) {
  TuningFile stored(file);
  ASSERT_FALSE(stored.store("k", {"a", {{"a", 0.5, 0.25, 7, 0}, {"b", 0, 0, 0, 411}}}));
  auto found = stored.find("k");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->chosen, "a");
  ASSERT_EQ((*found)->candidates.size(), 2u);
  EXPECT_EQ((*found)->candidates[0].milliseconds, 0.5);
  EXPECT_EQ((*found)->candidates[0].least, 0.25);
  EXPECT_EQ((*found)->candidates[0].runs, 7u);
  EXPECT_EQ((*found)->candidates[1].error, 411u);
  EXPECT_FALSE(*stored.find("l"));
}

TEST_F(TunerTest, LinksStayLinks) {
  fs::create_directory(root / "repository");
  spill(root / "repository" / "real.json", "");
  fs::create_symlink(root / "repository" / "real.json", file);
  ASSERT_FALSE(TuningFile(file).store("k", {"a", {{"a", 1, 1, 1, 0}}}));
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_TRUE(*TuningFile(root / "repository" / "real.json").find("k"));
}

TEST_F(TunerTest, ProcessesAddUpAndMayBeKilled) {
  constexpr int processes = 12, keys = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < processes + 4; ++i) {
    pid_t child = fork();
    if (child == 0) {
      bool isVictim = i >= processes;
      for (int key = 0; key < keys || isVictim; ++key) {
        std::string name = isVictim ? "victim" : std::to_string(i) + "." + std::to_string(key);
        if (TuningFile(file).store(name, {"a", {{"a", 1, 1, 1, 0}}})) {
          _exit(1);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  usleep(5000);
  for (int i = processes; i < processes + 4; ++i) {
    kill(children[i], SIGKILL);
  }
  for (int i = 0; i < processes + 4; ++i) {
    int status = -1;
    waitpid(children[i], &status, 0);
    if (i < processes) {
      EXPECT_EQ(status, 0);
    }
  }
  for (int i = 0; i < processes; ++i) {
    for (int key = 0; key < keys; ++key) {
      auto found = TuningFile(file).find(std::to_string(i) + "." + std::to_string(key));
      EXPECT_TRUE(found && *found) << i << "." << key << " was lost";
    }
  }
  EXPECT_LE(files(root, ".tmp").size(), 1u);
}

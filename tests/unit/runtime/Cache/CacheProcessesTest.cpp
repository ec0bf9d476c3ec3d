// The cache under many processes, some of them killed. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cache/Cache.h"

#include "tests/unit/runtime/Cache/TestFolder.h"

#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace pavage;
using cache::Cache;

using CacheProcesses = TestFolder;

static constexpr int keyCount = 20;

/// What belongs to a key: its name in the artifact and a size of its own, so that a mix-up shows.
static std::string bytesOf(int key) { return artifactBytes("kernel" + std::to_string(key), 20000 + key * 3000); }

/// Loads and stores until `rounds` are over; returns 0 when every found artifact was the right one.
static int churn(const std::string &folder, uint64_t limit, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  Cache cache(folder, limit);
  for (int round = 0; round < rounds; ++round) {
    int key = static_cast<int>(random() % keyCount);
    auto found = cache.load(keyOf(std::to_string(key)));
    if (!found) {
      return 2;
    }
    if (*found && (*found)->bytes != bytesOf(key)) {
      return 3;
    }
    if (!*found || random() % 4 == 0) {
      if (cache.store(keyOf(std::to_string(key)), bytesOf(key))) {
        return 4;
      }
    }
  }
  return 0;
}

TEST_F(CacheProcesses, SixteenAtOnce) {
  for (uint64_t limit : {uint64_t(1) << 30, uint64_t(300000)}) { // the second makes them evict each other's entries
    std::vector<pid_t> children;
    for (int i = 0; i < 16; ++i) {
      pid_t child = fork();
      if (child == 0) {
        _exit(churn(root, limit, 100 + i, 150));
      }
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = -1;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    EXPECT_TRUE(files(root, ".tmp").empty());
    auto all = Cache(root, limit).verify();
    ASSERT_TRUE(all);
    EXPECT_EQ(all->removed, 0u);
    EXPECT_GT(all->good, 0u);
  }
}

TEST_F(CacheProcesses, KilledAtAnyPoint) {
  std::mt19937 random(1);
  for (int wave = 0; wave < 8; ++wave) {
    std::vector<pid_t> children;
    for (int i = 0; i < 16; ++i) {
      pid_t child = fork();
      if (child == 0) {
        _exit(churn(root, uint64_t(1) << 30, wave * 100 + i, i < 8 ? 1000000 : 30));
      }
      children.push_back(child);
    }
    usleep(20000 + random() % 30000);
    for (int i = 0; i < 8; ++i) {
      kill(children[i], SIGKILL);
    }
    for (int i = 0; i < 16; ++i) {
      int status = -1;
      waitpid(children[i], &status, 0);
      if (i >= 8) {
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a killed process disturbed another: " << status;
      }
    }
  }
  // Every entry that is there is whole and right.
  Cache cache(root, uint64_t(1) << 30);
  for (int key = 0; key < keyCount; ++key) {
    auto found = cache.load(keyOf(std::to_string(key)));
    ASSERT_TRUE(found);
    if (*found) {
      EXPECT_EQ((*found)->bytes, bytesOf(key));
    }
  }
  // What the killed ones left goes with the first store of a later process, once it is old enough to be nobody's.
  auto left = files(root, ".tmp");
  for (const auto &file : left) {
    timespec past[2] = {{1000000000, 0}, {1000000000, 0}};
    utimensat(AT_FDCWD, file.c_str(), past, 0);
  }
  ASSERT_FALSE(Cache(root, uint64_t(1) << 30).store(keyOf("x"), artifactBytes("x")));
  EXPECT_TRUE(files(root, ".tmp").empty());
}

TEST_F(CacheProcesses, LivingWritersKeepTheirTemporaryFile) {
  // A process that holds the lock, as a slow writer does; its file is old.
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  std::string path = root / "123-0-0.tmp";
  pid_t child = fork();
  char byte = 'x';
  if (child == 0) {
    int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    flock(file, LOCK_EX);
    timespec past[2] = {{1000000000, 0}, {1000000000, 0}};
    futimens(file, past);
    (void)!write(ready[1], &byte, 1);
    (void)!read(done[0], &byte, 1);
    _exit(0);
  }
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_FALSE(Cache(root, 1 << 20).store(keyOf("x"), artifactBytes("x")));
  EXPECT_TRUE(std::filesystem::exists(path));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(Cache(root, 1 << 20).store(keyOf("x"), artifactBytes("x")));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CacheProcesses, SlowWritersAreNotCleanedAway) {
  // Stopped in the middle of writing, for longer than a file stays young.
  std::string large = artifactBytes("large", 64 << 20);
  pid_t child = fork();
  if (child == 0) {
    Cache cache(root, uint64_t(1) << 30);
    while (!cache.store(keyOf("large"), large)) {
    }
    _exit(1);
  }
  std::vector<std::filesystem::path> writing;
  for (int attempt = 0; attempt < 200 && writing.empty(); ++attempt) {
    usleep(3000);
    kill(child, SIGSTOP);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status)) << "a store failed";
    writing = files(root, ".tmp");
    if (!writing.empty() && std::filesystem::file_size(writing[0]) == 0) {
      writing.clear(); // perhaps not locked yet
    }
    if (writing.empty()) {
      kill(child, SIGCONT);
    }
  }
  ASSERT_EQ(writing.size(), 1u) << "never caught in the act";
  timespec past[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, writing[0].c_str(), past, 0), 0);
  ASSERT_FALSE(Cache(root, uint64_t(1) << 30).store(keyOf("x"), artifactBytes("x")));
  EXPECT_TRUE(std::filesystem::exists(writing[0]));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

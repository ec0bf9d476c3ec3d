// The cache in one process: entries, damage, limits, unsafe folders. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Cache/Cache.h"

#include "tests/unit/runtime/Cache/TestFolder.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>

using namespace pavage;
using cache::Cache;
using errors::Code;
namespace fs = std::filesystem;

using CacheTest = TestFolder;

TEST_F(CacheTest, StoresAndLoads) {
  Cache cache(root / "a" / "b", Cache::defaultLimit);
  auto missing = cache.load(keyOf("k"));
  ASSERT_TRUE(missing) << missing.error().render();
  EXPECT_FALSE(*missing);
  ASSERT_FALSE(cache.store(keyOf("k"), artifactBytes("softmax")));
  auto found = cache.load(keyOf("k"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->artifact.kernel, "softmax");
  EXPECT_EQ((*found)->bytes, artifactBytes("softmax"));
  ASSERT_FALSE(cache.store(keyOf("k"), artifactBytes("other"))) << "the last one wins";
  EXPECT_EQ((*cache.load(keyOf("k")))->artifact.kernel, "other");
  cache.remove(keyOf("k"));
  EXPECT_FALSE(*cache.load(keyOf("k")));
  struct stat facts;
  ASSERT_EQ(stat((root / "a" / "b").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0700u);
  EXPECT_TRUE(files(root / "a" / "b", ".tmp").empty());
}

TEST_F(CacheTest, FilesAreTheUsersOnly) {
  umask(0);
  Cache cache(root / "c", Cache::defaultLimit);
  ASSERT_FALSE(cache.store(keyOf("k"), artifactBytes("softmax")));
  umask(022);
  struct stat facts;
  ASSERT_EQ(stat(files(root / "c", ".pv").at(0).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0600u);
}

TEST_F(CacheTest, DamagedEntriesAreMissing) {
  Cache cache(root, Cache::defaultLimit);
  ASSERT_FALSE(cache.store(keyOf("k"), artifactBytes("softmax")));
  fs::path file = files(root, ".pv").at(0);
  const std::string good = slurp(file);
  for (size_t at = 0; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    spill(file, bad);
    auto found = cache.load(keyOf("k"));
    ASSERT_TRUE(found);
    ASSERT_FALSE(*found) << "byte " << at;
    ASSERT_FALSE(fs::exists(file)) << "a damaged entry must go";
  }
  for (size_t length : {size_t(0), size_t(10), size_t(40), good.size() - 1}) {
    spill(file, good.substr(0, length));
    EXPECT_FALSE(*cache.load(keyOf("k"))) << length;
  }
  spill(file, good);
  EXPECT_TRUE(*cache.load(keyOf("k")));
}

TEST_F(CacheTest, RenamedEntriesAreMissing) {
  Cache cache(root, Cache::defaultLimit);
  ASSERT_FALSE(cache.store(keyOf("a"), artifactBytes("a")));
  fs::rename(root / (artifact::hex(keyOf("a")) + ".pv"), root / (artifact::hex(keyOf("b")) + ".pv"));
  EXPECT_FALSE(*cache.load(keyOf("b")));
}

TEST_F(CacheTest, StrangeFilesDoNoHarm) {
  Cache cache(root, Cache::defaultLimit);
  fs::create_directory(root / (artifact::hex(keyOf("d")) + ".pv"));
  ASSERT_EQ(mkfifo((root / (artifact::hex(keyOf("f")) + ".pv")).c_str(), 0600), 0);
  spill(root / "notes.txt", "mine");
  fs::create_symlink("/etc/passwd", root / (artifact::hex(keyOf("s")) + ".pv"));
  auto directory = cache.load(keyOf("d"));
  EXPECT_TRUE(!directory || !*directory);
  EXPECT_FALSE(*cache.load(keyOf("f"))) << "a fifo must not block";
  auto link = cache.load(keyOf("s"));
  EXPECT_TRUE(!link || !*link);
  EXPECT_TRUE(cache.list());
  ASSERT_TRUE(cache.clear());
  EXPECT_TRUE(fs::exists(root / "notes.txt"));
  EXPECT_TRUE(fs::exists("/etc/passwd"));
}

TEST_F(CacheTest, LeastRecentlyUsedGoesFirst) {
  size_t size = artifactBytes("x", 10000).size() + 40;
  Cache cache(root, 10 * size);
  auto age = [&](const std::string &key, int seconds) {
    timespec times[2] = {{1000000000 + seconds, 0}, {1000000000 + seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (root / (artifact::hex(keyOf(key)) + ".pv")).c_str(), times, 0), 0);
  };
  for (int i = 0; i < 10; ++i) {
    ASSERT_FALSE(cache.store(keyOf(std::to_string(i)), artifactBytes("x", 10000)));
    age(std::to_string(i), i);
  }
  EXPECT_EQ(files(root, ".pv").size(), 10u);
  EXPECT_TRUE(*cache.load(keyOf("0"))) << "now the most recent";
  ASSERT_FALSE(cache.store(keyOf("new"), artifactBytes("x", 10000)));
  EXPECT_LE(files(root, ".pv").size(), 10u);
  EXPECT_TRUE(*cache.load(keyOf("0")));
  EXPECT_TRUE(*cache.load(keyOf("new")));
  EXPECT_FALSE(*cache.load(keyOf("1")));
  EXPECT_TRUE(*cache.load(keyOf("9")));
}

TEST_F(CacheTest, StaysBelowItsLimit) {
  const uint64_t limit = 200000;
  Cache cache(root, limit);
  for (int i = 0; i < 200; ++i) {
    ASSERT_FALSE(cache.store(keyOf(std::to_string(i)), artifactBytes("x", 1000 + i * 100)));
    uint64_t total = 0;
    for (const fs::path &file : files(root, ".pv")) {
      total += fs::file_size(file);
    }
    ASSERT_LE(total, limit);
  }
  // Another process's view: a new object over the same full folder.
  Cache other(root, limit / 4);
  ASSERT_FALSE(other.store(keyOf("last"), artifactBytes("x", 1000)));
  EXPECT_TRUE(*other.load(keyOf("last")));
  EXPECT_LE(files(root, ".pv").size(), 5u);
  Cache none(root, 0);
  EXPECT_FALSE(none.store(keyOf("nothing"), artifactBytes("x")));
  EXPECT_FALSE(*none.load(keyOf("nothing")));
}

TEST_F(CacheTest, ListClearVerify) {
  Cache cache(root, Cache::defaultLimit);
  ASSERT_FALSE(cache.store(keyOf("1"), artifactBytes("matmul")));
  ASSERT_FALSE(cache.store(keyOf("2"), artifactBytes("add")));
  ASSERT_FALSE(cache.store(keyOf("3"), artifactBytes("zero")));
  spill(root / (artifact::hex(keyOf("3")) + ".pv"), "rubbish");
  auto all = cache.list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3u);
  EXPECT_TRUE((*all)[0].isDamaged);
  EXPECT_EQ((*all)[1].kernel, "add");
  EXPECT_EQ((*all)[2].kernel, "matmul");
  EXPECT_EQ((*all)[2].target, "cpu");
  EXPECT_GT((*all)[2].bytes, 100u);
  EXPECT_GT((*all)[2].lastUsed, 1500000000);
  auto verified = cache.verify();
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->good, 2u);
  EXPECT_EQ(verified->removed, 1u);
  EXPECT_EQ(*cache.clear(), 2u);
  EXPECT_TRUE(cache.list()->empty());
}

TEST_F(CacheTest, FolderMayVanish) {
  Cache cache(root / "c", Cache::defaultLimit);
  ASSERT_FALSE(cache.store(keyOf("k"), artifactBytes("x")));
  fs::remove_all(root / "c");
  EXPECT_FALSE(*cache.load(keyOf("k")));
  ASSERT_FALSE(cache.store(keyOf("k"), artifactBytes("x")));
  EXPECT_TRUE(*cache.load(keyOf("k")));
}

//===----------------------------------------------------------------------===//
// Folders that are refused
//===----------------------------------------------------------------------===//

static void expectRefused(const std::string &folder, Code code, const std::string &part) {
  Cache cache(folder, Cache::defaultLimit);
  for (const errors::Error &error : {cache.load(keyOf("k")).takeError(), cache.store(keyOf("k"), artifactBytes("x")),
                                     cache.list().takeError(), cache.clear().takeError(), cache.verify().takeError()}) {
    EXPECT_TRUE(error.is(code)) << error.render();
    EXPECT_NE(error.text().find(part), std::string::npos) << error.text();
  }
}

TEST_F(CacheTest, RefusesFoldersThatOthersCanWrite) {
  for (mode_t mode : {0770, 0702, 0777}) {
    ASSERT_EQ(chmod(root.c_str(), mode), 0);
    char text[16];
    std::snprintf(text, sizeof(text), "has mode %03o", mode);
    expectRefused(root, Code::CacheFolderUnsafe, text);
  }
  ASSERT_EQ(chmod(root.c_str(), 0755), 0);
  EXPECT_FALSE(Cache(root, 1 << 20).store(keyOf("k"), artifactBytes("x"))) << "readable by others is fine";
}

TEST_F(CacheTest, RefusesSymbolicLinks) {
  fs::create_directory(root / "real");
  fs::create_directory_symlink(root / "real", root / "link");
  expectRefused(root / "link", Code::CacheFolderUnsafe, "symbolic link");
  expectRefused((root / "link").string() + "/", Code::CacheFolderUnsafe, "symbolic link");
}

TEST_F(CacheTest, RefusesFoldersOfOthers) {
  if (geteuid() != 0) {
    expectRefused("/", Code::CacheFolderUnsafe, "belongs to user 0");
    return;
  }
  ASSERT_EQ(chown(root.c_str(), 12345, 12345), 0);
  expectRefused(root, Code::CacheFolderUnsafe, "belongs to user 12345");
}

TEST_F(CacheTest, SaysWhyAFolderIsUnusable) {
  spill(root / "file", "x");
  expectRefused(root / "file", Code::CacheFolderUnusable, "Not a directory");
  expectRefused(root / "file" / "below", Code::CacheFolderUnusable, "Not a directory");
  expectRefused("/proc/nothing/here", Code::CacheFolderUnusable, "No such file");
  expectRefused("", Code::CacheFolderUnusable, "not a path");
}

TEST_F(CacheTest, Environment) {
  setenv("PAVAGE_CACHE_DIR", (root / "env").c_str(), 1);
  setenv("PAVAGE_CACHE_SIZE", "1M", 1);
  auto cache = Cache::fromEnvironment();
  ASSERT_TRUE(cache);
  EXPECT_EQ((*cache)->folder(), root / "env");
  setenv("PAVAGE_CACHE_SIZE", "lots", 1);
  EXPECT_TRUE(Cache::fromEnvironment().error().is(Code::BadEnvironment));
  unsetenv("PAVAGE_CACHE_SIZE");
  setenv("PAVAGE_CACHE_DIR", "", 1);
  EXPECT_EQ(*Cache::fromEnvironment(), nullptr);
  unsetenv("PAVAGE_CACHE_DIR");
  std::string home = getenv("HOME") ? getenv("HOME") : "";
  setenv("HOME", root.c_str(), 1);
  EXPECT_EQ((*Cache::fromEnvironment())->folder(), root / ".cache/pavage");
  unsetenv("HOME");
  EXPECT_NE((*Cache::fromEnvironment())->folder().find("/.cache/pavage"), std::string::npos);
  setenv("HOME", home.c_str(), 1);
}

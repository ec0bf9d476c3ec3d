// Memory, disk, compile, flights, recompiles. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Launch/Fixture.h"

#include "runtime/Launch/Variants.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace pavage;

TEST_F(LaunchTest, CompilesOnceThenFinds) {
  TestRequest request({{"BLOCK", "1"}}, scaleBy(3));
  pvrt_variant *first = nullptr, *second = nullptr;
  EXPECT_EQ(pvrt_kernel_find(kernel.get(), cpu, std::hash<std::string>()("k"), "k", 1), nullptr);
  ASSERT_EQ(take(get("k", request, &first)), "ok");
  EXPECT_EQ(pvrt_variant_origin(first), PVRT_ORIGIN_COMPILED);
  EXPECT_GT(pvrt_variant_milliseconds(first), 0);
  EXPECT_EQ(launch(first, 3), "ok");
  ASSERT_EQ(take(get("k", request, &second)), "ok");
  EXPECT_EQ(first, second);
  EXPECT_EQ(request.compiles, 1);
  EXPECT_EQ(pvrt_kernel_find(kernel.get(), cpu, std::hash<std::string>()("k"), "k", 1), first);
}

TEST_F(LaunchTest, EqualFingerprintsAreTold) {
  for (int i = 0; i < 100; ++i) {
    std::string key = "key" + std::to_string(i);
    TestRequest request({{"I", std::to_string(i)}}, scaleBy(2 + i % 2));
    pvrt_variant *variant = nullptr;
    ASSERT_EQ(take(pvrt_kernel_get(kernel.get(), cpu, 42, key.data(), key.size(), &request.request, &variant)), "ok");
  }
  for (int i = 0; i < 100; ++i) {
    std::string key = "key" + std::to_string(i);
    pvrt_variant *variant = pvrt_kernel_find(kernel.get(), cpu, 42, key.data(), key.size());
    ASSERT_NE(variant, nullptr);
    EXPECT_EQ(launch(variant, 2 + i % 2, 10), "ok");
  }
  EXPECT_EQ(pvrt_kernel_find(kernel.get(), cpu, 42, "key", 3), nullptr);
  EXPECT_EQ(pvrt_kernel_find(kernel.get(), cpu, 43, "key1", 4), nullptr);
}

TEST_F(LaunchTest, NextProcessFindsItOnDisk) {
  pvrt_variant *variant = nullptr;
  TestRequest request({{"BLOCK", "1"}}, scaleBy(3));
  ASSERT_EQ(take(get("k", request, &variant)), "ok");
  kernel.reset(pvrt_kernel_new("scale", "demo.py", 6)); // as a new process has it
  TestRequest again({{"BLOCK", "1"}}, scaleBy(99));
  ASSERT_EQ(take(get("k", again, &variant)), "ok");
  EXPECT_EQ(again.compiles, 0);
  EXPECT_EQ(pvrt_variant_origin(variant), PVRT_ORIGIN_DISK);
  EXPECT_EQ(launch(variant, 3), "ok");
  // Anything that is part of the request is part of the key.
  for (auto parts : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"BLOCK", "2"}}, {{"BLOC", "K1"}}, {{"BLOCK", "1"}, {"x", ""}}, {}}) {
    TestRequest other(parts, scaleBy(5));
    kernel.reset(pvrt_kernel_new("scale", "demo.py", 6));
    ASSERT_EQ(take(get("k", other, &variant)), "ok");
    EXPECT_EQ(other.compiles, 1);
  }
}

TEST_F(LaunchTest, DiskCanBeLeftOut) {
  pvrt_variant *variant = nullptr;
  TestRequest request({{"BLOCK", "1"}}, scaleBy(3));
  request.request.flags = PVRT_REQUEST_NO_DISK;
  ASSERT_EQ(take(get("k", request, &variant)), "ok");
  EXPECT_FALSE(std::filesystem::exists(root / "cache"));
  setenv("PAVAGE_CACHE_DIR", "", 1);
  pvrt_reload_environment();
  TestRequest off({{"BLOCK", "2"}}, scaleBy(3));
  ASSERT_EQ(take(get("l", off, &variant)), "ok");
  const char *folder = nullptr;
  ASSERT_EQ(take(pvrt_cache_folder(&folder)), "ok");
  EXPECT_STREQ(folder, "");
}

TEST_F(LaunchTest, DamagedEntriesAreCompiledAgain) {
  pvrt_variant *variant = nullptr;
  TestRequest request({{"BLOCK", "1"}}, scaleBy(3));
  ASSERT_EQ(take(get("k", request, &variant)), "ok");
  auto file = files(root / "cache", ".pv").at(0);
  std::string bytes = slurp(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  spill(file, bytes);
  kernel.reset(pvrt_kernel_new("scale", "demo.py", 6));
  ASSERT_EQ(take(get("k", request, &variant)), "ok");
  EXPECT_EQ(request.compiles, 2);
  EXPECT_EQ(launch(variant, 3), "ok");
  kernel.reset(pvrt_kernel_new("scale", "demo.py", 6));
  ASSERT_EQ(take(get("k", request, &variant)), "ok");
  EXPECT_EQ(request.compiles, 2) << "the damaged entry was replaced";
}

TEST_F(LaunchTest, EntriesThatDoNotLoadAreCompiledAgain) {
  pvrt_variant *variant = nullptr;
  // A compiler of another day stored this: well-formed, with code that does not load.
  TestRequest bad({{"BLOCK", "1"}}, [](std::string &bytes) -> pvrt_error * {
    auto artifact = scaleArtifact(3);
    artifact.sections = {{"obj", "no object"}};
    bytes = artifact::serialize(artifact);
    return nullptr;
  });
  EXPECT_EQ(take(get("k", bad, &variant)).substr(0, 4), "343 ");
  EXPECT_TRUE(files(root, ".pv").empty()) << "what does not load is not kept";
  TestRequest good({{"BLOCK", "1"}}, scaleBy(3));
  ASSERT_EQ(take(get("k", good, &variant)), "ok");
  auto file = files(root / "cache", ".pv").at(0);
  std::string header = slurp(file).substr(0, 40);
  auto artifact = scaleArtifact(3);
  artifact.sections = {{"obj", "no object"}};
  spill(file, header + artifact::serialize(artifact));
  kernel.reset(pvrt_kernel_new("scale", "demo.py", 6));
  ASSERT_EQ(take(get("k", good, &variant)), "ok");
  EXPECT_EQ(good.compiles, 2);
}

TEST_F(LaunchTest, CompileErrorsComeBackWhole) {
  pvrt_variant *variant = nullptr;
  bool isBroken = true;
  TestRequest request({}, [&](std::string &bytes) -> pvrt_error * {
    if (isBroken) {
      return pvrt_error_new(123, "expected this, got that", "<stdin>", 4, 3, "x = y");
    }
    return scaleBy(2)(bytes);
  });
  pvrt_error *error = get("k", request, &variant);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->number, 123u);
  EXPECT_STREQ(error->file, "<stdin>");
  EXPECT_EQ(error->line, 4u);
  EXPECT_EQ(error->column, 3u);
  EXPECT_STREQ(error->rendered, "<stdin>:4:3: error PV0123: expected this, got that\n    x = y\n      ^");
  pvrt_error_free(error);
  EXPECT_EQ(take(get("k", request, &variant)), "123 expected this, got that");
  isBroken = false;
  ASSERT_EQ(take(get("k", request, &variant)), "ok") << "an error is not remembered";
  EXPECT_EQ(launch(variant, 2), "ok");
}

TEST_F(LaunchTest, RubbishFromTheCompilerIsAnError) {
  pvrt_variant *variant = nullptr;
  TestRequest rubbish({}, [](std::string &bytes) -> pvrt_error * {
    bytes = "rubbish";
    return nullptr;
  });
  EXPECT_EQ(take(get("k", rubbish, &variant)).substr(0, 4), "340 ");
  TestRequest other({}, [](std::string &bytes) -> pvrt_error * {
    auto artifact = scaleArtifact(3);
    artifact.target = "sm_80";
    bytes = artifact::serialize(artifact);
    return nullptr;
  });
  EXPECT_EQ(take(get("k", other, &variant)), "320 expected code for 'cpu', got code for 'sm_80'");
  TestRequest none({}, scaleBy(1));
  none.request.compile = nullptr;
  EXPECT_EQ(take(get("k", none, &variant)).substr(0, 4), "901 ");
}

//===----------------------------------------------------------------------===//
// Flights
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, OneCompileForManyThreads) {
  for (bool isBroken : {false, true}) {
    TestRequest request({{"broken", std::to_string(isBroken)}}, [&](std::string &bytes) -> pvrt_error * {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return isBroken ? pvrt_error_new(123, "broken", nullptr, 0, 0, nullptr) : scaleBy(3)(bytes);
    });
    std::string key = isBroken ? "broken" : "fine";
    std::vector<std::thread> threads;
    std::vector<std::string> results(8);
    std::vector<pvrt_variant *> variants(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] { results[i] = take(get(key, request, &variants[i])); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(results[i], isBroken ? "123 broken" : "ok");
      EXPECT_EQ(variants[i], variants[0]);
    }
    EXPECT_EQ(request.compiles, 1);
  }
}

TEST_F(LaunchTest, DifferentKeysCompileAtTheSameTime) {
  std::atomic<int> inside{0};
  auto meet = [&](std::string &bytes) -> pvrt_error * {
    ++inside;
    for (int i = 0; i < 5000 && inside < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return inside < 2 ? pvrt_error_new(900, "nobody came", nullptr, 0, 0, nullptr) : scaleBy(3)(bytes);
  };
  TestRequest one({{"k", "1"}}, meet), two({{"k", "2"}}, meet);
  std::string results[2];
  std::thread other([&] {
    pvrt_variant *variant;
    results[0] = take(get("1", one, &variant));
  });
  pvrt_variant *variant;
  results[1] = take(get("2", two, &variant));
  other.join();
  EXPECT_EQ(results[0], "ok");
  EXPECT_EQ(results[1], "ok");
}

TEST_F(LaunchTest, CompilingMayNotNeedItself) {
  TestRequest *self = nullptr;
  TestRequest request({}, [&](std::string &) -> pvrt_error * {
    pvrt_variant *variant;
    return get("k", *self, &variant);
  });
  self = &request;
  pvrt_variant *variant;
  EXPECT_EQ(take(get("k", request, &variant)),
            "900 compiling kernel 'scale' needs the same kernel to be compiled already");
}

TEST_F(LaunchTest, ForkDuringACompile) {
  std::atomic<bool> isCompiling{false}, mayGoOn{false};
  TestRequest request({}, [&](std::string &bytes) -> pvrt_error * {
    isCompiling = true;
    while (!mayGoOn) {
      std::this_thread::yield();
    }
    return scaleBy(3)(bytes);
  });
  std::thread compiling([&] {
    pvrt_variant *variant;
    EXPECT_EQ(take(get("k", request, &variant)), "ok");
  });
  while (!isCompiling) {
    std::this_thread::yield();
  }
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    mayGoOn = true;
    pvrt_variant *variant = nullptr;
    bool isFine = take(get("k", request, &variant)) == "ok" && launch(variant, 3) == "ok";
    _exit(isFine ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  mayGoOn = true;
  compiling.join();
}

TEST_F(LaunchTest, ReadersNeverWaitForWriters) {
  std::atomic<bool> isOver{false};
  TestRequest first({{"n", "first"}}, scaleBy(3));
  pvrt_variant *expected = nullptr;
  ASSERT_EQ(take(get("first", first, &expected)), "ok");
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!isOver) {
        EXPECT_EQ(pvrt_kernel_find(kernel.get(), cpu, std::hash<std::string>()("first"), "first", 5), expected);
      }
    });
  }
  std::string bytes = artifact::serialize(scaleArtifact(4));
  for (int i = 0; i < 200; ++i) {
    TestRequest more({{"n", std::to_string(i)}}, [&](std::string &out) -> pvrt_error * {
      out = bytes;
      return nullptr;
    });
    more.request.flags = PVRT_REQUEST_NO_DISK;
    pvrt_variant *variant;
    EXPECT_EQ(take(get("more" + std::to_string(i), more, &variant)), "ok");
  }
  isOver = true;
  for (std::thread &reader : readers) {
    reader.join();
  }
}

//===----------------------------------------------------------------------===//
// Trouble with the cache folder
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, UnsafeCacheFolderIsAnError) {
  std::filesystem::create_directory(root / "cache");
  ASSERT_EQ(chmod((root / "cache").c_str(), 0777), 0);
  TestRequest request({}, scaleBy(3));
  pvrt_variant *variant;
  EXPECT_EQ(take(get("k", request, &variant)).substr(0, 4), "400 ");
  EXPECT_EQ(request.compiles, 0);
}

TEST_F(LaunchTest, UnusableNamedFolderIsAnErrorAnUnusableDefaultIsNot) {
  spill(root / "file", "x");
  setenv("PAVAGE_CACHE_DIR", (root / "file").c_str(), 1);
  pvrt_reload_environment();
  TestRequest request({}, scaleBy(3));
  pvrt_variant *variant;
  EXPECT_EQ(take(get("k", request, &variant)).substr(0, 4), "401 ");
  unsetenv("PAVAGE_CACHE_DIR");
  std::string home = getenv("HOME") ? getenv("HOME") : "/";
  setenv("HOME", (root / "file").c_str(), 1);
  pvrt_reload_environment();
  std::string notices;
  pvrt_set_notice_handler(
      [](void *to, const char *text, size_t size) { static_cast<std::string *>(to)->append(text, size); }, &notices);
  EXPECT_EQ(take(get("k", request, &variant)), "ok");
  TestRequest second({{"n", "2"}}, scaleBy(3));
  EXPECT_EQ(take(get("l", second, &variant)), "ok");
  pvrt_set_notice_handler(nullptr, nullptr);
  setenv("HOME", home.c_str(), 1);
  EXPECT_NE(notices.find("warning PV0401: "), std::string::npos) << notices;
  EXPECT_EQ(notices.find("warning"), notices.rfind("warning")) << "once is enough";
}

//===----------------------------------------------------------------------===//
// Why recompiled
//===----------------------------------------------------------------------===//

TEST(Recompile, DescribesTheChange) {
  using launch::describeChange;
  EXPECT_EQ(describeChange({{"x", "*fp32:16"}, {"BLOCK", "128"}}, {{"x", "*fp32"}, {"BLOCK", "128"}}),
            "x: *fp32:16 -> *fp32");
  EXPECT_EQ(describeChange({{"a", "1"}, {"b", "2"}}, {{"a", "2"}, {"c", "3"}}),
            "a: 1 -> 2, c: (none) -> 3, b: 2 -> (none)");
  EXPECT_EQ(describeChange({{".source", "aaaa"}}, {{".source", "bbbb"}}), "source changed");
  EXPECT_EQ(describeChange({}, {}), "nothing that is known");
}

TEST(Recompile, ComparesWithTheNearest) {
  std::vector<launch::Parts> earlier = {{{"n", "1"}, {"B", "2"}}, {{"n", "2"}, {"B", "9"}}};
  EXPECT_EQ(launch::nearest(earlier, {{"n", "1"}, {"B", "3"}}), &earlier[0]);
  EXPECT_EQ(launch::nearest(earlier, {{"n", "5"}, {"B", "9"}}), &earlier[1]);
  EXPECT_EQ(launch::nearest({}, {}), nullptr);
}

TEST_F(LaunchTest, ExplainsAndForbidsRecompiles) {
  std::string notices;
  pvrt_set_notice_handler(
      [](void *to, const char *text, size_t size) { static_cast<std::string *>(to)->append(text, size); }, &notices);
  setenv("PAVAGE_EXPLAIN_RECOMPILE", "1", 1);
  pvrt_variant *variant;
  TestRequest first({{"BLOCK", "128"}, {"n", "i32"}}, scaleBy(3)), second({{"BLOCK", "256"}, {"n", "i32"}}, scaleBy(3)),
      third({{"BLOCK", "256"}, {"n", "i32:16"}}, scaleBy(3));
  ASSERT_EQ(take(get("1", first, &variant)), "ok");
  EXPECT_EQ(notices, "") << "the first is no recompile";
  ASSERT_EQ(take(get("2", second, &variant)), "ok");
  EXPECT_EQ(notices.substr(0, notices.find('\n')),
            "demo.py:6: note: kernel 'scale' is compiled again for other arguments: BLOCK: 128 -> 256");
  setenv("PAVAGE_ON_RECOMPILE", "error", 1);
  EXPECT_EQ(take(get("3", third, &variant)),
            "312 kernel 'scale' is compiled again for other arguments: n: i32 -> i32:16");
  EXPECT_EQ(third.compiles, 0);
  ASSERT_EQ(take(get("2", second, &variant)), "ok") << "what is there may be used";
  third.request.flags = PVRT_REQUEST_EXPECTED;
  ASSERT_EQ(take(get("3", third, &variant)), "ok");
  setenv("PAVAGE_ON_RECOMPILE", "panic", 1);
  TestRequest fourth({{"BLOCK", "1"}}, scaleBy(3));
  EXPECT_EQ(take(get("4", fourth, &variant)),
            "315 expected PAVAGE_ON_RECOMPILE to be one of ignore, error, got 'panic'");
  pvrt_set_notice_handler(nullptr, nullptr);
}

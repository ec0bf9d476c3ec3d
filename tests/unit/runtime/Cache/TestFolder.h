// A fresh folder per test, and artifacts to put into it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_RUNTIME_CACHE_TESTFOLDER_H
#define PAVAGE_TESTS_UNIT_RUNTIME_CACHE_TESTFOLDER_H

#include "runtime/Artifact/Artifact.h"
#include "runtime/Artifact/Sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

class TestFolder : public testing::Test {
protected:
  void SetUp() override {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    root = std::filesystem::path(testing::TempDir()) /
           ("pavage-" + std::string(test->name()) + "-" + std::to_string(getpid()));
    std::filesystem::remove_all(root);
    std::filesystem::create_directory(root);
    std::filesystem::permissions(root, std::filesystem::perms::owner_all);
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  /// Files in a folder whose name ends so.
  static std::vector<std::filesystem::path> files(const std::filesystem::path &folder, const std::string &suffix) {
    std::vector<std::filesystem::path> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      std::string name = entry.path().filename();
      if (name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  static std::string slurp(const std::filesystem::path &path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }
  static void spill(const std::filesystem::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::filesystem::path root;
};

inline pavage::artifact::Digest keyOf(const std::string &text) { return pavage::artifact::sha256(text); }

/// A serialized artifact of kernel `name` with `size` bytes of code.
inline std::string artifactBytes(const std::string &name, size_t size = 100) {
  pavage::artifact::Artifact artifact;
  artifact.kernel = name;
  artifact.target = "cpu";
  artifact.sections = {{"obj", std::string(size, 'x')}};
  return pavage::artifact::serialize(artifact);
}

#endif // PAVAGE_TESTS_UNIT_RUNTIME_CACHE_TESTFOLDER_H

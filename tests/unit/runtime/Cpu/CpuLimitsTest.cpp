// CPU limits from masks, control groups and the environment. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/CpuLimits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <unistd.h>

using namespace pavage::cpu;
using pavage::errors::Code;
namespace fs = std::filesystem;

namespace {
/// A made-up /sys/fs/cgroup.
class Groups : public testing::Test {
protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) / ("pavage-cgroup-" + std::to_string(getpid()));
    fs::create_directories(root);
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  std::optional<double> quota(const std::string &membership) {
    write("membership", membership);
    return cgroupCpus(root / "membership", root);
  }
  fs::path root;
};
} // namespace

TEST_F(Groups, VersionTwo) {
  write("a/b/cpu.max", "150000 100000");
  write("a/cpu.max", "max 100000");
  EXPECT_EQ(quota("0::/a/b"), 1.5);
  EXPECT_EQ(quota("0::/a"), std::nullopt);
  EXPECT_EQ(quota("0::/"), std::nullopt);
  write("a/cpu.max", "50000 100000");
  EXPECT_EQ(quota("0::/a/b"), 0.5) << "a group above limits as well";
}

TEST_F(Groups, ContainerSeesItsGroupAsRoot) {
  write("cpu.max", "200000 100000");
  EXPECT_EQ(quota("0::/docker/0123456789"), 2.0);
  EXPECT_EQ(quota("0::/../../elsewhere"), 2.0);
}

TEST_F(Groups, VersionOne) {
  write("cpu/x/cpu.cfs_quota_us", "300000");
  write("cpu/x/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota("3:memory:/x\n2:cpuacct,cpu:/x"), 3.0);
  write("cpu/x/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(quota("2:cpuacct,cpu:/x"), std::nullopt);
}

TEST_F(Groups, NonsenseIsNoLimit) {
  EXPECT_EQ(quota("nonsense"), std::nullopt);
  write("cpu.max", "100000 0");
  EXPECT_EQ(quota("0::/"), std::nullopt);
  EXPECT_EQ(cgroupCpus("/no/such/file", "/no/such/folder"), std::nullopt);
}

TEST(CpuLimits, FollowsTheAffinityMask) {
  std::vector<int> all = allowedCpus();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  CPU_SET(all.back(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(allowedCpus(), std::vector<int>{all.back()});
  unsetenv("PAVAGE_NUM_THREADS");
  EXPECT_EQ(*defaultThreads(), 1u);
  sched_setaffinity(0, sizeof(before), &before);
}

TEST(CpuLimits, EnvironmentWins) {
  setenv("PAVAGE_NUM_THREADS", "7", 1);
  EXPECT_EQ(*defaultThreads(), 7u);
  for (const char *wrong : {"0", "-1", "many", "1025", "3.5", "99999999999999999999"}) {
    setenv("PAVAGE_NUM_THREADS", wrong, 1);
    ASSERT_FALSE(defaultThreads()) << wrong;
    EXPECT_TRUE(defaultThreads().error().is(Code::BadEnvironment));
    EXPECT_EQ(defaultThreads().error().text(),
              "expected PAVAGE_NUM_THREADS to be an integer from 1 to 1024, got '" + std::string(wrong) + "'");
  }
  unsetenv("PAVAGE_NUM_THREADS");
  EXPECT_GE(*defaultThreads(), 1u);
}

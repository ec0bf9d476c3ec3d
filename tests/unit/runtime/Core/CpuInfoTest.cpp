// CPU levels and their override. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/CpuInfo.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace pavage::core;
using pavage::errors::Code;

TEST(CpuInfo, AgreesWithTheSystem) {
  std::ifstream file("/proc/cpuinfo");
  std::string flags, name;
  for (std::string line; std::getline(file, line) && (flags.empty() || name.empty());) {
    if (line.rfind("flags", 0) == 0) {
      flags = line + " ";
    } else if (line.rfind("model name", 0) == 0) {
      name = line.substr(line.find(": ") + 2);
    }
  }
  if (flags.empty()) {
    GTEST_SKIP() << "no /proc/cpuinfo";
  }
  auto has = [&](const char *flag) { return flags.find(std::string(" ") + flag + " ") != std::string::npos; };
  const CpuInfo &info = cpuInfo();
  EXPECT_EQ(info.best >= CpuLevel::Avx2, has("avx2") && has("fma") && has("bmi2") && has("f16c") && has("movbe"));
  EXPECT_EQ(info.best >= CpuLevel::Avx512,
            has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl") && has("avx512cd"));
  if (info.best == CpuLevel::Amx) {
    EXPECT_TRUE(has("amx_tile") && has("amx_bf16") && has("amx_int8"));
  }
  EXPECT_EQ(info.name, name);
  EXPECT_NE(info.fingerprint.find(cpuLevelName(info.best)), std::string::npos);
}

TEST(CpuInfo, NamesOfLevels) {
  for (CpuLevel level : {CpuLevel::Portable, CpuLevel::Avx2, CpuLevel::Avx512, CpuLevel::Amx}) {
    EXPECT_EQ(parseCpuLevel(cpuLevelName(level)), level);
  }
  EXPECT_EQ(parseCpuLevel("AVX2"), std::nullopt);
}

TEST(CpuInfo, LevelCanBeForced) {
  unsetenv("PAVAGE_CPU");
  EXPECT_EQ(*cpuLevel(), cpuInfo().best);
  setenv("PAVAGE_CPU", "portable", 1);
  EXPECT_EQ(*cpuLevel(), CpuLevel::Portable);
  setenv("PAVAGE_CPU", "sse9", 1);
  EXPECT_TRUE(cpuLevel().error().is(Code::BadEnvironment));
  setenv("PAVAGE_CPU", "amx", 1);
  if (cpuInfo().best == CpuLevel::Amx) {
    EXPECT_EQ(*cpuLevel(), CpuLevel::Amx);
  } else {
    EXPECT_TRUE(cpuLevel().error().is(Code::CpuLevelUnsupported));
    EXPECT_TRUE(requireCpuLevel("amx").is(Code::CpuLevelUnsupported));
  }
  unsetenv("PAVAGE_CPU");
  EXPECT_FALSE(requireCpuLevel("portable"));
  EXPECT_TRUE(requireCpuLevel("").is(Code::CpuLevelUnsupported));
}

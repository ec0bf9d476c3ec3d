// CPU detection by cpuid. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/CpuInfo.h"

#include "runtime/Core/Environment.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pavage::core {

using errors::Code;
using errors::Error;
using errors::Result;

static constexpr std::string_view levelNames[] = {"portable", "avx2", "avx512", "amx"};

std::string_view cpuLevelName(CpuLevel level) { return levelNames[static_cast<size_t>(level)]; }

std::optional<CpuLevel> parseCpuLevel(std::string_view name) {
  for (size_t i = 0; i < std::size(levelNames); ++i) {
    if (levelNames[i] == name) {
      return static_cast<CpuLevel>(i);
    }
  }
  return std::nullopt;
}

#if defined(__x86_64__)

namespace {
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};
} // namespace

/// Leaf and subleaf; zeros when the CPU does not have the leaf.
static Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
  return r;
}

static bool bit(unsigned value, int index) { return ((value >> index) & 1) != 0; }

/// The register states that the system saves at a task switch; without them the instructions fault.
static uint64_t enabledStates() {
  if (!bit(cpuid(1).c, 27)) { // OSXSAVE
    return 0;
  }
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Linux grants the tile registers per process and on request only; before that the first tile instruction is SIGILL.
/// Refused by old kernels, by sandboxes, and when a thread has too small a signal stack.
static bool requestTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

static CpuLevel detectLevel() {
  Registers one = cpuid(1), seven = cpuid(7), extended = cpuid(0x80000001);
  uint64_t states = enabledStates();
  bool ymm = (states & 0x6) == 0x6;
  bool zmm = (states & 0xe6) == 0xe6;
  bool tiles = (states & 0x60000) == 0x60000;
  bool avx2 = ymm && bit(one.c, 12) && bit(one.c, 22) && bit(one.c, 28) && bit(one.c, 29) && // FMA MOVBE AVX F16C
              bit(seven.b, 3) && bit(seven.b, 5) && bit(seven.b, 8) && bit(extended.c, 5);   // BMI1 AVX2 BMI2 LZCNT
  bool avx512 = avx2 && zmm && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 28) && bit(seven.b, 30) &&
                bit(seven.b, 31);                                                         // F DQ CD BW VL
  bool amx = avx512 && tiles && bit(seven.d, 22) && bit(seven.d, 24) && bit(seven.d, 25); // BF16 TILE INT8
  if (amx && requestTiles()) {
    return CpuLevel::Amx;
  }
  return avx512 ? CpuLevel::Avx512 : avx2 ? CpuLevel::Avx2 : CpuLevel::Portable;
}

static std::string detectName() {
  char brand[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    Registers r = cpuid(0x80000002 + i);
    std::memcpy(brand + 16 * i, &r, 16);
  }
  std::string name = brand;
  size_t first = name.find_first_not_of(' ');
  name.erase(0, first == std::string::npos ? name.size() : first);
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? "x86-64 CPU" : name;
}

static std::string detectFingerprint(CpuLevel level) {
  Registers zero = cpuid(0), one = cpuid(1), seven = cpuid(7), sevenOne = cpuid(7, 1), extended = cpuid(0x80000001);
  char vendor[13] = {};
  std::memcpy(vendor, &zero.b, 4);
  std::memcpy(vendor + 4, &zero.d, 4);
  std::memcpy(vendor + 8, &zero.c, 4);
  char text[256];
  // Leaf 1 EBX and the OSPKE bit of leaf 7 vary between cores and boots: left out. So are stepping and cache sizes.
  std::snprintf(text, sizeof(text), "%s %08x %08x %08x %08x %08x %08x %08x %08x %08x %" PRIx64 " %s", vendor,
                one.a & ~0xfu, one.c & ~(1u << 27), one.d, seven.b, seven.c & ~(1u << 4), seven.d, sevenOne.a,
                extended.c, extended.d, enabledStates() & 0x600e6, std::string(cpuLevelName(level)).c_str());
  return text;
}

static CpuInfo detect() {
  CpuLevel best = detectLevel();
  return {detectName(), best, detectFingerprint(best)};
}

#else

static CpuInfo detect() { return {"CPU", CpuLevel::Portable, "portable"}; }

#endif

const CpuInfo &cpuInfo() {
  static const CpuInfo &info = *new CpuInfo(detect());
  return info;
}

static Error unsupported(const std::string &what) {
  return Error(Code::CpuLevelUnsupported, what + ", but this CPU (" + cpuInfo().name + ") has '" +
                                              std::string(cpuLevelName(cpuInfo().best)) + "' at most");
}

Result<CpuLevel> cpuLevel() {
  auto forced = environment("PAVAGE_CPU");
  if (!forced || forced->empty()) {
    return cpuInfo().best;
  }
  auto level = parseCpuLevel(*forced);
  if (!level) {
    return Error(Code::BadEnvironment,
                 "expected PAVAGE_CPU to be portable, avx2, avx512 or amx, got '" + *forced + "'");
  }
  if (*level > cpuInfo().best) {
    return unsupported("PAVAGE_CPU asks for '" + *forced + "'");
  }
  return *level;
}

Error requireCpuLevel(std::string_view name) {
  auto level = parseCpuLevel(name);
  if (!level) {
    return Error(Code::CpuLevelUnsupported, "expected a CPU level, got '" + std::string(name) + "'");
  }
  if (*level > cpuInfo().best) {
    return unsupported("the compiled kernel needs '" + std::string(name) + "'");
  }
  return Error::success();
}

} // namespace pavage::core

// The virtual GPU's interface: load PTX, launch a kernel, read findings and counters. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//   Gpu gpu;
//   auto module = gpu.load(text, "kernel.ptx");          // errors::Result
//   u64 x = gpu.memory().allocate(4096, "x");
//   auto result = gpu.launch(**module, "vadd", options, params);
//   result->findings, result->lines
#pragma once

#include "runtime/Artifact/Abi.h"
#include "runtime/Artifact/Artifact.h"
#include "runtime/Errors/Errors.h"
#include "runtime/Sim/DeviceMemory.h"
#include "runtime/Sim/Machine.h"
#include "runtime/Sim/Program.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pavage::sim {

enum class AsyncMode : u8 { Eager, Lazy, Random };

/// How the lanes of a warp go on. Converged: together wherever they can. Independent: a warp falls apart at any
/// instruction, pieces run in random order and meet only where a .sync instruction or a barrier brings them together.
enum class Schedule : u8 { Converged, Independent };

/// An array argument. Accesses to memory that arrays are given for must hit an element of one of them.
struct LaunchArray {
  PavageArray array; // base is an address on the device; shape and strides live as long as the launch
  std::string name;  // of the parameter
};

struct LaunchOptions {
  u32 grid[3] = {1, 1, 1};
  u32 block[3] = {1, 1, 1};
  u32 dynamicShared = 0;
  u32 checks = allChecks;
  AsyncMode async = AsyncMode::Lazy;
  u64 seed = 0;                        // 0: round robin; else warps and splits run in a random order that replays
  u64 maxInstructions = u64(20) << 30; // warp instructions
  u32 hostThreads = 1;
  u32 arch = 0; // 0: what the module targets
  u32 maxFindings = 100;
  Schedule schedule = Schedule::Converged;
  std::vector<LaunchArray> arrays;
  std::vector<std::pair<u32, u64>> atomics; // PTX line of an atomic -> threads of a CTA that must execute it
  const volatile u32 *cancel = nullptr;     // not zero: the launch ends soon
  int (*poll)(void *) = nullptr;            // asked by the launching thread now and then; not zero: likewise
  void *pollContext = nullptr;
};

struct Finding {
  Kind kind;
  u32 pc = 0;
  u32 ptxLine = 0;
  u32 file = 0, line = 0, column = 0; // of .loc
  std::string instruction;
  std::string op; // the tile op that it was made of; empty: not known
  std::string message;
  u64 count = 1;
  u32 cta[3] = {0, 0, 0};
  u32 warp = 0;
};

/// Counters of one decoded instruction.
struct LineResult {
  u32 pc = 0;
  u32 ptxLine = 0;
  u32 file = 0, line = 0;
  Class cls = Class::Integer;
  u32 accessBytes = 0; // per lane, of a global access
  u64 issued = 0;
  LineCount counts;
};

struct Totals {
  u64 warpInstructions = 0;
  u64 byClass[static_cast<u32>(Class::Count)] = {};
  u64 sectors = 0, sectorsIdeal = 0;
  u64 bankConflictPasses = 0;
  u64 divergentBranches = 0;
  u64 mma = 0, ldmatrix = 0, cpAsync = 0, barriers = 0;
  u64 globalAccesses[33] = {}; // by bytes per lane
  struct Loop {
    u32 begin = 0, end = 0; // pcs
    u64 iterations = 0;     // warp executions of its back edge
    u64 instructions = 0, mma = 0, ldmatrix = 0, cpAsync = 0, barriers = 0;
    u64 byClass[static_cast<u32>(Class::Count)] = {};
  } innermost;
};

/// Is it something that a real GPU would stop at?
bool isFaultKind(Kind kind);

struct LaunchResult {
  std::vector<Finding> findings;
  std::vector<LineResult> lines; // executed instructions only
  Totals totals;
  std::string output;
  double seconds = 0;     // wall clock
  double cpuSeconds = 0;  // of all host threads together
  bool isFault = false;   // a finding that a real GPU would stop at
  bool isStopped = false; // by the caller: cancel or poll
};

struct LoadedModule {
  Program program;
  std::string file;
  std::vector<std::string> lines; // of the text

  // The side table of a compiler; empty when the text came alone.
  std::vector<artifact::Op> ops;
  std::vector<artifact::OpLine> opLines;
  /// The tile op that a line of the PTX text comes from, or null.
  const artifact::Op *opAt(u32 ptxLine) const;
};

/// Findings for outputs (Allocation::isOutput) with elements that the kernel never wrote.
void addUnwritten(const DeviceMemory &memory, LaunchResult &result);

class Gpu {
public:
  explicit Gpu(u64 reserve = u64(1) << 36) : device(reserve) {}
  DeviceMemory &memory() { return device; }
  errors::Result<std::unique_ptr<LoadedModule>> load(const std::string &text, const std::string &file);
  /// `params` holds the parameter buffer, laid out as the kernel's.
  errors::Result<LaunchResult> launch(const LoadedModule &module, const std::string &kernel,
                                      const LaunchOptions &options, const std::vector<u8> &params);

private:
  DeviceMemory device;
};

} // namespace pavage::sim

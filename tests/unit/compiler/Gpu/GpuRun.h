// Compiles a kernel to PTX, runs it on the virtual GPU and compares with Interp. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
//
//   GpuOptions options;                     // target, warps, stages
//   crossGpu(text, {Argument::array(out), Argument::array(in), Argument::number(n)}, options);
//
// `text` is a module of Tile IR, which takes the whole way, or, with `isScheduled`, of TileGPU with `tilegpu.num_warps`
// and `tilegpu.target`, which only gets shared memory and barriers. Arrays must be equal to the bit (`nanOf`: which
// NaNs count as equal, as in Cross.h), and the virtual GPU must find nothing. Environment variable PAVAGE_TEST_DUMP=1
// prints the IR and the PTX of each kernel.
#ifndef PAVAGE_TESTS_UNIT_COMPILER_GPU_GPURUN_H
#define PAVAGE_TESTS_UNIT_COMPILER_GPU_GPURUN_H

#include "compiler/Gpu/Emit/Emit.h"
#include "runtime/Sim/Launch.h"
#include "tests/unit/compiler/Cpu/Cross.h"

namespace pavage::gpu {

using cpu::Argument;
using cpu::Arguments;
using cpu::fill;

struct GpuOptions {
  std::string target = "sm_80";
  int numWarps = 4;
  int numStages = 3;
  std::array<int64_t, 3> grid{1, 1, 1};
  bool isScheduled = false;
  double tolerance = -1; ///< as in Cross.h
  char nanOf = 'f';
  uint64_t seed = 0;        ///< of the virtual GPU's order of warps; 0: round robin
  bool expectError = false; ///< in Interp
};

/// The PTX of a module's kernel; an empty text after a failure, which is reported.
GpuCode compileGpu(llvm::StringRef text, const GpuOptions &options = {});

/// Runs a kernel; findings are failures. The arrays are changed in place.
sim::LaunchResult runGpu(const GpuCode &code, Arguments &arguments, const GpuOptions &options = {});

/// Runs in Interp and on the virtual GPU and expects equal arrays; what the virtual GPU counted comes back.
sim::LaunchResult crossGpu(llvm::StringRef text, const Arguments &arguments, const GpuOptions &options = {});

} // namespace pavage::gpu

#endif // PAVAGE_TESTS_UNIT_COMPILER_GPU_GPURUN_H

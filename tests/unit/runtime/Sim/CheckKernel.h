// A kernel with a fault planted or not, for tests of the checks. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#pragma once

#include "tests/unit/runtime/Sim/SimTest.h"

namespace pavage::sim {

using U = Values<u32>;

/// A block of `threads` over two buffers of 256 words (the second never written) and 1 KB of shared memory.
inline Session check(const std::string &body, u32 threads = 64, u32 ctas = 1, AsyncMode async = AsyncMode::Lazy) {
  Session run;
  run.options.block[0] = threads;
  run.options.grid[0] = ctas;
  run.options.async = async;
  run.options.maxInstructions = 1000000;
  run.buffer(U(256, 1));
  run.empty(1024);
  std::string setup = "mov.u32 %r0, %tid.x; mov.u32 %r1, smem; mad.lo.u32 %r2, %r0, 4, %r1; mov.u32 %r9, %ctaid.x;\n"
                      "ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; mul.wide.u32 %q2, %r0, 4; add.u64 %q3, %q0, "
                      "%q2; add.u64 %q4, %q1, %q2;\n";
  EXPECT_TRUE(run.launch(run.kernel(setup + body, 1024))) << run.error;
  return run;
}

#define CLEAN(...)                                                                                                     \
  {                                                                                                                    \
    Session run = check(__VA_ARGS__);                                                                                  \
    EXPECT_TRUE(run.result.findings.empty()) << run.findings();                                                        \
  }
#define FOUND(kind, ...)                                                                                               \
  {                                                                                                                    \
    Session run = check(__VA_ARGS__);                                                                                  \
    EXPECT_GE(run.count(kind), 1u) << "no " << kindName(kind) << "; found: " << run.findings();                        \
  }

} // namespace pavage::sim

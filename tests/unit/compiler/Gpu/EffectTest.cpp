// Asserts, prints and inline PTX on the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Gpu/GpuRun.h"

#include <gtest/gtest.h>

namespace pavage::gpu {
namespace {

const char *const asserting = R"(func.func @k(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<100xi32>
  %t = tile.splat %n : i32 -> tensor<100xi32>
  %c = arith.cmpi slt, %i, %t : tensor<100xi32>
  tile.assert %c, "index below n" : tensor<100xi1> loc("demo.py":7:3)
  return
}
)";

/// What the virtual GPU says about a launch.
sim::LaunchResult launch(const GpuCode &code, uint64_t n) {
  sim::Gpu gpu(uint64_t(1) << 28);
  auto module = gpu.load(code.ptx, "kernel.ptx");
  if (!module) {
    ADD_FAILURE() << module.error().render();
    return {};
  }
  uint64_t out = gpu.memory().allocate(4096, "out");
  std::vector<uint8_t> params(16);
  std::memcpy(params.data(), &out, 8);
  std::memcpy(params.data() + 8, &n, 4);
  sim::LaunchOptions options;
  options.block[0] = static_cast<uint32_t>(32 * code.numWarps);
  options.dynamicShared = static_cast<uint32_t>(code.sharedBytes);
  params.resize(12);
  auto result = gpu.launch(**module, code.entry, options, params);
  EXPECT_TRUE(result) << (result ? "" : result.error().render());
  return result ? *result : sim::LaunchResult();
}

TEST(GpuEffects, AssertTellsTextAndPlace) {
  GpuCode code = compileGpu(asserting);
  EXPECT_TRUE(launch(code, 100).findings.empty());
  sim::LaunchResult bad = launch(code, 99);
  ASSERT_FALSE(bad.findings.empty());
  EXPECT_EQ(bad.findings.front().kind, sim::Kind::Assert);
  EXPECT_NE(bad.findings.front().message.find("index below n"), std::string::npos) << bad.findings.front().message;
  EXPECT_NE(bad.findings.front().message.find("demo.py:7"), std::string::npos) << bad.findings.front().message;
}

TEST(GpuEffects, PrintCallsVprintf) {
  GpuCode code = compileGpu(R"(func.func @k(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<3xi32>
  tile.print "100% x = " %i {is_signed = array<i1: true>} : tensor<3xi32>
  return
}
)");
  EXPECT_NE(code.ptx.find("vprintf"), std::string::npos) << code.ptx;
  EXPECT_TRUE(launch(code, 0).findings.empty());
}

void inlinePtx(const std::string &type, const std::string &ptx, const std::string &constraints, int pack,
               const std::string &meaning, int bytes) {
  for (const char *target : {"sm_75", "sm_80", "sm_90"}) {
    for (int numWarps : {1, 4}) {
      GpuOptions options;
      options.target = target;
      options.numWarps = numWarps;
      options.nanOf = 0;
      auto text = [&](const std::string &op) {
        return fill(R"(func.func @k(%out: !tile.ptr<$T>, %in: !tile.ptr<$T>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<512xi32>
  %a = tile.splat %in : !tile.ptr<$T> -> tensor<512x!tile.ptr<$T>>
  %p = tile.addptr %a, %i : tensor<512x!tile.ptr<$T>>, tensor<512xi32>
  %x = tile.load %p : tensor<512x!tile.ptr<$T>>
  %y = $OP
  %b = tile.splat %out : !tile.ptr<$T> -> tensor<512x!tile.ptr<$T>>
  %q = tile.addptr %b, %i : tensor<512x!tile.ptr<$T>>, tensor<512xi32>
  tile.store %q, %y : tensor<512x!tile.ptr<$T>>
  return
}
)",
                    {{"OP", op}, {"T", type}});
      };
      std::string tile = "tensor<512x" + type + ">";
      std::string asmText = "tile.inline_ptx \"" + ptx + "\" constraints \"" + constraints + "\" pack " +
                            std::to_string(pack) + " pure (%x) : (" + tile + ") -> " + tile;
      Arguments byPtx{Argument::array(std::vector<uint8_t>(512 * bytes)),
                      Argument::array(cpu::randomBits<uint8_t>(512 * bytes, 3))};
      Arguments byOp = byPtx;
      runGpu(compileGpu(text(asmText), options), byPtx, options);
      runGpu(compileGpu(text(meaning), options), byOp, options);
      EXPECT_EQ(byPtx[0].bytes, byOp[0].bytes) << ptx << " on " << target;
      EXPECT_NE(byPtx[0].bytes, std::vector<uint8_t>(512 * bytes));
    }
  }
}

TEST(GpuEffects, InlinePtx) {
  inlinePtx("i32", "popc.b32 $0, $1;", "=r,r", 1, "math.ctpop %x : tensor<512xi32>", 4);
  inlinePtx("i64", "not.b64 $0, $2; not.b64 $1, $3;", "=&l,=l,l,l", 2,
            "tile.inline_ptx \"not.b64 $0, $1;\" constraints \"=l,l\" pack 1 pure (%x) : (tensor<512xi64>) -> "
            "tensor<512xi64>",
            8);
  inlinePtx("i8", "not.b32 $0, $1;", "=r,r", 4,
            "tile.inline_ptx \"not.b16 $0, $1;\" constraints \"=h,h\" pack 1 pure (%x) : (tensor<512xi8>) -> "
            "tensor<512xi8>",
            1);
  inlinePtx("f16", "neg.f16x2 $0, $1;", "=r,r", 2, "arith.negf %x : tensor<512xf16>", 2);
}

} // namespace
} // namespace pavage::gpu

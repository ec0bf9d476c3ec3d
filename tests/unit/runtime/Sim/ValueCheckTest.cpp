// Checks that follow values and counts: wrap, NaN, extents, atomics. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/runtime/Sim/CheckKernel.h"

namespace pavage::sim {
namespace {

/// check() with one more kind, or with a changed setup of buffers.
Session withChecks(const std::string &body, u32 checks, u32 threads = 32) {
  Session run;
  run.options.block[0] = threads;
  run.options.checks = checks;
  run.buffer(U(256, 1));
  run.empty(1024);
  std::string setup = "mov.u32 %r0, %tid.x; ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; mul.wide.u32 %q2, %r0, 4; "
                      "add.u64 %q4, %q1, %q2;\n";
  EXPECT_TRUE(run.launch(run.kernel(setup + body))) << run.error;
  return run;
}

TEST(SimCheck, AddressesThatWrap) {
  // 65536 * 65537 * 4 = 2^34 + 2^18: cut to 32 bits it is 2^18, less the buffer it would be found by bounds; mask the
  // load, so that the address alone is wrong.
  FOUND(Kind::Wrap, "mov.u32 %r3, 65536; mul.lo.s32 %r4, %r3, 65536; cvt.s64.s32 %q5, %r4; add.s64 %q6, %q0, %q5; "
                    "ld.global.u32 %r5, [%q6]; st.global.u32 [%q4], %r5;");
  CLEAN("mov.u32 %r3, 65536; mul.wide.s32 %q5, %r3, 0; add.s64 %q6, %q0, %q5; ld.global.u32 %r5, [%q6]; "
        "st.global.u32 [%q4], %r5;");
  // mad, add, shl and sub; by mul.wide and through a loop-carried copy.
  FOUND(Kind::Wrap, "mov.u32 %r3, 0x40000000; mad.lo.s32 %r4, %r3, 4, %r0; mul.wide.s32 %q5, %r4, 4; add.s64 %q6, %q0, "
                    "%q5; ld.global.u32 %r5, [%q6]; st.global.u32 [%q4], %r5;");
  FOUND(Kind::Wrap, "mov.u32 %r3, 0x40000000; shl.b32 %r4, %r3, 2; add.s32 %r5, %r4, %r0; mul.wide.s32 %q5, %r5, 4; "
                    "add.s64 %q6, %q0, %q5; ld.global.u32 %r6, [%q6]; st.global.u32 [%q4], %r6;");
  FOUND(Kind::Wrap,
        "mov.u32 %r3, 0x7fffffff; add.s32 %r4, %r3, %r3; mov.u32 %r5, %r4; add.s32 %r5, %r5, 2; mul.wide.s32 "
        "%q5, %r5, 4; add.s64 %q6, %q0, %q5; red.global.add.u32 [%q6], 0;");
  FOUND(Kind::Wrap,
        "mov.u32 %r3, 0x80000000; sub.s32 %r4, %r3, 1; sub.s32 %r4, %r4, 0x7fffffff; mul.wide.s32 %q5, %r4, "
        "4; add.s64 %q6, %q0, %q5; ld.global.u32 %r5, [%q6]; st.global.u32 [%q4], %r5;");
}

TEST(SimCheck, WrapsThatAreMeantAreQuiet) {
  // A hash is cut down before it becomes an index.
  CLEAN("mul.lo.s32 %r3, %r0, 0x9e3779b1; shr.u32 %r4, %r3, 28; mul.wide.u32 %q5, %r4, 4; add.s64 %q6, %q0, %q5; "
        "ld.global.u32 %r5, [%q6]; st.global.u32 [%q4], %r5;");
  CLEAN("mul.lo.s32 %r3, %r0, 0x9e3779b1; and.b32 %r4, %r3, 63; mul.wide.u32 %q5, %r4, 4; add.s64 %q6, %q0, %q5; "
        "ld.global.u32 %r5, [%q6]; st.global.u32 [%q4], %r5;");
  // n - 1 as an addition of all ones, zero extended.
  CLEAN("add.s32 %r3, %r0, 5; add.s32 %r4, %r3, -1; mul.wide.u32 %q5, %r4, 4; add.s64 %q6, %q0, %q5; ld.global.u32 "
        "%r5, [%q6]; st.global.u32 [%q4], %r5;");
  // The lanes whose index wraps do not take part.
  CLEAN("mul.lo.s32 %r3, %r0, 0x08000000; setp.lt.u32 %p0, %r0, 1; mul.wide.s32 %q5, %r3, 4; add.s64 %q6, %q0, %q5; "
        "@%p0 ld.global.u32 %r5, [%q6]; @%p0 st.global.u32 [%q4], %r5;");
  // The check can be left out.
  Session run = withChecks("mov.u32 %r3, 65536; mul.lo.s32 %r4, %r3, 65536; cvt.s64.s32 %q5, %r4; add.s64 %q6, %q0, "
                           "%q5; ld.global.u32 %r5, [%q6]; st.global.u32 [%q4], %r5;",
                           allChecks & ~bit(Kind::Wrap));
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
}

TEST(SimCheck, BirthOfNan) {
  constexpr u32 checks = allChecks | bit(Kind::Nan);
  auto births = [&](const std::string &body) { return withChecks(body, checks).count(Kind::Nan); };
  const char *store = "st.global.f32 [%q4], %f2;";
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0f7f800000; sub.rn.f32 %f2, %f0, %f0; ") + store), 1u);
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0f7f800000; mov.f32 %f1, 0f00000000; mul.rn.f32 %f2, %f0, %f1; ") + store),
            1u);
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0fbf800000; sqrt.rn.f32 %f2, %f0; ") + store), 1u);
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0f00000000; div.rn.f32 %f2, %f0, %f0; ") + store), 1u);
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0fbf800000; lg2.approx.f32 %f2, %f0; ") + store), 1u);
  EXPECT_EQ(births("mov.b32 %r3, 0x7c007c00; fma.rn.f16x2 %r4, %r3, %r3, %r3; mov.b32 %r5, 0xfc00fc00; "
                   "add.rn.f16x2 %r4, %r4, %r5; st.global.u32 [%q4], %r4;"),
            1u);
  // One that is passed on was born elsewhere; a result that is none is none.
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0f7fffffff; add.rn.f32 %f2, %f0, %f0; ") + store), 0u);
  EXPECT_EQ(births(std::string("mov.f32 %f0, 0f7f800000; add.rn.f32 %f2, %f0, %f0; ") + store), 0u);
  // Only on request.
  EXPECT_EQ(withChecks(std::string("mov.f32 %f0, 0f7f800000; sub.rn.f32 %f2, %f0, %f0; ") + store, allChecks)
                .count(Kind::Nan),
            0u);
  // A product of matrices: infinity in A, zero in B.
  const char *mma = "mov.b32 %r3, %s; mov.b32 %r4, 0; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, "
                    "%f5}, {%r3, %r3}, {%r4}, {%f6, %f6, %f6, %f6}; st.global.f32 [%q4], %f2;";
  auto product = [&](const char *a) {
    std::string text = std::string("mov.f32 %f6, 0f00000000; ") + mma;
    text.replace(text.find("%s"), 2, a);
    return births(text);
  };
  EXPECT_EQ(product("0x7c007c00"), 1u);
  EXPECT_EQ(product("0x3c003c00"), 0u);
}

/// One array argument over a buffer of 256 words; the kernel reads word `index` of it.
Session readArray(std::vector<i64> shape, std::vector<i64> strides, u32 offset, const std::string &read) {
  Session run;
  run.options.block[0] = 1;
  u64 base = run.buffer(U(256, 1));
  run.empty(4);
  LaunchArray x;
  x.array.base = base + offset;
  x.array.shape = shape.data();
  x.array.strides = strides.empty() ? nullptr : strides.data();
  x.array.ndim = static_cast<i32>(shape.size());
  x.array.itemsize = 4;
  x.name = "x";
  run.options.arrays = {x};
  EXPECT_TRUE(
      run.launch(run.kernel("ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; " + read + " st.global.u32 [%q1], %r0;")))
      << run.error;
  return run;
}

TEST(SimCheck, LogicalExtents) {
  // x[:, :5] of an array of 16 rows of 16.
  auto row = [](const std::string &read) { return readArray({16, 5}, {64, 4}, 0, read); };
  EXPECT_EQ(row("ld.global.u32 %r0, [%q0+976];").findings(), "");
  Session run = row("ld.global.u32 %r0, [%q0+84];");
  ASSERT_EQ(run.count(Kind::Oob), 1u) << run.findings();
  EXPECT_NE(run.result.findings[0].message.find("no element of 'x': index [1, 5] of shape [16, 5]"), std::string::npos)
      << run.findings();
  EXPECT_EQ(row("ld.global.u32 %r0, [%q0+980];").count(Kind::Oob), 1u);
  EXPECT_EQ(row("ld.global.v2.u32 {%r0, %r1}, [%q0+16];").count(Kind::Oob), 1u); // half of it
  EXPECT_EQ(row("mov.u32 %r0, 0; st.global.u32 [%q0+20], %r0;").count(Kind::Oob), 1u);
  EXPECT_EQ(row("atom.global.add.u32 %r0, [%q0+24], 1;").count(Kind::Oob), 1u);
  // A part of a larger allocation: what is before and behind belongs to others.
  EXPECT_EQ(readArray({8}, {}, 64, "ld.global.u32 %r0, [%q0+64];").findings(), "");
  EXPECT_EQ(readArray({8}, {}, 64, "ld.global.u32 %r0, [%q0+60];").count(Kind::Oob), 1u);
  EXPECT_EQ(readArray({8}, {}, 64, "ld.global.u32 %r0, [%q0+96];").count(Kind::Oob), 1u);
  // From the back, and the whole of it.
  EXPECT_EQ(readArray({4}, {-8}, 32, "ld.global.u32 %r0, [%q0+8];").findings(), "");
  EXPECT_EQ(readArray({4}, {-8}, 32, "ld.global.u32 %r0, [%q0+12];").count(Kind::Oob), 1u);
  EXPECT_EQ(readArray({256}, {}, 0, "ld.global.u32 %r0, [%q0+1020];").findings(), "");
}

TEST(SimCheck, LogicalExtentsOfCopies) {
  auto copy = [](u32 at) {
    return readArray(
        {16, 8}, {64, 4}, 0,
        "{ .shared .align 16 .b8 s[16]; .reg .b32 to; mov.u32 to, s; cp.async.cg.shared.global [to], [%q0+" +
            std::to_string(at) + "], 16; cp.async.wait_all; ld.shared.u32 %r0, [to]; }");
  };
  EXPECT_EQ(copy(16).findings(), "");
  EXPECT_EQ(copy(32).count(Kind::Oob), 1u);
}

/// 64 threads of which those below `limit` add to one word, with a rule for that line.
Session addTo(u32 limit, u64 asked, const std::string &extra = "") {
  Session run;
  run.options.block[0] = 64;
  run.options.grid[0] = 3;
  run.buffer(U(1, 0));
  std::string text = run.kernel("ld.param.u64 %q0, [p0]; mov.u32 %r0, %tid.x;\n" + extra + "setp.lt.u32 %p0, %r0, " +
                                std::to_string(limit) + ";\n@%p0 red.global.add.u32 [%q0], 1;");
  size_t at = text.find("@%p0 red");
  u32 line = static_cast<u32>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
  run.options.atomics = {{line, asked}};
  EXPECT_TRUE(run.launch(text)) << run.error;
  return run;
}

TEST(SimCheck, AtomicsPerLaunchRule) {
  EXPECT_EQ(addTo(64, 64).findings(), "");
  EXPECT_EQ(addTo(16, 16).findings(), "");
  EXPECT_EQ(addTo(64, 32).count(Kind::AtomicCount), 1u); // two threads per element
  EXPECT_EQ(addTo(48, 64).count(Kind::AtomicCount), 1u); // a guard too narrow
  EXPECT_EQ(addTo(0, 64).count(Kind::AtomicCount), 1u);  // a guard that is never true
}

TEST(SimCheck, AtomicsPerOp) {
  auto run = [](u32 limit, bool isMasked, u32 rounds) {
    Session s;
    s.options.block[0] = 64;
    s.options.schedule = rounds > 1 ? Schedule::Independent : Schedule::Converged;
    s.buffer(U(1, 0));
    std::string text = s.kernel("ld.param.u64 %q0, [p0]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\nsetp.lt.u32 %p0, %r0, " +
                                std::to_string(limit) +
                                ";\nL:\n@%p0 red.global.add.u32 [%q0], 1;\nadd.u32 %r1, %r1, 1; "
                                "setp.lt.u32 %p1, %r1, " +
                                std::to_string(rounds) + "; @%p1 bra L;");
    auto module = s.gpu.load(text, "test.ptx");
    EXPECT_TRUE(module) << module.error().render();
    u32 line = 0;
    for (u32 k = 0; k < (*module)->lines.size(); ++k) {
      line = (*module)->lines[k].find("red.") != std::string::npos ? k + 1 : line;
    }
    (*module)->ops = {{"tile.atomic_rmw add", {"demo.py", 7, 3}, 32, isMasked},
                      {"tile.load", {"demo.py", 9, 1}, 0, false}};
    (*module)->opLines = {{line, 0}, {line + 1, 1}};
    std::vector<u8> params(8);
    std::memcpy(params.data(), s.addresses.data(), 8);
    auto result = s.gpu.launch(**module, "k", s.options, params);
    EXPECT_TRUE(result) << result.error().render();
    s.result = std::move(*result);
    return s;
  };
  EXPECT_EQ(run(32, false, 1).findings(), "");
  EXPECT_EQ(run(32, false, 5).findings(), "");
  EXPECT_EQ(run(16, true, 1).findings(), ""); // a mask may leave some out
  EXPECT_EQ(run(16, false, 1).count(Kind::AtomicCount), 1u);
  Session twice = run(64, true, 5);
  ASSERT_EQ(twice.count(Kind::AtomicCount), 1u) << twice.findings();
  EXPECT_EQ(twice.result.findings[0].op, "tile.atomic_rmw add");
  EXPECT_NE(twice.result.findings[0].message.find("320 were executed in 5 rounds"), std::string::npos)
      << twice.findings();
}

TEST(SimCheck, FindingsNameTheOp) {
  Session s;
  s.buffer(U(4, 0));
  std::string text = s.kernel("ld.param.u64 %q0, [p0];\nld.global.u32 %r0, [%q0+16];\nst.global.u32 [%q0+20], %r1;");
  auto module = s.gpu.load(text, "test.ptx");
  ASSERT_TRUE(module) << module.error().render();
  u32 line = 0;
  for (u32 k = 0; k < (*module)->lines.size(); ++k) {
    line = (*module)->lines[k].find("ld.global") != std::string::npos ? k + 1 : line;
  }
  (*module)->ops = {{"tile.load", {"demo.py", 7, 3}, 0, false}};
  (*module)->opLines = {{line, 0}, {line + 1, artifact::OpLine::noOp}};
  std::vector<u8> params(8);
  std::memcpy(params.data(), s.addresses.data(), 8);
  auto result = s.gpu.launch(**module, "k", s.options, params);
  ASSERT_TRUE(result) << result.error().render();
  ASSERT_GE(result->findings.size(), 2u);
  EXPECT_EQ(result->findings[0].op, "tile.load");
  EXPECT_EQ(result->findings[1].op, "");
}

} // namespace
} // namespace pavage::sim

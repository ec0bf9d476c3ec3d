// Every check: a planted fault is found, the same kernel without it is clean. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/runtime/Sim/CheckKernel.h"

namespace pavage::sim {
namespace {

TEST(SimCheck, OutOfBounds) {
  CLEAN("ld.global.u32 %r3, [%q3+768]; st.global.u32 [%q4], %r3;", 64);
  FOUND(Kind::Oob, "ld.global.u32 %r3, [%q3+772]; st.global.u32 [%q4], %r3;", 64);
  FOUND(Kind::Oob, "st.global.u32 [%q4+-4], %r0;", 64);
  FOUND(Kind::Oob, "mov.u64 %q5, 0; ld.global.u32 %r3, [%q5];", 1);
  FOUND(Kind::Oob, "st.shared.u32 [%r2+1024], %r0;", 1);
  FOUND(Kind::Oob, "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%q0+1024];", 1);
  FOUND(Kind::Oob, "ld.param.u64 %q5, [p1+8];", 1);
}

TEST(SimCheck, ALaneThatFaultsDoesNotStopTheOthers) {
  Session run = check("ld.global.u32 %r3, [%q3+772]; st.global.u32 [%q4], %r3;", 64);
  EXPECT_EQ(run.read<u32>(1, 1)[0], 1u);
}

TEST(SimCheck, Misaligned) {
  CLEAN("ld.global.v2.u32 {%r3, %r4}, [%q0+8];", 1);
  FOUND(Kind::Misaligned, "ld.global.v2.u32 {%r3, %r4}, [%q0+4];", 1);
  FOUND(Kind::Misaligned, "st.shared.u64 [%r1+4], %q0;", 1);
  FOUND(Kind::Misaligned, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1+8];", 32);
}

TEST(SimCheck, UseAfterFree) {
  Session run;
  u64 address = run.buffer(U(16, 1));
  EXPECT_TRUE(run.gpu.memory().release(address));
  ASSERT_TRUE(run.launch(run.kernel("ld.param.u64 %q0, [p0]; ld.global.u32 %r0, [%q0];"))) << run.error;
  EXPECT_EQ(run.count(Kind::UseAfterFree), 1u);
  EXPECT_FALSE(run.gpu.memory().release(address));
  EXPECT_NE(run.gpu.memory().allocate(64, "again"), address);
}

TEST(SimCheck, BytesOfWordsAreDefinedEachByItself) {
  // %h9 and %r29 are never written. Only the part that is asked for must be: as packed, through logic, low and high.
  const std::string pack = "mov.b16 %h0, 7; mov.b32 %r3, {%h0, %h9}; mov.b32 %r4, {%h9, %h0}; ";
  CLEAN(pack + "mov.b32 {%h1, _}, %r3; st.global.u16 [%q4], %h1;");
  CLEAN(pack + "mov.b32 {_, %h1}, %r4; st.global.u16 [%q4], %h1;");
  CLEAN(pack + "xor.b32 %r5, %r3, %r0; not.b32 %r5, %r5; mov.b32 {%h1, %h2}, %r5; st.global.u16 [%q4], %h1;");
  CLEAN(pack + "or.b32 %r3, %r0, %r3; mov.b32 {%h1, %h2}, %r3; st.global.u16 [%q4], %h1;");
  FOUND(Kind::Uninit, pack + "mov.b32 {_, %h1}, %r3; st.global.u16 [%q4], %h1;");
  FOUND(Kind::Uninit, pack + "mov.b32 {%h1, _}, %r4; st.global.u16 [%q4], %h1;");
  FOUND(Kind::Uninit, pack + "and.b32 %r5, %r3, %r0; mov.b32 {%h1, %h2}, %r5; st.global.u16 [%q4], %h2;");
  FOUND(Kind::Uninit, pack + "and.b32 %r5, %r3, %r4; mov.b32 {%h1, _}, %r5; st.global.u16 [%q4], %h1;");
  FOUND(Kind::Uninit, pack + "st.global.u32 [%q4], %r3;");
  FOUND(Kind::Uninit, pack + "add.u32 %r5, %r3, 1; mov.b32 {%h1, _}, %r5; st.global.u16 [%q4], %h1;");
  // Bytes: as packed, stored, picked again, with their sign.
  const std::string pick = "prmt.b32 %r3, %r0, %r29, 0x4510; and.b32 %r4, %r3, %r0; ";
  CLEAN(pick + "st.global.u16 [%q4], %r4;");
  CLEAN(pick + "prmt.b32 %r5, %r4, 0, 0x7701; st.global.u32 [%q4], %r5;");
  CLEAN(pick + "prmt.b32 %r5, %r4, 0, 0x9991; cvt.u16.u32 %h1, %r5; st.global.u16 [%q4], %h1;");
  CLEAN(pick + "mov.b32 {%h1, %h2}, %r4; st.global.u16 [%q4], %h1;");
  FOUND(Kind::Uninit, pick + "st.global.u32 [%q4], %r4;");
  FOUND(Kind::Uninit, pick + "prmt.b32 %r5, %r4, 0, 0x7721; st.global.u32 [%q4], %r5;");
  FOUND(Kind::Uninit, pick + "prmt.b32 %r5, %r4, 0, 0x3777; st.global.u32 [%q4], %r5;");
  FOUND(Kind::Uninit, pick + "mov.b32 {%h1, %h2}, %r4; st.global.u16 [%q4], %h2;");
  FOUND(Kind::Uninit, "prmt.b32 %r3, %r0, %r29, 0x3240; prmt.b32 %r4, %r3, 0, 0x7771; st.global.u8 [%q4], %r3; "
                      "st.global.u16 [%q4], %r3;");
  // Written anew by something else, as a whole: from memory that is not written.
  FOUND(Kind::Uninit, pack + "ld.shared.u32 %r3, [%r2]; mov.b32 {%h1, _}, %r3; st.global.u16 [%q4], %h1;");
}

TEST(SimCheck, Uninitialised) {
  CLEAN("st.shared.u32 [%r2], %r0; ld.shared.u32 %r3, [%r2]; st.global.u32 [%q4], %r3;");
  FOUND(Kind::Uninit, "ld.shared.u32 %r3, [%r2]; st.global.u32 [%q4], %r3;");
  FOUND(Kind::Uninit, "ld.global.u32 %r3, [%q4]; st.global.u32 [%q3], %r3;");
  FOUND(Kind::Uninit, "add.u32 %r4, %r3, 1; st.global.u32 [%q4], %r4;"); // %r3 is never written
  FOUND(Kind::Uninit, "ld.shared.u32 %r3, [%r2]; setp.eq.u32 %p0, %r3, 0; @%p0 bra L; L:");
  FOUND(Kind::Uninit, "ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r1, %r3; ld.shared.u32 %r5, [%r4];");
  // Only one half of the lanes writes: the others' value stays undefined.
  FOUND(Kind::Uninit, "setp.lt.u32 %p0, %r0, 8; @%p0 mov.u32 %r3, 5; st.global.u32 [%q4], %r3;");
  CLEAN("setp.lt.u32 %p0, %r0, 8; @%p0 mov.u32 %r3, 5; @%p0 st.global.u32 [%q4], %r3;");
  // A selection is as defined as what it chooses, lane by lane.
  CLEAN("setp.ge.u32 %p0, %r0, 0; ld.shared.u32 %r3, [%r2]; selp.u32 %r4, %r0, %r3, %p0; st.global.u32 [%q4], %r4;");
  FOUND(Kind::Uninit,
        "setp.lt.u32 %p0, %r0, 8; ld.shared.u32 %r3, [%r2]; selp.u32 %r4, %r0, %r3, %p0; st.global.u32 [%q4], %r4;");
  // Each register of a vector by itself.
  CLEAN("st.shared.u32 [%r1], %r0; ld.shared.v2.u32 {%r3, %r4}, [%r1]; st.global.u32 [%q4], %r3;", 1);
  FOUND(Kind::Uninit, "st.shared.u32 [%r1], %r0; ld.shared.v2.u32 {%r3, %r4}, [%r1]; st.global.u32 [%q4], %r4;", 1);
  // Loading and moving undefined values is no fault.
  CLEAN("ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1]; st.shared.u32 [%r2], %r3;", 1);
}

TEST(SimCheck, SharedRaces) {
  const char *tail =
      "xor.b32 %r3, %r0, 32; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q4], %r5;";
  CLEAN(std::string("st.shared.u32 [%r2], %r0; bar.sync 0; ") + tail);
  FOUND(Kind::RaceShared, std::string("st.shared.u32 [%r2], %r0; ") + tail);
  FOUND(Kind::RaceShared, "st.shared.u32 [%r1], %r0;"); // write after write
  CLEAN("st.shared.u32 [%r1+512], 0; red.shared.add.u32 [%r1+512], 1;", 1);
  FOUND(Kind::RaceShared, std::string("st.shared.u32 [%r2], %r0; bar.sync 0; ") + tail +
                              " st.shared.u32 [%r2], %r0;"); // write after read
  CLEAN(std::string("st.shared.u32 [%r2], %r0; bar.sync 0; ") + tail + " bar.sync 0; st.shared.u32 [%r2], %r0;");
  // Halves of one word by two warps do not race.
  CLEAN("shl.b32 %r3, %r0, 1; add.u32 %r3, %r3, %r1; cvt.u16.u32 %h0, %r0; st.shared.u16 [%r3], %h0;", 33);
  // Atomics do not race with each other.
  CLEAN("setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [%r1], 0; bar.sync 0; red.shared.add.u32 [%r1], 1;");
}

TEST(SimCheck, NamedBarriersOrderTheirWarpsOnly) {
  const char *tail =
      " xor.b32 %r3, %r0, 32; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q4], %r5;";
  CLEAN(std::string("st.shared.u32 [%r2], %r0; barrier.sync 3, 64;") + tail);
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2; warp 2 reads what warp 0 wrote.
  FOUND(Kind::RaceShared,
        "st.shared.u32 [%r2], %r0; shr.u32 %r3, %r0, 6; add.u32 %r3, %r3, 1; barrier.sync %r3, 64; xor.b32 %r3, %r0, "
        "64; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4];",
        128);
  CLEAN("setp.lt.u32 %p0, %r0, 32; @%p0 bra P; barrier.sync 1, 64; ld.shared.u32 %r5, [%r1]; st.global.u32 [%q4], %r5; "
        "bra E; P: st.shared.u32 [%r2], %r0; barrier.arrive 1, 64; E:");
  FOUND(Kind::RaceShared, "setp.lt.u32 %p0, %r0, 32; @%p0 bra P; barrier.sync 1, 64; ld.shared.u32 %r5, [%r1]; "
                          "st.global.u32 [%q4], %r5; bra E; P: barrier.arrive 1, 64; st.shared.u32 [%r2], %r0; E:");
}

TEST(SimCheck, GlobalRaces) {
  CLEAN("mad.lo.u32 %r3, %r9, 64, %r0; mul.wide.u32 %q5, %r3, 4; add.u64 %q5, %q1, %q5; st.global.u32 [%q5], %r0;", 64,
        4);
  FOUND(Kind::RaceGlobal, "add.u32 %r3, %r9, %r0; st.global.u32 [%q4], %r3;", 64, 4);
  FOUND(Kind::RaceGlobal, "ld.global.u32 %r3, [%q0]; setp.eq.u32 %p0, %r9, 1; @%p0 st.global.u32 [%q0], %r3;", 1, 4);
  CLEAN("red.global.add.u32 [%q0], 1;", 64, 4);
}

TEST(SimCheck, ReleaseAndAcquireOrderCtas) {
  // CTA 0 writes data and releases a flag, CTA 1 waits for it and reads.
  const char *consumer = "W: ld.acquire.gpu.global.u32 %r3, [%q0]; setp.ne.u32 %p1, %r3, 7; @%p1 bra W; ld.global.u32 "
                         "%r4, [%q1+4]; st.global.u32 [%q1+8], %r4; bra E;\n";
  CLEAN(std::string("setp.eq.u32 %p0, %r9, 0; @%p0 bra P;\n") + consumer +
            "P: st.global.u32 [%q1+4], 5; st.release.gpu.global.u32 [%q0], 7; E:",
        1, 2);
  CLEAN(std::string("setp.eq.u32 %p0, %r9, 0; @%p0 bra P;\n") + consumer +
            "P: st.global.u32 [%q1+4], 5; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%q0], 7; E:",
        1, 2);
  FOUND(Kind::RaceGlobal,
        std::string("setp.eq.u32 %p0, %r9, 0; @%p0 bra P;\n") + consumer +
            "P: st.global.u32 [%q1+4], 5; st.relaxed.gpu.global.u32 [%q0], 7; E:",
        1, 2);
}

TEST(SimCheck, AsyncCopies) {
  const char *start = "cp.async.ca.shared.global [%r2], [%q3], 4; cp.async.commit_group; ";
  const char *use = "ld.shared.u32 %r3, [%r2]; st.global.u32 [%q4], %r3;";
  for (AsyncMode mode : {AsyncMode::Eager, AsyncMode::Lazy, AsyncMode::Random}) {
    CLEAN(std::string(start) + "cp.async.wait_group 0; " + use, 64, 1, mode);
    FOUND(Kind::AsyncRead, std::string(start) + use, 64, 1, mode);
    FOUND(Kind::AsyncRead, std::string(start) + "cp.async.wait_group 1; " + use, 64, 1, mode);
    CLEAN(std::string(start) + "cp.async.commit_group; cp.async.wait_group 1; " + use, 64, 1, mode);
    CLEAN(std::string(start) + "cp.async.wait_all; " + use, 64, 1, mode);
    FOUND(Kind::AsyncRead, std::string(start) + "st.shared.u32 [%r2], 5; cp.async.wait_all;", 64, 1, mode);
  }
  // Another warp needs a barrier after the wait.
  const char *other =
      "xor.b32 %r3, %r0, 32; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q4], %r5;";
  CLEAN(std::string(start) + "cp.async.wait_all; bar.sync 0; " + other);
  {
    Session run = check(std::string(start) + "cp.async.wait_all; " + other);
    EXPECT_GE(run.count(Kind::RaceShared) + run.count(Kind::AsyncRead), 1u) << run.findings();
  }
}

TEST(SimCheck, AsyncCopyFillsWithZeros) {
  Session run = check("mov.u32 %r5, 0; cp.async.ca.shared.global [%r2], [%q3], 4, %r5; cp.async.wait_all; "
                      "ld.shared.u32 %r3, [%r2]; st.global.u32 [%q4], %r3;");
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  EXPECT_EQ(run.read<u32>(1, 1)[0], 0u);
  // No read of the source happens.
  CLEAN("mov.u32 %r5, 0; mov.u64 %q6, 0; cp.async.cg.shared.global [%r1], [%q6], 16, %r5; cp.async.wait_all;", 1);
  FOUND(Kind::Oob, "mov.u64 %q6, 0; cp.async.cg.shared.global [%r1], [%q6], 16; cp.async.wait_all;", 1);
}

TEST(SimCheck, LazyCopiesShowWrongValues) {
  Session run = check("cp.async.ca.shared.global [%r2], [%q3], 4; ld.shared.u32 %r3, [%r2]; st.global.u32 [%q4], %r3; "
                      "cp.async.wait_all;");
  EXPECT_EQ(run.read<u32>(1, 1)[0], ~0u);
}

TEST(SimCheck, Barriers) {
  CLEAN("bar.sync 0; bar.sync 1;");
  FOUND(Kind::Barrier, "setp.lt.u32 %p0, %r0, 16; @%p0 bra A; bar.sync 0; bra E; A: bar.sync 0; E:", 32);
  FOUND(Kind::Barrier, "bar.sync 0, 40;");
  FOUND(Kind::Barrier,
        "setp.lt.u32 %p0, %r0, 32; @%p0 bra A; barrier.sync 1, 64; bra E; A: barrier.sync 1, 96; E:", 96);
  FOUND(Kind::Barrier, "barrier.sync 16;");
  // The same barrier, reached in divergent order but by all.
  CLEAN("setp.lt.u32 %p0, %r0, 16; @%p0 bra A; add.u32 %r3, %r0, 1; A: bar.sync 0;", 32);
  // Exited threads do not count.
  CLEAN("setp.lt.u32 %p0, %r0, 32; @%p0 exit; bar.sync 0;");
}

TEST(SimCheck, BarrierReductions) {
  Session run = check("setp.lt.u32 %p0, %r0, 40; bar.red.popc.u32 %r3, 0, %p0; st.global.u32 [%q4], %r3; "
                      "bar.red.and.pred %p1, 0, %p0; bar.red.or.pred %p2, 0, %p0; selp.u32 %r4, 1, 0, %p1; selp.u32 "
                      "%r5, 1, 0, %p2; st.global.u32 [%q4+256], %r4; st.global.u32 [%q4+512], %r5;");
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  U out = run.read<u32>(1, 256);
  EXPECT_EQ(out[63], 40u);
  EXPECT_EQ(out[64 + 63], 0u);
  EXPECT_EQ(out[128], 1u);
}

TEST(SimCheck, Deadlocks) {
  FOUND(Kind::Deadlock, "setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; bra E; A: bar.sync 2; E:");
  FOUND(Kind::Deadlock, "setp.ge.u32 %p0, %r0, 32; @%p0 bra E; barrier.sync 1, 64; E:");
  Session run = check("setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; bra E; A: bar.sync 2; E:");
  ASSERT_EQ(run.result.findings.size(), 1u);
  EXPECT_NE(run.result.findings[0].message.find("barrier 2 (1 of 2 warps have arrived)"), std::string::npos)
      << run.findings();
}

const char *initBarrier = "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r1+512], 2; bar.sync 0; ";

TEST(SimCheck, MbarrierPipeline) {
  // Warp 1 produces, warp 0 consumes; one arrival of each leader completes the phase.
  std::string produce =
      "setp.lt.u32 %p1, %r0, 32; and.b32 %r3, %r0, 31; setp.eq.u32 %p2, %r3, 0; @%p1 bra C; st.shared.u32 [%r2], %r0; "
      "bar.warp.sync -1; "
      "@%p2 mbarrier.arrive.shared.b64 %q5, [%r1+512]; bra E; C: @%p2 mbarrier.arrive.shared.b64 _, [%r1+512]; ";
  std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r1+512], 0; @!%p3 bra W; ";
  CLEAN(initBarrier + produce + wait + "ld.shared.u32 %r4, [%r2+128]; st.global.u32 [%q4], %r4; E:");
  FOUND(Kind::RaceShared, initBarrier + produce + "ld.shared.u32 %r4, [%r2+128]; st.global.u32 [%q4], %r4; E:");
  // Nobody arrives for the second time.
  FOUND(Kind::Deadlock, initBarrier + produce +
                            "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r1+512], 1; @!%p3 bra W; X: "
                            "mbarrier.try_wait.parity.shared.b64 %p3, [%r1+512], 0; @!%p3 bra X; "
                            "Y: mbarrier.try_wait.parity.shared.b64 %p3, [%r1+512], 1; @!%p3 bra Y; E:");
  FOUND(Kind::Barrier, "@!%p0 mbarrier.arrive.shared.b64 _, [%r1+512];", 1); // never initialised; %p0 is not either
  FOUND(Kind::Barrier, initBarrier + std::string("mbarrier.arrive.shared.b64 _, [%r1+512], 3;"),
        1); // three arrivals, two expected
  FOUND(Kind::Barrier, initBarrier + std::string("ld.shared.u32 %r4, [%r1+512];"));
}

TEST(SimCheck, MbarrierCountsBytes) {
  CLEAN("setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r1+512], 1; bar.sync 0; @%p0 "
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r1+512], 16; "
        "@%p0 mbarrier.complete_tx.shared.b64 [%r1+512], 16; W: mbarrier.try_wait.parity.shared.b64 %p3, [%r1+512], 0; "
        "@!%p3 bra W;");
  FOUND(Kind::Deadlock, "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r1+512], 1; bar.sync 0; @%p0 "
                        "mbarrier.arrive.expect_tx.shared.b64 _, [%r1+512], 16; "
                        "@%p0 mbarrier.complete_tx.shared.b64 [%r1+512], 8; W: mbarrier.try_wait.parity.shared.b64 "
                        "%p3, [%r1+512], 0; @!%p3 bra W;");
}

TEST(SimCheck, MbarrierTracksCopies) {
  std::string init = "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r1+512], 64; bar.sync 0; "
                     "cp.async.ca.shared.global [%r2], [%q3], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%r1+512]; ";
  std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r1+512], 0; @!%p3 bra W; ";
  std::string use =
      "xor.b32 %r3, %r0, 32; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q4], %r5;";
  for (AsyncMode mode : {AsyncMode::Eager, AsyncMode::Lazy, AsyncMode::Random}) {
    CLEAN(init + wait + use, 64, 1, mode);
    Session run = check(init + use, 64, 1, mode);
    EXPECT_GE(run.count(Kind::AsyncRead) + run.count(Kind::RaceShared), 1u) << run.findings();
  }
}

TEST(SimCheck, Ends) {
  FOUND(Kind::Budget, "L: bra L;");
  FOUND(Kind::Trap, "trap;");
  CLEAN("setp.eq.u32 %p0, %r0, 1000; @%p0 trap;");
}

TEST(SimCheck, SeededSchedulesReplay) {
  auto run = [](u64 seed) {
    Session s;
    s.options.block[0] = 128;
    s.options.seed = seed;
    s.options.checks = 0;
    s.buffer(U(1, 0));
    s.empty(128 * 4);
    EXPECT_TRUE(
        s.launch(s.kernel("mov.u32 %r0, %tid.x; ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; atom.global.add.u32 "
                          "%r1, [%q0], 1; mad.wide.u32 %q2, %r0, 4, %q1; st.global.u32 [%q2], %r1;")))
        << s.error;
    return s.read<u32>(1, 128);
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(SimCheck, HostThreadsAgree) {
  for (u32 threads : {1u, 3u}) {
    Session s;
    s.options.block[0] = 64;
    s.options.grid[0] = 37;
    s.options.hostThreads = threads;
    s.buffer(U(1, 0));
    EXPECT_TRUE(s.launch(s.kernel("ld.param.u64 %q0, [p0]; red.global.add.u32 [%q0], 1;"))) << s.error;
    EXPECT_EQ(s.read<u32>(0, 1)[0], 64u * 37);
    EXPECT_EQ(s.result.totals.warpInstructions, 2u * 37 * 3);
  }
}

} // namespace
} // namespace pavage::sim

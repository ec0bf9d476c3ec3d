// Races: between lanes of a warp, and between CTAs by epoch and unit. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/runtime/Sim/CheckKernel.h"

namespace pavage::sim {
namespace {

// Every lane reads the word of its neighbour.
const char *neighbour = "xor.b32 %r3, %r0, 1; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 "
                        "[%q4], %r5; ";

TEST(SimRace, LanesOfOneWarp) {
  FOUND(Kind::RaceShared, std::string("st.shared.u32 [%r2], %r0; ") + neighbour, 32);
  CLEAN(std::string("st.shared.u32 [%r2], %r0; bar.warp.sync -1; ") + neighbour, 32);
  CLEAN(std::string("st.shared.u32 [%r2], %r0; bar.sync 0; ") + neighbour, 32);
  CLEAN(std::string("st.shared.u32 [%r2], %r0; membar.cta; ") + neighbour, 32);
  CLEAN(std::string("st.shared.u32 [%r2], %r0; shfl.sync.idx.b32 %r6, %r0, 0, 31, -1; ") + neighbour, 32);
  // Own words need no order.
  CLEAN("st.shared.u32 [%r2], %r0; ld.shared.u32 %r5, [%r2]; st.shared.u32 [%r2], %r5; st.global.u32 [%q4], %r5;", 32);
  // Write after read.
  FOUND(Kind::RaceShared,
        std::string("st.shared.u32 [%r2], %r0; bar.warp.sync -1; ") + neighbour + "st.shared.u32 [%r2], %r5;", 32);
  CLEAN(std::string("st.shared.u32 [%r2], %r0; bar.warp.sync -1; ") + neighbour +
            "bar.warp.sync -1; st.shared.u32 [%r2], %r5;",
        32);
  // Volatile and atomic accesses do not race with each other.
  CLEAN("st.volatile.shared.u32 [%r2], %r0; xor.b32 %r3, %r0, 1; mad.lo.u32 %r4, %r3, 4, %r1; ld.volatile.shared.u32 "
        "%r5, [%r4]; st.global.u32 [%q4], %r5;",
        32);
}

TEST(SimRace, MasksOrderTheirLanesOnly) {
  // Groups of eight lanes synchronise; a neighbour is in the group, a lane 16 away is not.
  const char *sync = "st.shared.u32 [%r2], %r0; and.b32 %r3, %r0, 24; mov.u32 %r6, 255; shl.b32 %r6, %r6, %r3; "
                     "bar.warp.sync %r6; ";
  CLEAN(std::string(sync) + neighbour, 32);
  FOUND(Kind::RaceShared,
        std::string(sync) + "xor.b32 %r3, %r0, 16; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; "
                            "st.global.u32 [%q4], %r5;",
        32);
  // Two steps, pairs and then fours, order lanes 0 and 3 through lane 1 or 2.
  CLEAN("st.shared.u32 [%r2], %r0; and.b32 %r3, %r0, 30; mov.u32 %r6, 3; shl.b32 %r6, %r6, %r3; bar.warp.sync %r6; "
        "and.b32 %r3, %r0, 28; mov.u32 %r6, 15; shl.b32 %r6, %r6, %r3; bar.warp.sync %r6; xor.b32 %r3, %r0, 3; "
        "mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q4], %r5;",
        32);
}

TEST(SimRace, OneStoreToOnePlace) {
  FOUND(Kind::RaceShared, "st.shared.u32 [%r1], %r0;", 32);
  CLEAN("st.shared.u32 [%r1], 7;", 32); // the same value
  CLEAN("setp.eq.u32 %p0, %r0, 5; @%p0 st.shared.u32 [%r1], %r0;", 32);
  FOUND(Kind::RaceShared, "and.b32 %r3, %r0, 15; mad.lo.u32 %r4, %r3, 4, %r1; st.shared.u32 [%r4], %r0;", 32);
}

TEST(SimRace, WarpsThatStoreTheSame) {
  auto store = [](const char *value) {
    return std::string("and.b32 %r3, %r0, 31; mad.lo.u32 %r4, %r3, 4, %r1; st.shared.u32 [%r4], ") + value +
           "; bar.sync 0; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q4], %r5;";
  };
  CLEAN(store("%r3"), 64);
  FOUND(Kind::RaceShared, store("%r0"), 64);
  // A store that is read without a barrier is a race, whatever it stores.
  FOUND(Kind::RaceShared,
        "and.b32 %r3, %r0, 31; mad.lo.u32 %r4, %r3, 4, %r1; setp.lt.u32 %p0, %r0, 32; @%p0 st.shared.u32 [%r4], %r3; "
        "@!%p0 ld.shared.u32 %r5, [%r4]; @!%p0 st.global.u32 [%q4], %r5;",
        64);
}

TEST(SimRace, CopiesOfAnotherLane) {
  const char *copy = "cp.async.ca.shared.global [%r2], [%q3], 4; cp.async.wait_all; ";
  FOUND(Kind::RaceShared, std::string(copy) + neighbour, 32);
  CLEAN(std::string(copy) + "bar.warp.sync -1; " + neighbour, 32);
}

// CTA 0 produces at [%q1+4], releases the flag [%q0]; CTA 1 waits for 7 and consumes.
std::string handOver(const std::string &produce, const std::string &consume) {
  return "setp.eq.u32 %p0, %r9, 0; @%p0 bra P;\nW: ld.acquire.gpu.global.u32 %r3, [%q0]; setp.ne.u32 %p1, %r3, 7; @%p1 "
         "bra W; " +
         consume + " bra E;\nP: " + produce + " E:";
}

TEST(SimRace, AfterTheReleaseIsNotBefore) {
  const char *use = "ld.global.u32 %r4, [%q1+4]; st.global.u32 [%q1+8], %r4;";
  CLEAN(handOver("st.global.u32 [%q1+4], 5; st.release.gpu.global.u32 [%q0], 7;", use), 1, 2);
  FOUND(Kind::RaceGlobal,
        handOver("st.global.u32 [%q1+4], 5; st.release.gpu.global.u32 [%q0], 7; st.global.u32 [%q1+4], 6;", use), 1, 2);
  // A fence covers what is before it only.
  CLEAN(handOver("st.global.u32 [%q1+4], 5; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%q0], 7;", use), 1, 2);
  FOUND(Kind::RaceGlobal,
        handOver("fence.acq_rel.gpu; st.global.u32 [%q1+4], 5; st.relaxed.gpu.global.u32 [%q0], 7;", use), 1, 2);
  // The consumer may take the flag over.
  CLEAN(handOver("st.global.u32 [%q1+4], 5; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%q0], 7;",
                 "st.global.u32 [%q0], 0;"),
        1, 2);
  CLEAN(handOver("st.release.gpu.global.u32 [%q0], 7;", "st.global.u32 [%q0], 0;"), 1, 2);
  // A release of the CTA's own scope says nothing to another CTA.
  FOUND(Kind::RaceGlobal, handOver("st.global.u32 [%q1+4], 5; st.release.cta.global.u32 [%q0], 7;", use), 1, 2);
}

TEST(SimRace, ReadsInTwoEpochsAreOnesOwn) {
  CLEAN("mad.lo.u32 %r3, %r9, 4, 0; cvt.u64.u32 %q5, %r3; add.u64 %q5, %q0, %q5; ld.global.u32 %r4, [%q5]; "
        "membar.gl; ld.global.u32 %r5, [%q5]; st.global.u32 [%q5], 3;",
        1, 4);
}

TEST(SimRace, AtomicsAndPlainAccesses) {
  FOUND(Kind::RaceGlobal, "setp.eq.u32 %p0, %r9, 0; @%p0 st.global.u32 [%q0], 5; @!%p0 red.global.add.u32 [%q0], 1;", 1,
        2);
  FOUND(Kind::RaceGlobal, "setp.eq.u32 %p0, %r9, 1; @%p0 ld.global.u32 %r3, [%q0]; @!%p0 red.global.add.u32 [%q0], 1;",
        1, 2);
  FOUND(Kind::RaceGlobal, "setp.eq.u32 %p0, %r9, 0; @%p0 ld.global.u32 %r3, [%q0]; @!%p0 red.global.add.u32 [%q0], 1;",
        1, 2);
  CLEAN("red.global.add.u32 [%q0], 1;", 64, 4);
  CLEAN("ld.volatile.global.u32 %r3, [%q0]; red.global.add.u32 [%q0], 1;", 1, 4);
  FOUND(Kind::RaceGlobal, "red.cta.global.add.u32 [%q0], 1;", 1, 2); // of CTA scope
  CLEAN("red.cta.global.add.u32 [%q0], 1;", 32, 1);
}

// What several CTAs have read or updated in one launch says nothing to the next.
TEST(SimRace, LaunchesAreOrdered) {
  Session run;
  run.options.grid[0] = 4;
  u64 x = run.buffer(U{1, 2});
  auto module = run.gpu.load(
      run.kernel("ld.param.u64 %q0, [p0]; ld.global.u32 %r0, [%q0]; red.global.add.u32 [%q0+4], 1;"), "read.ptx");
  auto writer = run.gpu.load(
      run.kernel("ld.param.u64 %q0, [p0]; mov.u32 %r0, %ctaid.x; setp.ne.u32 %p0, %r0, 2; @%p0 ret; st.global.v2.u32 "
                 "[%q0], {%r0, %r0};"),
      "write.ptx");
  ASSERT_TRUE(module && writer);
  std::vector<u8> params(8);
  std::memcpy(params.data(), &x, 8);
  for (const auto *m : {&*module, &*writer, &*module, &*writer}) {
    auto result = run.gpu.launch(**m, "k", run.options, params);
    ASSERT_TRUE(result) << result.error().render();
    EXPECT_TRUE(result->findings.empty()) << result->findings[0].message;
  }
}

TEST(SimRace, PartsOfAWord) {
  // Two halves of one word by two CTAs, then the same half.
  CLEAN("mad.lo.u32 %r3, %r9, 2, 0; cvt.u64.u32 %q5, %r3; add.u64 %q5, %q0, %q5; cvt.u16.u32 %h0, %r9; st.global.u16 "
        "[%q5], %h0;",
        1, 2);
  FOUND(Kind::RaceGlobal, "cvt.u16.u32 %h0, %r9; st.global.u16 [%q0], %h0;", 1, 2);
  FOUND(Kind::RaceGlobal,
        "cvt.u16.u32 %h0, %r9; setp.eq.u32 %p0, %r9, 0; @%p0 st.global.u8 [%q0+3], %h0; @!%p0 "
        "ld.global.u32 %r3, [%q0];",
        1, 2);
}

TEST(SimRace, IndependentSchedulesReplayAndAgree) {
  // A sum by shuffles and one through shared memory, with the lanes of a warp apart.
  auto run = [](u64 seed) {
    Session s;
    s.options.block[0] = 64;
    s.options.schedule = Schedule::Independent;
    s.options.seed = seed;
    s.empty(64 * 4);
    s.empty(64 * 4);
    EXPECT_TRUE(s.launch(s.kernel(
        "mov.u32 %r0, %tid.x; ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; mul.wide.u32 %q2, %r0, 4; add.u64 %q0, "
        "%q0, %q2; add.u64 %q1, %q1, %q2; setp.lt.u32 %p0, %r0, 40; mov.u32 %r1, %r0; @%p0 bra A; mul.lo.u32 %r1, %r1, "
        "3; "
        "A: shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.u32 %r1, %r1, %r2; mov.u32 %r3, smem; mad.lo.u32 %r4, %r0, 4, "
        "%r3; st.shared.u32 [%r4], %r1; bar.sync 0; xor.b32 %r5, %r0, 63; mad.lo.u32 %r4, %r5, 4, %r3; ld.shared.u32 "
        "%r6, "
        "[%r4]; st.global.u32 [%q0], %r6; activemask.b32 %r7; st.global.u32 [%q1], %r7;",
        256)))
        << s.error;
    EXPECT_TRUE(s.result.findings.empty()) << s.findings();
    return std::make_pair(s.read<u32>(0, 64), s.read<u32>(1, 64));
  };
  U expected(64);
  for (u32 t = 0; t < 64; ++t) {
    u32 o = 63 - t;
    auto value = [](u32 x) { return x < 40 ? x : 3 * x; };
    expected[t] = value(o) + value(o ^ 1);
  }
  EXPECT_EQ(run(1).first, expected);
  EXPECT_EQ(run(2).first, expected);
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(1).second, run(2).second); // which lanes are together
}

TEST(SimRace, IndependentLanesShowAMissingSync) {
  // Lockstep gives the right answer by luck; apart, the values differ. Checks are off: only the results tell.
  auto run = [](Schedule schedule) {
    u32 wrong = 0;
    for (u64 seed = 1; seed <= 10; ++seed) {
      Session s;
      s.options.block[0] = 32;
      s.options.schedule = schedule;
      s.options.seed = schedule == Schedule::Independent ? seed : 0;
      s.options.checks = 0;
      s.empty(32 * 4);
      EXPECT_TRUE(
          s.launch(s.kernel("mov.u32 %r0, %tid.x; ld.param.u64 %q0, [p0]; mul.wide.u32 %q2, %r0, 4; add.u64 %q0, "
                            "%q0, %q2; mov.u32 %r1, smem; mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], "
                            "%r0; xor.b32 %r3, %r0, 31; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4]; "
                            "st.global.u32 [%q0], %r5;",
                            128)))
          << s.error;
      U out = s.read<u32>(0, 32);
      for (u32 l = 0; l < 32; ++l) {
        wrong += out[l] != 31 - l;
      }
    }
    return wrong;
  };
  EXPECT_EQ(run(Schedule::Converged), 0u);
  EXPECT_GT(run(Schedule::Independent), 0u);
}

} // namespace
} // namespace pavage::sim

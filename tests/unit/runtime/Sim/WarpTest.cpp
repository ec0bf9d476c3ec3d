// Shuffles, votes, divergence and calls. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Sim/SimTest.h"

namespace pavage::sim {
namespace {

using U = Values<u32>;

U iota(u32 n = 32) {
  U x(n);
  for (u32 l = 0; l < n; ++l) {
    x[l] = l;
  }
  return x;
}
template <class F> U map(F f) {
  U x(32);
  for (u32 l = 0; l < 32; ++l) {
    x[l] = f(l);
  }
  return x;
}

TEST(SimWarp, Shuffles) {
  EXPECT_EQ(lanes<u32>("shfl.sync.bfly.b32 %d, %a, 1, 31, -1;", iota()), map([](u32 l) { return l ^ 1; }));
  EXPECT_EQ(lanes<u32>("shfl.sync.down.b32 %d, %a, 4, 31, -1;", iota()),
            map([](u32 l) { return l + 4 < 32 ? l + 4 : l; }));
  EXPECT_EQ(lanes<u32>("shfl.sync.up.b32 %d, %a, 4, 0, -1;", iota()), map([](u32 l) { return l >= 4 ? l - 4 : l; }));
  EXPECT_EQ(lanes<u32>("shfl.sync.idx.b32 %d, %a, 5, 31, -1;", iota()), map([](u32) { return 5u; }));
  // Segments of 8 lanes: c = clamp | segment mask << 8.
  EXPECT_EQ(lanes<u32>("shfl.sync.down.b32 %d, %a, 3, 0x181f, -1;", iota()),
            map([](u32 l) { return (l & 7) + 3 < 8 ? l + 3 : l; }));
  EXPECT_EQ(lanes<u32>("shfl.sync.down.b32 %t0|%p0, %a, 3, 0x181f, -1; selp.u32 %d, 1, 0, %p0;", iota()),
            map([](u32 l) { return (l & 7) + 3 < 8 ? 1u : 0u; }));
}

TEST(SimWarp, VotesAndMatches) {
  EXPECT_EQ(lanes<u32>("setp.lt.u32 %p0, %a, 5; vote.sync.ballot.b32 %d, %p0, -1;", iota()),
            map([](u32) { return 31u; }));
  EXPECT_EQ(lanes<u32>("setp.lt.u32 %p0, %a, 5; vote.sync.any.pred %p1, %p0, -1; selp.u32 %d, 1, 0, %p1;", iota()),
            map([](u32) { return 1u; }));
  EXPECT_EQ(lanes<u32>("setp.lt.u32 %p0, %a, 5; vote.sync.all.pred %p1, !%p0, -1; selp.u32 %d, 1, 0, %p1;", iota()),
            map([](u32) { return 0u; }));
  EXPECT_EQ(lanes<u32>("and.b32 %t0, %a, 1; match.any.sync.b32 %d, %t0, -1;", iota()),
            map([](u32 l) { return l & 1 ? 0xaaaaaaaa : 0x55555555; }));
  EXPECT_EQ(lanes<u32>("match.all.sync.b32 %d|%p0, 7, -1;", iota()), map([](u32) { return ~0u; }));
  EXPECT_EQ(lanes<u32>("redux.sync.add.s32 %d, %a, -1;", iota()), map([](u32) { return 496u; }));
  EXPECT_EQ(lanes<u32>("sub.u32 %t0, %a, 3; redux.sync.min.s32 %d, %t0, -1;", iota()),
            map([](u32) { return static_cast<u32>(-3); }));
  EXPECT_EQ(lanes<u32>("elect.sync %t0|%p0, -1; selp.u32 %d, 1, 0, %p0;", iota()),
            map([](u32 l) { return l == 0 ? 1u : 0u; }));
  EXPECT_EQ(lanes<u32>("mov.u32 %d, %lanemask_lt;", iota()), map([](u32 l) { return (1u << l) - 1; }));
}

TEST(SimWarp, PartialWarpsTakePart) {
  EXPECT_EQ(lanes<u32>("redux.sync.add.u32 %d, %a, 0x1f;", iota(5)), (U{10, 10, 10, 10, 10}));
}

TEST(SimWarp, GroupsWithOwnMasks) {
  const char *code = "setp.lt.u32 %p0, %a, 16; selp.b32 %t1, 0xffff, 0xffff0000, %p0; redux.sync.add.u32 %d, %a, %t1;";
  EXPECT_EQ(lanes<u32>(code, iota()), map([](u32 l) { return l < 16 ? 120u : 376u; }));
}

TEST(SimWarp, DivergenceReconverges) {
  const char *code = "setp.lt.u32 %p0, %a, 7;\n@%p0 bra LOW;\nadd.u32 %d, %a, 1000;\nbra JOIN;\nLOW:\nadd.u32 %d, %a, "
                     "2000;\nJOIN:\nactivemask.b32 %t0;\nsetp.ne.u32 %p1, %t0, -1;\n@%p1 mov.u32 %d, 0;";
  EXPECT_EQ(lanes<u32>(code, iota()), map([](u32 l) { return l < 7 ? l + 2000 : l + 1000; }));
}

TEST(SimWarp, LoopsOfDifferentLength) {
  const char *code = "mov.u32 %d, 0;\nmov.u32 %t0, 0;\nLOOP:\nadd.u32 %d, %d, %t0;\nadd.u32 %t0, %t0, 1;\nsetp.le.u32 "
                     "%p0, %t0, %a;\n@%p0 bra LOOP;";
  EXPECT_EQ(lanes<u32>(code, iota()), map([](u32 l) { return l * (l + 1) / 2; }));
}

TEST(SimWarp, BranchTable) {
  const char *code = "and.b32 %t0, %a, 3;\nT: .branchtargets A, B, C, B;\nbrx.idx %t0, T;\nA: mov.u32 %d, 1;\nbra "
                     "E;\nB: mov.u32 %d, 2;\nbra E;\nC: mov.u32 %d, 3;\nE:";
  EXPECT_EQ(lanes<u32>(code, iota()), map([](u32 l) { return l % 4 == 0 ? 1u : l % 4 == 2 ? 3u : 2u; }));
}

TEST(SimWarp, ScopedLabelsAndRegisters) {
  const char *code = "mov.u32 %d, 0;\n{\n.reg .pred go;\n.reg .u32 n;\nmov.u32 n, 0;\nagain:\nadd.u32 n, n, "
                     "1;\nsetp.lt.u32 go, n, 5;\n@go bra again;\nadd.u32 %d, %d, n;\n}\n"
                     "{\n.reg .pred go;\n.reg .u32 n;\nmov.u32 n, 0;\nagain:\nadd.u32 n, n, 1;\nsetp.lt.u32 go, n, "
                     "7;\n@go bra again;\nadd.u32 %d, %d, n;\n}";
  EXPECT_EQ(lanes<u32>(code, iota()), map([](u32) { return 12u; }));
}

TEST(SimWarp, CallsRecurseInDivergentCode) {
  Session run;
  run.options.block[0] = 32;
  run.empty(128);
  std::string text = header() + R"(
.func (.param .b32 out) fib(.param .b32 n)
{
.reg .b32 %r<8>; .reg .pred %p;
ld.param.b32 %r0, [n];
setp.lt.u32 %p, %r0, 2;
@%p bra DONE;
sub.u32 %r1, %r0, 1;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fib, (a); ld.param.b32 %r2, [b]; }
sub.u32 %r1, %r0, 2;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fib, (a); ld.param.b32 %r3, [b]; }
add.u32 %r0, %r2, %r3;
DONE:
st.param.b32 [out], %r0;
ret;
}
.visible .entry k(.param .u64 p0)
{
.reg .b32 %r<8>; .reg .b64 %q<4>;
mov.u32 %r0, %tid.x;
rem.u32 %r1, %r0, 12;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fib, (a); ld.param.b32 %r2, [b]; }
ld.param.u64 %q0, [p0]; mad.wide.u32 %q0, %r0, 4, %q0; st.global.u32 [%q0], %r2;
ret;
})";
  ASSERT_TRUE(run.launch(text)) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  u32 fib[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  U out = run.read<u32>(0, 32);
  for (u32 l = 0; l < 32; ++l) {
    EXPECT_EQ(out[l], fib[l % 12]) << l;
  }
}

TEST(SimWarp, SpinLockBetweenLanesMakesProgress) {
  // Needs independent thread scheduling: the holder must run while the others spin.
  Session run;
  run.options.block[0] = 32;
  run.options.maxInstructions = 10000000;
  run.buffer(U{0, 0});
  ASSERT_TRUE(run.launch(run.kernel(
      "ld.param.u64 %q0, [p0];\nSPIN: atom.global.cas.b32 %r0, [%q0], 0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra SPIN;\n"
      "ld.volatile.global.u32 %r1, [%q0+4];\nadd.u32 %r1, %r1, 1;\nst.volatile.global.u32 [%q0+4], "
      "%r1;\nmembar.gl;\natom.global.exch.b32 %r0, [%q0], 0;")))
      << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  EXPECT_EQ(run.read<u32>(0, 2)[1], 32u);
}

TEST(SimWarp, WrongMemberMasksAreFound) {
  Session run;
  run.options.block[0] = 32;
  ASSERT_TRUE(run.launch(run.kernel("mov.u32 %r0, 1; shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;"))) << run.error;
  EXPECT_EQ(run.count(Kind::Barrier), 1u);
}

TEST(SimWarp, UnmatchedSyncIsADeadlock) {
  Session run;
  run.options.block[0] = 32;
  ASSERT_TRUE(run.launch(run.kernel("mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16; @%p0 bra A; bar.warp.sync -1; bra "
                                    "E; A: shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1; E:")))
      << run.error;
  EXPECT_EQ(run.count(Kind::Deadlock), 1u) << run.findings();
}

// While lanes are apart, registers that share a slot, and functions that share a frame, must not mix their lanes: a
// predicate is a bit per lane, a 16-bit register two bytes per lane.
TEST(SimWarp, LanesApartKeepTheirRegisters) {
  // Lanes 0 and 1 carry a 16-bit value over the predicates that the other lanes compute meanwhile.
  const char *code = "setp.lt.u32 %p0, %a, 2; @%p0 bra L; mov.u32 %d, 0; mov.u32 %t0, %a; W: setp.gt.u32 %p1, %t0, 3; "
                     "setp.gt.u32 %p2, %t0, 5; selp.u32 %t1, 1, 0, %p2; add.u32 %d, %d, %t1; sub.u32 %t0, %t0, 1; @%p1 "
                     "bra W; bra E; L: cvt.u16.u32 %v0, %a; add.u16 %v1, %v0, 700; membar.cta; cvt.u32.u16 %d, %v1; E:";
  for (u64 seed = 0; seed < 20; ++seed) {
    Session run;
    run.options.block[0] = 32;
    run.options.schedule = Schedule::Independent;
    run.options.seed = seed;
    run.empty(128);
    std::string text =
        run.kernel(".reg .b16 %v<2>;\n.reg .b32 %a, %d, %t<2>;\nmov.u32 %a, %tid.x; " + std::string(code) +
                   " ld.param.u64 %q0, [p0]; mad.wide.u32 %q0, %a, 4, %q0; st.global.u32 [%q0], %d;");
    ASSERT_TRUE(run.launch(text)) << run.error;
    EXPECT_TRUE(run.result.findings.empty()) << run.findings();
    EXPECT_EQ(run.read<u32>(0, 32), map([](u32 l) { return l < 2 ? l + 700 : l > 5 ? l - 5 : 0; })) << seed;
  }
}

TEST(SimWarp, LanesApartInDifferentFunctions) {
  const char *text = R"(
.func (.param .b64 out) wide(.param .b64 n) { .reg .b64 %q<9>; ld.param.b64 %q0, [n]; add.u64 %q1, %q0, 5; mul.lo.u64 %q2, %q1, 3;
 add.u64 %q3, %q2, %q1; sub.u64 %q4, %q3, %q0; st.param.b64 [out], %q4; ret; }
.func (.param .b32 out) narrow(.param .b32 n) { .reg .b32 %r<9>; ld.param.b32 %r0, [n]; add.u32 %r1, %r0, 7; mul.lo.u32 %r2, %r1, 5;
 add.u32 %r3, %r2, %r1; sub.u32 %r4, %r3, %r0; st.param.b32 [out], %r4; ret; }
.visible .entry k(.param .u64 p0) { .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %q<9>;
 mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra W;
 { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call.uni (b), narrow, (a); ld.param.b32 %r2, [b]; } bra E;
W: cvt.u64.u32 %q1, %r0; { .param .b64 a; .param .b64 b; st.param.b64 [a], %q1; call.uni (b), wide, (a); ld.param.b64 %q2, [b]; } cvt.u32.u64 %r2, %q2;
E: ld.param.u64 %q0, [p0]; mad.wide.u32 %q0, %r0, 4, %q0; st.global.u32 [%q0], %r2; ret; }
)";
  for (u64 seed = 0; seed < 20; ++seed) {
    Session run;
    run.options.block[0] = 32;
    run.options.schedule = Schedule::Independent;
    run.options.seed = seed;
    run.empty(128);
    ASSERT_TRUE(run.launch(header() + text)) << run.error;
    EXPECT_TRUE(run.result.findings.empty()) << run.findings();
    EXPECT_EQ(run.read<u32>(0, 32), map([](u32 l) { return l & 1 ? 6 * (l + 7) - l : 4 * (l + 5) - l; })) << seed;
  }
}

} // namespace
} // namespace pavage::sim

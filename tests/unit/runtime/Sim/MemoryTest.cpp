// Loads, stores, atomics and what has no effect here, form by form. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/runtime/Sim/SimTest.h"

namespace pavage::sim {
namespace {

using U = Values<u32>;
using I = Values<i32>;
using L = Values<u64>;
using H = Values<u16>;

/// Memory before and after one atomic, and what the atomic returned, for elements of T.
template <class T> std::pair<T, T> atomic(const std::string &form, T memory, T b, T c = 0, bool isShared = false) {
  Session run;
  run.buffer(Values<T>{memory, 0});
  run.buffer(Values<T>{b, c});
  run.empty(2 * sizeof(T));
  std::string t = loadType<T>();
  std::string text =
      std::string(".reg ") + registerType<T>() +
      " %m, %x, %y, %o;\nld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; ld.param.u64 %q2, [p2];\nld.global." + t +
      " %m, [%q0]; ld.global." + t + " %x, [%q1]; ld.global." + t + " %y, [%q1+" + std::to_string(sizeof(T)) + "];\n";
  std::string at = isShared ? "[%r0]" : "[%q0]";
  if (isShared) {
    text += "mov.u32 %r0, smem; st.shared." + t + " [%r0], %m;\n";
  }
  std::string full = form;
  full.replace(full.find("[]"), 2, at);
  text += full + ";\n";
  text += isShared ? "ld.shared." + t + " %m, [%r0];\n" : "ld.global." + t + " %m, [%q0];\n";
  text += "st.global." + t + " [%q2], %m; st.global." + t + " [%q2+" + std::to_string(sizeof(T)) + "], %o;";
  EXPECT_TRUE(run.launch(run.kernel(text, 64))) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << form << run.findings();
  auto out = run.read<T>(2, 2);
  return {out[0], out[1]};
}

TEST(SimMemory, AtomicsOfEveryKind) {
  for (bool isShared : {false, true}) {
    std::string space = isShared ? "shared" : "global";
    auto one = [&](const std::string &op, u32 memory, u32 b, u32 c, u32 expected) {
      std::string tail = op.find("cas") == 0 ? " %o, [], %x, %y" : " %o, [], %x";
      auto [after, old] = atomic<u32>("atom." + space + "." + op + tail, memory, b, c, isShared);
      EXPECT_EQ(after, expected) << op;
      EXPECT_EQ(old, memory) << op;
    };
    one("add.u32", 5, 7, 0, 12);
    one("add.s32", ~0u, 1, 0, 0);
    one("and.b32", 0xf0f0, 0xff00, 0, 0xf000);
    one("or.b32", 0xf0f0, 0x0f00, 0, 0xfff0);
    one("xor.b32", 0xf0f0, 0xffff, 0, 0x0f0f);
    one("exch.b32", 5, 7, 0, 7);
    one("cas.b32", 5, 5, 9, 9);
    one("cas.b32", 5, 6, 9, 5);
    one("min.u32", 5, ~0u, 0, 5);
    one("min.s32", 5, ~0u, 0, ~0u);
    one("max.u32", 5, ~0u, 0, ~0u);
    one("max.s32", 5, ~0u, 0, 5);
    // inc wraps to zero at the bound, dec to the bound at zero or beyond it.
    one("inc.u32", 5, 7, 0, 6);
    one("inc.u32", 7, 7, 0, 0);
    one("inc.u32", 9, 7, 0, 0);
    one("dec.u32", 5, 7, 0, 4);
    one("dec.u32", 0, 7, 0, 7);
    one("dec.u32", 9, 7, 0, 7);
    one("add.f32", floatBits(1.5f), floatBits(0.25f), 0, floatBits(1.75f));
    one("add.noftz.f16x2", 0x3c003800, 0x3c003800, 0, 0x40003c00);
    one("add.noftz.bf16x2", 0x3f803f00, 0x3f803f00, 0, 0x40003f80);
    auto [sum, old] = atomic<u64>("atom." + space + ".add.u64 %o, [], %x", ~u64(0), 2, 0, isShared);
    EXPECT_EQ(sum, 1u);
    EXPECT_EQ(old, ~u64(0));
    auto exchanged = atomic<u64>("atom." + space + ".cas.b64 %o, [], %x, %y", u64(1) << 40, u64(1) << 40, 77, isShared);
    EXPECT_EQ(exchanged.first, 77u);
    auto real = atomic<u64>("atom." + space + ".add.f64 %o, [], %x", doubleBits(1), doubleBits(0.5), 0, isShared);
    EXPECT_EQ(real.first, doubleBits(1.5));
    auto half = atomic<u16>("atom." + space + ".add.noftz.f16 %o, [], %x", 0x3c00, 0x3c00, 0, isShared);
    EXPECT_EQ(half.first, 0x4000);
    auto narrow = atomic<u16>("atom." + space + ".cas.b16 %o, [], %x, %y", 5, 5, 8, isShared);
    EXPECT_EQ(narrow.first, 8);
    EXPECT_EQ(narrow.second, 5);
  }
}

TEST(SimMemory, OrdersAndScopesOfAtomics) {
  for (const char *order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"}) {
    for (const char *scope : {".cta", ".cluster", ".gpu", ".sys"}) {
      EXPECT_EQ(atomic<u32>(std::string("atom") + order + scope + ".global.add.u32 %o, [], %x", 5, 7).first, 12u);
    }
  }
  EXPECT_EQ(atomic<u32>("mov.u32 %o, 0; red.relaxed.gpu.global.max.s32 [], %x", 5, 7).first, 7u);
  EXPECT_EQ(atomic<u64>("mov.b64 %o, 0; red.global.or.b64 [], %x", 5, 10).first, 15u);
}

TEST(SimMemory, SixteenByteAtomics) {
  Session run;
  run.buffer(L{1, 2, 1, 2});
  run.buffer(L{10, 20});
  run.empty(32);
  EXPECT_TRUE(run.launch(
      run.kernel(".reg .b128 %m, %x, %o;\nld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; ld.param.u64 %q2, [p2];\n"
                 "ld.global.b128 %m, [%q0+16]; ld.global.b128 %x, [%q1]; atom.global.cas.b128 %o, [%q0], %m, %x;\n"
                 "st.global.b128 [%q2], %o; atom.global.exch.b128 %o, [%q0+16], %x; st.global.b128 [%q2+16], %o;")))
      << run.error;
  EXPECT_EQ(run.read<u64>(0, 4), (L{10, 20, 10, 20}));
  EXPECT_EQ(run.read<u64>(2, 4), (L{1, 2, 1, 2}));
}

TEST(SimMemory, VectorsAndHints) {
  for (const char *hint : {"", ".ca", ".cg", ".cs", ".cv", ".lu", ".nc", ".nc.L1::no_allocate", ".L1::evict_first",
                           ".L1::evict_last.L2::128B", ".nc.L1::no_allocate.L2::256B", ".L2::64B"}) {
    Session run;
    run.buffer(U{1, 2, 3, 4});
    run.empty(16);
    EXPECT_TRUE(run.launch(run.kernel(std::string("ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; ld.global") + hint +
                                      ".v4.u32 {%r0, %r1, %r2, %r3}, [%q0]; st.global.v2.u32 [%q1], {%r1, %r0}; "
                                      "st.global.wt.v2.b32 [%q1+8], {%r3, %r2};")))
        << run.error;
    EXPECT_EQ(run.read<u32>(1, 4), (U{2, 1, 4, 3})) << hint;
  }
  Session policy;
  policy.buffer(U{5});
  policy.empty(4);
  EXPECT_TRUE(policy.launch(policy.kernel(
      "ld.param.u64 %q0, [p0]; ld.param.u64 %q1, [p1]; createpolicy.fractional.L2::evict_last.b64 %q2, 1.0; "
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %q3, 0f3f000000; "
      "ld.global.L2::cache_hint.u32 %r0, [%q0], %q2; prefetch.global.L2 [%q0]; prefetchu.L1 [%q0]; "
      "st.global.L1::evict_first.L2::cache_hint.u32 [%q1], %r0, %q3;")))
      << policy.error;
  EXPECT_EQ(policy.read<u32>(1, 1)[0], 5u);
}

TEST(SimMemory, NarrowTypesExtend) {
  EXPECT_EQ((lanes<u32>("ld.global.s8 %d, [%at0];", U{0x80, 0x7f})), (U{0xffffff80, 0x7f}));
  EXPECT_EQ((lanes<u32>("ld.global.u8 %d, [%at0];", U{0x180})), (U{0x80}));
  EXPECT_EQ((lanes<u64>("ld.global.s32 %d, [%at0];", U{0x80000000})), (L{0xffffffff80000000}));
  EXPECT_EQ((lanes<u64>("ld.global.u16 %d, [%at0];", U{0xffff8001})), (L{0x8001}));
  EXPECT_EQ((lanes<u32>("ld.global.s16 %d, [%at0];", U{0x8001})), (U{0xffff8001}));
}

TEST(SimMemory, ParametersOfStructs) {
  Session run;
  run.buffer(U{0, 0, 0});
  std::string text =
      header() +
      ".visible .entry k(.param .align 8 .b8 s[24])\n{\n.reg .b32 %r<4>;\n.reg .b64 %q<4>;\n.reg .b16 %h<2>;\n"
      "ld.param.u64 %q0, [s]; ld.param.v2.u32 {%r0, %r1}, [s+8]; ld.param.u8 %h0, [s+19]; "
      "cvt.u32.u16 %r2, %h0; st.global.u32 [%q0], %r0; st.global.u32 [%q0+4], %r1; st.global.u32 "
      "[%q0+8], %r2;\nret;\n}\n";
  auto module = run.gpu.load(text, "test.ptx");
  ASSERT_TRUE(module) << module.error().render();
  std::vector<u8> params(24);
  std::memcpy(params.data(), &run.addresses[0], 8);
  u32 pair[2] = {7, 9};
  std::memcpy(params.data() + 8, pair, 8);
  params[19] = 200;
  auto result = run.gpu.launch(**module, "k", run.options, params);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(run.read<u32>(0, 3), (U{7, 9, 200}));
}

TEST(SimMemory, FencesAndOthersWithoutEffect) {
  Session run;
  run.buffer(U{5});
  EXPECT_TRUE(run.launch(run.kernel(
      "ld.param.u64 %q0, [p0]; membar.cta; membar.gl; membar.sys; fence.sc.cta; fence.sc.cluster; fence.sc.gpu; "
      "fence.sc.sys; fence.acq_rel.cta; fence.acq_rel.gpu; fence.mbarrier_init.release.cluster; fence.proxy.alias; "
      "fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta; nanosleep.u32 20; "
      "griddepcontrol.wait; griddepcontrol.launch_dependents; barrier.cluster.arrive.release.aligned; "
      "barrier.cluster.wait.acquire.aligned; mapa.shared::cluster.u32 %r1, %r0, 0; pmevent 3; discard.global.L2 [%q0], "
      "128;")))
      << run.error;
}

TEST(SimMemory, LogicOfThree) {
  // d and p = (d != 0) combined with q.
  const char *code = "setp.ne.u32 %p1, %c, 0; lop3.or.b32 %t0|%p0, %a, %b, %c, 0x80, %p1; selp.u32 %t1, 256, 0, %p0; "
                     "or.b32 %d, %t0, %t1;";
  EXPECT_EQ((lanes<u32>(code, U{15, 15, 0}, U{6, 6, 0}, U{2, 0, 0})), (U{258, 0, 0}));
  const char *both = "setp.ne.u32 %p1, %c, 2; lop3.and.b32 _|%p0, %a, %b, %c, 0x80, %p1; selp.u32 %d, 1, 0, %p0;";
  EXPECT_EQ((lanes<u32>(both, U{15, 15, 0}, U{6, 6, 0}, U{2, 4, 1})), (U{0, 1, 0}));
}

TEST(SimMemory, DifferencesOfParts) {
  EXPECT_EQ((lanes<u32>("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", U{0x01ff0010}, U{0x02000110}, U{100})),
            (U{100 + 1 + 255 + 1}));
  EXPECT_EQ((lanes<u32>("vabsdiff2.u32.u32.u32 %d, %a, %b, %c;", U{0x0001ffff}, U{0x00030000}, U{0})), (U{0x0002ffff}));
  EXPECT_EQ((lanes<u32>("vabsdiff2.u32.s32.s32.add %d, %a, %b, %c;", U{0x0001ffff}, U{0x00030000}, U{5})),
            (U{5 + 2 + 1}));
}

TEST(SimMemory, SignsOfMinimaAndMaxima) {
  auto f = [](float x) { return floatBits(x); };
  EXPECT_EQ((lanes<u32>("min.xorsign.abs.f32 %d, %a, %b;", U{f(-3), f(2)}, U{f(5), f(-4)})), (U{f(-3), f(-2)}));
  EXPECT_EQ((lanes<u32>("max.xorsign.abs.f32 %d, %a, %b;", U{f(-3), f(2)}, U{f(-5), f(-4)})), (U{f(5), f(-4)}));
}

} // namespace
} // namespace pavage::sim

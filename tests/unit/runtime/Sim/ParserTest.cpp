// Reading PTX: what must be accepted, what must be refused and how, and what must not crash. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Schema.h"
#include "tests/unit/runtime/Sim/SimTest.h"

#include <random>

namespace pavage::sim {
namespace {

/// The error of a module with this kernel body, or "".
std::string errorOf(const std::string &body, const std::string &head = header()) {
  Gpu gpu(u64(1) << 28);
  auto module = gpu.load(head +
                             ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; "
                             ".reg .b64 %q<8>; .reg .f32 %f<4>;\n" +
                             body + "\n}\n",
                         "t.ptx");
  return module ? "" : module.error().render();
}

#define ACCEPTS(body) EXPECT_EQ(errorOf(body), "")
#define REFUSES(body, text) EXPECT_NE(errorOf(body).find(text), std::string::npos) << errorOf(body)

TEST(SimParser, AcceptsWhatCompilersWrite) {
  ACCEPTS("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];");
  ACCEPTS("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];");
  ACCEPTS("mov.f32 %f0, 0F3f800000; mov.b64 %q0, 0d3FF0000000000000; mov.b32 %r0, -0x80000000; mov.u64 %q1, "
          "18446744073709551615; mov.u32 %r1, 0U;");
  ACCEPTS(".pragma \"nounroll\";\n.loc 1 7 3, function_name $L__info, inlined_at 1 2 3\nadd.s32 %r0, %r1, %r2; // "
          "comment\n/* over\ntwo lines */ ret;");
  ACCEPTS("mbarrier.arrive.shared::cta.b64 _, [%r0]; @!%p0 bra $L; $L: { .reg .pred complete; waitLoop: @complete bra "
          "waitLoop; } { .reg .pred complete; waitLoop: @complete bra waitLoop; }");
  ACCEPTS("ld.global.L1::evict_first.L2::cache_hint.v4.b32 {%r0,%r1,%r2,%r3}, [%q0 + 0], %q1; st.global.wt.v2.b32 "
          "[%q0+-8], {%r0, %r1};");
  ACCEPTS("cp.async.cg.shared.global [%r0+0], [%q0+0], 0x10, %r1; cp.async.commit_group; cp.async.wait_group 0x2;");
  ACCEPTS("atom.global.gpu.acq_rel.add.u32 %r0, [%q0], %r1; atom.acq_rel.gpu.global.add.u32 %r0, [%q0], %r1; "
          "red.global.add.noftz.f16x2 [%q0], %r1;");
  ACCEPTS(
      "setp.eq.s32 %p0|%p1, %r0, 1; shfl.sync.bfly.b32 %r0|%p0, %r1, 1, 31, -1; lop3.b32 %r0, %r1, %r2, %r3, 0xe8;");
  ACCEPTS("fence.acq_rel.gpu; fence.sc.sys; membar.gl; bar.sync 0; barrier.sync.aligned 1, 128; bar.warp.sync "
          "0xffffffff; nanosleep.u32 20;");
}

TEST(SimParser, NamesWhatItRefuses) {
  REFUSES("frobnicate.b32 %r0, %r1;", "error PV0601: unknown instruction 'frobnicate.b32'");
  REFUSES("add.wrap.s32 %r0, %r1, %r2;", "modifier '.wrap' does not fit");
  REFUSES("add %r0, %r1, %r2;", "a modifier or type is missing");
  REFUSES("add.s32 %r0, %r1;", "expected 3 operands, got 2");
  REFUSES("add.s32 5, %r1, %r2;", "expected a register as operand 1");
  REFUSES("add.s32 %q0, %r1, %r2;", "expected a register of 32 bits, got '%q0' of 64");
  REFUSES("add.s32 %r99, %r1, %r2;", "unknown register '%r99'");
  REFUSES("bra NOWHERE;", "unknown label 'NOWHERE'");
  REFUSES("@%r0 bra L; L:", "must be a predicate");
  REFUSES("L: L:", "defined twice");
  REFUSES("ld.global.u32 %r0, [nothing];", "unknown name 'nothing'");
  REFUSES("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f0,%f1}];", "PV06");
  REFUSES("add.s32 %r0, %r1, %r2", "expected ';'");
  REFUSES("mov.u32 %r0, 99999999999999999999999;", "expected a number");
  REFUSES("call nothing;", "unknown function");
  REFUSES(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2,%r3}, {%f0,%f1,%f2,%f3};",
      "expected 4 registers, got 2");
  // The place: line and column, with the text.
  EXPECT_NE(errorOf("\n  frob;").find("t.ptx:8:3: error PV0601"), std::string::npos) << errorOf("\n  frob;");
}

TEST(SimParser, ChecksTargetAndVersion) {
  std::string old = header("sm_75", "7.0");
  EXPECT_NE(errorOf("cp.async.commit_group;", old).find("needs sm_80"), std::string::npos);
  EXPECT_NE(errorOf("redux.sync.add.s32 %r0, %r1, -1;", old).find("needs sm_80"), std::string::npos);
  EXPECT_NE(errorOf("cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;", header("sm_90", "7.0")).find("needs PTX 7.8"),
            std::string::npos);
  EXPECT_NE(errorOf("", ".version 99.99\n.target sm_80\n").find("unknown PTX version"), std::string::npos);
  EXPECT_NE(errorOf("", ".version 8.0\n.target gfx90\n").find("unknown target"), std::string::npos);
  EXPECT_NE(errorOf("", ".version 8.0\n.target sm_80\n.address_size 32\n").find("only .address_size 64"),
            std::string::npos);
}

TEST(SimParser, InitialisedGlobals) {
  Session run;
  run.empty(64);
  std::string text = header() +
                     ".global .align 4 .u32 table[4] = {1, 2, 0x10, 077};\n.const .f32 half = 0f3F000000;\n.global "
                     ".u64 where = table;\n.global .u64 far[2] = {table+4, generic(half)};\n"
                     ".visible .entry k(.param .u64 p0)\n{\n.reg .b64 %q<8>; .reg .b32 %r<8>;\nld.param.u64 %q0, [p0]; "
                     "mov.u64 %q1, table; ld.global.u32 %r0, [table+8]; ld.const.b32 %r1, [half];\n"
                     "ld.global.u64 %q2, [where]; ld.global.u64 %q3, [far]; ld.u32 %r2, [%q3]; ld.global.u64 %q4, "
                     "[far+8]; ld.u32 %r3, [%q4]; ld.global.u32 %r4, [%q2+12];\n"
                     "st.global.v4.u32 [%q0], {%r0, %r1, %r2, %r3}; st.global.u32 [%q0+16], %r4; ret; }\n";
  ASSERT_TRUE(run.launch(text)) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  EXPECT_EQ(run.read<u32>(0, 5), (std::vector<u32>{16, 0x3f000000, 2, 0x3f000000, 63}));
}

TEST(SimParser, EveryFormHasADecoder) {
  EXPECT_GT(schema().size(), 200u);
  for (const SchemaRow &row : schema()) {
    EXPECT_FALSE(describe(row).empty());
    for (size_t g = 0; g < row.choices.size(); ++g) {
      EXPECT_TRUE(!row.choices[g].empty() || row.optional[g]) << row.opcode << " " << row.groups;
    }
  }
}

/// Random changes to a valid file: no crash, no hang; what still loads also runs.
TEST(SimParser, SurvivesMutatedText) {
  std::string seedText = header() + R"(.global .align 4 .u32 g[4] = {1,2,3,4};
.func (.param .b32 out) f(.param .b32 n) { .reg .b32 %r<4>; ld.param.b32 %r0, [n]; add.u32 %r1, %r0, 1; st.param.b32 [out], %r1; ret; }
.visible .entry k(.param .u64 p0)
{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %q<8>; .reg .f32 %f<8>; .shared .align 16 .b8 s[256];
ld.param.u64 %q0, [p0]; mov.u32 %r0, %tid.x; mad.wide.u32 %q1, %r0, 4, %q0; ld.global.u32 %r1, [%q1]; mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2;
LOOP: st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r4, [s+4]; shfl.sync.bfly.b32 %r5|%p0, %r4, 1, 31, -1; setp.lt.and.u32 %p1|%p2, %r5, 7, !%p0; @%p1 bra LOOP;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call.uni (b), f, (a); ld.param.b32 %r6, [b]; }
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};
cp.async.ca.shared.global [%r3], [%q1], 4; cp.async.wait_all; atom.global.add.u32 %r7, [%q0], 1; st.global.v2.u32 [%q1], {%r6, %r7}; @!%p2 ret; }
)";
  std::mt19937 random(1);
  const char *pieces[] = {"{",          "}",    "[",    "]",   "(",         ")",  ".",  ",",       ";",
                          ":",          "::",   "@",    "!",   "|",         "_",  "-",  "+",       "0x",
                          "0f3F800000", ".b32", ".reg", "%r1", "bra LOOP;", "\"", "/*", ".shared", "call",
                          "4294967296", "<",    ">",    "=",   ".v4",       "\0"};
  for (int round = 0; round < 3000; ++round) {
    std::string text = seedText;
    for (u32 k = 0, n = 1 + random() % 4; k < n; ++k) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text.erase(at, 1 + random() % 12);
        break;
      case 1:
        text.insert(at, pieces[random() % (sizeof pieces / sizeof *pieces)]);
        break;
      case 2:
        text[at] = static_cast<char>(random() % 256);
        break;
      default: {
        size_t from = random() % text.size();
        text.insert(at, text.substr(from, random() % 40));
        break;
      }
      }
      if (text.empty()) {
        text = " ";
      }
    }
    Session run;
    run.options.block[0] = 32;
    run.options.maxInstructions = 20000;
    run.buffer(std::vector<u32>(64, 1));
    run.launch(text);
  }
}

TEST(SimParser, SurvivesRandomBytes) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 ? header() : "";
    for (u32 k = 0, n = random() % 200; k < n; ++k) {
      text += static_cast<char>(random() % 256);
    }
    Gpu gpu(u64(1) << 27);
    (void)gpu.load(text, "t.ptx");
  }
  Gpu gpu(u64(1) << 27);
  EXPECT_FALSE(gpu.load(std::string(100000, '{'), "t.ptx"));
  EXPECT_FALSE(gpu.load(header() + ".visible .entry k() {" + std::string(100000, '{'), "t.ptx"));
  EXPECT_FALSE(gpu.load(header() + ".global .u32 x[1] = " + std::string(100000, '{'), "t.ptx"));
  EXPECT_FALSE(gpu.load(header() + ".global .b8 x[99999999999];", "t.ptx"));
  EXPECT_FALSE(gpu.load(header() + ".visible .entry k() { .reg .b32 %r<4000000000>; }", "t.ptx"));
  EXPECT_FALSE(gpu.load(header() + ".visible .entry k() { .local .b8 x[1000000]; }", "t.ptx"));
}

TEST(SimLaunch, Limits) {
  auto error = [](u32 block, u32 grid, u32 shared, const std::string &attributes = "", size_t params = 0) {
    Gpu gpu(u64(1) << 27);
    auto module = gpu.load(header("sm_80") + ".visible .entry k() " + attributes + " { ret; }", "t.ptx");
    EXPECT_TRUE(bool(module)) << module.error().render();
    LaunchOptions o;
    o.block[0] = block;
    o.grid[0] = grid;
    o.dynamicShared = shared;
    auto r = gpu.launch(**module, "k", o, std::vector<u8>(params));
    return r ? 0u : r.error().number();
  };
  EXPECT_EQ(error(32, 1, 0), 0u);
  EXPECT_EQ(error(1025, 1, 0), 621u);
  EXPECT_EQ(error(0, 1, 0), 621u);
  EXPECT_EQ(error(32, 0, 0), 622u);
  EXPECT_EQ(error(32, 0x80000000, 0), 622u);
  EXPECT_EQ(error(32, 1, 200000), 623u);
  EXPECT_EQ(error(32, 1, 0, "", 8), 624u);
  EXPECT_EQ(error(64, 1, 0, ".reqntid 32, 1, 1"), 621u);
  EXPECT_EQ(error(64, 1, 0, ".maxntid 32, 1, 1"), 621u);
}

} // namespace
} // namespace pavage::sim

// Launches on sim:sm_80 through the public headers: arrays, memory, findings, profiles. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Launch/Fixture.h"

#include <pavage/sim.h>

#include <cstring>
#include <numeric>

using pavage::artifact::Artifact;
using pavage::artifact::Dtype;

namespace {

const char *const prologue = ".version 7.0\n.target sm_80\n.address_size 64\n";

/// out[i] = x[i] + y[i] for i < n: a thread an element. With `isGuarded` false the mask is missing.
Artifact addArtifact(bool isGuarded = true) {
  Artifact artifact;
  artifact.kernel = "add";
  artifact.entry = "add";
  artifact.target = "sm_80";
  artifact.abiVersion = PAVAGE_ABI_VERSION;
  artifact.params = {{"out", Dtype::F32, true, false, true, 16},
                     {"x", Dtype::F32, true, true, false, 16},
                     {"y", Dtype::F32, true, true, false, 16},
                     {"n", Dtype::I32, false, false, false, 1}};
  artifact.facts = {{"num_warps", 2}, {"shared_bytes", 0}};
  artifact.sections = {{"ptx", std::string(prologue) + R"(
.file 1 "add.py"
.visible .entry add(.param .u64 out, .param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %q<8>;
  .loc 1 7 3
  ld.param.u64 %q0, [out];
  ld.param.u64 %q1, [x];
  ld.param.u64 %q2, [y];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p, %r4, %r0;
)" + std::string(isGuarded ? "  @%p bra end;\n" : "") +
                                   R"(
  mul.wide.s32 %q3, %r4, 4;
  add.s64 %q4, %q1, %q3;
  add.s64 %q5, %q2, %q3;
  add.s64 %q6, %q0, %q3;
  .loc 1 8 5
  ld.global.f32 %f0, [%q4];
  .loc 1 9 5
  ld.global.f32 %f1, [%q5];
  add.rn.f32 %f2, %f0, %f1;
  .loc 1 10 5
  st.global.f32 [%q6], %f2;
end:
  ret;
}
)"}};
  return artifact;
}

Artifact plainArtifact(const std::string &body, std::vector<pavage::artifact::Param> params,
                       const std::string &declared) {
  Artifact artifact;
  artifact.kernel = artifact.entry = "k";
  artifact.target = "sm_80";
  artifact.abiVersion = PAVAGE_ABI_VERSION;
  artifact.params = std::move(params);
  artifact.facts = {{"num_warps", 2}};
  artifact.sections = {{"ptx", std::string(prologue) + ".visible .entry k(" + declared +
                                   ")\n{\n.reg .pred %p<4>;\n.reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %q<16>;\n"
                                   ".reg .f32 %f<8>;\n.shared .align 16 .b8 smem[1024];\n" +
                                   body + "\nret;\n}\n"}};
  return artifact;
}

struct Freed {
  void operator()(pvrt_variant *variant) const { pvrt_variant_free(variant); }
};
using Variant = std::unique_ptr<pvrt_variant, Freed>;

struct Seen {
  std::string kind, file, op, kernel, rendered;
  uint32_t number, line, isFault;
};

std::vector<Seen> findings() {
  std::vector<Seen> all;
  pvrt_sim_findings(
      [](void *context, const pvrt_finding *f) {
        static_cast<std::vector<Seen> *>(context)->push_back(
            {f->kind, f->file, f->op, f->kernel, f->rendered, f->number, f->line, f->is_fault});
      },
      &all);
  return all;
}

class SimDevice : public LaunchTest {
protected:
  void SetUp() override {
    LaunchTest::SetUp();
    for (const char *name : {"PAVAGE_SIM_CHECK", "PAVAGE_SIM_ASYNC", "PAVAGE_SIM_SEED"}) {
      unsetenv(name);
    }
    ASSERT_EQ(take(pvrt_device_open("sim:sm_80", &sim)), "ok");
    pvrt_sim_clear_findings();
  }
  void TearDown() override {
    pvrt_sim_clear_findings();
    LaunchTest::TearDown();
  }

  Variant load(const Artifact &artifact) {
    std::string bytes = pavage::artifact::serialize(artifact);
    pvrt_variant *variant = nullptr;
    EXPECT_EQ(take(pvrt_load(sim, bytes.data(), bytes.size(), &variant)), "ok");
    return Variant(variant);
  }
  std::string loadError(const Artifact &artifact) {
    std::string bytes = pavage::artifact::serialize(artifact);
    pvrt_variant *variant = nullptr;
    return take(pvrt_load(sim, bytes.data(), bytes.size(), &variant));
  }
  static std::string run(pvrt_variant *variant, int64_t grid, std::vector<uint64_t> slots,
                         std::vector<pvrt_array> arrays = {}, int (*poll)(void *) = nullptr) {
    pvrt_launch_args args = {};
    args.struct_size = sizeof(args);
    args.grid[0] = grid;
    args.grid[1] = args.grid[2] = 1;
    args.slots = slots.data();
    args.slot_count = static_cast<uint32_t>(slots.size());
    args.arrays = arrays.data();
    args.array_count = static_cast<uint32_t>(arrays.size());
    args.poll = poll;
    return take(pvrt_launch(variant, &args));
  }

  pvrt_device *sim = nullptr;
};

/// A one-axis array of a vector, or a part of it.
template <typename T>
pvrt_array arrayOf(T *data, const int64_t *count, uint32_t slot, const int64_t *stride = nullptr, uint32_t flags = 0) {
  return {uint64_t(data), count, stride, 1, sizeof(T), slot, flags};
}

constexpr int64_t count = 150;

} // namespace

TEST_F(SimDevice, IsListedAndHasItsOwnMemory) {
  EXPECT_STREQ(pvrt_device_name(sim), "sim:sm_80");
  EXPECT_STREQ(pvrt_device_target(sim), "sm_80");
  EXPECT_TRUE(pvrt_device_ready(sim));
  EXPECT_FALSE(pvrt_device_is_host(sim));
  std::vector<std::string> names;
  for (size_t i = 0; const char *name = pvrt_device_list(i); ++i) {
    names.push_back(name);
  }
  for (const char *name : {"sim:sm_75", "sim:sm_80", "sim:sm_90a"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  pvrt_device *none = nullptr;
  EXPECT_EQ(take(pvrt_device_open("sim:sm_100", &none)).substr(0, 4), "301 ");
}

TEST_F(SimDevice, HostArraysAreCopiedInAndBack) {
  Variant add = load(addArtifact());
  std::vector<float> out(count, -1), x(count), y(count);
  std::iota(x.begin(), x.end(), 1.f);
  std::iota(y.begin(), y.end(), 100.f);
  std::vector<float> before = x;
  ASSERT_EQ(run(add.get(), 3, {uint64_t(out.data()), uint64_t(x.data()), uint64_t(y.data()), uint64_t(count)},
                {arrayOf(out.data(), &count, 0), arrayOf(x.data(), &count, 1), arrayOf(y.data(), &count, 2)}),
            "ok");
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(out[i], float(i + 1 + i + 100)) << i;
  }
  EXPECT_EQ(x, before);
  EXPECT_EQ(findings().size(), 0u);
}

TEST_F(SimDevice, ArraysThatOverlapStayTogether) {
  // x[1:] = x[:-1] + x[:-1]: out is x, one element on. Each thread reads its own element before any writes the next
  // warp's, so a race is what the virtual GPU must find, and the sums show that both names are one memory.
  Variant add = load(addArtifact());
  std::vector<float> x(33, 1.f);
  const int64_t n = 32;
  ASSERT_EQ(run(add.get(), 1, {uint64_t(x.data() + 1), uint64_t(x.data()), uint64_t(x.data()), uint64_t(n)},
                {arrayOf(x.data() + 1, &n, 0), arrayOf(x.data(), &n, 1), arrayOf(x.data(), &n, 2)}),
            "ok");
  EXPECT_EQ(x[0], 1.f);
  EXPECT_EQ(x[1], 2.f);
  EXPECT_EQ(x[32], 2.f);
}

TEST_F(SimDevice, OnlyElementsOfStridedArraysTravel) {
  // Every second element is the array's; those between keep what they have.
  Artifact artifact = plainArtifact(R"(
    ld.param.u64 %q0, [out]; mov.u32 %r0, %tid.x; setp.gt.u32 %p0, %r0, 4; @%p0 bra end;
    mul.wide.u32 %q1, %r0, 8; add.s64 %q2, %q0, %q1; ld.global.u32 %r1, [%q2]; add.u32 %r1, %r1, 10;
    st.global.u32 [%q2], %r1; end:)",
                                    {{"out", Dtype::I32, true, true, true, 1}}, ".param .u64 out");
  Variant variant = load(artifact);
  std::vector<int32_t> data(10);
  std::iota(data.begin(), data.end(), 0);
  const int64_t five = 5, stride = 8, back = -8;
  ASSERT_EQ(run(variant.get(), 1, {uint64_t(data.data())}, {arrayOf(data.data(), &five, 0, &stride)}), "ok");
  EXPECT_EQ(data, (std::vector<int32_t>{10, 1, 12, 3, 14, 5, 16, 7, 18, 9}));
  // From its end backwards the array has nothing above its first element.
  EXPECT_EQ(
      run(variant.get(), 1, {uint64_t(data.data() + 8)}, {arrayOf(data.data() + 8, &five, 0, &back)}).substr(0, 4),
      "640 ");
}

TEST_F(SimDevice, DeviceMemoryNeedsNoExtents) {
  Variant add = load(addArtifact());
  std::vector<float> x(count, 2.f), y(count, 3.f), out(count);
  void *memory[3];
  for (void *&address : memory) {
    ASSERT_EQ(take(pvrt_alloc(sim, count * 4, &address)), "ok");
  }
  ASSERT_EQ(take(pvrt_copy_to_device(sim, memory[1], x.data(), count * 4)), "ok");
  ASSERT_EQ(take(pvrt_copy_to_device(sim, memory[2], y.data(), count * 4)), "ok");
  ASSERT_EQ(run(add.get(), 3, {uint64_t(memory[0]), uint64_t(memory[1]), uint64_t(memory[2]), uint64_t(count)}), "ok");
  ASSERT_EQ(take(pvrt_copy_to_host(sim, out.data(), memory[0], count * 4)), "ok");
  EXPECT_EQ(out, std::vector<float>(count, 5.f));
  EXPECT_EQ(take(pvrt_copy_to_host(sim, out.data(), memory[0], count * 4 + 1)).substr(0, 4), "319 ");
  // Another virtual GPU reads the same memory.
  pvrt_device *other = nullptr;
  ASSERT_EQ(take(pvrt_device_open("sim:sm_90", &other)), "ok");
  ASSERT_EQ(take(pvrt_copy_to_host(other, out.data(), memory[0], count * 4)), "ok");
  pvrt_free(sim, memory[1]);
  EXPECT_EQ(
      run(add.get(), 3, {uint64_t(memory[0]), uint64_t(memory[1]), uint64_t(memory[2]), uint64_t(count)}).substr(0, 4),
      "642 ");
  EXPECT_EQ(take(pvrt_copy_to_device(sim, memory[1], x.data(), 4)).substr(0, 4), "319 ");
  EXPECT_EQ(findings().at(0).kind, "use-after-free");
}

TEST_F(SimDevice, FaultsAreTheLaunchsError) {
  Variant add = load(addArtifact(false));
  std::vector<float> out(count, -1), x(count, 1), y(count, 1);
  std::string error = run(add.get(), 3, {uint64_t(out.data()), uint64_t(x.data()), uint64_t(y.data()), uint64_t(count)},
                          {arrayOf(out.data(), &count, 0), arrayOf(x.data(), &count, 1), arrayOf(y.data(), &count, 2)});
  EXPECT_EQ(error.substr(0, 27), "640 oob: 'ld.global.f32': i") << error;
  EXPECT_NE(error.find("'x'"), std::string::npos) << error;
  EXPECT_EQ(out, std::vector<float>(count, -1)) << "results of a launch that failed must not arrive";
  std::vector<Seen> found = findings();
  ASSERT_EQ(found.size(), 3u); // two loads and the store
  EXPECT_EQ(found[0].kind, "oob");
  EXPECT_EQ(found[0].number, 640u);
  EXPECT_EQ(found[0].file, "add.py");
  EXPECT_EQ(found[0].line, 8u);
  EXPECT_EQ(found[2].line, 10u);
  EXPECT_EQ(found[0].kernel, "add");
  EXPECT_EQ(found[0].op, "ld.global.f32");
  EXPECT_TRUE(found[0].isFault);
  EXPECT_EQ(found[0].rendered.find("add.py:8:5: error PV0640: oob: "), 0u) << found[0].rendered;
  pvrt_sim_clear_findings();
  EXPECT_EQ(findings().size(), 0u);
  // The device is as good as new.
  Variant good = load(addArtifact());
  EXPECT_EQ(run(good.get(), 3, {uint64_t(out.data()), uint64_t(x.data()), uint64_t(y.data()), uint64_t(count)},
                {arrayOf(out.data(), &count, 0), arrayOf(x.data(), &count, 1), arrayOf(y.data(), &count, 2)}),
            "ok");
  EXPECT_EQ(out, std::vector<float>(count, 2.f));
}

TEST_F(SimDevice, OtherFindingsLetTheLaunchEndWell) {
  // Warps exchange words through shared memory without a barrier.
  std::string body = R"(
    ld.param.u64 %q0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, smem; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0; BARRIER xor.b32 %r4, %r2, 128; add.u32 %r5, %r1, %r4; ld.shared.u32 %r6, [%r5];
    cvt.u64.u32 %q1, %r2; add.s64 %q2, %q0, %q1; st.global.u32 [%q2], %r6;)";
  auto with = [&](const char *barrier) {
    std::string text = body;
    text.replace(text.find("BARRIER"), 7, barrier);
    return plainArtifact(text, {{"out", Dtype::I32, true, false, true, 16}}, ".param .u64 out");
  };
  std::vector<int32_t> out(64);
  const int64_t n = 64;
  Variant racy = load(with("")), right = load(with("bar.sync 0;"));
  EXPECT_EQ(run(right.get(), 1, {uint64_t(out.data())}, {arrayOf(out.data(), &n, 0)}), "ok");
  EXPECT_EQ(out[0], 32);
  EXPECT_EQ(findings().size(), 0u);
  EXPECT_EQ(run(racy.get(), 1, {uint64_t(out.data())}, {arrayOf(out.data(), &n, 0)}), "ok");
  // The first warp takes words that are not there yet; the second comes to words that the first has read and written.
  ASSERT_EQ(findings().size(), 3u);
  EXPECT_EQ(findings()[0].kind, "uninit");
  EXPECT_EQ(findings()[1].kind, "race-shared");
  EXPECT_EQ(findings()[2].kind, "race-shared");
  EXPECT_FALSE(findings()[1].isFault);
  EXPECT_EQ(findings()[1].file, "k.ptx") << "without .loc the PTX is the place";
  // Not asked for, not found.
  pvrt_sim_clear_findings();
  ASSERT_EQ(take(pvrt_sim_set("check", "oob,misaligned")), "ok");
  EXPECT_EQ(run(racy.get(), 1, {uint64_t(out.data())}, {arrayOf(out.data(), &n, 0)}), "ok");
  EXPECT_EQ(findings().size(), 0u);
  ASSERT_EQ(take(pvrt_sim_set("check", nullptr)), "ok");
}

TEST_F(SimDevice, LaunchesAreOrdered) {
  // What several programs read in one launch, one program writes in the next.
  std::vector<pavage::artifact::Param> params = {{"x", Dtype::I32, true, true, true, 16}};
  Variant reader = load(plainArtifact("ld.param.u64 %q0, [x]; ld.global.u32 %r0, [%q0];", params, ".param .u64 x"));
  Variant writer = load(plainArtifact(R"(ld.param.u64 %q0, [x]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
    or.b32 %r3, %r1, %r2; setp.eq.u32 %p0, %r3, 0; @%p0 st.global.u32 [%q0], 7;)",
                                      params, ".param .u64 x"));
  void *x = nullptr;
  int32_t value = 5;
  ASSERT_EQ(take(pvrt_alloc(sim, 4, &x)), "ok");
  ASSERT_EQ(take(pvrt_copy_to_device(sim, x, &value, 4)), "ok");
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(run(reader.get(), 4, {uint64_t(x)}), "ok");
    ASSERT_EQ(run(writer.get(), 4, {uint64_t(x)}), "ok");
  }
  EXPECT_EQ(findings().size(), 0u) << findings()[0].rendered;
  pvrt_free(sim, x);
}

TEST_F(SimDevice, ElementsNeverWrittenAreFoundOnRequest) {
  Variant add = load(addArtifact());
  std::vector<float> out(count, -1), x(count, 1), y(count, 1);
  auto launch = [&] {
    return run(add.get(), 3, {uint64_t(out.data()), uint64_t(x.data()), uint64_t(y.data()), uint64_t(count - 8)},
               {arrayOf(out.data(), &count, 0), arrayOf(x.data(), &count, 1), arrayOf(y.data(), &count, 2)});
  };
  EXPECT_EQ(launch(), "ok");
  EXPECT_EQ(findings().size(), 0u);
  ASSERT_EQ(take(pvrt_sim_set("check", "all,unwritten")), "ok");
  EXPECT_EQ(launch(), "ok");
  ASSERT_EQ(take(pvrt_sim_set("check", "")), "ok");
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings()[0].kind, "unwritten");
  EXPECT_NE(
      findings()[0].rendered.find("8 of 150 elements of output 'out' were never written, the first is number 142"),
      std::string::npos)
      << findings()[0].rendered;
  EXPECT_EQ(out[141], 2.f);
  EXPECT_EQ(out[142], -1.f) << "what the kernel leaves alone keeps its value";
}

TEST_F(SimDevice, NumbersArriveByTheirWidth) {
  Artifact artifact = plainArtifact(R"(
    mov.u32 %r9, %tid.x; setp.ne.u32 %p1, %r9, 0; @%p1 bra end;
    ld.param.u64 %q0, [out]; ld.param.u8 %h0, [a]; ld.param.s16 %h1, [b]; ld.param.s32 %r1, [c]; ld.param.u64 %q1, [d];
    ld.param.b16 %h2, [e]; ld.param.f32 %f0, [f];
    cvt.u64.u16 %q2, %h0; st.global.u64 [%q0], %q2; cvt.s64.s16 %q3, %h1; st.global.u64 [%q0+8], %q3;
    cvt.s64.s32 %q4, %r1; st.global.u64 [%q0+16], %q4; st.global.u64 [%q0+24], %q1;
    cvt.u64.u16 %q5, %h2; st.global.u64 [%q0+32], %q5; mov.b32 %r2, %f0; cvt.u64.u32 %q6, %r2;
    st.global.u64 [%q0+40], %q6; end:)",
                                    {{"out", Dtype::I64, true, false, true, 1},
                                     {"a", Dtype::I1, false, false, false, 1},
                                     {"b", Dtype::I16, false, false, false, 1},
                                     {"c", Dtype::I32, false, false, false, 1},
                                     {"d", Dtype::U64, false, false, false, 1},
                                     {"e", Dtype::F16, false, false, false, 1},
                                     {"f", Dtype::F32, false, false, false, 1}},
                                    ".param .u64 out, .param .u8 a, .param .u16 b, .param .u32 c, .param .u64 d, "
                                    ".param .b16 e, .param .f32 f");
  Variant variant = load(artifact);
  std::vector<uint64_t> out(6);
  const int64_t six = 6;
  uint64_t minusTwo = uint64_t(-2);
  ASSERT_EQ(run(variant.get(), 1, {uint64_t(out.data()), 1, minusTwo, minusTwo, 0xfedcba9876543210, 0x3c00, 0x3f800000},
                {arrayOf(out.data(), &six, 0)}),
            "ok");
  EXPECT_EQ(out, (std::vector<uint64_t>{1, minusTwo, minusTwo, 0xfedcba9876543210, 0x3c00, 0x3f800000}));
}

TEST_F(SimDevice, WrongArgumentsAndArtifacts) {
  Variant add = load(addArtifact());
  std::vector<float> x(count);
  std::string error = run(add.get(), 1, {uint64_t(x.data()), 0, 0, 5});
  EXPECT_EQ(error.find("302 expected an array, or an address in the virtual GPU's memory, for the parameter 'out', "),
            0u)
      << error;
  EXPECT_EQ(run(add.get(), 1, {0, 0, 0, 5}).substr(0, 4), "640 ") << "a null pointer is the kernel's affair";
  EXPECT_EQ(run(add.get(), 1, {0, 0, 0, 0}), "ok");
  EXPECT_EQ(run(add.get(), int64_t(1) << 31, {0, 0, 0, 0}).substr(0, 4), "304 ");

  Artifact wrong = addArtifact();
  wrong.abiVersion = 0;
  EXPECT_EQ(loadError(wrong).substr(0, 4), "341 ");
  wrong = addArtifact();
  wrong.target = "sm_90";
  EXPECT_EQ(loadError(wrong), "320 expected code for 'sm_80', got code for 'sm_90'");
  wrong = addArtifact();
  wrong.sections[0].first = "tile";
  EXPECT_EQ(loadError(wrong), "346 expected PTX in the artifact of kernel 'add', got none");
  wrong = addArtifact();
  wrong.entry = "sub";
  EXPECT_EQ(loadError(wrong), "346 expected an entry 'sub' in the PTX of kernel 'add', got none");
  wrong = addArtifact();
  wrong.params.pop_back();
  EXPECT_EQ(loadError(wrong), "624 expected 3 parameters in the PTX of kernel 'add', got 4");
  wrong = addArtifact();
  wrong.params[3].dtype = Dtype::I64;
  EXPECT_EQ(loadError(wrong), "624 expected 8 bytes for the parameter 'n' in the PTX of kernel 'add', got 4");
  wrong = addArtifact();
  wrong.sections[0].second.replace(wrong.sections[0].second.find("add.rn"), 6, "odd.rn");
  EXPECT_EQ(loadError(wrong).substr(0, 4), "601 ");
  wrong = addArtifact();
  wrong.facts.clear();
  EXPECT_EQ(run(load(wrong).get(), 1, {0, 0, 0, 0}),
            "621 expected the launch fact num_warps or .reqntid for kernel 'add', got neither");
  wrong.facts = {{"num_warps", 2}, {"shared_bytes", 200 << 10}};
  EXPECT_EQ(run(load(wrong).get(), 1, {0, 0, 0, 0}).substr(0, 4), "623 ");
}

TEST_F(SimDevice, EndlessKernelsCanBeStopped) {
  Artifact artifact = plainArtifact("again: add.u32 %r1, %r1, 1; bra again;", {}, "");
  Variant variant = load(artifact);
  EXPECT_EQ(run(variant.get(), 1, {}, {}, [](void *) { return 1; }), "311 the launch of kernel 'k' was interrupted");
  ASSERT_EQ(take(pvrt_sim_set("max-instructions", "5000")), "ok");
  EXPECT_EQ(run(variant.get(), 1, {}).substr(0, 4), "655 ");
  ASSERT_EQ(take(pvrt_sim_set("max-instructions", "")), "ok");
}

TEST_F(SimDevice, SettingsAreCheckedAndComeFromTheEnvironment) {
  EXPECT_EQ(take(pvrt_sim_set("check", "oob,rubbish")).substr(0, 30), "630 check 'rubbish': expected ");
  EXPECT_EQ(take(pvrt_sim_set("async", "soon")), "630 async 'soon': expected eager, lazy or random");
  EXPECT_EQ(take(pvrt_sim_set("seed", "x")).substr(0, 4), "630 ");
  EXPECT_EQ(take(pvrt_sim_set("max-instructions", "0")).substr(0, 4), "630 ");
  EXPECT_EQ(take(pvrt_sim_set("colour", "red")).substr(0, 4), "630 ");
  EXPECT_EQ(take(pvrt_sim_set(nullptr, "red")).substr(0, 4), "901 ");
  char value[8];
  ASSERT_EQ(take(pvrt_sim_set("seed", "17")), "ok");
  pvrt_sim_get("seed", value, sizeof(value));
  EXPECT_STREQ(value, "17");
  ASSERT_EQ(take(pvrt_sim_set("seed", nullptr)), "ok");
  pvrt_sim_get("seed", value, sizeof(value));
  EXPECT_STREQ(value, "");
  Variant add = load(addArtifact());
  setenv("PAVAGE_SIM_ASYNC", "soon", 1);
  EXPECT_EQ(run(add.get(), 1, {0, 0, 0, 0}), "315 PAVAGE_SIM_ASYNC: async 'soon': expected eager, lazy or random");
  unsetenv("PAVAGE_SIM_ASYNC");
}

TEST_F(SimDevice, ProfilesSeeTheLaunchesMeanwhile) {
  Variant add = load(addArtifact());
  std::vector<float> out(count), x(count, 1), y(count, 1);
  auto launch = [&] {
    return run(add.get(), 3, {uint64_t(out.data()), uint64_t(x.data()), uint64_t(y.data()), uint64_t(count)},
               {arrayOf(out.data(), &count, 0), arrayOf(x.data(), &count, 1), arrayOf(y.data(), &count, 2)});
  };
  ASSERT_EQ(launch(), "ok");
  pvrt_sim_profile *outer = nullptr, *inner = nullptr;
  ASSERT_EQ(take(pvrt_sim_profile_begin(&outer)), "ok");
  ASSERT_EQ(launch(), "ok");
  ASSERT_EQ(take(pvrt_sim_profile_begin(&inner)), "ok");
  ASSERT_EQ(launch(), "ok");
  pvrt_sim_profile_end(inner);
  ASSERT_EQ(launch(), "ok");
  pvrt_sim_profile_end(outer);
  ASSERT_EQ(launch(), "ok");
  EXPECT_EQ(pvrt_sim_profile_count(outer), 3u);
  EXPECT_EQ(pvrt_sim_profile_count(inner), 1u);
  EXPECT_STREQ(pvrt_sim_profile_kernel(inner, 0), "add");
  EXPECT_EQ(pvrt_sim_profile_kernel(inner, 1), nullptr);
  auto report = [&](pvrt_sim_report kind) {
    pvrt_bytes bytes = {};
    EXPECT_EQ(take(pvrt_sim_profile_report(inner, 0, kind, &bytes)), "ok");
    std::string text(static_cast<const char *>(bytes.data), bytes.size);
    bytes.release(bytes.owner);
    return text;
  };
  // Six warps, of which five have work: the last runs to its branch only.
  std::string json = report(PVRT_SIM_JSON);
  EXPECT_NE(json.find("\"warp_instructions\": " + std::to_string(6 * 10 + 5 * 8 + 6)), std::string::npos) << json;
  EXPECT_NE(json.find("\"global_access_bytes\": {\"4\": 15}"), std::string::npos) << json;
  EXPECT_NE(report(PVRT_SIM_TABLE).find("add.py"), std::string::npos) << report(PVRT_SIM_TABLE);
  EXPECT_EQ(report(PVRT_SIM_HTML).find("<!doctype html>"), 0u);
  pvrt_bytes bytes = {};
  EXPECT_EQ(take(pvrt_sim_profile_report(inner, 1, PVRT_SIM_JSON, &bytes)).substr(0, 4), "901 ");
  pvrt_sim_profile_free(outer);
  pvrt_sim_profile_free(inner);
}

TEST_F(SimDevice, TemporariesAreGivenBack) {
  // Without, 64 MB a launch would fill the virtual GPU's memory; and addresses repeat, so that runs do.
  Variant add = load(addArtifact());
  const int64_t many = 4 << 20;
  std::vector<float> big(many, 1.f), x(many, 1.f), y(many, 1.f);
  ASSERT_EQ(take(pvrt_sim_set("check", "oob")), "ok");
  for (int round = 0; round < 40; ++round) {
    ASSERT_EQ(run(add.get(), 1, {uint64_t(big.data()), uint64_t(x.data()), uint64_t(y.data()), 8},
                  {arrayOf(big.data(), &many, 0), arrayOf(x.data(), &many, 1), arrayOf(y.data(), &many, 2)}),
              "ok");
  }
  ASSERT_EQ(take(pvrt_sim_set("check", "")), "ok");
  EXPECT_EQ(big[7], 2.f);
  EXPECT_EQ(big[8], 1.f);
}

// <pavage/compile.h> as a program without MLIR sees it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/Artifact.h"
#include "runtime/Errors/Errors.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <pavage/compile.h>
#include <string>
#include <thread>
#include <vector>

using pavage::errors::Code;

namespace {

constexpr const char *scaleText = R"(
func.func @scale(%out: !tile.ptr<f32> {tile.name = "out"}, %in: !tile.ptr<f32> {tile.name = "in", tile.divisibility = 16 : i64},
                 %n: i32 {tile.name = "n"}, %f: f32 {tile.name = "f"}) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %i = tile.iota 0 : tensor<5xi32>
  %n_t = tile.splat %n : i32 -> tensor<5xi32>
  %m = arith.cmpi slt, %i, %n_t : tensor<5xi32>
  %in_t = tile.splat %in : !tile.ptr<f32> -> tensor<5x!tile.ptr<f32>>
  %p = tile.addptr %in_t, %i : tensor<5x!tile.ptr<f32>>, tensor<5xi32>
  %x = tile.load %p mask %m : tensor<5x!tile.ptr<f32>>
  %f_t = tile.splat %f : f32 -> tensor<5xf32>
  %y = arith.mulf %x, %f_t : tensor<5xf32>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<5x!tile.ptr<f32>>
  %q = tile.addptr %out_t, %i : tensor<5x!tile.ptr<f32>>, tensor<5xi32>
  tile.store %q, %y mask %m : tensor<5x!tile.ptr<f32>>
  return
}
)";

struct Module {
  explicit Module(const char *text) { status = pv_module_parse(text, std::strlen(text), "test.mlir", &module); }
  ~Module() { pv_module_destroy(module); }
  pv_module *module = nullptr;
  int status;
};

int number(Code code) { return static_cast<int>(code); }

std::string errorText() {
  pv_error_info info;
  pv_error(nullptr, &info);
  return info.text;
}

pv_compile_options options(const char *target, const char *emit = nullptr) {
  pv_compile_options result{};
  result.struct_size = sizeof(result);
  result.target = target;
  result.emit = emit;
  return result;
}

std::string compile(const pv_module *module, const pv_compile_options &options) {
  pv_artifact *artifact = nullptr;
  if (pv_compile(module, &options, &artifact) != 0) {
    ADD_FAILURE() << errorText();
    return {};
  }
  const void *data = nullptr;
  size_t size = 0;
  pv_artifact_bytes(artifact, &data, &size);
  std::string bytes(static_cast<const char *>(data), size);
  pv_artifact_destroy(artifact);
  return bytes;
}

/// Runs one program of a kernel without arguments, or with the given slots.
int interpret(pv_module *module, std::vector<uint64_t> slots = {}, std::vector<pv_launch_array> arrays = {},
              uint64_t maxOps = 0) {
  pv_interpret_args args{};
  args.struct_size = sizeof(args);
  args.grid[0] = args.grid[1] = args.grid[2] = 1;
  args.slots = slots.data();
  args.num_slots = slots.size();
  args.arrays = arrays.data();
  args.num_arrays = arrays.size();
  args.max_ops = maxOps;
  return pv_interpret(module, &args);
}

uint64_t bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}

} // namespace

TEST(CompileTest, ParametersTellWhatIsReadAndWritten) {
  Module m(scaleText);
  ASSERT_EQ(m.status, 0) << errorText();
  ASSERT_EQ(pv_module_num_params(m.module), 4u);
  pv_kernel_param p;
  ASSERT_EQ(pv_module_param(m.module, 0, &p), 1);
  EXPECT_STREQ(p.name, "out");
  EXPECT_EQ(p.dtype, static_cast<pv_dtype>(PV_POINTER) | PV_FLOAT32);
  EXPECT_EQ(p.is_read, 0);
  EXPECT_EQ(p.is_written, 1);
  ASSERT_EQ(pv_module_param(m.module, 1, &p), 1);
  EXPECT_EQ(p.divisibility, 16);
  EXPECT_EQ(p.is_read, 1);
  EXPECT_EQ(p.is_written, 0);
  ASSERT_EQ(pv_module_param(m.module, 3, &p), 1);
  EXPECT_EQ(p.dtype, static_cast<pv_dtype>(PV_FLOAT32));
  EXPECT_EQ(pv_module_param(m.module, 4, &p), 0);
}

TEST(CompileTest, ArtifactForCpuHasCodeFactsAndStages) {
  Module m(scaleText);
  pv_compile_options o = options("cpu", "tile,llvm,asm");
  o.cpu_level = "portable";
  auto artifact = pavage::artifact::deserialize(compile(m.module, o));
  ASSERT_TRUE(artifact) << artifact.error().text();
  EXPECT_EQ(artifact->kernel, "scale");
  EXPECT_EQ(artifact->target, "cpu");
  EXPECT_EQ(artifact->cpuLevel, "portable");
  EXPECT_EQ(artifact->params.size(), 4u);
  EXPECT_EQ(artifact->fact("num_warps", 0), 8);
  for (const char *stage : {"tile", "llvm", "asm", "obj"}) {
    EXPECT_NE(artifact->section(stage), nullptr) << stage;
  }
  EXPECT_EQ(artifact->section("obj")->substr(0, 4), "\x7f"
                                                    "ELF");
}

TEST(CompileTest, ArtifactForInterpRunsAsModule) {
  Module m(scaleText);
  std::string bytes = compile(m.module, options("interp"));
  pv_module *copy = nullptr;
  ASSERT_EQ(pv_module_from_artifact(bytes.data(), bytes.size(), &copy), 0) << errorText();
  float in[5] = {1, 2, 3, 4, 5};
  float out[5] = {-1, -1, -1, -1, -1};
  EXPECT_EQ(interpret(copy, {reinterpret_cast<uint64_t>(out), reinterpret_cast<uint64_t>(in), 4, bits(10)}), 0)
      << errorText();
  EXPECT_EQ(out[3], 40);
  EXPECT_EQ(out[4], -1);
  pv_module_destroy(copy);
}

TEST(CompileTest, ArtifactWithoutModuleIsNoModule) {
  Module m(scaleText);
  std::string bytes = compile(m.module, options("cpu"));
  pv_module *copy = nullptr;
  EXPECT_EQ(pv_module_from_artifact(bytes.data(), bytes.size(), &copy), number(Code::NoTileSection));
  EXPECT_EQ(pv_module_from_artifact("junk", 4, &copy), number(Code::NotAnArtifact));
  EXPECT_EQ(copy, nullptr);
}

TEST(CompileTest, OptionsAreChecked) {
  Module m(scaleText);
  pv_artifact *artifact = nullptr;
  pv_compile_options o = options("cpu");
  o.cpu_level = "sse9";
  EXPECT_EQ(pv_compile(m.module, &o, &artifact), number(Code::UnknownCpuLevel));
  EXPECT_NE(errorText().find("portable, avx2, avx512, amx"), std::string::npos) << errorText();
  o = options("cpu");
  o.struct_size = 3;
  EXPECT_EQ(pv_compile(m.module, &o, &artifact), number(Code::ApiMisuse));
  EXPECT_EQ(pv_compile(nullptr, nullptr, &artifact), number(Code::ApiMisuse));
  EXPECT_EQ(pv_stage_name("cpu", 3), std::string("obj"));
  EXPECT_EQ(pv_stage_name("cpu", 4), nullptr);
  EXPECT_EQ(pv_stage_name("nothing", 0), nullptr);
}

TEST(CompileTest, CompilingChangesNothingAndRepeatsExactly) {
  Module m(scaleText);
  char *before = pv_module_text(m.module, 1);
  std::string first = compile(m.module, options("cpu"));
  std::string second = compile(m.module, options("cpu"));
  char *after = pv_module_text(m.module, 1);
  EXPECT_STREQ(before, after);
  EXPECT_EQ(first, second);
  pv_string_free(before);
  pv_string_free(after);
}

TEST(CompileTest, ThreadsCompileTheSameBytes) {
  std::string expected = [] {
    Module m(scaleText);
    return compile(m.module, options("cpu", "asm"));
  }();
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        Module m(scaleText);
        different += compile(m.module, options("cpu", "asm")) != expected;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(different, 0);
}

TEST(CompileTest, RemarksReachTheCaller) {
  Module m(scaleText);
  std::vector<std::string> remarks;
  pv_compile_options o = options("cpu");
  o.remark = [](void *context, const pv_remark *remark) {
    static_cast<std::vector<std::string> *>(context)->push_back(std::string(remark->file) + ":" +
                                                                std::to_string(remark->line) + " " + remark->text);
  };
  o.remark_context = &remarks;
  compile(m.module, o);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0], "test.mlir:9 load of a 5 block");
  EXPECT_EQ(remarks[1], "test.mlir:14 store of a 5 block");
}

TEST(CompileTest, FusionFollowsItsSwitch) {
  Module m("func.func @k(%p: !tile.ptr<f32>, %a: f32) attributes {tile.kernel} {\n"
           "  %x = tile.load %p : !tile.ptr<f32>\n  %m = arith.mulf %x, %a : f32\n  %s = arith.addf %m, %x : f32\n"
           "  tile.store %p, %s : !tile.ptr<f32>\n  return\n}\n");
  ASSERT_EQ(m.status, 0) << errorText();
  pv_compile_options o = options("cpu", "tile");
  EXPECT_NE(compile(m.module, o).find("math.fma"), std::string::npos);
  o.no_fp_fusion = 1;
  EXPECT_EQ(compile(m.module, o).find("math.fma"), std::string::npos);
}

TEST(CompileTest, FindingsOfInterpHaveNumbers) {
  auto run = [](const char *body, uint64_t maxOps = 0) {
    std::string text = std::string("func.func @k() attributes {tile.kernel} {\n") + body + "  return\n}\n";
    Module m(text.c_str());
    EXPECT_EQ(m.status, 0) << errorText();
    return interpret(m.module, {}, {}, maxOps);
  };
  EXPECT_EQ(run("  %f = arith.constant false\n  tile.assert %f, \"never\" : i1\n"), number(Code::AssertFailed));
  EXPECT_EQ(run("  %f = arith.constant false\n  tile.assume %f\n"), number(Code::AssumptionFailed));
  EXPECT_EQ(run("  %x = ub.poison : i1\n  tile.assert %x, \"is\" : i1\n"), number(Code::PoisonUsed));
  EXPECT_EQ(run("  %a = arith.constant 1 : i32\n  %b = arith.addi %a, %a : i32\n", 1), number(Code::OpLimit));
  EXPECT_EQ(run("  %a = arith.constant 1 : i32\n"
                "  %b = tile.inline_ptx \"mov.b32 $0, $1;\" constraints \"=r,r\" pack 1 (%a) : (i32) -> i32\n"),
            number(Code::NotInterpretable));
}

TEST(CompileTest, ReadOnlyAndOutsideAreFound) {
  Module m(scaleText);
  float in[5] = {}, out[5] = {};
  int64_t shape[1] = {5}, small[1] = {3};
  auto array = [](float *data, int64_t *shape, uint32_t slot, uint32_t flags) {
    return pv_launch_array{reinterpret_cast<uint64_t>(data), shape, nullptr, 1, 4, slot, flags};
  };
  std::vector<uint64_t> slots = {reinterpret_cast<uint64_t>(out), reinterpret_cast<uint64_t>(in), 5, bits(1)};
  EXPECT_EQ(interpret(m.module, slots, {array(out, shape, 0, 1), array(in, shape, 1, 0)}),
            number(Code::ReadOnlyWritten));
  EXPECT_EQ(interpret(m.module, slots, {array(out, shape, 0, 0), array(in, small, 1, 0)}), number(Code::OutOfBounds));
  EXPECT_EQ(interpret(m.module, {1, 2}), number(Code::ApiMisuse));
}

TEST(CompileTest, CancelStopsTheGrid) {
  Module m("func.func @k(%n: i32) attributes {tile.kernel} {\n  return\n}\n");
  volatile uint32_t cancel = 1;
  uint64_t slot = 0;
  pv_interpret_args args{};
  args.struct_size = sizeof(args);
  args.grid[0] = args.grid[1] = args.grid[2] = 1000;
  args.slots = &slot;
  args.num_slots = 1;
  args.cancel = &cancel;
  EXPECT_EQ(pv_interpret(m.module, &args), number(Code::Interrupted));
  args.grid[1] = 0;
  EXPECT_EQ(pv_interpret(m.module, &args), 0) << "an empty grid runs nothing";
  args.grid[1] = -1;
  EXPECT_EQ(pv_interpret(m.module, &args), number(Code::BadGrid));
}

TEST(CompileTest, VersionNamesTheBuild) {
  std::string version = pv_compiler_version();
  EXPECT_NE(version.find('+'), std::string::npos);
  EXPECT_EQ(version.find("unknown"), std::string::npos) << version;
}

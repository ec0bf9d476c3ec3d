// Kernels for tests of the C interface: C text in, serialized artifact out. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_RUNTIME_LAUNCH_FIXTURE_H
#define PAVAGE_TESTS_UNIT_RUNTIME_LAUNCH_FIXTURE_H

#include "runtime/Artifact/Abi.h"
#include "runtime/Artifact/Artifact.h"
#include "tests/unit/runtime/Cache/TestFolder.h"
#include "tests/unit/runtime/Cpu/CompileC.h"

#include <pavage/runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

/// out[p] = a[p] * factor, by a kernel whose source says the factor.
inline pavage::artifact::Artifact scaleArtifact(int factor) {
  static const std::string text = R"(
    #include "runtime/Artifact/Abi.h"
    int32_t scale(const uint64_t *slots, const PavageLaunch *launch, int64_t begin, int64_t end, void *scratch) {
      int32_t *out = (int32_t *)slots[0]; const int32_t *a = (const int32_t *)slots[1];
      for (int64_t p = begin; p < end; ++p) {
        if (*launch->cancel) return PAVAGE_INTERRUPTED;
        out[p] = a[p] * FACTOR; }
      return 0; })";
  static auto &objects = *new std::map<int, std::string>();
  static auto &mutex = *new std::mutex();
  std::lock_guard lock(mutex);
  std::string &object = objects[factor];
  if (object.empty()) {
    object = compileC(text, "-O1 -fPIC -DFACTOR=" + std::to_string(factor));
  }
  pavage::artifact::Artifact artifact;
  artifact.kernel = "scale";
  artifact.entry = "scale";
  artifact.target = "cpu";
  artifact.cpuLevel = "portable";
  artifact.abiVersion = PAVAGE_ABI_VERSION;
  artifact.params = {{"out", pavage::artifact::Dtype::I32, true, false, true, 16},
                     {"a", pavage::artifact::Dtype::I32, true, true, false, 1}};
  artifact.facts = {{"num_warps", 4}};
  artifact.sections = {{"obj", object}, {"tile", "module {}"}};
  return artifact;
}

/// A number and text for EXPECT_EQ, freeing the error.
inline std::string take(pvrt_error *error) {
  std::string text = error ? std::to_string(error->number) + " " + error->text : "ok";
  pvrt_error_free(error);
  return text;
}

/// A request that calls a C++ function.
struct TestRequest {
  using Compile = std::function<pvrt_error *(std::string &bytes)>;

  TestRequest(std::vector<std::pair<std::string, std::string>> parts, Compile compile)
      : texts(std::move(parts)), function(std::move(compile)) {
    for (const auto &[name, value] : texts) {
      views.push_back({name.c_str(), value.c_str()});
    }
    request.struct_size = sizeof(request);
    request.parts = views.data();
    request.part_count = views.size();
    request.context = this;
    request.compile = [](void *context, pvrt_bytes *artifact) -> pvrt_error * {
      auto &self = *static_cast<TestRequest *>(context);
      ++self.compiles;
      auto *bytes = new std::string();
      if (pvrt_error *error = self.function(*bytes)) {
        delete bytes;
        return error;
      }
      *artifact = {bytes->data(), bytes->size(), [](void *owner) { delete static_cast<std::string *>(owner); }, bytes};
      return nullptr;
    };
  }
  TestRequest(const TestRequest &) = delete;

  pvrt_request request = {};
  std::atomic<int> compiles{0};

private:
  std::vector<std::pair<std::string, std::string>> texts;
  Compile function;
  std::vector<pvrt_part> views;
};

/// A fresh disk cache per test.
class LaunchTest : public TestFolder {
protected:
  void SetUp() override {
    TestFolder::SetUp();
    setenv("PAVAGE_CACHE_DIR", (root / "cache").c_str(), 1);
    for (const char *name : {"PAVAGE_CACHE_SIZE", "PAVAGE_DEVICE", "PAVAGE_ON_RECOMPILE", "PAVAGE_EXPLAIN_RECOMPILE"}) {
      unsetenv(name);
    }
    pvrt_reload_environment();
    ASSERT_EQ(take(pvrt_device_open("cpu", &cpu)), "ok");
    kernel.reset(pvrt_kernel_new("scale", "demo.py", 6));
  }
  void TearDown() override {
    kernel.reset();
    unsetenv("PAVAGE_CACHE_DIR");
    TestFolder::TearDown();
  }

  /// get() with the key as text; its fingerprint is a hash unless given.
  pvrt_error *get(const std::string &key, const TestRequest &request, pvrt_variant **variant) {
    return pvrt_kernel_get(kernel.get(), cpu, std::hash<std::string>()(key), key.data(), key.size(), &request.request,
                           variant);
  }

  static TestRequest::Compile scaleBy(int factor) {
    return [factor](std::string &bytes) -> pvrt_error * {
      bytes = pavage::artifact::serialize(scaleArtifact(factor));
      return nullptr;
    };
  }

  /// out = a * factor over `count` programs, checked.
  static std::string launch(pvrt_variant *variant, int factor, int64_t count = 100) {
    std::vector<int32_t> a(count), out(count, -1);
    for (int64_t i = 0; i < count; ++i) {
      a[i] = static_cast<int32_t>(i - 7);
    }
    uint64_t slots[] = {uint64_t(out.data()), uint64_t(a.data())};
    pvrt_launch_args args = {};
    args.struct_size = sizeof(args);
    args.grid[0] = count;
    args.grid[1] = args.grid[2] = 1;
    args.slots = slots;
    args.slot_count = 2;
    std::string result = take(pvrt_launch(variant, &args));
    for (int64_t i = 0; i < count && result == "ok"; ++i) {
      if (out[i] != a[i] * factor) {
        result = "wrong at " + std::to_string(i);
      }
    }
    return result;
  }

  struct Free {
    void operator()(pvrt_kernel *kernel) const { pvrt_kernel_free(kernel); }
  };
  pvrt_device *cpu = nullptr;
  std::unique_ptr<pvrt_kernel, Free> kernel;
};

#endif // PAVAGE_TESTS_UNIT_RUNTIME_LAUNCH_FIXTURE_H

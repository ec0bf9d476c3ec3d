// The C interface: launches, facts, misuse. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Launch/Fixture.h"

#include <chrono>
#include <cstring>
#include <thread>

extern "C" int plainC(void);

TEST(CApi, WorksFromC) { EXPECT_TRUE(plainC()); }

TEST(CApi, Catalogue) {
  ASSERT_GT(pvrt_catalogue_size(), 40u);
  uint32_t last = 0;
  for (size_t i = 0; i < pvrt_catalogue_size(); ++i) {
    pvrt_catalogue_entry entry = pvrt_catalogue_at(i);
    EXPECT_GT(entry.number, last);
    last = entry.number;
  }
  EXPECT_EQ(pvrt_catalogue_at(100000).number, 0u);
  EXPECT_FALSE(pvrt_catalogue_find("PV0999", nullptr));
  EXPECT_FALSE(pvrt_catalogue_find("rubbish", nullptr));
  EXPECT_FALSE(pvrt_catalogue_find(nullptr, nullptr));
  EXPECT_TRUE(pvrt_catalogue_find("304", nullptr));
}

TEST(CApi, ErrorsWithMissingParts) {
  pvrt_error *error = pvrt_error_new(0, nullptr, nullptr, 0, 0, nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->number, 900u) << "an error without number would count as success";
  EXPECT_STREQ(error->text, "");
  EXPECT_STREQ(error->file, "");
  pvrt_error_free(error);
  pvrt_error_free(nullptr);
}

TEST_F(LaunchTest, LoadsStoredArtifacts) {
  std::string bytes = pavage::artifact::serialize(scaleArtifact(7));
  pvrt_variant *variant = nullptr;
  ASSERT_EQ(take(pvrt_load(cpu, bytes.data(), bytes.size(), &variant)), "ok");
  std::string copy = bytes;
  std::fill(bytes.begin(), bytes.end(), 'x'); // the variant must not refer to it
  EXPECT_EQ(launch(variant, 7), "ok");
  EXPECT_EQ(pvrt_variant_origin(variant), PVRT_ORIGIN_GIVEN);
  const void *data;
  size_t size;
  pvrt_variant_artifact(variant, &data, &size);
  EXPECT_EQ(std::string(static_cast<const char *>(data), size), copy);
  ASSERT_TRUE(pvrt_variant_section(variant, "tile", &data, &size));
  EXPECT_EQ(std::string(static_cast<const char *>(data), size), "module {}");
  EXPECT_FALSE(pvrt_variant_section(variant, "ptx", &data, &size));
  EXPECT_STREQ(pvrt_variant_section_name(variant, 0), "obj");
  EXPECT_EQ(pvrt_variant_section_name(variant, 2), nullptr);
  ASSERT_EQ(pvrt_variant_param_count(variant), 2u);
  const pvrt_param *param = pvrt_variant_param(variant, 0);
  EXPECT_STREQ(param->name, "out");
  EXPECT_STREQ(param->dtype, "i32");
  EXPECT_EQ(param->divisibility, 16u);
  EXPECT_EQ(param->flags, PVRT_PARAM_POINTER | PVRT_PARAM_WRITTEN);
  EXPECT_EQ(pvrt_variant_param(variant, 1)->flags, PVRT_PARAM_POINTER | PVRT_PARAM_READ);
  EXPECT_EQ(pvrt_variant_param(variant, 2), nullptr);
  EXPECT_EQ(pvrt_variant_fact(variant, "num_warps", 1), 4);
  EXPECT_EQ(pvrt_variant_fact(variant, "scratch_bytes", 1), 0);
  EXPECT_EQ(pvrt_variant_fact(variant, "nothing", 9), 9);
  pvrt_variant_free(variant);
  EXPECT_EQ(take(pvrt_load(cpu, "rubbish", 7, &variant)).substr(0, 4), "340 ");
}

TEST_F(LaunchTest, GridsAndSlotsAreChecked) {
  std::string bytes = pavage::artifact::serialize(scaleArtifact(7));
  pvrt_variant *variant = nullptr;
  ASSERT_EQ(take(pvrt_load(cpu, bytes.data(), bytes.size(), &variant)), "ok");
  uint64_t slots[2] = {};
  pvrt_launch_args args = {};
  args.struct_size = sizeof(args);
  args.slots = slots;
  args.slot_count = 2;
  auto run = [&](int64_t x, int64_t y, int64_t z) {
    args.grid[0] = x;
    args.grid[1] = y;
    args.grid[2] = z;
    return take(pvrt_launch(variant, &args));
  };
  EXPECT_EQ(run(0, 1, 1), "ok");
  EXPECT_EQ(run(5, 0, 1), "ok");
  EXPECT_EQ(run(-1, 1, 1), "304 expected a grid size from 0 to 2147483647 along x, got -1");
  EXPECT_EQ(run(1, 1, int64_t(1) << 40).substr(0, 4), "304 ");
  args.slot_count = 3;
  EXPECT_EQ(run(1, 1, 1), "901 expected 2 argument slots for kernel 'scale', got 3");
  args.slot_count = 2;
  args.slots = nullptr;
  EXPECT_EQ(run(1, 1, 1).substr(0, 4), "901 ");
  args.struct_size = 8;
  EXPECT_EQ(run(1, 1, 1).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_launch(nullptr, &args)).substr(0, 4), "901 ");
  pvrt_variant_free(variant);
}

TEST_F(LaunchTest, MisuseIsAnError) {
  pvrt_variant *variant = nullptr;
  TestRequest request({}, scaleBy(3));
  EXPECT_EQ(take(pvrt_kernel_get(nullptr, cpu, 0, "k", 1, &request.request, &variant)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_kernel_get(kernel.get(), nullptr, 0, "k", 1, &request.request, &variant)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_kernel_get(kernel.get(), cpu, 0, nullptr, 1, &request.request, &variant)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_kernel_get(kernel.get(), cpu, 0, "k", 1, nullptr, &variant)).substr(0, 4), "901 ");
  request.request.struct_size = 1;
  EXPECT_EQ(take(pvrt_kernel_get(kernel.get(), cpu, 0, "k", 1, &request.request, &variant)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_load(nullptr, "x", 1, &variant)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_alloc(nullptr, 1, nullptr)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_device_open("cpu", nullptr)).substr(0, 4), "901 ");
}

TEST_F(LaunchTest, Devices) {
  pvrt_device *other = nullptr;
  ASSERT_EQ(take(pvrt_device_open(nullptr, &other)), "ok");
  EXPECT_EQ(other, cpu) << "cpu is the default";
  EXPECT_TRUE(pvrt_device_is_host(cpu));
  EXPECT_TRUE(pvrt_device_ready(cpu));
  EXPECT_EQ(take(pvrt_device_open("tpu", &other)).substr(0, 4), "300 ");
  setenv("PAVAGE_DEVICE", "interp", 1);
  ASSERT_EQ(take(pvrt_device_open(nullptr, &other)), "ok");
  EXPECT_STREQ(pvrt_device_name(other), "interp");
  unsetenv("PAVAGE_DEVICE");
  EXPECT_EQ(take(pvrt_device_open("cuda:0", &other)).substr(0, 4), "301 ");
  void *memory = nullptr;
  char back[6];
  ASSERT_EQ(take(pvrt_alloc(cpu, 6, &memory)), "ok");
  ASSERT_EQ(take(pvrt_copy_to_device(cpu, memory, "hello", 6)), "ok");
  ASSERT_EQ(take(pvrt_copy_to_host(cpu, back, memory, 6)), "ok");
  EXPECT_STREQ(back, "hello");
  EXPECT_EQ(take(pvrt_synchronize(cpu)), "ok");
  pvrt_free(cpu, memory);
  EXPECT_EQ(take(pvrt_alloc(cpu, SIZE_MAX, &memory)).substr(0, 4), "318 ");
}

TEST_F(LaunchTest, CpuAndThreads) {
  EXPECT_GT(std::strlen(pvrt_cpu_name()), 0u);
  EXPECT_GT(std::strlen(pvrt_cpu_fingerprint()), 0u);
  const char *level = nullptr;
  setenv("PAVAGE_CPU", "portable", 1);
  ASSERT_EQ(take(pvrt_cpu_level(&level)), "ok");
  EXPECT_STREQ(level, "portable");
  setenv("PAVAGE_CPU", "z80", 1);
  EXPECT_EQ(take(pvrt_cpu_level(&level)).substr(0, 4), "315 ");
  unsetenv("PAVAGE_CPU");
  ASSERT_EQ(take(pvrt_set_num_threads(3)), "ok");
  EXPECT_EQ(pvrt_num_threads(), 3u);
  EXPECT_EQ(take(pvrt_set_num_threads(100000)).substr(0, 4), "315 ");
  ASSERT_EQ(take(pvrt_set_num_threads(0)), "ok");
  setenv("PAVAGE_NUM_THREADS", "lots", 1);
  pvrt_reload_environment();
  pvrt_variant *variant = nullptr;
  TestRequest request({}, scaleBy(3));
  ASSERT_EQ(take(get("k", request, &variant)), "ok");
  EXPECT_EQ(launch(variant, 3).substr(0, 4), "315 ");
  unsetenv("PAVAGE_NUM_THREADS");
  pvrt_reload_environment();
  EXPECT_EQ(launch(variant, 3), "ok");
}

TEST_F(LaunchTest, CacheCommands) {
  pvrt_variant *variant = nullptr;
  for (int factor : {2, 3}) {
    TestRequest request({{"F", std::to_string(factor)}}, scaleBy(factor));
    ASSERT_EQ(take(get(std::to_string(factor), request, &variant)), "ok");
  }
  const char *folder = nullptr;
  ASSERT_EQ(take(pvrt_cache_folder(&folder)), "ok");
  EXPECT_EQ(folder, (root / "cache").string());
  spill(files(root / "cache", ".pv").at(0), "rubbish");
  std::string seen;
  ASSERT_EQ(take(pvrt_cache_list(
                [](void *context, const pvrt_cache_entry *entry) {
                  *static_cast<std::string *>(context) +=
                      std::string(entry->kernel) + (entry->damaged ? "damaged" : "") + " ";
                },
                &seen)),
            "ok");
  EXPECT_EQ(seen, "damaged scale ");
  uint64_t good = 0, removed = 0;
  ASSERT_EQ(take(pvrt_cache_verify(&good, &removed)), "ok");
  EXPECT_EQ(good, 1u);
  EXPECT_EQ(removed, 1u);
  ASSERT_EQ(take(pvrt_cache_clear(&removed)), "ok");
  EXPECT_EQ(removed, 1u);
}

TEST(Arrays, NumberMemory) {
  int64_t ten[] = {10}, back[] = {-4}, matrix[] = {2, 5}, none[] = {0};
  auto array = [&](uint64_t base, const int64_t *shape, const int64_t *strides = nullptr, int32_t ndim = 1) {
    return pvrt_array{base, shape, strides, ndim, 4, 0, 0};
  };
  auto numbers = [](const std::vector<pvrt_array> &arrays) {
    std::vector<uint8_t> memory(arrays.size(), 99);
    pvrt_number_memory(arrays.data(), arrays.size(), memory.data());
    return std::vector<int>(memory.begin(), memory.end());
  };
  using Numbers = std::vector<int>;
  EXPECT_EQ(numbers({}), Numbers());
  EXPECT_EQ(numbers({array(1000, ten), array(1040, matrix, nullptr, 2), array(960, ten)}), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers({array(1000, ten), array(5000, ten), array(1000, ten)}), (Numbers{1, 2, 1}));
  EXPECT_EQ(numbers({array(1036, ten, back), array(1000, ten)}), (Numbers{1, 1})) << "the first runs downwards";
  EXPECT_EQ(numbers({array(1000, ten), array(1040, ten), array(9000, ten), array(1038, ten)}), (Numbers{1, 1, 2, 1}))
      << "the last joins the first two";
  EXPECT_EQ(numbers({array(1000, none), array(1000, ten)}), (Numbers{1, 2})) << "the first reaches nothing";
  EXPECT_EQ(numbers({array(0, ten), array(0, ten)}), (Numbers{1, 2})) << "null pointers";
  std::vector<pvrt_array> many(66, array(1000, ten));
  EXPECT_EQ(numbers(many)[63], 1);
  EXPECT_EQ(numbers(many)[64], 0) << "unknown";
}

TEST_F(LaunchTest, TunesThroughC) {
  setenv("PAVAGE_TUNING_FILE", (root / "tuning.json").c_str(), 1);
  struct State {
    int runs[3] = {};
    int checks = 0;
  } state;
  const char *labels[] = {"slow", "broken", "fast"};
  pvrt_tune_request request = {};
  request.struct_size = sizeof(request);
  request.candidate_count = 3;
  request.key = "scale cpu";
  request.labels = labels;
  request.context = &state;
  request.run = [](void *context, uint32_t candidate) -> pvrt_error * {
    ++static_cast<State *>(context)->runs[candidate];
    std::this_thread::sleep_for(std::chrono::microseconds(candidate == 0 ? 2000 : 50));
    return nullptr;
  };
  request.check = [](void *context, uint32_t candidate) -> pvrt_error * {
    ++static_cast<State *>(context)->checks;
    return candidate == 1 ? pvrt_error_new(411, "wrong result", nullptr, 0, 0, nullptr) : nullptr;
  };
  request.warmup_milliseconds = 1;
  request.measure_milliseconds = 3;
  pvrt_tune_result result = {};
  pvrt_tune_candidate candidates[3];
  ASSERT_EQ(take(pvrt_tune(&request, &result, candidates)), "ok");
  EXPECT_EQ(result.choice, 2u);
  EXPECT_FALSE(result.from_file);
  EXPECT_EQ(candidates[1].error, 411u);
  EXPECT_GT(candidates[0].milliseconds, candidates[2].milliseconds);
  EXPECT_EQ(state.checks, 3);
  EXPECT_EQ(state.runs[1], 1);
  state = {};
  ASSERT_EQ(take(pvrt_tune(&request, &result, candidates)), "ok");
  EXPECT_EQ(result.choice, 2u);
  EXPECT_TRUE(result.from_file);
  EXPECT_EQ(state.runs[0] + state.runs[1] + state.runs[2], 0);
  EXPECT_EQ(candidates[1].error, 411u);
  // Without a file of its own the choice is in the cache folder.
  unsetenv("PAVAGE_TUNING_FILE");
  ASSERT_EQ(take(pvrt_tune(&request, &result, nullptr)), "ok");
  EXPECT_TRUE(std::filesystem::exists(root / "tuning.json"));
  request.run = nullptr;
  EXPECT_EQ(take(pvrt_tune(&request, &result, nullptr)).substr(0, 4), "901 ");
}

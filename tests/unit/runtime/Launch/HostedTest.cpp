// Devices that another library runs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/runtime/Launch/Fixture.h"

#include <cstring>
#include <set>

namespace {
/// A host that counts what it is asked for.
struct Host {
  int loads = 0, launches = 0, unloads = 0;
  std::string fail; ///< "load" or "launch"
  pvrt_launch_args seen = {};

  pvrt_hosted functions() {
    pvrt_hosted hosted = {};
    hosted.struct_size = sizeof(hosted);
    hosted.context = this;
    hosted.load = [](void *context, const void *artifact, size_t bytes, void **loaded) -> pvrt_error * {
      auto &self = *static_cast<Host *>(context);
      if (self.fail == "load") {
        return pvrt_error_new(200, "does not parse", nullptr, 0, 0, nullptr);
      }
      ++self.loads;
      *loaded = new std::string(static_cast<const char *>(artifact), bytes);
      return nullptr;
    };
    hosted.launch = [](void *context, void *loaded, const pvrt_launch_args *args,
                       const volatile uint32_t *cancel) -> pvrt_error * {
      auto &self = *static_cast<Host *>(context);
      ++self.launches;
      self.seen = *args;
      EXPECT_EQ(*cancel, 0u);
      pvrt_interrupt(pvrt_current_thread());
      EXPECT_NE(*cancel, 0u);
      EXPECT_NE(static_cast<std::string *>(loaded)->find("scale"), std::string::npos);
      return self.fail == "launch" ? pvrt_error_new(500, "out of bounds", "f.py", 3, 1, "x = 1") : nullptr;
    };
    hosted.unload = [](void *context, void *loaded) {
      ++static_cast<Host *>(context)->unloads;
      delete static_cast<std::string *>(loaded);
    };
    return hosted;
  }
};
} // namespace

/// Without the virtual GPUs, which are always there.
static std::set<std::string> listed() {
  std::set<std::string> names;
  for (size_t i = 0; const char *name = pvrt_device_list(i); ++i) {
    if (std::strncmp(name, "sim:", 4) != 0) {
      names.insert(name);
    }
  }
  return names;
}

TEST_F(LaunchTest, HostedDevice) {
  pvrt_device *interp = nullptr;
  ASSERT_EQ(take(pvrt_device_open("interp", &interp)), "ok");
  EXPECT_STREQ(pvrt_device_name(interp), "interp");
  EXPECT_STREQ(pvrt_device_target(interp), "interp");
  EXPECT_NE(pvrt_device_id(interp), pvrt_device_id(cpu));
  EXPECT_FALSE(pvrt_device_ready(interp));
  EXPECT_EQ(listed(), std::set<std::string>{"cpu"});

  TestRequest request({}, [](std::string &bytes) -> pvrt_error * {
    auto artifact = scaleArtifact(3);
    artifact.target = "interp";
    bytes = pavage::artifact::serialize(artifact);
    return nullptr;
  });
  pvrt_variant *variant = nullptr;
  auto get = [&] { return take(pvrt_kernel_get(kernel.get(), interp, 1, "k", 1, &request.request, &variant)); };
  EXPECT_EQ(get(), "301 expected the library that runs device 'interp' to be loaded, got no such library");

  Host host;
  pvrt_hosted functions = host.functions();
  ASSERT_EQ(take(pvrt_register_hosted("interp", &functions)), "ok");
  EXPECT_TRUE(pvrt_device_ready(interp));
  EXPECT_EQ(listed(), (std::set<std::string>{"cpu", "interp"}));
  host.fail = "load";
  EXPECT_EQ(get(), "200 does not parse");
  host.fail = "";
  ASSERT_EQ(get(), "ok");
  int32_t out[3], a[3] = {1, 2, 3};
  int64_t shape[] = {3};
  uint64_t slots[] = {uint64_t(out), uint64_t(a)};
  pvrt_array arrays[] = {{slots[0], shape, nullptr, 1, 4, 0, 0},
                         {slots[1], shape, nullptr, 1, 4, 1, PVRT_ARRAY_READONLY}};
  pvrt_launch_args args = {};
  args.struct_size = sizeof(args);
  args.grid[0] = 3;
  args.grid[1] = 5;
  args.grid[2] = 1;
  args.slots = slots;
  args.slot_count = 2;
  args.arrays = arrays;
  args.array_count = 2;
  EXPECT_EQ(take(pvrt_launch(variant, &args)), "ok");
  EXPECT_EQ(host.seen.grid[1], 5);
  EXPECT_EQ(host.seen.slot_count, 2u);
  EXPECT_EQ(host.seen.arrays, arrays);
  host.fail = "launch";
  pvrt_error *error = pvrt_launch(variant, &args);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(error->rendered, "f.py:3:1: error PV0500: out of bounds\n    x = 1\n    ^");
  pvrt_error_free(error);
  EXPECT_EQ(host.launches, 2);
  kernel.reset();
  EXPECT_EQ(host.unloads, host.loads);
}

TEST_F(LaunchTest, OnlyHostedDevicesCanBeRegistered) {
  Host host;
  pvrt_hosted functions = host.functions();
  EXPECT_EQ(take(pvrt_register_hosted("cpu", &functions)), "901 expected the name of a hosted device, got 'cpu'");
  EXPECT_EQ(take(pvrt_register_hosted("gpu", &functions)).substr(0, 4), "300 ");
  functions.launch = nullptr;
  EXPECT_EQ(take(pvrt_register_hosted("interp", &functions)).substr(0, 4), "901 ");
  EXPECT_EQ(take(pvrt_register_hosted("interp", nullptr)).substr(0, 4), "901 ");
}

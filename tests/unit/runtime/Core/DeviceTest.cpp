// Device names, the device list, host memory, grids. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/Device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace pavage::core;
using pavage::errors::Code;
using pavage::errors::Error;
using pavage::errors::Result;

TEST(DeviceName, Spellings) {
  EXPECT_EQ(parseDeviceName("cpu")->canonical(), "cpu");
  EXPECT_EQ(parseDeviceName("interp")->canonical(), "interp");
  EXPECT_EQ(parseDeviceName("sim:sm_90a")->canonical(), "sim:sm_90a");
  EXPECT_EQ(parseDeviceName("cuda")->canonical(), "cuda:0");
  EXPECT_EQ(parseDeviceName("cuda:3")->canonical(), "cuda:3");
  for (const char *wrong : {"", "gpu", "cpu:0", "CPU", "sim", "sim:", "sim:sm_", "sim:80", "cuda:", "cuda:x", "cuda:-1",
                            "cuda:1x", "cuda:99999", "interp:", " cpu"}) {
    ASSERT_FALSE(parseDeviceName(wrong)) << wrong;
    EXPECT_EQ(parseDeviceName(wrong).error().render(),
              "error PV0300: expected a device cpu, interp, sim:sm_75|80|86|87|89|90|90a or cuda:N, got '" +
                  std::string(wrong) + "'");
  }
  for (const char *unknown : {"sm_70", "sm_100", "sm_100a", "sm_120", "sm_120f"}) {
    EXPECT_EQ(parseDeviceName(std::string("sim:") + unknown).error().render(),
              "error PV0301: expected a GPU that can be simulated (sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a), "
              "got '" +
                  std::string(unknown) + "'");
  }
}

namespace {
class TestDevice : public Device {
public:
  using Device::Device;
  Result<std::unique_ptr<Kernel>> load(const Loadable &) override { return Error(Code::Internal, "none"); }
};
class TestKind : public DeviceKind {
public:
  Result<std::unique_ptr<Device>> open(const DeviceName &name) override {
    return std::unique_ptr<Device>(std::make_unique<TestDevice>(name.canonical(), name.kind));
  }
  std::vector<std::string> names() const override { return {"sim:sm_75"}; }
};
} // namespace

TEST(DeviceList, OpensEachDeviceOnce) {
  unsetenv("PAVAGE_DEVICE");
  EXPECT_TRUE(openDevice("cuda:5").error().is(Code::DeviceUnavailable)) << "nobody registered such devices";
  registerDeviceKind("sim", std::make_unique<TestKind>());
  auto first = openDevice("sim:sm_75"), second = openDevice("sim:sm_75"), other = openDevice("sim:sm_80");
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *other);
  EXPECT_NE((*first)->id(), (*other)->id());
  EXPECT_EQ((*first)->name(), "sim:sm_75");
  std::vector<std::string> names = deviceNames();
  EXPECT_NE(std::find(names.begin(), names.end(), "sim:sm_75"), names.end());
  setenv("PAVAGE_DEVICE", "sim:sm_75", 1);
  EXPECT_EQ(*openDevice(""), *first);
  setenv("PAVAGE_DEVICE", "tpu", 1);
  EXPECT_TRUE(openDevice("").error().is(Code::UnknownDevice));
  unsetenv("PAVAGE_DEVICE");
}

TEST(HostMemory, AllocatesAlignedAndCopies) {
  TestDevice device("cpu", "cpu");
  for (size_t bytes : {0, 1, 63, 64, 1000}) {
    auto memory = device.allocate(bytes);
    ASSERT_TRUE(memory);
    EXPECT_NE(*memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
    std::string text(bytes, 'x'), back(bytes, ' ');
    EXPECT_FALSE(device.copyToDevice(*memory, text.data(), bytes));
    EXPECT_FALSE(device.copyToHost(back.data(), *memory, bytes));
    EXPECT_EQ(text, back);
    device.release(*memory);
  }
  EXPECT_TRUE(device.allocate(SIZE_MAX).error().is(Code::OutOfMemory));
  EXPECT_TRUE(device.allocate(SIZE_MAX - 200).error().is(Code::OutOfMemory));
}

TEST(Grid, Limits) {
  EXPECT_FALSE(checkGrid({1, 1, 1}));
  EXPECT_FALSE(checkGrid({0, 5, 1}));
  EXPECT_FALSE(checkGrid({INT32_MAX, INT32_MAX, 1}));
  EXPECT_TRUE(checkGrid({-3, 1, 1}).is(Code::BadGrid));
  EXPECT_EQ(checkGrid({1, int64_t(1) << 31, 1}).text(),
            "expected a grid size from 0 to 2147483647 along y, got 2147483648");
  EXPECT_TRUE(checkGrid({INT32_MAX, INT32_MAX, 2}).is(Code::BadGrid));
  EXPECT_TRUE(checkGrid({0, INT32_MAX, INT64_MAX}).is(Code::BadGrid));
}

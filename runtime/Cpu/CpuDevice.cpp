// Loading artifacts for the CPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/CpuDevice.h"

#include "runtime/Core/CpuInfo.h"
#include "runtime/Cpu/CpuKernel.h"

namespace pavage::cpu {

using errors::Code;
using errors::Error;
using errors::Result;

namespace {

class CpuDevice : public core::Device {
public:
  CpuDevice() : Device("cpu", "cpu") {}

  Result<std::unique_ptr<core::Kernel>> load(const core::Loadable &loadable) override {
    const artifact::Artifact &facts = loadable.artifact;
    if (facts.abiVersion != PAVAGE_ABI_VERSION) {
      return Error(Code::ArtifactVersion, "expected code for kernel interface " + std::to_string(PAVAGE_ABI_VERSION) +
                                              ", got " + std::to_string(facts.abiVersion));
    }
    if (Error error = core::requireCpuLevel(facts.cpuLevel)) {
      return error;
    }
    const std::string *object = facts.section("obj");
    if (object == nullptr) {
      return Error(Code::EntryMissing,
                   "expected object code in the artifact of kernel '" + facts.kernel + "', got none");
    }
    auto code = loadObject(*object);
    if (!code) {
      return code.takeError();
    }
    void *entry = code->function(facts.entry);
    if (entry == nullptr) {
      return Error(Code::EntryMissing, "expected a function '" + facts.entry + "' in the object code of kernel '" +
                                           facts.kernel + "', got none");
    }
    return std::unique_ptr<core::Kernel>(
        std::make_unique<CpuKernel>(facts, std::move(*code), reinterpret_cast<PavageKernelFn>(entry)));
  }
};

class CpuKind : public core::DeviceKind {
public:
  Result<std::unique_ptr<core::Device>> open(const core::DeviceName &) override {
    return std::unique_ptr<core::Device>(std::make_unique<CpuDevice>());
  }
  std::vector<std::string> names() const override { return {"cpu"}; }
};

} // namespace

std::unique_ptr<core::DeviceKind> makeCpuKind() { return std::make_unique<CpuKind>(); }

std::unique_ptr<core::Kernel> makeCpuKernel(const artifact::Artifact &facts, PavageKernelFn entry) {
  return std::make_unique<CpuKernel>(facts, LoadedObject(), entry);
}

} // namespace pavage::cpu

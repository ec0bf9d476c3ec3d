// The device `cpu`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CPU_CPUDEVICE_H
#define PAVAGE_RUNTIME_CPU_CPUDEVICE_H

#include "runtime/Core/Device.h"

namespace pavage::cpu {

/// For core::registerDeviceKind("cpu", ...).
std::unique_ptr<core::DeviceKind> makeCpuKind();

/// A kernel in this process's own code, for programs that link compiled objects: entry and launch facts as an artifact
/// without code.
std::unique_ptr<core::Kernel> makeCpuKernel(const artifact::Artifact &facts, PavageKernelFn entry);

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_CPUDEVICE_H

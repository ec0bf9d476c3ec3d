// The devices sim:sm_75 ... sim:sm_90a. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All virtual GPUs of a process are one Gpu with one memory; a device is an architecture that it is asked to be. A
// launch has the machine to itself: launches of several threads run one after the other.
//
//   artifact ──► load: parse, decode ──► launch: arrays in ─► run ─► arrays out ─► Record (Record.h)
//
// A fault (what a real GPU would stop at) is the launch's error; other findings are in the Record only.
#pragma once

#include "runtime/Core/Device.h"

namespace pavage::sim {

/// For core::registerDeviceKind("sim", ...).
std::unique_ptr<core::DeviceKind> makeSimKind();

} // namespace pavage::sim

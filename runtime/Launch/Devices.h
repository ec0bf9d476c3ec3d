// The devices of this process, hosted ones among them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_LAUNCH_DEVICES_H
#define PAVAGE_RUNTIME_LAUNCH_DEVICES_H

#include "runtime/Core/Device.h"
#include "runtime/Launch/include/pavage/runtime.h"

namespace pavage::launch {

/// core::openDevice, after the devices of this build are registered.
errors::Result<core::Device *> openDevice(const char *name);

/// Names of devices that can be used.
std::vector<std::string> usableDevices();

/// Gives a hosted device (interp, ...) its implementation.
errors::Error registerHosted(const char *name, const pvrt_hosted &hosted);

/// A pvrt_device is a core::Device under another name: the C type is never defined.
inline pvrt_device *wrap(core::Device *device) { return reinterpret_cast<pvrt_device *>(device); }
inline core::Device *unwrap(pvrt_device *device) { return reinterpret_cast<core::Device *>(device); }
inline const core::Device *unwrap(const pvrt_device *device) { return reinterpret_cast<const core::Device *>(device); }

} // namespace pavage::launch

#endif // PAVAGE_RUNTIME_LAUNCH_DEVICES_H

// Error values across the C border. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_LAUNCH_ERROROBJECT_H
#define PAVAGE_RUNTIME_LAUNCH_ERROROBJECT_H

#include "runtime/Errors/Errors.h"
#include "runtime/Launch/include/pavage/runtime.h"

#include <exception>
#include <new>

namespace pavage::launch {

/// A C error object of an error, null of success.
pvrt_error *toC(const errors::Error &error);

/// The other way; frees the object.
errors::Error fromC(pvrt_error *error);

/// What no allocation can be made for.
pvrt_error *outOfMemoryObject();

/// Runs the body of a C function: no exception leaves it.
template <typename Body> pvrt_error *guarded(Body body) {
  try {
    return toC(body());
  } catch (const std::bad_alloc &) {
    return outOfMemoryObject();
  } catch (const std::exception &exception) {
    return toC(errors::Error(errors::Code::Internal, std::string("unexpected exception: ") + exception.what()));
  }
}

inline errors::Error misuse(const std::string &text) { return errors::Error(errors::Code::ApiMisuse, text); }

} // namespace pavage::launch

#endif // PAVAGE_RUNTIME_LAUNCH_ERROROBJECT_H

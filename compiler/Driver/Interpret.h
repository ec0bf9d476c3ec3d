// A recorded kernel run by Interp, as the runtime launches it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_INTERPRET_H
#define PAVAGE_COMPILER_DRIVER_INTERPRET_H

#include "runtime/Artifact/Abi.h"
#include "runtime/Errors/Errors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <functional>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace pavage::driver {

struct InterpretOptions {
  std::array<int64_t, 3> grid{1, 1, 1};
  llvm::ArrayRef<uint64_t> slots;     ///< one per argument, as in Abi.h
  llvm::ArrayRef<PavageArray> arrays; ///< pointers without one are not checked
  const volatile uint32_t *cancel = nullptr;
  uint64_t maxOps = 0;                                             ///< 0 = no limit
  std::function<void(llvm::StringRef)> print;                      ///< empty = stdout
  std::function<void(const std::string &, errors::Position)> note; ///< findings that are no errors
};

/// Runs all programs of the grid, ascending. The error is the first finding that is one.
errors::Error interpretModule(mlir::ModuleOp module, const InterpretOptions &options);

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_INTERPRET_H

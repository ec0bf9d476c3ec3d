// IR after each pass, as files. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   DIR/softmax-1f0c3a9e/00-recorded.mlir
//                        01-inline.mlir
//                        ...
//                        14-llvm.ll
//
// The folder's name holds a hash of the recorded module, so that specialisations of one kernel, and processes that run
// at the same time, do not mix.
#ifndef PAVAGE_COMPILER_DRIVER_DUMP_H
#define PAVAGE_COMPILER_DRIVER_DUMP_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Errors/Errors.h"
#include <memory>
#include <string>

namespace pavage::driver {

class Dump {
public:
  /// Makes the folder and writes the recorded module; error PV0210 when it cannot.
  static errors::Result<std::shared_ptr<Dump>> create(llvm::StringRef folder, llvm::StringRef kernel,
                                                      mlir::ModuleOp module);

  /// Writes the next numbered file. The first failure is kept for `error`.
  void write(llvm::StringRef step, llvm::StringRef extension, llvm::StringRef content);
  void write(llvm::StringRef step, mlir::Operation *module);

  /// Writes the module after every pass.
  static void attach(const std::shared_ptr<Dump> &dump, mlir::PassManager &pm);

  errors::Error error() const { return failure; }

private:
  std::string folder;
  unsigned next = 0;
  errors::Error failure;
};

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_DUMP_H

// What a pv_module is: the hand-over from the builder to the compiler. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_FRONTEND_BUILDER_MODULE_H
#define PAVAGE_FRONTEND_BUILDER_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <mutex>
#include <string>

namespace pavage::builder {

/// A context on loan from the process's pool; it goes back when the loan ends. Contexts are reused, since loading the
/// dialects takes longer than building a kernel, and used by one builder or module at a time, so none needs locks.
struct OwnedContext {
  OwnedContext();
  ~OwnedContext();
  OwnedContext(const OwnedContext &) = delete;
  OwnedContext &operator=(const OwnedContext &) = delete;

  mlir::MLIRContext *context;
};

} // namespace pavage::builder

/// One kernel in dialect Tile and the context it lives in.
struct pv_module {
  std::unique_ptr<pavage::builder::OwnedContext> owned;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string kernel;

  std::recursive_mutex mutex;  ///< taken by calls that may come from several threads (running in Interp)
  std::shared_ptr<void> facts; ///< what the compiler has found out about it
};

#endif // PAVAGE_FRONTEND_BUILDER_MODULE_H

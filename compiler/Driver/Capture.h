// Turns what MLIR says during a call into values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_CAPTURE_H
#define PAVAGE_COMPILER_DRIVER_CAPTURE_H

#include "compiler/Support/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Errors/Errors.h"
#include <functional>
#include <optional>
#include <string>

namespace pavage::driver {

/// What a pass did, did not do, or found out, with the place in the author's source.
struct Remark {
  enum class Kind { Passed, Missed, Analysis };
  Kind kind = Kind::Analysis;
  std::string pass;
  std::string text;
  errors::Position at;
};
using RemarkHandler = std::function<void(const Remark &)>;

errors::Position toPosition(const support::Place &place);

/// While it lives, the first error of the context is kept, its notes and call chain with it; nothing is printed.
class ErrorCapture {
public:
  explicit ErrorCapture(mlir::MLIRContext &context);

  bool hasError() const { return first.has_value(); }

  /// The error: with its own number when it carries one, else with `fallback` and `prefix` before its text.
  errors::Error take(errors::Code fallback, llvm::StringRef prefix = {});

private:
  void handle(mlir::Diagnostic &diagnostic);

  std::optional<errors::Error> first;
  mlir::ScopedDiagnosticHandler handler;
};

/// While it lives, remarks of the context's passes go to the handler.
class RemarkCapture {
public:
  RemarkCapture(mlir::MLIRContext &context, const RemarkHandler &handler);
  ~RemarkCapture();

private:
  mlir::MLIRContext &context;
  bool isOn;
};

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_CAPTURE_H

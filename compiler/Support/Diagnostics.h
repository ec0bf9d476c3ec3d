// Places and numbered errors in IR. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass reports a user's error with `emitNumbered(op, 210) << "expected ..., got ..."`: the diagnostic's text then
// starts with "PV0210: ", from which the Driver takes the number. A diagnostic without number is an internal error.
#ifndef PAVAGE_COMPILER_SUPPORT_DIAGNOSTICS_H
#define PAVAGE_COMPILER_SUPPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace pavage::support {

/// A place in the author's source; an empty file means that none is known.
struct Place {
  llvm::StringRef file;
  unsigned line = 0;
  unsigned column = 0;
};

/// The innermost place of a location, and those that lead to it by inlined calls, innermost call first.
Place placeOf(mlir::Location location, llvm::SmallVectorImpl<Place> *callers = nullptr);

/// Starts an error with a number of runtime/Errors/Catalogue.def.
mlir::InFlightDiagnostic emitNumbered(mlir::Location location, unsigned number);

/// Takes "PV0210: " off the front of a text; 0 when there is no number.
unsigned takeNumber(llvm::StringRef &text);

} // namespace pavage::support

#endif // PAVAGE_COMPILER_SUPPORT_DIAGNOSTICS_H

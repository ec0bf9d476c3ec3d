// Places and numbered errors in IR. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Support/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace pavage::support {

Place placeOf(Location location, SmallVectorImpl<Place> *callers) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    return {place.getFilename().getValue(), place.getLine(), place.getColumn()};
  }
  if (auto named = dyn_cast<NameLoc>(location)) {
    return placeOf(named.getChildLoc(), callers);
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SmallVector<Place> outer;
    Place caller = placeOf(call.getCaller(), &outer);
    Place callee = placeOf(call.getCallee(), callers);
    if (callee.file.empty()) {
      std::swap(callee, caller);
    }
    if (callers) {
      if (!caller.file.empty()) {
        callers->push_back(caller);
      }
      callers->append(outer);
    }
    return callee;
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations()) {
      if (Place place = placeOf(part, callers); !place.file.empty()) {
        return place;
      }
    }
  }
  if (auto opaque = dyn_cast<OpaqueLoc>(location)) {
    return placeOf(opaque.getFallbackLocation(), callers);
  }
  return {};
}

InFlightDiagnostic emitNumbered(Location location, unsigned number) {
  InFlightDiagnostic diagnostic = emitError(location);
  diagnostic << llvm::formatv("PV{0,0+4}: ", number).str();
  return diagnostic;
}

unsigned takeNumber(StringRef &text) {
  StringRef rest = text;
  unsigned number = 0;
  if (!rest.consume_front("PV") || rest.size() < 6 || rest.take_front(4).getAsInteger(10, number) ||
      !rest.drop_front(4).starts_with(": ")) {
    return 0;
  }
  text = rest.drop_front(6);
  return number;
}

} // namespace pavage::support

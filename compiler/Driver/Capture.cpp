// Turns what MLIR says during a call into values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/Capture.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace pavage::driver {

errors::Position toPosition(const support::Place &place) {
  return {place.file.str(), place.line, place.file.empty() ? 0 : place.column};
}

// --- Errors ----------------------------------------------------------------------------------------------------------

ErrorCapture::ErrorCapture(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) { handle(diagnostic); }) {}

void ErrorCapture::handle(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error || first) {
    return; // warnings and remarks have their own ways; a second error usually follows from the first
  }
  std::string text = diagnostic.str();
  StringRef rest = text;
  unsigned number = support::takeNumber(rest);
  SmallVector<support::Place> callers;
  support::Place place = support::placeOf(diagnostic.getLocation(), &callers);
  errors::Error error(number, rest.str(), toPosition(place));
  for (Diagnostic &note : diagnostic.getNotes()) {
    error = std::move(error).withNote(note.str(), toPosition(support::placeOf(note.getLocation())));
  }
  for (const support::Place &caller : callers) {
    error = std::move(error).withNote("called from here", toPosition(caller));
  }
  first = std::move(error);
}

errors::Error ErrorCapture::take(errors::Code fallback, StringRef prefix) {
  if (!first) {
    return {fallback, (prefix + "failed without a message").str()};
  }
  errors::Error error = std::move(*first);
  first.reset();
  if (error.number() != 0) {
    return error;
  }
  errors::Error numbered(fallback, prefix.str() + error.text(), error.at());
  for (const errors::Note &note : error.notes()) {
    numbered = std::move(numbered).withNote(note.text, note.at);
  }
  return numbered;
}

// --- Remarks ---------------------------------------------------------------------------------------------------------

namespace {

class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(const RemarkHandler &handler) : handler(handler) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Remark out;
    switch (remark.getRemarkType()) {
    case llvm::remarks::Type::Passed:
      out.kind = Remark::Kind::Passed;
      break;
    case llvm::remarks::Type::Missed:
    case llvm::remarks::Type::Failure:
      out.kind = Remark::Kind::Missed;
      break;
    default:
      out.kind = Remark::Kind::Analysis;
      break;
    }
    out.pass = remark.getCombinedCategoryName().str();
    // What comes first, then why, then figures.
    std::string why;
    std::string figures;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      if (arg.key == "Remark") {
        out.text += arg.val;
      } else if (arg.key == "Reason") {
        why += ": " + arg.val;
      } else {
        figures += ", " + arg.key + " = " + arg.val;
      }
    }
    out.text += why + figures;
    out.at = toPosition(support::placeOf(remark.getLocation()));
    handler(out);
  }

private:
  const RemarkHandler &handler;
};

} // namespace

RemarkCapture::RemarkCapture(MLIRContext &context, const RemarkHandler &handler) : context(context), isOn(!!handler) {
  if (isOn) {
    remark::RemarkCategories all{".*", ".*", ".*", ".*", ".*"};
    isOn = succeeded(remark::enableOptimizationRemarks(context, std::make_unique<Streamer>(handler),
                                                       std::make_unique<remark::RemarkEmittingPolicyAll>(), all));
  }
}

RemarkCapture::~RemarkCapture() {
  if (isOn) {
    context.setRemarkEngine(nullptr);
  }
}

} // namespace pavage::driver

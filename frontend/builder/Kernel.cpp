// The record sink: a kernel's function, its arguments, and the verified module. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "dialect/Tile/TileDialect.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static bool checkParams(Session &s, StringRef name, ArrayRef<pv_param> params) {
  if (name.empty()) {
    return s.fail(Code::BadParameter, "expected a kernel with a name, got none");
  }
  llvm::StringSet<> names;
  for (const pv_param &p : params) {
    DType d(p.dtype);
    StringRef param = p.name ? p.name : "";
    if (param.empty() || !names.insert(param).second) {
      return s.fail(Code::BadParameter,
                    "expected parameters of '" + name + "' with names of their own, got '" + param + "'");
    }
    if (!isKnown(d) || d.isFp8()) {
      return s.fail(Code::BadParameter, "expected a pointer or a scalar of 16 bits or more, an integer or int1 for "
                                        "parameter '" +
                                            param + "', got " + d.name());
    }
    if (p.divisibility < 0) {
      return s.fail(Code::BadParameter,
                    "expected a positive divisibility of parameter '" + param + "', got " + Twine(p.divisibility));
    }
    if (p.memory < 0 || (p.memory && !(p.dtype & PV_POINTER))) {
      return s.fail(Code::BadParameter, "expected a number from 1 for the memory of a pointer, or 0, got " +
                                            Twine(p.memory) + " for parameter '" + param + "'");
    }
  }
  return true;
}

bool Session::kernelBegin(StringRef name, StringRef file, int line, ArrayRef<pv_param> params, Refs &args) {
  if (!frames.empty()) {
    return fail(Code::BadControl, "expected the open kernel to end before '" + name + "' begins");
  }
  here = {file.str(), static_cast<unsigned>(std::max(line, 0)), 0};
  if (!checkParams(*this, name, params)) {
    return false;
  }
  if (!owned) {
    owned = std::make_unique<OwnedContext>();
  }
  ir = OpBuilder(owned->context);
  module = ModuleOp::create(loc());
  SmallVector<Type> types;
  for (const pv_param &p : params) {
    types.push_back(irType(&context(), DType(p.dtype)));
  }
  ir.setInsertionPointToEnd(module->getBody());
  auto function = create<func::FuncOp>(name, ir.getFunctionType(types, {}));
  kernel = function;
  function->setAttr(tile::kKernelAttr, ir.getUnitAttr());
  for (auto [i, p] : llvm::enumerate(params)) {
    function.setArgAttr(i, tile::kNameAttr, ir.getStringAttr(p.name));
    if (p.divisibility > 1) {
      function.setArgAttr(i, tile::kDivisibilityAttr, ir.getI64IntegerAttr(p.divisibility));
    }
    if (p.memory) {
      function.setArgAttr(i, tile::kMemoryAttr, ir.getI64IntegerAttr(p.memory));
    }
    DType element = DType(p.dtype & PV_SCALAR_MASK);
    if (element.isInteger()) {
      function.setArgAttr(i, tile::kSignedAttr, ir.getBoolAttr(element.isSigned()));
    }
  }
  openCalls = {0};
  nextCall = 1;
  Frame &frame = push(Frame::Kernel);
  frame.returned = declareHidden("return", pv_variable::Flag);
  for (auto [type, p] : llvm::zip(types, params)) {
    args.push_back(tile(frame.block->addArgument(type, loc()), DType(p.dtype)));
  }
  return true;
}

bool Session::kernelHint(StringRef name, Attribute value) {
  if (!kernel) {
    return fail(Code::NoKernelOpen, "expected an open kernel for the hint '" + name + "', got none");
  }
  kernel->setAttr(("tile." + name).str(), value);
  return true;
}

pv_module *Session::kernelEnd() {
  if (!kernel) {
    return fail(Code::NoKernelOpen, "expected an open kernel to end, got none");
  }
  bool found;
  explicitTop({Frame::Kernel}, found);
  if (!found) {
    return fail(Code::BadControl, "expected every loop, if, call and combine function to be closed at the end of the "
                                  "kernel, got an open one");
  }
  openCalls.clear(); // no variable outlives the kernel: nothing is merged
  closeImplicit(0);
  create<func::ReturnOp>();
  std::unique_ptr<Frame> frame = pop();
  auto function = cast<func::FuncOp>(kernel);
  function.getBody().takeBody(*frame->region);

  std::string text;
  ScopedDiagnosticHandler handler(&context(), [&](Diagnostic &d) {
    text += (text.empty() ? "" : "; ") + d.str();
    return success();
  });
  if (failed(verify(*module))) {
    fail(Code::Internal, "expected valid IR of '" + Twine(function.getName()) + "', got: " + text);
    abandon();
    return nullptr;
  }
  auto result = std::make_unique<pv_module>();
  result->kernel = function.getName().str();
  result->module = std::move(module);
  result->owned = std::move(owned);
  kernel = nullptr;
  abandon();
  return result.release();
}

void Session::abandon() {
  // Inner blocks use what outer ones define.
  while (!frames.empty()) {
    frames.pop_back();
  }
  native.clear();
  deadVars.clear();
  placeholders.clear();
  for (pv_value *value : eagerValues) {
    value->session = nullptr;
    if (value->isHarvested) {
      value->ir.getDefiningOp()->destroy();
    }
    value->ir = {};
  }
  eagerValues.clear();
  pending.clear();
  isDeadNative = false;
  interp.reset();
  openRegions.clear();
  openCalls.clear();
  calls.clear();
  variables.clear();
  combineDepth = 0;
  kernel = nullptr;
  module = {};
}

// Errors, places, constants and the checks that all operations share. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "frontend/builder/Session.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Session::Session() : owned(std::make_unique<OwnedContext>()), ir(owned->context) {}

Session::~Session() { abandon(); }

//===----------------------------------------------------------------------===//
// Errors and places
//===----------------------------------------------------------------------===//

std::vector<errors::Note> Session::callNotes() const {
  std::vector<errors::Note> notes;
  for (const CallSite &call : llvm::reverse(calls)) {
    notes.push_back({"in the call of '" + call.callee + "'", call.at});
  }
  return notes;
}

Failed Session::fail(unsigned number, const Twine &text) {
  error = errors::Error(number, text.str(), here);
  for (errors::Note &n : callNotes()) {
    error = std::move(error).withNote(n.text, n.at);
  }
  return {};
}

Failed Session::fail(Code code, const Twine &text) { return fail(static_cast<unsigned>(code), text); }

void Session::note(const Twine &text, const Position &at) {
  if (error && at.line != 0) {
    error = std::move(error).withNote(text.str(), at);
  }
}

Location Session::locOf(const Position &at) {
  if (at.file.empty() && at.line == 0) {
    return UnknownLoc::get(&context());
  }
  return FileLineColLoc::get(StringAttr::get(&context(), at.file), at.line, at.column);
}

Location Session::loc() {
  Location place = locOf(here);
  for (const CallSite &call : llvm::reverse(calls)) {
    place = CallSiteLoc::get(place, locOf(call.at));
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The number that a constant op holds in every element.
static std::optional<Number> constantOf(mlir::Value value, DType dtype) {
  auto op = value.getDefiningOp<arith::ConstantOp>();
  if (!op || dtype.isPointer()) {
    return std::nullopt;
  }
  Attribute attr = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (!dense.isSplat()) {
      return std::nullopt;
    }
    attr = dense.getSplatValue<Attribute>();
  }
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    APInt bits = integer.getValue();
    return Number{false, dtype.isSigned() ? Wide(bits.getSExtValue()) : Wide(bits.getZExtValue()), 0};
  }
  if (auto real = dyn_cast<FloatAttr>(attr)) {
    return Number{true, 0, real.getValueAsDouble()};
  }
  return std::nullopt;
}

Ref Session::tile(mlir::Value value, DType dtype) {
  Ref r(new pv_value(PV_KIND_TILE, dtype));
  r->ir = value;
  ArrayRef<int64_t> shape = tile::shapeOf(value.getType());
  r->shape.assign(shape.begin(), shape.end());
  r->region = frames.empty() ? 0 : top().serial;
  r->number = constantOf(value, dtype);
  if (auto it = placeholders.find(value); it != placeholders.end()) {
    it->second.push_back(r);
  }
  if (interp) {
    r->session = this;
    eagerValues.insert(r.get());
    pending.push_back(r.get());
  }
  return r;
}

Ref Session::constant(DType dtype, const Number &number, ArrayRef<int64_t> shape) {
  TypedAttr attr = constantAttr(&context(), dtype, number);
  if (!shape.empty()) {
    attr = DenseElementsAttr::get(RankedTensorType::get(shape, attr.getType()), Attribute(attr));
  }
  return tile(create<arith::ConstantOp>(attr), dtype);
}

mlir::Value Session::splat(mlir::Value scalar, ArrayRef<int64_t> shape) {
  if (shape.empty()) {
    return scalar;
  }
  Type type = tile::tileOrScalar(shape, scalar.getType());
  if (auto op = scalar.getDefiningOp<arith::ConstantOp>()) {
    return create<arith::ConstantOp>(DenseElementsAttr::get(cast<ShapedType>(type), Attribute(op.getValue())));
  }
  return create<tile::SplatOp>(type, scalar);
}

Ref Session::toTensor(const Ref &x) {
  if (!checkNumber(x, "a value")) {
    return {};
  }
  return x->isLiteral() ? constant(x->dtype, *x->number) : x;
}

Ref Session::materialize(const Ref &x) {
  if (x->isNumberLike()) {
    return toTensor(x);
  }
  if (x->kind != PV_KIND_TUPLE) {
    return checkScope(x) ? x : Ref();
  }
  Refs items;
  for (const Ref &item : x->items) {
    Ref m = materialize(item);
    if (!m) {
      return {};
    }
    items.push_back(m);
  }
  return makeTuple(items);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool Session::checkOpen() { return !frames.empty() || fail(Code::NoKernelOpen, "expected an open kernel, got none"); }

bool Session::checkScope(const Ref &x) {
  bool isVisible = true;
  forEachTile(x, [&](const Ref &leaf) { isVisible &= openRegions.contains(leaf->region) && leaf->ir; });
  return isVisible || fail(Code::ValueOutOfScope, "expected a value that lives here, got " + describe(*x) +
                                                      " made inside a loop, branch or function that has ended");
}

bool Session::checkNumber(const Ref &x, const Twine &what) {
  if (!checkOpen()) {
    return false;
  }
  if (!x) {
    return fail(Code::ExpectedNumber, "expected a number or tile for " + what + ", got nothing");
  }
  if (x->isLiteral()) {
    return true;
  }
  if (!x->isTile()) {
    return fail(Code::ExpectedNumber, "expected a number or tile for " + what + ", got " + describe(*x));
  }
  return checkScope(x);
}

bool Session::checkTile(const Ref &x, const Twine &what) {
  if (!checkNumber(x, what)) {
    return false;
  }
  if (!x->isTile() || x->shape.empty()) {
    return fail(Code::ExpectedTile, "expected a tile for " + what + ", got " +
                                        (x->isLiteral() ? describe(*x) : "the scalar " + describe(*x)));
  }
  return true;
}

std::optional<int64_t> Session::axisOf(const Ref &x, int64_t axis, const Twine &what) {
  int64_t rank = x->shape.size();
  if (axis < -rank || axis >= rank) {
    fail(Code::BadAxis, "expected an axis in " + Twine(-rank) + " .. " + Twine(rank - 1) + " for " + what + " of " +
                            describe(*x) + ", got " + Twine(axis));
    return std::nullopt;
  }
  return axis < 0 ? axis + rank : axis;
}

bool Session::checkShape(ArrayRef<int64_t> shape, const Twine &what) {
  // Far above what fits into a machine; it keeps products of extents from overflowing.
  constexpr int64_t most = int64_t(1) << 31;
  int64_t n = 1;
  for (int64_t extent : shape) {
    if (extent < 1) {
      return fail(Code::BadShape, "expected positive extents in " + what + ", got " + toString(shape));
    }
    if (extent > most / n) {
      return fail(Code::BadShape,
                  "expected at most " + Twine(most) + " elements in " + what + ", got shape " + toString(shape));
    }
    n *= extent;
  }
  return true;
}

bool Session::checkEffects(const Twine &what) {
  if (!checkOpen()) {
    return false;
  }
  return combineDepth == 0 ||
         fail(Code::CombineEffect, "expected a combine function without effects on memory, got " + what);
}

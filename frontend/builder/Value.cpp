// Literals, aggregates and the texts that name values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/builder/Value.h"

#include "frontend/builder/Session.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace pavage;
using namespace pavage::builder;

pv_value::~pv_value() {
  if (session) {
    session->dropEager(this);
  }
  if (drop) {
    drop(dropContext, id);
  }
}

int64_t pv_value::numElements() const {
  int64_t n = 1;
  for (int64_t extent : shape) {
    n *= extent;
  }
  return n;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

Ref builder::literalBool(bool value) {
  Ref r(new pv_value(PV_KIND_LITERAL_BOOL, i1));
  r->number = Number{false, value, 0};
  return r;
}

Ref builder::literalInt(Wide value) {
  Wide one = 1;
  DType d = u64;
  if (value >= -(one << 31) && value < (one << 31)) {
    d = i32;
  } else if (value >= 0 && value < (one << 32)) {
    d = u32;
  } else if (value >= -(one << 63) && value < (one << 63)) {
    d = i64;
  }
  Ref r(new pv_value(PV_KIND_LITERAL_INT, d));
  r->number = Number{false, value, 0};
  return r;
}

Ref builder::literalFloat(double value) {
  double size = std::fabs(value);
  bool isSingle = size == 0 || !std::isfinite(size) || (size >= 0x1p-126 && size <= 0x1.fffffep127);
  Ref r(new pv_value(PV_KIND_LITERAL_FLOAT, isSingle ? f32 : f64));
  r->number = Number{true, 0, value};
  return r;
}

Ref builder::makeTuple(llvm::ArrayRef<Ref> items) {
  Ref r(new pv_value(PV_KIND_TUPLE));
  r->items.assign(items.begin(), items.end());
  return r;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string builder::toString(Wide value) {
  uint64_t words[2] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  return llvm::toString(llvm::APInt(128, words), 10, /*Signed=*/true);
}

std::string builder::toString(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  llvm::SmallString<32> text;
  llvm::APFloat(value).toString(text, /*FormatPrecision=*/17, /*FormatMaxPadding=*/6);
  return std::string(text);
}

std::string builder::toString(llvm::ArrayRef<int64_t> shape) {
  std::string s = "[";
  for (auto [i, n] : llvm::enumerate(shape)) {
    s += (i ? ", " : "") + std::to_string(n);
  }
  return s + "]";
}

static std::string typeOf(DType dtype, llvm::ArrayRef<int64_t> shape) {
  return dtype.name() + (shape.empty() ? std::string() : toString(shape));
}

std::string builder::describe(const pv_value &value) {
  switch (value.kind) {
  case PV_KIND_TILE:
    return typeOf(value.dtype, value.shape);
  case PV_KIND_LITERAL_BOOL:
    return "a literal bool";
  case PV_KIND_LITERAL_INT:
    return "a literal int";
  case PV_KIND_LITERAL_FLOAT:
    return "a literal float";
  case PV_KIND_BLOCK_POINTER:
    return "block pointer to " + typeOf(value.dtype, value.shape);
  case PV_KIND_DESCRIPTOR:
    return "tensor descriptor of " + typeOf(value.dtype, value.shape);
  case PV_KIND_TUPLE: {
    std::string s = "(";
    for (auto [i, item] : llvm::enumerate(value.items)) {
      s += (i ? ", " : "") + describe(*item);
    }
    return s + ")";
  }
  case PV_KIND_OPAQUE:
    return value.name;
  }
  return "a value";
}

std::string builder::describeWithNumber(const pv_value &value) {
  if (!value.isLiteral()) {
    return describe(value);
  }
  if (value.kind == PV_KIND_LITERAL_BOOL) {
    return value.number->integer ? "True" : "False";
  }
  return value.number->isFloat ? toString(value.number->real) : toString(value.number->integer);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

bool builder::sameType(const pv_value &a, const pv_value &b) {
  if (&a == &b) {
    return true;
  }
  if (a.kind != b.kind || a.dtype != b.dtype || a.shape != b.shape || a.padNan != b.padNan ||
      a.items.size() != b.items.size()) {
    return false;
  }
  if (a.kind == PV_KIND_OPAQUE) {
    return a.id == b.id;
  }
  if (a.isLiteral()) {
    return sameValue(a, b);
  }
  return llvm::all_of(llvm::zip(a.items, b.items),
                      [](const auto &pair) { return sameType(*std::get<0>(pair), *std::get<1>(pair)); });
}

bool builder::sameValue(const pv_value &a, const pv_value &b) {
  if (&a == &b) {
    return true;
  }
  if (a.kind != b.kind || a.dtype != b.dtype || a.shape != b.shape || a.items.size() != b.items.size()) {
    return false;
  }
  if (a.isLiteral()) {
    const Number &x = *a.number, &y = *b.number;
    return x.isFloat == y.isFloat && x.integer == y.integer &&
           (x.real == y.real ? std::signbit(x.real) == std::signbit(y.real) : x.real != x.real && y.real != y.real);
  }
  if (a.isTile()) {
    return a.ir == b.ir;
  }
  if (a.kind == PV_KIND_OPAQUE) {
    return a.id == b.id;
  }
  return llvm::all_of(llvm::zip(a.items, b.items),
                      [](const auto &pair) { return sameValue(*std::get<0>(pair), *std::get<1>(pair)); });
}

Ref builder::mapTiles(const Ref &value, llvm::function_ref<Ref(const Ref &)> f) {
  if (value->isTile()) {
    return f(value);
  }
  if (value->items.empty()) {
    return value;
  }
  Ref copy(new pv_value(value->kind, value->dtype));
  copy->shape = value->shape;
  copy->padNan = value->padNan;
  for (const Ref &item : value->items) {
    Ref mapped = mapTiles(item, f);
    if (!mapped) {
      return {};
    }
    copy->items.push_back(mapped);
  }
  return copy;
}

void builder::forEachTile(const Ref &value, llvm::function_ref<void(const Ref &)> f) {
  if (value->isTile()) {
    return f(value);
  }
  for (const Ref &item : value->items) {
    forEachTile(item, f);
  }
}

// dot. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static std::optional<tile::Precision> precisionOf(Session &s, const pv_dot_options &o) {
  using tile::Precision;
  StringRef text = o.input_precision ? o.input_precision : "";
  if (o.has_allow_tf32 && !text.empty()) {
    s.fail(Code::BadDotOption, "expected one of input_precision and allow_tf32, got both");
    return std::nullopt;
  }
  if (o.has_allow_tf32) {
    return o.allow_tf32 ? Precision::TF32 : Precision::IEEE;
  }
  auto precision = llvm::StringSwitch<std::optional<Precision>>(text)
                       .Case("", Precision::Default)
                       .Case("ieee", Precision::IEEE)
                       .Case("tf32", Precision::TF32)
                       .Case("tf32x3", Precision::TF32x3)
                       .Case("bf16x3", Precision::BF16x3)
                       .Case("bf16x6", Precision::BF16x6)
                       .Default(std::nullopt);
  if (!precision) {
    s.fail(Code::BadDotOption,
           "expected input_precision of 'ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6', got '" + text + "'");
  }
  return precision;
}

/// The dtypes a product of x and y may be accumulated in; the first is the default.
static SmallVector<DType> resultsOf(DType x, DType y) {
  auto isByte = [](DType d) { return d == i8 || d == u8; };
  if (isByte(x) && isByte(y)) {
    return {i32};
  }
  if (x.isFp8() && y.isFp8()) {
    return {f32, f16};
  }
  if (x != y) {
    return {};
  }
  switch (x.code) {
  case PV_FLOAT16:
    return {f32, f16};
  case PV_BFLOAT16:
    return {f32, bf16};
  case PV_FLOAT32:
    return {f32};
  case PV_FLOAT64:
    return {f64};
  default:
    return {};
  }
}

Ref Session::dot(const Ref &x, const Ref &y, const pv_dot_options &options) {
  if (!checkTile(x, "the left side of dot") || !checkTile(y, "the right side of dot")) {
    return {};
  }
  auto precision = precisionOf(*this, options);
  if (!precision) {
    return {};
  }
  size_t rank = x->shape.size();
  ArrayRef<int64_t> a = x->shape, b = y->shape;
  if (rank < 2 || b.size() != rank) {
    return fail(Code::DotShape, "expected two tiles of rank 2, or of one higher rank, for dot, got " + describe(*x) +
                                    " and " + describe(*y));
  }
  if (a.back() != b[rank - 2]) {
    return fail(Code::DotShape, "expected inner extents of dot that are equal, got " + describe(*x) + " and " +
                                    describe(*y) + ": " + Twine(a.back()) + " and " + Twine(b[rank - 2]));
  }
  if (a.drop_back(2) != b.drop_back(2)) {
    return fail(Code::DotShape,
                "expected leading extents of dot that are equal, got " + describe(*x) + " and " + describe(*y));
  }
  SmallVector<DType> allowed = resultsOf(x->dtype, y->dtype);
  if (allowed.empty()) {
    return fail(Code::DotType, "expected operands of dot of one dtype out of int8, fp8, float16, bfloat16, float32 and "
                               "float64, got " +
                                   describe(*x) + " and " + describe(*y));
  }
  Shape shape(a.begin(), a.end());
  shape.back() = b.back();
  Ref acc(options.acc);
  // Where the operands leave no choice, what out_dtype asks for does not matter, as in Triton.
  DType out = allowed.size() == 1 ? DType() : DType(options.out_dtype);
  if (acc) {
    acc = checkNumber(acc, "the accumulator of dot") ? acc : Ref();
    if (!acc) {
      return {};
    }
    if (!acc->isLiteral() && !acc->shape.empty() && acc->shape != shape) {
      return fail(Code::DotShape,
                  "expected an accumulator of shape " + toString(shape) + " for dot, got " + describe(*acc));
    }
    if (out && !acc->isLiteral() && acc->dtype != out) {
      return fail(Code::DotType,
                  "expected an accumulator of out_dtype " + out.name() + " for dot, got " + describe(*acc));
    }
    out = out || acc->isLiteral() ? out : acc->dtype;
  }
  out = out ? out : allowed.front();
  if (!llvm::is_contained(allowed, out)) {
    std::string names;
    for (DType d : allowed) {
      names += (names.empty() ? "" : " or ") + d.name();
    }
    return fail(Code::DotType, "expected " + names + " as result of a dot of " + describe(*x) + " and " + describe(*y) +
                                   ", got " + out.name());
  }
  acc = acc ? convertOperand(acc, out) : constant(out, {}, shape);
  acc = acc ? broadcastTo(acc, shape, "the accumulator of dot") : Ref();
  if (!acc) {
    return {};
  }
  // Beyond one batch axis the leading ones are flattened.
  Ref p = x, q = y;
  if (rank > 3) {
    int64_t batch = 1;
    for (int64_t n : a.drop_back(2)) {
      batch *= n;
    }
    p = reshape(x, {batch, a[rank - 2], a[rank - 1]});
    q = reshape(y, {batch, b[rank - 2], b[rank - 1]});
    acc = reshape(acc, {batch, a[rank - 2], b[rank - 1]});
  }
  IntegerAttr imprecise;
  if (options.has_max_num_imprecise_acc) {
    if (options.max_num_imprecise_acc < 0 || options.max_num_imprecise_acc > int64_t(maxOf(i32))) {
      return fail(Code::BadDotOption, "expected max_num_imprecise_acc of at least 0 within int32, got " +
                                          Twine(options.max_num_imprecise_acc));
    }
    if (x->dtype.isFp8() && options.max_num_imprecise_acc > a.back()) {
      return fail(Code::BadDotOption, "expected max_num_imprecise_acc of at most K = " + Twine(a.back()) +
                                          " for a dot of fp8, got " + Twine(options.max_num_imprecise_acc));
    }
    imprecise = ir.getI32IntegerAttr(options.max_num_imprecise_acc);
  }
  // Only float32 operands have a choice of precision.
  auto used = x->dtype == f32 ? *precision : tile::Precision::Default;
  auto op =
      create<tile::DotOp>(acc->ir.getType(), p->ir, q->ir, acc->ir, used, imprecise, x->dtype == u8, y->dtype == u8);
  Ref r = tile(op.getResult(), out);
  return rank > 3 ? reshape(r, shape) : r;
}

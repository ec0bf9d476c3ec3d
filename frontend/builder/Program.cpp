// Program ids, hints, assertions, prints, inline PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

Ref Session::programId(int axis, bool isCount) {
  if (!checkOpen()) {
    return {};
  }
  if (axis < 0 || axis > 2) {
    return fail(Code::BadAxis, Twine("expected an axis in 0 .. 2 for ") + (isCount ? "num_programs" : "program_id") +
                                   ", got " + Twine(axis));
  }
  return tile(isCount ? mlir::Value(create<tile::NumProgramsOp>(axis)) : create<tile::ProgramIdOp>(axis), i32);
}

Ref Session::hint(pv_hint hint, const Ref &given, ArrayRef<int64_t> values) {
  StringRef name = hint == PV_MULTIPLE_OF      ? "multiple_of"
                   : hint == PV_MAX_CONTIGUOUS ? "max_contiguous"
                                               : "max_constancy";
  Ref x = toTensor(given);
  if (!x) {
    return {};
  }
  size_t count = std::max<size_t>(1, x->shape.size());
  if (values.size() != count) {
    return fail(Code::BadHint, "expected " + Twine(count) + " values in " + name + " of " + describe(*x) + ", got " +
                                   Twine(values.size()));
  }
  for (int64_t value : values) {
    if (value < 1) {
      return fail(Code::BadHint, "expected positive values in " + name + ", got " + toString(values));
    }
  }
  if (x->dtype.isFloat()) {
    return fail(Code::BadHint, "expected integers or pointers for " + name + ", got " + describe(*x));
  }
  ArrayRef<int64_t> none;
  auto op = create<tile::HintOp>(x->ir.getType(), x->ir, hint == PV_MAX_CONTIGUOUS ? values : none,
                                 hint == PV_MULTIPLE_OF ? values : none, hint == PV_MAX_CONSTANCY ? values : none);
  return tile(op, x->dtype);
}

bool Session::assume(const Ref &condition) {
  Ref c = checkEffects("an assume") ? toBool(condition) : Ref();
  if (!c) {
    return false;
  }
  if (!c->shape.empty()) {
    return fail(Code::BadCondition, "expected a scalar condition for assume, got " + describe(*condition));
  }
  create<tile::AssumeOp>(c->ir);
  return true;
}

bool Session::deviceAssert(const Ref &condition, StringRef message, const Ref &mask) {
  Ref c = checkEffects("a device_assert") ? toBool(condition) : Ref();
  mlir::Value maskIr;
  if (!c || !accessMask(c, mask, maskIr)) {
    return false;
  }
  create<tile::AssertOp>(c->ir, maskIr, message);
  return true;
}

bool Session::devicePrint(StringRef prefix, ArrayRef<Ref> values, bool hex) {
  if (!checkEffects("a device_print")) {
    return false;
  }
  SmallVector<mlir::Value> args;
  SmallVector<bool> isSigned;
  for (const Ref &given : values) {
    Ref v = toTensor(given);
    if (!v) {
      return false;
    }
    args.push_back(v->ir);
    isSigned.push_back(v->dtype.isSigned());
  }
  create<tile::PrintOp>(prefix, args, isSigned, hex);
  return true;
}

bool Session::barrier() {
  if (!checkEffects("a debug_barrier")) {
    return false;
  }
  create<tile::BarrierOp>();
  return true;
}

bool Session::inlineAsm(StringRef text, StringRef constraints, ArrayRef<Ref> given, ArrayRef<DType> dtypes, bool isPure,
                        int pack, Refs &outs) {
  if (!checkOpen() || (!isPure && !checkEffects("inline PTX that is not pure"))) {
    return false;
  }
  if (pack < 1 || !llvm::isPowerOf2_32(pack)) {
    return fail(Code::BadInlineAsm, "expected a power of two for pack, got " + Twine(pack));
  }
  if (dtypes.empty()) {
    return fail(Code::BadInlineAsm, "expected at least one result dtype of inline PTX, got none");
  }
  Refs args;
  Shape shape;
  for (const Ref &x : given) {
    Ref v = toTensor(x);
    if (!v) {
      return false;
    }
    if (!args.empty()) {
      Operands o = broadcastPair(args.front(), v);
      if (!o) {
        return false;
      }
      args.front() = o.x;
      v = o.y;
    }
    args.push_back(v);
    shape = v->shape;
  }
  SmallVector<mlir::Value> values;
  SmallVector<Type> types;
  for (Ref &v : args) {
    values.push_back(asTileOf(v, shape)->ir);
  }
  for (DType d : dtypes) {
    if (!isKnown(d)) {
      return fail(Code::BadInlineAsm, "expected dtypes for the results of inline PTX, got none");
    }
    types.push_back(irType(&context(), d, shape));
  }
  auto op = create<tile::InlinePtxOp>(types, text, constraints, pack, isPure, values);
  for (auto [value, d] : llvm::zip(op.getResults(), dtypes)) {
    outs.push_back(tile(value, d));
  }
  return true;
}

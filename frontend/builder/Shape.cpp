// Making tiles and changing their shape. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static SmallVector<int32_t> narrow(ArrayRef<int64_t> values) { return {values.begin(), values.end()}; }

Ref Session::arange(int64_t start, int64_t end) {
  if (!checkOpen()) {
    return {};
  }
  if (end <= start) {
    return fail(Code::BadRange, "expected an arange whose end is above its start, got arange(" + Twine(start) + ", " +
                                    Twine(end) + ")");
  }
  if (start < minOf(i32) || end > int64_t(maxOf(i32)) + 1) {
    return fail(Code::BadRange,
                "expected an arange within int32, got arange(" + Twine(start) + ", " + Twine(end) + ")");
  }
  int64_t extent = end - start;
  if (!checkShape(extent, "arange")) {
    return {};
  }
  return tile(create<tile::IotaOp>(irType(&context(), i32, extent), start), i32);
}

Ref Session::full(ArrayRef<int64_t> shape, const Ref &value, DType dtype) {
  if (!checkNumber(value, "the value of full") || !checkShape(shape, "full")) {
    return {};
  }
  if (value->numElements() != 1) {
    return fail(Code::BadShape, "expected a number or a tile of one element for full, got " + describe(*value));
  }
  if (value->isLiteral()) {
    DType d = dtype ? dtype : value->dtype;
    if (d.isPointer()) {
      return fail(Code::BadCast, "expected a dtype of numbers for full, got " + d.name());
    }
    Ref checked = value->number->isFloat || d.isFloat() ? value : convertOperand(value, d);
    return checked ? constant(d, *value->number, shape) : Ref();
  }
  Ref scalar = dtype ? cast(value, dtype) : value;
  if (scalar && !scalar->shape.empty()) {
    scalar = reshape(scalar, {});
  }
  return scalar ? asTileOf(scalar, shape) : Ref();
}

Ref Session::expandDims(const Ref &given, ArrayRef<int64_t> axes) {
  Ref x = toTensor(given);
  if (!x) {
    return {};
  }
  int64_t rank = x->shape.size() + axes.size();
  SmallVector<int64_t> places;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return fail(Code::BadAxis, "expected a new axis in " + Twine(-rank) + " .. " + Twine(rank - 1) + " for " +
                                     describe(*x) + ", got " + Twine(axis));
    }
    places.push_back(axis < 0 ? axis + rank : axis);
  }
  llvm::sort(places);
  if (std::adjacent_find(places.begin(), places.end()) != places.end()) {
    return fail(Code::BadAxis, "expected different new axes, got " + toString(axes));
  }
  Shape shape = x->shape;
  mlir::Value v = x->ir;
  for (int64_t place : places) {
    shape.insert(shape.begin() + place, 1);
    Type type = irType(&context(), x->dtype, shape);
    v = shape.size() == 1 ? splat(v, shape) : create<tile::ExpandDimsOp>(type, v, place);
  }
  return tile(v, x->dtype);
}

Ref Session::squeeze(const Ref &x, int64_t axis) {
  if (!checkTile(x, "squeeze")) {
    return {};
  }
  std::optional<int64_t> place = axisOf(x, axis, "squeeze");
  if (!place) {
    return {};
  }
  if (x->shape[*place] != 1) {
    return fail(Code::BadShape,
                "expected an axis of extent 1 to squeeze, got axis " + Twine(axis) + " of " + describe(*x));
  }
  Shape shape = x->shape;
  shape.erase(shape.begin() + *place);
  return reshape(x, shape);
}

Ref Session::broadcastTo(const Ref &given, ArrayRef<int64_t> shape, const Twine &what) {
  Ref x = toTensor(given);
  if (!x || !checkShape(shape, "broadcast_to")) {
    return {};
  }
  bool fits = x->shape.empty() || x->shape.size() == shape.size();
  for (size_t i = 0; fits && i < x->shape.size(); ++i) {
    fits = x->shape[i] == 1 || x->shape[i] == shape[i];
  }
  if (!fits) {
    return fail(Code::ShapeMismatch,
                "expected a shape that broadcasts to " + toString(shape) + " for " + what + ", got " + describe(*x));
  }
  return asTileOf(x, shape);
}

Ref Session::reshape(const Ref &given, ArrayRef<int64_t> shape) {
  Ref x = toTensor(given);
  if (!x || !checkShape(shape, "reshape")) {
    return {};
  }
  int64_t n = 1;
  for (int64_t extent : shape) {
    n *= extent;
  }
  if (n != x->numElements()) {
    return fail(Code::BadShape, "expected a shape of " + Twine(x->numElements()) + " elements for the reshape of " +
                                    describe(*x) + ", got " + toString(shape) + " with " + Twine(n));
  }
  if (ArrayRef<int64_t>(x->shape) == shape) {
    return x;
  }
  Type type = irType(&context(), x->dtype, shape);
  if (shape.empty()) {
    return tile(create<tile::UnsplatOp>(type, x->ir), x->dtype);
  }
  if (x->shape.empty()) {
    return tile(splat(x->ir, shape), x->dtype);
  }
  return tile(create<tile::ReshapeOp>(type, x->ir), x->dtype);
}

Ref Session::trans(const Ref &x, std::optional<ArrayRef<int64_t>> given) {
  if (!checkTile(x, "trans")) {
    return {};
  }
  int64_t rank = x->shape.size();
  SmallVector<int64_t> order;
  if (given) {
    order.assign(given->begin(), given->end());
  } else {
    if (rank < 2) {
      return fail(Code::BadShape, "expected a tile of rank 2 or more for trans, got " + describe(*x));
    }
    llvm::append_range(order, llvm::seq<int64_t>(0, rank));
    std::swap(order[rank - 1], order[rank - 2]);
  }
  SmallVector<bool> seen(rank, false);
  bool isPermutation = int64_t(order.size()) == rank;
  for (int64_t &axis : order) {
    axis += axis < 0 ? rank : 0;
    isPermutation = isPermutation && axis >= 0 && axis < rank && !seen[axis];
    if (isPermutation) {
      seen[axis] = true;
    }
  }
  if (!isPermutation) {
    return fail(Code::BadPermutation, "expected a permutation of the " + Twine(rank) + " axes of " + describe(*x) +
                                          ", got " + toString(given ? *given : ArrayRef<int64_t>(order)));
  }
  Shape shape;
  for (int64_t axis : order) {
    shape.push_back(x->shape[axis]);
  }
  if (llvm::is_sorted(order)) {
    return x;
  }
  return tile(create<tile::TransOp>(irType(&context(), x->dtype, shape), x->ir, narrow(order)), x->dtype);
}

Ref Session::join(const Ref &x, const Ref &y) {
  Operands o = arithmetic(PV_ADD, x, y);
  if (!o) {
    return {};
  }
  Shape shape = o.x->shape;
  shape.push_back(2);
  return tile(create<tile::JoinOp>(irType(&context(), o.x->dtype, shape), o.x->ir, o.y->ir), o.x->dtype);
}

Operands Session::split(const Ref &x) {
  if (!checkTile(x, "split")) {
    return {};
  }
  if (x->shape.back() != 2) {
    return fail(Code::BadShape, "expected a last axis of extent 2 to split, got " + describe(*x));
  }
  Type half = irType(&context(), x->dtype, ArrayRef<int64_t>(x->shape).drop_back());
  auto op = create<tile::SplitOp>(half, half, x->ir);
  return {tile(op.getLhs(), x->dtype), tile(op.getRhs(), x->dtype)};
}

Ref Session::interleave(const Ref &x, const Ref &y) {
  Ref joined = join(x, y);
  if (!joined || joined->shape.size() == 1) {
    return joined;
  }
  Shape shape(joined->shape.begin(), joined->shape.end() - 1);
  shape.back() *= 2;
  return reshape(joined, shape);
}

Ref Session::cat(const Ref &x, const Ref &y, int64_t axis) {
  if (!checkTile(x, "cat") || !checkTile(y, "cat")) {
    return {};
  }
  std::optional<int64_t> place = axisOf(x, axis, "cat");
  DType d = place ? promote(PV_ADD, x, y) : DType();
  if (!d) {
    return {};
  }
  Shape shape = x->shape;
  bool fits = x->shape.size() == y->shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    fits = int64_t(i) == *place || x->shape[i] == y->shape[i];
  }
  if (!fits) {
    return fail(Code::ShapeMismatch, "expected tiles that differ on axis " + Twine(axis) + " only, got " +
                                         describe(*x) + " and " + describe(*y));
  }
  shape[*place] += y->shape[*place];
  if (!checkShape(shape, "cat")) {
    return {};
  }
  Ref a = cast(x, d), b = cast(y, d);
  return tile(create<tile::CatOp>(irType(&context(), d, shape), a->ir, b->ir, *place), d);
}

Ref Session::gather(const Ref &x, const Ref &index, int64_t axis) {
  if (!checkTile(x, "gather") || !checkTile(index, "the index of gather")) {
    return {};
  }
  std::optional<int64_t> place = axisOf(x, axis, "gather");
  if (!place) {
    return {};
  }
  if (!index->dtype.isInteger() || index->dtype.isBool()) {
    return fail(Code::ExpectedInteger, "expected integers for the index of gather, got " + describe(*index));
  }
  bool fits = x->shape.size() == index->shape.size();
  for (size_t i = 0; fits && i < x->shape.size(); ++i) {
    fits = int64_t(i) == *place || x->shape[i] == index->shape[i];
  }
  if (!fits) {
    return fail(Code::ShapeMismatch, "expected an index whose shape differs from the source's on axis " + Twine(axis) +
                                         " only, got " + describe(*index) + " for " + describe(*x));
  }
  // Indices are read as signed: narrow unsigned ones are widened first.
  Ref i = index->dtype.isSigned() || index->dtype.bits() == 64 ? index : cast(index, i64);
  return tile(create<tile::GatherOp>(irType(&context(), x->dtype, index->shape), x->ir, i->ir, *place), x->dtype);
}

Ref Session::flip(const Ref &x, std::optional<int64_t> axis) {
  if (!checkTile(x, "flip")) {
    return {};
  }
  std::optional<int64_t> place = axisOf(x, axis.value_or(-1), "flip");
  if (!place) {
    return {};
  }
  SmallVector<int64_t> offsets(x->shape.size(), 0), strides(x->shape.size(), 1);
  offsets[*place] = x->shape[*place] - 1;
  strides[*place] = -1;
  return slice(x, offsets, strides, x->shape);
}

Operands Session::swizzle2d(const Ref &i, const Ref &j, const Ref &sizeI, const Ref &sizeJ, const Ref &sizeG) {
  Ref flat = add(mul(i, sizeJ), j);
  Ref perGroup = flat ? mul(sizeG, sizeJ) : Ref();
  Ref group = perGroup ? binary(PV_FLOORDIV, flat, perGroup) : Ref();
  Ref first = group ? mul(group, sizeG) : Ref();
  Ref rows = first ? binary(PV_MINIMUM, sub(sizeI, first), sizeG) : Ref();
  Ref within = rows ? binary(PV_MOD, flat, perGroup) : Ref();
  if (!within) {
    return {};
  }
  Ref newI = add(first, binary(PV_MOD, within, rows));
  Ref newJ = binary(PV_FLOORDIV, within, rows);
  return {newI, newJ};
}

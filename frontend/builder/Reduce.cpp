// Reductions and scans, built in and with the author's own combine function. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Widening: sums and running sums of integers below 32 bits are computed in int32 or uint32; floats keep their type but
// are accumulated in float32 where they are smaller, rounding once. max and min give int32 and float32 below 32 bits.
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static StringRef nameOf(pv_reduce_op op) {
  static constexpr StringRef names[] = {"", "sum", "max", "min", "xor_sum", "reduce_or", "reduce_and", "prod"};
  return op >= PV_SUM && op <= PV_PROD ? names[op] : "?";
}

static DType widenSum(DType d) { return d.isInteger() && d.bits() < 32 ? (d.isSigned() ? i32 : u32) : d; }
static DType widenExtremum(DType d) { return d.bits() >= 32 ? d : d.isFloat() ? f32 : i32; }

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// reduce or scan of one tile by a function of two scalars.
Ref Session::foldAxis(const Ref &x, int64_t axis, bool isScan, bool reverse,
                      llvm::function_ref<Ref(const Ref &, const Ref &)> combine) {
  Refs args, outs;
  if (!combineBegin({x}, axis, isScan, reverse, /*keepDims=*/false, args)) {
    return {};
  }
  Ref r = combine(args[0], args[1]);
  return r && combineEnd({r}, isScan, outs) ? outs[0] : Ref();
}

Ref Session::finishReduced(const Ref &x, size_t rank, int64_t axis, bool keepDims, bool flattened) {
  if (!keepDims) {
    return x;
  }
  return flattened ? reshape(x, SmallVector<int64_t>(rank, 1)) : expandDims(x, {axis});
}

Ref Session::reduce(pv_reduce_op op, const Ref &given, std::optional<int64_t> axis, bool keepDims, DType dtype) {
  if (op < PV_SUM || op > PV_PROD) {
    return fail(Code::BuilderMisuse, "expected a reduction, got number " + Twine(int(op)));
  }
  if (!checkNumber(given, nameOf(op))) {
    return {};
  }
  Ref x = toTensor(given);
  DType from = x->dtype;
  if (from.isPointer()) {
    return fail(Code::ReduceType, "expected numbers for " + nameOf(op) + ", got " + describe(*x));
  }
  bool isBits = op == PV_XOR_SUM || op == PV_REDUCE_OR || op == PV_REDUCE_AND;
  bool isSum = op == PV_SUM || op == PV_PROD;
  if (isBits && !from.isInteger()) {
    return fail(Code::ReduceType, "expected integers for " + nameOf(op) + ", got " + describe(*x));
  }
  if (dtype && !isSum) {
    return fail(Code::ReduceType, "expected a dtype for sums and products only, got one for " + nameOf(op));
  }
  DType result = dtype ? dtype : isSum ? widenSum(from) : isBits ? from : widenExtremum(from);
  DType computed = result.isFloat() && result.bits() < 32 ? f32 : result;
  Ref v = cast(cast(x, result), computed);
  if (!v) {
    return {};
  }
  size_t rank = v->shape.size();
  if (rank == 0) {
    if (axis) {
      return fail(Code::BadAxis,
                  "expected a tile for " + nameOf(op) + " along an axis, got the scalar " + describe(*x));
    }
    return cast(v, result);
  }
  bool flattened = !axis;
  std::optional<int64_t> place = axis ? axisOf(v, *axis, nameOf(op)) : std::optional<int64_t>(0);
  if (!place) {
    return {};
  }
  if (flattened && rank > 1) {
    v = reshape(v, v->numElements());
  }
  Ref r = foldAxis(v, *place, false, false, [&](const Ref &a, const Ref &b) {
    switch (op) {
    case PV_SUM:
      return arithmeticOp(PV_ADD, a, b);
    case PV_PROD:
      return arithmeticOp(PV_MUL, a, b);
    case PV_MAX:
      return extremum(PV_MAXIMUM, a, b);
    case PV_MIN:
      return extremum(PV_MINIMUM, a, b);
    case PV_XOR_SUM:
      return arithmeticOp(PV_XOR, a, b);
    case PV_REDUCE_AND:
      return arithmeticOp(PV_AND, a, b);
    default:
      return arithmeticOp(PV_OR, a, b);
    }
  });
  r = r ? cast(r, result) : Ref();
  return r ? finishReduced(r, rank, *place, keepDims, flattened) : Ref();
}

Operands Session::reduceWithIndex(pv_reduce_op op, const Ref &given, std::optional<int64_t> axis, bool tieBreakLeft,
                                  bool keepDims) {
  (void)tieBreakLeft; // any index of equal values is allowed without it: the lowest is one
  if (op != PV_MAX && op != PV_MIN) {
    return fail(Code::BuilderMisuse, "expected max or min with an index, got number " + Twine(int(op)));
  }
  if (!checkTile(given, nameOf(op))) {
    return {};
  }
  if (given->dtype.isPointer()) {
    return fail(Code::ReduceType, "expected numbers for " + nameOf(op) + ", got " + describe(*given));
  }
  size_t rank = given->shape.size();
  bool flattened = !axis;
  std::optional<int64_t> place = axis ? axisOf(given, *axis, nameOf(op)) : std::optional<int64_t>(0);
  if (!place) {
    return {};
  }
  Ref x = cast(given, widenExtremum(given->dtype));
  if (flattened && rank > 1) {
    x = reshape(x, x->numElements());
  }
  SmallVector<int64_t> others;
  for (size_t i = 0; i < x->shape.size(); ++i) {
    if (int64_t(i) != *place) {
      others.push_back(i);
    }
  }
  Ref indices = broadcastTo(expandDims(arange(0, x->shape[*place]), others), x->shape);
  Refs args, outs;
  if (!indices || !combineBegin({x, indices}, *place, false, false, false, args)) {
    return {};
  }
  // The left pair is taken when its value is better, or the right one's is NaN, or on a tie with the lower index.
  const Ref &v1 = args[0], &n1 = args[1], &v2 = args[2], &n2 = args[3];
  Ref better = compare(op == PV_MAX ? PV_GT : PV_LT, v1, v2);
  Ref tie = compare(PV_EQ, v1, v2);
  if (x->dtype.isFloat()) {
    Ref nan1 = unary(PV_ISNAN, v1), nan2 = unary(PV_ISNAN, v2);
    better = binary(PV_OR, better, both(nan2, unary(PV_INVERT, nan1)));
    tie = binary(PV_OR, tie, both(nan1, nan2));
  }
  Ref left = binary(PV_OR, better, both(tie, compare(PV_LT, n1, n2)));
  Ref value = where(left, v1, v2), index = where(left, n1, n2);
  if (!combineEnd({value, index}, false, outs)) {
    return {};
  }
  return {finishReduced(outs[0], rank, *place, keepDims, flattened),
          finishReduced(outs[1], rank, *place, keepDims, flattened)};
}

Ref Session::cumulate(pv_reduce_op op, const Ref &x, int64_t axis, bool reverse, DType dtype) {
  StringRef name = op == PV_SUM ? "cumsum" : "cumprod";
  if (op != PV_SUM && op != PV_PROD) {
    return fail(Code::BuilderMisuse, "expected cumsum or cumprod, got number " + Twine(int(op)));
  }
  if (!checkTile(x, name)) {
    return {};
  }
  if (x->dtype.isPointer()) {
    return fail(Code::ReduceType, "expected numbers for " + name + ", got " + describe(*x));
  }
  std::optional<int64_t> place = axisOf(x, axis, name);
  if (!place) {
    return {};
  }
  DType result = dtype ? dtype : widenSum(x->dtype);
  Ref v = cast(cast(x, result), result.isFloat() && result.bits() < 32 ? f32 : result);
  Ref r = v ? foldAxis(v, *place, true, reverse,
                       [&](const Ref &a, const Ref &b) { return arithmeticOp(op == PV_SUM ? PV_ADD : PV_MUL, a, b); })
            : Ref();
  return r ? cast(r, result) : Ref();
}

//===----------------------------------------------------------------------===//
// The author's combine function
//===----------------------------------------------------------------------===//

bool Session::combineBegin(ArrayRef<Ref> given, std::optional<int64_t> axis, bool isScan, bool reverse, bool keepDims,
                           Refs &args) {
  StringRef name = isScan ? "associative_scan" : "reduce";
  if (given.empty()) {
    return fail(Code::WrongCount, "expected at least one tile for " + name + ", got none");
  }
  SmallVector<Ref, 2> xs;
  for (const Ref &x : given) {
    if (!checkTile(x, name)) {
      return false;
    }
    if (x->shape != given.front()->shape) {
      return fail(Code::ShapeMismatch, "expected tiles of one shape for " + name + ", got " + describe(*given.front()) +
                                           " and " + describe(*x));
    }
    if (x->dtype.isPointer()) {
      return fail(Code::ReduceType, "expected numbers for " + name + ", got " + describe(*x));
    }
    xs.push_back(x);
  }
  size_t rank = given.front()->shape.size();
  std::optional<int64_t> place = axis ? axisOf(given.front(), *axis, name) : std::optional<int64_t>(0);
  if (!place) {
    return false;
  }
  if (!axis && rank > 1) {
    for (Ref &x : xs) {
      x = reshape(x, x->numElements());
    }
  }
  ++combineDepth;
  Frame &frame = push(Frame::Combine);
  frame.sources = xs;
  frame.axis = *place;
  frame.isScan = isScan;
  frame.reverse = reverse;
  frame.keepDims = keepDims;
  frame.flattened = !axis;
  frame.sourceRank = rank;
  for (int side = 0; side < 2; ++side) {
    for (const Ref &x : xs) {
      mlir::Value arg = frame.block->addArgument(irType(&context(), x->dtype), loc());
      args.push_back(tile(arg, x->dtype));
    }
  }
  return true;
}

std::unique_ptr<Frame> Session::combineClose(size_t index, ValueRange yielded) {
  if (closeImplicit(index).kind != End::Always) {
    fail(Code::BadControl, "expected a combine function that reaches its end, got one that may leave before");
    return nullptr;
  }
  create<tile::YieldOp>(yielded);
  --combineDepth;
  return pop();
}

bool Session::combineEnd(ArrayRef<Ref> results, bool isScan, Refs &outs) {
  bool found;
  size_t index = explicitTop({Frame::Combine}, found);
  if (!found || frames[index]->isScan != isScan || frames[index]->pack) {
    return fail(Code::BadControl,
                Twine("expected an open ") + (isScan ? "associative_scan" : "reduce") + " to end, got none");
  }
  Frame &frame = *frames[index];
  if (results.size() != frame.sources.size()) {
    return fail(Code::CombineResult, "expected " + Twine(frame.sources.size()) +
                                         " results of the combine function, got " + Twine(results.size()));
  }
  SmallVector<mlir::Value> yielded;
  for (auto [result, source] : llvm::zip(results, frame.sources)) {
    Ref r = checkNumber(result, "the result of a combine function") ? toTensor(result) : Ref();
    if (!r) {
      return false;
    }
    if (!r->shape.empty() || r->dtype != source->dtype) {
      return fail(Code::CombineResult,
                  "expected a combine function that gives a scalar " + source->dtype.name() + ", got " + describe(*r));
    }
    yielded.push_back(r->ir);
  }
  std::unique_ptr<Frame> done = combineClose(index, yielded);
  if (!done) {
    return false;
  }
  SmallVector<mlir::Value> sources;
  SmallVector<Type> types;
  for (const Ref &x : done->sources) {
    Shape shape = x->shape;
    if (!isScan) {
      shape.erase(shape.begin() + done->axis);
    }
    sources.push_back(x->ir);
    types.push_back(irType(&context(), x->dtype, shape));
  }
  Operation *op;
  if (isScan) {
    auto scan = create<tile::ScanOp>(types, sources, done->axis, done->reverse);
    scan.getCombine().takeBody(*done->region);
    op = scan;
  } else {
    auto reduce = create<tile::ReduceOp>(types, sources, done->axis);
    reduce.getCombine().takeBody(*done->region);
    op = reduce;
  }
  for (auto [value, x] : llvm::zip(op->getResults(), done->sources)) {
    Ref r = tile(value, x->dtype);
    r = isScan ? r : finishReduced(r, done->sourceRank, done->axis, done->keepDims, done->flattened);
    if (!r) {
      return false;
    }
    outs.push_back(r);
  }
  return true;
}

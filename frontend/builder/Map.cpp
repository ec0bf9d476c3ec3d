// map_elementwise: an author's function of scalars, with real control flow, per element. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
// A reduction of pairs whose combine function looks at the first of a pair only is a map:
//
//   map(f, x[n])  ->  reduce over the last axis of (x[n, 2] twice the same, zeros[n, 2]),  (a, r), (b, s) -> (a, f(a))
//
// so a map needs no op of its own. With pack = p the elements are taken p at a time, row-major:
//
//   map(f, x[n], pack=2)  ->  f(x[0::2], x[1::2]) gives the elements 0::2 and 1::2 of each result
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

bool Session::mapBegin(ArrayRef<Ref> given, int64_t pack, Refs &args) {
  if (given.empty()) {
    return fail(Code::WrongCount, "expected at least one tile for map_elementwise, got none");
  }
  SmallVector<Ref> xs;
  Ref common;
  for (const Ref &x : given) {
    Ref tensor = checkNumber(x, "map_elementwise") ? toTensor(x) : Ref();
    if (!tensor) {
      return false;
    }
    if (tensor->dtype.isPointer()) {
      return fail(Code::ReduceType, "expected numbers for map_elementwise, got " + describe(*tensor));
    }
    xs.push_back(tensor);
    common = common ? broadcastPair(common, tensor).x : tensor;
    if (!common) {
      return false;
    }
  }
  int64_t count = common->numElements();
  if (pack < 1 || count % pack != 0) {
    return fail(Code::BadShape, "expected a pack that divides the " + Twine(count) + " elements of " +
                                    describe(*common) + ", got " + Twine(pack));
  }
  // Each of the p elements that a call takes is a tile of its own.
  SmallVector<Ref, 2> sources;
  for (const Ref &x : xs) {
    Ref whole = broadcastPair(x, common).x;
    if (pack == 1) {
      sources.push_back(whole->shape.empty() ? reshape(whole, {1}) : whole);
      continue;
    }
    Ref rows = reshape(whole, {count / pack, pack});
    for (int64_t i = 0; i < pack; ++i) {
      sources.push_back(reshape(slice(rows, {0, i}, {1, 1}, {count / pack, 1}), {count / pack}));
    }
  }
  ++combineDepth;
  Frame &frame = push(Frame::Combine);
  frame.sources = sources;
  frame.pack = pack;
  frame.mapped = common->shape;
  for (const Ref &x : sources) {
    args.push_back(tile(frame.block->addArgument(irType(&context(), x->dtype), loc()), x->dtype));
  }
  return true;
}

bool Session::mapEnd(ArrayRef<Ref> given, Refs &outs) {
  bool found;
  size_t index = explicitTop({Frame::Combine}, found);
  if (!found || !frames[index]->pack) {
    return fail(Code::BadControl, "expected an open map_elementwise to end, got none");
  }
  Frame &frame = *frames[index];
  if (given.empty() || given.size() % frame.pack != 0) {
    return fail(Code::CombineResult, "expected results of the mapped function in multiples of the pack " +
                                         Twine(frame.pack) + ", got " + Twine(given.size()));
  }
  Block *block = frame.block;
  SmallVector<mlir::Value> yielded(block->args_begin(), block->args_end());
  SmallVector<DType> dtypes;
  for (auto [i, result] : llvm::enumerate(given)) {
    Ref r = checkNumber(result, "the result of a mapped function") ? toTensor(result) : Ref();
    if (!r) {
      return false;
    }
    if (!r->shape.empty() || r->dtype.isPointer() || (i % frame.pack && r->dtype != dtypes.back())) {
      return fail(Code::CombineResult, "expected numbers, scalars of one dtype for each pack, from a mapped function, "
                                       "got " +
                                           describe(*r));
    }
    yielded.push_back(r->ir);
    dtypes.push_back(r->dtype);
  }
  std::unique_ptr<Frame> done = combineClose(index, yielded);
  if (!done) {
    return false;
  }
  Shape shape = done->sources.front()->shape, twice = shape;
  twice.push_back(2);
  SmallVector<mlir::Value> sources;
  SmallVector<Type> types;
  for (const Ref &x : done->sources) {
    sources.push_back(broadcastTo(expandDims(x, {-1}), twice)->ir);
    types.push_back(x->ir.getType());
  }
  for (DType d : dtypes) {
    sources.push_back(constant(d, {d.isFloat(), 0, 0}, twice)->ir);
    types.push_back(irType(&context(), d, shape));
    block->addArgument(irType(&context(), d), loc());
  }
  for (mlir::Value source : sources) { // the right sides, which the function never looks at
    block->addArgument(getElementTypeOrSelf(source.getType()), loc());
  }
  auto op = create<tile::ReduceOp>(types, sources, int64_t(shape.size()));
  op.getCombine().takeBody(*done->region);
  auto results = op->getResults().drop_front(done->sources.size());
  for (size_t i = 0; i < dtypes.size(); i += done->pack) {
    Ref whole;
    for (int64_t j = 0; j < done->pack; ++j) {
      Ref part = tile(results[i + j], dtypes[i]);
      part = done->pack == 1 ? part : expandDims(part, {-1});
      whole = whole ? cat(whole, part, 1) : part;
    }
    outs.push_back(reshape(whole, done->mapped));
  }
  return llvm::all_of(outs, [](const Ref &r) { return bool(r); });
}

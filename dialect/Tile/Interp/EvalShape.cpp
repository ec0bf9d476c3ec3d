// Ops that make tiles and move their elements. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

/// Elements between neighbours on each axis of a row-major tile.
static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

/// out[i] = in[offset + sum i_a * strides[a]] over `shape`, row-major.
template <class T> static void copyStrided(T *&out, const T *in, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  if (shape.empty()) {
    *out++ = *in;
    return;
  }
  int64_t extent = shape.front(), stride = strides.front();
  if (shape.size() > 1) {
    for (int64_t i = 0; i < extent; ++i) {
      copyStrided(out, in + i * stride, shape.drop_front(), strides.drop_front());
    }
    return;
  }
  for (int64_t i = 0; i < extent; ++i) {
    out[i] = in[i * stride];
  }
  out += extent;
}

static void copyStrided(Datum &result, const Datum &source, int64_t offset, ArrayRef<int64_t> strides) {
  ArrayRef<int64_t> shape = shapeOf(result.type);
  withStorage(elementBytes(result.type), [&]<class T>(T) {
    T *out = elements<T>(result);
    copyStrided(out, elements<T>(source) + offset, shape, strides);
  });
  if (!source.poison.empty()) {
    result.poison.resize(result.numElements());
    uint8_t *out = result.poison.data();
    copyStrided(out, source.poison.data() + offset, shape, strides);
  }
}

static bool evalIota(State &state, Operation *op, Data) {
  Datum &result = state.define(op->getResult(0));
  uint64_t start = static_cast<uint64_t>(cast<IotaOp>(op).getStart());
  withStorage(elementBytes(result.type), [&]<class T>(T) {
    for (int64_t i = 0, lanes = result.numElements(); i < lanes; ++i) {
      elements<T>(result)[i] = static_cast<T>(start + static_cast<uint64_t>(i));
    }
  });
  return true;
}

static bool evalSplat(State &state, Operation *op, Data in) {
  Datum &result = state.define(op->getResult(0));
  withStorage(elementBytes(result.type),
              [&]<class T>(T) { std::fill_n(elements<T>(result), result.numElements(), elements<T>(*in[0])[0]); });
  if (in[0]->isPoison(0)) {
    result.poison.assign(result.numElements(), 1);
  }
  return true;
}

/// reshape, expand_dims, unsplat: the same elements in the same order.
static bool evalSameOrder(State &state, Operation *op, Data in) {
  Datum &result = state.define(op->getResult(0), 0);
  result.bytes = in[0]->bytes;
  result.poison = in[0]->poison;
  return true;
}

static bool evalBroadcast(State &state, Operation *op, Data in) {
  Datum &result = state.define(op->getResult(0));
  ArrayRef<int64_t> shape = shapeOf(in[0]->type);
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  for (auto [stride, extent] : llvm::zip(strides, shape)) {
    stride = extent == 1 ? 0 : stride;
  }
  copyStrided(result, *in[0], 0, strides);
  return true;
}

static bool evalTrans(State &state, Operation *op, Data in) {
  Datum &result = state.define(op->getResult(0));
  SmallVector<int64_t> source = rowMajorStrides(shapeOf(in[0]->type)), strides;
  for (int32_t axis : cast<TransOp>(op).getOrder()) {
    strides.push_back(source[axis]);
  }
  copyStrided(result, *in[0], 0, strides);
  return true;
}

static bool evalSlice(State &state, Operation *op, Data in) {
  auto slice = cast<SliceOp>(op);
  Datum &result = state.define(op->getResult(0));
  SmallVector<int64_t> strides = rowMajorStrides(shapeOf(in[0]->type));
  int64_t offset = 0;
  for (auto [axis, stride] : llvm::enumerate(strides)) {
    offset += slice.getOffsets()[axis] * stride;
    // An axis of extent 1 takes no step, whatever its stride.
    stride = shapeOf(result.type)[axis] == 1 ? 0 : stride * slice.getStrides()[axis];
  }
  copyStrided(result, *in[0], offset, strides);
  return true;
}

/// Copies `count` blocks of `size` elements, `from` and `to` elements apart.
static void copyBlocks(Datum &result, int64_t to, int64_t resultStep, const Datum &source, int64_t from,
                       int64_t sourceStep, int64_t size, int64_t count) {
  int64_t bytes = elementBytes(result.type);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.bytes.data() + (to + i * resultStep) * bytes,
                source.bytes.data() + (from + i * sourceStep) * bytes, size * bytes);
  }
  if (source.poison.empty()) {
    return;
  }
  result.poison.resize(result.numElements());
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.poison.data() + to + i * resultStep, source.poison.data() + from + i * sourceStep, size);
  }
}

static bool evalJoin(State &state, Operation *op, Data in) {
  Datum &result = state.define(op->getResult(0));
  for (int64_t side : {0, 1}) {
    copyBlocks(result, side, 2, *in[side], 0, 1, 1, in[side]->numElements());
  }
  return true;
}

static bool evalSplit(State &state, Operation *op, Data in) {
  for (unsigned side : {0u, 1u}) {
    Datum &result = state.define(op->getResult(side));
    copyBlocks(result, 0, 1, *in[0], side, 2, 1, result.numElements());
  }
  return true;
}

static bool evalCat(State &state, Operation *op, Data in) {
  Datum &result = state.define(op->getResult(0));
  int32_t axis = cast<CatOp>(op).getAxis();
  ArrayRef<int64_t> shape = shapeOf(result.type);
  int64_t outer = 1, inner = 1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    (static_cast<int32_t>(i) < axis ? outer : inner) *= static_cast<int32_t>(i) == axis ? 1 : extent;
  }
  int64_t at = 0;
  for (const Datum *source : in) {
    int64_t block = shapeOf(source->type)[axis] * inner;
    copyBlocks(result, at, shape[axis] * inner, *source, 0, block, block, outer);
    at += block;
  }
  return true;
}

static bool evalGather(State &state, Operation *op, Data in) {
  const Datum &source = *in[0], &index = *in[1];
  Datum &result = state.define(op->getResult(0));
  int32_t axis = cast<GatherOp>(op).getAxis();
  ArrayRef<int64_t> from = shapeOf(source.type), to = shapeOf(result.type);
  int64_t inner = 1;
  for (int64_t extent : to.drop_front(axis + 1)) {
    inner *= extent;
  }
  int64_t lanes = result.numElements(), bytes = elementBytes(result.type);
  unsigned unused = 64 - elementTypeOf(index.type).getIntOrFloatBitWidth();
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t outer = i / (to[axis] * inner);
    int64_t at = static_cast<int64_t>(index.bits(i) << unused) >> unused;
    bool inside = at >= 0 && at < from[axis];
    int64_t place = inside ? (outer * from[axis] + at) * inner + i % inner : 0;
    if (inside) {
      std::memcpy(result.bytes.data() + i * bytes, source.bytes.data() + place * bytes, bytes);
    } else {
      std::memset(result.bytes.data() + i * bytes, 0, bytes);
    }
    if (index.isPoison(i) || (inside && source.isPoison(place))) {
      result.poison.resize(lanes);
      result.poison[i] = 1;
    } else if (!inside) {
      state.report(FindingKind::GatherIndex, op,
                   "index " + Twine(at) + " at lane " + Twine(i) + " is outside 0 .. " + Twine(from[axis] - 1));
    }
  }
  return true;
}

void pavage::tile::addShapeHandlers(HandlerTable &table) {
  table.add<IotaOp>(evalIota);
  table.add<SplatOp>(evalSplat);
  table.add<UnsplatOp>(evalSameOrder);
  table.add<ExpandDimsOp>(evalSameOrder);
  table.add<ReshapeOp>(evalSameOrder);
  table.add<BroadcastOp>(evalBroadcast);
  table.add<TransOp>(evalTrans);
  table.add<SliceOp>(evalSlice);
  table.add<JoinOp>(evalJoin);
  table.add<SplitOp>(evalSplit);
  table.add<CatOp>(evalCat);
  table.add<GatherOp>(evalGather);
}

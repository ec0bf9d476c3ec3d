// Block pointers and tensor descriptors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both are aggregates of the builder: base, shape, strides (and a block pointer's offsets) as int64 scalars. In the IR
// they are tile.block_load and tile.block_store, which keep the structure; a descriptor's gather, scatter and atomics
// become pointer tiles with a mask.
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/MemoryWords.h"
#include <cmath>

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

static constexpr size_t maxDescriptorRank = 5;

/// The named part of an aggregate, one entry per axis.
static ArrayRef<Ref> partOf(const Ref &v, pv_part part) {
  size_t rank = v->shape.size(), first = 1 + rank * (part - PV_PART_SHAPE);
  return ArrayRef<Ref>(v->items).slice(first, rank);
}

std::optional<Refs> Session::wideList(const Refs &values, const Twine &what) {
  Refs wide;
  for (const Ref &v : values) {
    if (!checkNumber(v, what)) {
      return std::nullopt;
    }
    if (!v->isScalar() || !v->dtype.isInteger() || v->dtype.isBool()) {
      fail(Code::ExpectedInteger, "expected integer scalars for " + what + ", got " + describe(*v));
      return std::nullopt;
    }
    Ref w = cast(v, i64);
    if (!w) {
      return std::nullopt;
    }
    wide.push_back(w);
  }
  return wide;
}

static bool checkBase(Session &s, const Ref &base, const Twine &what) {
  if (!s.checkNumber(base, "the base of a " + what)) {
    return false;
  }
  return (base->dtype.isPointer() && base->shape.empty()) ||
         s.fail(Code::ExpectedPointer,
                "expected a scalar pointer for the base of a " + what + ", got " + describe(*base));
}

Ref Session::blockPointer(const Ref &base, const Refs &shape, const Refs &strides, const Refs &offsets,
                          ArrayRef<int64_t> block, const int64_t *order) {
  if (!checkBase(*this, base, "block pointer")) {
    return {};
  }
  if (block.empty()) {
    return fail(Code::BadShape, "expected a block shape of rank 1 or more, got []");
  }
  if (!checkShape(block, "a block shape")) {
    return {};
  }
  if (order) {
    SmallVector<bool> seen(block.size(), false);
    for (int64_t axis : ArrayRef<int64_t>(order, block.size())) {
      if (axis < 0 || axis >= int64_t(block.size()) || seen[axis]) {
        return fail(Code::BadPermutation, "expected a permutation of the " + Twine(block.size()) +
                                              " axes for order, got " +
                                              toString(ArrayRef<int64_t>(order, block.size())));
      }
      seen[axis] = true;
    }
  }
  auto s = wideList(shape, "the shape of a block pointer");
  auto t = s ? wideList(strides, "the strides of a block pointer") : std::nullopt;
  auto f = t ? wideList(offsets, "the offsets of a block pointer") : std::nullopt;
  if (!f) {
    return {};
  }
  Ref r(new pv_value(PV_KIND_BLOCK_POINTER, base->dtype.pointee()));
  r->shape.assign(block.begin(), block.end());
  r->items.push_back(base);
  for (const Refs &list : {*s, *t, *f}) {
    r->items.append(list.begin(), list.end());
  }
  return r;
}

Ref Session::advance(const Ref &pointer, const Refs &offsets) {
  if (!checkOpen()) {
    return {};
  }
  if (!pointer || pointer->kind != PV_KIND_BLOCK_POINTER) {
    return fail(Code::ExpectedPointer,
                "expected a block pointer to advance, got " + (pointer ? describe(*pointer) : std::string("nothing")));
  }
  size_t rank = pointer->shape.size();
  if (offsets.size() != rank) {
    return fail(Code::WrongCount, "expected " + Twine(rank) + " offsets to advance " + describe(*pointer) + ", got " +
                                      Twine(offsets.size()));
  }
  auto by = checkScope(pointer) ? wideList(offsets, "the offsets of advance") : std::nullopt;
  if (!by) {
    return {};
  }
  Ref r(new pv_value(PV_KIND_BLOCK_POINTER, pointer->dtype));
  r->shape = pointer->shape;
  r->items = pointer->items;
  for (size_t i = 0; i < rank; ++i) {
    Ref &offset = r->items[1 + 2 * rank + i];
    offset = add(offset, (*by)[i]);
  }
  return r;
}

Ref Session::descriptor(const Ref &base, const Refs &shape, const Refs &strides, ArrayRef<int64_t> block,
                        StringRef padding) {
  if (!checkBase(*this, base, "tensor descriptor")) {
    return {};
  }
  if (block.empty() || block.size() > maxDescriptorRank) {
    return fail(Code::BadShape,
                "expected a block shape of rank 1 .. " + Twine(maxDescriptorRank) + ", got " + toString(block));
  }
  auto padNan = parsePadding(*this, padding, base->dtype.pointee());
  if (!padNan || !checkShape(block, "a block shape")) {
    return {};
  }
  auto s = wideList(shape, "the shape of a tensor descriptor");
  auto t = s ? wideList(strides, "the strides of a tensor descriptor") : std::nullopt;
  if (!t) {
    return {};
  }
  if (t->back()->number && t->back()->number->integer != 1) {
    return fail(Code::BadDescriptor,
                "expected a last stride of 1 for a tensor descriptor, got " + toString(t->back()->number->integer));
  }
  Ref r(new pv_value(PV_KIND_DESCRIPTOR, base->dtype.pointee()));
  r->shape.assign(block.begin(), block.end());
  r->padNan = *padNan;
  r->items.push_back(base);
  for (const Refs &list : {*s, *t}) {
    r->items.append(list.begin(), list.end());
  }
  return r;
}

/// Loads the block (value null) or stores *value to it. A store gives the block pointer back.
Ref Session::blockAccess(const Ref &block, const Refs *given, const pv_access &access, const Ref *value) {
  bool isDescriptor = block->kind == PV_KIND_DESCRIPTOR;
  if (!checkEffects(value ? "a store" : "a load") || !checkScope(block)) {
    return {};
  }
  if (access.mask || access.other) {
    return fail(Code::BadBlockAccess, "expected boundary_check and padding_option for a block pointer, got mask or "
                                      "other");
  }
  size_t rank = block->shape.size();
  const Ref &base = block->items[0];
  if (value && base->dtype.isConst()) {
    return fail(Code::ConstStore, "expected a pointer that may be written, got " + describe(*base));
  }
  auto text = [](const char *t) { return StringRef(t ? t : ""); };
  auto cache = parseCache(*this, text(access.cache), !value);
  auto eviction = cache ? parseEviction(*this, text(access.eviction)) : std::nullopt;
  auto padNan = eviction ? parsePadding(*this, text(access.padding), block->dtype) : std::nullopt;
  if (!padNan) {
    return {};
  }
  SmallVector<int32_t> checked;
  SmallVector<bool> isChecked(rank, isDescriptor);
  for (size_t i = 0; i < access.num_boundary_check; ++i) {
    int64_t axis = access.boundary_check[i], place = axis < 0 ? axis + int64_t(rank) : axis;
    if (place < 0 || place >= int64_t(rank) || isChecked[place]) {
      return fail(Code::BadAxis, "expected different axes in 0 .. " + Twine(rank - 1) + " for boundary_check, got " +
                                     toString(ArrayRef<int64_t>(access.boundary_check, access.num_boundary_check)));
    }
    isChecked[place] = true;
  }
  for (size_t i = 0; i < rank; ++i) {
    if (isChecked[i]) {
      checked.push_back(i);
    }
  }
  auto values = [](ArrayRef<Ref> refs) {
    SmallVector<mlir::Value> v;
    for (const Ref &r : refs) {
      v.push_back(r->ir);
    }
    return v;
  };
  SmallVector<mlir::Value> offsets = values(given ? ArrayRef<Ref>(*given) : partOf(block, PV_PART_OFFSET));
  SmallVector<mlir::Value> strides = values(partOf(block, PV_PART_STRIDE)),
                           extents = values(partOf(block, PV_PART_SHAPE));
  if (value) {
    Ref v = blockValue(*value, block->dtype, block->shape);
    if (!v) {
      return {};
    }
    create<tile::BlockStoreOp>(base->ir, offsets, strides, extents, v->ir, checked, *cache, *eviction);
    return block;
  }
  mlir::Value other;
  if (*padNan || (isDescriptor && block->padNan)) {
    other = constantFloat(block->dtype, NAN)->ir;
  }
  Type type = irType(&context(), block->dtype, block->shape);
  return tile(create<tile::BlockLoadOp>(type, base->ir, offsets, strides, extents, other, checked, *cache, *eviction,
                                        access.is_volatile != 0),
              block->dtype);
}

static bool checkDescriptor(Session &s, const Ref &desc, const Refs *offsets) {
  if (!s.checkOpen()) {
    return false;
  }
  if (!desc || desc->kind != PV_KIND_DESCRIPTOR) {
    return s.fail(Code::BadDescriptor,
                  "expected a tensor descriptor, got " + (desc ? describe(*desc) : std::string("nothing")));
  }
  if (offsets && offsets->size() != desc->shape.size()) {
    return s.fail(Code::WrongCount, "expected " + Twine(desc->shape.size()) + " offsets for " + describe(*desc) +
                                        ", got " + Twine(offsets->size()));
  }
  return s.checkScope(desc);
}

Ref Session::descriptorLoad(const Ref &desc, const Refs &offsets) {
  auto at = checkDescriptor(*this, desc, &offsets) ? wideList(offsets, "the offsets of a load") : std::nullopt;
  return at ? blockAccess(desc, &*at, {}, nullptr) : Ref();
}

bool Session::descriptorStore(const Ref &desc, const Refs &offsets, const Ref &value) {
  auto at = checkDescriptor(*this, desc, &offsets) ? wideList(offsets, "the offsets of a store") : std::nullopt;
  return at && blockAccess(desc, &*at, {}, &value);
}

/// Pointers to the elements at `indices` (int64, of one shape), and where they are inside.
Ref Session::descriptorPointers(const Ref &desc, ArrayRef<Ref> indices, Ref &mask) {
  Ref offset;
  mask = {};
  for (auto [index, stride, extent] : llvm::zip(indices, partOf(desc, PV_PART_STRIDE), partOf(desc, PV_PART_SHAPE))) {
    Ref step = mul(index, stride);
    Ref inside = both(binary(PV_GE, index, literalInt(0)), binary(PV_LT, index, extent));
    offset = offset ? add(offset, step) : step;
    mask = mask ? both(mask, inside) : inside;
  }
  return offset ? add(desc->items[0], offset) : Ref();
}

/// Row numbers x and columns y .. y + N - 1 as index tiles for a descriptor of blocks [1, N].
bool Session::descriptorRows(const Ref &desc, const Ref &rows, const Ref &column, Refs &indices) {
  if (!checkDescriptor(*this, desc, nullptr) || !checkTile(rows, "the rows of a gather or scatter")) {
    return false;
  }
  if (desc->shape.size() != 2 || desc->shape[0] != 1) {
    return fail(Code::BadDescriptor,
                "expected a descriptor of blocks [1, N] for gather and scatter, got " + describe(*desc));
  }
  if (rows->shape.size() != 1 || !rows->dtype.isInteger()) {
    return fail(Code::ExpectedInteger,
                "expected integers of rank 1 for the rows of a gather or scatter, got " + describe(*rows));
  }
  auto first = wideList({column}, "the column of a gather or scatter");
  Ref x = first ? cast(rows, i64) : Ref();
  x = x ? expandDims(x, {1}) : Ref();
  Ref y = x ? arange(0, desc->shape[1]) : Ref();
  y = y ? expandDims(y, {0}) : Ref();
  y = y ? add(first->front(), y) : Ref();
  Operands o = y ? broadcastPair(x, y) : Operands();
  indices.assign({o.x, o.y});
  return static_cast<bool>(o);
}

Ref Session::descriptorGather(const Ref &desc, const Ref &rows, const Ref &column) {
  Refs indices;
  Ref mask;
  Ref pointers = descriptorRows(desc, rows, column, indices) ? descriptorPointers(desc, indices, mask) : Ref();
  if (!pointers) {
    return {};
  }
  pv_access access{};
  Ref padding = desc->padNan ? literalFloat(NAN) : Ref();
  access.mask = mask.get();
  access.other = padding.get();
  return load(pointers, access);
}

bool Session::descriptorScatter(const Ref &desc, const Ref &value, const Ref &rows, const Ref &column) {
  Refs indices;
  Ref mask;
  Ref pointers = descriptorRows(desc, rows, column, indices) ? descriptorPointers(desc, indices, mask) : Ref();
  if (!pointers) {
    return false;
  }
  pv_access access{};
  access.mask = mask.get();
  return store(pointers, value, access);
}

bool Session::descriptorAtomic(pv_atomic_op op, const Ref &desc, const Refs &offsets, const Ref &value) {
  auto at = checkDescriptor(*this, desc, &offsets) ? wideList(offsets, "the offsets of an atomic") : std::nullopt;
  if (!at) {
    return false;
  }
  Refs indices;
  for (size_t axis = 0; axis < at->size(); ++axis) {
    Ref along = arange(0, desc->shape[axis]);
    SmallVector<int64_t> others;
    for (size_t i = 0; i < at->size(); ++i) {
      if (i != axis) {
        others.push_back(i);
      }
    }
    along = along ? expandDims(along, others) : Ref();
    along = along ? add((*at)[axis], along) : Ref();
    along = along ? broadcastTo(along, desc->shape) : Ref();
    if (!along) {
      return false;
    }
    indices.push_back(along);
  }
  Ref mask;
  Ref pointers = descriptorPointers(desc, indices, mask);
  return pointers && atomic(op, pointers, value, mask, "", "");
}

Ref Session::part(const Ref &v, pv_part which, size_t axis) {
  bool isBlock = v && v->kind == PV_KIND_BLOCK_POINTER;
  if (!isBlock && !(v && v->kind == PV_KIND_DESCRIPTOR)) {
    return fail(Code::BadDescriptor,
                "expected a block pointer or tensor descriptor, got " + (v ? describe(*v) : std::string("nothing")));
  }
  if (which == PV_PART_BASE) {
    return v->items[0];
  }
  bool exists = which >= PV_PART_SHAPE && which <= (isBlock ? PV_PART_OFFSET : PV_PART_STRIDE);
  if (!exists || axis >= v->shape.size()) {
    return fail(Code::BadAxis, "expected a part of " + describe(*v) + " on an axis below " + Twine(v->shape.size()) +
                                   ", got axis " + Twine(axis));
  }
  return partOf(v, which)[axis];
}

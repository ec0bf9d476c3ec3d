// The C interface: operations. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/builder/CApi.h"

using namespace pavage;
using namespace pavage::builder;

extern "C" {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

int pv_unary(pv_builder *b, pv_unary_op op, pv_value *x, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.unary(op, x); });
}

int pv_binary(pv_builder *b, pv_binary_op op, pv_value *x, pv_value *y, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.binary(op, x, y); });
}

int pv_where(pv_builder *b, pv_value *cond, pv_value *x, pv_value *y, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.where(cond, x, y); });
}

int pv_fma(pv_builder *b, pv_value *x, pv_value *y, pv_value *z, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.fma(x, y, z); });
}

int pv_clamp(pv_builder *b, pv_value *x, pv_value *lo, pv_value *hi, int propagateNan, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.clamp(x, lo, hi, propagateNan != 0); });
}

int pv_softmax(pv_builder *b, pv_value *x, const int64_t *dim, int, int, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.softmax(x, optional(dim)); });
}

int pv_cast(pv_builder *b, pv_value *x, pv_dtype dtype, const char *rounding, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.cast(x, DType(dtype), text(rounding)); });
}

int pv_bitcast(pv_builder *b, pv_value *x, pv_dtype dtype, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.bitcast(x, DType(dtype)); });
}

int pv_to_tensor(pv_builder *b, pv_value *x, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.toTensor(x); });
}

int pv_to_bool(pv_builder *b, pv_value *x, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.toBool(x); });
}

int pv_promote(pv_builder *b, pv_binary_op op, pv_value *x, pv_value *y, pv_dtype *out) {
  return call(b, [&](Session &s) {
    DType d = s.promote(op, x, y);
    if (d) {
      *out = d.code;
    }
    return static_cast<bool>(d);
  });
}

//===----------------------------------------------------------------------===//
// Creation and shape
//===----------------------------------------------------------------------===//

int pv_program_id(pv_builder *b, int axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.programId(axis, /*isCount=*/false); });
}

int pv_num_programs(pv_builder *b, int axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.programId(axis, /*isCount=*/true); });
}

int pv_arange(pv_builder *b, int64_t start, int64_t end, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.arange(start, end); });
}

int pv_full(pv_builder *b, const int64_t *shape, size_t rank, pv_value *value, pv_dtype dtype, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.full({shape, rank}, value, DType(dtype)); });
}

int pv_zeros_like(pv_builder *b, pv_value *given, pv_value **out) {
  return callForValue(b, out, [&](Session &s) -> Ref {
    Ref x = s.toTensor(given);
    return x ? s.full(x->shape, literalInt(0), x->dtype) : Ref();
  });
}

int pv_expand_dims(pv_builder *b, pv_value *x, const int64_t *axes, size_t count, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.expandDims(x, {axes, count}); });
}

int pv_squeeze(pv_builder *b, pv_value *x, int64_t axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.squeeze(x, axis); });
}

int pv_broadcast(pv_builder *b, pv_value *x, pv_value *y, pv_value **outX, pv_value **outY) {
  return callForTwo(b, outX, outY, [&](Session &s) { return s.broadcastPair(x, y); });
}

int pv_broadcast_to(pv_builder *b, pv_value *x, const int64_t *shape, size_t rank, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.broadcastTo(x, {shape, rank}); });
}

int pv_reshape(pv_builder *b, pv_value *x, const int64_t *shape, size_t rank, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.reshape(x, {shape, rank}); });
}

int pv_trans(pv_builder *b, pv_value *x, const int64_t *order, size_t count, pv_value **out) {
  return callForValue(b, out, [&](Session &s) {
    return s.trans(x, order ? std::optional(llvm::ArrayRef<int64_t>(order, count)) : std::nullopt);
  });
}

int pv_join(pv_builder *b, pv_value *x, pv_value *y, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.join(x, y); });
}

int pv_split(pv_builder *b, pv_value *x, pv_value **first, pv_value **second) {
  return callForTwo(b, first, second, [&](Session &s) { return s.split(x); });
}

int pv_interleave(pv_builder *b, pv_value *x, pv_value *y, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.interleave(x, y); });
}

int pv_cat(pv_builder *b, pv_value *x, pv_value *y, int64_t axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.cat(x, y, axis); });
}

int pv_gather(pv_builder *b, pv_value *x, pv_value *index, int64_t axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.gather(x, index, axis); });
}

int pv_flip(pv_builder *b, pv_value *x, const int64_t *axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.flip(x, optional(axis)); });
}

int pv_swizzle2d(pv_builder *b, pv_value *i, pv_value *j, pv_value *sizeI, pv_value *sizeJ, pv_value *sizeG,
                 pv_value **outI, pv_value **outJ) {
  return callForTwo(b, outI, outJ, [&](Session &s) { return s.swizzle2d(i, j, sizeI, sizeJ, sizeG); });
}

int pv_index(pv_builder *b, pv_value *x, const pv_index_item *items, size_t count, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.index(x, {items, count}); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int pv_load(pv_builder *b, pv_value *pointer, const pv_access *access, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.load(pointer, access ? *access : pv_access{}); });
}

int pv_store(pv_builder *b, pv_value *pointer, pv_value *value, const pv_access *access) {
  return call(b, [&](Session &s) { return s.store(pointer, value, access ? *access : pv_access{}); });
}

int pv_atomic(pv_builder *b, pv_atomic_op op, pv_value *pointer, pv_value *value, pv_value *mask, const char *sem,
              const char *scope, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.atomic(op, pointer, value, mask, text(sem), text(scope)); });
}

int pv_atomic_cas(pv_builder *b, pv_value *pointer, pv_value *cmp, pv_value *value, const char *sem, const char *scope,
                  pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.atomicCas(pointer, cmp, value, text(sem), text(scope)); });
}

int pv_make_block_ptr(pv_builder *b, pv_value *base, pv_value *const *shape, pv_value *const *strides,
                      pv_value *const *offsets, const int64_t *block, const int64_t *order, size_t rank,
                      pv_value **out) {
  return callForValue(b, out, [&](Session &s) {
    return s.blockPointer(base, refs(shape, rank), refs(strides, rank), refs(offsets, rank), {block, rank}, order);
  });
}

int pv_advance(pv_builder *b, pv_value *pointer, pv_value *const *offsets, size_t rank, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.advance(pointer, refs(offsets, rank)); });
}

int pv_make_descriptor(pv_builder *b, pv_value *base, pv_value *const *shape, pv_value *const *strides,
                       const int64_t *block, size_t rank, const char *padding, pv_value **out) {
  return callForValue(b, out, [&](Session &s) {
    return s.descriptor(base, refs(shape, rank), refs(strides, rank), {block, rank}, text(padding));
  });
}

int pv_descriptor_load(pv_builder *b, pv_value *desc, pv_value *const *offsets, size_t rank, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.descriptorLoad(desc, refs(offsets, rank)); });
}

int pv_descriptor_store(pv_builder *b, pv_value *desc, pv_value *const *offsets, size_t rank, pv_value *value) {
  return call(b, [&](Session &s) { return s.descriptorStore(desc, refs(offsets, rank), value); });
}

int pv_descriptor_gather(pv_builder *b, pv_value *desc, pv_value *rows, pv_value *column, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.descriptorGather(desc, rows, column); });
}

int pv_descriptor_scatter(pv_builder *b, pv_value *desc, pv_value *value, pv_value *rows, pv_value *column) {
  return call(b, [&](Session &s) { return s.descriptorScatter(desc, value, rows, column); });
}

int pv_descriptor_atomic(pv_builder *b, pv_atomic_op op, pv_value *desc, pv_value *const *offsets, size_t rank,
                         pv_value *value) {
  return call(b, [&](Session &s) { return s.descriptorAtomic(op, desc, refs(offsets, rank), value); });
}

int pv_aggregate_part(pv_builder *b, pv_value *v, pv_part part, size_t axis, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.part(v, part, axis); });
}

//===----------------------------------------------------------------------===//
// Contraction, reduction, order
//===----------------------------------------------------------------------===//

int pv_dot(pv_builder *b, pv_value *x, pv_value *y, const pv_dot_options *options, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.dot(x, y, options ? *options : pv_dot_options{}); });
}

int pv_dot_scaled(pv_builder *b, const pv_scaled *lhs, const pv_scaled *rhs, pv_value *acc, int fastMath,
                  pv_dtype outDType, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.dotScaled(*lhs, *rhs, acc, fastMath != 0, DType(outDType)); });
}

int pv_reduce(pv_builder *b, pv_reduce_op op, pv_value *x, const int64_t *axis, int keepDims, pv_dtype dtype,
              pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.reduce(op, x, optional(axis), keepDims != 0, DType(dtype)); });
}

int pv_reduce_with_index(pv_builder *b, pv_reduce_op op, pv_value *x, const int64_t *axis, int tieBreakLeft,
                         int keepDims, pv_value **outValue, pv_value **outIndex) {
  return callForTwo(b, outValue, outIndex, [&](Session &s) {
    return s.reduceWithIndex(op, x, optional(axis), tieBreakLeft != 0, keepDims != 0);
  });
}

int pv_cumulate(pv_builder *b, pv_reduce_op op, pv_value *x, int64_t axis, int reverse, pv_dtype dtype,
                pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.cumulate(op, x, axis, reverse != 0, DType(dtype)); });
}

int pv_reduce_begin(pv_builder *b, pv_value *const *xs, size_t count, const int64_t *axis, int keepDims,
                    pv_value **args) {
  return callForMany(b, args, [&](Session &s, Refs &outs) {
    return s.combineBegin(refs(xs, count), optional(axis), /*isScan=*/false, /*reverse=*/false, keepDims != 0, outs);
  });
}

int pv_reduce_end(pv_builder *b, pv_value *const *results, size_t count, pv_value **outs) {
  return callForMany(
      b, outs, [&](Session &s, Refs &values) { return s.combineEnd(refs(results, count), /*isScan=*/false, values); });
}

int pv_scan_begin(pv_builder *b, pv_value *const *xs, size_t count, int64_t axis, int reverse, pv_value **args) {
  return callForMany(b, args, [&](Session &s, Refs &outs) {
    return s.combineBegin(refs(xs, count), axis, /*isScan=*/true, reverse != 0, /*keepDims=*/false, outs);
  });
}

int pv_scan_end(pv_builder *b, pv_value *const *results, size_t count, pv_value **outs) {
  return callForMany(
      b, outs, [&](Session &s, Refs &values) { return s.combineEnd(refs(results, count), /*isScan=*/true, values); });
}

int pv_map_begin(pv_builder *b, pv_value *const *xs, size_t count, int64_t pack, pv_value **args) {
  return callForMany(b, args, [&](Session &s, Refs &outs) { return s.mapBegin(refs(xs, count), pack, outs); });
}

int pv_map_end(pv_builder *b, pv_value *const *results, size_t count, pv_value **outs) {
  return callForMany(b, outs, [&](Session &s, Refs &values) { return s.mapEnd(refs(results, count), values); });
}

int pv_sort(pv_builder *b, pv_value *x, const int64_t *axis, int descending, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.sort(x, optional(axis), descending != 0); });
}

int pv_topk(pv_builder *b, pv_value *x, int64_t k, const int64_t *axis, int descending, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.topk(x, k, optional(axis), descending != 0); });
}

int pv_histogram(pv_builder *b, pv_value *x, int64_t bins, pv_value *mask, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.histogram(x, bins, mask); });
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

int pv_philox(pv_builder *b, pv_value *seed, pv_value *const counters[4], int rounds, pv_value **outs) {
  return callForMany(b, outs,
                     [&](Session &s, Refs &values) { return s.philox(seed, refs(counters, 4), rounds, values); });
}

int pv_philox_impl(pv_builder *b, pv_value *const counters[4], pv_value *const keys[2], int rounds, pv_value **outs) {
  return callForMany(b, outs, [&](Session &s, Refs &values) {
    return s.philoxImpl(refs(counters, 4), refs(keys, 2), rounds, values);
  });
}

int pv_random(pv_builder *b, pv_random_kind kind, pv_value *seed, pv_value *offset, int rounds, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.random(kind, seed, offset, rounds); });
}

int pv_random4(pv_builder *b, pv_random_kind kind, pv_value *seed, pv_value *offset, int rounds, pv_value **outs) {
  return callForMany(b, outs, [&](Session &s, Refs &values) { return s.random4(kind, seed, offset, rounds, values); });
}

int pv_uint_to_uniform_float(pv_builder *b, pv_value *x, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.uniform(x); });
}

int pv_pair_uniform_to_normal(pv_builder *b, pv_value *u1, pv_value *u2, pv_value **out1, pv_value **out2) {
  return callForTwo(b, out1, out2, [&](Session &s) { return s.normal(u1, u2); });
}

//===----------------------------------------------------------------------===//
// Hints, debugging, escape hatch
//===----------------------------------------------------------------------===//

int pv_hint_values(pv_builder *b, pv_hint hint, pv_value *x, const int64_t *values, size_t count, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.hint(hint, x, {values, count}); });
}

int pv_assume(pv_builder *b, pv_value *cond) {
  return call(b, [&](Session &s) { return s.assume(cond); });
}

int pv_device_assert(pv_builder *b, pv_value *cond, const char *message, pv_value *mask) {
  return call(b, [&](Session &s) { return s.deviceAssert(cond, text(message), mask); });
}

int pv_device_print(pv_builder *b, const char *prefix, pv_value *const *values, size_t count, int hex) {
  return call(b, [&](Session &s) { return s.devicePrint(text(prefix), refs(values, count), hex != 0); });
}

int pv_debug_barrier(pv_builder *b) {
  return call(b, [](Session &s) { return s.barrier(); });
}

int pv_inline_asm(pv_builder *b, const char *ptx, const char *constraints, pv_value *const *args, size_t numArgs,
                  const pv_dtype *dtypes, size_t numResults, int isPure, int pack, pv_value **outs) {
  return callForMany(b, outs, [&](Session &s, Refs &values) {
    llvm::SmallVector<DType> results;
    for (pv_dtype d : llvm::ArrayRef<pv_dtype>(dtypes, numResults)) {
      results.push_back(DType(d));
    }
    return s.inlineAsm(text(ptx), text(constraints), refs(args, numArgs), results, isPure != 0, pack, values);
  });
}

} // extern "C"

// Loads, stores, atomics, block pointers, descriptors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

namespace {

using H = py::handle;
using Ints = std::vector<int64_t>;

Access access(Builder &b, H mask, H other, Ints boundary, std::string padding, std::string cache, std::string eviction,
              bool isVolatile) {
  return {operand(mask, &b), operand(other, &b),  std::move(boundary), std::move(padding),
          std::move(cache),  std::move(eviction), isVolatile};
}

const char *text(const std::optional<std::string> &s) { return s ? s->c_str() : nullptr; }

} // namespace

void bindMemory(BuilderClass &cls) {
  cls.def("load",
          [](Builder &b, H pointer, H mask, H other, Ints boundary, std::string padding, std::string cache,
             std::string eviction, bool isVolatile) {
            return b.load(operand(pointer, &b), access(b, mask, other, std::move(boundary), std::move(padding),
                                                       std::move(cache), std::move(eviction), isVolatile));
          })
      .def("store",
           [](Builder &b, H pointer, H value, H mask, Ints boundary, std::string cache, std::string eviction) {
             b.store(
                 operand(pointer, &b), operand(value, &b),
                 access(b, mask, py::none(), std::move(boundary), "", std::move(cache), std::move(eviction), false));
           })
      .def("atomic",
           [](Builder &b, int op, H pointer, H value, H mask, std::optional<std::string> sem,
              std::optional<std::string> scope) {
             return b.atomic(static_cast<pv_atomic_op>(op), operand(pointer, &b), operand(value, &b), operand(mask, &b),
                             text(sem), text(scope));
           })
      .def("atomic_cas",
           [](Builder &b, H pointer, H cmp, H value, std::optional<std::string> sem, std::optional<std::string> scope) {
             return b.atomicCas(operand(pointer, &b), operand(cmp, &b), operand(value, &b), text(sem), text(scope));
           });

  cls.def("make_block_ptr",
          [](Builder &b, H base, H shape, H strides, H offsets, const Ints &block, const Ints &order) {
            return b.makeBlockPtr(operand(base, &b), values(shape, &b), values(strides, &b), values(offsets, &b), block,
                                  order);
          })
      .def("advance", [](Builder &b, H p, H offsets) { return b.advance(operand(p, &b), values(offsets, &b)); })
      .def("make_descriptor",
           [](Builder &b, H base, H shape, H strides, const Ints &block, const std::string &padding) {
             return b.makeDescriptor(operand(base, &b), values(shape, &b), values(strides, &b), block, padding.c_str());
           })
      .def("descriptor_load",
           [](Builder &b, H d, H offsets) { return b.descriptorLoad(operand(d, &b), values(offsets, &b)); })
      .def("descriptor_store",
           [](Builder &b, H d, H offsets, H value) {
             b.descriptorStore(operand(d, &b), values(offsets, &b), operand(value, &b));
           })
      .def("descriptor_gather",
           [](Builder &b, H d, H rows, H column) {
             return b.descriptorGather(operand(d, &b), operand(rows, &b), operand(column, &b));
           })
      .def("descriptor_scatter",
           [](Builder &b, H d, H value, H rows, H column) {
             b.descriptorScatter(operand(d, &b), operand(value, &b), operand(rows, &b), operand(column, &b));
           })
      .def("descriptor_atomic",
           [](Builder &b, int op, H d, H offsets, H value) {
             b.descriptorAtomic(static_cast<pv_atomic_op>(op), operand(d, &b), values(offsets, &b), operand(value, &b));
           })
      .def("part", [](Builder &b, H v, int which, size_t axis) {
        return b.part(operand(v, &b), static_cast<pv_part>(which), axis);
      });
}

} // namespace pavage::python

// Creation and change of shape. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

namespace {

// Entries between the brackets of x[...]: None, an index, or a slice (`:` keeps the axis).
Value index(Builder &b, py::handle x, py::sequence entries) {
  std::vector<pv_index_item> items;
  std::vector<Value> keep;
  auto bound = [&](py::handle h, int64_t &out, int &has) {
    if (h.is_none()) {
      return;
    }
    std::optional<int64_t> c = operand(h, &b).value().constantInt();
    if (!c) {
      b.fail(4, "expected constant bounds of a slice, got a value known only at run time");
    }
    out = *c;
    has = 1;
  };
  for (py::handle entry : entries) {
    pv_index_item item{};
    if (entry.is_none()) {
      item.kind = PV_INDEX_NEW_AXIS;
    } else if (PySlice_Check(entry.ptr())) {
      py::object start = entry.attr("start"), stop = entry.attr("stop"), step = entry.attr("step");
      bool all = start.is_none() && stop.is_none() && step.is_none();
      item.kind = all ? PV_INDEX_ALL : PV_INDEX_SLICE;
      bound(start, item.start, item.has_start);
      bound(stop, item.stop, item.has_stop);
      bound(step, item.step, item.has_step);
    } else {
      item.kind = PV_INDEX_AT;
      keep.push_back(operand(entry, &b).value());
      item.at = keep.back().get();
    }
    items.push_back(item);
  }
  return b.index(operand(x, &b), items);
}

} // namespace

void bindShape(BuilderClass &cls) {
  using H = py::handle;
  using Ints = std::vector<int64_t>;
  cls.def("program_id", &Builder::programId)
      .def("num_programs", &Builder::numPrograms)
      .def("arange", &Builder::arange)
      .def("full", [](Builder &b, const Ints &shape, H value,
                      uint32_t type) { return b.full(Builder::Ints(shape), operand(value, &b), DType(type)); })
      .def("zeros_like", [](Builder &b, H x) { return b.zerosLike(operand(x, &b)); })
      .def("expand_dims",
           [](Builder &b, H x, const Ints &axes) { return b.expandDims(operand(x, &b), Builder::Ints(axes)); })
      .def("squeeze", [](Builder &b, H x, int64_t axis) { return b.squeeze(operand(x, &b), axis); })
      .def("broadcast", [](Builder &b, H x, H y) { return b.broadcast(operand(x, &b), operand(y, &b)); })
      .def("broadcast_to",
           [](Builder &b, H x, const Ints &shape) { return b.broadcastTo(operand(x, &b), Builder::Ints(shape)); })
      .def("reshape",
           [](Builder &b, H x, const Ints &shape) { return b.reshape(operand(x, &b), Builder::Ints(shape)); })
      .def("trans", [](Builder &b, H x) { return b.trans(operand(x, &b)); })
      .def("permute",
           [](Builder &b, H x, const Ints &order) { return b.permute(operand(x, &b), Builder::Ints(order)); })
      .def("join", [](Builder &b, H x, H y) { return b.join(operand(x, &b), operand(y, &b)); })
      .def("split", [](Builder &b, H x) { return b.split(operand(x, &b)); })
      .def("interleave", [](Builder &b, H x, H y) { return b.interleave(operand(x, &b), operand(y, &b)); })
      .def("cat", [](Builder &b, H x, H y, int64_t axis) { return b.cat(operand(x, &b), operand(y, &b), axis); })
      .def("gather", [](Builder &b, H x, H i, int64_t axis) { return b.gather(operand(x, &b), operand(i, &b), axis); })
      .def("flip", [](Builder &b, H x, std::optional<int64_t> axis) { return b.flip(operand(x, &b), axis); })
      .def("swizzle2d",
           [](Builder &b, H i, H j, H si, H sj, H g) {
             return b.swizzle2d(operand(i, &b), operand(j, &b), operand(si, &b), operand(sj, &b), operand(g, &b));
           })
      .def("index", &index);
}

} // namespace pavage::python

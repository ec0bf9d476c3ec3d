// Contraction, reduction, scan, order. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

namespace {

using H = py::handle;
using Axis = std::optional<int64_t>;

// A function of scalars that gives a sequence of them.
auto combiner(Builder &b, H function) {
  return [&b, function](std::vector<Value> args) {
    py::tuple t(args.size());
    for (size_t i = 0; i < args.size(); ++i) {
      t[i] = py::cast(args[i]);
    }
    return values(py::reinterpret_borrow<py::object>(function)(*t), &b);
  };
}

} // namespace

void bindReductions(BuilderClass &cls) {
  cls.def("dot",
          [](Builder &b, H x, H y, H acc, std::optional<std::string> precision, std::optional<bool> tf32,
             std::optional<int64_t> imprecise, uint32_t out) {
            DotOptions o;
            o.acc = operand(acc, &b).value();
            o.inputPrecision = precision.value_or("");
            o.allowTf32 = tf32;
            o.maxNumImpreciseAcc = imprecise;
            o.outDType = DType(out);
            return b.dot(operand(x, &b), operand(y, &b), o);
          })
      .def("dot_scaled",
           [](Builder &b, H x, H xScale, std::string xFormat, bool xPacksOuter, H y, H yScale, std::string yFormat,
              bool yPacksOuter, H acc, bool fast, uint32_t out) {
             ScaledSide lhs{operand(x, &b).value(), operand(xScale, &b).value(), std::move(xFormat), xPacksOuter};
             ScaledSide rhs{operand(y, &b).value(), operand(yScale, &b).value(), std::move(yFormat), yPacksOuter};
             return b.dotScaled(lhs, rhs, operand(acc, &b), fast, DType(out));
           })
      .def("reduce_with",
           [](Builder &b, H xs, Axis axis, H function, bool keep) {
             std::vector<Value> v = values(xs, &b);
             return b.reduce(v, axis, combiner(b, function), keep);
           })
      .def("reduce",
           [](Builder &b, int op, H x, Axis axis, bool keep, uint32_t type) {
             return b.reduce(static_cast<pv_reduce_op>(op), operand(x, &b), axis, keep, DType(type));
           })
      .def("reduce_with_index",
           [](Builder &b, int op, H x, Axis axis, bool left, bool keep) {
             return b.reduceWithIndex(static_cast<pv_reduce_op>(op), operand(x, &b), axis, left, keep);
           })
      .def("cumulate",
           [](Builder &b, int op, H x, int64_t axis, bool reverse, uint32_t type) {
             return b.cumulate(static_cast<pv_reduce_op>(op), operand(x, &b), axis, reverse, DType(type));
           })
      .def("scan_with",
           [](Builder &b, H xs, int64_t axis, H function, bool reverse) {
             std::vector<Value> v = values(xs, &b);
             return b.scan(v, axis, combiner(b, function), reverse);
           })
      .def("map_with",
           [](Builder &b, H xs, H function, int64_t pack) {
             std::vector<Value> v = values(xs, &b);
             return b.map(v, combiner(b, function), pack);
           })
      .def("sort", [](Builder &b, H x, Axis axis, bool descending) { return b.sort(operand(x, &b), axis, descending); })
      .def("topk", [](Builder &b, H x, int64_t k, Axis axis,
                      bool descending) { return b.topk(operand(x, &b), k, axis, descending); })
      .def("histogram",
           [](Builder &b, H x, int64_t bins, H mask) { return b.histogram(operand(x, &b), bins, operand(mask, &b)); });
}

} // namespace pavage::python

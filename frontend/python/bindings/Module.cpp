// _pavage_builder: the builder and the compiler for Python. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

namespace {

// Module is move-only and Value is shared; pybind holds both by value.
void bindValue(py::module_ &m) {
  py::class_<Value>(m, "Value")
      .def_property_readonly("kind", [](const Value &v) { return static_cast<int>(v.kind()); })
      .def_property_readonly("dtype", [](const Value &v) { return v.dtype().code; })
      .def_property_readonly("rank", &Value::rank)
      .def_property_readonly("shape",
                             [](const Value &v) {
                               py::tuple t(v.rank());
                               const int64_t *s = pv_value_shape(v.get());
                               for (size_t i = 0; i < t.size(); ++i) {
                                 t[i] = py::int_(s[i]);
                               }
                               return t;
                             })
      .def_property_readonly("numel", &Value::numel)
      .def_property_readonly("type_text", &Value::typeText)
      .def("constant_int", &Value::constantInt)
      .def("constant_float", &Value::constantFloat)
      .def("__repr__", &Value::typeText);
}

void bindBuilderBasics(BuilderClass &cls) {
  cls.def(py::init<>())
      .def("set_location",
           [](Builder &b, const char *file, int line, int column) { b.setLocation(file, line, column); })
      .def("location",
           [](Builder &b) {
             const char *file = nullptr;
             int line = 0, column = 0;
             pv_get_location(b.get(), &file, &line, &column);
             return py::make_tuple(file ? file : "", line, column);
           })
      .def("fail", [](Builder &b, int number, const std::string &text) { b.fail(number, text); })
      .def("encode", [](Builder &b, py::handle object) { return encode(object, &b); })
      .def("value", [](Builder &b, py::handle object) { return operand(object, &b).value(); });
}

std::vector<Param> params(py::sequence list) {
  std::vector<Param> r;
  for (py::handle item : list) {
    auto t = item.cast<py::tuple>();
    r.push_back({t[0].cast<std::string>(), DType(t[1].cast<uint32_t>()), t[2].cast<int64_t>(), t[3].cast<int64_t>()});
  }
  return r;
}

void bindKernel(BuilderClass &cls) {
  cls.def("kernel_begin",
          [](Builder &b, const std::string &name, py::sequence list, const char *file, int line) {
            std::vector<Param> p = params(list);
            return b.kernelBegin(name, std::span<const Param>(p), file, line);
          })
      .def("hint", [](Builder &b, const std::string &name, int64_t value) { b.hint(name, value); })
      .def("hint", [](Builder &b, const std::string &name, const std::string &value) { b.hint(name, value); })
      .def("kernel_end", [](Builder &b) { return std::make_unique<pavage::Module>(b.kernelEnd()); })
      .def("abandon", &Builder::abandon)
      .def("is_eager", &Builder::isEager);

  // The arguments stay alive with the builder object: they hold what pv_arg points to.
  cls.def("eager_begin",
          [](py::object self, const std::string &name, py::sequence list, py::sequence args,
             std::array<int64_t, 3> grid, const char *file, int line, py::object print) {
            auto &b = self.cast<Builder &>();
            std::vector<Param> p = params(list);
            auto keep = std::make_unique<Arguments>(args);
            const int64_t g[3] = {grid[0], grid[1], grid[2]};
            b.eagerBegin(name, p, keep->raw(), g, file, line, print.is_none() ? nullptr : printToPython, print.ptr());
            self.attr("_keep") =
                py::make_tuple(print, py::capsule(keep.release(), [](void *a) { delete static_cast<Arguments *>(a); }));
          })
      .def("eager_program",
           [](Builder &b, std::array<int64_t, 3> id) {
             const int64_t i[3] = {id[0], id[1], id[2]};
             return b.eagerProgram(i);
           })
      .def("eager_end", &Builder::eagerEnd)
      .def("read",
           [](Builder &b, py::handle v) {
             Value value = operand(v, &b).value();
             std::string bytes(pv_value_nbytes(value.get()), '\0');
             if (pv_value_read(b.get(), value.get(), bytes.data(), bytes.size())) {
               detail::raise(b.get());
             }
             return py::bytes(bytes);
           })
      .def(
          "text", [](Builder &b, py::handle v, size_t items) { return b.text(operand(v, &b).value(), items); },
          py::arg("value"), py::arg("max_items") = 0);
}

} // namespace

} // namespace pavage::python

PYBIND11_MODULE(_pavage_builder, m) {
  using namespace pavage;
  using namespace pavage::python;
  m.doc() = "The builder and the compiler of Pavage.";
  if (pv_abi_version() != PV_ABI_VERSION) {
    throw py::import_error("libpavage_core.so has another version than _pavage_builder");
  }
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) {
        std::rethrow_exception(p);
      }
    } catch (const Error &e) {
      setError(e);
    }
  });
  m.def("register", [](py::object wrapper, py::object constexprClass, py::object makeError) {
    classes() = {wrapper.release().ptr(), constexprClass.release().ptr(), makeError.release().ptr()};
  });
  m.def("decode", &decode);
  m.def("dtype_bits", &pv_dtype_bits);
  m.def("dtype_name", &pv_dtype_name);
  m.def("dtype_parse", &pv_dtype_parse);

  bindValue(m);
  BuilderClass builder(m, "Builder", py::dynamic_attr());
  bindBuilderBasics(builder);
  bindKernel(builder);
  bindFlow(builder);
  bindElementwise(builder);
  bindShape(builder);
  bindMemory(builder);
  bindReductions(builder);
  bindModule(m);
  registerInterp();
}

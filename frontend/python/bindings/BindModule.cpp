// Recorded kernels: text, facts, compiling, Interp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

#include <algorithm>
#include <string_view>

namespace pavage::python {

namespace {

void remarkToPython(void *callable, const pv_remark *r) {
  py::gil_scoped_acquire gil;
  try {
    py::handle(static_cast<PyObject *>(callable))(static_cast<int>(r->kind), r->pass ? r->pass : "", r->text,
                                                  r->file ? r->file : "", r->line, r->column);
  } catch (py::error_already_set &e) {
    e.discard_as_unraisable("pavage remark");
  }
}

// (artifact, its sections). Options by name, as in pv_compile_options; the environment gives the defaults.
py::tuple compile(const pavage::Module &m, py::dict options) {
  pv_compile_options o{};
  o.struct_size = sizeof(o);
  pv_compile_options_init(&o);
  std::vector<std::string> keep;
  keep.reserve(8);
  for (auto [k, v] : options) {
    auto key = k.cast<std::string>();
    if (v.is_none()) {
      continue;
    }
    auto text = [&]() { return keep.emplace_back(v.cast<std::string>()).c_str(); };
    if (key == "target") {
      o.target = text();
    } else if (key == "cpu_level") {
      o.cpu_level = text();
    } else if (key == "emit") {
      o.emit = text();
    } else if (key == "stop_after") {
      o.stop_after = text();
    } else if (key == "check") {
      o.check = v.cast<bool>();
    } else if (key == "no_fp_fusion") {
      o.no_fp_fusion = v.cast<bool>();
    } else if (key == "remark") {
      o.remark = remarkToPython;
      o.remark_context = v.ptr();
    }
  }
  pv_artifact *a = nullptr;
  int status;
  {
    py::gil_scoped_release nogil;
    status = pv_compile(m.get(), &o, &a);
  }
  if (status) {
    raiseLast();
  }
  std::unique_ptr<pv_artifact, void (*)(pv_artifact *)> owner(a, pv_artifact_destroy);
  const void *data = nullptr;
  size_t size = 0;
  pv_artifact_bytes(a, &data, &size);
  py::bytes bytes(static_cast<const char *>(data), size);
  py::dict sections;
  for (size_t i = 0; const char *name = pv_artifact_section_name(a, i); ++i) {
    if (pv_artifact_section(a, name, &data, &size)) {
      sections[name] = py::bytes(static_cast<const char *>(data), size);
    }
  }
  return py::make_tuple(bytes, sections);
}

// Runs the grid in Interp; `args` as for Arguments, with the bytes of an element as sixth item of arrays.
void interpret(pavage::Module &m, py::sequence args, std::array<int64_t, 3> grid, py::object print) {
  Arguments a(args);
  std::vector<uint64_t> slots;
  std::vector<pv_launch_array> arrays;
  std::vector<std::vector<int64_t>> strides;
  strides.reserve(a.raw().size());
  for (const pv_arg &arg : a.raw()) {
    if (const pv_array *x = arg.array) {
      auto itemsize = args[slots.size()].cast<py::tuple>()[5].cast<uint32_t>();
      std::vector<int64_t> &bytes = strides.emplace_back(x->strides, x->strides + x->rank);
      for (int64_t &s : bytes) {
        s *= itemsize;
      }
      auto base = reinterpret_cast<uint64_t>(x->data);
      arrays.push_back({base, x->shape, bytes.data(), static_cast<int32_t>(x->rank), itemsize,
                        static_cast<uint32_t>(slots.size()), x->read_only ? 1u : 0u});
      slots.push_back(base);
    } else {
      slots.push_back(arg.bits);
    }
  }
  pv_interpret_args r{};
  r.struct_size = sizeof(r);
  std::copy(grid.begin(), grid.end(), r.grid);
  r.slots = slots.data();
  r.num_slots = slots.size();
  r.arrays = arrays.data();
  r.num_arrays = arrays.size();
  r.print = print.is_none() ? nullptr : printToPython;
  r.print_context = print.ptr();
  int status;
  {
    py::gil_scoped_release nogil;
    status = pv_interpret(m.get(), &r);
  }
  if (status) {
    raiseLast();
  }
}

py::list params(const pavage::Module &m) {
  py::list r;
  for (size_t i = 0, n = pv_module_num_params(m.get()); i < n; ++i) {
    pv_kernel_param p;
    if (pv_module_param(m.get(), i, &p)) {
      r.append(py::make_tuple(p.name, p.dtype, p.divisibility, p.is_read != 0, p.is_written != 0));
    }
  }
  return r;
}

} // namespace

void bindModule(py::module_ &m) {
  py::class_<pavage::Module>(m, "Module")
      .def_property_readonly("kernel", &pavage::Module::kernel)
      .def("text", &pavage::Module::text, py::arg("locations") = false)
      .def("params", &params)
      .def("compile", &compile)
      .def("interpret", &interpret);
  m.def("parse_module", [](const std::string &text, const std::string &file) {
    pv_module *out = nullptr;
    if (pv_module_parse(text.data(), text.size(), file.c_str(), &out)) {
      raiseLast();
    }
    return std::make_unique<pavage::Module>(out);
  });
  m.def("module_from_artifact", [](py::bytes artifact) {
    std::string_view data = artifact;
    pv_module *out = nullptr;
    if (pv_module_from_artifact(data.data(), data.size(), &out)) {
      raiseLast();
    }
    return std::make_unique<pavage::Module>(out);
  });
  m.def("compiler_version", &pv_compiler_version);
  m.def("stage_names", [](const std::string &target) {
    std::vector<std::string> r;
    while (const char *name = pv_stage_name(target.c_str(), r.size())) {
      r.push_back(name);
    }
    return r;
  });
}

} // namespace pavage::python

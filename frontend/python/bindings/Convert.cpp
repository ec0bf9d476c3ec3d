// Python objects to values of the builder and back. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

Classes &classes() {
  static Classes c;
  return c;
}

namespace {

Value integer(PyObject *object, Builder *b) {
  int overflow = 0;
  long long x = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) {
    if (x == -1 && PyErr_Occurred()) {
      throw py::error_already_set();
    }
    return Value::literal(static_cast<int64_t>(x));
  }
  // Beyond 64 bits the builder has the numbered error.
  pv_value *out = nullptr;
  std::string text = py::str(py::handle(object));
  if (int status = pv_literal_integer(b ? b->get() : nullptr, text.c_str(), &out)) {
    (void)status;
    detail::raise(b ? b->get() : nullptr);
  }
  return Value::adopt(out);
}

// A number of any kind, or nothing.
std::optional<Value> number(py::handle object, Builder *b) {
  PyObject *p = object.ptr();
  if (PyBool_Check(p)) {
    return Value::literal(p == Py_True);
  }
  if (PyLong_Check(p)) {
    return integer(p, b);
  }
  if (PyFloat_Check(p)) {
    return Value::literal(PyFloat_AS_DOUBLE(p));
  }
  return std::nullopt;
}

bool isInstance(PyObject *object, PyObject *cls) { return cls && PyObject_IsInstance(object, cls) == 1; }

// NumPy's scalars and rank-0 arrays know __index__ or __float__.
std::optional<Value> foreignNumber(py::handle object, Builder *b) {
  PyObject *p = object.ptr();
  if (PyType_Check(p)) {
    return std::nullopt;
  }
  if (PyIndex_Check(p)) {
    py::object i = py::reinterpret_steal<py::object>(PyNumber_Index(p));
    if (i) {
      return integer(i.ptr(), b);
    }
    PyErr_Clear();
  }
  PyNumberMethods *methods = Py_TYPE(p)->tp_as_number;
  if (methods && methods->nb_float) {
    double x = PyFloat_AsDouble(p);
    if (x != -1.0 || !PyErr_Occurred()) {
      return Value::literal(x);
    }
    PyErr_Clear();
  }
  return std::nullopt;
}

void dropObject(void *, uint64_t id) {
  py::gil_scoped_acquire gil;
  Py_DECREF(reinterpret_cast<PyObject *>(id));
}

} // namespace

Operand operand(py::handle object, Builder *b) {
  if (object.is_none()) {
    return {};
  }
  if (std::optional<Value> v = number(object, b)) {
    return *v;
  }
  if (py::isinstance<Value>(object)) {
    return object.cast<const Value &>();
  }
  Classes &c = classes();
  if (isInstance(object.ptr(), c.wrapper)) {
    return object.attr("handle").cast<const Value &>();
  }
  if (isInstance(object.ptr(), c.constexprClass)) {
    return operand(object.attr("value"), b);
  }
  if (std::optional<Value> v = foreignNumber(object, b)) {
    return *v;
  }
  std::string got = py::str(py::type::of(object).attr("__name__"));
  std::string text = "expected a tile or a number, got " + got;
  if (py::isinstance<py::str>(object)) {
    text += " '" + std::string(py::str(object)) + "'";
  }
  if (b) {
    b->fail(107, text);
  }
  throw Error(107, text);
}

std::vector<Value> values(py::handle sequence, Builder *b) {
  std::vector<Value> r;
  for (py::handle item : sequence) {
    r.push_back(operand(item, b).value());
  }
  return r;
}

Value encode(py::handle object, Builder *b) {
  PyObject *p = object.ptr();
  if (std::optional<Value> v = number(object, b)) {
    return *v;
  }
  if (PyTuple_CheckExact(p)) {
    std::vector<Value> items;
    for (py::handle item : object) {
      items.push_back(encode(item, b));
    }
    return Value::tuple(items);
  }
  if (py::isinstance<Value>(object)) {
    return object.cast<const Value &>();
  }
  if (isInstance(p, classes().wrapper)) {
    return object.attr("handle").cast<const Value &>();
  }
  std::string text = py::repr(object);
  Py_INCREF(p);
  return Value::adopt(pv_opaque(reinterpret_cast<uint64_t>(p), text.c_str(), dropObject, nullptr));
}

py::object decode(const Value &v, py::handle wrap) {
  if (!v) {
    return py::none();
  }
  switch (v.kind()) {
  case PV_KIND_LITERAL_BOOL:
    return py::bool_(v.constantInt().value_or(0) != 0);
  case PV_KIND_LITERAL_INT: {
    int64_t x = v.constantInt().value_or(0);
    if (v.dtype().isUnsigned()) {
      return py::int_(static_cast<uint64_t>(x));
    }
    return py::int_(x);
  }
  case PV_KIND_LITERAL_FLOAT:
    return py::float_(v.constantFloat().value_or(0));
  case PV_KIND_TUPLE: {
    py::tuple t(v.tupleSize());
    for (size_t i = 0; i < t.size(); ++i) {
      t[i] = decode(v.item(i), wrap);
    }
    return t;
  }
  case PV_KIND_OPAQUE:
    return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(pv_opaque_id(v.get())));
  default:
    return py::reinterpret_borrow<py::object>(wrap)(py::cast(v));
  }
}

void setError(const Error &e) {
  if (!classes().makeError) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return;
  }
  py::list notes;
  for (const Error::Note &note : e.notes()) {
    notes.append(py::make_tuple(note.text, note.place.file, note.place.line, note.place.column));
  }
  py::object exception =
      py::handle(classes().makeError)(e.number(), e.text(), e.place().file, e.place().line, e.place().column, notes);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
}

void raiseLast() { detail::raise(nullptr); }

Arguments::Arguments(py::sequence args) {
  for (py::handle item : args) {
    if (PyLong_Check(item.ptr())) {
      args_.push_back({PyLong_AsUnsignedLongLongMask(item.ptr()), nullptr});
      continue;
    }
    auto t = item.cast<py::tuple>();
    auto array = std::make_unique<Array>();
    array->shape = t[1].cast<std::vector<int64_t>>();
    array->strides = t[2].cast<std::vector<int64_t>>();
    array->raw.data = reinterpret_cast<void *>(t[0].cast<uintptr_t>());
    array->raw.rank = array->shape.size();
    array->raw.shape = array->shape.data();
    array->raw.strides = array->strides.data();
    array->raw.num_elements = t[3].cast<int64_t>();
    array->raw.read_only = t[4].cast<bool>();
    args_.push_back({0, &array->raw});
    arrays_.push_back(std::move(array));
  }
}

void printToPython(void *callable, const char *text) {
  py::gil_scoped_acquire gil;
  try {
    py::handle(static_cast<PyObject *>(callable))(text);
  } catch (py::error_already_set &e) {
    e.discard_as_unraisable("pavage device_print");
  }
}

} // namespace pavage::python

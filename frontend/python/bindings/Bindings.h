// Conversions shared by the files of _pavage_builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module gives Python the calls of <pavage/builder.h> and <pavage/compile.h>, and nothing else: what a call means
// is decided behind those headers. A number, bool or wrapped value of the language may stand wherever a Value is
// expected.
#ifndef PAVAGE_FRONTEND_PYTHON_BINDINGS_H
#define PAVAGE_FRONTEND_PYTHON_BINDINGS_H

#include <pavage/builder.h>
#include <pavage/compile.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pavage::python {

namespace py = pybind11;

/// The classes of pavage.language, registered by it: `tensor`-like classes hold a Value in `handle`, a constexpr holds
/// a plain object in `value`.
struct Classes {
  PyObject *wrapper = nullptr;
  PyObject *constexprClass = nullptr;
  PyObject *makeError = nullptr; ///< (number, text, file, line, column, notes) -> exception
};
Classes &classes();

/// None is an absent operand.
Operand operand(py::handle object, Builder *b = nullptr);
std::vector<Value> values(py::handle sequence, Builder *b = nullptr);
inline DType dtype(uint32_t code) { return DType(code); }

/// A Value for any object of the language's Python side: numbers become literals, tuples become tuples, other objects
/// stay themselves as opaque values.
Value encode(py::handle object, Builder *b);
/// The inverse; `wrap` makes the language's object from a Value that is a tile or an aggregate.
py::object decode(const Value &v, py::handle wrap);

/// Sets the Python exception for an Error.
void setError(const Error &e);
/// Throws the last error of a C function without builder.
[[noreturn]] void raiseLast();

/// Array and scalar arguments of an interpreted kernel: a tuple item is an int (the bits) or
/// (address, shape, strides in elements, number of elements, read_only[, bytes per element]).
class Arguments {
public:
  explicit Arguments(py::sequence args);
  const std::vector<pv_arg> &raw() const { return args_; }

private:
  struct Array {
    std::vector<int64_t> shape, strides;
    pv_array raw{};
  };
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<pv_arg> args_;
};

/// Hands print lines to a Python callable, from a thread without the GIL.
void printToPython(void *callable, const char *text);

using BuilderClass = py::class_<Builder, std::unique_ptr<Builder>>;
void bindFlow(BuilderClass &cls);
void bindElementwise(BuilderClass &cls);
void bindShape(BuilderClass &cls);
void bindMemory(BuilderClass &cls);
void bindReductions(BuilderClass &cls);
void bindModule(py::module_ &m);
/// Gives the runtime its device `interp`.
void registerInterp();

} // namespace pavage::python

#endif // PAVAGE_FRONTEND_PYTHON_BINDINGS_H

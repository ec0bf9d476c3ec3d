/* Binds the arguments of a launch to parameters and options; reads grids. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception */
#include "frontend/python/launch/kernel.h"

PyObject *g_options;
uint32_t g_epoch;

static Py_ssize_t find_param(const Kernel *kernel, PyObject *name) {
  for (Py_ssize_t i = 0; i < kernel->param_count; ++i) {
    if (kernel->params[i].name == name) {
      return i;
    }
  }
  for (Py_ssize_t i = 0; i < kernel->param_count; ++i) {
    if (PyUnicode_Compare(kernel->params[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static bool add_option(Bound *bound, PyObject *name, PyObject *number, PyObject *value) {
  long index = PyLong_AsLong(number);
  int at = bound->option_count;
  if (at == MAX_OPTIONS) {
    raise_numbered(306, "expected at most %d launch options, got more", MAX_OPTIONS);
    return false;
  }
  /* In the order of their numbers, so that the order of writing does not count. */
  while (at > 0 && bound->options[at - 1].index > index) {
    bound->options[at] = bound->options[at - 1];
    --at;
  }
  bound->options[at].index = index;
  bound->options[at].name = name;
  bound->options[at].value = value;
  ++bound->option_count;
  return true;
}

/* The errors are made in Python: jit.py knows the signature's text. */
static bool complain(Kernel *kernel, const char *method, PyObject *a, PyObject *b) {
  PyObject *r = b ? PyObject_CallMethod((PyObject *)kernel, method, "OO", a, b)
                  : PyObject_CallMethod((PyObject *)kernel, method, "O", a);
  Py_XDECREF(r);
  if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "the arguments do not fit the kernel");
  }
  return false;
}

bool bind_arguments(Kernel *kernel, Bound *bound, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  Py_ssize_t n = kernel->param_count;
  bound->option_count = 0;
  bound->values = bound->inline_values;
  if (n > INLINE_PARAMS && !(bound->values = PyMem_Calloc((size_t)n, sizeof(PyObject *)))) {
    bound->values = bound->inline_values;
    PyErr_NoMemory();
    return false;
  }
  if (nargs > n) {
    PyObject *count = PyLong_FromSsize_t(nargs);
    bool ok = count && complain(kernel, "_too_many", count, NULL);
    Py_XDECREF(count);
    return ok;
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    bound->values[i] = i < nargs ? args[i] : NULL;
  }
  Py_ssize_t kwcount = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < kwcount; ++k) {
    PyObject *name = PyTuple_GET_ITEM(kwnames, k), *value = args[nargs + k];
    Py_ssize_t i = find_param(kernel, name);
    if (i >= 0) {
      if (bound->values[i]) {
        return complain(kernel, "_duplicate", name, NULL);
      }
      bound->values[i] = value;
      continue;
    }
    PyObject *number = PyDict_GetItemWithError(g_options, name);
    if (!number) {
      return !PyErr_Occurred() && complain(kernel, "_unknown", name, NULL);
    }
    if (!add_option(bound, name, number, value)) {
      return false;
    }
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!bound->values[i] && !(bound->values[i] = kernel->params[i].default_value)) {
      return complain(kernel, "_missing", kernel->params[i].name, NULL);
    }
  }
  return true;
}

void bound_clear(Bound *bound) {
  if (bound->values != bound->inline_values) {
    PyMem_Free(bound->values);
  }
}

PyObject *bound_dict(Kernel *kernel, const Bound *bound) {
  PyObject *dict = PyDict_New();
  for (int i = 0; dict && i < bound->option_count; ++i) {
    if (PyDict_SetItem(dict, bound->options[i].name, bound->options[i].value) < 0) {
      Py_CLEAR(dict);
    }
  }
  for (Py_ssize_t i = 0; dict && i < kernel->param_count; ++i) {
    if (PyDict_SetItem(dict, kernel->params[i].name, bound->values[i]) < 0) {
      Py_CLEAR(dict);
    }
  }
  return dict;
}

static bool read_size(PyObject *item, int64_t *size) {
  PyObject *number = PyNumber_Index(item);
  if (!number) {
    PyErr_Clear();
    raise_numbered(304, "expected integers as grid sizes, got %.80s", Py_TYPE(item)->tp_name);
    return false;
  }
  int overflow;
  long long x = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (overflow || x < 0 || x > 2147483647) {
    if (overflow) {
      raise_numbered(304, "expected a grid size from 0 to 2147483647, got one beyond 64 bits");
    } else {
      raise_numbered(304, "expected a grid size from 0 to 2147483647, got %lld", x);
    }
    return false;
  }
  *size = x;
  return true;
}

bool read_grid(Kernel *kernel, const Bound *bound, PyObject *grid, int64_t sizes[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  PyObject *called = NULL;
  if (PyCallable_Check(grid)) {
    PyObject *dict = bound_dict(kernel, bound);
    called = dict ? PyObject_CallOneArg(grid, dict) : NULL;
    Py_XDECREF(dict);
    if (!called) {
      return false;
    }
    grid = called;
  }
  bool ok = true;
  if (PyTuple_Check(grid) || PyList_Check(grid)) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(grid);
    if (n > 3) {
      raise_numbered(303, "expected at most three grid dimensions, got %zd", n);
      ok = false;
    }
    for (Py_ssize_t i = 0; ok && i < n; ++i) {
      ok = read_size(PySequence_Fast_GET_ITEM(grid, i), &sizes[i]);
    }
  } else {
    ok = read_size(grid, &sizes[0]);
  }
  Py_XDECREF(called);
  return ok;
}

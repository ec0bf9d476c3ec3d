/* What a launch would pass, for whoever runs kernels otherwise: the eager sink, tools. SPDX-License-Identifier:
 * Apache-2.0 WITH LLVM-exception */
#include "frontend/python/launch/kernel.h"

static PyObject *extents(const int64_t *values, int n) {
  PyObject *t = PyTuple_New(n);
  for (int i = 0; t && i < n; ++i) {
    PyObject *x = PyLong_FromLongLong(values[i]);
    if (!x) {
      Py_CLEAR(t);
      break;
    }
    PyTuple_SET_ITEM(t, i, x);
  }
  return t;
}

static PyObject *arrays_list(const Call *call) {
  PyObject *list = PyList_New(call->array_count);
  for (uint32_t i = 0; list && i < call->array_count; ++i) {
    const pvrt_array *a = &call->arrays[i];
    PyObject *shape = extents(a->shape, a->ndim);
    PyObject *strides = a->strides ? extents(a->strides, a->ndim) : Py_NewRef(Py_None);
    PyObject *item = shape && strides ? Py_BuildValue("(IKNNII)", a->slot, (unsigned long long)a->base, shape, strides,
                                                      a->itemsize, a->flags)
                                      : NULL;
    if (!item) {
      Py_CLEAR(list);
      break;
    }
    PyList_SET_ITEM(list, i, item);
  }
  return list;
}

/* _describe(grid or None, args, kwargs) -> (values, options, key, slots, arrays, grid, what to keep); an array is
 * (slot, address, shape, strides in bytes or None, bytes per element, flags). */
PyObject *kernel_describe(PyObject *self, PyObject *args) {
  Kernel *kernel = (Kernel *)self;
  PyObject *grid, *positional, *keywords;
  if (!PyArg_ParseTuple(args, "OO!O!", &grid, &PyTuple_Type, &positional, &PyDict_Type, &keywords) ||
      !ensure_device()) {
    return NULL;
  }
  Py_ssize_t nargs = PyTuple_GET_SIZE(positional), nkw = PyDict_GET_SIZE(keywords), at = 0, k = 0;
  PyObject **flat = PyMem_Calloc((size_t)(nargs + nkw + 1), sizeof(PyObject *));
  PyObject *names = PyTuple_New(nkw), *key, *value, *result = NULL;
  if (!flat || !names) {
    PyMem_Free(flat);
    Py_XDECREF(names);
    return PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    flat[i] = PyTuple_GET_ITEM(positional, i);
  }
  while (PyDict_Next(keywords, &at, &key, &value)) {
    PyTuple_SET_ITEM(names, k, Py_NewRef(key));
    flat[nargs + k++] = value;
  }
  bool saved = g_want_extents;
  g_want_extents = true;
  Bound bound;
  Call call;
  call_init(&call);
  int64_t sizes[3] = {1, 1, 1};
  if (bind_arguments(kernel, &bound, flat, nargs, names) &&
      (grid == Py_None || read_grid(kernel, &bound, grid, sizes)) && build_key(kernel, &bound, &call)) {
    PyObject *values = PyTuple_New(kernel->param_count), *options = PyDict_New(), *slots = PyList_New(call.slot_count);
    for (Py_ssize_t i = 0; values && i < kernel->param_count; ++i) {
      PyTuple_SET_ITEM(values, i, Py_NewRef(bound.values[i]));
    }
    for (int i = 0; options && i < bound.option_count; ++i) {
      if (PyDict_SetItem(options, bound.options[i].name, bound.options[i].value) < 0) {
        Py_CLEAR(options);
      }
    }
    for (uint32_t i = 0; slots && i < call.slot_count; ++i) {
      PyObject *bits = PyLong_FromUnsignedLongLong(call.slots[i]);
      if (!bits) {
        Py_CLEAR(slots);
        break;
      }
      PyList_SET_ITEM(slots, i, bits);
    }
    PyObject *arrays = arrays_list(&call);
    if (values && options && slots && arrays) {
      result = Py_BuildValue("(OOy#OO(LLL)O)", values, options, (const char *)call.key, (Py_ssize_t)call.key_size,
                             slots, arrays, (long long)sizes[0], (long long)sizes[1], (long long)sizes[2],
                             call.keep ? call.keep : Py_None);
    }
    Py_XDECREF(values);
    Py_XDECREF(options);
    Py_XDECREF(slots);
    Py_XDECREF(arrays);
  }
  g_want_extents = saved;
  bound_clear(&bound);
  call_clear(&call);
  PyMem_Free(flat);
  Py_DECREF(names);
  return result;
}

/* _pavage: memory of devices that have their own. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A device is named in every call: memory stays with the device that gave it, whatever device launches go to. */
#include "frontend/python/launch/launch.h"

static bool open_named(const char *name, pvrt_device **device) {
  pvrt_error *error = pvrt_device_open(name, device);
  if (error) {
    raise_runtime(error);
  }
  return error == NULL;
}

/* memory_new(device, bytes) -> address */
static PyObject *memory_new(PyObject *self, PyObject *args) {
  const char *name;
  Py_ssize_t bytes;
  pvrt_device *device;
  void *address = NULL;
  if (!PyArg_ParseTuple(args, "sn", &name, &bytes) || !open_named(name, &device)) {
    return NULL;
  }
  pvrt_error *error;
  Py_BEGIN_ALLOW_THREADS error = pvrt_alloc(device, (size_t)bytes, &address);
  Py_END_ALLOW_THREADS return error ? raise_runtime(error) : PyLong_FromVoidPtr(address);
}

static bool address_of(PyObject *number, void **address) {
  *address = PyLong_AsVoidPtr(number);
  return !PyErr_Occurred();
}

/* memory_free(device, address) */
static PyObject *memory_free(PyObject *self, PyObject *args) {
  const char *name;
  PyObject *number;
  pvrt_device *device;
  void *address;
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyLong_Type, &number) || !address_of(number, &address) ||
      !open_named(name, &device)) {
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS pvrt_free(device, address);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

/* memory_write(device, address, bytes-like) and memory_read(device, address, writable bytes-like) */
static PyObject *copy(PyObject *args, bool to_device) {
  const char *name;
  PyObject *number;
  Py_buffer view;
  pvrt_device *device;
  void *address;
  if (!PyArg_ParseTuple(args, to_device ? "sO!y*" : "sO!w*", &name, &PyLong_Type, &number, &view)) {
    return NULL;
  }
  pvrt_error *error = NULL;
  bool ok = address_of(number, &address) && open_named(name, &device);
  if (ok) {
    Py_BEGIN_ALLOW_THREADS error = to_device ? pvrt_copy_to_device(device, address, view.buf, (size_t)view.len)
                                             : pvrt_copy_to_host(device, view.buf, address, (size_t)view.len);
    Py_END_ALLOW_THREADS
  }
  PyBuffer_Release(&view);
  if (!ok) {
    return NULL;
  }
  if (error) {
    return raise_runtime(error);
  }
  Py_RETURN_NONE;
}

static PyObject *memory_write(PyObject *self, PyObject *args) { return copy(args, true); }
static PyObject *memory_read(PyObject *self, PyObject *args) { return copy(args, false); }

PyMethodDef memory_methods[] = {
    {"memory_new", memory_new, METH_VARARGS, NULL},
    {"memory_free", memory_free, METH_VARARGS, NULL},
    {"memory_write", memory_write, METH_VARARGS, NULL},
    {"memory_read", memory_read, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

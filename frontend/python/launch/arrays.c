/* Array arguments: NumPy, torch and their like, DLPack, buffers. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception
 *
 * NumPy arrays are read through their C structure, whose layout up to `flags` has been the same since NumPy 1.0;
 * nothing is linked or imported for it. Objects with data_ptr() and dtype are asked for these two. What is left goes
 * through pavage._support.array, in Python. */
#include "frontend/python/launch/launch.h"

#include <string.h>

typedef struct NumpyArray {
  PyObject_HEAD;
  char *data;
  int nd;
  Py_ssize_t *dimensions;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descr;
  int flags;
} NumpyArray;
enum { NUMPY_ALIGNED = 0x0100, NUMPY_WRITEABLE = 0x0400 };

static PyTypeObject *numpy_type;
static PyObject *s_memory, *s_data_ptr, *s_dtype, *s_is_cuda, *s_stride, *s_shape, *s_array, *s_modules_numpy,
    *s_ndarray;

/* dtype objects seen, with their numbers; the objects are kept alive. */
#define CACHED 64
static struct {
  PyObject *object;
  int code;
} cache[CACHED];

static int lookup_dtype(PyObject *object) {
  size_t start = ((uintptr_t)object >> 4) % CACHED;
  for (size_t i = start, n = 0; n < CACHED; i = (i + 1) % CACHED, ++n) {
    if (cache[i].object == object) {
      return cache[i].code;
    }
    if (!cache[i].object) {
      break;
    }
  }
  PyObject *number = PyObject_CallMethod(g_support, "dtype_code", "O", object);
  if (!number) {
    return -1;
  }
  int code = (int)PyLong_AsLong(number);
  Py_DECREF(number);
  for (size_t i = start, n = 0; code > 0 && n < CACHED / 2; i = (i + 1) % CACHED, ++n) {
    if (!cache[i].object) {
      cache[i].object = Py_NewRef(object);
      cache[i].code = code;
      break;
    }
  }
  return code;
}

static int bad_dtype(const Call *call, PyObject *dtype) {
  PyObject *text = PyObject_Str(dtype);
  if (text) {
    raise_numbered(307, "expected an array of bools, integers or floats for the parameter '%s', got one of %.60s",
                   call->param, PyUnicode_AsUTF8(text));
    Py_DECREF(text);
  }
  return -1;
}

static int bad_pointer(const Call *call, const char *want) {
  raise_numbered(307, "expected %s for the parameter '%s', got an array", want, call->param);
  return -1;
}

/* Key and slot of a pointer. */
static int add_pointer(Call *call, const Param *param, int code, uint64_t address) {
  if (param->dtype && !param->is_pointer) {
    return bad_pointer(call, "a number, as annotated,");
  }
  if (param->is_pointer && param->dtype && param->dtype != code) {
    raise_numbered(307, "expected an array of the annotated element type for the parameter '%s', got another one",
                   call->param);
    return -1;
  }
  unsigned char flags = param->is_const ? FLAG_CONST : 0;
  if (address % 16 == 0 && !param->no_specialize && !param->no_alignment) {
    flags |= FLAG_DIVISIBLE;
  }
  bool ok = key_byte(call, TAG_POINTER) && key_byte(call, (unsigned char)code) && key_byte(call, flags) &&
            add_slot(call, address);
  return ok ? 1 : -1;
}

static int add_numpy(Call *call, const Param *param, NumpyArray *a) {
  int code = lookup_dtype(a->descr);
  if (code <= 0) {
    return code < 0 ? -1 : bad_dtype(call, a->descr);
  }
  if (!(a->flags & NUMPY_ALIGNED)) {
    raise_numbered(307, "expected an array aligned to its elements for the parameter '%s', got one that is not",
                   call->param);
    return -1;
  }
  pvrt_array *array = add_array(call);
  if (!array) {
    return -1;
  }
  array->base = (uint64_t)(uintptr_t)a->data;
  array->shape = (const int64_t *)a->dimensions;
  array->strides = (const int64_t *)a->strides;
  array->ndim = a->nd;
  array->itemsize = dtype_bytes(code);
  array->flags = a->flags & NUMPY_WRITEABLE ? 0 : PVRT_ARRAY_READONLY;
  return add_pointer(call, param, code, array->base);
}

/* Fills extents from Python sequences; strides in units of `unit` bytes. */
static bool fill_extents(Call *call, pvrt_array *array, PyObject *shape, PyObject *strides, int64_t unit) {
  PyObject *s = PySequence_Fast(shape, "expected a shape");
  PyObject *t = strides == Py_None || !strides ? NULL : PySequence_Fast(strides, "expected strides");
  bool ok = s && (t || strides == Py_None || !strides);
  Py_ssize_t n = ok ? PySequence_Fast_GET_SIZE(s) : 0;
  ok = ok && (!t || PySequence_Fast_GET_SIZE(t) == n) && n < 1 << 20;
  int64_t *values = ok ? add_extents(call, (int)n) : NULL;
  for (Py_ssize_t i = 0; values && i < n; ++i) {
    values[i] = PyLong_AsLongLong(PySequence_Fast_GET_ITEM(s, i));
    values[n + i] = t ? PyLong_AsLongLong(PySequence_Fast_GET_ITEM(t, i)) * unit : 0;
  }
  if (values && PyErr_Occurred()) {
    PyErr_Clear();
    values = NULL; /* freed with the call */
  }
  if (values) {
    array->shape = values;
    array->strides = t ? values + n : NULL;
    array->ndim = (int32_t)n;
  }
  Py_XDECREF(s);
  Py_XDECREF(t);
  if (!values && !PyErr_Occurred()) {
    raise_numbered(307, "expected a shape and strides of as many integers for the parameter '%s', got others",
                   call->param);
  }
  return values && !PyErr_Occurred();
}

/* A tensor of pavage knows whose memory it is in ("sim"): only launches there may get it. */
static bool check_memory(const Call *call, PyObject *value) {
  PyObject *memory = PyObject_GetAttr(value, s_memory);
  const char *name = memory ? PyUnicode_AsUTF8(memory) : NULL, *device = pvrt_device_name(g_device);
  size_t kind = strcspn(device, ":");
  bool fits = name && !g_interpret && strlen(name) == kind && strncmp(name, device, kind) == 0;
  if (name && !fits) {
    raise_numbered(302, "expected an array that %s can read for the parameter '%s', got a tensor in the memory of %s",
                   g_interpret ? "an interpreted kernel" : device, call->param, name);
  }
  Py_XDECREF(memory);
  return fits;
}

/* torch.Tensor and whatever looks like one. */
static int add_data_ptr(Call *call, const Param *param, PyObject *value) {
  PyObject *address = PyObject_CallMethodNoArgs(value, s_data_ptr);
  if (!address) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
      return 0;
    }
    return -1;
  }
  if (!PyLong_Check(address)) {
    raise_numbered(307, "expected data_ptr() of the parameter '%s' to give an address, got %.80s", call->param,
                   Py_TYPE(address)->tp_name);
    Py_DECREF(address);
    return -1;
  }
  uint64_t bits = PyLong_AsUnsignedLongLongMask(address);
  Py_DECREF(address);
  PyObject *dtype = PyErr_Occurred() ? NULL : PyObject_GetAttr(value, s_dtype);
  if (!dtype) {
    return -1;
  }
  int code = lookup_dtype(dtype);
  int result = code > 0 ? 1 : code < 0 ? -1 : bad_dtype(call, dtype);
  Py_DECREF(dtype);
  if (result < 0) {
    return -1;
  }
  PyObject *is_cuda = PyObject_GetAttr(value, s_is_cuda);
  if (!is_cuda) {
    PyErr_Clear();
  } else {
    bool on_gpu = is_cuda == Py_True;
    Py_DECREF(is_cuda);
    if (on_gpu && !g_takes_cuda) {
      raise_numbered(
          302,
          "expected an array in the host's memory for the parameter '%s' of a launch on %s, got one on a CUDA "
          "device",
          call->param, pvrt_device_name(g_device));
      return -1;
    }
  }
  if (g_want_extents || g_device_is_host) {
    PyObject *shape = PyObject_GetAttr(value, s_shape), *strides = NULL;
    if (!shape) {
      PyErr_Clear();
    } else {
      strides = PyObject_CallMethodNoArgs(value, s_stride);
      if (!strides) {
        PyErr_Clear();
      }
      pvrt_array *array = add_array(call);
      bool ok = array && fill_extents(call, array, shape, strides, dtype_bytes(code));
      Py_DECREF(shape);
      Py_XDECREF(strides);
      if (!ok) {
        return -1;
      }
      array->base = bits;
      array->itemsize = dtype_bytes(code);
    }
  }
  return add_pointer(call, param, code, bits);
}

/* pavage._support.array gives (address, code, shape, strides in bytes or None, read_only, what to keep), or None. */
static int add_foreign(Call *call, const Param *param, PyObject *value) {
  PyObject *parts = PyObject_CallMethodObjArgs(g_support, s_array, value, g_takes_cuda ? Py_False : Py_True, NULL);
  if (!parts) {
    return -1;
  }
  if (parts == Py_None) {
    Py_DECREF(parts);
    return 0;
  }
  unsigned long long address;
  int code, read_only;
  PyObject *shape, *strides, *keep;
  int result = -1;
  pvrt_array *array;
  if (PyArg_ParseTuple(parts, "KiOOpO", &address, &code, &shape, &strides, &read_only, &keep) &&
      (array = add_array(call)) && fill_extents(call, array, shape, strides, 1) && call_keep(call, keep)) {
    array->base = address;
    array->itemsize = dtype_bytes(code);
    array->flags = read_only ? PVRT_ARRAY_READONLY : 0;
    result = add_pointer(call, param, code, address);
  }
  Py_DECREF(parts);
  return result;
}

/* What a type's instances are: asked once per type. */
enum { KIND_NONE = 1, KIND_DATA_PTR, KIND_FOREIGN, KIND_TENSOR };
static PyObject *kinds; /* type -> int */

static int kind_of(PyObject *value) {
  PyObject *type = (PyObject *)Py_TYPE(value);
  PyObject *known = PyDict_GetItemWithError(kinds, type);
  if (known) {
    return (int)PyLong_AsLong(known);
  }
  if (PyErr_Occurred()) {
    return -1;
  }
  PyObject *number = PyObject_CallMethod(g_support, "array_kind", "O", type);
  if (!number || PyDict_SetItem(kinds, type, number) < 0) {
    Py_XDECREF(number);
    return -1;
  }
  int kind = (int)PyLong_AsLong(number);
  Py_DECREF(number);
  return kind;
}

int add_array_argument(Call *call, const Param *param, PyObject *value) {
  if (!numpy_type) {
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *numpy = PyDict_GetItemWithError(modules, s_modules_numpy);
    PyObject *type = numpy ? PyObject_GetAttr(numpy, s_ndarray) : NULL;
    if (type && PyType_Check(type)) {
      numpy_type = (PyTypeObject *)type;
    } else {
      Py_XDECREF(type);
      PyErr_Clear();
    }
  }
  if (numpy_type && PyObject_TypeCheck(value, numpy_type)) {
    return add_numpy(call, param, (NumpyArray *)value);
  }
  switch (kind_of(value)) {
  case KIND_TENSOR:
    return check_memory(call, value) ? add_data_ptr(call, param, value) : -1;
  case KIND_DATA_PTR:
    return add_data_ptr(call, param, value);
  case KIND_FOREIGN:
    return add_foreign(call, param, value);
  case KIND_NONE:
    return 0;
  default:
    return -1;
  }
}

bool arrays_init(PyObject *module) {
  (void)module;
  kinds = PyDict_New();
  return kinds && (s_memory = PyUnicode_InternFromString("memory")) &&
         (s_data_ptr = PyUnicode_InternFromString("data_ptr")) && (s_dtype = PyUnicode_InternFromString("dtype")) &&
         (s_is_cuda = PyUnicode_InternFromString("is_cuda")) && (s_stride = PyUnicode_InternFromString("stride")) &&
         (s_shape = PyUnicode_InternFromString("shape")) && (s_array = PyUnicode_InternFromString("array")) &&
         (s_modules_numpy = PyUnicode_InternFromString("numpy")) && (s_ndarray = PyUnicode_InternFromString("ndarray"));
}

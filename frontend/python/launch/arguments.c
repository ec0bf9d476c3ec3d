/* Classifies the arguments of a call. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every argument adds bytes to the key for all that compiled code depends on, and a slot for what it does not. */
#include "frontend/python/launch/launch.h"

#include <math.h>
#include <string.h>

uint32_t dtype_bytes(int code) {
  static const unsigned char bytes[DT_LAST + 1] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8};
  return bytes[code];
}

/* --- Constants ------------------------------------------------------------------------------------------------- */

static bool key_word(Call *call, unsigned char kind, uint64_t bits) {
  unsigned char data[9];
  data[0] = kind;
  memcpy(data + 1, &bits, 8);
  return key_bytes(call, data, 9);
}

static bool key_text(Call *call, unsigned char kind, PyObject *text) {
  Py_ssize_t size;
  const char *s = PyUnicode_AsUTF8AndSize(text, &size);
  if (!s && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
    PyErr_Clear();
    raise_numbered(307, "expected text that is Unicode for the parameter '%s', got a lone surrogate", call->param);
  }
  return s && key_word(call, kind, (uint64_t)size) && key_bytes(call, s, (size_t)size);
}

static bool key_items(Call *call, PyObject *sequence) {
  PyObject *fast = PySequence_Fast(sequence, "expected a sequence");
  if (!fast) {
    return false;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
  bool ok = key_word(call, 't', (uint64_t)n) && key_word(call, 'y', (uint64_t)(uintptr_t)Py_TYPE(sequence));
  for (Py_ssize_t i = 0; ok && i < n; ++i) {
    ok = key_constant(call, PySequence_Fast_GET_ITEM(fast, i));
  }
  Py_DECREF(fast);
  return ok;
}

bool key_constant(Call *call, PyObject *value) {
  if (value == Py_None) {
    return key_byte(call, 'n');
  }
  if (PyBool_Check(value)) {
    return key_byte(call, value == Py_True ? 'y' : 'z');
  }
  if (PyLong_CheckExact(value)) {
    int overflow;
    long long x = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) {
      return key_word(call, 'i', (uint64_t)x);
    }
    PyObject *text = PyObject_Str(value);
    bool ok = text && key_text(call, 'I', text);
    Py_XDECREF(text);
    return ok;
  }
  if (PyFloat_CheckExact(value)) {
    double x = PyFloat_AS_DOUBLE(value);
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return key_word(call, 'f', bits);
  }
  if (PyUnicode_Check(value)) {
    return key_text(call, 's', value);
  }
  if (PyTuple_Check(value) || PyList_Check(value)) {
    return key_items(call, value);
  }
  if (g_constexpr && Py_IS_TYPE(value, (PyTypeObject *)g_constexpr)) {
    PyObject *inner = PyObject_GetAttrString(value, "value");
    bool ok = inner && key_constant(call, inner);
    Py_XDECREF(inner);
    return ok;
  }
  /* A jit function may change its source; then its version does. */
  if (PyObject_TypeCheck(value, &KernelType)) {
    PyObject *version = PyObject_GetAttrString(value, "version");
    bool ok = version && key_word(call, 'k', (uint64_t)(uintptr_t)value) && key_constant(call, version);
    Py_XDECREF(version);
    return ok;
  }
  /* NumPy scalars count as numbers. */
  if (!PyType_Check(value) && PyIndex_Check(value)) {
    PyObject *i = PyNumber_Index(value);
    if (i) {
      bool ok = key_constant(call, i);
      Py_DECREF(i);
      return ok;
    }
    PyErr_Clear();
  }
  /* Objects that cannot change are themselves; others are what they look like. */
  Py_hash_t hash = PyObject_Hash(value);
  if (hash != -1) {
    return key_word(call, 'p', (uint64_t)(uintptr_t)value);
  }
  PyErr_Clear();
  PyObject *text = PyObject_Repr(value);
  bool ok = text && key_text(call, 'r', text);
  Py_XDECREF(text);
  return ok;
}

/* --- Numbers --------------------------------------------------------------------------------------------------- */

static bool out_of_range(const Call *call, PyObject *value, const char *type) {
  PyObject *text = PyObject_Str(value);
  if (text) {
    raise_numbered(309, "expected a value of type %s for the parameter '%s', got %.80s", type, call->param,
                   PyUnicode_AsUTF8(text));
    Py_DECREF(text);
  }
  return false;
}

static bool add_integer(Call *call, const Param *param, PyObject *value) {
  static const char *const names[] = {"",      "int1",  "int8",   "int16",  "int32",
                                      "int64", "uint8", "uint16", "uint32", "uint64"};
  int overflow;
  long long x = PyLong_AsLongLongAndOverflow(value, &overflow);
  unsigned char dtype = param->dtype;
  uint64_t bits = (uint64_t)x;
  if (overflow) {
    bits = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
      PyErr_Clear();
      return out_of_range(call, value, dtype >= DT_INT1 && dtype <= DT_UINT64 ? names[dtype] : "int64 or uint64");
    }
  }
  if (dtype >= DT_FLOAT8E4NV) {
    double d = PyLong_AsDouble(value);
    if (d == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      return out_of_range(call, value, "a float");
    }
    PyObject *f = PyFloat_FromDouble(d);
    bool ok = f && add_argument(call, param, f);
    Py_XDECREF(f);
    return ok;
  }
  if (!dtype) {
    dtype = overflow ? DT_UINT64 : x == (int32_t)x ? DT_INT32 : DT_INT64;
  } else {
    bool fits = true;
    switch (dtype) {
    case DT_INT1:
      fits = !overflow && (x == 0 || x == 1);
      break;
    case DT_INT8:
      fits = !overflow && x == (int8_t)x;
      break;
    case DT_INT16:
      fits = !overflow && x == (int16_t)x;
      break;
    case DT_INT32:
      fits = !overflow && x == (int32_t)x;
      break;
    case DT_INT64:
      fits = !overflow;
      break;
    case DT_UINT8:
      fits = !overflow && x == (uint8_t)x;
      break;
    case DT_UINT16:
      fits = !overflow && x == (uint16_t)x;
      break;
    case DT_UINT32:
      fits = !overflow && x == (uint32_t)x;
      break;
    default:
      fits = overflow || x >= 0;
    }
    if (!fits) {
      return out_of_range(call, value, names[dtype]);
    }
  }
  if (bits == 1 && !param->no_specialize && dtype != DT_INT1) {
    return key_byte(call, TAG_ONE) && key_byte(call, dtype);
  }
  bool divisible = !param->no_specialize && !param->no_alignment && bits % 16 == 0 && dtype != DT_INT1;
  return key_byte(call, TAG_INTEGER) && key_byte(call, dtype) && key_byte(call, divisible ? FLAG_DIVISIBLE : 0) &&
         add_slot(call, bits);
}

/* Bits of a double in a narrower type, rounded to nearest even. */
static uint64_t float_bits(double x, int dtype) {
  if (dtype == DT_FLOAT64) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
  }
  if (dtype == DT_FLOAT32) {
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
  }
  /* fp16: 5 exponent bits, 10 mantissa bits; bf16: 8 and 7. */
  int mantissa = dtype == DT_FLOAT16 ? 10 : 7, exponent = dtype == DT_FLOAT16 ? 5 : 8;
  int bias = (1 << (exponent - 1)) - 1, largest = (1 << exponent) - 1;
  uint64_t sign = signbit(x) ? (uint64_t)1 << (mantissa + exponent) : 0;
  if (isnan(x)) {
    return sign | (uint64_t)largest << mantissa | (uint64_t)1 << (mantissa - 1);
  }
  x = fabs(x);
  int e;
  frexp(x, &e);
  e -= 1;
  if (x == 0.0 || e < 1 - bias) {
    e = 1 - bias;
  }
  /* In units of the last place; rounding up to the next binade carries into the exponent by itself. */
  double scaled = isinf(x) ? INFINITY : nearbyint(ldexp(x, mantissa - e));
  if (isinf(x) || e > bias || (e == bias && scaled >= ldexp(1.0, mantissa + 1))) {
    return sign | (uint64_t)largest << mantissa;
  }
  uint64_t units = (uint64_t)scaled;
  return sign | (units + ((uint64_t)(e + bias - 1) << mantissa));
}

static bool add_float(Call *call, const Param *param, double x, PyObject *value) {
  int dtype = param->dtype ? param->dtype : DT_FLOAT32;
  (void)value;
  if (dtype < DT_FLOAT16) {
    raise_numbered(307, "expected an integer for the parameter '%s', got a float", call->param);
    return false;
  }
  return key_byte(call, TAG_FLOAT) && key_byte(call, (unsigned char)dtype) && add_slot(call, float_bits(x, dtype));
}

/* --- All kinds ------------------------------------------------------------------------------------------------- */

static bool add_tuple(Call *call, const Param *param, PyObject *value) {
  Py_ssize_t n = PyTuple_GET_SIZE(value);
  uint64_t cls = PyTuple_CheckExact(value) ? 0 : (uint64_t)(uintptr_t)Py_TYPE(value);
  if (n > 0xffff) {
    raise_numbered(307, "expected a tuple of at most 65535 items for the parameter '%s', got %zd", call->param, n);
    return false;
  }
  if (!key_byte(call, TAG_TUPLE) || !key_byte(call, (unsigned char)(n & 255)) ||
      !key_byte(call, (unsigned char)(n >> 8)) || !key_bytes(call, &cls, 8)) {
    return false;
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (Py_EnterRecursiveCall(" in a kernel argument")) {
      return false;
    }
    bool ok = add_argument(call, param, PyTuple_GET_ITEM(value, i));
    Py_LeaveRecursiveCall();
    if (!ok) {
      return false;
    }
  }
  return true;
}

static bool is_numpy_scalar(PyObject *value, const char *prefix) {
  const char *name = Py_TYPE(value)->tp_name;
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Descriptors, dtypes, functions, foreign numbers, and what cannot be passed. */
static bool add_other(Call *call, const Param *param, PyObject *value) {
  if (g_constexpr && Py_IS_TYPE(value, (PyTypeObject *)g_constexpr)) {
    return key_byte(call, TAG_CONSTANT) && key_constant(call, value);
  }
  if (PyObject_TypeCheck(value, &KernelType)) {
    return key_byte(call, TAG_CONSTANT) && key_constant(call, value);
  }
  PyObject *flatten = PyObject_GetAttrString(value, "__pavage_flatten__");
  if (flatten) {
    PyObject *items = PyType_Check(value) ? NULL : PyObject_CallNoArgs(flatten);
    Py_DECREF(flatten);
    if (items) {
      uint64_t cls = (uint64_t)(uintptr_t)Py_TYPE(value);
      bool ok = PyTuple_Check(items) && key_byte(call, TAG_OBJECT) && key_bytes(call, &cls, 8) &&
                call_keep(call, items) && add_tuple(call, param, items);
      Py_DECREF(items);
      return ok;
    }
    if (PyErr_Occurred()) {
      return false;
    }
  }
  PyErr_Clear();
  /* A dtype and the like: constants by themselves. */
  PyObject *constant = PyObject_CallMethod(g_support, "is_constant_argument", "O", value);
  int is_constant = constant ? PyObject_IsTrue(constant) : -1;
  Py_XDECREF(constant);
  if (is_constant < 0) {
    return false;
  }
  if (is_constant) {
    return key_byte(call, TAG_CONSTANT) && key_constant(call, value);
  }
  if (is_numpy_scalar(value, "numpy.bool")) {
    int x = PyObject_IsTrue(value);
    return x >= 0 && add_argument(call, param, x ? Py_True : Py_False);
  }
  if (!PyType_Check(value) && PyIndex_Check(value)) {
    PyObject *i = PyNumber_Index(value);
    if (i) {
      bool ok = add_integer(call, param, i);
      Py_DECREF(i);
      return ok;
    }
    PyErr_Clear();
  }
  PyNumberMethods *methods = Py_TYPE(value)->tp_as_number;
  if (methods && methods->nb_float && !strstr(Py_TYPE(value)->tp_name, "complex")) {
    double x = PyFloat_AsDouble(value);
    if (x != -1.0 || !PyErr_Occurred()) {
      return add_float(call, param, x, value);
    }
    PyErr_Clear();
  }
  raise_numbered(307,
                 "expected an array, number, bool, None or tuple for the parameter '%s', got %.100s: other objects can "
                 "only be given to tl.constexpr parameters",
                 call->param, Py_TYPE(value)->tp_name);
  return false;
}

bool add_argument(Call *call, const Param *param, PyObject *value) {
  if (param->is_constexpr) {
    return key_byte(call, TAG_CONSTANT) && key_constant(call, value);
  }
  if (PyLong_CheckExact(value)) {
    return add_integer(call, param, value);
  }
  if (PyFloat_CheckExact(value)) {
    return add_float(call, param, PyFloat_AS_DOUBLE(value), value);
  }
  if (value == Py_None) {
    return key_byte(call, TAG_CONSTANT) && key_byte(call, 'n');
  }
  if (PyBool_Check(value)) {
    if (param->dtype && param->dtype != DT_INT1) {
      PyObject *number = PyLong_FromLong(value == Py_True);
      bool ok = number && add_integer(call, param, number);
      Py_XDECREF(number);
      return ok;
    }
    return key_byte(call, TAG_BOOL) && add_slot(call, value == Py_True);
  }
  int is_array = add_array_argument(call, param, value);
  if (is_array) {
    return is_array > 0;
  }
  if (PyTuple_Check(value)) {
    return add_tuple(call, param, value);
  }
  if (PyLong_Check(value)) {
    return add_integer(call, param, value);
  }
  if (PyFloat_Check(value)) {
    return add_float(call, param, PyFloat_AS_DOUBLE(value), value);
  }
  return add_other(call, param, value);
}

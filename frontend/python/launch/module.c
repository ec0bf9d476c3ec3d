/* _pavage: devices, errors, stored variants, cache and tuner. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "frontend/python/launch/kernel.h"

#include <stdarg.h>
#include <string.h>

PyObject *g_support, *g_constexpr;
pvrt_device *g_device;
bool g_device_is_host = true, g_takes_cuda, g_want_extents, g_interpret;
static bool want_check;

/* --- Errors ---------------------------------------------------------------------------------------------------- */

static PyObject *raise_parts(unsigned number, const char *text, const char *file, unsigned line, unsigned column,
                             const char *rendered) {
  PyObject *e =
      PyObject_CallMethod(g_support, "make_error", "IssIIz", number, text, file ? file : "", line, column, rendered);
  if (e) {
    PyErr_SetObject((PyObject *)Py_TYPE(e), e);
    Py_DECREF(e);
  }
  return NULL;
}

PyObject *raise_numbered(int number, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return raise_parts((unsigned)number, text, NULL, 0, 0, NULL);
}

PyObject *raise_runtime(pvrt_error *error) {
  raise_parts(error->number, error->text, error->file, error->line, error->column, error->rendered);
  pvrt_error_free(error);
  return NULL;
}

static PyObject *status(pvrt_error *error) {
  if (error) {
    return raise_runtime(error);
  }
  Py_RETURN_NONE;
}

/* --- Devices --------------------------------------------------------------------------------------------------- */

/* Interp and others that live in the compiler's library register themselves when it is loaded. */
static bool select_device(const char *name) {
  pvrt_device *device = NULL;
  pvrt_error *error = pvrt_device_open(name, &device);
  if (error) {
    raise_runtime(error);
    return false;
  }
  if (!pvrt_device_ready(device)) {
    PyObject *r = PyObject_CallMethod(g_support, "load_hosted", "s", pvrt_device_name(device));
    Py_XDECREF(r);
    if (!r) {
      return false;
    }
  }
  g_device = device;
  g_device_is_host = pvrt_device_is_host(device);
  g_takes_cuda = strncmp(pvrt_device_name(device), "cuda", 4) == 0;
  g_want_extents = want_check || strcmp(pvrt_device_name(device), "cpu") != 0;
  return true;
}

bool ensure_device(void) { return g_device || select_device(NULL); }

static PyObject *set_device(PyObject *self, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "z", &name) || !select_device(name)) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *device_info(PyObject *self, PyObject *unused) {
  if (!ensure_device()) {
    return NULL;
  }
  return Py_BuildValue("(ssO)", pvrt_device_name(g_device), pvrt_device_target(g_device),
                       g_device_is_host ? Py_True : Py_False);
}

static PyObject *device_names(PyObject *self, PyObject *unused) {
  PyObject *list = PyList_New(0);
  const char *name;
  for (size_t i = 0; list && (name = pvrt_device_list(i)); ++i) {
    PyObject *s = PyUnicode_FromString(name);
    if (!s || PyList_Append(list, s) < 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(s);
  }
  return list;
}

static PyObject *synchronize(PyObject *self, PyObject *unused) {
  if (!ensure_device()) {
    return NULL;
  }
  pvrt_error *error;
  Py_BEGIN_ALLOW_THREADS error = pvrt_synchronize(g_device);
  Py_END_ALLOW_THREADS return status(error);
}

static PyObject *cpu_info(PyObject *self, PyObject *unused) {
  const char *level = NULL;
  pvrt_error *error = pvrt_cpu_level(&level);
  return error ? raise_runtime(error) : Py_BuildValue("(sss)", pvrt_cpu_name(), level, pvrt_cpu_fingerprint());
}

static PyObject *num_threads(PyObject *self, PyObject *args) {
  PyObject *count = Py_None;
  if (!PyArg_ParseTuple(args, "|O", &count)) {
    return NULL;
  }
  if (count != Py_None) {
    unsigned long n = PyLong_AsUnsignedLong(count);
    if (PyErr_Occurred()) {
      return NULL;
    }
    pvrt_error *error = pvrt_set_num_threads((uint32_t)n);
    if (error) {
      return raise_runtime(error);
    }
  }
  return PyLong_FromUnsignedLong(pvrt_num_threads());
}

/* configure(constexpr class, option names, check) */
static PyObject *configure(PyObject *self, PyObject *args) {
  PyObject *constexpr_class, *options;
  int check;
  if (!PyArg_ParseTuple(args, "OO!p", &constexpr_class, &PyDict_Type, &options, &check)) {
    return NULL;
  }
  Py_XSETREF(g_constexpr, constexpr_class == Py_None ? NULL : Py_NewRef(constexpr_class));
  Py_XSETREF(g_options, Py_NewRef(options));
  want_check = check;
  g_want_extents = check || (g_device && strcmp(pvrt_device_name(g_device), "cpu") != 0);
  Py_RETURN_NONE;
}

/* interpret([on]) -> whether it was on. */
static PyObject *interpret(PyObject *self, PyObject *args) {
  int on = -1;
  if (!PyArg_ParseTuple(args, "|p", &on)) {
    return NULL;
  }
  bool before = g_interpret;
  if (on >= 0) {
    g_interpret = on;
  }
  return PyBool_FromLong(before);
}

static PyObject *reload_environment(PyObject *self, PyObject *args) {
  int check;
  if (!PyArg_ParseTuple(args, "p", &check)) {
    return NULL;
  }
  pvrt_reload_environment();
  want_check = check;
  g_device = NULL;
  ++g_epoch;
  Py_RETURN_NONE;
}

/* --- Variants -------------------------------------------------------------------------------------------------- */

static pvrt_variant *variant_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, "pavage.variant"); }

static PyObject *variant_section(PyObject *self, PyObject *args) {
  PyObject *capsule;
  const char *name;
  const void *data;
  size_t size;
  if (!PyArg_ParseTuple(args, "Os", &capsule, &name)) {
    return NULL;
  }
  pvrt_variant *v = variant_of(capsule);
  if (!v) {
    return NULL;
  }
  if (!pvrt_variant_section(v, name, &data, &size)) {
    Py_RETURN_NONE;
  }
  return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

static PyObject *variant_sections(PyObject *self, PyObject *capsule) {
  pvrt_variant *v = variant_of(capsule);
  PyObject *list = v ? PyList_New(0) : NULL;
  const char *name;
  for (size_t i = 0; list && (name = pvrt_variant_section_name(v, i)); ++i) {
    PyObject *s = PyUnicode_FromString(name);
    if (!s || PyList_Append(list, s) < 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(s);
  }
  return list;
}

static PyObject *variant_info(PyObject *self, PyObject *capsule) {
  pvrt_variant *v = variant_of(capsule);
  if (!v) {
    return NULL;
  }
  const void *data;
  size_t size;
  pvrt_variant_artifact(v, &data, &size);
  PyObject *params = PyList_New(0);
  const pvrt_param *p;
  for (size_t i = 0; params && (p = pvrt_variant_param(v, i)); ++i) {
    PyObject *t = Py_BuildValue("(ssKI)", p->name, p->dtype, (unsigned long long)p->divisibility, p->flags);
    if (!t || PyList_Append(params, t) < 0) {
      Py_CLEAR(params);
    }
    Py_XDECREF(t);
  }
  return params ? Py_BuildValue("(idNy#)", (int)pvrt_variant_origin(v), pvrt_variant_milliseconds(v), params,
                                (const char *)data, (Py_ssize_t)size)
                : NULL;
}

/* A number that is this variant's alone. */
static PyObject *variant_id(PyObject *self, PyObject *capsule) {
  pvrt_variant *v = variant_of(capsule);
  return v ? PyLong_FromVoidPtr(v) : NULL;
}

static PyObject *variant_fact(PyObject *self, PyObject *args) {
  PyObject *capsule;
  const char *name;
  long long fallback;
  if (!PyArg_ParseTuple(args, "OsL", &capsule, &name, &fallback)) {
    return NULL;
  }
  pvrt_variant *v = variant_of(capsule);
  return v ? PyLong_FromLongLong(pvrt_variant_fact(v, name, fallback)) : NULL;
}

/* --- Output, catalogue ----------------------------------------------------------------------------------------- */

static PyObject *print_handler;

static void print_to_python(void *context, const char *text, size_t size) {
  (void)context;
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject *s = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
  PyObject *r = s && print_handler ? PyObject_CallOneArg(print_handler, s) : NULL;
  if (!r) {
    PyErr_WriteUnraisable(print_handler);
  }
  Py_XDECREF(r);
  Py_XDECREF(s);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(gil);
}

static PyObject *set_print_handler(PyObject *self, PyObject *handler) {
  Py_XSETREF(print_handler, handler == Py_None ? NULL : Py_NewRef(handler));
  pvrt_set_print_handler(print_handler ? print_to_python : NULL, NULL);
  Py_RETURN_NONE;
}

static PyObject *explain(PyObject *self, PyObject *args) {
  const char *number;
  pvrt_catalogue_entry e;
  if (!PyArg_ParseTuple(args, "s", &number)) {
    return NULL;
  }
  if (!pvrt_catalogue_find(number, &e)) {
    Py_RETURN_NONE;
  }
  return Py_BuildValue("(Isss)", e.number, e.name, e.summary, e.explanation);
}

static PyMethodDef methods[] = {
    {"configure", configure, METH_VARARGS, NULL},
    {"interpret", interpret, METH_VARARGS, NULL},
    {"reload_environment", reload_environment, METH_VARARGS, NULL},
    {"set_device", set_device, METH_VARARGS, NULL},
    {"device_info", device_info, METH_NOARGS, NULL},
    {"device_names", device_names, METH_NOARGS, NULL},
    {"synchronize", synchronize, METH_NOARGS, NULL},
    {"cpu_info", cpu_info, METH_NOARGS, NULL},
    {"num_threads", num_threads, METH_VARARGS, NULL},
    {"variant_section", variant_section, METH_VARARGS, NULL},
    {"variant_sections", variant_sections, METH_O, NULL},
    {"variant_info", variant_info, METH_O, NULL},
    {"variant_id", variant_id, METH_O, NULL},
    {"variant_fact", variant_fact, METH_VARARGS, NULL},
    {"set_print_handler", set_print_handler, METH_O, NULL},
    {"explain", explain, METH_VARARGS, NULL},
    {"tune", tune, METH_VARARGS, NULL},
    {"try_out", try_out, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_pavage", "The launch path of Pavage.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__pavage(void) {
  if (pvrt_version() != PVRT_VERSION) {
    PyErr_SetString(PyExc_ImportError, "libpavage.so has another version than _pavage");
    return NULL;
  }
  PyObject *m = PyModule_Create(&definition);
  if (!m) {
    return NULL;
  }
  g_support = PyImport_ImportModule("pavage._support");
  g_options = PyDict_New();
  if (!g_support || !g_options || !arrays_init(m) || !kernel_types_init(m) ||
      PyModule_AddFunctions(m, memory_methods) < 0 || PyModule_AddFunctions(m, sim_methods) < 0) {
    Py_DECREF(m);
    return NULL;
  }
  return m;
}

/* The types Kernel, base of jit functions, and Launcher, what kernel[grid] gives. SPDX-License-Identifier: Apache-2.0
 * WITH LLVM-exception */
#include "frontend/python/launch/kernel.h"

#include <stddef.h>

static void free_params(Kernel *k) {
  for (Py_ssize_t i = 0; i < k->param_count; ++i) {
    Py_CLEAR(k->params[i].name);
    Py_CLEAR(k->params[i].default_value);
  }
  PyMem_Free(k->params);
  k->params = NULL;
  k->param_count = 0;
}

static void free_watches(Kernel *k) {
  Watch *w = k->watches;
  Py_ssize_t n = k->watch_count;
  k->watches = NULL;
  k->watch_count = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    Py_XDECREF(w[i].owner);
    Py_XDECREF(w[i].name);
    Py_XDECREF(w[i].value);
  }
  PyMem_Free(w);
}

static PyObject *call_directly(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  PyObject *positional = PyTuple_New(nargs), *keywords = PyDict_New(), *r = NULL;
  for (Py_ssize_t i = 0; positional && i < nargs; ++i) {
    PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
  }
  Py_ssize_t n = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; keywords && k < n; ++k) {
    if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, k), args[nargs + k]) < 0) {
      Py_CLEAR(keywords);
    }
  }
  if (positional && keywords) {
    r = PyObject_CallMethod(self, "_call", "OO", positional, keywords);
  }
  Py_XDECREF(positional);
  Py_XDECREF(keywords);
  return r;
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  Kernel *k = (Kernel *)type->tp_alloc(type, 0);
  if (k) {
    k->vectorcall = call_directly;
    k->compiled = PyDict_New();
    if (!k->compiled) {
      Py_CLEAR(k);
    }
  }
  return (PyObject *)k;
}

/* Kernel(name, file, line, params); a parameter is (name, default or (), dtype number, flags as in jit.py). */
static int kernel_init(PyObject *self, PyObject *args, PyObject *kwargs) {
  Kernel *k = (Kernel *)self;
  const char *name, *file;
  unsigned line;
  PyObject *params;
  if (!PyArg_ParseTuple(args, "ssIO!", &name, &file, &line, &PyList_Type, &params)) {
    return -1;
  }
  Py_ssize_t n = PyList_GET_SIZE(params);
  free_params(k);
  k->params = PyMem_Calloc((size_t)(n ? n : 1), sizeof(Param));
  if (!k->params) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    Param *p = &k->params[i];
    PyObject *param_name, *default_value;
    int dtype, flags;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(params, i), "UOii", &param_name, &default_value, &dtype, &flags)) {
      return -1;
    }
    p->name = Py_NewRef(param_name);
    PyUnicode_InternInPlace(&p->name);
    k->param_count = i + 1;
    /* A one-element tuple holds the default. */
    if (PyTuple_Check(default_value) && PyTuple_GET_SIZE(default_value) == 1) {
      p->default_value = Py_NewRef(PyTuple_GET_ITEM(default_value, 0));
    }
    p->dtype = (unsigned char)dtype;
    p->is_constexpr = flags & 1;
    p->is_pointer = flags & 2;
    p->is_const = flags & 4;
    p->no_specialize = flags & 8;
    p->no_alignment = flags & 16;
  }
  if (!k->runtime && !(k->runtime = pvrt_kernel_new(name, file, line))) {
    PyErr_NoMemory();
    return -1;
  }
  return 0;
}

static int kernel_traverse(PyObject *self, visitproc visit, void *arg) {
  Kernel *k = (Kernel *)self;
  for (Py_ssize_t i = 0; i < k->param_count; ++i) {
    Py_VISIT(k->params[i].default_value);
  }
  for (Py_ssize_t i = 0; i < k->watch_count; ++i) {
    Py_VISIT(k->watches[i].owner);
    Py_VISIT(k->watches[i].value);
  }
  Py_VISIT(k->compiled);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static int kernel_clear(PyObject *self) {
  Kernel *k = (Kernel *)self;
  free_watches(k);
  k->last_variant = NULL;
  k->last_compiled = NULL;
  if (k->compiled) {
    PyDict_Clear(k->compiled);
  }
  return 0;
}

static void kernel_dealloc(PyObject *self) {
  Kernel *k = (Kernel *)self;
  PyObject_GC_UnTrack(self);
  kernel_clear(self);
  free_params(k);
  Py_CLEAR(k->compiled);
  if (k->runtime) {
    pvrt_kernel_free(k->runtime);
  }
  Py_TYPE(self)->tp_free(self);
}

static PyObject *make_launcher(Kernel *kernel, PyObject *grid) {
  Launcher *l = PyObject_GC_New(Launcher, &LauncherType);
  if (l) {
    l->vectorcall = launcher_call;
    l->kernel = (Kernel *)Py_NewRef(kernel);
    l->grid = Py_XNewRef(grid);
    PyObject_GC_Track(l);
  }
  return (PyObject *)l;
}

static PyObject *kernel_subscript(PyObject *self, PyObject *grid) { return make_launcher((Kernel *)self, grid); }

static PyObject *kernel_compiler(PyObject *self, PyObject *unused) { return make_launcher((Kernel *)self, NULL); }

static PyObject *kernel_set_watches(PyObject *self, PyObject *list) {
  Kernel *k = (Kernel *)self;
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "expected a list");
    return NULL;
  }
  free_watches(k);
  Py_ssize_t n = PyList_GET_SIZE(list);
  k->watches = PyMem_Calloc((size_t)(n ? n : 1), sizeof(Watch));
  if (!k->watches) {
    return PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject *owner, *name, *value;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "OOO", &owner, &name, &value)) {
      return NULL;
    }
    Watch *w = &k->watches[i];
    w->owner = Py_NewRef(owner);
    w->name = name == Py_None ? NULL : Py_NewRef(name);
    w->value = Py_NewRef(value);
    k->watch_count = i + 1;
  }
  Py_RETURN_NONE;
}

/* Keeps the error of a compile callback for the thread that called it. */
typedef struct Compile {
  PyObject *function;
  PyObject *type, *value, *traceback;
} Compile;

static void release_bytes(void *owner) {
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF((PyObject *)owner);
  PyGILState_Release(gil);
}

static pvrt_error *compile_callback(void *context, pvrt_bytes *artifact) {
  Compile *c = context;
  pvrt_error *error = NULL;
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *bytes = PyObject_CallNoArgs(c->function);
  char *data;
  Py_ssize_t size;
  if (bytes && PyBytes_AsStringAndSize(bytes, &data, &size) == 0) {
    artifact->data = data;
    artifact->size = (size_t)size;
    artifact->release = release_bytes;
    artifact->owner = bytes;
  } else {
    Py_XDECREF(bytes);
    PyErr_Fetch(&c->type, &c->value, &c->traceback);
    PyErr_NormalizeException(&c->type, &c->value, &c->traceback);
    /* Other threads that wait for the same kernel get this form of it. */
    unsigned number = 317, line = 0, column = 0;
    PyObject *parts = PyObject_CallMethod(g_support, "error_parts", "O", c->value);
    const char *text = "the compiler raised an exception", *file = NULL;
    if (!parts || !PyArg_ParseTuple(parts, "IszII", &number, &text, &file, &line, &column)) {
      PyErr_Clear();
    }
    error = pvrt_error_new(number, text, file, line, column, NULL);
    Py_XDECREF(parts);
  }
  PyGILState_Release(gil);
  return error;
}

/* get(fingerprint, key, parts, compile, flags) -> capsule of the variant. */
static PyObject *kernel_get(PyObject *self, PyObject *args) {
  Kernel *k = (Kernel *)self;
  unsigned long long fingerprint;
  const char *key;
  Py_ssize_t key_size;
  PyObject *parts;
  Compile compile = {NULL, NULL, NULL, NULL};
  unsigned flags;
  if (!PyArg_ParseTuple(args, "Ky#O!OI", &fingerprint, &key, &key_size, &PyList_Type, &parts, &compile.function,
                        &flags) ||
      !ensure_device()) {
    return NULL;
  }
  Py_ssize_t n = PyList_GET_SIZE(parts);
  pvrt_part *raw = PyMem_Calloc((size_t)(n ? n : 1), sizeof(pvrt_part));
  if (!raw) {
    return PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!PyArg_ParseTuple(PyList_GET_ITEM(parts, i), "ss", &raw[i].name, &raw[i].value)) {
      PyMem_Free(raw);
      return NULL;
    }
  }
  pvrt_request request = {sizeof(pvrt_request), flags, raw, (size_t)n, compile_callback, &compile};
  pvrt_variant *variant = NULL;
  pvrt_error *error;
  Py_BEGIN_ALLOW_THREADS error =
      pvrt_kernel_get(k->runtime, g_device, fingerprint, key, (size_t)key_size, &request, &variant);
  Py_END_ALLOW_THREADS PyMem_Free(raw);
  if (compile.type) {
    if (error) {
      pvrt_error_free(error);
      PyErr_Restore(compile.type, compile.value, compile.traceback);
      return NULL;
    }
    Py_XDECREF(compile.type);
    Py_XDECREF(compile.value);
    Py_XDECREF(compile.traceback);
  }
  return error ? raise_runtime(error) : PyCapsule_New(variant, "pavage.variant", NULL);
}

static PyObject *get_version(PyObject *self, void *unused) {
  return PyLong_FromUnsignedLong(((Kernel *)self)->version);
}

static int set_version(PyObject *self, PyObject *value, void *unused) {
  unsigned long x = value ? PyLong_AsUnsignedLong(value) : 0;
  if (PyErr_Occurred()) {
    return -1;
  }
  ((Kernel *)self)->version = (uint32_t)x;
  return 0;
}

static PyObject *get_slow(PyObject *self, void *unused) { return PyBool_FromLong(((Kernel *)self)->slow); }

static int set_slow(PyObject *self, PyObject *value, void *unused) {
  int x = value ? PyObject_IsTrue(value) : 0;
  if (x < 0) {
    return -1;
  }
  ((Kernel *)self)->slow = x;
  return 0;
}

static PyMethodDef kernel_methods[] = {
    {"_set_watches", kernel_set_watches, METH_O, "Values that must stay the same between launches."},
    {"_get", kernel_get, METH_VARARGS, "Finds, reads or compiles a variant."},
    {"_describe", kernel_describe, METH_VARARGS, "What a launch would pass."},
    {"_compiler", kernel_compiler, METH_NOARGS, "A launcher that compiles and does not launch."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef kernel_getset[] = {
    {"version", get_version, set_version, "Grows when the source changes.", NULL},
    {"_slow", get_slow, set_slow, "Launches go through _slow_launch.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMappingMethods kernel_mapping = {.mp_subscript = kernel_subscript};

PyTypeObject KernelType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pavage._pavage.Kernel",
    .tp_basicsize = sizeof(Kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "What can be launched.",
    .tp_new = kernel_new,
    .tp_init = kernel_init,
    .tp_dealloc = kernel_dealloc,
    .tp_traverse = kernel_traverse,
    .tp_clear = kernel_clear,
    .tp_as_mapping = &kernel_mapping,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Kernel, vectorcall),
    .tp_methods = kernel_methods,
    .tp_getset = kernel_getset,
};

static int launcher_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(((Launcher *)self)->kernel);
  Py_VISIT(((Launcher *)self)->grid);
  return 0;
}

static void launcher_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  Py_XDECREF(((Launcher *)self)->kernel);
  Py_XDECREF(((Launcher *)self)->grid);
  PyObject_GC_Del(self);
}

PyTypeObject LauncherType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pavage._pavage.Launcher",
    .tp_basicsize = sizeof(Launcher),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "A kernel with its grid.",
    .tp_dealloc = launcher_dealloc,
    .tp_traverse = launcher_traverse,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Launcher, vectorcall),
};

bool kernel_types_init(PyObject *module) {
  return PyType_Ready(&KernelType) == 0 && PyType_Ready(&LauncherType) == 0 &&
         PyModule_AddObjectRef(module, "Kernel", (PyObject *)&KernelType) == 0;
}

/* One launch. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "frontend/python/launch/kernel.h"

#include <string.h>

/* Folds eight bytes at a time; the key decides, the hash only finds it. */
static uint64_t hash_key(const unsigned char *data, size_t size) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ size;
  while (size >= 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    unsigned __int128 product = (unsigned __int128)(h ^ word) * 0xd6e8feb86659fd93u;
    h = (uint64_t)product ^ (uint64_t)(product >> 64);
    data += 8;
    size -= 8;
  }
  uint64_t word = 0;
  memcpy(&word, data, size);
  unsigned __int128 product = (unsigned __int128)(h ^ word) * 0xa0761d6478bd642fu;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Has a watched value been replaced? */
static int watches_changed(const Kernel *kernel) {
  for (Py_ssize_t i = 0; i < kernel->watch_count; ++i) {
    const Watch *w = &kernel->watches[i];
    PyObject *now = w->name ? PyDict_GetItemWithError(w->owner, w->name) : PyCell_GET(w->owner);
    if (now != w->value) {
      return PyErr_Occurred() ? -1 : 1;
    }
  }
  return 0;
}

bool build_key(Kernel *kernel, const Bound *bound, Call *call) {
  int changed = kernel->watch_count ? watches_changed(kernel) : 0;
  if (changed) {
    PyObject *r = changed > 0 ? PyObject_CallMethod((PyObject *)kernel, "_globals_changed", NULL) : NULL;
    Py_XDECREF(r);
    if (!r) {
      return false;
    }
  }
  bool ok = key_bytes(call, &g_epoch, 4) && key_bytes(call, &kernel->version, 4);
  call->param = "a launch option";
  for (int i = 0; ok && i < bound->option_count; ++i) {
    ok = key_byte(call, TAG_OPTION) && key_byte(call, (unsigned char)bound->options[i].index) &&
         key_constant(call, bound->options[i].value);
  }
  ok = ok && key_byte(call, 0);
  for (Py_ssize_t i = 0; ok && i < kernel->param_count; ++i) {
    const Param *p = &kernel->params[i];
    call->param = PyUnicode_AsUTF8(p->name);
    ok = add_argument(call, p, bound->values[i]);
  }
  return ok && key_memory(call);
}

/* Traces, compiles or reads from disk; in Python, which ends in kernel_get. */
static pvrt_variant *miss(Kernel *kernel, const Bound *bound, const Call *call, uint64_t fingerprint, bool expected) {
  PyObject *values = PyTuple_New(kernel->param_count), *options = PyDict_New();
  for (Py_ssize_t i = 0; values && i < kernel->param_count; ++i) {
    PyTuple_SET_ITEM(values, i, Py_NewRef(bound->values[i]));
  }
  for (int i = 0; options && i < bound->option_count; ++i) {
    if (PyDict_SetItem(options, bound->options[i].name, bound->options[i].value) < 0) {
      Py_CLEAR(options);
    }
  }
  pvrt_variant *variant = NULL;
  PyObject *r = values && options ? PyObject_CallMethod((PyObject *)kernel, "_miss", "OOy#KO", values, options,
                                                        (const char *)call->key, (Py_ssize_t)call->key_size,
                                                        (unsigned long long)fingerprint, expected ? Py_True : Py_False)
                                  : NULL;
  if (r) {
    variant = PyCapsule_GetPointer(r, "pavage.variant");
  }
  Py_XDECREF(r);
  Py_XDECREF(values);
  Py_XDECREF(options);
  return variant;
}

/* Between programs: does Python want to stop? The exception stays set for the launching thread. */
int poll_signals(void *context) {
  (void)context;
  PyGILState_STATE gil = PyGILState_Ensure();
  int stop = PyErr_Occurred() || PyErr_CheckSignals() < 0;
  PyGILState_Release(gil);
  return stop;
}

/* Arrays that must not be written may only be read by this code. */
static bool check_read_only(const pvrt_variant *variant, const Call *call) {
  for (uint32_t i = 0; i < call->array_count; ++i) {
    if (call->arrays[i].flags & PVRT_ARRAY_READONLY) {
      const pvrt_param *p = pvrt_variant_param(variant, call->arrays[i].slot);
      if (p && (p->flags & PVRT_PARAM_WRITTEN)) {
        raise_numbered(308,
                       "expected a writable array for the parameter '%s', got a read-only one: the kernel stores to it",
                       p->name);
        return false;
      }
    }
  }
  return true;
}

static bool run(pvrt_variant *variant, const Call *call, const int64_t grid[3]) {
  if (!check_read_only(variant, call)) {
    return false;
  }
  pvrt_launch_args args;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  memcpy(args.grid, grid, sizeof(args.grid));
  args.slots = call->slots;
  args.slot_count = call->slot_count;
  args.arrays = call->arrays;
  args.array_count = call->array_count;
  args.poll = poll_signals;
  args.flags = PVRT_LAUNCH_SIGINT;
  pvrt_error *error;
  Py_BEGIN_ALLOW_THREADS error = pvrt_launch(variant, &args);
  Py_END_ALLOW_THREADS if (!error) { return true; }
  /* KeyboardInterrupt, or what a signal handler raised: by a poll, or now. */
  if (PyErr_Occurred() || (error->number == 311 && PyErr_CheckSignals() < 0)) {
    pvrt_error_free(error);
    return false;
  }
  raise_runtime(error);
  return false;
}

static PyObject *compiled_object(Kernel *kernel, pvrt_variant *variant) {
  if (kernel->last_variant == variant) {
    return Py_NewRef(kernel->last_compiled);
  }
  PyObject *address = PyLong_FromVoidPtr(variant);
  PyObject *found = address ? PyDict_GetItemWithError(kernel->compiled, address) : NULL;
  if (found) {
    Py_INCREF(found);
  } else if (!PyErr_Occurred()) {
    PyObject *capsule = PyCapsule_New(variant, "pavage.variant", NULL);
    found = capsule ? PyObject_CallMethod((PyObject *)kernel, "_compiled", "O", capsule) : NULL;
    Py_XDECREF(capsule);
    if (found && PyDict_SetItem(kernel->compiled, address, found) < 0) {
      Py_CLEAR(found);
    }
  }
  Py_XDECREF(address);
  if (found) {
    kernel->last_variant = variant;
    kernel->last_compiled = found; /* kept alive by the dict */
  }
  return found;
}

static PyObject *slow_call(Launcher *launcher, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  PyObject *positional = PyTuple_New(nargs), *keywords = PyDict_New();
  for (Py_ssize_t i = 0; positional && i < nargs; ++i) {
    PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
  }
  Py_ssize_t n = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; keywords && k < n; ++k) {
    if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, k), args[nargs + k]) < 0) {
      Py_CLEAR(keywords);
    }
  }
  PyObject *grid = launcher->grid ? launcher->grid : Py_None;
  PyObject *r = positional && keywords ? PyObject_CallMethod((PyObject *)launcher->kernel, "_slow_launch", "OOO", grid,
                                                             positional, keywords)
                                       : NULL;
  Py_XDECREF(positional);
  Py_XDECREF(keywords);
  return r;
}

PyObject *launcher_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
  Launcher *launcher = (Launcher *)self;
  Kernel *kernel = launcher->kernel;
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  if (kernel->slow || g_interpret) {
    return slow_call(launcher, args, nargs, kwnames);
  }
  if (!ensure_device()) {
    return NULL;
  }
  Bound bound;
  Call call;
  call_init(&call);
  PyObject *result = NULL;
  int64_t grid[3] = {1, 1, 1};
  if (bind_arguments(kernel, &bound, args, nargs, kwnames) &&
      (!launcher->grid || read_grid(kernel, &bound, launcher->grid, grid)) && build_key(kernel, &bound, &call)) {
    uint64_t fingerprint = hash_key(call.key, call.key_size);
    pvrt_device *device = g_device;
    pvrt_variant *variant = pvrt_kernel_find(kernel->runtime, device, fingerprint, call.key, call.key_size);
    if (!variant) {
      variant = miss(kernel, &bound, &call, fingerprint, !launcher->grid);
    }
    bool empty = !launcher->grid || grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
    if (variant && (empty || run(variant, &call, grid))) {
      result = compiled_object(kernel, variant);
    }
  }
  bound_clear(&bound);
  call_clear(&call);
  return result;
}

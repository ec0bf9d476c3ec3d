/* The kernel object. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PAVAGE_FRONTEND_PYTHON_KERNEL_H
#define PAVAGE_FRONTEND_PYTHON_KERNEL_H

#include "frontend/python/launch/launch.h"

/* A global or captured value that compiled code depends on: `dict[name]` must still be `value`; for a cell, its
 * content. */
typedef struct Watch {
  PyObject *owner; /* dict or cell */
  PyObject *name;  /* null for a cell */
  PyObject *value;
} Watch;

typedef struct Kernel {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  pvrt_kernel *runtime;
  Param *params;
  Py_ssize_t param_count;
  Watch *watches;
  Py_ssize_t watch_count;
  uint32_t version; /* grows when source or watched values change */
  bool slow;        /* every launch goes through Python: eager mode, hooks */
  pvrt_variant *last_variant;
  PyObject *last_compiled;
  PyObject *compiled; /* variant address -> what a launch returns */
} Kernel;

/* kernel[grid] */
typedef struct Launcher {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  Kernel *kernel;
  PyObject *grid; /* null: compile only */
} Launcher;

/* Arguments of a call, by parameter and by option. */
#define INLINE_PARAMS 64
#define MAX_OPTIONS 32
typedef struct Bound {
  PyObject **values; /* borrowed, one per parameter */
  int option_count;
  struct {
    long index;
    PyObject *name, *value;
  } options[MAX_OPTIONS];
  PyObject *inline_values[INLINE_PARAMS];
} Bound;

bool bind_arguments(Kernel *kernel, Bound *bound, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
void bound_clear(Bound *bound);
/* Dictionary of everything bound: what a grid function receives. */
PyObject *bound_dict(Kernel *kernel, const Bound *bound);
/* 1 to 3 sizes of a grid, which may be a function of the bound arguments. */
bool read_grid(Kernel *kernel, const Bound *bound, PyObject *grid, int64_t sizes[3]);

/* Everything that compiled code depends on. */
bool build_key(Kernel *kernel, const Bound *bound, Call *call);
PyObject *kernel_describe(PyObject *self, PyObject *args);

extern PyObject *g_options; /* name of a launch option -> its number */
extern uint32_t g_epoch;    /* grows when the environment is read again */

PyObject *tune(PyObject *self, PyObject *args);
PyObject *try_out(PyObject *self, PyObject *args);
/* Does Python want to stop? Its exception stays set. For callbacks of the runtime, from the calling thread. */
int poll_signals(void *context);
PyObject *launcher_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames);

#endif

/* The tuner for Python: candidates by callbacks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "frontend/python/launch/kernel.h"

#include <unistd.h>

typedef struct Tuning {
  PyObject *prepare, *try_out, *reset, *run, *check;
  double seconds;   /* of the try-out under way */
  PyObject *errors; /* list: the exception that refused a candidate, or None */
  bool stop;        /* KeyboardInterrupt and the like end the tuning */
  PyObject *type, *value, *traceback;
  PyThreadState *thread;
} Tuning;

static pvrt_error *call_back(Tuning *t, PyObject *function, uint32_t candidate) {
  if (t->stop) {
    return pvrt_error_new(311, "the tuning was interrupted", NULL, 0, 0, NULL);
  }
  pvrt_error *error = NULL;
  PyEval_RestoreThread(t->thread);
  PyObject *r = function == t->try_out ? PyObject_CallFunction(function, "Id", (unsigned)candidate, t->seconds)
                                       : PyObject_CallFunction(function, "I", (unsigned)candidate);
  if (!r) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (!PyErr_GivenExceptionMatches(type, PyExc_Exception)) {
      t->stop = true;
      t->type = type;
      t->value = value;
      t->traceback = traceback;
      error = pvrt_error_new(311, "the tuning was interrupted", NULL, 0, 0, NULL);
    } else {
      unsigned number = 317, line = 0, column = 0;
      const char *text = "the candidate raised an exception", *file = NULL;
      PyObject *parts = PyObject_CallMethod(g_support, "error_parts", "O", value);
      if (!parts || !PyArg_ParseTuple(parts, "IszII", &number, &text, &file, &line, &column)) {
        PyErr_Clear();
      }
      error = pvrt_error_new(number, text, file, line, column, NULL);
      Py_XDECREF(parts);
      PyList_SetItem(t->errors, candidate, Py_NewRef(value));
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
    }
  }
  Py_XDECREF(r);
  t->thread = PyEval_SaveThread();
  return error;
}

static pvrt_error *try_candidate(void *context, uint32_t candidate, double seconds) {
  Tuning *t = context;
  t->seconds = seconds;
  return call_back(t, t->try_out, candidate);
}

static pvrt_error *prepare(void *t, uint32_t i) { return call_back(t, ((Tuning *)t)->prepare, i); }
static pvrt_error *reset(void *t, uint32_t i) { return call_back(t, ((Tuning *)t)->reset, i); }
static pvrt_error *run(void *t, uint32_t i) { return call_back(t, ((Tuning *)t)->run, i); }
static pvrt_error *check(void *t, uint32_t i) { return call_back(t, ((Tuning *)t)->check, i); }

/* tune(key, labels, prepare, try_out, reset, run, check, warmup_ms, measure_ms)
 * -> (choice, from_file, [(ms, least, runs, error number)], [exception or None]) */
PyObject *tune(PyObject *self, PyObject *args) {
  const char *key;
  PyObject *labels;
  Tuning t = {0};
  double warmup, measure;
  if (!PyArg_ParseTuple(args, "sO!OOOOOdd", &key, &PyList_Type, &labels, &t.prepare, &t.try_out, &t.reset, &t.run,
                        &t.check, &warmup, &measure)) {
    return NULL;
  }
  uint32_t n = (uint32_t)PyList_GET_SIZE(labels);
  const char **texts = PyMem_Calloc(n ? n : 1, sizeof(char *));
  pvrt_tune_candidate *candidates = PyMem_Calloc(n ? n : 1, sizeof(pvrt_tune_candidate));
  t.errors = PyList_New(n);
  bool ok = texts && candidates && t.errors;
  for (uint32_t i = 0; ok && i < n; ++i) {
    PyList_SET_ITEM(t.errors, i, Py_NewRef(Py_None));
    texts[i] = PyUnicode_AsUTF8(PyList_GET_ITEM(labels, i));
    ok = texts[i] != NULL;
  }
  PyObject *result = NULL;
  if (ok) {
    pvrt_tune_request request = {0};
    request.struct_size = sizeof(request);
    request.candidate_count = n;
    request.key = key;
    request.labels = texts;
    request.context = &t;
    request.prepare = t.prepare == Py_None ? NULL : prepare;
    request.try_out = t.try_out == Py_None ? NULL : try_candidate;
    request.reset = t.reset == Py_None ? NULL : reset;
    request.run = run;
    request.check = t.check == Py_None ? NULL : check;
    request.warmup_milliseconds = warmup;
    request.measure_milliseconds = measure;
    pvrt_tune_result choice = {0, 0};
    t.thread = PyEval_SaveThread();
    pvrt_error *error = pvrt_tune(&request, &choice, candidates);
    PyEval_RestoreThread(t.thread);
    if (t.stop) {
      if (error) {
        pvrt_error_free(error);
      }
      PyErr_Restore(t.type, t.value, t.traceback);
    } else if (error) {
      raise_runtime(error);
    } else {
      PyObject *list = PyList_New(n);
      for (uint32_t i = 0; list && i < n; ++i) {
        const pvrt_tune_candidate *c = &candidates[i];
        PyObject *item = Py_BuildValue("(ddII)", c->milliseconds, c->least, c->runs, c->error);
        if (!item) {
          Py_CLEAR(list);
          break;
        }
        PyList_SET_ITEM(list, i, item);
      }
      result = list ? Py_BuildValue("(INNO)", choice.choice, PyBool_FromLong(choice.from_file), list, t.errors) : NULL;
    }
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  PyMem_Free(texts);
  PyMem_Free(candidates);
  Py_XDECREF(t.errors);
  return result;
}

/* --- Trying out ------------------------------------------------------------------------------------------------ */

typedef struct Trial {
  PyObject *function;
  PyThreadState *thread; /* of the parent, while it waits */
} Trial;

static int fork_python(void *context) {
  PyOS_BeforeFork();
  int child = (int)fork();
  if (child == 0) {
    PyOS_AfterFork_Child();
  } else {
    PyOS_AfterFork_Parent();
    ((Trial *)context)->thread = PyEval_SaveThread();
  }
  return child;
}

static void run_in_child(void *context) {
  PyObject *r = PyObject_CallNoArgs(((Trial *)context)->function);
  Py_XDECREF(r);
  PyErr_Clear();
}

/* try_out(function, seconds): calls it in a copy of the process and forgets what it did; raises PV0413 when that
 * crashed or did not end. */
PyObject *try_out(PyObject *self, PyObject *args) {
  Trial trial = {NULL, NULL};
  double seconds;
  if (!PyArg_ParseTuple(args, "Od", &trial.function, &seconds)) {
    return NULL;
  }
  pvrt_error *error = pvrt_try_out(run_in_child, seconds, fork_python, poll_signals, &trial);
  if (trial.thread) {
    PyEval_RestoreThread(trial.thread);
  }
  if (PyErr_Occurred()) {
    if (error) {
      pvrt_error_free(error);
    }
    return NULL;
  }
  return error ? raise_runtime(error) : Py_NewRef(Py_None);
}

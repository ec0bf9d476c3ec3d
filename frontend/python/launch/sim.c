/* _pavage: the virtual GPU's settings, findings, profiles. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "frontend/python/launch/launch.h"

#include <pavage/sim.h>

/* sim_set(setting, value or None) */
static PyObject *sim_set(PyObject *self, PyObject *args) {
  const char *setting, *value;
  if (!PyArg_ParseTuple(args, "sz", &setting, &value)) {
    return NULL;
  }
  pvrt_error *error = pvrt_sim_set(setting, value);
  if (error) {
    return raise_runtime(error);
  }
  Py_RETURN_NONE;
}

/* sim_get(setting) -> what sim_set was given, "" when nothing */
static PyObject *sim_get(PyObject *self, PyObject *args) {
  const char *setting;
  char value[1024] = "";
  if (!PyArg_ParseTuple(args, "s", &setting)) {
    return NULL;
  }
  pvrt_sim_get(setting, value, sizeof(value));
  return PyUnicode_FromString(value);
}

/* --- Findings -------------------------------------------------------------------------------------------------- */

static void add_finding(void *context, const pvrt_finding *f) {
  PyObject *list = context;
  if (PyErr_Occurred()) {
    return;
  }
  PyObject *item =
      Py_BuildValue("(IssssIIIsssK(III)IOs)", f->number, f->kind, f->message, f->op, f->file, f->line, f->column,
                    f->ptx_line, f->instruction, f->kernel, f->device, (unsigned long long)f->count, f->cta[0],
                    f->cta[1], f->cta[2], f->warp, f->is_fault ? Py_True : Py_False, f->rendered);
  if (item) {
    PyList_Append(list, item);
    Py_DECREF(item);
  }
}

/* sim_findings() -> [(number, kind, message, op, file, line, column, ptx_line, instruction, kernel, device, count, cta,
 * warp, is_fault, rendered)] */
static PyObject *sim_findings(PyObject *self, PyObject *unused) {
  PyObject *list = PyList_New(0);
  if (list) {
    pvrt_sim_findings(add_finding, list);
    if (PyErr_Occurred()) {
      Py_CLEAR(list);
    }
  }
  return list;
}

static PyObject *sim_clear_findings(PyObject *self, PyObject *unused) {
  pvrt_sim_clear_findings();
  Py_RETURN_NONE;
}

/* --- Profiles -------------------------------------------------------------------------------------------------- */

static pvrt_sim_profile *profile_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, "pavage.profile"); }

static void free_profile(PyObject *capsule) { pvrt_sim_profile_free(profile_of(capsule)); }

/* sim_profile_begin() -> capsule */
static PyObject *sim_profile_begin(PyObject *self, PyObject *unused) {
  pvrt_sim_profile *profile;
  pvrt_error *error = pvrt_sim_profile_begin(&profile);
  return error ? raise_runtime(error) : PyCapsule_New(profile, "pavage.profile", free_profile);
}

/* sim_profile_end(capsule) -> names of the kernels that were launched */
static PyObject *sim_profile_end(PyObject *self, PyObject *capsule) {
  pvrt_sim_profile *profile = profile_of(capsule);
  PyObject *names = profile ? PyList_New(0) : NULL;
  if (!names) {
    return NULL;
  }
  pvrt_sim_profile_end(profile);
  const char *name;
  for (size_t i = 0; names && (name = pvrt_sim_profile_kernel(profile, i)); ++i) {
    PyObject *text = PyUnicode_FromString(name);
    if (!text || PyList_Append(names, text) < 0) {
      Py_CLEAR(names);
    }
    Py_XDECREF(text);
  }
  return names;
}

/* sim_profile_report(capsule, index, kind) -> text */
static PyObject *sim_profile_report(PyObject *self, PyObject *args) {
  PyObject *capsule;
  Py_ssize_t index;
  int kind;
  if (!PyArg_ParseTuple(args, "Oni", &capsule, &index, &kind)) {
    return NULL;
  }
  pvrt_sim_profile *profile = profile_of(capsule);
  if (!profile) {
    return NULL;
  }
  pvrt_bytes text;
  pvrt_error *error = pvrt_sim_profile_report(profile, (size_t)index, (pvrt_sim_report)kind, &text);
  if (error) {
    return raise_runtime(error);
  }
  PyObject *result = PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.size, "replace");
  text.release(text.owner);
  return result;
}

PyMethodDef sim_methods[] = {
    {"sim_set", sim_set, METH_VARARGS, NULL},
    {"sim_get", sim_get, METH_VARARGS, NULL},
    {"sim_findings", sim_findings, METH_NOARGS, NULL},
    {"sim_clear_findings", sim_clear_findings, METH_NOARGS, NULL},
    {"sim_profile_begin", sim_profile_begin, METH_NOARGS, NULL},
    {"sim_profile_end", sim_profile_end, METH_O, NULL},
    {"sim_profile_report", sim_profile_report, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

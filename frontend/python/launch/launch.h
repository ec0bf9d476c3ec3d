/* Shared declarations of _pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * _pavage is what lies between `kernel[grid](...)` and pvrt_launch, in plain C: the arguments of a call are classified
 * (arguments.c, arrays.c), what compiled code depends on goes into a key, the key is looked up, the grid runs. Only a
 * call whose key is new enters Python (jit.py), which traces and compiles.
 *
 *   call -> bind to parameters -> leaves {key bytes, slots, arrays} -> pvrt_kernel_find -> pvrt_launch
 */
#ifndef PAVAGE_FRONTEND_PYTHON_LAUNCH_H
#define PAVAGE_FRONTEND_PYTHON_LAUNCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pavage/runtime.h>

#include <stdbool.h>

/* --- Element types: pv_dtype's numbers ------------------------------------------------------------------------- */

enum {
  DT_NONE = 0,
  DT_INT1 = 1,
  DT_INT8,
  DT_INT16,
  DT_INT32,
  DT_INT64,
  DT_UINT8,
  DT_UINT16,
  DT_UINT32,
  DT_UINT64,
  DT_FLOAT8E4NV,
  DT_FLOAT8E5,
  DT_FLOAT16,
  DT_BFLOAT16,
  DT_FLOAT32,
  DT_FLOAT64,
  DT_LAST = DT_FLOAT64
};
uint32_t dtype_bytes(int code);

/* --- What a call passes ---------------------------------------------------------------------------------------- */

/* First byte of a leaf in the key. */
enum {
  TAG_POINTER = 'P', /* dtype, flags */
  TAG_INTEGER = 'I', /* dtype, flags */
  TAG_ONE = '1',     /* dtype: an integer 1 that is a constant */
  TAG_FLOAT = 'F',   /* dtype */
  TAG_BOOL = 'B',
  TAG_CONSTANT = 'C', /* value: see key_constant */
  TAG_TUPLE = 'T',    /* count (2 bytes), class (8 bytes, 0 = tuple), leaves */
  TAG_OBJECT = 'O',   /* class (8 bytes), then the leaves of what its __pavage_flatten__ gave */
  TAG_OPTION = 'o',   /* number of the option, constant */
};
enum { FLAG_DIVISIBLE = 1, FLAG_CONST = 2 };

#define INLINE_KEY 512
#define INLINE_SLOTS 48

/* The extents of arrays whose owner has them in another form. */
typedef struct Extents {
  struct Extents *next;
  int64_t values[1]; /* shape, then strides */
} Extents;

typedef struct Call {
  unsigned char *key;
  size_t key_size, key_room;
  uint64_t *slots;
  uint32_t slot_count, slot_room;
  pvrt_array *arrays;
  uint32_t array_count, array_room;
  PyObject *keep;     /* list of what must outlive the launch, or null */
  Py_buffer *buffers; /* held views */
  int buffer_count;
  Extents *extents;
  const char *param; /* the parameter being looked at, for errors */
  unsigned char inline_key[INLINE_KEY];
  uint64_t inline_slots[INLINE_SLOTS];
  pvrt_array inline_arrays[INLINE_SLOTS];
} Call;

void call_init(Call *call);
void call_clear(Call *call);
bool call_keep(Call *call, PyObject *object); /* takes a new reference */
bool key_bytes(Call *call, const void *data, size_t size);
bool key_byte(Call *call, unsigned char byte);
bool add_slot(Call *call, uint64_t bits);
/* Which pointers may reach the same memory: a byte per slot, as pvrt_number_memory says; 0 = not known, or no array. */
bool key_memory(Call *call);
pvrt_array *add_array(Call *call);
int64_t *add_extents(Call *call, int ndim); /* room for shape and strides */

/* Appends what identifies a constant; sets an exception when it cannot be one. */
bool key_constant(Call *call, PyObject *value);

/* How one parameter wants its argument. */
typedef struct Param {
  PyObject *name; /* interned */
  PyObject *default_value;
  unsigned char dtype; /* from an annotation, else 0 */
  bool is_constexpr, is_pointer, is_const, no_specialize, no_alignment;
} Param;

/* Appends the leaves of an argument. */
bool add_argument(Call *call, const Param *param, PyObject *value);

/* An array argument: 1 = it is one, 0 = it is not, -1 = an exception is set. */
int add_array_argument(Call *call, const Param *param, PyObject *value);
bool arrays_init(PyObject *module);

/* --- Module state ---------------------------------------------------------------------------------------------- */

extern PyObject *g_support;   /* module pavage._support: what is seldom needed, in Python */
extern PyObject *g_constexpr; /* class language.types.constexpr, or null while the language is not loaded */
extern pvrt_device *g_device; /* of the next launches */
extern bool g_device_is_host;
extern bool g_takes_cuda;   /* arrays of CUDA devices may be passed */
extern bool g_interpret;    /* launches go to the eager sink */
extern bool g_want_extents; /* the device or PAVAGE_CHECK looks at arrays' extents */

/* Functions of the module that live elsewhere. */
extern PyMethodDef memory_methods[], sim_methods[];

/* Raises pavage.errors.make(number, text). Returns null. */
PyObject *raise_numbered(int number, const char *format, ...);
/* Raises and frees. */
PyObject *raise_runtime(pvrt_error *error);
/* Opens the device on the first call. */
bool ensure_device(void);

extern PyTypeObject KernelType, LauncherType;
bool kernel_types_init(PyObject *module);

#endif

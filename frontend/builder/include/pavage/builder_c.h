// builder_c.h: the C ABI of the builder and of the modules it makes. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The one semantic layer of the language: promotion, broadcasting, checks, error texts, variables and structured
// control flow. Both front ends sit on it. No C++, MLIR or LLVM type crosses this border, and nothing is thrown over
// it.
//
//   * Functions return 0, or the number n of an error PVnnnn; pv_error then tells text, place and notes. Results go to
//     the last pointer arguments, which are left alone on an error.
//   * A pv_value is counted: what a function hands out through a result pointer belongs to the caller (pv_release).
//     Functions borrow their arguments. Values may outlive their builder; only queries are allowed then.
//   * A pv_value is a scalar or tile with a dtype; or a weak literal (a number of the host language, whose dtype adapts
//     to the other operand: promotion rule 1); or an aggregate: block pointer, tensor descriptor, tuple; or an opaque
//     object of the host language. Wherever an operation takes a number or tile, a literal may stand.
//   * A builder belongs to one thread at a time. It has two sinks: *record* (pv_kernel_begin ... pv_kernel_end give a
//     module in dialect Tile) and *eager* (pv_eager_begin ...: every call is evaluated at once, values are readable).
//   * Strings handed out stay valid until the next call on the same object, unless said otherwise.
#ifndef PAVAGE_BUILDER_C_H
#define PAVAGE_BUILDER_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PV_EXPORT
#else
#define PV_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PV_ABI_VERSION 1
PV_EXPORT int pv_abi_version(void);

typedef struct pv_builder pv_builder;
typedef struct pv_value pv_value;
typedef struct pv_variable pv_variable;
typedef struct pv_module pv_module;

// ---- Element types --------------------------------------------------------------------------------------------------

// A scalar dtype, or PV_POINTER | pointee [| PV_CONST]. 0 means "not given".
typedef uint32_t pv_dtype;
enum {
  PV_NONE = 0,
  PV_INT1 = 1,
  PV_INT8,
  PV_INT16,
  PV_INT32,
  PV_INT64,
  PV_UINT8,
  PV_UINT16,
  PV_UINT32,
  PV_UINT64,
  PV_FLOAT8E4NV,
  PV_FLOAT8E5,
  PV_FLOAT16,
  PV_BFLOAT16,
  PV_FLOAT32,
  PV_FLOAT64,
  PV_LAST_DTYPE = PV_FLOAT64,
  PV_SCALAR_MASK = 0xff,
  PV_POINTER = 0x100,
  PV_CONST = 0x200
};

// "int32", "float16", "pointer<float32>", "pointer<const float32>".
PV_EXPORT const char *pv_dtype_name(pv_dtype dtype);
// Bits of one element as a number (int1: 1, pointers: 64), and bytes it takes in memory (int1: 1).
PV_EXPORT int pv_dtype_bits(pv_dtype dtype);
PV_EXPORT int pv_dtype_bytes(pv_dtype dtype);
// From a name as above or as in signatures: "i32", "u8", "fp16", "bf16", "fp8e4nv", "*fp32", "*kfp32". 0 if unknown.
PV_EXPORT pv_dtype pv_dtype_parse(const char *name);

// ---- Builder, errors, places ----------------------------------------------------------------------------------------

PV_EXPORT pv_builder *pv_builder_create(void);
PV_EXPORT void pv_builder_destroy(pv_builder *b);

typedef struct pv_note {
  const char *text;
  const char *file; // NULL: no place
  int line, column;
} pv_note;

typedef struct pv_error_info {
  int number;       // 0: the last call went well
  const char *text; // without place and number
  const char *file; // NULL: no place is known
  int line, column;
  size_t num_notes; // other places, and the chain of inlined calls, innermost first
  const pv_note *notes;
} pv_error_info;

// The error of the last failed call on b (or, for b = NULL, of the last failed call without builder on this thread).
PV_EXPORT void pv_error(const pv_builder *b, pv_error_info *out);
// Lets the host report an error of its own (say, one of the C++ or Python language) with the current place and notes.
PV_EXPORT int pv_fail(pv_builder *b, int number, const char *text);
// One more place for the error just reported.
PV_EXPORT void pv_add_note(pv_builder *b, const char *text, const char *file, int line, int column);

// Place of what follows in the author's source: 1-based line and column; column 0 = unknown.
PV_EXPORT void pv_set_location(pv_builder *b, const char *file, int line, int column);
PV_EXPORT void pv_get_location(const pv_builder *b, const char **file, int *line, int *column);

// ---- Values ---------------------------------------------------------------------------------------------------------

typedef enum pv_kind {
  PV_KIND_TILE = 0,     // dtype and shape; a scalar has rank 0
  PV_KIND_LITERAL_BOOL, // weak numbers
  PV_KIND_LITERAL_INT,
  PV_KIND_LITERAL_FLOAT,
  PV_KIND_BLOCK_POINTER,
  PV_KIND_DESCRIPTOR,
  PV_KIND_TUPLE,
  PV_KIND_OPAQUE // an object of the host language, known by its id
} pv_kind;

PV_EXPORT pv_value *pv_retain(pv_value *v);
PV_EXPORT void pv_release(pv_value *v);

PV_EXPORT pv_kind pv_value_kind(const pv_value *v);
// Tiles: the dtype. Literals: the dtype it takes alone (bool int1; int the first of int32, uint32, int64, uint64 that
// holds it; float float32, or float64 when outside float32's normal range). Block pointers and descriptors: that of the
// elements. Else 0.
PV_EXPORT pv_dtype pv_value_dtype(const pv_value *v);
// Tiles and literals: shape. Block pointers and descriptors: the block's shape. Tuples: rank 0.
PV_EXPORT size_t pv_value_rank(const pv_value *v);
PV_EXPORT const int64_t *pv_value_shape(const pv_value *v);
PV_EXPORT int64_t pv_value_numel(const pv_value *v);
// "float32[16, 64]", "int32", "a literal int", "block pointer to float16[16, 16]", "(float32, int32)".
PV_EXPORT const char *pv_value_type_text(const pv_value *v);

// 1 and the value, if v is a literal, a constant scalar or the splat of one (or, with the eager sink, any scalar). The
// float form takes integers and bools too, the integer form takes bools; uint64 values come as their bit pattern.
PV_EXPORT int pv_value_constant_int(const pv_value *v, int64_t *out);
PV_EXPORT int pv_value_constant_float(const pv_value *v, double *out);

// Weak literals; no builder needed. pv_literal_integer takes an integer of any size as decimal text (one beyond 64 bits
// gives the numbered error).
PV_EXPORT pv_value *pv_literal_bool(int value);
PV_EXPORT pv_value *pv_literal_int(int64_t value);
PV_EXPORT pv_value *pv_literal_uint(uint64_t value);
PV_EXPORT pv_value *pv_literal_float(double value);
PV_EXPORT int pv_literal_integer(pv_builder *b, const char *decimal, pv_value **out);

// Tuples of any values. The front end may use them for variables, returns and reductions over several tiles.
PV_EXPORT pv_value *pv_tuple(pv_value *const *items, size_t count);
PV_EXPORT size_t pv_tuple_size(const pv_value *v);
PV_EXPORT pv_value *pv_tuple_item(const pv_value *v, size_t i);

// An object of the host language (None, a dtype, a function, text): equal ids are the same object. `text` names it in
// errors. When the last copy is gone `drop(context, id)` is called; drop may be NULL.
PV_EXPORT pv_value *pv_opaque(uint64_t id, const char *text, void (*drop)(void *context, uint64_t id), void *context);
PV_EXPORT uint64_t pv_opaque_id(const pv_value *v);

// Eager sink, and constants of the record sink: the elements, row-major, pv_dtype_bytes each (int1 as 0 or 1).
PV_EXPORT size_t pv_value_nbytes(const pv_value *v);
PV_EXPORT int pv_value_read(pv_builder *b, const pv_value *v, void *out, size_t nbytes);
// Elements as text, nested brackets, at most max_items per axis (0 = 6); in the record sink the type only.
PV_EXPORT const char *pv_value_text(pv_builder *b, const pv_value *v, size_t max_items);

// ---- Kernels: the record sink ---------------------------------------------------------------------------------------

typedef struct pv_param {
  const char *name;
  pv_dtype dtype;
  int64_t divisibility; // largest known divisor of the value (pointer: of the address in bytes); 0 or 1 = unknown
  int64_t memory;       // pointers with different numbers from 1 never reach the same byte; 0 = unknown
} pv_param;

// Opens a kernel; args receives num_params owned values. Parameters that are constants are not parameters here.
PV_EXPORT int pv_kernel_begin(pv_builder *b, const char *name, const char *file, int line, const pv_param *params,
                              size_t num_params, pv_value **args);
// A launch hint, kept as an attribute tile.<name> of the kernel: num_warps, num_stages, num_ctas, maxnreg, ...
PV_EXPORT int pv_kernel_hint(pv_builder *b, const char *name, int64_t value);
PV_EXPORT int pv_kernel_hint_text(pv_builder *b, const char *name, const char *value);
// Closes the kernel and hands out the verified module.
PV_EXPORT int pv_kernel_end(pv_builder *b, pv_module **out);
// Drops an unfinished kernel or eager run (after an error); the builder is ready for the next begin.
PV_EXPORT void pv_kernel_abandon(pv_builder *b);

// A module: one kernel in dialect Tile. The name of its kernel; its text (to be freed), with locations if asked.
PV_EXPORT const char *pv_module_kernel(const pv_module *m);
PV_EXPORT char *pv_module_text(const pv_module *m, int with_locations);
PV_EXPORT void pv_module_destroy(pv_module *m);
PV_EXPORT void pv_string_free(char *text);

// ---- Kernels: the eager sink -----------------------------------------------------------------------------------

// What a pointer argument points to: element 0 and, for checks, the extents. Strides are in elements. rank 0 with
// num_elements < 0: nothing is known, accesses are unchecked.
typedef struct pv_array {
  void *data;
  size_t rank;
  const int64_t *shape;
  const int64_t *strides;
  int64_t num_elements; // used when rank is 0: a flat buffer
  int read_only;
} pv_array;

typedef struct pv_arg {
  uint64_t bits;         // scalars: integers extended to 64 bits, floats as the bits of the parameter's dtype
  const pv_array *array; // pointers
} pv_arg;

typedef void (*pv_print_fn)(void *context, const char *text);

// The eager sink. pv_eager_begin binds arguments and grid; pv_eager_program starts one program (its values die when the
// next one starts); pv_eager_end closes the run.
PV_EXPORT int pv_eager_begin(pv_builder *b, const char *name, const char *file, int line, const pv_param *params,
                             size_t num_params, const pv_arg *args, const int64_t grid[3], pv_print_fn print,
                             void *context);
PV_EXPORT int pv_eager_program(pv_builder *b, const int64_t program_id[3], pv_value **args);
PV_EXPORT int pv_eager_end(pv_builder *b);
PV_EXPORT int pv_is_eager(const pv_builder *b);

// ---- Variables ------------------------------------------------------------------------------------------------------

// A name of the author's. Reads inside regions create block arguments as they are needed; merges are made when a region
// closes, and a merge that cannot be made is an error only where the name is read. A variable lives until it is
// released or the kernel ends. Assigning makes a literal a scalar of its own dtype, in tuples too, unless the variable
// is PV_VAR_CONSTEXPR: then it stays what it is and may not take two values at a merge.
enum { PV_VAR_PLAIN = 0, PV_VAR_CONSTEXPR = 1 };
PV_EXPORT pv_variable *pv_var_declare(pv_builder *b, const char *name, int flags);
PV_EXPORT void pv_var_release(pv_builder *b, pv_variable *var);
PV_EXPORT int pv_var_assign(pv_builder *b, pv_variable *var, pv_value *value);
PV_EXPORT int pv_var_read(pv_builder *b, pv_variable *var, pv_value **out);
// `del name`: reading is an error until the next assignment.
PV_EXPORT int pv_var_unassign(pv_builder *b, pv_variable *var);
// 1 when pv_var_read would succeed here.
PV_EXPORT int pv_var_is_readable(pv_builder *b, pv_variable *var);

// ---- Control flow ---------------------------------------------------------------------------------------------------
//
// One protocol drives both sinks. `enter` and `go` tell whether the host visits the block now: the record sink says yes
// once for every block, the eager sink according to the values.
//
//   pv_if_begin(b, cond, &enter);  if (enter) { ... }
//   pv_else(b, &enter);            if (enter) { ... }        (may be left out)
//   pv_if_end(b);
//
//   pv_for_begin(b, lo, hi, step, &options);                 pv_while_begin(b);
//   while (pv_loop_next(b, &go) == 0 && go) {                while (pv_loop_next(b, &go) == 0 && go) {
//     pv_for_index(b, &i);                                     ... cond ...
//     ...                                                      pv_while_condition(b, cond, &enter);
//   }                                                          if (enter) { ... }
//   pv_loop_end(b);                                          }
//                                                            pv_loop_end(b);
//
// After pv_break, pv_continue and pv_return the host may go on to visit code of the same block; it has no effect.

PV_EXPORT int pv_if_begin(pv_builder *b, pv_value *cond, int *enter);
PV_EXPORT int pv_else(pv_builder *b, int *enter);
PV_EXPORT int pv_if_end(pv_builder *b);

typedef struct pv_loop_options { // all zero = nothing asked for
  int num_stages;                // 0: not given
  int loop_unroll_factor;
  int disallow_acc_multi_buffer, flatten, warp_specialize, disable_licm;
} pv_loop_options;

// lo and step may be NULL (0 and 1). The index has the integer type that lo, hi and step promote to.
PV_EXPORT int pv_for_begin(pv_builder *b, pv_value *lo, pv_value *hi, pv_value *step, const pv_loop_options *options);
PV_EXPORT int pv_for_index(pv_builder *b, pv_value **out);
PV_EXPORT int pv_while_begin(pv_builder *b);
PV_EXPORT int pv_while_condition(pv_builder *b, pv_value *cond, int *enter);
PV_EXPORT int pv_loop_next(pv_builder *b, int *go);
PV_EXPORT int pv_loop_end(pv_builder *b);
PV_EXPORT int pv_break(pv_builder *b);
PV_EXPORT int pv_continue(pv_builder *b);

// Calls are inlined while tracing: what stands between begin and end belongs to the callee, and places carry the call
// site. pv_return leaves the innermost call (or the kernel, then value must be NULL); the merged value comes out of
// pv_call_end (NULL when the callee returned none).
PV_EXPORT int pv_call_begin(pv_builder *b, const char *callee);
PV_EXPORT int pv_return(pv_builder *b, pv_value *value);
PV_EXPORT int pv_call_end(pv_builder *b, pv_value **out);
// 1 when nothing that follows in this block can run any more.
PV_EXPORT int pv_is_dead(const pv_builder *b);

// ---- Elementwise ----------------------------------------------------------------------------------------------------

typedef enum pv_unary_op {
  PV_NEG = 1,
  PV_POS,
  PV_INVERT,
  PV_LOGICAL_NOT,
  PV_ABS,
  PV_EXP,
  PV_EXP2,
  PV_EXPM1,
  PV_LOG,
  PV_LOG2,
  PV_LOG10,
  PV_LOG1P,
  PV_SIN,
  PV_COS,
  PV_TAN,
  PV_ASIN,
  PV_ACOS,
  PV_ATAN,
  PV_SINH,
  PV_COSH,
  PV_TANH,
  PV_ASINH,
  PV_ACOSH,
  PV_ATANH,
  PV_SQRT,
  PV_SQRT_RN,
  PV_RSQRT,
  PV_CBRT,
  PV_ERF,
  PV_ERFC,
  PV_SIGMOID,
  PV_FLOOR,
  PV_CEIL,
  PV_TRUNC,
  PV_ROUND,
  PV_RINT, // ROUND: halves away from zero; RINT: halves to even
  PV_ISNAN,
  PV_ISINF,
  PV_ISFINITE,
  PV_SIGNBIT,
  PV_POPC,
  PV_CLZ,
  PV_CTZ,
  PV_FFS, // FFS: 1-based place of the lowest set bit, 0 for 0
  PV_LAST_UNARY = PV_FFS
} pv_unary_op;

typedef enum pv_binary_op {
  PV_ADD = 1,
  PV_SUB,
  PV_MUL,
  PV_DIV,
  PV_FLOORDIV,
  PV_MOD,
  PV_POW, // DIV is `/`: its result is always a float
  PV_AND,
  PV_OR,
  PV_XOR,
  PV_SHL,
  PV_SHR,
  PV_EQ,
  PV_NE,
  PV_LT,
  PV_LE,
  PV_GT,
  PV_GE,
  PV_LOGICAL_AND,
  PV_LOGICAL_OR,
  PV_MAXIMUM,
  PV_MINIMUM, // a NaN operand is ignored
  PV_MAXIMUM_NAN,
  PV_MINIMUM_NAN, // a NaN operand wins
  PV_FDIV,
  PV_FDIV_IEEE,
  PV_DIV_RN,
  PV_UMULHI,
  PV_CDIV,
  PV_FMOD,
  PV_ATAN2,
  PV_COPYSIGN,
  PV_LAST_BINARY = PV_COPYSIGN
} pv_binary_op;

PV_EXPORT int pv_unary(pv_builder *b, pv_unary_op op, pv_value *x, pv_value **out);
PV_EXPORT int pv_binary(pv_builder *b, pv_binary_op op, pv_value *x, pv_value *y, pv_value **out);
PV_EXPORT int pv_where(pv_builder *b, pv_value *cond, pv_value *x, pv_value *y, pv_value **out);
PV_EXPORT int pv_fma(pv_builder *b, pv_value *x, pv_value *y, pv_value *z, pv_value **out);
PV_EXPORT int pv_clamp(pv_builder *b, pv_value *x, pv_value *lo, pv_value *hi, int propagate_nan, pv_value **out);
PV_EXPORT int pv_softmax(pv_builder *b, pv_value *x, const int64_t *dim, int keep_dims, int ieee_rounding,
                         pv_value **out); // dim NULL: axis 0

// rounding: NULL or "" (to nearest even), "rtne", "rtz". Bitcasts keep the bits and want equal widths.
PV_EXPORT int pv_cast(pv_builder *b, pv_value *x, pv_dtype dtype, const char *rounding, pv_value **out);
PV_EXPORT int pv_bitcast(pv_builder *b, pv_value *x, pv_dtype dtype, pv_value **out);
// A literal as a scalar of its own dtype; anything else as it is.
PV_EXPORT int pv_to_tensor(pv_builder *b, pv_value *x, pv_value **out);
// What a condition makes of a value: int1, true where x is not zero.
PV_EXPORT int pv_to_bool(pv_builder *b, pv_value *x, pv_value **out);
// The dtype in which a binary op computes, by the promotion rules; an error where they give none.
PV_EXPORT int pv_promote(pv_builder *b, pv_binary_op op, pv_value *x, pv_value *y, pv_dtype *out);

// ---- Creation and shape ---------------------------------------------------------------------------------------------

PV_EXPORT int pv_program_id(pv_builder *b, int axis, pv_value **out);
PV_EXPORT int pv_num_programs(pv_builder *b, int axis, pv_value **out);
PV_EXPORT int pv_arange(pv_builder *b, int64_t start, int64_t end, pv_value **out);
// value: a literal, a scalar or a tile of one element. dtype 0: the value's own.
PV_EXPORT int pv_full(pv_builder *b, const int64_t *shape, size_t rank, pv_value *value, pv_dtype dtype,
                      pv_value **out);
PV_EXPORT int pv_zeros_like(pv_builder *b, pv_value *x, pv_value **out);

// Axes may be negative everywhere.
PV_EXPORT int pv_expand_dims(pv_builder *b, pv_value *x, const int64_t *axes, size_t count, pv_value **out);
PV_EXPORT int pv_squeeze(pv_builder *b, pv_value *x, int64_t axis, pv_value **out);
PV_EXPORT int pv_broadcast(pv_builder *b, pv_value *x, pv_value *y, pv_value **out_x, pv_value **out_y);
PV_EXPORT int pv_broadcast_to(pv_builder *b, pv_value *x, const int64_t *shape, size_t rank, pv_value **out);
PV_EXPORT int pv_reshape(pv_builder *b, pv_value *x, const int64_t *shape, size_t rank, pv_value **out);
// order NULL: swaps the last two axes.
PV_EXPORT int pv_trans(pv_builder *b, pv_value *x, const int64_t *order, size_t count, pv_value **out);
PV_EXPORT int pv_join(pv_builder *b, pv_value *x, pv_value *y, pv_value **out);
PV_EXPORT int pv_split(pv_builder *b, pv_value *x, pv_value **out_first, pv_value **out_second);
PV_EXPORT int pv_interleave(pv_builder *b, pv_value *x, pv_value *y, pv_value **out);
PV_EXPORT int pv_cat(pv_builder *b, pv_value *x, pv_value *y, int64_t axis, pv_value **out);
PV_EXPORT int pv_gather(pv_builder *b, pv_value *x, pv_value *index, int64_t axis, pv_value **out);
PV_EXPORT int pv_flip(pv_builder *b, pv_value *x, const int64_t *axis, pv_value **out); // axis NULL: the last
PV_EXPORT int pv_swizzle2d(pv_builder *b, pv_value *i, pv_value *j, pv_value *size_i, pv_value *size_j,
                           pv_value *size_g, pv_value **out_i, pv_value **out_j);

// x[...]: one item per entry between the brackets. A new axis adds an axis of extent 1; ALL keeps one; an index takes
// the i-th slice and drops the axis (i literal or scalar; negative literals count from the end); a slice
// start:stop:step with constant bounds keeps a part. Missing axes at the end are kept.
typedef enum pv_index_kind { PV_INDEX_NEW_AXIS = 0, PV_INDEX_ALL, PV_INDEX_AT, PV_INDEX_SLICE } pv_index_kind;
typedef struct pv_index_item {
  pv_index_kind kind;
  pv_value *at;              // PV_INDEX_AT
  int64_t start, stop, step; // PV_INDEX_SLICE; has_* tell which were written
  int has_start, has_stop, has_step;
} pv_index_item;
PV_EXPORT int pv_index(pv_builder *b, pv_value *x, const pv_index_item *items, size_t count, pv_value **out);

// ---- Memory ---------------------------------------------------------------------------------------------------------

typedef struct pv_access { // all zero = defaults
  pv_value *mask;
  pv_value *other;               // loads: the value of masked-off elements; 0 without
  const int64_t *boundary_check; // block pointers: axes to check
  size_t num_boundary_check;
  const char *padding;  // "", "zero", "nan"
  const char *cache;    // loads: "", ".ca", ".cg", ".cs", ".cv"; stores: "", ".wb", ".cg", ".cs", ".wt"
  const char *eviction; // "", "evict_first", "evict_last", "evict_normal"
  int is_volatile;
} pv_access;

// access may be NULL. The pointer is a scalar or tile of pointers, or a block pointer.
PV_EXPORT int pv_load(pv_builder *b, pv_value *pointer, const pv_access *access, pv_value **out);
PV_EXPORT int pv_store(pv_builder *b, pv_value *pointer, pv_value *value, const pv_access *access);

typedef enum pv_atomic_op {
  PV_ATOMIC_ADD = 1,
  PV_ATOMIC_MAX,
  PV_ATOMIC_MIN,
  PV_ATOMIC_AND,
  PV_ATOMIC_OR,
  PV_ATOMIC_XOR,
  PV_ATOMIC_XCHG
} pv_atomic_op;
// mask, sem ("acquire", "release", "acq_rel", "relaxed") and scope ("gpu", "cta", "sys") may be NULL.
PV_EXPORT int pv_atomic(pv_builder *b, pv_atomic_op op, pv_value *pointer, pv_value *value, pv_value *mask,
                        const char *sem, const char *scope, pv_value **out);
PV_EXPORT int pv_atomic_cas(pv_builder *b, pv_value *pointer, pv_value *cmp, pv_value *value, const char *sem,
                            const char *scope, pv_value **out);

// Block pointers. order may be NULL; it is checked and otherwise without effect.
PV_EXPORT int pv_make_block_ptr(pv_builder *b, pv_value *base, pv_value *const *shape, pv_value *const *strides,
                                pv_value *const *offsets, const int64_t *block_shape, const int64_t *order, size_t rank,
                                pv_value **out);
PV_EXPORT int pv_advance(pv_builder *b, pv_value *block_ptr, pv_value *const *offsets, size_t rank, pv_value **out);

// Tensor descriptors. padding: NULL, "", "zero" or "nan".
PV_EXPORT int pv_make_descriptor(pv_builder *b, pv_value *base, pv_value *const *shape, pv_value *const *strides,
                                 const int64_t *block_shape, size_t rank, const char *padding, pv_value **out);
PV_EXPORT int pv_descriptor_load(pv_builder *b, pv_value *desc, pv_value *const *offsets, size_t rank, pv_value **out);
PV_EXPORT int pv_descriptor_store(pv_builder *b, pv_value *desc, pv_value *const *offsets, size_t rank,
                                  pv_value *value);
PV_EXPORT int pv_descriptor_gather(pv_builder *b, pv_value *desc, pv_value *rows, pv_value *column, pv_value **out);
PV_EXPORT int pv_descriptor_scatter(pv_builder *b, pv_value *desc, pv_value *value, pv_value *rows, pv_value *column);
PV_EXPORT int pv_descriptor_atomic(pv_builder *b, pv_atomic_op op, pv_value *desc, pv_value *const *offsets,
                                   size_t rank, pv_value *value);
// Parts of a block pointer or descriptor: its base, or extent / stride / offset of an axis.
typedef enum pv_part { PV_PART_BASE = 0, PV_PART_SHAPE, PV_PART_STRIDE, PV_PART_OFFSET } pv_part;
PV_EXPORT int pv_aggregate_part(pv_builder *b, pv_value *v, pv_part part, size_t axis, pv_value **out);

// ---- Contraction, reduction, scan, order ----------------------------------------------------------------------------

typedef struct pv_dot_options { // all zero = defaults
  pv_value *acc;
  const char *input_precision; // "ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"
  int has_allow_tf32, allow_tf32;
  int has_max_num_imprecise_acc;
  int64_t max_num_imprecise_acc;
  pv_dtype out_dtype;
} pv_dot_options;
PV_EXPORT int pv_dot(pv_builder *b, pv_value *x, pv_value *y, const pv_dot_options *options, pv_value **out);

// One side of a product in a microscaling format. elements: a float tile of the format, or its bits; e2m1 comes two to
// a uint8, the first in the low bits, packed along K, or along M or N with packs_outer. scale (or NULL): [.., M, K /
// 32] on the left and [.., N, K / 32] on the right (or / 16), uint8 as e8m0 or fp8 e4m3.
typedef struct pv_scaled {
  pv_value *elements, *scale;
  const char *format; // "e2m1", "e4m3", "e5m2", "bf16", "fp16"
  int packs_outer;
} pv_scaled;
// float32 [.., M, N]. Elements times scales are rounded to bfloat16, or to float16 where a side is. With fast_math a
// scale of 255 need not give NaN. out_dtype: 0 or PV_FLOAT32.
PV_EXPORT int pv_dot_scaled(pv_builder *b, const pv_scaled *lhs, const pv_scaled *rhs, pv_value *acc, int fast_math,
                            pv_dtype out_dtype, pv_value **out);

typedef enum pv_reduce_op { PV_SUM = 1, PV_MAX, PV_MIN, PV_XOR_SUM, PV_REDUCE_OR, PV_REDUCE_AND, PV_PROD } pv_reduce_op;
// axis NULL: over all axes. dtype (sums and products): the type to compute in; 0 = by the widening rule. max and min
// ignore NaN and widen small types to int32 and float32.
PV_EXPORT int pv_reduce(pv_builder *b, pv_reduce_op op, pv_value *x, const int64_t *axis, int keep_dims, pv_dtype dtype,
                        pv_value **out);
// Value and index (int32) of the largest or smallest (op = PV_MAX, PV_MIN); either result pointer may be NULL.
PV_EXPORT int pv_reduce_with_index(pv_builder *b, pv_reduce_op op, pv_value *x, const int64_t *axis, int tie_break_left,
                                   int keep_dims, pv_value **out_value, pv_value **out_index);
// op: PV_SUM or PV_PROD.
PV_EXPORT int pv_cumulate(pv_builder *b, pv_reduce_op op, pv_value *x, int64_t axis, int reverse, pv_dtype dtype,
                          pv_value **out);

// With the author's own combine function: begin hands out 2 * count scalars (left sides, then right sides), end takes
// count results of the same dtypes and hands out count tiles. Both sinks record the function's body.
PV_EXPORT int pv_reduce_begin(pv_builder *b, pv_value *const *xs, size_t count, const int64_t *axis, int keep_dims,
                              pv_value **args);
PV_EXPORT int pv_reduce_end(pv_builder *b, pv_value *const *results, size_t count, pv_value **outs);
PV_EXPORT int pv_scan_begin(pv_builder *b, pv_value *const *xs, size_t count, int64_t axis, int reverse,
                            pv_value **args);
PV_EXPORT int pv_scan_end(pv_builder *b, pv_value *const *results, size_t count, pv_value **outs);

// An author's function of scalars per element, with control flow: begin broadcasts the tiles and hands out pack scalars
// per tile; end takes pack scalars per result, of any dtypes, and hands out one tile per result.
PV_EXPORT int pv_map_begin(pv_builder *b, pv_value *const *xs, size_t count, int64_t pack, pv_value **args);
PV_EXPORT int pv_map_end(pv_builder *b, pv_value *const *results, size_t count, pv_value **outs);

PV_EXPORT int pv_sort(pv_builder *b, pv_value *x, const int64_t *axis, int descending, pv_value **out);
PV_EXPORT int pv_topk(pv_builder *b, pv_value *x, int64_t k, const int64_t *axis, int descending, pv_value **out);
PV_EXPORT int pv_histogram(pv_builder *b, pv_value *x, int64_t num_bins, pv_value *mask, pv_value **out);

// ---- Random numbers: Philox 4x32 ------------------------------------------------------------------------------------

// outs: four tiles of uint32 (or uint64, when the counters have 64 bits).
PV_EXPORT int pv_philox(pv_builder *b, pv_value *seed, pv_value *const counters[4], int n_rounds, pv_value **outs);
PV_EXPORT int pv_philox_impl(pv_builder *b, pv_value *const counters[4], pv_value *const keys[2], int n_rounds,
                             pv_value **outs);
typedef enum pv_random_kind { PV_RANDINT = 1, PV_RAND, PV_RANDN } pv_random_kind;
PV_EXPORT int pv_random(pv_builder *b, pv_random_kind kind, pv_value *seed, pv_value *offset, int n_rounds,
                        pv_value **out);
PV_EXPORT int pv_random4(pv_builder *b, pv_random_kind kind, pv_value *seed, pv_value *offset, int n_rounds,
                         pv_value **outs);
PV_EXPORT int pv_uint_to_uniform_float(pv_builder *b, pv_value *x, pv_value **out);
PV_EXPORT int pv_pair_uniform_to_normal(pv_builder *b, pv_value *u1, pv_value *u2, pv_value **out1, pv_value **out2);

// ---- Hints, debugging, escape hatch ---------------------------------------------------------------------------------

typedef enum pv_hint { PV_MULTIPLE_OF = 1, PV_MAX_CONTIGUOUS, PV_MAX_CONSTANCY } pv_hint;
PV_EXPORT int pv_hint_values(pv_builder *b, pv_hint hint, pv_value *x, const int64_t *values, size_t count,
                             pv_value **out);
PV_EXPORT int pv_assume(pv_builder *b, pv_value *cond);
PV_EXPORT int pv_device_assert(pv_builder *b, pv_value *cond, const char *message, pv_value *mask);
PV_EXPORT int pv_device_print(pv_builder *b, const char *prefix, pv_value *const *values, size_t count, int hex);
PV_EXPORT int pv_debug_barrier(pv_builder *b);
PV_EXPORT int pv_inline_asm(pv_builder *b, const char *text, const char *constraints, pv_value *const *args,
                            size_t num_args, const pv_dtype *dtypes, size_t num_results, int is_pure, int pack,
                            pv_value **outs);

#ifdef __cplusplus
}
#endif

#endif // PAVAGE_BUILDER_C_H

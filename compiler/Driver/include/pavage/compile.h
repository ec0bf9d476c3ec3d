// compile.h: the C interface of the compiler, the second half of libpavage_core.so's pv_*. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
// A module (from pv_kernel_end, from text, or from a stored artifact) becomes an artifact: machine code and launch
// facts for `cpu`, PTX and launch facts for a GPU, or the module itself for `interp`. Conventions are those of
// <pavage/builder_c.h>: 0 or an error number; pv_error(NULL, &info) tells text, place and notes of the last failed call
// on this thread; results are written to the last pointer arguments, and only on success.
//
// Threads. A module and what was made in its builder belong to one thread at a time; modules of different builders, and
// modules from pv_module_parse and pv_module_from_artifact, are independent. A module is never changed by a call here.
#ifndef PAVAGE_COMPILE_H
#define PAVAGE_COMPILE_H

#include <pavage/builder_c.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Modules --------------------------------------------------------------------------------------------------------

// From text or bytecode of a module with one kernel in dialect Tile; `file` names it in errors (NULL: "<text>").
// Verified. PV0200: it does not parse. PV0201: it does not verify. PV0202: it has no kernel, or several.
PV_EXPORT int pv_module_parse(const char *data, size_t size, const char *file, pv_module **out);
// The module that an artifact was compiled from: needs its section "tile".
PV_EXPORT int pv_module_from_artifact(const void *data, size_t size, pv_module **out);
// Runs the verifiers again. pv_module_text and pv_module_destroy are in builder_c.h.
PV_EXPORT int pv_module_verify(const pv_module *m);

// What is known of the kernel's arguments, in slot order. Reads and writes are what may happen on some path: a store
// through a pointer of unknown origin counts as a write to every pointer argument.
typedef struct pv_kernel_param {
  const char *name;
  pv_dtype dtype;       // PV_POINTER | pointee for pointers
  int64_t divisibility; // 1 = nothing is known
  int is_read, is_written;
} pv_kernel_param;
PV_EXPORT size_t pv_module_num_params(pv_module *m);
// Valid as long as the module. Returns 1, or 0 when there is no such parameter.
PV_EXPORT int pv_module_param(pv_module *m, size_t index, pv_kernel_param *out);

// ---- Compiling ------------------------------------------------------------------------------------------------------

typedef enum pv_remark_kind {
  PV_REMARK_PASSED = 1, // something was done
  PV_REMARK_MISSED,     // something was not done, and why
  PV_REMARK_ANALYSIS    // something was found out
} pv_remark_kind;

typedef struct pv_remark {
  pv_remark_kind kind;
  const char *pass; // "raise-accesses"
  const char *text;
  const char *file; // NULL: no place is known
  int line, column;
} pv_remark;
typedef void (*pv_remark_fn)(void *context, const pv_remark *remark);

// All zero but struct_size = the defaults.
typedef struct pv_compile_options {
  size_t struct_size;     // sizeof(pv_compile_options)
  const char *target;     // "cpu" (NULL too), "interp", "sm_80", ...
  const char *cpu_level;  // "portable", "avx2", "avx512", "amx"; NULL: what this machine has
  const char *emit;       // sections that the artifact gets beside the code, by stage: "tile,llvm,asm"; NULL: none
  const char *stop_after; // a stage: the artifact has the sections up to it and no code; NULL: go to the end
  const char *dump_dir;   // a folder that gets a file of IR after each pass; NULL: none
  int check;              // PAVAGE_CHECK=1: every access is compared with the extents of its argument
  int no_fp_fusion;       // PAVAGE_FP_FUSION=0: a*b+c stays two roundings
  int verify_each;        // the IR verifiers run after every pass (for debugging the compiler)
  pv_remark_fn remark;    // receives what passes did and did not do; NULL: they do not tell
  void *remark_context;
} pv_compile_options;

// The defaults as the environment changes them: PAVAGE_DUMP, PAVAGE_CHECK, PAVAGE_FP_FUSION. The strings live until
// the environment changes.
PV_EXPORT void pv_compile_options_init(pv_compile_options *options);

// Names of the stages that `emit` and `stop_after` know for a target, in order; NULL past the end.
// cpu: tile, llvm, asm, obj. interp: tile. sm_80 and its like: tile, tilegpu, nvvm, llvm, ptx, cubin.
PV_EXPORT const char *pv_stage_name(const char *target, size_t index);

typedef struct pv_artifact pv_artifact;
PV_EXPORT int pv_compile(const pv_module *m, const pv_compile_options *options, pv_artifact **out);
PV_EXPORT void pv_artifact_destroy(pv_artifact *a);
// The artifact as bytes: what runtime/Cache keeps and pvrt_kernel_get takes. Valid as long as the artifact.
PV_EXPORT void pv_artifact_bytes(const pv_artifact *a, const void **data, size_t *size);
// Text or bytes of a stage; returns 1, or 0 when there is none. Names by index: NULL past the end.
PV_EXPORT int pv_artifact_section(const pv_artifact *a, const char *name, const void **data, size_t *size);
PV_EXPORT const char *pv_artifact_section_name(const pv_artifact *a, size_t index);

// Which compiler this is, for cache keys: version, and the build id of the library.
PV_EXPORT const char *pv_compiler_version(void);

// ---- Running in Interp ----------------------------------------------------------------------------------------------
//
// The device `interp` of the runtime: a pvrt_hosted's load is pv_module_from_artifact, launch is pv_interpret, unload
// is pv_module_destroy. Calls on one module are serialised inside.

// The layout of pvrt_array and PavageArray.
typedef struct pv_launch_array {
  uint64_t base;          // address of element [0, ..., 0]
  const int64_t *shape;   // ndim extents
  const int64_t *strides; // ndim strides in bytes; NULL = row-major without gaps
  int32_t ndim;
  uint32_t itemsize;
  uint32_t slot;  // the kernel argument that it is passed for
  uint32_t flags; // 1: read-only
} pv_launch_array;

typedef struct pv_interpret_args {
  size_t struct_size; // sizeof(pv_interpret_args)
  int64_t grid[3];
  const uint64_t *slots; // one per argument, as in runtime/Artifact/Abi.h
  size_t num_slots;
  const pv_launch_array *arrays; // accesses outside of them are errors, unless there are none
  size_t num_arrays;
  const volatile uint32_t *cancel; // not zero: stop with PV0311; may be NULL
  uint64_t max_ops;                // 0: no limit, else PV0504 after so many evaluated ops
  pv_print_fn print;               // device_print; NULL: stdout
  void *print_context;
  // Findings that are no errors, e.g. two lanes that store to one address; NULL: dropped.
  void (*finding)(void *context, const char *text, const char *file, int line, int column);
  void *finding_context;
} pv_interpret_args;

PV_EXPORT int pv_interpret(pv_module *m, const pv_interpret_args *args);

#ifdef __cplusplus
}
#endif

#endif // PAVAGE_COMPILE_H

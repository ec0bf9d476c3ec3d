/* The C interface of the Pavage runtime, libpavage.so. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For the Python extension, the C++ language and programs that run stored kernels. No C++ type and no exception crosses
 * it. All functions may be called from any thread at any time, unless they say otherwise.
 *
 * Errors. A function that can fail returns a pvrt_error*: null on success, else an object that the caller frees with
 * pvrt_error_free. Results are written through the last parameters, and only on success.
 *
 * A launch, as a front end does it:
 *
 *   once       pvrt_device_open(NULL, &device);  kernel = pvrt_kernel_new("softmax", "demo.py", 6);
 *   per call   variant = pvrt_kernel_find(kernel, device, fingerprint, key, key_bytes);      no lock, no strings
 *              if (!variant) pvrt_kernel_get(kernel, device, fingerprint, key, key_bytes, &request, &variant);
 *              pvrt_launch(variant, &args);
 *
 * `key` holds everything that the compiled code depends on and that can differ between calls of one kernel (argument
 * types, divisibility, constexprs, options), in bytes of the caller's choice; `fingerprint` is a 64-bit hash of it.
 */
#ifndef PAVAGE_RUNTIME_H
#define PAVAGE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PVRT_VERSION 1
#define PVRT_API __attribute__((visibility("default")))

typedef struct pvrt_device pvrt_device;   /* lives as long as the process */
typedef struct pvrt_kernel pvrt_kernel;   /* all compiled variants of one kernel */
typedef struct pvrt_variant pvrt_variant; /* one of them, loaded; lives as long as its kernel */
typedef struct pvrt_thread pvrt_thread;   /* a thread that launches; never freed */

/* PVRT_VERSION of the library, to be compared with that of the header. */
PVRT_API uint32_t pvrt_version(void);

/* --- Errors ------------------------------------------------------------------------------------------------------ */

typedef struct pvrt_error {
  uint32_t number;      /* PVnnnn */
  uint32_t line;        /* from 1; 0 = unknown */
  uint32_t column;      /* in bytes, from 1; 0 = unknown */
  const char *text;     /* one sentence, without position and number */
  const char *file;     /* "" = unknown */
  const char *rendered; /* the whole printed form, with source line and caret */
} pvrt_error;

PVRT_API void pvrt_error_free(pvrt_error *error);

/* For callbacks that fail. `file` and `source_line` may be null; without source_line the file is read. */
PVRT_API pvrt_error *pvrt_error_new(uint32_t number, const char *text, const char *file, uint32_t line, uint32_t column,
                                    const char *source_line);

typedef struct pvrt_catalogue_entry {
  uint32_t number;
  const char *name;
  const char *summary;
  const char *explanation;
} pvrt_catalogue_entry;

/* The catalogue by ascending number; the texts are static. */
PVRT_API size_t pvrt_catalogue_size(void);
PVRT_API pvrt_catalogue_entry pvrt_catalogue_at(size_t index);
/* 1 when there is such a number ("PV0123", "123"). */
PVRT_API int pvrt_catalogue_find(const char *number, pvrt_catalogue_entry *entry);

/* --- Devices ----------------------------------------------------------------------------------------------------- */

/* Names: cpu, interp, sim:sm_80, cuda:0. Null: what PAVAGE_DEVICE says now, else cpu. A hosted device (see below) opens
 * before it is registered; launches on it then fail with PV0301. */
PVRT_API pvrt_error *pvrt_device_open(const char *name, pvrt_device **device);
PVRT_API const char *pvrt_device_name(const pvrt_device *device);
/* What to compile for: "cpu", "interp", "sm_80". Equal for all devices that run the same code. */
PVRT_API const char *pvrt_device_target(const pvrt_device *device);
/* 1 when kernels can run on it now. */
PVRT_API int pvrt_device_ready(const pvrt_device *device);
/* 1 when its memory is the host's: what pvrt_alloc gives may be read and written here. */
PVRT_API int pvrt_device_is_host(const pvrt_device *device);
/* A small number that is this device's alone in the process, for keys. */
PVRT_API uint32_t pvrt_device_id(const pvrt_device *device);
/* Names of the devices that can be used here; null past the end. */
PVRT_API const char *pvrt_device_list(size_t index);

PVRT_API pvrt_error *pvrt_alloc(pvrt_device *device, size_t bytes, void **address); /* aligned to 64 */
PVRT_API void pvrt_free(pvrt_device *device, void *address);
PVRT_API pvrt_error *pvrt_copy_to_device(pvrt_device *device, void *to, const void *from, size_t bytes);
PVRT_API pvrt_error *pvrt_copy_to_host(pvrt_device *device, void *to, const void *from, size_t bytes);
PVRT_API pvrt_error *pvrt_synchronize(pvrt_device *device);

/* The CPU: its name ("Intel(R) Xeon(R) ..."), the level kernels are compiled for ("portable", "avx2", "avx512", "amx";
 * PAVAGE_CPU forces one), and a text of all that a cache key needs to know of it. */
PVRT_API const char *pvrt_cpu_name(void);
PVRT_API pvrt_error *pvrt_cpu_level(const char **level);
PVRT_API const char *pvrt_cpu_fingerprint(void);

/* --- Launch ------------------------------------------------------------------------------------------------------ */

/* Same layout as PavageArray in runtime/Artifact/Abi.h. */
typedef struct pvrt_array {
  uint64_t base;          /* address of element [0, ..., 0] */
  const int64_t *shape;   /* ndim extents */
  const int64_t *strides; /* ndim strides in bytes, negative and zero included; null = row-major without gaps */
  int32_t ndim;
  uint32_t itemsize; /* bytes of an element */
  uint32_t slot;     /* the kernel argument that it is passed for */
  uint32_t flags;    /* PVRT_ARRAY_* */
} pvrt_array;

#define PVRT_ARRAY_READONLY 1u

typedef struct pvrt_launch_args {
  uint32_t struct_size;  /* sizeof(pvrt_launch_args) */
  uint32_t flags;        /* PVRT_LAUNCH_* */
  int64_t grid[3];       /* unused dimensions are 1 */
  const uint64_t *slots; /* one per argument of the compiled function; see Abi.h for how values lie in them */
  uint32_t slot_count;
  uint32_t array_count;
  const pvrt_array *arrays; /* what is known of array arguments; null when nothing is */
  /* When not null, called by the launching thread now and then (about every 10 ms, between programs); not zero stops
   * the launch with PV0311. Must not launch. */
  int (*poll)(void *context);
  void *poll_context;
} pvrt_launch_args;

/* SIGINT that arrives during the launch stops it with PV0311 and then goes to the handler that was in place. Counts
 * only in the process's first thread, and where a handler is in place. */
#define PVRT_LAUNCH_SIGINT 1u

/* A kernel as its author wrote it. */
PVRT_API pvrt_kernel *pvrt_kernel_new(const char *name, const char *file, uint32_t line);
/* No launch of it may be running. */
PVRT_API void pvrt_kernel_free(pvrt_kernel *kernel);

/* The variant for this key when it is loaded, else null. Wait-free. */
PVRT_API pvrt_variant *pvrt_kernel_find(const pvrt_kernel *kernel, const pvrt_device *device, uint64_t fingerprint,
                                        const void *key, size_t key_bytes);

/* One thing that compiled code depends on, in words: {"x", "*fp32:16"}, {"BLOCK", "1024"}, {"option num_warps", "4"}.
 */
typedef struct pvrt_part {
  const char *name;
  const char *value;
} pvrt_part;

/* Bytes owned by whoever made them. */
typedef struct pvrt_bytes {
  const void *data;
  size_t size;
  void (*release)(void *owner); /* may be null */
  void *owner;
} pvrt_bytes;

typedef struct pvrt_request {
  uint32_t struct_size; /* sizeof(pvrt_request) */
  uint32_t flags;       /* PVRT_REQUEST_* */
  /* Everything that the artifact depends on: source text, compiler build, types, constexprs, options, CPU fingerprint.
   * The disk cache's key is a hash of these and of the device's target; "why recompiled" compares them one by one.
   * Parts whose name starts with '.' count for the key but are not shown with their values. */
  const pvrt_part *parts;
  size_t part_count;
  /* Called without any lock held when neither memory nor disk has it; gives a serialized artifact. At most once at a
   * time for one key: other threads that want the same wait, and get the same error if it fails. */
  pvrt_error *(*compile)(void *context, pvrt_bytes *artifact);
  void *context;
} pvrt_request;

#define PVRT_REQUEST_NO_DISK 1u  /* neither read nor write the disk cache */
#define PVRT_REQUEST_EXPECTED 2u /* a new variant is no surprise (warm-up, tuning): no recompile notice or error */

/* Finds, or reads from disk, or compiles; loads; remembers. May wait for another thread that compiles the same: a
 * caller that holds a lock which compile callbacks need (Python's) gives it up around this call. */
PVRT_API pvrt_error *pvrt_kernel_get(pvrt_kernel *kernel, pvrt_device *device, uint64_t fingerprint, const void *key,
                                     size_t key_bytes, const pvrt_request *request, pvrt_variant **variant);

/* A stored artifact, loaded without a kernel; freed with pvrt_variant_free. */
PVRT_API pvrt_error *pvrt_load(pvrt_device *device, const void *artifact, size_t bytes, pvrt_variant **variant);
/* Only for variants from pvrt_load. */
PVRT_API void pvrt_variant_free(pvrt_variant *variant);

/* Runs a grid and returns when it has ended. */
PVRT_API pvrt_error *pvrt_launch(pvrt_variant *variant, const pvrt_launch_args *args);

/* Where a variant came from. */
typedef enum pvrt_origin { PVRT_ORIGIN_COMPILED = 0, PVRT_ORIGIN_DISK = 1, PVRT_ORIGIN_GIVEN = 2 } pvrt_origin;
PVRT_API pvrt_origin pvrt_variant_origin(const pvrt_variant *variant);
/* Milliseconds that compiling and loading it took. */
PVRT_API double pvrt_variant_milliseconds(const pvrt_variant *variant);
/* The serialized artifact; valid as long as the variant. */
PVRT_API void pvrt_variant_artifact(const pvrt_variant *variant, const void **data, size_t *size);
/* The bytes of a stage ("tile", "llvm", "asm", "obj", "ptx"); 0 when there is none. Names by index: null past the end.
 */
PVRT_API int pvrt_variant_section(const pvrt_variant *variant, const char *name, const void **data, size_t *size);
PVRT_API const char *pvrt_variant_section_name(const pvrt_variant *variant, size_t index);

typedef struct pvrt_param {
  const char *name;
  const char *dtype; /* of the scalar, or of what the pointer points to: "fp32", "i64" */
  uint64_t divisibility;
  uint32_t flags; /* PVRT_PARAM_* */
} pvrt_param;

#define PVRT_PARAM_POINTER 1u
#define PVRT_PARAM_READ 2u
#define PVRT_PARAM_WRITTEN 4u

/* The arguments of the compiled function, that is, the slots. Returns how many; null past the end. */
PVRT_API size_t pvrt_variant_param_count(const pvrt_variant *variant);
PVRT_API const pvrt_param *pvrt_variant_param(const pvrt_variant *variant, size_t index);
/* A launch fact by name ("scratch_bytes", "num_warps", ...), or `fallback`. */
PVRT_API int64_t pvrt_variant_fact(const pvrt_variant *variant, const char *name, int64_t fallback);

/* Numbers arrays by the memory that they reach: memory[i] is from 1, and equal for arrays whose ranges of addresses
 * overlap, be it through others. Numbers are given in order of appearance, so that equal patterns look equal; from the
 * 65th array on they are 0 = unknown. A front end makes them part of the key and of the kernel's parameters
 * (pv_param.memory): pointers with different numbers then cannot alias. */
PVRT_API void pvrt_number_memory(const pvrt_array *arrays, size_t count, uint8_t *memory);

/* Stops the launch that this thread is running, if any, with PV0311; safe in a signal handler. Null: of all threads. */
PVRT_API pvrt_thread *pvrt_current_thread(void);
PVRT_API void pvrt_interrupt(pvrt_thread *thread);

/* Receives the text of device_print, whole lines, from any thread, one call at a time. Null handler: standard output.
 */
PVRT_API void pvrt_set_print_handler(void (*handler)(void *context, const char *text, size_t size), void *context);
/* Receives notices of the runtime (why recompiled, cache trouble). Null handler: standard error. */
PVRT_API void pvrt_set_notice_handler(void (*handler)(void *context, const char *text, size_t size), void *context);

/* Reads the environment variables again; without it they are read at their first use. */
PVRT_API void pvrt_reload_environment(void);

/* --- Hosted devices: interp and others that live in another library ---------------------------------------------- */

typedef struct pvrt_hosted {
  uint32_t struct_size; /* sizeof(pvrt_hosted) */
  uint32_t flags;       /* 0 */
  void *context;
  /* Makes a kernel of a serialized artifact, whose bytes stay valid until unload. */
  pvrt_error *(*load)(void *context, const void *artifact, size_t bytes, void **loaded);
  /* Runs it; must look at *cancel between programs and then return PV0311. */
  pvrt_error *(*launch)(void *context, void *loaded, const pvrt_launch_args *args, const volatile uint32_t *cancel);
  void (*unload)(void *context, void *loaded);
} pvrt_hosted;

/* Gives the device of this name its implementation; the last one counts for kernels loaded after it. */
PVRT_API pvrt_error *pvrt_register_hosted(const char *device_name, const pvrt_hosted *hosted);

/* Writes device_print output through the handler, for hosted devices. */
PVRT_API void pvrt_print(const char *text, size_t size);

/* --- Threads ----------------------------------------------------------------------------------------------------- */

/* Threads that run a grid, the caller included: PAVAGE_NUM_THREADS, else the CPUs of the process's affinity mask and
 * cgroup limit. */
PVRT_API uint32_t pvrt_num_threads(void);
/* For launches that start later; 0 = the default again. */
PVRT_API pvrt_error *pvrt_set_num_threads(uint32_t count);

/* --- Cache ------------------------------------------------------------------------------------------------------- */

typedef struct pvrt_cache_entry {
  const char *name; /* of the file */
  const char *kernel;
  const char *target;
  uint64_t bytes;
  int64_t last_used; /* seconds since 1970 */
  int damaged;
} pvrt_cache_entry;

/* The folder; "" when the disk cache is off. */
PVRT_API pvrt_error *pvrt_cache_folder(const char **folder);
PVRT_API pvrt_error *pvrt_cache_list(void (*visit)(void *context, const pvrt_cache_entry *entry), void *context);
PVRT_API pvrt_error *pvrt_cache_clear(uint64_t *removed);
/* Checks every entry; damaged ones are removed. */
PVRT_API pvrt_error *pvrt_cache_verify(uint64_t *good, uint64_t *removed);

/* --- Tuner ------------------------------------------------------------------------------------------------------- */

typedef struct pvrt_tune_candidate {
  double milliseconds; /* median of the timed runs; 0 when refused */
  double least;        /* the fastest run */
  uint32_t runs;       /* how many were timed */
  uint32_t error;      /* why it was refused, 0 = it was not */
} pvrt_tune_candidate;

typedef struct pvrt_tune_request {
  uint32_t struct_size; /* sizeof(pvrt_tune_request) */
  uint32_t candidate_count;
  const char *key;           /* what the choice depends on: kernel, source, device, argument key */
  const char *const *labels; /* one per candidate, e.g. "BLOCK=128, num_warps=4": part of the key */
  void *context;
  /* All are called by the calling thread. Any may be null but run. An error refuses the candidate. */
  pvrt_error *(*prepare)(void *context, uint32_t candidate); /* compile and load; not timed */
  pvrt_error *(*reset)(void *context, uint32_t candidate);   /* before each run; not timed */
  pvrt_error *(*run)(void *context, uint32_t candidate);     /* timed */
  pvrt_error *(*check)(void *context, uint32_t candidate);   /* after the first run: is the result right? */
  /* Before all of that: a first run that may crash or hang, for so many seconds at most; see pvrt_try_out. */
  pvrt_error *(*try_out)(void *context, uint32_t candidate, double seconds);
  double warmup_milliseconds;  /* 0 = default (5) */
  double measure_milliseconds; /* per candidate; 0 = default (20) */
} pvrt_tune_request;

typedef struct pvrt_tune_result {
  uint32_t choice;
  int from_file; /* the choice was stored: nothing was measured */
} pvrt_tune_result;

/* Chooses a candidate: the stored one, else by measuring; PAVAGE_TUNING=off takes candidate 0 without measuring,
 * =frozen fails with PV0410 when none is stored. `candidates` is null or has candidate_count entries, filled with the
 * (stored) measurements. */
PVRT_API pvrt_error *pvrt_tune(const pvrt_tune_request *request, pvrt_tune_result *result,
                               pvrt_tune_candidate *candidates);

/* Runs `run` in a copy of this process (fork) and forgets all it did. PV0413 when a signal ended the copy or it took
 * longer than that; PV0311 when `poll`, called about every 10 ms, gave not 0. Success otherwise, whatever run found
 * out. `fork` is null, or the fork of a language with locks of its own; `poll` may be null. */
PVRT_API pvrt_error *pvrt_try_out(void (*run)(void *context), double seconds, int (*fork)(void *context),
                                  int (*poll)(void *context), void *context);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* PAVAGE_RUNTIME_H */

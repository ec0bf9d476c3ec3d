/* The virtual GPU's findings and counters, for whoever launches on a device sim:sm_NN. SPDX-License-Identifier:
 * Apache-2.0 WITH LLVM-exception
 *
 * Launches themselves are those of <pavage/runtime.h>. A fault (an access out of bounds, a deadlock: what a real GPU
 * would stop at) is the error of pvrt_launch, numbered PV0640 and up; races, missing waits, uninitialised values and
 * the like let the launch end well and are found here. Both kinds are kept until cleared, of all launches in the
 * process.
 *
 *   pvrt_device_open("sim:sm_80", &device);  ... pvrt_launch(variant, &args) ...
 *   pvrt_sim_findings(print_finding, NULL);
 */
#ifndef PAVAGE_SIM_H
#define PAVAGE_SIM_H

#include <pavage/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Settings ---------------------------------------------------------------------------------------------------- */

/* Changes how later launches run; null or "" = as the environment says (in brackets).
 *   "check"             all, none, or kinds separated by commas [PAVAGE_SIM_CHECK; all]: oob, misaligned,
 *                       use-after-free, uninit, race-shared, race-global, async-read, barrier, deadlock, wrap,
 *                       atomic-count; only on request: nan, unwritten
 *   "async"             when cp.async copies arrive: eager, lazy (as late as allowed) or random
 *                       [PAVAGE_SIM_ASYNC; lazy]
 *   "seed"              0 = round robin; else a random schedule that repeats exactly [PAVAGE_SIM_SEED; 0]
 *   "max-instructions"  warp instructions before a launch is stopped [PAVAGE_SIM_MAX_INSTRUCTIONS; 2^34 + 2^32]
 *   "threads"           host threads; with more than one, the order of global atomics varies [PAVAGE_NUM_THREADS; 1]
 * PV0630 for a setting or value that cannot be. */
PVRT_API pvrt_error *pvrt_sim_set(const char *setting, const char *value);
/* What pvrt_sim_set was given last, "" when nothing: copied to `value`, which has room for `size` bytes. */
PVRT_API void pvrt_sim_get(const char *setting, char *value, size_t size);

/* --- Findings ---------------------------------------------------------------------------------------------------- */

typedef struct pvrt_finding {
  uint32_t number;         /* PVnnnn */
  uint32_t is_fault;       /* 1: the launch failed with it */
  const char *kind;        /* "race-shared" */
  const char *message;     /* one sentence */
  const char *file;        /* where: the author's source if the PTX has line information, else the PTX */
  uint32_t line, column;   /* from 1; 0 = unknown */
  uint32_t ptx_line;       /* of variant section "ptx" */
  const char *op;          /* the tile op, else the PTX instruction */
  const char *instruction; /* "ld.global.b32" */
  const char *kernel;
  const char *device;
  uint64_t count;       /* how often */
  uint32_t cta[3];      /* the first time */
  uint32_t warp;        /* in its CTA */
  const char *rendered; /* the whole printed form, with source line and caret */
} pvrt_finding;

/* Calls visit for each finding since the last clear, in order; returns how many there are. The strings live during the
 * call. visit may be null. */
PVRT_API size_t pvrt_sim_findings(void (*visit)(void *context, const pvrt_finding *finding), void *context);
PVRT_API void pvrt_sim_clear_findings(void);

/* --- Profiles ---------------------------------------------------------------------------------------------------- */

/* Collects the launches of all threads from begin to end. */
typedef struct pvrt_sim_profile pvrt_sim_profile;
PVRT_API pvrt_error *pvrt_sim_profile_begin(pvrt_sim_profile **profile);
PVRT_API void pvrt_sim_profile_end(pvrt_sim_profile *profile);
PVRT_API void pvrt_sim_profile_free(pvrt_sim_profile *profile);

typedef enum pvrt_sim_report {
  PVRT_SIM_TABLE = 0, /* text: counters, and each source line with its own */
  PVRT_SIM_JSON = 1,  /* findings and counters, see docs/virtual-gpu.md */
  PVRT_SIM_HTML = 2   /* one self-contained page */
} pvrt_sim_report;

/* How many launches it has. */
PVRT_API size_t pvrt_sim_profile_count(const pvrt_sim_profile *profile);
/* The kernel's name; null past the end. Lives as long as the profile. */
PVRT_API const char *pvrt_sim_profile_kernel(const pvrt_sim_profile *profile, size_t index);
/* The report of one launch. Its bytes are freed through `text->release`. */
PVRT_API pvrt_error *pvrt_sim_profile_report(const pvrt_sim_profile *profile, size_t index, pvrt_sim_report report,
                                             pvrt_bytes *text);

#ifdef __cplusplus
} // extern "C"
#endif

#endif /* PAVAGE_SIM_H */

/* What compiled CPU kernels and the runtime agree on. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plain C. The CPU back end emits code that reads these structures at the offsets asserted below; a change of layout or
 * meaning raises PAVAGE_ABI_VERSION. An artifact records the version it was compiled for, and only that one is loaded.
 *
 * A kernel is one function that runs the programs [begin, end) of a grid, in ascending order:
 *
 *   int32_t NAME(const uint64_t *slots, const PavageLaunch *launch, int64_t begin, int64_t end, void *scratch);
 *
 *   slots    one per kernel argument, in order: pointers; integers extended to 64 bits by their signedness; the bits of
 *            f32 in the low 32, of f16 and bf16 in the low 16, of f64 in all. The other bits of a float's slot are
 * zero. begin..  linear program ids: x + grid[0] * (y + grid[1] * z). scratch  launch fact `scratchBytes` bytes of this
 * thread's own, aligned to 64; contents undefined. returns  0, or the number of the error that stopped it (what a
 * callback returned, or PAVAGE_INTERRUPTED).
 *
 * Between two programs, and at the back edge of a loop without a known trip count, the kernel reads *launch->cancel and
 * returns PAVAGE_INTERRUPTED when it is not zero.
 */
#ifndef PAVAGE_RUNTIME_ARTIFACT_ABI_H
#define PAVAGE_RUNTIME_ARTIFACT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAVAGE_ABI_VERSION 1

/* Returned by a kernel that saw the cancel flag (error PV0311). */
#define PAVAGE_INTERRUPTED 311

/* An array argument as its owner sees it: what a bounds check compares an address with. The pointers belong to the
 * caller and are valid until the launch has ended. */
typedef struct PavageArray {
  uint64_t base;          /* address of element [0, ..., 0] */
  const int64_t *shape;   /* ndim extents; any of them 0 = no elements */
  const int64_t *strides; /* ndim strides in bytes, negative and zero included; null = row-major without gaps */
  int32_t ndim;           /* 0 = one element */
  uint32_t itemsize;      /* bytes of an element */
  uint32_t slot;          /* index of the kernel argument that it was passed for */
  uint32_t flags;         /* PAVAGE_ARRAY_* */
} PavageArray;

#define PAVAGE_ARRAY_READONLY 1u

/* One launch, as the running kernel sees it. */
typedef struct PavageLaunch {
  uint32_t version;                /* PAVAGE_ABI_VERSION */
  uint32_t flags;                  /* 0 */
  int64_t grid[3];                 /* number of programs along x, y, z */
  const volatile uint32_t *cancel; /* not zero: stop */
  void *context;                   /* first argument of the callbacks */

  /* A device_assert saw a false lane. `site` is the index in the artifact's site table. Returns an error number, which
   * the kernel returns at once. */
  int32_t (*assert_fail)(void *context, uint32_t site, int64_t program);

  /* A device_print. `data` holds the operand's elements in row-major order without gaps, a byte per i1, in the dtype
   * and shape of the site; null for a print without operand. Several operands are several sites and calls. */
  void (*print)(void *context, uint32_t site, int64_t program, const void *data);

  /* PAVAGE_CHECK=1: is [address, address + bytes) made of elements of argument `argument`? `argument` is the kernel
   * argument that the pointer was derived from, or -1 when it may be any. Masked-off lanes are not asked about. Returns
   * 0 or an error number, which the kernel returns at once, before the access. */
  int32_t (*check_access)(void *context, uint32_t site, int32_t argument, uint64_t address, int64_t bytes,
                          int32_t is_write, int64_t program);
} PavageLaunch;

typedef int32_t (*PavageKernelFn)(const uint64_t *slots, const PavageLaunch *launch, int64_t begin, int64_t end,
                                  void *scratch);

#ifdef __cplusplus
} // extern "C"

static_assert(offsetof(PavageLaunch, grid) == 8);
static_assert(offsetof(PavageLaunch, cancel) == 32);
static_assert(offsetof(PavageLaunch, context) == 40);
static_assert(offsetof(PavageLaunch, assert_fail) == 48);
static_assert(offsetof(PavageLaunch, print) == 56);
static_assert(offsetof(PavageLaunch, check_access) == 64);
static_assert(sizeof(PavageLaunch) == 72);
static_assert(sizeof(PavageArray) == 40);
#endif

#endif /* PAVAGE_RUNTIME_ARTIFACT_ABI_H */

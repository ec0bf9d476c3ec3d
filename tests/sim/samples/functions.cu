// Device functions: not inlined, through pointers, with local arrays, a switch, printf and assert. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cassert>
#include <cstdio>

struct Pair {
  int low;
  long long high;
};
__device__ __noinline__ Pair split(long long x, int by) { return {(int)(x % by), x / by}; }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ int (*const table[2])(int) = {twice, square};

extern "C" __global__ void functions(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  int x = in[i];
  Pair p = split((long long)x * 1000003, 97);
  int y = table[x & 1](x);
  int local[8];
  for (int k = 0; k < 8; ++k) {
    local[k] = x + k * y;
  }
  int z = local[(x >> 1) & 7];
  switch (x & 7) {
  case 0: z += 11; break;
  case 1: z -= 5; break;
  case 2: z ^= 77; break;
  case 3: z *= 3; break;
  case 4: z |= 1; break;
  case 5: z = -z; break;
  case 6: z = z >> 1; break;
  default: z = 0;
  }
  assert(n > 0);
  out[i] = z + p.low + (int)p.high;
}

extern "C" __global__ void hello(int n) {
  if (threadIdx.x < n) {
    printf("thread %d of %u: %s %5.2f %lld %c%%\n", threadIdx.x, blockDim.x, "text", threadIdx.x * 0.5, -5ll, 'x');
  }
}

extern "C" __global__ void broken(int n) { assert(threadIdx.x < n && "too many threads"); }

// Pipelines: cp.async groups, cuda::barrier with memcpy_async, and a producer warp with mbarriers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

extern "C" __global__ void pipeline_groups(const float *in, float *out, int tiles) {
  __shared__ __align__(16) float buffer[3][256];
  int t = threadIdx.x;
  const float *mine = in + (size_t)blockIdx.x * tiles * 256;
  auto fetch = [&](int tile) {
    if (tile < tiles) {
      __pipeline_memcpy_async(&buffer[tile % 3][t], mine + tile * 256 + t, 4);
    }
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 2);
    __pipeline_wait_prior(2);
    __syncthreads();
    sum += buffer[tile % 3][255 - t];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void pipeline_barrier(const float *in, float *out, int tiles) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ __align__(16) float buffer[2][128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full[2];
  int t = threadIdx.x;
  if (t < 2) {
    init(&full[t], blockDim.x);
  }
  __syncthreads();
  auto fetch = [&](int tile) {
    cuda::memcpy_async(&buffer[tile & 1][t], in + tile * 128 + t, sizeof(float), full[tile & 1]);
  };
  fetch(0);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      fetch(tile + 1);
    }
    full[tile & 1].arrive_and_wait();
    sum += buffer[tile & 1][127 - t];
    __syncthreads();
  }
  out[t] = sum;
}

__device__ __forceinline__ unsigned address(void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void arrive(unsigned long long *b) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address(b)) : "memory");
}
// test_wait is all that sm_80 has.
__device__ __forceinline__ void wait(unsigned long long *b, unsigned parity) {
  asm volatile("{ .reg .pred done; waitLoop: mbarrier.test_wait.parity.shared.b64 done, [%0], %1; @!done bra waitLoop; }" ::"r"(address(b)), "r"(parity) : "memory");
}

// Warp 0 fills four buffers, three other warps read each of them.
extern "C" __global__ void pipeline_producer(const int *in, int *out, int tiles) {
  __shared__ int buffer[4][32];
  __shared__ unsigned long long full[4], empty[4];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x < 4) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&full[threadIdx.x])), "r"(32) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&empty[threadIdx.x])), "r"(96) : "memory");
  }
  __syncthreads();
  if (warp == 0) {
    for (int tile = 0; tile < tiles; ++tile) {
      wait(&empty[tile & 3], ((tile >> 2) & 1) ^ 1);
      buffer[tile & 3][lane] = in[tile * 32 + lane];
      arrive(&full[tile & 3]);
    }
  } else {
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      wait(&full[tile & 3], (tile >> 2) & 1);
      sum += buffer[tile & 3][31 - lane] * warp;
      arrive(&empty[tile & 3]);
    }
    out[(warp - 1) * 32 + lane] = sum;
  }
}

// Sums: through shared memory, by shuffles, by atomics, and by several blocks with a last one. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void reduce_shared(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) {
      s[t] += s[t + step];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

extern "C" __global__ void reduce_shuffle(const float *in, float *out, int n) {
  __shared__ float partial[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float sum = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, step);
  }
  if (lane == 0) {
    partial[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? partial[lane] : 0;
    for (int step = 16; step > 0; step /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (lane == 0) {
      atomicAdd(out, sum);
    }
  }
}

// The last block to arrive adds the partial sums: ordered by fences around an atomic.
extern "C" __global__ void reduce_last_block(const int *in, int *partial, unsigned *ticket, int *out, int n) {
  __shared__ int s[256];
  __shared__ bool isLast;
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) {
      s[t] += s[t + step];
    }
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    isLast = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && t == 0) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) {
      sum += partial[b];
    }
    *out = sum;
  }
}

// Transposes through a padded tile, of floats and of halves. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>
template <class T> __device__ void transpose(const T *in, T *out, int w, int h) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < w && y + k < h) {
      tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < h && y + k < w) {
      out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
    }
  }
}
extern "C" __global__ void transpose_float(const float *in, float *out, int w, int h) { transpose(in, out, w, h); }
extern "C" __global__ void transpose_half(const half *in, half *out, int w, int h) { transpose(in, out, w, h); }

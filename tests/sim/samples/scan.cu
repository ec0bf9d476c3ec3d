// Inclusive prefix sums of one block: doubling in shared memory, and by shuffles. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void scan_doubling(const int *in, int *out, int n) {
  __shared__ int s[2][256];
  int t = threadIdx.x, now = 0;
  s[0][t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    s[1 - now][t] = s[now][t] + (t >= step ? s[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  if (t < n) {
    out[t] = s[now][t];
  }
}

extern "C" __global__ void scan_shuffle(const int *in, int *out, int n) {
  __shared__ int sums[8];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int x = t < n ? in[t] : 0;
  for (int step = 1; step < 32; step *= 2) {
    int y = __shfl_up_sync(0xffffffff, x, step);
    x += lane >= step ? y : 0;
  }
  if (lane == 31) {
    sums[warp] = x;
  }
  __syncthreads();
  if (warp == 0 && lane < 8) {
    int y = sums[lane];
    for (int step = 1; step < 8; step *= 2) {
      int z = __shfl_up_sync(0xff, y, step);
      y += lane >= step ? z : 0;
    }
    sums[lane] = y;
  }
  __syncthreads();
  if (t < n) {
    out[t] = x + (warp ? sums[warp - 1] : 0);
  }
}

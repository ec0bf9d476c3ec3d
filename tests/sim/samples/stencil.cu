// Stencils: five points in two dimensions through shared memory, and a wide one straight from global memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void five_point(const float *in, float *out, int w, int h) {
  __shared__ float tile[10][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  auto at = [&](int px, int py) { return px >= 0 && px < w && py >= 0 && py < h ? in[py * w + px] : 0.0f; };
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  tile[ly][lx] = at(x, y);
  if (threadIdx.x == 0) {
    tile[ly][0] = at(x - 1, y);
  }
  if (threadIdx.x == 31) {
    tile[ly][33] = at(x + 1, y);
  }
  if (threadIdx.y == 0) {
    tile[0][lx] = at(x, y - 1);
  }
  if (threadIdx.y == 7) {
    tile[9][lx] = at(x, y + 1);
  }
  __syncthreads();
  if (x < w && y < h) {
    out[y * w + x] = tile[ly][lx] + tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx];
  }
}

extern "C" __global__ void smooth(const float *in, float *out, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    int at = min(max(i + k, 0), n - 1);
    sum = sum + in[at];
  }
  out[i] = sum;
}

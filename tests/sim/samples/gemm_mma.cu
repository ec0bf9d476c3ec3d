// C = A * B in f16 with f32 accumulation: cp.async into three swizzled stages, ldmatrix, mma.sync. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A is m x k and B is k x n, both row-major; tiles are 128 x 128 x 32, eight warps of 64 x 32 each.
#include <cuda_fp16.h>

constexpr int tileM = 128, tileN = 128, tileK = 32, stages = 3;

__device__ __forceinline__ unsigned smem(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void copy16(void *to, const void *from, bool valid) {
  int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem(to)), "l"(from), "r"(bytes));
}

// Rows of 64 bytes (A) and 256 bytes (B); the 16-byte chunk number is permuted by the row.
__device__ __forceinline__ int swizzleA(int row, int chunk) { return row * 32 + ((chunk ^ ((row >> 1) & 3)) * 8); }
__device__ __forceinline__ int swizzleB(int row, int chunk) { return row * 128 + ((chunk ^ (row & 7)) * 8); }

extern "C" __global__ void __launch_bounds__(256) gemm(const half *a, const half *b, float *c, int m, int n, int k) {
  __shared__ __align__(128) half as[stages][tileM * tileK];
  __shared__ __align__(128) half bs[stages][tileK * tileN];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int row0 = blockIdx.y * tileM, col0 = blockIdx.x * tileN;
  int warpM = (warp & 1) * 64, warpN = (warp >> 1) * 32;

  auto load = [&](int stage, int k0) {
    for (int i = t; i < tileM * 4; i += 256) {
      int r = i >> 2, ch = i & 3;
      bool ok = row0 + r < m && k0 + ch * 8 < k;
      copy16(&as[stage][swizzleA(r, ch)], ok ? a + (size_t)(row0 + r) * k + k0 + ch * 8 : a, ok);
    }
    for (int i = t; i < tileK * 16; i += 256) {
      int r = i >> 4, ch = i & 15;
      bool ok = k0 + r < k && col0 + ch * 8 < n;
      copy16(&bs[stage][swizzleB(r, ch)], ok ? b + (size_t)(k0 + r) * n + col0 + ch * 8 : b, ok);
    }
    asm volatile("cp.async.commit_group;");
  };

  float acc[4][4][4] = {};
  int steps = (k + tileK - 1) / tileK;
  for (int s = 0; s < stages - 1; ++s) {
    load(s, s * tileK);
  }
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2));
    __syncthreads();
    load((step + stages - 1) % stages, (step + stages - 1) * tileK);
    const half *sa = as[step % stages], *sb = bs[step % stages];
    for (int kk = 0; kk < tileK; kk += 16) {
      unsigned fa[4][4], fb[4][2];
      for (int i = 0; i < 4; ++i) {
        int r = warpM + i * 16 + (lane & 15), ch = kk / 8 + (lane >> 4);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                     : "r"(smem(sa + swizzleA(r, ch))));
      }
      for (int j = 0; j < 4; j += 2) {
        int r = kk + (lane & 15), ch = (warpN + j * 8) / 8 + (lane >> 4);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1])
                     : "r"(smem(sb + swizzleB(r, ch))));
      }
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          float *d = acc[i][j];
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      int r = row0 + warpM + i * 16 + (lane >> 2), q = col0 + warpN + j * 8 + (lane & 3) * 2;
      for (int h = 0; h < 2; ++h) {
        if (r + 8 * h < m && q < n) {
          *reinterpret_cast<float2 *>(c + (size_t)(r + 8 * h) * n + q) = make_float2(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
        }
      }
    }
  }
}

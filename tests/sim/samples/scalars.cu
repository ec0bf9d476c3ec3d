// Scalar arithmetic of many types, in the spellings that nvcc uses for it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void scalars_integer(const int *a, const int *b, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  int x = a[i], y = b[i];
  unsigned ux = x, uy = y;
  long long wide = (long long)x * y, sum = 0;
  sum += y ? x / y : 0;
  sum += y ? x % y : 0;
  sum += uy ? ux / uy : 0;
  sum ^= __popc(x) + __clz(y) + __ffs(x) + (int)__brev(y);
  sum += __mulhi(x, y) + __umulhi(ux, uy) + __byte_perm(x, y, 0x5140) + __funnelshift_l(x, y, 7);
  sum ^= wide >> 3;
  sum += (unsigned long long)wide / (ux | 1);
  sum -= __vabsdiffu4(x, y) + __dp4a(x, y, 5) + __sad(x, y, 1u);
  sum += (short)x * (signed char)y + (unsigned char)x;
  sum += min(x, y) - max(ux, uy) + abs(x);
  out[i] = sum;
}

extern "C" __global__ void scalars_float(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  float x = a[i], y = b[i];
  double d = (double)x * 0.25 + y;
  half h = __hfma(__float2half(x), __float2half(0.5f), __float2half(y));
  __nv_bfloat16 g = __float2bfloat16(x);
  float s = __fadd_rn(x, y) + __fmul_rn(x, 0.5f) + __fdiv_rn(x, 4.0f) + floorf(x * 0.5f) + fminf(x, y) + fabsf(y);
  s = __fadd_rn(s, (float)d);
  s = __fadd_rn(s, __half2float(h));
  s = __fadd_rn(s, __bfloat162float(g));
  out[i] = __fadd_rn(s, (float)__float2int_rz(x * 1.5f));
}

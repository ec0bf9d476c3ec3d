// Device functions of the CUDA headers over 16- and 8-bit floats, SIMD words and warps: for the forms they compile to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class T, class T2> __device__ void floats(T *o, T2 *p, T a, T b, T c, T2 x, T2 y, T2 z) {
  int i = 0, k = 0;
  o[i++] = __hadd(a, b), o[i++] = __hsub(a, b), o[i++] = __hmul(a, b), o[i++] = __hdiv(a, b), o[i++] = __hfma(a, b, c);
  o[i++] = __hadd_sat(a, b), o[i++] = __hmul_sat(a, b), o[i++] = __hfma_sat(a, b, c), o[i++] = __hfma_relu(a, b, c);
  o[i++] = __hadd_rn(a, b), o[i++] = __hmul_rn(a, b), o[i++] = __hneg(a), o[i++] = __habs(a);
  o[i++] = __hmax(a, b), o[i++] = __hmin(a, b), o[i++] = __hmax_nan(a, b), o[i++] = __hmin_nan(a, b);
  o[i++] = hexp2(a), o[i++] = hexp(a), o[i++] = hlog2(a), o[i++] = hrcp(a), o[i++] = hsqrt(a), o[i++] = hrsqrt(a);
  o[i++] = hsin(a), o[i++] = hcos(a), o[i++] = hfloor(a), o[i++] = hceil(a), o[i++] = htrunc(a), o[i++] = hrint(a);
  o[i++] = htanh(a), o[i++] = htanh_approx(a);
  o[i++] = T(__hlt(a, b) ? 1.0f : 0.0f), o[i++] = T(__hequ(a, b) ? 1.0f : 0.0f), o[i++] = T(__hisnan(a) ? 1.0f : 0.0f);
  p[k++] = __hadd2(x, y), p[k++] = __hsub2(x, y), p[k++] = __hmul2(x, y), p[k++] = __h2div(x, y), p[k++] = __hfma2(x, y, z);
  p[k++] = __hadd2_sat(x, y), p[k++] = __hfma2_sat(x, y, z), p[k++] = __hfma2_relu(x, y, z), p[k++] = __hneg2(x);
  p[k++] = __hmax2(x, y), p[k++] = __hmin2_nan(x, y), p[k++] = __heq2(x, y), p[k++] = __hgtu2(x, y), p[k++] = __hne2(x, y);
  p[k++] = h2exp2(x), p[k++] = h2log2(x), p[k++] = h2rcp(x), p[k++] = h2sqrt(x), p[k++] = h2tanh_approx(x), p[k++] = __hcmadd(x, y, z);
  p[k++] = T2{__hgt2_mask(x, y) ? a : b, __hbeq2(x, y) ? a : b}, p[k++] = __lowhigh2highlow(x);
}

extern "C" __global__ void halves(__half *o, __half2 *p) {
  __half a = o[90], b = o[91], c = o[92];
  floats<__half, __half2>(o, p, a, b, c, p[90], p[91], p[92]);
}

extern "C" __global__ void brains(__nv_bfloat16 *o, __nv_bfloat162 *p) {
  __nv_bfloat16 a = o[90], b = o[91], c = o[92];
  floats<__nv_bfloat16, __nv_bfloat162>(o, p, a, b, c, p[90], p[91], p[92]);
}

template <class T> __device__ void conversions(double *o, T a) {
  int i = 0;
  o[i++] = int(a), o[i++] = unsigned(a), o[i++] = (long long)a, o[i++] = (unsigned long long)a, o[i++] = short(a), o[i++] = float(a);
  o[i++] = float(T(float(o[40]))), o[i++] = float(T(o[41])), o[i++] = float(T(int(o[42]))), o[i++] = float(T((long long)o[43]));
}

extern "C" __global__ void converts(double *o, __half *h, __nv_bfloat16 *b, unsigned *w) {
  conversions(o, h[0]);
  conversions(o + 50, b[0]);
  __half2 x = __halves2half2(h[0], h[1]);
  int i = 0;
  w[i++] = __nv_cvt_float2_to_fp8x2({float(o[40]), float(o[41])}, __NV_SATFINITE, __NV_E4M3);
  w[i++] = __nv_cvt_float2_to_fp8x2({float(o[40]), float(o[41])}, __NV_SATFINITE, __NV_E5M2);
  w[i++] = __nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3);
  __half2_raw y = __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t(w[i]), __NV_E5M2);
  w[i++] = y.x | y.y << 16;
  w[i++] = __float2half_rz(o[44]) < h[0], w[i++] = __float2half_ru(o[45]) < h[0], w[i++] = __float2int_rd(o[46]), w[i++] = __double2uint_ru(o[47]);
  w[i++] = __float_as_uint(__int2float_rz(w[i])), w[i++] = __float_as_uint(__fmaf_ru(o[1], o[2], o[3])), w[i++] = __float_as_uint(__fdividef(o[1], o[2]));
  w[i++] = __float_as_uint(__expf(o[1]) + __logf(o[2]) + __sinf(o[3]) + __cosf(o[4]) + __tanf(o[5]) + __powf(o[6], o[7]) + __saturatef(o[8]) + __frsqrt_rn(o[9]));
}

#define TWO(f) o[i++] = f(a, b);
#define ONE(f) o[i++] = f(a);
extern "C" __global__ void words(unsigned *o, unsigned a, unsigned b, unsigned long long q) {
  int i = 0;
  TWO(__vadd4) TWO(__vadd2) TWO(__vsub4) TWO(__vaddss4) TWO(__vaddus2) TWO(__vsubss2) TWO(__vsubus4) TWO(__vabsdiffs4) TWO(__vabsdiffu2) TWO(__vavgs4)
  TWO(__vavgu2) TWO(__vhaddu4) TWO(__vmaxs4) TWO(__vminu4) TWO(__vmaxs2) TWO(__vminu2) TWO(__vcmpeq4) TWO(__vcmpgts4) TWO(__vcmpltu2) TWO(__vseteq4)
  TWO(__vsadu4) TWO(__vsads4) TWO(__vsadu2) TWO(__vsads2) TWO(__umulhi) TWO(__uhadd) TWO(__urhadd) ONE(__vneg4) ONE(__vabs4) ONE(__vabsss2) ONE(__brev) ONE(__popc) ONE(__clz) ONE(__ffs)
  o[i++] = __byte_perm(a, b, 0x5140), o[i++] = __funnelshift_l(a, b, 3), o[i++] = __funnelshift_rc(a, b, 40), o[i++] = __dp4a(a, b, 5u), o[i++] = __dp2a_lo(a, b, 5u), o[i++] = __sad(int(a), int(b), 5u);
  o[i++] = __viaddmax_s32(a, b, 7), o[i++] = __vimax3_u32(a, b, 9), o[i++] = __vimin_s16x2_relu(a, b), o[i++] = __fns(a, 3, 2);
  o[i++] = __clzll(q), o[i++] = __popcll(q), o[i++] = __brevll(q), o[i++] = __umul64hi(q, q + 1), o[i++] = __mul24(int(a), int(b));
}

extern "C" __global__ void warps(unsigned *o, unsigned long long *q, __half *h, __half2 *x, float *f) {
  unsigned a = o[threadIdx.x], mask = __activemask();
  a += __shfl_xor_sync(mask, a, 3) + __ballot_sync(mask, a & 1) + __any_sync(mask, a & 2) + __all_sync(mask, a & 4) + __match_any_sync(mask, a & 7);
#if __CUDA_ARCH__ >= 800
  a += __reduce_add_sync(mask, a) + __reduce_max_sync(mask, int(a)) + __reduce_xor_sync(mask, a);
#endif
  a += atomicAdd(o + 40, a) + atomicExch(o + 41, a) + atomicCAS(o + 42, a, 1u) + atomicInc(o + 43, 9) + atomicDec(o + 44, 9) + atomicMax(o + 45, a) + atomicAnd_block(o + 46, a) + atomicXor_system(o + 47, a);
  q[0] = atomicAdd(q + 1, a) + atomicMin(q + 2, a) + atomicCAS(q + 3, a, 1);
  h[0] = atomicAdd(h + 1, h[2]), x[0] = atomicAdd(x + 1, x[2]), f[0] = atomicAdd(f + 1, f[2]);
  o[threadIdx.x] = a + __ldg(o + 50) + __ldcg(o + 51) + __ldcs(o + 52) + __ldlu(o + 53) + __ldcv(o + 54);
  __stcg(o + 55, a), __stwt(o + 56, a), __nanosleep(5), __threadfence(), __threadfence_system(), __threadfence_block();
  o[57] = __syncthreads_or(a) + __syncthreads_and(a) + __syncthreads_count(a);
}

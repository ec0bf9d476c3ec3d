# Matrix product with a fused epilogue. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% A program computes one tile of the result and walks along K. What follows the product, here bias and an activation
# function passed as a compile-time argument, is applied while the tile is still in registers.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def relu(x):
    return tl.maximum(x, 0.0)


@pavage.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


# %% Programs that run at the same time should share operands in the cache. `GROUP` rows of tiles are therefore walked
# column by column before the next group begins; neighbours in time then read the same columns of B.
@pavage.jit
def matmul(c, a, b, bias, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
           ACTIVATION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    group = pid // (GROUP * tiles_n)
    first_m = group * GROUP
    group_size = min(tiles_m - first_m, GROUP)
    pid_m = first_m + pid % (GROUP * tiles_n) % group_size
    pid_n = pid % (GROUP * tiles_n) // group_size

    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    pa = a + rows[:, None] * stride_am + ks[None, :] * stride_ak
    pb = b + ks[:, None] * stride_bk + cols[None, :] * stride_bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ta = tl.load(pa, mask=(rows[:, None] < M) & (ks[None, :] < K - k), other=0.0)
        tb = tl.load(pb, mask=(ks[:, None] < K - k) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(ta, tb, acc)
        pa += BK * stride_ak
        pb += BK * stride_bk

    if bias is not None:
        acc += tl.load(bias + cols, mask=cols < N)[None, :]
    if ACTIVATION is not None:
        acc = ACTIVATION(acc)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c + rows[:, None] * stride_cm + cols[None, :] * stride_cn, acc.to(c.dtype.element_ty), mask=mask)


# %% Strides make transposed operands free: `run(a.T, b)` needs no copy.
def run(a, b, bias=None, activation=None, BM=64, BN=64, BK=32, GROUP=8):
    (M, K), N = a.shape, b.shape[1]
    c = np.empty((M, N), a.dtype)
    strides = [s // x.itemsize for x in (a, b, c) for s in x.strides]
    grid = (pavage.cdiv(M, BM) * pavage.cdiv(N, BN),)
    matmul[grid](c, a, b, bias, M, N, K, *strides, ACTIVATION=activation, BM=BM, BN=BN, BK=BK, GROUP=GROUP)
    return c


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((300, 200), dtype=np.float32)
    b = rng.standard_normal((200, 250), dtype=np.float32)
    bias = rng.standard_normal(250, dtype=np.float32)
    expected = a @ b + bias
    pavage.testing.assert_close(run(a, b, bias, relu), np.maximum(expected, 0), rtol=1e-4, atol=1e-4)
    pavage.testing.assert_close(run(a, b, bias, leaky_relu), np.where(expected >= 0, expected, 0.01 * expected),
                                rtol=1e-4, atol=1e-4)
    pavage.testing.assert_close(run(b.T, a.T), b.T @ a.T, rtol=1e-4, atol=1e-4)
    print("matmul with bias, relu, leaky relu and transposed operands: equal to NumPy within 1e-4")


if __name__ == "__main__":
    main()

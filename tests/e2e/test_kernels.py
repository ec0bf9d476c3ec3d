# Whole kernels against NumPy: products, attention, normalisation, random numbers. SPDX-License-Identifier: Apache-2.0
# WITH LLVM-exception
import ml_dtypes
import numpy as np
import pytest

import pavage
import pavage.language as tl

RNG = np.random.default_rng(11)
BF16, E4M3, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2


@pavage.jit
def product(c, a, b, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr, ACC: tl.constexpr,
            PRECISION: tl.constexpr = None):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + j[None, :])
    if ACC:
        acc = tl.load(c + i[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    else:
        acc = tl.dot(x, y, input_precision=PRECISION, out_dtype=OUT)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@pytest.mark.parametrize("shape", [(16, 16, 16), (1, 1, 1), (3, 5, 7), (32, 8, 64), (17, 33, 20)])
@pytest.mark.parametrize(
    "dtype, out",
    [
        (np.float32, np.float32),
        (np.float16, np.float32),
        (BF16, np.float32),
        (np.int8, np.int32),
        (np.float64, np.float64),
        (np.float16, np.float16),
        (E4M3, np.float32),
        (E5M2, np.float32),
    ],
    ids=str,
)
def test_dot(way, dtype, out, shape):
    m, n, k = shape
    a, b = RNG.integers(-3, 4, (m, k)).astype(dtype), RNG.integers(-3, 4, (k, n)).astype(dtype)
    want = a.astype(np.float64) @ b.astype(np.float64)
    kinds = {np.float32: tl.float32, np.float64: tl.float64, np.int32: tl.int32, np.float16: tl.float16}
    c = np.zeros((m, n), out)
    product[(1,)](c, a, b, M=m, N=n, K=k, OUT=kinds[out], ACC=False)
    np.testing.assert_array_equal(c.astype(np.float64), want)
    c = RNG.integers(-3, 4, (m, n)).astype(out)
    before = c.astype(np.float64)
    product[(1,)](c, a, b, M=m, N=n, K=k, OUT=kinds[out], ACC=True)
    np.testing.assert_array_equal(c.astype(np.float64), before + want)


def test_dot_adds_in_order_of_k(way):
    a, b = RNG.standard_normal((5, 40)).astype(np.float32), RNG.standard_normal((40, 6)).astype(np.float32)
    c = np.zeros((5, 6), np.float32)
    # A GPU multiplies f32 in tf32 unless asked for more.
    product[(1,)](c, a, b, M=5, N=6, K=40, OUT=tl.float32, ACC=False, PRECISION="ieee")
    want = np.zeros((5, 6), np.float32)
    for k in range(40):  # one rounding per step: products of two floats are exact in float64
        want = (a[:, k, None].astype(np.float64) * b[k].astype(np.float64) + want).astype(np.float32)
    np.testing.assert_allclose(c, want, rtol=2e-7)


@pavage.jit
def batched(c, a, b, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    n = tl.arange(0, B)[:, None, None]
    i, j = tl.arange(0, M), tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + n * M * K + i[None, :, None] * K + k[None, None, :])
    y = tl.load(b + n * K * N + k[None, :, None] * N + j[None, None, :])
    tl.store(c + n * M * N + i[None, :, None] * N + j[None, None, :], tl.dot(x, y))


def test_dot_of_batches(way):
    a, b = RNG.integers(-3, 4, (3, 4, 5)).astype(np.float32), RNG.integers(-3, 4, (3, 5, 6)).astype(np.float32)
    c = np.zeros((3, 4, 6), np.float32)
    batched[(1,)](c, a, b, B=3, M=4, N=6, K=5)
    np.testing.assert_array_equal(c, a @ b)


@pavage.jit
def matmul(
    c, a, b, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACT: tl.constexpr
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + i[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + j[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, tl.cdiv(K, BK)):
        left = K - start * BK
        x = tl.load(pa, mask=(i[:, None] < M) & (k[None, :] < left), other=0.0)
        y = tl.load(pb, mask=(k[:, None] < left) & (j[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
        pa += BK * sak
        pb += BK * sbk
    if ACT is not None:
        acc = ACT(acc)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(c.dtype.element_ty), mask=(i[:, None] < M) & (j[None, :] < N))


@pavage.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)


@pytest.mark.parametrize("shape", [(1, 1, 1), (33, 20, 17), (64, 64, 64), (5, 70, 1)])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_tiled_matmul(way, shape, turned, dtype):
    m, n, k = shape
    a, b = RNG.integers(-3, 4, (m, k)).astype(dtype), RNG.integers(-3, 4, (k, n)).astype(dtype)
    if turned:
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    c = np.zeros((m, n), dtype)
    strides = [s // x.itemsize for x in (a, b) for s in x.strides]
    matmul[(pavage.cdiv(m, 16), pavage.cdiv(n, 32))](
        c, a, b, m, n, k, *strides, BM=16, BN=32, BK=8, ACT=relu if turned else None
    )
    want = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(c, np.maximum(want, 0) if turned else want)


# ---- Philox ----


def philox_reference(c, key, rounds=10):
    """Philox 4x32 as published: Salmon et al., Parallel random numbers: as easy as 1, 2, 3."""
    c, (k0, k1) = [int(v) for v in c], key
    mask = 0xFFFFFFFF
    for _ in range(rounds):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & mask, (p0 >> 32) ^ c[3] ^ k1, p0 & mask]
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return c


@pavage.jit
def random_bits(out, floats, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out + i, a)
    tl.store(out + N + i, b)
    tl.store(out + 2 * N + i, c)
    tl.store(out + 3 * N + i, d)
    tl.store(out + 4 * N + i, tl.randint(seed, i))
    zero = tl.zeros((N,), tl.uint32)
    w, _, _, z = tl.philox(seed, i.to(tl.uint32), zero, zero, zero)
    tl.store(out + 5 * N + i, w)
    tl.store(out + 6 * N + i, z)
    tl.store(floats + i, tl.rand(seed, i))
    tl.store(floats + N + i, tl.randn(seed, i))


@pytest.mark.parametrize("seed", [0, 42, (7 << 32) + 5])
def test_random_numbers_are_philox(way, seed):
    n = 33
    out, floats = np.zeros((7, n), np.uint32), np.zeros((2, n), np.float32)
    random_bits[(1,)](out, floats, seed, N=n)
    want = np.array([philox_reference((i, 0, 0, 0), (seed & 0xFFFFFFFF, seed >> 32)) for i in range(n)], np.uint32).T
    np.testing.assert_array_equal(out[:4], want)
    np.testing.assert_array_equal(out[4], want[0])
    np.testing.assert_array_equal(out[5:], want[[0, 3]])
    # Bits to [0, 1): the sign folds, then a scale that cannot reach 1.
    signed = want[0].astype(np.int32).astype(np.int64)
    folded = np.where(signed < 0, -signed - 1, signed)
    np.testing.assert_allclose(floats[0], folded * np.float32(4.6566127342e-10), rtol=1e-6)
    assert ((floats[0] >= 0) & (floats[0] < 1)).all()


def test_random_numbers_have_their_distribution():
    n = 1 << 16
    out, floats = np.zeros((7, n), np.uint32), np.zeros((2, n), np.float32)
    random_bits[(1,)](out, floats, 3, N=n)
    assert abs(floats[0].mean() - 0.5) < 5e-3 and abs(floats[0].var() - 1 / 12) < 5e-3
    assert abs(floats[1].mean()) < 2e-2 and abs(floats[1].std() - 1) < 2e-2


# ---- Normalisation and attention ----


@pavage.jit
def layer_norm(y, x, w, b, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m).to(tl.float32)
    mean = tl.sum(v) / n
    d = tl.where(m, v - mean, 0.0)
    r = tl.rsqrt(tl.sum(d * d) / n + eps)
    tl.store(y + row * n + c, d * r * tl.load(w + c, mask=m) + tl.load(b + c, mask=m), mask=m)


@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (4, 100), (2, 1000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16])
def test_layer_norm(way, shape, dtype):
    x, w, b = (RNG.standard_normal(s).astype(dtype) for s in (shape, shape[1], shape[1]))
    y = np.zeros_like(x)
    layer_norm[(shape[0],)](y, x, w, b, shape[1], 1e-5, B=pavage.next_power_of_2(shape[1]))
    f = x.astype(np.float64)
    want = (f - f.mean(1, keepdims=True)) / np.sqrt(f.var(1, keepdims=True) + 1e-5) * w.astype(np.float64) + b.astype(
        np.float64
    )
    tolerance = {2: 3e-2 if dtype is BF16 else 4e-3, 4: 2e-5}[np.dtype(dtype).itemsize]
    np.testing.assert_allclose(y.astype(np.float64), want, rtol=tolerance, atol=tolerance)


@pavage.jit
def attention(out, q, k, v, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(q + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = tl.minimum(n, (tl.program_id(0) + 1) * BM) if CAUSAL else n
    for start in tl.range(0, end, BN, num_stages=2):
        cols = start + tl.arange(0, BN)
        kt = tl.load(k + cols[None, :] * D + d[:, None], mask=cols[None, :] < n, other=0.0)
        s = tl.dot(x, kt, input_precision="ieee") * scale
        allowed = (cols < n)[None, :]
        if CAUSAL:
            allowed &= cols[None, :] <= rows[:, None]
        s = tl.where(allowed, s, -1e30)
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(largest - new)
        total = total * shrink + tl.sum(p, 1)
        vt = tl.load(v + cols[:, None] * D + d[None, :], mask=cols[:, None] < n, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(vt.dtype), vt, input_precision="ieee")
        largest = new
    tl.store(out + rows[:, None] * D + d[None, :], acc / total[:, None], mask=rows[:, None] < n)


@pytest.mark.parametrize("n, d", [(1, 4), (20, 8), (33, 16)])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(way, n, d, causal):
    q, k, v = (RNG.standard_normal((n, d)).astype(np.float32) for _ in range(3))
    out = np.zeros_like(q)
    attention[(pavage.cdiv(n, 8),)](out, q, k, v, n, d**-0.5, D=d, BM=8, BN=16, CAUSAL=causal)
    s = q @ k.T * d**-0.5
    if causal:
        s = np.where(np.tri(n, dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(out, p / p.sum(1, keepdims=True) @ v, rtol=1e-4, atol=1e-5)


@pavage.jit
def spin(out, flags, n):
    """A program waits for the one before it."""
    pid = tl.program_id(0)
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0) == 0:
            pass
    tl.store(out + pid, pid * 2)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1)


def test_a_program_may_wait_for_one_of_lower_id(way):
    out, flags = np.zeros(40, np.int32), np.zeros(40, np.int32)
    spin[(40,)](out, flags, 40)
    np.testing.assert_array_equal(out, 2 * np.arange(40))

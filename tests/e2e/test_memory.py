# Loads, stores, atomics, block pointers, descriptors, arrays of any kind. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import array

import numpy as np
import pytest

import pavage
import pavage.language as tl
from pavage.tools.tensor_descriptor import TensorDescriptor

RNG = np.random.default_rng(9)


@pavage.jit
def copy2d(out, x, so0, so1, sx0, sx1, M, N, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    m = (i < M)[:, None] & (j < N)[None, :]
    v = tl.load(x + i[:, None] * sx0 + j[None, :] * sx1, mask=m)
    tl.store(out + i[:, None] * so0 + j[None, :] * so1, v, mask=m)


def run_copy(out, x, bm=4, bn=8):
    strides = [s // a.itemsize for a in (out, x) for s in a.strides]
    grid = (pavage.cdiv(x.shape[0], bm), pavage.cdiv(x.shape[1], bn))
    copy2d[grid](out, x, *strides, *x.shape, BM=bm, BN=bn)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a[::2, ::3],
        lambda a: a[::-1],
        lambda a: a[:, ::-1],
        lambda a: a[1:4, 2:7],
        lambda a: np.broadcast_to(a[:1], a.shape),
    ],
    ids=["plain", "transposed", "every second", "reversed rows", "reversed columns", "part", "broadcast"],
)
@pytest.mark.parametrize("shape", [(3, 5), (8, 16), (1, 1), (17, 9)])
def test_views_of_any_strides(way, view, shape):
    x = view(RNG.standard_normal((shape[0] + 4, shape[1] + 7)).astype(np.float32))
    out = np.full(x.shape, -1, np.float32)
    run_copy(out, x)
    np.testing.assert_array_equal(out, x)
    turned = np.full(x.shape[::-1], -1, np.float32).T
    run_copy(turned, x)
    np.testing.assert_array_equal(turned, x)


@pavage.jit
def masked(out, x, n):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i, mask=i < n))
    tl.store(out + 8 + i, tl.load(x + i, mask=i < n, other=-1.5))
    tl.store(out + 16 + i, tl.load(x + i, mask=i < n, other=tl.arange(0, 8)))
    if n > 3:
        tl.store(out + 24, tl.load(x + n - 1))


@pytest.mark.parametrize("n", [0, 1, 5, 8])
def test_masked_lanes_are_zero_or_other_and_touch_nothing(way, n):
    x = RNG.standard_normal(n).astype(np.float32)
    out = np.zeros(25, np.float32)
    masked[(1,)](out, x, n)
    pad = 8 - n
    np.testing.assert_array_equal(out[:8], np.concatenate([x, np.zeros(pad)]))
    np.testing.assert_array_equal(out[8:16], np.concatenate([x, np.full(pad, -1.5)]))
    np.testing.assert_array_equal(out[16:24], np.concatenate([x, np.arange(n, 8)]))


@pavage.jit
def atomics(out, least, old, x, n):
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.atomic_add(out, tl.sum(v))
    tl.atomic_max(out + 1 + i * 0, v, mask=m)
    tl.atomic_min(least + tl.program_id(0) + i * 0, v, mask=m, sem="relaxed", scope="cta")  # a place that no other has
    tl.atomic_xor(out + 2 + i * 0, v, mask=m)
    tl.atomic_or(out + 3 + i * 0, v, mask=m)
    tl.atomic_and(out + 4 + i * 0, v, mask=m)
    got = tl.atomic_xchg(old + i, i + 100, mask=m)
    tl.store(old + n + i, got, mask=m)
    tl.atomic_cas(out + 5, 0, 5)
    tl.atomic_cas(out + 5, 5, 7)


@pytest.mark.parametrize("n", [1, 8, 21])
def test_atomics(way, n):
    x = RNG.integers(0, 1000, n).astype(np.int32)
    out = np.array([0, -1, 0, 0, -1, 0], np.int32)
    least = np.full(pavage.cdiv(n, 8), 5000, np.int32)
    old = np.concatenate([np.arange(n), np.zeros(n)]).astype(np.int32)
    atomics[(pavage.cdiv(n, 8),)](out, least, old, x, n)
    assert list(out) == [
        x.sum(),
        x.max(),
        np.bitwise_xor.reduce(x),
        np.bitwise_or.reduce(x),
        np.bitwise_and.reduce(x),
        7,
    ]
    assert list(least) == [x[k : k + 8].min() for k in range(0, n, 8)]
    np.testing.assert_array_equal(old, np.concatenate([np.arange(n) + 100, np.arange(n)]))


@pavage.jit
def float_atomics(out, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(out + i % 3, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint32])
def test_atomic_add_types(way, dtype):
    x = RNG.integers(0, 5, 20).astype(dtype)
    out = np.zeros(3, dtype)
    float_atomics[(1,)](out, x, 20, B=32)
    np.testing.assert_array_equal(out, [x[k::3].sum() for k in range(3)])


@pavage.jit
def blocks(out, x, M, N, sm, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_block_ptr(x, (M, N), (sm, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    dst = tl.make_block_ptr(out, (M, N), (sm, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    for _ in range(0, tl.cdiv(N, BN)):
        t = tl.load(src, boundary_check=(0, 1), padding_option="zero")
        tl.static_assert(src.dtype.element_ty == t.dtype and src.block_shape == t.shape)
        tl.store(dst, t * 2, boundary_check=(0, 1))
        src = tl.advance(src, (0, BN))
        dst = dst.advance((0, BN))


@pytest.mark.parametrize("shape", [(8, 8), (5, 13), (1, 1), (16, 3)])
def test_block_pointers(way, shape):
    x = RNG.standard_normal(shape).astype(np.float32)
    out = np.zeros_like(x)
    blocks[(pavage.cdiv(shape[0], 4),)](out, x, *shape, shape[1], BM=4, BN=4)
    np.testing.assert_array_equal(out, x * 2)


@pavage.jit
def descriptors(out, x, M, N, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    dst = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    dst.store([i, j], src.load([i, j]) + 1)


@pavage.jit
def host_descriptors(dst, src):
    i, j = tl.program_id(0) * src.block_shape[0], tl.program_id(1) * src.block_shape[1]
    dst.store([i, j], src.load([i, j]) + 1)


@pytest.mark.parametrize("shape", [(8, 16), (5, 12), (3, 4)])
def test_descriptors_of_device_and_host(way, shape):
    x = RNG.standard_normal(shape).astype(np.float32)
    out = np.zeros_like(x)
    grid = (pavage.cdiv(shape[0], 4), pavage.cdiv(shape[1], 8))
    descriptors[grid](out, x, *shape, BM=4, BN=8)
    np.testing.assert_array_equal(out, x + 1)
    out = np.zeros_like(x)
    host_descriptors[grid](TensorDescriptor.from_tensor(out, [4, 8]), TensorDescriptor(x, shape, [shape[1], 1], [4, 8]))
    np.testing.assert_array_equal(out, x + 1)


@pavage.jit
def sum_all(out, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0).to(tl.float32)))


class Interface:
    """Only __array_interface__."""

    def __init__(self, a):
        self.a = a
        self.__array_interface__ = a.__array_interface__


class Torchlike:
    """Only data_ptr() and dtype."""

    def __init__(self, a):
        self.a, self.dtype, self.shape = a, f"torch.{a.dtype.name}", a.shape

    def data_ptr(self):
        return self.a.ctypes.data

    def stride(self):
        return tuple(s // self.a.itemsize for s in self.a.strides)


class Dlpack:
    """Only __dlpack__."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **kwargs):
        return self.a.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


@pytest.mark.parametrize(
    "wrap",
    [lambda a: a, Interface, Torchlike, Dlpack, memoryview, lambda a: array.array("f", a)],
    ids=["numpy", "array_interface", "data_ptr", "dlpack", "memoryview", "array"],
)
def test_arrays_of_every_kind(way, wrap):
    x = np.arange(10, dtype=np.float32)
    out = np.zeros(1, np.float32)
    sum_all[(1,)](out, wrap(x), 10, B=16)
    assert out[0] == 45


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int64, np.float16, np.float64, bool])
def test_dtypes_through_dlpack_and_interface(way, dtype):
    x = np.ones(5, dtype)
    for wrap in (Interface, Torchlike, Dlpack):
        out = np.zeros(1, np.float32)
        sum_all[(1,)](out, wrap(x), 5, B=8)
        assert out[0] == 5


@pavage.jit
def scalars(out, i, f, b, big, u, none):
    tl.store(out, i)
    tl.store(out + 1, f)
    tl.store(out + 2, b)
    tl.store(out + 3, big // 1000000007)
    tl.store(out + 4, (u >> 60).to(tl.int32))
    tl.store(out + 5, 1.0 if none is None else 0.0)
    tl.store(out + 6, i.to(tl.int64) + 1)


@pytest.mark.parametrize("i", [1, np.int32(1), np.int64(7), np.uint8(3), 16])
@pytest.mark.parametrize("f", [0.5, np.float32(0.5), np.float64(0.5), np.float16(0.5)])
def test_scalar_arguments(way, i, f):
    out = np.zeros(7, np.float64)
    scalars[(1,)](out, i, f, np.bool_(True), 1000000007 * 12, (1 << 63) + 5, None)
    assert list(out) == [int(i), 0.5, 1, 12, 8, 1, int(i) + 1]


@pavage.jit
def annotated(out, a: tl.int64, b: "fp64", c: tl.uint8, d: "fp16", e: "bf16"):  # noqa: F821
    tl.static_assert(a.dtype == tl.int64 and b.dtype == tl.float64 and c.dtype == tl.uint8)
    tl.static_assert(d.dtype == tl.float16 and e.dtype == tl.bfloat16)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, e)


@pytest.mark.parametrize("x", [1 / 3, 65504.0, 1e-7, -2.0, 0.0, float("inf"), 1.0009765625, 65520.0, 5.96e-8])
def test_annotated_scalars_are_rounded_not_cut(way, x):
    import ml_dtypes

    out = np.zeros(5, np.float64)
    with np.errstate(over="ignore"):
        annotated[(1,)](out, 5, x, 200, x, x)
        want = [5, x, 200, np.float16(x), np.array(x).astype(ml_dtypes.bfloat16).astype(np.float64)]
    np.testing.assert_array_equal(out, np.array(want, np.float64))


def test_arrays_without_elements(way):
    empty = np.zeros((0, 3), np.float32)
    out = np.ones(1, np.float32)
    sum_all[(1,)](out, empty, 0, B=4)
    assert out[0] == 0
    sum_all[(0,)](out + 5, empty, 0, B=4)


def test_a_tile_is_loaded_whole_before_it_is_stored(way):
    @pavage.jit
    def shift(x, ON_GPU: tl.constexpr):
        i = tl.arange(0, 64)
        v = tl.load(x + i)
        if ON_GPU:  # its threads load what others store
            tl.debug_barrier()
        tl.store(x + 1 + i, v)

    x = np.arange(65, dtype=np.int32)
    shift[(1,)](x, ON_GPU=way.startswith("sim:"))
    np.testing.assert_array_equal(x, np.concatenate([[0], np.arange(64)]))

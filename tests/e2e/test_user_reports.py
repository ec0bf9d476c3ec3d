# What users of tile compilers report, each as a kind. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One test per kind of failure seen in public issue trackers (wrong values, crashes, bad messages, needless recompiles),
# with the right value computed by NumPy. Those that need a GPU's shared memory or warps are not here.
import numpy as np
import pytest

import pavage
import pavage.language as tl

RNG = np.random.default_rng(0)


def integers(shape, low=-4, high=5, dtype=np.float32):
    return RNG.integers(low, high, shape).astype(dtype)


# ---- Reductions and scans ----


@pavage.jit
def masked_count(out, n, R: tl.constexpr, N: tl.constexpr, LOOP: tl.constexpr):
    rows = tl.arange(0, R)
    idx = tl.arange(0, N)
    for _ in range(LOOP):
        m = tl.where(idx[None, :] + rows[:, None] * 0 < n, 1, 0)
        s = tl.cumsum(m, axis=1)
        tl.store(out + rows[:, None] * N + idx[None, :], s, mask=idx[None, :] < n)


@pytest.mark.parametrize("size", [2, 3, 8, 32, 100, 512, 4096])
@pytest.mark.parametrize("loop", [1, 2])
@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_cumsum_of_a_mask_in_a_loop_that_runs_once(size, loop, num_warps):
    out = np.zeros((1, size), np.int64)
    masked_count[(1,)](out, size, R=1, N=size, LOOP=loop, num_warps=num_warps)
    np.testing.assert_array_equal(out[0], np.arange(1, size + 1))


@pavage.jit
def subtract(a, b):
    return a - b


@pavage.jit
def reverse_scan(out, x, N: tl.constexpr, AXIS: tl.constexpr):
    i = tl.arange(0, N)
    offsets = i[:, None] * N + i[None, :]
    tl.store(out + offsets, tl.associative_scan(tl.load(x + offsets), AXIS, subtract, reverse=True))


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("in_place", [False, True])
def test_reverse_scan_accumulates_from_the_end(axis, in_place):
    x = integers((8, 8), dtype=np.int32)
    expected = np.moveaxis(x.copy(), axis, 0)
    for i in range(6, -1, -1):
        expected[i] = expected[i + 1] - expected[i]
    expected = np.moveaxis(expected, 0, axis)
    out = x if in_place else np.zeros_like(x)
    reverse_scan[(1,)](out, x, N=8, AXIS=axis)
    np.testing.assert_array_equal(out, expected)


@pavage.jit
def running_outer(out, q, k, v, N: tl.constexpr):
    i = tl.arange(0, N)
    square = i[:, None] * N + i[None, :]
    kv = tl.load(k + square)[:, :, None] * tl.load(v + square)[:, None, :]
    context = tl.cumsum(kv, axis=0)
    tl.store(out + square, tl.sum(context, axis=1))


def test_scan_then_reduce_over_another_axis():
    k, v, out = integers((16, 16)), integers((16, 16)), np.zeros((16, 16), np.float32)
    running_outer[(1,)](out, k, k, v, N=16)
    np.testing.assert_array_equal(out, np.cumsum(k[:, :, None] * v[:, None, :], axis=0).sum(axis=1))


@pavage.jit
def row_sums(y, a, x, N: tl.constexpr, K: tl.constexpr):
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    tl.store(y + n, tl.sum(tl.load(a + n[:, None] * K + k[None, :]) * tl.load(x + k)[None, :], axis=1))


@pytest.mark.parametrize("size", [48, 96, 160])
def test_row_sums_are_counted_once(size):
    y = np.zeros(size, np.float32)
    row_sums[(1,)](y, np.ones((size, size), np.float32), np.ones(size, np.float32), N=size, K=size, num_warps=4)
    np.testing.assert_array_equal(y, size)


@pavage.jit
def dot_product(out, a, b, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(out, tl.sum(tl.load(a + i) * tl.load(b + i)))


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_scalar_atomic_after_a_reduction(num_warps):
    a, b, out = integers(64 * 5), integers(64 * 5), np.zeros(1, np.float32)
    dot_product[(5,)](out, a, b, N=64, num_warps=num_warps)
    assert out[0] == np.dot(a, b)


# ---- Contraction ----


@pavage.jit
def chained_dots(out, q, k, do, N: tl.constexpr):
    i = tl.arange(0, N)
    square = i[:, None] * N + i[None, :]
    s = tl.dot(tl.load(q + square), tl.trans(tl.load(k + square)))
    tl.store(out + square, tl.dot(tl.trans(s.to(tl.float16)), tl.load(do + square)))


@pytest.mark.parametrize("size", [16, 64, 128])
def test_transposed_result_of_a_dot_as_operand(size):
    q, k, do = (integers((size, size), -1, 2, np.float16) for _ in range(3))
    out = np.zeros((size, size), np.float32)
    chained_dots[(1,)](out, q, k, do, N=size)
    f = [x.astype(np.float32) for x in (q, k, do)]
    np.testing.assert_array_equal(out, (f[0] @ f[1].T).astype(np.float16).astype(np.float32).T @ f[2])


@pavage.jit
def small_matmul(c, a, b, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot(x, y, input_precision=PRECISION))


@pytest.mark.parametrize("shape", [(64, 8, 16), (128, 8, 16), (16, 16, 24), (1, 1, 1), (3, 5, 7), (2, 100, 33)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dot_of_any_extent_covers_all_of_k(shape, dtype):
    m, n, k = shape
    a, b = integers((m, k), dtype=dtype), integers((k, n), dtype=dtype)
    c = np.zeros((m, n), np.float64 if dtype == np.float64 else np.float32)
    small_matmul[(1,)](c, a, b, M=m, N=n, K=k, PRECISION=None)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


def test_dot_places_each_element():
    q, k, c = np.eye(64, dtype=np.float32), integers((64, 64)), np.zeros((64, 64), np.float32)
    small_matmul[(1,)](c, q, k, M=64, N=64, K=64, PRECISION=None)
    np.testing.assert_array_equal(c, k)


def test_ieee_dot_keeps_all_digits():
    v = (1 + np.arange(32 * 16).reshape(32, 16) * 2.0**-20).astype(np.float32)
    c = np.zeros((16, 16), np.float32)
    small_matmul[(1,)](c, np.ones((16, 32), np.float32), v, M=16, N=16, K=32, PRECISION="ieee")
    np.testing.assert_allclose(c, np.broadcast_to(v.astype(np.float64).sum(axis=0), (16, 16)), rtol=1e-6)


@pavage.jit
def looped_matmul(c, a, b, flag, K, BK: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.arange(0, BK)
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + (start + k)[None, :], mask=(start + k)[None, :] < K, other=0.0)
        acc += tl.dot(x, tl.load(b + (start + k)[:, None] * N + i[None, :], mask=(start + k)[:, None] < K, other=0.0))
        if flag > start:
            tl.store(c + i, tl.sum(acc, axis=0))
    tl.store(c + i[:, None] * N + i[None, :], acc)


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("k", [1, 16, 40, 64])
def test_result_does_not_depend_on_stages_and_warps(stages, warps, k):
    a, b, c = integers((16, k)), integers((k, 16)), np.zeros((16, 16), np.float32)
    looped_matmul[(1,)](c, a, b, 20, k, BK=16, N=16, num_stages=stages, num_warps=warps)
    np.testing.assert_array_equal(c, a @ b)


@pavage.jit
def hinted_matmul(c, a, b, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, DESCRIPTORS: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [M, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, N])
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, K, BK, warp_specialize=True, num_stages=3):
        if DESCRIPTORS:
            acc = tl.dot(left.load([0, start]), right.load([start, 0]), acc)
        else:
            x = tl.load(a + i[:, None] * K + start + k[None, :], mask=start + k[None, :] < K, other=0.0)
            y = tl.load(b + (start + k)[:, None] * N + j[None, :], mask=(start + k)[:, None] < K, other=0.0)
            acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@pytest.mark.parametrize("shape", [(8, 16), (16, 8), (128, 64), (24, 40)])
@pytest.mark.parametrize("descriptors", [False, True])
def test_hints_for_warps_leave_the_result(shape, descriptors):
    m, n = shape
    a, b, c = integers((m, 100), dtype=np.float16), integers((100, n), dtype=np.float16), np.zeros(shape, np.float32)
    hinted_matmul[(1,)](c, a, b, 100, M=m, N=n, BK=16, DESCRIPTORS=descriptors, num_warps=8)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pavage.jit
def index_tile(out, N: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tile = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    i = tl.arange(0, N)
    tl.store(out + tile * N * N + N * i[:, None] + i[None, :], N * i[:, None] + i[None, :] + tile * 10000)


@pytest.mark.parametrize("grid", [(1,), (1, 16), (16, 1), (3, 5, 2)])
def test_every_program_of_a_grid_writes_its_own_tile(grid):
    programs = int(np.prod(grid))
    out = np.zeros((programs, 32, 32), np.int32)
    index_tile[grid](out, N=32)
    expected = np.arange(32 * 32).reshape(1, 32, 32) + 10000 * np.arange(programs)[:, None, None]
    np.testing.assert_array_equal(out, expected)


# ---- Integers, casts, atomics, addresses ----


@pavage.jit
def scaled_range(out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, i.to(tl.int64) * 1000000000)


def test_wide_index_arithmetic_does_not_wrap():
    out = np.zeros(11, np.int64)
    scaled_range[(1,)](out, N=11)
    np.testing.assert_array_equal(out, np.arange(11, dtype=np.int64) * 10**9)


@pavage.jit
def far_block(out, x, batch, stride, B: tl.constexpr):
    p = tl.make_block_ptr(x, shape=(batch + 1, stride), strides=(stride, 1), offsets=(batch, 0), block_shape=(1, B),
                          order=(1, 0))
    tl.store(out + tl.arange(0, B)[None, :], tl.load(p, boundary_check=(0, 1)))


def test_block_pointer_beyond_two_to_the_31_elements():
    stride, batch = 2 * 1024 * 1024, 1025
    x = np.empty((batch + 1) * stride, np.float32)  # 8 GiB of address space; only one page of it is touched
    x[batch * stride:batch * stride + 16] = np.arange(16)
    out = np.zeros(16, np.float32)
    far_block[(1,)](out, x, batch, stride, B=16)
    np.testing.assert_array_equal(out, np.arange(16))


@pavage.jit
def cast_chain(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.abs(-tl.load(x + i).to(tl.float32)))


def test_cast_then_abs_of_negated():
    out = np.zeros(4, np.float32)
    cast_chain[(1,)](out, np.array([1, -1, 1, -7], np.int64), N=4)
    np.testing.assert_array_equal(out, [1, 1, 1, 7])


@pavage.jit
def claim_row(out, counter, N: tl.constexpr):
    slot = tl.atomic_add(counter + tl.arange(0, 1), 1)
    i = tl.arange(0, N)
    tl.store(out + slot * N + i, 2)


def test_atomic_result_reaches_every_lane():
    out, counter = np.zeros((2, 8), np.int32), np.ones(1, np.int32)
    claim_row[(1,)](out, counter, N=8)
    np.testing.assert_array_equal(out, [[0] * 8, [2] * 8])
    assert counter[0] == 2


@pavage.jit
def add_all(total, largest, a, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(total + i * 0, tl.load(a + i))
    tl.atomic_max(largest + i * 0, i)


def test_atomics_act_for_every_lane():
    total, largest = np.zeros(1, np.int32), np.zeros(1, np.int32)
    add_all[(1,)](total, largest, np.ones(128, np.int32), N=128)
    assert (total[0], largest[0]) == (128, 127)


@pavage.jit
def swap_tile(old, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, tl.atomic_cas(x + i, tl.full([N], 1, tl.int32), tl.full([N], 2, tl.int32)))


def test_atomic_cas_of_a_tile():
    x, old = np.array([1, 1, 3, 1], np.int32), np.zeros(4, np.int32)
    swap_tile[(1,)](old, x, N=4)
    np.testing.assert_array_equal(x, [2, 2, 3, 2])
    np.testing.assert_array_equal(old, [1, 1, 3, 1])


@pavage.jit
def unaligned_copy(out, x, offset, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + offset + i, tl.load(x + offset + i))


@pytest.mark.parametrize("offset", range(1, 16))
def test_copy_through_a_rebased_view(offset):
    x, out = integers(64), np.zeros(64, np.float32)
    unaligned_copy[(1,)](out, x, offset, N=32)
    np.testing.assert_array_equal(out[offset:offset + 32], x[offset:offset + 32])
    assert not out[:offset].any() and not out[offset + 32:].any()


# ---- Messages ----


@pavage.jit
def bad_hint(out, N: tl.constexpr):
    i = tl.max_contiguous(tl.arange(0, N), -7)
    tl.store(out + i, i)


def test_nonsense_hint_is_an_error_with_a_place():
    with pytest.raises(pavage.Error) as caught:
        bad_hint[(1,)](np.zeros(8, np.int32), N=8)
    assert caught.value.number and "test_user_reports.py" in str(caught.value) and "-7" in str(caught.value)


@pavage.jit
def parity(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) % 2)


def test_literal_adapts_to_an_unsigned_tile():
    x, out = np.arange(8, dtype=np.uint32), np.zeros(8, np.uint32)
    parity[(1,)](out, x, N=8)
    np.testing.assert_array_equal(out, x % 2)


@pavage.jit
def shift_right(out, x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) >> tl.load(y + i))


@pytest.mark.parametrize("left", ["int8", "uint8", "int32", "uint32"])
@pytest.mark.parametrize("right", ["int8", "uint8", "int32", "uint32", "uint64"])
def test_right_shift_fills_by_the_left_side(left, right):
    x, y = np.array([-128, -1, 5, 127]).astype(left), np.array([1, 3, 0, 6], right)
    out = np.zeros(4, np.int64 if left[0] == "i" else np.uint64)
    shift_right[(1,)](out, x, y, N=4)
    wide = x.astype(out.dtype) >> y.astype(out.dtype)
    # The result has the promoted type, whose bits are what counts.
    bits = 8 * max(x.itemsize, y.itemsize)
    top = np.uint64(64 - bits)
    np.testing.assert_array_equal(out.astype(np.uint64) << top, wide.astype(np.uint64) << top)


# ---- Compile and launch ----


@pavage.jit
def many_loads(out, x, y, R: tl.constexpr, C: tl.constexpr):
    o = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a, b = tl.load(x + o), tl.load(y + o)
    tl.store(out + o, tl.where(a > b, a, b) * 2 + tl.exp(-tl.abs(a - b)))


def test_code_does_not_grow_with_the_tile():
    sizes = []
    for shape in ((16, 64), (4, 65536), (1024, 1024)):
        x, y, out = integers(shape), integers(shape), np.zeros(shape, np.float32)
        kernel = many_loads[(1,)](out, x, y, R=shape[0], C=shape[1])
        np.testing.assert_allclose(out, np.maximum(x, y) * 2 + np.exp(-np.abs(x - y)), rtol=1e-5)
        sizes.append(len(kernel.asm["obj"]))
    assert max(sizes) <= 1.5 * min(sizes), sizes


def test_other_lengths_do_not_recompile():
    x, out = integers(4096), np.zeros(4096, np.float32)
    first = unaligned_copy[(1,)](out, x, 33, N=32)
    for offset in (35, 37, 1001, 2003):
        assert unaligned_copy[(1,)](out, x, offset, N=32) is first

# Reductions and scans of any extent, axis and type, on every device. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pavage
import pavage.language as tl

RNG = np.random.default_rng(7)


@pavage.jit
def reduce(out, x, OP: tl.constexpr, SHAPE: tl.constexpr, AXIS: tl.constexpr, KEEP: tl.constexpr):
    n: tl.constexpr = SHAPE[0] * SHAPE[1]
    t = tl.reshape(tl.load(x + tl.arange(0, n)), SHAPE)
    if OP == "sum":
        r = tl.sum(t, AXIS, keep_dims=KEEP)
    elif OP == "max":
        r = tl.max(t, AXIS, keep_dims=KEEP)
    elif OP == "min":
        r = tl.min(t, AXIS, keep_dims=KEEP)
    elif OP == "argmax":
        r = tl.argmax(t, AXIS, keep_dims=KEEP)
    elif OP == "argmin":
        r = tl.argmin(t, AXIS, keep_dims=KEEP)
    elif OP == "xor":
        r = tl.xor_sum(t, AXIS, keep_dims=KEEP)
    else:
        r = tl.reduce_or(t, AXIS, keep_dims=KEEP)
    if KEEP:
        tl.static_assert(len(r.shape) == 2)
    if r.numel == 1:
        tl.store(out, tl.max(r) if len(r.shape) else r)
    else:
        tl.store(out + tl.arange(0, r.numel), tl.ravel(r))


NUMPY = {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "xor": np.bitwise_xor.reduce,
    "or": np.bitwise_or.reduce,
}
SHAPES = [(1, 1), (3, 5), (8, 16), (1, 100), (67, 2), (130, 3)]


def run(op, x, axis, dtype, keep=False):
    want = NUMPY[op](x, axis=axis)
    out = np.zeros(np.size(want), dtype)
    reduce[(1,)](out, x, OP=op, SHAPE=x.shape, AXIS=axis, KEEP=keep)
    return out, np.reshape(want, -1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("op", sorted(NUMPY))
def test_integers_exactly(way, op, axis, shape):
    x = RNG.integers(-50, 50, shape).astype(np.int32)
    out, want = run(op, x, axis, np.int32, keep=axis == 0)
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint32, np.float16, np.float32, np.float64]
)
@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_types(way, op, dtype):
    x = RNG.integers(0, 7, (5, 9)).astype(dtype)
    wide = {"int8": np.int32, "uint8": np.uint32, "int16": np.int32}.get(np.dtype(dtype).name, dtype)
    out, want = run(op, x, 1, np.float32 if op != "sum" and dtype is np.float16 else wide)
    np.testing.assert_array_equal(out.astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_over_all_axes(way, op):
    x = RNG.integers(-9, 9, (6, 7)).astype(np.float32)
    out = np.zeros(1, np.float32)
    reduce[(1,)](out, x, OP=op, SHAPE=(6, 7), AXIS=None, KEEP=False)
    assert out[0] == NUMPY[op](x)


def lanes_then_tree(x):
    """The stated order: 64 lanes, then a tree."""
    lanes = []
    for lane in range(min(64, len(x))):
        acc = x[lane]
        for v in x[lane + 64 :: 64]:
            acc = np.float32(acc + v)
        lanes.append(acc)
    h = 32
    while h:
        for lane in range(h):
            if lane + h < len(lanes):
                lanes[lane] = np.float32(lanes[lane] + lanes[lane + h])
        lanes = lanes[: max(h, 1)] if len(lanes) > h else lanes
        h //= 2
    return lanes[0]


@pytest.mark.parametrize("n", [1, 2, 7, 63, 64, 65, 100, 128, 1000])
def test_float_sums_have_one_order(way, n):
    x = RNG.standard_normal((1, n)).astype(np.float32)
    out = np.zeros(1, np.float32)
    reduce[(1,)](out, x, OP="sum", SHAPE=(1, n), AXIS=1, KEEP=False)
    if way.startswith("sim:"):  # GPUs have an order of their own, the same each time
        again = np.zeros(1, np.float32)
        reduce[(1,)](again, x, OP="sum", SHAPE=(1, n), AXIS=1, KEEP=False)
        assert again[0] == out[0]
        np.testing.assert_allclose(out[0], x.sum(dtype=np.float64), rtol=1e-5, atol=1e-5)
        return
    assert out[0] == lanes_then_tree(list(x[0]))


@pavage.jit
def both(values, indices, x, N: tl.constexpr, MIN: tl.constexpr):
    t = tl.load(x + tl.arange(0, N))
    if MIN:
        v, i = tl.min(t, 0, return_indices=True)
    else:
        v, i = tl.max(t, 0, return_indices=True)
    tl.store(values, v)
    tl.store(indices, i)


@pytest.mark.parametrize("x", [[1, 3, 3, 2], [np.nan, 1, 2], [5], [np.nan, np.nan], [-0.0, 0.0], [2, np.nan, 2, -7]])
def test_values_with_indices_skip_nan_and_ties_go_left(way, x):
    x = np.array(x, np.float32)
    for smallest in (False, True):
        v, i = np.zeros(1, np.float32), np.zeros(1, np.int32)
        both[(1,)](v, i, x, N=len(x), MIN=smallest)
        if np.isnan(x).all():
            assert np.isnan(v[0])
            continue
        want = np.nanmin(x) if smallest else np.nanmax(x)
        assert v[0] == want
        assert x[i[0]] == want and (want != 0) <= (i[0] == np.flatnonzero(x == want)[0])


@pavage.jit
def add(a, b):
    return a + b


@pavage.jit
def welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    d = mean_b - mean_a
    return mean_a + d * (n_b / n), m2_a + m2_b + d * d * (n_a * n_b / n), n


@pavage.jit
def larger(a, b):
    if a > b:
        return a
    return b


@pavage.jit
def custom(out, x, N: tl.constexpr):
    t = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.reduce(t, 0, add))
    mean, m2, n = tl.reduce((t, tl.zeros_like(t), tl.full((N,), 1.0, tl.float32)), 0, welford)
    tl.store(out + 1, mean)
    tl.store(out + 2, m2 / n)
    tl.store(out + 3, tl.reduce(t, 0, larger))
    tl.store(out + 4, tl.sum(tl.associative_scan(t, 0, larger)))


@pytest.mark.parametrize("n", [1, 2, 5, 64, 100])
def test_combine_functions(way, n):
    x = RNG.standard_normal(n).astype(np.float32)
    out = np.zeros(5, np.float32)
    custom[(1,)](out, x, N=n)
    np.testing.assert_allclose(
        out, [x.sum(), x.mean(), x.var(), x.max(), np.maximum.accumulate(x).sum()], rtol=1e-4, atol=1e-5
    )


@pavage.jit
def greatest_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@pavage.jit
def digits_between(a, b):
    s = a
    for i in range(b & 7):
        if (a + i) % 3 == 0:
            for j in range(i):
                s = s * 10 + j
        else:
            s ^= b
    return s & 0xFFFF


@pavage.jit
def product_by_doubling(a, b):
    """a * b mod 2^32: branches and rounds depend on the elements, the result on no order."""
    s = a - a
    for i in range(3 + (b & 15)):
        if (b >> i) & 1:
            t = a
            for _j in range(i):
                t += t
            s += t
    i = 3 + (b & 15)
    while i < 32:
        s += ((b >> i) & 1) * (a << i)
        i += 1
    return s


def as_the_gpu_orders(tilegpu, nth, combine, x, axis):
    """The order stated for GPUs, of the nth reduction of the scheduled program: places decide which bits come first."""
    if x.shape[axis] == 1:
        return x.take(0, axis)
    layout = re.findall(r"tile\.reduce .*#tilegpu\.layout<(\[.*\])>>\) ->", tilegpu)[nth]
    line = list(np.moveaxis(x, axis, 0))
    for place in ("register", "lane", "warp"):
        listed = re.search(place + r" = \[(.*?)\]", layout)
        steps = re.findall(r"\(([^)]*)\)", listed[1]) if listed else []
        for h in sorted({int(step.split(",")[axis]) for step in steps} - {0}, reverse=True):
            for i in range(len(line) - h):
                if i & h == 0:
                    line[i] = combine(line[i], line[i + h])
    return line[0]


@pavage.jit
def folded(out, x, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    i = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    t = tl.load(x + i)
    k = tl.arange(0, C if AXIS == 0 else R)
    tl.store(out + k, tl.reduce(t, AXIS, greatest_divisor))
    tl.store(out + 256 + k, tl.reduce(t, AXIS, digits_between))
    tl.store(out + 512 + k, tl.reduce(t, AXIS, product_by_doubling))
    tl.store(out + 768 + i, tl.associative_scan(t, AXIS, greatest_divisor))
    tl.store(out + 768 + R * C + i, tl.associative_scan(t | 1, AXIS, product_by_doubling))


@pytest.mark.parametrize("shape", [(3, 5), (1, 70), (70, 1), (20, 33), (2, 200)])
@pytest.mark.parametrize("axis", [0, 1])
def test_loops_in_combine_functions(way, shape, axis):
    if way == "eager" and shape[0] * shape[1] > 100:
        pytest.skip("element by element in Python")
    x = (RNG.integers(1, 40, shape) * 6).astype(np.int32)
    out = np.zeros(768 + 2 * x.size, np.int32)
    compiled = folded[(1,)](out, x, R=shape[0], C=shape[1], AXIS=axis)
    k = x.shape[1 - axis]
    np.testing.assert_array_equal(out[:k], np.gcd.reduce(x, axis))
    np.testing.assert_array_equal(out[512 : 512 + k], np.multiply.reduce(x, axis, dtype=np.int32))
    np.testing.assert_array_equal(out[768 : 768 + x.size].reshape(shape), np.gcd.accumulate(x, axis))
    products = np.multiply.accumulate(x | 1, axis, dtype=np.int32)
    np.testing.assert_array_equal(out[768 + x.size :].reshape(shape), products)
    # Digits depend on the order: cpu and the interpreter have one, a GPU's follows from the schedule.
    if way.startswith("sim:"):
        digits = np.vectorize(lambda a, b: digits_between.fn(int(a), int(b)))
        want = as_the_gpu_orders(compiled.asm["tilegpu"], 1, digits, x, axis)
        np.testing.assert_array_equal(out[256 : 256 + k], want)
    elif way != "interp":
        with pavage.device("interp"), pavage.interpret(False):
            other = np.zeros_like(out)
            folded[(1,)](other, x, R=shape[0], C=shape[1], AXIS=axis)
        np.testing.assert_array_equal(out, other)


@pavage.jit
def scan2(out, x, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + i, tl.cumsum(tl.load(x + i), AXIS, reverse=REVERSE))


@settings(max_examples=25)
@given(st.tuples(st.integers(1, 9), st.integers(1, 70)), st.sampled_from([0, 1, -1, -2]), st.booleans())
def test_cumsum_of_any_shape(shape, axis, reverse):
    x = RNG.integers(-9, 9, shape).astype(np.int32)
    want = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    for device in ("cpu", "interp"):
        with pavage.device(device):
            out = np.zeros_like(x)
            scan2[(1,)](out, x, R=shape[0], C=shape[1], AXIS=axis, REVERSE=reverse)
            np.testing.assert_array_equal(out, want)

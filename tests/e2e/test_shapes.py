# Creation, shape, selection, order against NumPy, on every device. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import numpy as np
import pytest

import pavage
import pavage.language as tl

RNG = np.random.default_rng(5)


@pavage.jit
def transform(out, x, KIND: tl.constexpr, SHAPE: tl.constexpr, ARG: tl.constexpr):
    n: tl.constexpr = SHAPE[0] * SHAPE[1] * SHAPE[2]
    t = tl.reshape(tl.load(x + tl.arange(0, n)), SHAPE)
    if KIND == "trans":
        t = tl.trans(t) if ARG is None else tl.trans(t, ARG)
    elif KIND == "permute":
        t = tl.permute(t, *ARG)
    elif KIND == "flip":
        t = tl.flip(t, ARG)
    elif KIND == "expand":
        t = tl.expand_dims(t, ARG)
    elif KIND == "cumsum":
        t = tl.cumsum(t, ARG)
    elif KIND == "cumprod":
        t = tl.cumprod(t, ARG, reverse=True)
    elif KIND == "sort":
        t = tl.sort(t, descending=ARG)
    elif KIND == "sort axis":
        t = tl.sort(t, dim=ARG)
    elif KIND == "broadcast":
        t = tl.broadcast_to(t, ARG)
    elif KIND == "interleave":
        t = tl.interleave(t, t + 100)
    elif KIND == "join":
        t = tl.join(t, t * 2)
    elif KIND == "split":
        a, b = tl.split(t)
        t = a - b
    elif KIND == "cat":
        t = tl.cat(t, t + 1, dim=ARG)
    elif KIND == "T":
        t = t.reshape(SHAPE[0], SHAPE[1] * SHAPE[2]).T
    elif KIND == "ravel":
        t = tl.ravel(t)
    elif KIND == "softmax":
        t = tl.softmax(t.to(tl.float32) / 8, ARG).to(tl.float32)
    elif KIND == "topk":
        t = tl.topk(t, ARG)
    tl.store(out + tl.arange(0, t.numel), tl.ravel(t))


def softmax(x, axis):
    e = np.exp(x / 8.0 - (x / 8.0).max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


KINDS = [
    ("trans", (2, 3, 5), None, lambda t: t.swapaxes(1, 2)),
    ("trans", (2, 3, 5), (2, 0, 1), lambda t: t.transpose(2, 0, 1)),
    ("permute", (4, 1, 3), (1, 2, 0), lambda t: t.transpose(1, 2, 0)),
    ("flip", (2, 3, 4), 1, lambda t: t[:, ::-1]),
    ("flip", (2, 3, 7), None, lambda t: t[..., ::-1]),
    ("expand", (2, 3, 4), 1, lambda t: t),
    ("cumsum", (2, 3, 5), 1, lambda t: t.cumsum(1)),
    ("cumsum", (4, 1, 7), -1, lambda t: t.cumsum(2)),
    ("cumprod", (3, 2, 2), 0, lambda t: t[::-1].cumprod(0)[::-1]),
    ("sort", (3, 2, 7), False, lambda t: np.sort(t, -1)),
    ("sort", (1, 2, 16), True, lambda t: -np.sort(-t, -1)),
    ("sort axis", (5, 2, 3), 0, lambda t: np.sort(t, 0)),
    ("broadcast", (1, 3, 1), (4, 3, 5), lambda t: np.broadcast_to(t, (4, 3, 5))),
    ("interleave", (2, 2, 3), None, lambda t: np.stack([t, t + 100], -1)),
    ("join", (2, 3, 4), None, lambda t: np.stack([t, 2 * t], -1)),
    ("split", (3, 4, 2), None, lambda t: t[..., 0] - t[..., 1]),
    ("cat", (2, 3, 4), 0, lambda t: np.concatenate([t, t + 1])),
    ("cat", (2, 3, 4), 1, lambda t: np.concatenate([t, t + 1], 1)),
    ("T", (3, 5, 2), None, lambda t: t.reshape(3, 10).T),
    ("ravel", (3, 5, 7), None, lambda t: t),
    ("softmax", (2, 4, 5), -1, lambda t: softmax(t, -1)),
    ("softmax", (3, 2, 4), None, lambda t: softmax(t, 0)),
    ("topk", (3, 2, 8), 4, lambda t: -np.sort(-t, -1)[..., :4]),
]


@pytest.mark.parametrize("kind, shape, arg, expected", KINDS, ids=lambda v: str(v) if not callable(v) else "")
def test_shapes(way, kind, shape, arg, expected):
    x = RNG.integers(-9, 10, shape).astype(np.int32)
    want = expected(x)
    dtype = np.float32 if kind == "softmax" else np.int32
    out = np.zeros(want.size, dtype)
    transform[(1,)](out, x, KIND=kind, SHAPE=shape, ARG=arg)
    if dtype is np.float32:
        np.testing.assert_allclose(out, want.reshape(-1), rtol=1e-6)
    else:
        np.testing.assert_array_equal(out, want.reshape(-1))


@pavage.jit
def creation(out, n):
    i = tl.arange(0, 5)
    out += 21 * tl.program_id(0)
    tl.store(out + i, tl.full((5,), n, tl.int32))
    tl.store(out + 5 + i, tl.zeros_like(i) + tl.zeros([5], tl.int32))
    tl.store(out + 10 + i, tl.arange(3, 8))
    a, b = tl.broadcast(i[:, None], i[None, :])
    tl.store(out + 15 + i, tl.sum(a * 10 + b, axis=1))
    tl.store(out + 20, tl.num_programs(0) * 100 + tl.program_id(0))


def test_creation(way):
    out = np.full((3, 21), -1, np.int32)
    creation[(3,)](out, 7)
    i = np.arange(5)
    for program, row in enumerate(out):
        assert list(row[:20]) == [7] * 5 + [0] * 5 + [3, 4, 5, 6, 7] + list((i[:, None] * 10 + i).sum(1))
        assert row[20] == 300 + program


@pavage.jit
def gathers(out, x, index, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    t, i = tl.load(x + r * C + c), tl.load(index + r * C + c)
    tl.store(out + r * C + c, tl.gather(t, i, AXIS))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(4, 8), (3, 5), (1, 7)])
def test_gather(way, shape, axis):
    x = RNG.standard_normal(shape).astype(np.float32)
    index = RNG.integers(0, shape[axis], shape).astype(np.int32)
    out = np.zeros_like(x)
    gathers[(1,)](out, x, index, R=shape[0], C=shape[1], AXIS=axis)
    np.testing.assert_array_equal(out, np.take_along_axis(x, index, axis))


@pavage.jit
def histogram(out, x, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    h = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.store(out + tl.arange(0, BINS), h)


@pytest.mark.parametrize("n, bins", [(1, 1), (7, 4), (100, 10), (128, 16)])
def test_histogram(way, n, bins):
    x = RNG.integers(0, bins, n).astype(np.int32)
    out = np.zeros(bins, np.int32)
    histogram[(1,)](out, x, n, N=128, BINS=bins)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=bins))


@pavage.jit
def swizzle(out, M: tl.constexpr, N: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    i, j = tl.swizzle2d(pid // N, pid % N, M, N, G)
    tl.store(out + pid * 2, i)
    tl.store(out + pid * 2 + 1, j)


@pytest.mark.parametrize("m, n, g", [(4, 4, 2), (5, 3, 2)])
def test_swizzle_visits_every_block_once_in_groups(way, m, n, g):
    out = np.zeros((m * n, 2), np.int32)
    swizzle[(m * n,)](out, M=m, N=n, G=g)
    assert len({tuple(p) for p in out.tolist()}) == m * n
    assert sorted({i for i, _ in out[: g * n].tolist()}) == list(range(g))


@pavage.jit
def unpack_columns(out, x, stride, M: tl.constexpr, N: tl.constexpr):
    """Rows 2i and 2i + 1 from the low and the high halves of row i, where columns lie beside each other in memory."""
    packed = tl.load(x + tl.arange(0, M)[:, None] + tl.arange(0, N)[None, :] * stride)
    pairs = tl.trans(tl.join(packed & 15, packed >> 4), 0, 2, 1)
    rows = tl.reshape(pairs, 2 * M, N)
    tl.store(out + tl.arange(0, 2 * M)[:, None] * N + tl.arange(0, N)[None, :], rows)


def test_a_coordinate_belongs_to_the_loop_that_it_depends_on(way):
    # A reshape splits the coordinate of the outer axis; the tile below it needs that part outside the inner loop.
    x = np.asfortranarray(RNG.integers(0, 256, (8, 16)).astype(np.uint8))
    out = np.zeros((16, 16), np.uint8)
    unpack_columns[(1,)](out, x, 8, 8, 16)
    np.testing.assert_array_equal(out, np.stack([x & 15, x >> 4], 1).reshape(16, 16))

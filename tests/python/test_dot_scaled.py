# dot_scaled against NumPy, on every device. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

import pavage
import pavage.language as tl

M, N, K = 16, 8, 64
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def e4m3(bits):
    """The values of OCP's e4m3: no infinities, one NaN pattern."""
    exponent, mantissa = (bits >> 3 & 15).astype(int), (bits & 7).astype(np.float32)
    value = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    return np.where(bits & 0x7F == 0x7F, np.nan, np.where(bits & 0x80, -value, value)).astype(np.float32)


def e5m2(bits):
    return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float32)


def bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bf16(x):
    """Rounded to nearest, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), np.nan, rounded.view(np.float32)).astype(np.float32)


def data(kind, shape, axis, rng):
    """(what the kernel gets, the values) of random finite numbers; e2m1 is packed along an axis."""
    if kind == "e2m1":
        bits = rng.integers(0, 16, shape).astype(np.uint8)
        low, high = (np.take(bits, range(first, shape[axis], 2), axis) for first in (0, 1))
        return low | high << 4, E2M1[bits]
    if kind == "e4m3":
        bits = rng.integers(0x20, 0x50, shape).astype(np.uint8) | rng.integers(0, 2, shape).astype(np.uint8) << 7
        return bits, e4m3(bits)
    if kind == "e5m2":
        bits = rng.integers(0x30, 0x48, shape).astype(np.uint8) | rng.integers(0, 2, shape).astype(np.uint8) << 7
        return bits, e5m2(bits)
    if kind == "bf16":
        bits = (rng.integers(-8, 9, shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return bits, bf16(bits)
    values = rng.integers(-8, 9, shape).astype(np.float16)
    return values, values.astype(np.float32)


@pavage.jit
def multiply(
    out,
    x,
    x_scale,
    y,
    y_scale,
    acc,
    x_format: tl.constexpr,
    y_format: tl.constexpr,
    XM: tl.constexpr,
    XK: tl.constexpr,
    YK: tl.constexpr,
    YN: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    GROUPS: tl.constexpr,
    x_k_pack: tl.constexpr,
    y_k_pack: tl.constexpr,
):
    m, n, g = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, GROUPS)[None, :]
    a = tl.load(x + tl.arange(0, XM)[:, None] * XK + tl.arange(0, XK)[None, :])
    b = tl.load(y + tl.arange(0, YK)[:, None] * YN + tl.arange(0, YN)[None, :])
    sa = None
    if x_scale is not None:
        sa = tl.load(x_scale + m * GROUPS + g)
    sb = None
    if y_scale is not None:
        sb = tl.load(y_scale + tl.arange(0, N)[:, None] * GROUPS + g)
    c = tl.load(acc + m * N + n)
    r = tl.dot_scaled(a, sa, x_format, b, sb, y_format, c, lhs_k_pack=x_k_pack, rhs_k_pack=y_k_pack)
    tl.store(out + m * N + n, r)


def check(x_format, y_format, scales, group=32, x_k_pack=True, y_k_pack=True):
    rng = np.random.default_rng(7)
    x, xv = data(x_format, (M, K), 1 if x_k_pack else 0, rng)
    y, yv = data(y_format, (K, N), 0 if y_k_pack else 1, rng)
    groups = K // group
    sx = rng.integers(124, 131, (M, groups)).astype(np.uint8) if "x" in scales else None
    sy = rng.integers(124, 131, (N, groups)).astype(np.uint8) if "y" in scales else None
    if sx is not None:
        xv = xv * np.repeat(2.0 ** (sx.astype(np.float32) - 127), group, 1)
    if sy is not None:
        yv = yv * np.repeat(2.0 ** (sy.astype(np.float32) - 127), group, 1).T
    acc = rng.integers(-99, 99, (M, N)).astype(np.float32)
    out = np.zeros((M, N), np.float32)
    multiply[(1,)](
        out, x, sx, y, sy, acc, x_format, y_format, *x.shape, *y.shape, M, N, groups, x_k_pack, y_k_pack
    )
    # All values fit 16 bits, and every product and sum fits float32: exact, in any order.
    np.testing.assert_array_equal(out, acc + xv.astype(np.float64) @ yv.astype(np.float64))


@pytest.mark.parametrize("y_format", ["e2m1", "e4m3", "e5m2", "bf16", "fp16"])
@pytest.mark.parametrize("x_format", ["e2m1", "e4m3", "e5m2"])
def test_formats(way, x_format, y_format):
    check(x_format, y_format, "x")


@pytest.mark.parametrize("scales", ["", "y", "xy"])
def test_scales_on_either_side(way, scales):
    check("e5m2", "e2m1", scales)


@pytest.mark.parametrize("pack", [(True, False), (False, True), (False, False)])
def test_packing_along_the_outer_axes(way, pack):
    check("e2m1", "e2m1", "xy", x_k_pack=pack[0], y_k_pack=pack[1])


def test_groups_of_16(way):
    check("e2m1", "e2m1", "xy", group=16)


@pavage.jit
def one(out, x_scale, fast: tl.constexpr):
    x, y = tl.full((1, 32), 0x38, tl.uint8), tl.full((32, 1), 0x38, tl.uint8)  # 1.0 as e4m3
    scale = tl.load(x_scale + tl.zeros((1, 1), tl.int32))
    r = tl.dot_scaled(x, scale, "e4m3", y, None, "e4m3", fast_math=fast)
    tl.store(out + tl.zeros((1, 1), tl.int32), r)


def test_the_ends_of_the_scale(way):
    out = np.zeros(1, np.float32)
    for scale, expected in ((0, 32 * 2.0**-127), (255, np.nan), (254, np.inf)):
        one[(1,)](out, np.array([scale], np.uint8), False)
        np.testing.assert_array_equal(out, np.array([expected], np.float32))
    one[(1,)](out, np.array([127], np.uint8), True)
    assert out[0] == 32


@pytest.mark.parametrize(
    "change, number, text",
    [
        ({"x_format": "e3m2"}, 137, "for the format of the left side of dot_scaled, got 'e3m2'"),
        ({"x_format": "bf16"}, 136, "expected bfloat16 or uint16 elements"),
        ({"GROUPS": 1}, 135, "expected the extents [16] and then 64 / 32 or / 16 for the scales of the left side"),
        ({"x_k_pack": False}, 137, "expected elements packed along K for the format e4m3"),
        ({"y_format": "e2m1"}, 135, "which are [16, 64] and [128, 8] unpacked"),
    ],
)
def test_errors(change, number, text):
    values = dict(x_format="e4m3", y_format="e4m3", XM=M, XK=K, YK=K, YN=N, M=M, N=N, GROUPS=2, x_k_pack=True,
                  y_k_pack=True)
    x, y, s = np.zeros((M, K), np.uint8), np.zeros((K, N), np.uint8), np.zeros((M, 2), np.uint8)
    out = np.zeros((M, N), np.float32)
    with pytest.raises(pavage.CompilationError) as caught:
        multiply[(1,)](out, x, s, y, None, out, **{**values, **change})
    assert caught.value.number == number and text in caught.value.text, caught.value.text
    assert caught.value.line and "dot_scaled" in str(caught.value)

# Elementwise operations and conversions against NumPy, on every device. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import math

import ml_dtypes
import numpy as np
import pytest

import pavage
import pavage.language as tl

RNG = np.random.default_rng(3)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
BF16, E4M3, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2


def values(n, dtype, low=-20, high=20):
    dtype = np.dtype(dtype)
    if dtype.kind == "u":
        low = 0
    if dtype.kind in "iu":
        return RNG.integers(low, high, n).astype(dtype)
    return RNG.uniform(low, high, n).astype(dtype)


@pavage.jit
def binary(out, x, y, n, OP: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    a, b = tl.load(x + i, mask=m), tl.load(y + i, mask=m)
    if OP == "+":
        r = a + b
    elif OP == "-":
        r = a - b
    elif OP == "*":
        r = a * b
    elif OP == "/":
        r = a / b
    elif OP == "//":
        r = a // b
    elif OP == "%":
        r = a % b
    elif OP == "&":
        r = a & b
    elif OP == "|":
        r = a | b
    elif OP == "^":
        r = a ^ b
    elif OP == "<<":
        r = a << b
    elif OP == ">>":
        r = a >> b
    elif OP == "max":
        r = tl.maximum(a, b)
    elif OP == "min":
        r = tl.minimum(a, b)
    else:
        r = OP(a, b)
    tl.store(out + i, r, mask=m)


def run_binary(x, y, op, dtype, n=37, block=16):
    out = np.zeros(n, dtype)
    binary[(pavage.cdiv(n, block),)](out, x, y, n, OP=op, B=block)
    return out


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["+", "-", "*", "&", "|", "^", "max", "min"])
def test_integer_arithmetic_wraps(way, dtype, op):
    info = np.iinfo(dtype)
    x = RNG.integers(info.min, info.max, 37, dtype=dtype, endpoint=True)
    y = RNG.integers(info.min, info.max, 37, dtype=dtype, endpoint=True)
    f = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "&": np.bitwise_and,
        "|": np.bitwise_or,
        "^": np.bitwise_xor,
        "max": np.maximum,
        "min": np.minimum,
    }[op]
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(run_binary(x, y, op, dtype), f(x, y))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["//", "%"])
def test_integer_division_truncates_and_never_traps(way, dtype, op):
    info = np.iinfo(dtype)
    x, y = values(37, dtype), values(37, dtype, -5, 5)
    x[0], y[0], y[1] = info.min, -1 if info.min < 0 else 1, 0
    q = np.array([int(a / b) if abs(int(a)) < 1000 and b else 0 for a, b in zip(x.tolist(), y.tolist())], object)
    q = [-1 if b == 0 else (int(a) if (a == info.min and b == -1) else v) for a, b, v in zip(x.tolist(), y.tolist(), q)]
    r = [
        a if b == 0 else (0 if (a == info.min and b == -1) else a - v * b) for a, b, v in zip(x.tolist(), y.tolist(), q)
    ]
    want = np.array([int(v) & ((1 << info.bits) - 1) for v in (q if op == "//" else r)], np.uint64)
    got = run_binary(x, y, op, dtype).astype(np.dtype(f"u{info.bits // 8}")).astype(np.uint64)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_of_any_amount(way, dtype):
    bits = np.iinfo(dtype).bits
    x = RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 37, dtype=dtype)
    y = RNG.integers(0, min(bits + 4, np.iinfo(np.int8).max), 37).astype(dtype)
    with np.errstate(over="ignore"):
        left = np.array([(int(a) << int(b)) & ((1 << bits) - 1) for a, b in zip(x, y)], np.uint64)
    got = run_binary(x, y, "<<", dtype).astype(np.dtype(f"u{bits // 8}")).astype(np.uint64)
    np.testing.assert_array_equal(got, left)
    np.testing.assert_array_equal(
        run_binary(x, y, ">>", dtype), np.array([int(a) >> int(b) for a, b in zip(x, y)], dtype)
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["+", "-", "*"])
def test_float_arithmetic_rounds_once(way, dtype, op):
    x, y = values(37, dtype), values(37, dtype)
    f = {"+": np.add, "-": np.subtract, "*": np.multiply}[op]
    np.testing.assert_array_equal(run_binary(x, y, op, dtype).astype(np.float64), f(x, y).astype(np.float64))


@pytest.mark.parametrize("dtype", FLOATS)
def test_division_of_narrow_floats_is_in_f32(way, dtype):
    x, y = values(37, dtype), values(37, dtype, 1, 9)
    wide = np.float32 if np.dtype(dtype).itemsize < 8 else np.float64
    np.testing.assert_array_equal(run_binary(x, y, "/", wide), x.astype(wide) / y.astype(wide))


def test_floats_compare_and_nan_is_ignored(way):
    x = np.array([1, np.nan, 3, -0.0, np.inf, np.nan], np.float32)
    y = np.array([np.nan, 2, 4, 0.0, 1, np.nan], np.float32)
    np.testing.assert_array_equal(run_binary(x, y, "max", np.float32, 6), np.fmax(x, y))
    np.testing.assert_array_equal(run_binary(x, y, "min", np.float32, 6), np.fmin(x, y))
    assert not np.signbit(run_binary(x, y, "max", np.float32, 6)[3]) and np.signbit(
        run_binary(x, y, "min", np.float32, 6)[3]
    )


@pavage.jit
def compare(out, x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a < b)
    tl.store(out + B + i, a <= b)
    tl.store(out + 2 * B + i, a > b)
    tl.store(out + 3 * B + i, a >= b)
    tl.store(out + 4 * B + i, a == b)
    tl.store(out + 5 * B + i, a != b)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_comparison(way, dtype):
    x, y = values(16, dtype, -3, 3).round(), values(16, dtype, -3, 3).round()
    if np.dtype(dtype).kind == "f":
        x[0] = np.nan
    out = np.zeros((6, 16), bool)
    compare[(1,)](out, x, y, B=16)
    a, b = x.astype(np.float64), y.astype(np.float64)
    np.testing.assert_array_equal(out, [a < b, a <= b, a > b, a >= b, a == b, a != b])


# ---- Promotion ----


@pavage.jit
def result_type(out, x, y, RESULT: tl.constexpr, SCALAR: tl.constexpr):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    if SCALAR is not None:
        tl.static_assert((a + SCALAR).dtype == RESULT, f"{(a + SCALAR).dtype}")
    else:
        tl.static_assert((a + tl.load(y + i)).dtype == RESULT, f"{(a + tl.load(y + i)).dtype}")


@pytest.mark.parametrize(
    "a, b, result",
    [
        (np.float16, np.float32, tl.float32),
        (np.float16, BF16, tl.float16),
        (BF16, BF16, tl.bfloat16),
        (BF16, np.int64, tl.float32),
        (np.int8, np.int32, tl.int32),
        (np.uint8, np.int8, tl.uint8),
        (np.int32, np.uint32, tl.uint32),
        (np.int64, np.uint32, tl.int64),
        (np.float64, np.float32, tl.float64),
        (np.int64, np.float16, tl.float16),
        (E5M2, E5M2, tl.float8e5),
        (E5M2, E4M3, tl.float16),
        (bool, np.int16, tl.int16),
    ],
)
def test_promotion_of_tiles(a, b, result):
    x, y = np.zeros(4, a), np.zeros(4, b)
    result_type.warmup(x, x, y, RESULT=result, SCALAR=None, grid=(1,))
    result_type.warmup(x, y, x, RESULT=result, SCALAR=None, grid=(1,))


@pytest.mark.parametrize(
    "a, scalar, result",
    [
        (np.int8, 1, tl.int8),
        (np.int8, 1.5, tl.float32),
        (np.float16, 2, tl.float16),
        (np.float16, 2.5, tl.float16),
        (bool, 1, tl.int32),
        (np.uint8, 200, tl.uint8),
        (BF16, True, tl.bfloat16),
        (np.int64, 2.0, tl.float32),
    ],
)
def test_promotion_with_numbers(a, scalar, result):
    x = np.zeros(4, a)
    result_type.warmup(x, x, x, RESULT=result, SCALAR=scalar, grid=(1,))


# ---- Mathematics ----

UNARY = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "rsqrt": lambda v: 1 / np.sqrt(v),
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "expm1": np.expm1,
    "log1p": np.log1p,
    "log10": np.log10,
    "tan": np.tan,
    "asin": lambda v: np.arcsin(v),
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "erfc": np.vectorize(math.erfc),
    "trunc": np.trunc,
    "rint": np.rint,
    "round": lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v),
    "sqrt_rn": np.sqrt,
}
DOMAIN = {
    "log": (0.01, 9),
    "log2": (0.01, 9),
    "log10": (0.01, 9),
    "sqrt": (0, 9),
    "sqrt_rn": (0, 9),
    "rsqrt": (0.01, 9),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atanh": (-0.99, 0.99),
    "acosh": (1, 9),
    "log1p": (-0.9, 9),
}


@pavage.jit
def unary(out, x, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.store(out + i, getattr(tl, F)(v), mask=i < n)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", sorted(UNARY))
def test_mathematics_on_every_float(way, name, dtype):
    low, high = DOMAIN.get(name, (-3, 3))
    x = RNG.uniform(low, high, 21).astype(dtype)
    out = np.zeros(21, dtype)
    unary[(1,)](out, x, 21, F=name, B=32)
    want = UNARY[name](x.astype(np.float64))
    tolerance = {2: 2e-2 if dtype is BF16 else 3e-3, 4: 1e-5, 8: 1e-9}[np.dtype(dtype).itemsize]
    np.testing.assert_allclose(out.astype(np.float64), want, rtol=tolerance, atol=tolerance)


@pavage.jit
def other_math(out, x, y, z):
    i = tl.arange(0, 8)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    tl.store(out + i, tl.fma(a, b, c))
    tl.store(out + 8 + i, tl.clamp(a, -0.5, 0.5))
    tl.store(out + 16 + i, tl.math.pow(tl.abs(a), b))
    tl.store(out + 24 + i, tl.math.atan2(a, b))
    tl.store(out + 32 + i, tl.fdiv(a, c))
    tl.store(out + 40 + i, tl.where(a > b, a, b))
    tl.store(out + 48 + i, tl.div_rn(a, c))
    tl.store(out + 56 + i, -a + abs(b))


def test_mathematics_of_several_operands(way):
    x, y, z = (RNG.uniform(-2, 2, 8).astype(np.float32) for _ in range(3))
    out = np.zeros((8, 8), np.float32)
    other_math[(1,)](out, x, y, z)
    want = [
        x * y.astype(np.float64) + z,
        np.clip(x, -0.5, 0.5),
        np.abs(x) ** y,
        np.arctan2(x, y),
        x / z,
        np.maximum(x, y),
        x / z,
        -x + np.abs(y),
    ]
    np.testing.assert_allclose(out, np.array(want), rtol=2e-6, atol=1e-7)


@pavage.jit
def integer_math(out, x, y):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.umulhi(a, b))
    tl.store(out + 8 + i, tl.math.popc(a).to(tl.uint32))
    tl.store(out + 16 + i, tl.math.clz(a).to(tl.uint32))
    tl.store(out + 24 + i, tl.cdiv(a, b))
    tl.store(out + 32 + i, ~a)
    tl.store(out + 40 + i, (a > b) & (b > 5) | (a == b))


def test_integer_mathematics(way):
    x, y = (RNG.integers(1, 1 << 31, 8, dtype=np.uint32) for _ in range(2))
    out = np.zeros((6, 8), np.uint32)
    integer_math[(1,)](out, x, y)
    a, b = [int(v) for v in x], [int(v) for v in y]
    want = [
        [p * q >> 32 for p, q in zip(a, b)],
        [bin(p).count("1") for p in a],
        [32 - p.bit_length() for p in a],
        [-(-p // q) for p, q in zip(a, b)],
        [p ^ 0xFFFFFFFF for p in a],
        [int((p > q and q > 5) or p == q) for p, q in zip(a, b)],
    ]
    np.testing.assert_array_equal(out, np.array(want, np.uint32))


# ---- Casts ----


@pavage.jit
def cast(out, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(out.dtype.element_ty), mask=i < n)


SPECIAL = np.array(
    [0.0, -0.0, 1.5, 2.5, -2.5, 300.25, -300.75, 1e10, -1e10, 1e30, np.inf, -np.inf, np.nan, 448, 460, 1e-9], np.float32
)


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", [np.float32, np.float64, np.float16])
def test_float_to_integer_saturates(way, source, target):
    with np.errstate(over="ignore"):
        x = SPECIAL.astype(source)
    out = np.zeros(16, target)
    cast[(1,)](out, x, 16, B=16)
    info = np.iinfo(target)
    want = [
        0 if np.isnan(v) else info.min if v <= info.min else info.max if v >= info.max else int(v)
        for v in x.astype(np.float64)
    ]
    np.testing.assert_array_equal(out, np.array(want, target))


@pytest.mark.parametrize("target", [np.float16, BF16, np.float64])
def test_float_to_float_rounds_to_nearest(way, target):
    x = np.concatenate([SPECIAL, RNG.standard_normal(48).astype(np.float32)])
    out = np.zeros(64, target)
    cast[(1,)](out, x, 64, B=64)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out.astype(np.float64), x.astype(target).astype(np.float64))


@pytest.mark.parametrize("target, largest", [(E4M3, 448.0), (E5M2, 57344.0)])
def test_fp8_saturates_and_keeps_nan(way, target, largest):
    x = np.concatenate([SPECIAL, RNG.standard_normal(48).astype(np.float32) * 20])
    out = np.zeros(64, target)
    cast[(1,)](out, x, 64, B=64)
    np.testing.assert_array_equal(
        out.astype(np.float32), np.clip(x, -largest, largest).astype(target).astype(np.float32)
    )
    back = np.zeros(64, np.float32)
    cast[(1,)](back, out, 64, B=64)
    np.testing.assert_array_equal(back, out.astype(np.float32))


@pavage.jit
def bits(out, x):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i).to(tl.int32, bitcast=True))
    tl.store(
        out + 8 + i,
        tl.cast(tl.load(x + i), tl.float16, fp_downcast_rounding="rtz").to(tl.float32).to(tl.int32, bitcast=True),
    )


def test_bitcast_and_rounding_towards_zero(way):
    x = np.array([1.0, 1.00048828125, 1.0009, -1.0009, 3.14159, 0, -0.0, 1e-3], np.float32)
    out = np.zeros((2, 8), np.int32)
    bits[(1,)](out, x)
    np.testing.assert_array_equal(out[0], x.view(np.int32))
    down = x.astype(np.float16).astype(np.float32)
    away = np.abs(down) > np.abs(x)
    down[away] = np.nextafter(down[away].astype(np.float16), np.float16(0)).astype(np.float32)
    np.testing.assert_array_equal(out[1], down.view(np.int32))

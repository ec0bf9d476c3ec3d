"""The error table of docs/spec/numerics.md, section 5, on the CPU or the virtual GPU (PAVAGE_DEVICE).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

f32 results are compared with NumPy's float64 ones, f64 results with long double, in units of the last place of the
result. Inputs: any bit pattern, numbers near 0, and numbers over the whole range of exponents.
"""

import math
import os
import pathlib
import re

import numpy as np
import pytest

import pavage
import pavage.language as tl

UNARY = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "cbrt": np.cbrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": np.vectorize(math.erf, otypes=[float]), "erfc": np.vectorize(math.erfc, otypes=[float]),
}
F32_ONLY = {"erf", "erfc"}  # for want of a reference in long double
ON_GPU = os.environ.get("PAVAGE_DEVICE", "cpu").startswith(("sim", "cuda"))
COUNT = 2000 if ON_GPU else 40000


@pavage.jit
def unary(x, y, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, getattr(tl.math, FUNCTION)(v), mask=i < n)


@pavage.jit
def power(x, e, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(y + i, tl.math.pow(tl.load(x + i, mask=m), tl.load(e + i, mask=m)), mask=m)


def bounds():
    """Function -> (f32 bound, f64 bound) on the device, as the page says."""
    page = pathlib.Path(__file__).parents[2] / "docs/spec/numerics.md"
    rows = re.findall(r"^\| ([^|]+) \| 0\.5" + r" \| ([\d.]+)" * 4 + r" \|$", page.read_text(), re.M)
    assert rows, f"no table in {page}"
    table = {}
    for names, *columns in rows:
        for name in names.split(","):
            table[name.strip()] = tuple(float(column) for column in columns[2 * ON_GPU : 2 * ON_GPU + 2])
    return table


def inputs(dtype):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**64, COUNT, dtype=np.uint64)
    any_bits = bits.view(np.float64) if dtype == np.float64 else bits.astype(np.uint32).view(np.float32)
    with np.errstate(over="ignore"):
        sets = [any_bits, rng.uniform(-1, 1, COUNT), rng.uniform(-100, 100, COUNT), np.exp(rng.uniform(-80, 80, COUNT))]
    x = np.concatenate([s.astype(dtype) for s in sets])
    return x[np.isfinite(x)]


def largest_error(got, exact, dtype):
    """In units in the last place; NaN and infinity must be where they are in the exact result, rounded."""
    digits, least = (53, -1074) if dtype == np.float64 else (24, -149)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        assert np.array_equal(np.isnan(got), np.isnan(exact))
        _, exponent = np.frexp(np.abs(exact))
        place = np.ldexp(np.ones_like(exact), np.maximum(exponent - digits, least))
        error = np.abs(got.astype(exact.dtype) - exact) / place
    finite = np.isfinite(rounded) & np.isfinite(got)
    agree = finite | (got == rounded) | np.isnan(exact)
    # Next to overflow one of the two may be infinite.
    near = np.abs(exact) > np.finfo(dtype).max * (1 - 4 * np.finfo(dtype).eps)
    assert np.all(agree | near), (got[~(agree | near)], exact[~(agree | near)])
    return float(np.max(error[finite], initial=0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", sorted(UNARY))
def test_unary(name, dtype):
    if dtype == np.float64 and name in F32_ONLY:
        pytest.skip("no reference")
    x = inputs(dtype)
    y = np.empty_like(x)
    unary[(pavage.cdiv(x.size, 1024),)](x, y, x.size, FUNCTION=name, BLOCK=1024)
    with np.errstate(all="ignore"):
        exact = UNARY[name](x.astype(np.float64 if dtype == np.float32 else np.longdouble))
    assert largest_error(y, exact, dtype) <= bounds()[name][dtype == np.float64]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pow(dtype):
    rng = np.random.default_rng(2)
    x = np.exp(rng.uniform(-20, 20, COUNT)).astype(dtype)
    e = rng.uniform(-4, 4, COUNT).astype(dtype)
    y = np.empty_like(x)
    power[(pavage.cdiv(x.size, 1024),)](x, e, y, x.size, BLOCK=1024)
    wide = np.float64 if dtype == np.float32 else np.longdouble
    assert largest_error(y, np.power(x.astype(wide), e.astype(wide)), dtype) <= bounds()["pow"][dtype == np.float64]

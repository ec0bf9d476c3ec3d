# Mathematics under the names of NVIDIA's libdevice. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Names that the language has under another one; what the language has not is not here.
from __future__ import annotations

from ..._context import builder
from .. import math as _math
from ..args import builtin
from ..core import cast as _cast
from ..math import (  # noqa: F401
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    ceil,
    clz,
    copysign,
    cos,
    cosh,
    div_rn,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    ffs,
    floor,
    fma,
    fmod,
    isnan,
    log,
    log1p,
    log2,
    log10,
    popc,
    pow,
    rint,
    round,
    rsqrt,
    signbit,
    sin,
    sinh,
    sqrt,
    sqrt_rn,
    tan,
    tanh,
    trunc,
)
from ..ops import BINARY
from ..special import (  # noqa: F401
    cospi,
    cyl_bessel_i0,
    cyl_bessel_i1,
    erfcx,
    erfinv,
    j0,
    j1,
    lgamma,
    nextafter,
    normcdf,
    rcbrt,
    sinpi,
    tgamma,
    y0,
    y1,
)
from ..tensor import tensor
from ..types import float32 as _float32
from ..types import float64 as _float64
from ..types import int32 as _int32
from ..types import int64 as _int64
from ..types import uint32 as _uint32
from ..types import uint64 as _uint64

isinf, isfinited, finitef = _math.isinf, _math.isfinite, _math.isfinite
nearbyint, fabs, mulhi = rint, abs, _math.umulhi
fast_expf, fast_logf, fast_log2f, fast_log10f, fast_tanhf, fast_sinf, fast_cosf, fast_tanf, fast_powf = (
    exp,
    log,
    log2,
    log10,
    tanh,
    sin,
    cos,
    tan,
    pow,
)
fmax, fmin, max, min = _math.maximum, _math.minimum, _math.maximum, _math.minimum
rsqrt_rn, log2f, exp2f = rsqrt, log2, exp2


@builtin
def exp10(x):
    """10 to the power x."""
    return tensor(builder().binary(BINARY["POW"], 10.0, x))


@builtin
def fast_dividef(x, y):
    """Quotient of floats, fast."""
    return tensor(builder().binary(BINARY["FDIV"], x, y))


@builtin
def hypot(x, y):
    """Length of the vector (x, y)."""
    return sqrt(x * x + y * y)


@builtin
def saturatef(x):
    """x, but not below 0 nor above 1."""
    return _math.clamp(x, 0.0, 1.0)


@builtin
def llrint(x):
    """Nearest int64, halves to even."""
    return _cast(rint(x), _int64)


@builtin
def llround(x):
    """Nearest int64, halves away from zero."""
    return _cast(round(x), _int64)


# --- arithmetic that rounds once: fma keeps it from being fused with its neighbours ---


@builtin
def add_rn(x, y):
    """x + y, rounded to nearest."""
    return fma(x, 1.0, y)


@builtin
def sub_rn(x, y):
    """x - y, rounded to nearest."""
    return fma(y, -1.0, x)


@builtin
def mul_rn(x, y):
    """x * y, rounded to nearest."""
    return fma(x, y, -0.0)


@builtin
def rcp_rn(x):
    """1 / x, rounded to nearest."""
    return div_rn(1.0, x)


@builtin
def fdim(x, y):
    """x - y where that is positive, else 0."""
    from ..core import where

    return where(x <= y, 0.0, x - y)


@builtin
def rhadd(x, y):
    """The mean of two integers, rounded up, without overflow."""
    return (x | y) - ((x ^ y) >> 1)


fma_rn, fast_exp10f = fma, exp10

# --- conversions and bits ---


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    globals()[name] = builtin(function)


def _add_conversions():
    floats = {"float": _float32, "double": _float64}
    integers = {"int": _int32, "uint": _uint32, "ll": _int64, "ull": _uint64}
    rounded = {"rd": floor, "rn": rint, "ru": ceil, "rz": trunc}
    for source in floats:
        for name, dtype in integers.items():
            for mode, function in rounded.items():
                _named(
                    lambda x, function=function, dtype=dtype: _cast(function(x), dtype),
                    f"{source}2{name}_{mode}",
                    f"x as {dtype}, rounded by {function.__name__}; saturates, NaN gives 0.",
                )
    for name in integers:
        for target, dtype in floats.items():
            _named(lambda x, dtype=dtype: _cast(x, dtype), f"{name}2{target}_rn", f"x as {dtype}, rounded to nearest.")
    for mode, rounding in (("rn", "rtne"), ("rz", "rtz")):
        _named(
            lambda x, rounding=rounding: _cast(x, _float32, rounding),
            f"double2float_{mode}",
            f"x as fp32, rounding {rounding}.",
        )
    for name, dtype in (
        ("float_as_int", _int32),
        ("float_as_uint", _uint32),
        ("int_as_float", _float32),
        ("uint_as_float", _float32),
        ("double_as_longlong", _int64),
        ("longlong_as_double", _float64),
    ):
        _named(lambda x, dtype=dtype: _cast(x, dtype, bitcast=True), name, f"The bits of x as {dtype}.")
    _named(lambda x: _cast(_cast(x, _int64, bitcast=True) >> 32, _int32), "double2hiint", "The upper 32 bits of x.")
    _named(lambda x: _cast(_cast(x, _int64, bitcast=True), _int32), "double2loint", "The lower 32 bits of x.")
    _named(
        lambda hi, lo: _cast(_cast(hi, _int64) << 32 | _cast(_cast(lo, _uint32), _int64), _float64, bitcast=True),
        "hiloint2double",
        "The double of these bits.",
    )


_add_conversions()

#: Of libdevice's other functions only the names are here, so that modules that import them can be loaded.
_MISSING = (
    "brev byte_perm dadd_rn erfcinv hadd ilogb jn ldexp logb mul24 norm3d norm4d "
    "normcdfinv rcp64h remainder rhypot sad scalbn uhadd umul24 urhadd usad yn rnorm3d rnorm4d"
).split() + [
    # Rounding down, up and toward zero, which the language has not.
    f"{name}_{mode}"
    for name in (
        "add sub mul div fma rcp sqrt int2float uint2float ll2float ull2float ll2double ull2double double2float"
    ).split()
    for mode in ("rd", "ru", "rz")
    if f"{name}_{mode}" not in globals()
]


def __getattr__(name):
    if name not in _MISSING:
        raise AttributeError(f"module 'pavage.language.extra.libdevice' has no attribute '{name}'")

    @builtin
    def missing(*args):
        from ..._context import fail

        fail(12, f"expected a function of libdevice that Pavage has, got '{name}'")

    missing.__name__ = missing.__qualname__ = name
    missing.__doc__ = "Not there yet: calling it is an error."
    return missing


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and not n.startswith("_")]

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
from ..tensor import tensor
from ..types import int64 as _int64

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


#: Of libdevice's other functions only the names are here, so that modules that import them can be loaded.
_MISSING = (
    "brev byte_perm cospi cyl_bessel_i0 cyl_bessel_i1 dadd_rn erfcinv erfcx erfinv hadd ilogb j0 j1 jn ldexp lgamma "
    "logb mul24 nextafter norm3d norm4d normcdf normcdfinv rcbrt rcp64h remainder rhypot sad scalbn sinpi tgamma uhadd "
    "umul24 urhadd usad y0 y1 yn"
).split()


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

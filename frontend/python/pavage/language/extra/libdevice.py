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


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and not n.startswith("_")]

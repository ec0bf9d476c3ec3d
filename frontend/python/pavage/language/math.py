# Elementwise mathematics. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fp16, bf16 and fp8 operands are computed in fp32 and rounded back; that is the builder's rule.
from __future__ import annotations

from .._context import builder
from . import types
from .args import builtin, flag, method
from .ops import BINARY, UNARY
from .tensor import tensor


def _unary(name, doc, op=None, is_method=True):
    number = UNARY[op or name.upper()]

    def function(x):
        return tensor(builder().unary(number, types.unwrap(x)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    builtin(function)
    return method()(function) if is_method else function


def _binary(name, doc, op=None):
    number = BINARY[op or name.upper()]

    def function(x, y):
        return tensor(builder().binary(number, types.unwrap(x), types.unwrap(y)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return builtin(function)


abs = _unary("abs", "Absolute value.")
exp = _unary("exp", "e to the power x.")
exp2 = _unary("exp2", "2 to the power x.")
expm1 = _unary("expm1", "exp(x) - 1, precise near 0.")
log = _unary("log", "Natural logarithm.")
log2 = _unary("log2", "Logarithm to base 2.")
log10 = _unary("log10", "Logarithm to base 10.")
log1p = _unary("log1p", "log(1 + x), precise near 0.")
sin = _unary("sin", "Sine.")
cos = _unary("cos", "Cosine.")
tan = _unary("tan", "Tangent.")
asin = _unary("asin", "Arc sine.")
acos = _unary("acos", "Arc cosine.")
atan = _unary("atan", "Arc tangent.")
sinh = _unary("sinh", "Hyperbolic sine.")
cosh = _unary("cosh", "Hyperbolic cosine.")
tanh = _unary("tanh", "Hyperbolic tangent.")
asinh = _unary("asinh", "Inverse hyperbolic sine.")
acosh = _unary("acosh", "Inverse hyperbolic cosine.")
atanh = _unary("atanh", "Inverse hyperbolic tangent.")
sqrt = _unary("sqrt", "Square root.")
sqrt_rn = _unary("sqrt_rn", "Square root, rounded to nearest.")
rsqrt = _unary("rsqrt", "1 / sqrt(x).")
cbrt = _unary("cbrt", "Cube root.")
erf = _unary("erf", "Error function.")
erfc = _unary("erfc", "1 - erf(x).")
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x)).")
floor = _unary("floor", "Largest integer not above x.")
ceil = _unary("ceil", "Smallest integer not below x.")
trunc = _unary("trunc", "x without its fraction.")
round = _unary("round", "Nearest integer, halves away from zero.")
rint = _unary("rint", "Nearest integer, halves to even.")
isnan = _unary("isnan", "Is x a NaN?")
isinf = _unary("isinf", "Is x infinite?")
isfinite = _unary("isfinite", "Is x neither infinite nor a NaN?")
signbit = _unary("signbit", "Is the sign of x set?")
popc = _unary("popc", "Number of bits that are set.")
clz = _unary("clz", "Number of leading zero bits.")
ctz = _unary("ctz", "Number of trailing zero bits.")
ffs = _unary("ffs", "Place of the lowest set bit, from 1; 0 for 0.")

pow = _binary("pow", "x to the power y.")
div_rn = _binary("div_rn", "Quotient, rounded to nearest.")
umulhi = _binary("umulhi", "High half of the product of unsigned integers.")
fmod = _binary("fmod", "Remainder of a float division, with the sign of x.")
atan2 = _binary("atan2", "Angle of the point (y, x).")
copysign = _binary("copysign", "Magnitude of x with the sign of y.")


@method()
@builtin
def fdiv(x, y, ieee_rounding=False):
    """Quotient of floats, fast unless ieee_rounding."""
    op = "FDIV_IEEE" if flag(ieee_rounding, "ieee_rounding") else "FDIV"
    return tensor(builder().binary(BINARY[op], types.unwrap(x), types.unwrap(y)))


@builtin
def fma(x, y, z):
    """x * y + z with one rounding."""
    return tensor(builder().fma(types.unwrap(x), types.unwrap(y), types.unwrap(z)))


def _propagates(propagate_nan):
    value = types.unwrap(propagate_nan)
    return value == types.PropagateNan.ALL or value == "ALL"


@builtin
def maximum(x, y, propagate_nan=types.PropagateNan.NONE):
    """The larger one; a NaN counts only with PropagateNan.ALL."""
    op = "MAXIMUM_NAN" if _propagates(propagate_nan) else "MAXIMUM"
    return tensor(builder().binary(BINARY[op], types.unwrap(x), types.unwrap(y)))


@builtin
def minimum(x, y, propagate_nan=types.PropagateNan.NONE):
    """The smaller one; a NaN counts only with PropagateNan.ALL."""
    op = "MINIMUM_NAN" if _propagates(propagate_nan) else "MINIMUM"
    return tensor(builder().binary(BINARY[op], types.unwrap(x), types.unwrap(y)))


@builtin
def clamp(x, min, max, propagate_nan=types.PropagateNan.NONE):
    """x, but not below min nor above max."""
    return tensor(builder().clamp(types.unwrap(x), types.unwrap(min), types.unwrap(max), _propagates(propagate_nan)))


@method()
@builtin
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x - max) / sum of them, along an axis."""
    from .args import optional_integer

    return tensor(
        builder().softmax(
            x, optional_integer(dim, "dim"), flag(keep_dims, "keep_dims"), flag(ieee_rounding, "ieee_rounding")
        )
    )


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and not n.startswith("_")]
__all__ = [n for n in __all__ if n not in ("builtin",)]

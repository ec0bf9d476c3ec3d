# triton.language.core: Triton's rule on extents. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Pavage takes tiles of any extent. Code written for Triton may rely on being refused, so each function that makes a
# tile from extents checks them here.
from __future__ import annotations

import functools

import pavage.language as _tl
from pavage._context import fail as _fail
from pavage.language import *  # noqa: F403
from pavage.language import (PropagateNan, block_type, const, constexpr, constexpr_type, dtype, pointer_type, tensor,
                             tensor_descriptor)
from pavage.language.args import builtin, integer as _integer, integers as _integers
from pavage.language.types import get_int_dtype, unwrap as _unwrap_if_constexpr  # noqa: F401

TRITON_MAX_TENSOR_NUMEL = _tl.TRITON_MAX_TENSOR_NUMEL


def must_use_result(x, s=True):
    """Marks a function whose result should not be dropped."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x


def _foreign(name, mantissa, bias):
    """An 8-bit float that only other vendors' or older chips have: it can be named, not used."""
    made = object.__new__(dtype)
    made.name, made.code, made.primitive_bitwidth, made._kind = name, 0, 8, "float"
    made.fp_mantissa_width, made.exponent_bias = mantissa, bias
    return made


float8e4b15, float8e4b8 = _foreign("fp8e4b15", 3, 15), _foreign("fp8e4b8", 3, 8)
float8e5b16 = _foreign("fp8e5b16", 2, 16)

# Names of element types by kind, as attributes of the class.
dtype.SINT_TYPES = ["int8", "int16", "int32", "int64"]
dtype.UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
dtype.FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
dtype.STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
dtype.OTHER_TYPES = ["void"]


def _power_of_two(n, what):
    if n <= 0 or n & (n - 1):
        _fail(17, f"{what} must be a power of 2, got {n}")


def _checked_shape(shape):
    for i, extent in enumerate(_integers(shape, "the shape")):
        _power_of_two(extent, f"Shape element {i}")


def _checks(check):
    """A function of the language with a check of its arguments before it."""

    def decorate(function):

        @functools.wraps(function)
        def checked(*args, **kwargs):
            check(*args, **kwargs)
            return function(*args, **kwargs)

        return builtin(checked)

    return decorate


def _check_arange(start, end=None):
    if end is not None:
        start, end = _integer(start, "the start of arange"), _integer(end, "the end of arange")
        if end <= start:
            _fail(17, "arange's end argument must be greater than the start argument")
        _power_of_two(end - start, "arange's range")


arange = _checks(_check_arange)(_tl.arange)
full = _checks(lambda shape, *args, **kwargs: _checked_shape(shape))(_tl.full)
zeros = _checks(lambda shape, *args, **kwargs: _checked_shape(shape))(_tl.zeros)
broadcast_to = _checks(lambda input, *shape, **kwargs: _checked_shape(
    shape[0] if len(shape) == 1 else list(shape)))(_tl.broadcast_to)
make_tensor_descriptor = _checks(
    lambda base, shape, strides, block_shape, *args, **kwargs: _checked_shape(block_shape)
)(_tl.make_tensor_descriptor)

__all__ = [name for name in dir(_tl) if not name.startswith("_") and not isinstance(getattr(_tl, name), type(_tl))]
__all__ += ["float8e4b15", "float8e4b8", "float8e5b16"]
CONSTEXPR_0 = constexpr(0)

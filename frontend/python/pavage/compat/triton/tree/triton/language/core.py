# triton.language.core: Triton's rule on extents. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Pavage takes tiles of any extent. Code written for Triton may rely on being refused, so each function that makes a
# tile from extents checks them here.
from __future__ import annotations

import builtins as _builtins
import functools
import math as _math
import warnings as _warnings

import pavage.language as _tl
from pavage._context import fail as _fail
from pavage.language import *  # noqa: F403
from pavage.language import (PropagateNan, block_type, const, constexpr, constexpr_type, dtype, pointer_type, tensor,
                             tensor_descriptor)
from pavage.language.args import builtin, integer as _integer, integers as _integers
from pavage.language.tensor import base_value  # noqa: F401
from pavage.language.types import (base_type, get_int_dtype, tensor_descriptor_type,  # noqa: F401
                                   unwrap as _unwrap_if_constexpr)

TRITON_MAX_TENSOR_NUMEL = _tl.TRITON_MAX_TENSOR_NUMEL


def must_use_result(x, s=True):
    """Marks a function whose result should not be dropped."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x.__pavage_must_use__ = s
    return x


#: The attribute that marks what kernels may call.
TRITON_BUILTIN = "__pavage_builtin__"
tensor_descriptor_base_type = tensor_descriptor_type


def is_builtin(fn):
    """Whether kernels may call it as a function of the language."""
    return _builtins.bool(getattr(fn, TRITON_BUILTIN, False))


def is_negative_zero(x):
    return x == 0.0 and _math.copysign(1.0, x) < 0


def check_bit_width(value, shift_value):
    """Shifts by the width or more are defined here: 0, or the sign. So there is nothing to warn of."""


class slice_type(base_type):
    """Type of a slice."""

    name = "slice_type"


def extern(fn):
    """Marks a function that binds one of a library."""
    return builtin(fn)


@builtin
def dispatch(func, lib_name, lib_path, args, arg_type_symbol_dict, ret_type, is_pure):
    """A function of a bitcode library. There is none to take it from: an error."""
    _fail(5, f"expected a function of the language, got one of the library {_unwrap_if_constexpr(lib_name)!r}")


@builtin
def extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure):
    """An elementwise function of a library, by the name that its argument types have in the table.

    Names of libdevice are known (`__nv_expf` and its like); others are an error."""
    from pavage.language.extra import libdevice

    args = [_tl.to_tensor(x) for x in args]
    found = arg_type_symbol_dict.get(tuple(x.dtype for x in args))
    if found is None:
        _fail(7, f"expected argument types that {_unwrap_if_constexpr(lib_name)!r} has a function for, got "
                 f"{', '.join(str(x.dtype) for x in args)}")
    symbol = found[0]
    name = symbol.removeprefix("__nv_")
    for candidate in (name, name.removesuffix("f")):
        function = getattr(libdevice, candidate, None)
        if symbol != name and function is not None:
            return _tl.cast(function(*args), found[1])
    _fail(5, f"expected a function of libdevice, got {symbol!r}")


def _extreme(name, elementwise):

    def function(*args, propagate_nan=PropagateNan.NONE):
        result, *others = args
        for other in others:
            result = elementwise(result, other, propagate_nan)
        return result

    function.__name__ = name
    return builtin(function)


builtin_max, builtin_min = _extreme("builtin_max", _tl.maximum), _extreme("builtin_min", _tl.minimum)


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

def _check_where(condition, x, y):
    if isinstance(condition, tensor) and condition.dtype != _tl.int1:
        _warnings.warn(f"expected a boolean condition for tl.where, got {condition.dtype}: Triton will refuse it",
                       stacklevel=2)


where = _checks(_check_where)(_tl.where)

__all__ = [name for name in dir(_tl) if not name.startswith("_") and not isinstance(getattr(_tl, name), type(_tl))]
__all__ += ["float8e4b15", "float8e4b8", "float8e5b16"]
CONSTEXPR_0 = constexpr(0)


def _extensible(function):
    """Code that extends Triton hands `_semantic` and `_generator` on; here they mean nothing."""

    @functools.wraps(function)
    def extended(*args, _semantic=None, _generator=None, **kwargs):
        return function(*args, **kwargs)

    return extended


for _name, _function in list(globals().items()):
    if is_builtin(_function):
        globals()[_name] = _extensible(_function)

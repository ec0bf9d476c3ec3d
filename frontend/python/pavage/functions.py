# Small functions for host and kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations


def constexpr_function(fn):
    """A Python function that kernels may call on constants; it runs while they are compiled."""
    from .language.types import constexpr

    def call(*args, **kwargs):
        # On the host a constexpr goes in and a constexpr comes out, as with operators.
        wrapped = any(isinstance(a, constexpr) for a in (*args, *kwargs.values()))
        result = fn(*map(_unwrap_deep, args), **{k: _unwrap_deep(v) for k, v in kwargs.items()})
        return constexpr(result) if wrapped else result

    call.__name__, call.__qualname__, call.__doc__ = fn.__name__, fn.__qualname__, fn.__doc__
    call.__module__, call.__wrapped__ = fn.__module__, fn
    call.__pavage_constexpr__ = True
    return call


def _unwrap_deep(x):
    value = getattr(x, "value", x) if type(x).__name__ == "constexpr" else x
    return tuple(map(_unwrap_deep, value)) if type(value) is tuple else value


def cdiv(x, y):
    """x / y, rounded up."""
    if hasattr(x, "handle") or hasattr(y, "handle"):
        return _device_cdiv(x, y)
    return -(-x // y)


def next_power_of_2(n):
    """The smallest power of two that is at least n; 0 for 0."""
    if n <= 0:
        return 0
    return 1 << (int(n) - 1).bit_length()


def _device_cdiv(x, y):
    from .language.core import cdiv as device_cdiv

    return device_cdiv(x, y)


_device_cdiv.__pavage_builtin__ = True
cdiv.__pavage_constexpr__ = next_power_of_2.__pavage_constexpr__ = True
cdiv.__pavage_device__ = _device_cdiv

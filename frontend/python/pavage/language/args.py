# What functions of the language accept for shapes, axes, types. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from .._context import fail
from . import types
from .tensor import base_value, tensor


def builtin(function):
    """Marks a function that kernels may call: it forwards to the builder."""
    function.__pavage_builtin__ = True
    return function


def integer(x, what):
    """A Python int from a number or a constant scalar."""
    x = types.unwrap(x)
    if isinstance(x, tensor):
        value = x._constant() if x.handle.numel == 1 else None
        if isinstance(value, int):
            return int(value)
        fail(4, f"expected {what} known at compile time, got {x.handle.type_text}")
    if hasattr(x, "__index__"):
        return x.__index__()
    fail(4, f"expected an integer for {what}, got {describe(x)}")


def optional_integer(x, what):
    x = types.unwrap(x)
    return None if x is None else integer(x, what)


def flag(x, what):
    x = types.unwrap(x)
    if isinstance(x, tensor):
        value = x._constant() if x.handle.numel == 1 else None
        if value is None:
            fail(4, f"expected {what} known at compile time, got {x.handle.type_text}")
        return bool(value)
    return bool(x)


def text(x, what):
    x = types.unwrap(x)
    if x is None or isinstance(x, str):
        return x
    fail(4, f"expected text for {what}, got {describe(x)}")


def integers(x, what):
    """A list of ints from a number, or a tuple or list of them."""
    x = types.unwrap(x)
    if isinstance(x, (tuple, list)):
        return [integer(i, what) for i in x]
    return [integer(x, what)]


def shape(items, what="the shape"):
    """For signatures like reshape(x, 4, 4) and reshape(x, (4, 4))."""
    if len(items) == 1:
        return integers(items[0], what)
    return [integer(i, what) for i in items]


def operands(x, what):
    x = types.unwrap(x)
    if isinstance(x, (tuple, list)):
        return [types.unwrap(i) for i in x]
    if isinstance(x, (int, tensor)):
        return [x]
    fail(4, f"expected a tuple or list for {what}, got {describe(x)}")


def type_code(x, what="the dtype"):
    """The builder's number of an element type; 0 for None."""
    x = types.unwrap(x)
    if x is None:
        return 0
    if isinstance(x, types.block_type):
        x = x.scalar
    if isinstance(x, str):
        try:
            x = types.str_to_ty(x)
        except ValueError:
            pass
    if isinstance(x, types.dtype) and x.code:
        return x.code
    fail(10, f"expected an element type for {what}, got {describe(x)}")


def describe(x):
    """An object in an error text."""
    if isinstance(x, base_value):
        return x.handle.type_text
    if x is None or isinstance(x, (bool, int, float, str)):
        return repr(x)
    return f"{type(x).__name__} {x!r}"[:120]


def method(cls=tensor, name=None):
    """Makes a function of the language a method of values, too."""

    def add(function):
        setattr(cls, name or function.__name__, function)
        return function

    return add

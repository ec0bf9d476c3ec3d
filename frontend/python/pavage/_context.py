# What kernel code runs in: the builder of this thread. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import threading


class _State(threading.local):
    builder = None  # the active builder; None outside of kernels
    frame = None  # the Frame of the function being traced; None in eager mode and outside


state = _State()
_native = None


def native():
    """The extension with builder and compiler; loaded when the first kernel is traced."""
    global _native
    if _native is None:
        from . import _pavage_builder, errors
        from .language import types
        from .language.tensor import base_value

        _pavage_builder.register(base_value, types.constexpr, errors.from_builder)
        _native = _pavage_builder
    return _native


def builder():
    """The builder that functions of the language forward to."""
    b = state.builder
    if b is None:
        from ._support import make_error

        raise make_error(20, "expected to be called from a running or traced kernel, got ordinary Python code")
    return b


class active:
    """Makes a builder the active one: ``with active(b): ...``; nests."""

    __slots__ = ("_new", "_old")

    def __init__(self, b, frame=None):
        self._new = (b, frame)

    def __enter__(self):
        self._old = (state.builder, state.frame)
        state.builder, state.frame = self._new

    def __exit__(self, *exc):
        state.builder, state.frame = self._old


def fail(number, text):
    """Reports an error at the current place."""
    b = state.builder
    if b is not None:
        b.fail(number, text)
    from ._support import make_error

    raise make_error(number, text)

# Counter-based random numbers: Philox 4x32. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from .._context import builder
from .args import builtin, integer
from .ops import RANDOM
from .tensor import tensor

N_ROUNDS_DEFAULT = 10


def _rounds(n):
    return integer(n, "n_rounds")


def _one(name, doc):

    def function(seed, offset, n_rounds=N_ROUNDS_DEFAULT):
        return tensor(builder().random(RANDOM[name.upper()], seed, offset, _rounds(n_rounds)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return builtin(function)


def _four(name, doc):

    def function(seed, offsets, n_rounds=N_ROUNDS_DEFAULT):
        out = builder().random4(RANDOM[name.upper()], seed, offsets, _rounds(n_rounds))
        return tuple(tensor(v) for v in out)

    function.__name__ = function.__qualname__ = name + "4x"
    function.__doc__ = doc
    return builtin(function)


randint = _one("randint", "Random int32 bits.")
rand = _one("rand", "Uniform fp32 in [0, 1).")
randn = _one("randn", "Normally distributed fp32.")
randint4x = _four("randint", "Four tiles of random bits for the price of one.")
rand4x = _four("rand", "Four tiles of uniform numbers.")
randn4x = _four("randn", "Four tiles of normally distributed numbers.")


@builtin
def philox(seed, c0, c1, c2, c3, n_rounds=N_ROUNDS_DEFAULT):
    """Four tiles of random bits for a 64-bit seed and a counter of four words."""
    return tuple(tensor(v) for v in builder().philox(seed, c0, c1, c2, c3, _rounds(n_rounds)))


@builtin
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=N_ROUNDS_DEFAULT):
    """The rounds themselves, for a key of two words."""
    return tuple(tensor(v) for v in builder().philox_impl(c0, c1, c2, c3, k0, k1, _rounds(n_rounds)))


@builtin
def uint_to_uniform_float(x):
    """Random bits as uniform floats in [0, 1)."""
    return tensor(builder().uint_to_uniform_float(x))


@builtin
def pair_uniform_to_normal(u1, u2):
    """Two tiles of uniform numbers as two of normally distributed ones."""
    x, y = builder().pair_uniform_to_normal(u1, u2)
    return tensor(x), tensor(y)


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and not n.startswith("_")]

# Reductions, scans, order. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from .._context import builder, fail
from . import types
from .args import builtin, describe, flag, integer, method, optional_integer, type_code
from .ops import REDUCE
from .tensor import base_value, tensor


def _axis(axis):
    return optional_integer(axis, "the axis")


def _keep(keep_dims):
    return flag(keep_dims, "keep_dims")


@method()
@builtin
def sum(input, axis=None, keep_dims=False, dtype=None):
    """Sum along an axis, or of all elements; 8- and 16-bit integers widen to 32 bits."""
    return tensor(builder().reduce(REDUCE["SUM"], input, _axis(axis), _keep(keep_dims), type_code(dtype)))


def _extreme(name, doc):
    op = REDUCE[name.upper()]

    def function(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
        if flag(return_indices, "return_indices"):
            value, index = builder().reduce_with_index(
                op, input, _axis(axis), flag(return_indices_tie_break_left, "tie break"), _keep(keep_dims)
            )
            return tensor(value), tensor(index)
        return tensor(builder().reduce(op, input, _axis(axis), _keep(keep_dims), 0))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return method()(builtin(function))


max = _extreme("max", "Largest element along an axis; NaN counts only where there is nothing else.")
min = _extreme("min", "Smallest element along an axis; NaN counts only where there is nothing else.")


def _arg(name, op, doc):

    def function(input, axis, tie_break_left=True, keep_dims=False):
        _, index = builder().reduce_with_index(
            REDUCE[op], input, _axis(axis), flag(tie_break_left, "tie_break_left"), _keep(keep_dims)
        )
        return tensor(index)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return method()(builtin(function))


argmax = _arg("argmax", "MAX", "Index of the largest element; of equal ones the first.")
argmin = _arg("argmin", "MIN", "Index of the smallest element; of equal ones the first.")


@method()
@builtin
def xor_sum(input, axis=None, keep_dims=False):
    """Exclusive or of integers along an axis."""
    return tensor(builder().reduce(REDUCE["XOR_SUM"], input, _axis(axis), _keep(keep_dims), 0))


@method()
@builtin
def reduce_or(input, axis, keep_dims=False):
    """Bitwise or of integers along an axis."""
    return tensor(builder().reduce(REDUCE["REDUCE_OR"], input, _axis(axis), _keep(keep_dims), 0))


def _combiner(combine_fn, inputs):
    """The combine function on handles: 2n scalars in, n out."""
    count = len(inputs)

    def check(results):
        if len(results) != count:
            fail(7, f"expected the combine function to return {count} values, got {len(results)}")

    return _on_handles(combine_fn, "combine_fn", check)


def _on_handles(function, what, check=None):
    """A jit function that takes handles of scalars and gives a tuple."""
    function = types.unwrap(function)
    if not callable(function):
        fail(5, f"expected a jit function as {what}, got {describe(function)}")

    def call(*handles):
        from ..trace import inline_call

        result = inline_call(function, [tensor(h) for h in handles])
        results = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if check:
            check(results)
        return results

    return call


def _inputs(input):
    if isinstance(input, (tuple, list)):
        return list(input)
    if not isinstance(input, base_value):
        fail(107, f"expected a tile or a tuple of tiles, got {describe(input)}")
    return [input]


def _outputs(input, results):
    results = tuple(tensor(v) for v in results)
    return results if isinstance(input, (tuple, list)) else results[0]


@method()
@builtin
def reduce(input, axis, combine_fn, keep_dims=False):
    """Reduction by a jit function, of one tile or of several at once."""
    inputs = _inputs(input)
    out = builder().reduce_with(inputs, _axis(axis), _combiner(combine_fn, inputs), _keep(keep_dims))
    return _outputs(input, out)


@method()
@builtin
def associative_scan(input, axis, combine_fn, reverse=False):
    """All partial results of a reduction by a jit function."""
    inputs = _inputs(input)
    out = builder().scan_with(
        inputs, integer(axis, "the axis"), _combiner(combine_fn, inputs), flag(reverse, "reverse")
    )
    return _outputs(input, out)


@method()
@builtin
def cumsum(input, axis=0, reverse=False, dtype=None):
    """Partial sums along an axis."""
    return tensor(
        builder().cumulate(REDUCE["SUM"], input, integer(axis, "the axis"), flag(reverse, "reverse"), type_code(dtype))
    )


@method()
@builtin
def cumprod(input, axis=0, reverse=False):
    """Partial products along an axis."""
    return tensor(builder().cumulate(REDUCE["PROD"], input, integer(axis, "the axis"), flag(reverse, "reverse"), 0))


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """A jit function of scalars, with real control flow, per element of tiles in their common shape.

    With pack the function takes that many elements of each tile at once, and returns as many of each result. Gives one
    tile, or a tuple of them where the function returns several.
    """
    pack = integer(pack, "pack")
    out = builder().map_with(list(args), _on_handles(scalar_fn, "scalar_fn"), pack)
    results = tuple(tensor(v) for v in out)
    return results if len(results) > 1 else results[0]


@method()
@builtin
def sort(x, dim=None, descending=False):
    """Elements in order along an axis (the last one); NaN comes last."""
    return tensor(builder().sort(x, optional_integer(dim, "dim"), flag(descending, "descending")))


@method()
@builtin
def topk(x, k, dim=None, descending=True):
    """The k largest (smallest) elements along an axis, in order."""
    return tensor(builder().topk(x, integer(k, "k"), optional_integer(dim, "dim"), flag(descending, "descending")))


@builtin
def bitonic_merge(x, dim=None, descending=False):
    """A bitonic sequence in order."""
    return sort(x, dim, descending)


@method()
@builtin
def histogram(input, num_bins, mask=None):
    """How often each of 0 ... num_bins-1 occurs: int32."""
    return tensor(builder().histogram(input, integer(num_bins, "num_bins"), types.unwrap(mask)))


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and not n.startswith("_")]

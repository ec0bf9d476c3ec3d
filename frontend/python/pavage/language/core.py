# Programs, creation, shape, memory, atomics, hints. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each function forwards to the builder, which checks and defines what it does.
from __future__ import annotations

from .._context import builder, fail
from . import types
from .args import (
    builtin,
    flag,
    integer,
    integers,
    method,
    operands,
    optional_integer,
    shape as to_shape,
    text,
    type_code,
)
from .ops import ATOMIC, BINARY, HINT
from .tensor import base_value, block_pointer, tensor, tensor_descriptor

# --- programs ---


@builtin
def program_id(axis):
    """Id of this program along an axis (0, 1, 2) of the grid: int32."""
    return tensor(builder().program_id(integer(axis, "the axis")))


@builtin
def num_programs(axis):
    """Size of the grid along an axis: int32."""
    return tensor(builder().num_programs(integer(axis, "the axis")))


# --- creation ---


@builtin
def arange(start, end=None):
    """The int32 tile start, start+1, ..., end-1; bounds are constants of any extent."""
    if end is None:
        start, end = 0, start
    return tensor(builder().arange(integer(start, "the start of arange"), integer(end, "the end of arange")))


@builtin
def full(shape, value, dtype=None):
    """A tile with the same value everywhere."""
    return tensor(builder().full(integers(shape, "the shape"), value, type_code(dtype)))


@builtin
def zeros(shape, dtype):
    """A tile of zeros."""
    return tensor(builder().full(integers(shape, "the shape"), 0, type_code(dtype)))


@builtin
def zeros_like(input):
    """Zeros in the shape and type of another tile."""
    return tensor(builder().zeros_like(input))


@builtin
def to_tensor(x):
    """A number as a scalar of its own type."""
    return x if isinstance(x, base_value) else tensor(builder().to_tensor(x))


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Conversion to another element type; floats to integers saturate, NaN gives 0."""
    code = type_code(dtype)
    if flag(bitcast, "bitcast"):
        return tensor(builder().bitcast(input, code))
    return tensor(builder().cast(input, code, text(fp_downcast_rounding, "fp_downcast_rounding")))


@method()
@builtin
def cat(input, other, can_reorder=False, dim=0):
    """Two tiles end to end along an axis."""
    return tensor(builder().cat(input, other, integer(dim, "dim")))


# --- shape ---


@method()
@builtin
def broadcast(input, other):
    """Two tiles in their common shape."""
    x, y = builder().broadcast(input, other)
    return tensor(x), tensor(y)


@method()
@builtin
def broadcast_to(input, *shape):
    """A tile repeated along axes of extent 1."""
    return tensor(builder().broadcast_to(input, to_shape(shape)))


@method()
@builtin
def expand_dims(input, axis):
    """A tile with further axes of extent 1."""
    return tensor(builder().expand_dims(input, integers(axis, "the axis")))


@method()
@builtin
def squeeze(x, dim):
    """A tile without an axis of extent 1."""
    return tensor(builder().squeeze(x, integer(dim, "dim")))


@method()
@builtin
def unsqueeze(x, dim):
    """A tile with one more axis of extent 1."""
    return tensor(builder().expand_dims(x, [integer(dim, "dim")]))


@method()
@builtin
def reshape(input, *shape, can_reorder=False):
    """The same elements, row-major, in another shape; one extent may be -1."""
    return tensor(builder().reshape(input, to_shape(shape)))


@method()
@builtin
def view(input, *shape):
    """Old name of reshape."""
    return tensor(builder().reshape(input, to_shape(shape)))


@method()
@builtin
def ravel(x, can_reorder=False):
    """All elements in one axis."""
    return tensor(builder().reshape(x, [x.handle.numel]))


@method()
@builtin
def trans(input, *dims):
    """Axes in another order; without dims the last two change places."""
    if not dims or (len(dims) == 1 and dims[0] is None):
        return tensor(builder().trans(input))
    return tensor(builder().permute(input, to_shape(dims, "dims")))


@method()
@builtin
def permute(input, *dims):
    """Axes in another order."""
    return tensor(builder().permute(input, to_shape(dims, "dims")))


@method()
@builtin
def join(a, b):
    """Two tiles as the halves of a new last axis of extent 2."""
    return tensor(builder().join(a, b))


@method()
@builtin
def split(a):
    """The two halves of a last axis of extent 2."""
    x, y = builder().split(a)
    return tensor(x), tensor(y)


@method()
@builtin
def interleave(a, b):
    """Elements of two tiles in turn, along the last axis."""
    return tensor(builder().interleave(a, b))


@method()
@builtin
def flip(x, dim=None):
    """The elements of an axis in reverse order."""
    return tensor(builder().flip(x, optional_integer(dim, "dim")))


@builtin
def swizzle2d(i, j, size_i, size_j, size_g):
    """Row and column of a block when blocks are walked in groups of size_g rows."""
    x, y = builder().swizzle2d(i, j, size_i, size_j, size_g)
    return tensor(x), tensor(y)


@method()
@builtin
def item(input):
    """The only element of a tile, as a scalar."""
    if input.handle.numel != 1:
        fail(112, f"expected a tile of one element for item, got {input.handle.type_text}")
    return tensor(builder().reshape(input, []))


# --- selection ---


@builtin
def where(condition, x, y):
    """x where the condition holds, else y; both are computed."""
    return tensor(builder().where(condition, x, y))


@method()
@builtin
def gather(src, index, axis):
    """Elements picked by index along an axis."""
    return tensor(builder().gather(src, index, integer(axis, "the axis")))


@builtin
def expect_zero(x, mask):
    """x; a promise that it is 0 where the mask is not set."""
    return x


# --- memory ---


@builtin
def load(
    pointer,
    mask=None,
    other=None,
    boundary_check=(),
    padding_option="",
    cache_modifier="",
    eviction_policy="",
    volatile=False,
):
    """Elements from memory. Masked-off elements are `other`, or 0, and touch no memory."""
    check = integers(boundary_check, "boundary_check") if boundary_check not in ((), None) else []
    return tensor(
        builder().load(
            pointer,
            types.unwrap(mask),
            types.unwrap(other),
            check,
            text(padding_option, "padding_option") or "",
            text(cache_modifier, "cache_modifier") or "",
            text(eviction_policy, "eviction_policy") or "",
            flag(volatile, "volatile"),
        )
    )


@builtin
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Elements to memory, cast to the pointer's type."""
    check = integers(boundary_check, "boundary_check") if boundary_check not in ((), None) else []
    builder().store(
        pointer,
        value,
        types.unwrap(mask),
        check,
        text(cache_modifier, "cache_modifier") or "",
        text(eviction_policy, "eviction_policy") or "",
    )


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order=()):
    """A pointer to a block of an array."""
    return block_pointer(
        builder().make_block_ptr(
            base,
            operands(shape, "the shape"),
            operands(strides, "the strides"),
            operands(offsets, "the offsets"),
            integers(block_shape, "block_shape"),
            integers(order, "the order") if order else [],
        )
    )


@builtin
def advance(base, offsets):
    """A block pointer moved by offsets."""
    return block_pointer(builder().advance(base, operands(offsets, "the offsets")))


advance.__pavage_must_use__ = True
block_pointer.advance = advance


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """A descriptor of an array: loads and stores of whole blocks, clipped at its borders."""
    return tensor_descriptor(
        builder().make_descriptor(
            base,
            operands(shape, "the shape"),
            operands(strides, "the strides"),
            integers(block_shape, "block_shape"),
            text(padding_option, "padding_option") or "zero",
        )
    )


@builtin
def load_tensor_descriptor(desc, offsets):
    """Same as desc.load(offsets)."""
    return desc.load(offsets)


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """Same as desc.store(offsets, value)."""
    return desc.store(offsets, value)


# --- atomics: each returns the value before it, 0 in masked-off lanes ---


def _atomic(name, doc):
    op = ATOMIC[name.upper()]

    def function(pointer, val, mask=None, sem=None, scope=None):
        return tensor(builder().atomic(op, pointer, val, types.unwrap(mask), text(sem, "sem"), text(scope, "scope")))

    function.__name__ = function.__qualname__ = "atomic_" + name
    function.__doc__ = doc
    return method()(builtin(function))


atomic_add = _atomic("add", "Adds to memory, atomically; gives the old value.")
atomic_max = _atomic("max", "Keeps the larger value in memory, atomically; gives the old value.")
atomic_min = _atomic("min", "Keeps the smaller value in memory, atomically; gives the old value.")
atomic_and = _atomic("and", "Bitwise and with memory, atomically; gives the old value.")
atomic_or = _atomic("or", "Bitwise or with memory, atomically; gives the old value.")
atomic_xor = _atomic("xor", "Bitwise exclusive or with memory, atomically; gives the old value.")
atomic_xchg = _atomic("xchg", "Puts a value into memory, atomically; gives the old value.")


@method()
@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Puts val where memory holds cmp, atomically; gives the old value."""
    return tensor(builder().atomic_cas(pointer, cmp, val, text(sem, "sem"), text(scope, "scope")))


# --- linear algebra ---


@builtin
def dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None):
    """Matrix product of two tiles (2-D, or a batch of them), added to acc."""
    tf32 = types.unwrap(allow_tf32)
    return tensor(
        builder().dot(
            input,
            other,
            types.unwrap(acc),
            text(input_precision, "input_precision"),
            None if tf32 is None else flag(tf32, "allow_tf32"),
            optional_integer(max_num_imprecise_acc, "max_num_imprecise_acc"),
            type_code(out_dtype, "out_dtype"),
        )
    )


@builtin
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format,
    rhs,
    rhs_scale,
    rhs_format,
    acc=None,
    fast_math=False,
    lhs_k_pack=True,
    rhs_k_pack=True,
    out_dtype=types.float32,
):
    """Matrix product of two tiles in microscaling formats, added to acc: float32.

    Formats are "e2m1" (two to a uint8, the first in the low bits, along K unless k_pack is False), "e4m3", "e5m2",
    "bf16", "fp16". Scales, or None, are uint8 exponents (e8m0) or fp8 e4m3, of shape [M, K / 32] and [N, K / 32], or
    / 16. Elements times scales are rounded to bf16, or to fp16 where a side is fp16.
    """
    return tensor(
        builder().dot_scaled(
            lhs,
            types.unwrap(lhs_scale),
            text(lhs_format, "lhs_format") or "",
            not flag(lhs_k_pack, "lhs_k_pack"),
            rhs,
            types.unwrap(rhs_scale),
            text(rhs_format, "rhs_format") or "",
            not flag(rhs_k_pack, "rhs_k_pack"),
            types.unwrap(acc),
            flag(fast_math, "fast_math"),
            type_code(out_dtype, "out_dtype"),
        )
    )


# --- operators as functions ---


def _operator(name):

    def function(x, y, sanitize_overflow=True):
        return tensor(builder().binary(BINARY[name.upper()], x, y))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The operator form of {name}."
    return builtin(function)


add, sub, mul = _operator("add"), _operator("sub"), _operator("mul")


@builtin
def cdiv(x, div):
    """x / div, rounded up."""
    x, div = types.unwrap(x), types.unwrap(div)
    if isinstance(x, int) and isinstance(div, int):
        if div == 0:
            fail(9, "expected a divisor other than 0, got 0")
        return -(-x // div)
    return tensor(builder().binary(BINARY["CDIV"], x, div))


# --- hints and debugging ---


def _hint(name, doc):
    op = HINT[name.upper()]

    def function(input, values):
        if not isinstance(input, tensor):
            return input
        return tensor(builder().hint_values(op, input, integers(values, "the values")))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return builtin(function)


multiple_of = _hint("multiple_of", "A promise: values are multiples of a number, per axis.")
max_contiguous = _hint("max_contiguous", "A promise: so many neighbours along an axis count up by one.")
max_constancy = _hint("max_constancy", "A promise: so many neighbours along an axis are equal.")


@builtin
def assume(cond):
    """A promise that a condition holds."""
    builder().assume(cond)


@builtin
def debug_barrier():
    """All that this program wrote before is seen by what it reads after."""
    builder().debug_barrier()


@builtin
def device_assert(cond, msg="", mask=None):
    """Stops the launch with an error when the condition is false in some lane."""
    builder().device_assert(cond, text(msg, "the message") or "", types.unwrap(mask))


@builtin
def device_print(prefix, *args, hex=False):
    """Prints values while the kernel runs."""
    builder().device_print(text(prefix, "the prefix") or "", list(args), flag(hex, "hex"))


@builtin
def static_assert(cond, msg=""):
    """An error at compile time unless a constant condition holds."""
    if not flag(cond, "the condition of static_assert"):
        msg = types.unwrap(msg)
        fail(11, "expected static_assert to hold, got false" + (f": {msg}" if msg else ""))


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Prints while the kernel is compiled."""
    print(*(types.unwrap(v) for v in values), sep=sep, end=end, file=file, flush=flush)


@builtin
def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack):
    """PTX instructions applied to groups of elements (GPU targets only)."""
    dtypes = list(dtype) if isinstance(dtype, (tuple, list)) else [dtype]
    out = builder().inline_asm(
        text(asm, "asm"),
        text(constraints, "constraints"),
        list(args),
        [type_code(d) for d in dtypes],
        flag(is_pure, "is_pure"),
        integer(pack, "pack"),
    )
    results = tuple(tensor(v) for v in out)
    return results if isinstance(dtype, (tuple, list)) else results[0]


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and not n.startswith("_")]

# Values of the language: tiles and scalars, block pointers, descriptors. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
#
# A value holds a handle of the builder; operators and methods forward to it.
from __future__ import annotations

from .._context import builder, fail, state
from . import types
from .ops import BINARY, UNARY

KIND_TILE, KIND_BLOCK_POINTER, KIND_DESCRIPTOR = 0, 4, 5


class base_value:
    """Anything that holds a handle of the builder."""

    __slots__ = ("handle", "__weakref__")

    def __init__(self, handle):
        self.handle = handle


def wrap(handle):
    """The Python object for a handle."""
    kind = handle.kind
    if kind == KIND_DESCRIPTOR:
        return tensor_descriptor(handle)
    if kind == KIND_BLOCK_POINTER:
        return block_pointer(handle)
    return tensor(handle)


def _binary(name):
    op = BINARY[name]

    def method(self, other):
        if not _is_operand(other):
            return NotImplemented
        return tensor(builder().binary(op, self, other))

    def reflected(self, other):
        if not _is_operand(other):
            return NotImplemented
        return tensor(builder().binary(op, other, self))

    return method, reflected


_NUMBERS = (int, float, types.constexpr)


def _is_operand(x):
    if isinstance(x, (base_value, *_NUMBERS)):
        return True
    # NumPy scalars, in eager mode and through globals
    return hasattr(x, "__index__") or (hasattr(x, "__float__") and not isinstance(x, str))


class tensor(base_value):
    """A tile or a scalar inside a kernel."""

    __slots__ = ()

    # --- what it is ---

    @property
    def dtype(self):
        return types.from_code(self.handle.dtype)

    @property
    def shape(self):
        return self.handle.shape

    @property
    def type(self):
        shape = self.handle.shape
        return types.block_type(self.dtype, shape) if shape else self.dtype

    @property
    def numel(self):
        return types.constexpr(self.handle.numel)

    @property
    def ndim(self):
        return self.handle.rank

    @property
    def T(self):
        return tensor(builder().trans(self))

    def __len__(self):
        shape = self.handle.shape
        if not shape:
            fail(18, "expected a tile, got a scalar: it has no length")
        return shape[0]

    # --- values, where there are any ---

    def _constant(self):
        if self.handle.dtype in _FLOAT_CODES:
            return self.handle.constant_float()
        value = self.handle.constant_int()
        if value is None or self.handle.numel != 1:
            return None
        if self.handle.dtype == types.int1.code:
            return bool(value)
        return value & 0xFFFFFFFFFFFFFFFF if self.handle.dtype == types.uint64.code else value

    def _concrete(self, what):
        if self.handle.numel != 1:
            fail(156, f"expected a scalar where Python asks for {what}, got {self.handle.type_text}")
        value = self._constant()
        if value is None:
            fail(4, f"expected a value known at compile time where Python asks for {what}, got {self.handle.type_text}")
        return value

    def __bool__(self):
        return bool(self._concrete("a truth value"))

    def __index__(self):
        if self.handle.dtype in _FLOAT_CODES:
            fail(4, f"expected an integer, got {self.handle.type_text}")
        return int(self._concrete("an integer"))

    def __int__(self):
        return int(self._concrete("an integer"))

    def __float__(self):
        return float(self._concrete("a number"))

    def __repr__(self):
        b = state.builder
        if b is not None and b.is_eager():
            return f"{self.handle.type_text} {b.text(self.handle)}"
        return self.handle.type_text

    def __str__(self):
        b = state.builder
        return b.text(self.handle) if b is not None and b.is_eager() else self.handle.type_text

    def numpy(self):
        """The elements as a NumPy array; only with PAVAGE_INTERPRET=1."""
        from ..eager import to_numpy

        return to_numpy(self)

    # --- operators ---

    __add__, __radd__ = _binary("ADD")
    __sub__, __rsub__ = _binary("SUB")
    __mul__, __rmul__ = _binary("MUL")
    __truediv__, __rtruediv__ = _binary("DIV")
    __floordiv__, __rfloordiv__ = _binary("FLOORDIV")
    __mod__, __rmod__ = _binary("MOD")
    __pow__, __rpow__ = _binary("POW")
    __and__, __rand__ = _binary("AND")
    __or__, __ror__ = _binary("OR")
    __xor__, __rxor__ = _binary("XOR")
    __lshift__, __rlshift__ = _binary("SHL")
    __rshift__, __rrshift__ = _binary("SHR")
    __eq__, _ = _binary("EQ")
    __ne__, _ = _binary("NE")
    __lt__, _ = _binary("LT")
    __le__, _ = _binary("LE")
    __gt__, _ = _binary("GT")
    __ge__, _ = _binary("GE")
    del _
    logical_and, _ = _binary("LOGICAL_AND")
    logical_or, _ = _binary("LOGICAL_OR")
    del _
    __hash__ = None

    def __neg__(self):
        return tensor(builder().unary(UNARY["NEG"], self))

    def __pos__(self):
        return tensor(builder().unary(UNARY["POS"], self))

    def __invert__(self):
        return tensor(builder().unary(UNARY["INVERT"], self))

    def __abs__(self):
        return tensor(builder().unary(UNARY["ABS"], self))

    def logical_not(self):
        return tensor(builder().unary(UNARY["LOGICAL_NOT"], self))

    __not__ = logical_not

    def __matmul__(self, other):
        return tensor(builder().dot(self, other, None, None, None, None, 0))

    def __getitem__(self, index):
        if not isinstance(index, tuple):
            index = (index,)
        if Ellipsis in [i for i in index if not isinstance(i, base_value)]:
            index = _expand_ellipsis(index, self.handle.rank)
        return tensor(builder().index(self, index))

    def __iter__(self):
        fail(13, f"expected a tuple, list or range to iterate over, got {self.handle.type_text}")

    # --- conversion ---

    def to(self, dtype, fp_downcast_rounding=None, bitcast=False):
        from .core import cast

        return cast(self, dtype, fp_downcast_rounding, bitcast)

    cast = to


def _expand_ellipsis(index, rank):
    at = [k for k, i in enumerate(index) if i is Ellipsis]
    if len(at) != 1:
        fail(18, f"expected at most one '...' between the brackets, got {len(at)}")
    used = sum(1 for i in index if i is not None and i is not Ellipsis)
    return index[: at[0]] + (slice(None),) * (rank - used) + index[at[0] + 1 :]


_FLOAT_CODES = {
    t.code for t in (types.float8e4nv, types.float8e5, types.float16, types.bfloat16, types.float32, types.float64)
}


class _aggregate(base_value):
    __slots__ = ()

    def _parts(self, which):
        b = builder()
        return tuple(tensor(b.part(self, which, k)) for k in range(self.handle.rank))

    @property
    def base(self):
        return tensor(builder().part(self, 0, 0))

    @property
    def dtype(self):
        return types.from_code(self.handle.dtype)

    @property
    def shape(self):
        return self._parts(1)

    @property
    def strides(self):
        return self._parts(2)

    @property
    def block_shape(self):
        return self.handle.shape

    @property
    def block_type(self):
        return types.block_type(self.dtype, self.handle.shape)

    def __repr__(self):
        return self.handle.type_text


class block_pointer(_aggregate):
    """What make_block_ptr gives: a pointer to a block of an array."""

    __slots__ = ()

    @property
    def dtype(self):
        return types.pointer_type(types.from_code(self.handle.dtype))

    @property
    def offsets(self):
        return self._parts(3)

    @property
    def type(self):
        return types.block_type(self.dtype, self.handle.shape)


class tensor_descriptor(_aggregate):
    """An array as the kernel sees it through a descriptor."""

    __slots__ = ()

    @property
    def type(self):
        return self.block_type

    def load(self, offsets):
        return tensor(builder().descriptor_load(self, offsets))

    def store(self, offsets, value):
        builder().descriptor_store(self, offsets, value)

    def gather(self, x_offsets, y_offset):
        return tensor(builder().descriptor_gather(self, x_offsets, y_offset))

    def scatter(self, value, x_offsets, y_offset):
        builder().descriptor_scatter(self, value, x_offsets, y_offset)


def _descriptor_atomic(name, op):
    def method(self, offsets, value):
        builder().descriptor_atomic(op, self, offsets, value)

    method.__name__ = name
    setattr(tensor_descriptor, name, method)


for _name, _op in (
    ("atomic_add", 1),
    ("atomic_max", 2),
    ("atomic_min", 3),
    ("atomic_and", 4),
    ("atomic_or", 5),
    ("atomic_xor", 6),
):
    _descriptor_atomic(_name, _op)
tensor_descriptor_base = tensor_descriptor

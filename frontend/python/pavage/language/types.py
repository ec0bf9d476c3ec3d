# Element types and compile-time values of the language. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Only descriptions: promotion and conversion are the builder's. `code` is the builder's number of a type
# (pv_dtype in builder_c.h).
from __future__ import annotations

import enum
import operator

POINTER, CONST = 0x100, 0x200
#: Where reprs say that types are found; a layer for another language sets its own.
prefix = "pavage.language"

#       name        code  bits kind      mantissa bias
_TABLE = [
    ("void", 0, 0, "void", 0, 0),
    ("int1", 1, 1, "bool", 0, 0),
    ("int8", 2, 8, "int", 0, 0),
    ("int16", 3, 16, "int", 0, 0),
    ("int32", 4, 32, "int", 0, 0),
    ("int64", 5, 64, "int", 0, 0),
    ("uint8", 6, 8, "uint", 0, 0),
    ("uint16", 7, 16, "uint", 0, 0),
    ("uint32", 8, 32, "uint", 0, 0),
    ("uint64", 9, 64, "uint", 0, 0),
    ("fp8e4nv", 10, 8, "float", 3, 7),
    ("fp8e5", 11, 8, "float", 2, 15),
    ("fp16", 12, 16, "float", 10, 15),
    ("bf16", 13, 16, "float", 7, 127),
    ("fp32", 14, 32, "float", 23, 127),
    ("fp64", 15, 64, "float", 52, 1023),
]
_ROWS = {row[0]: row for row in _TABLE}

#: How signatures abbreviate types.
SIGNATURE_NAMES = {
    "i1": "int1",
    "u1": "int1",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "fp8e4nv": "fp8e4nv",
    "fp8e5": "fp8e5",
    "fp16": "fp16",
    "f16": "fp16",
    "bf16": "bf16",
    "fp32": "fp32",
    "f32": "fp32",
    "fp64": "fp64",
    "f64": "fp64",
    "B": "int1",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "bool": "int1",
    "float8e4nv": "fp8e4nv",
    "float8e5": "fp8e5",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}
_SHORT = {
    "int1": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}


class base_type:
    """Any type that a value of the language has."""

    __slots__ = ()


class dtype(base_type):
    """A scalar type: ``tl.float32``, ``tl.int1``, ..."""

    __slots__ = ("name", "code", "primitive_bitwidth", "_kind", "fp_mantissa_width", "exponent_bias")
    _made: dict = {}

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __new__(cls, name):
        name = getattr(name, "value", name)
        found = cls._made.get(name)
        if found is None:
            row = _ROWS.get(SIGNATURE_NAMES.get(name, name))
            if row is None:
                raise ValueError(f"expected the name of an element type, got {name!r}")
            found = cls._made.get(row[0])
            if found is None:
                found = object.__new__(cls)
                (
                    found.name,
                    found.code,
                    found.primitive_bitwidth,
                    found._kind,
                    found.fp_mantissa_width,
                    found.exponent_bias,
                ) = row
                cls._made[row[0]] = found
        return found

    def __reduce__(self):
        return dtype, (self.name,)

    def __call__(self, value):
        """``tl.float32(x)`` in a kernel: x cast to the type."""
        from .core import cast

        return cast(value, self)

    @property
    def int_bitwidth(self):
        return self.primitive_bitwidth

    @property
    def itemsize(self):
        return max(1, self.primitive_bitwidth // 8)

    @property
    def int_signedness(self):
        return dtype.SIGNEDNESS.UNSIGNED if self._kind in ("uint", "bool") else dtype.SIGNEDNESS.SIGNED

    @property
    def scalar(self):
        return self

    @property
    def element_ty(self):
        raise AttributeError(f"expected a pointer type, got {self.name}: only pointers have an element_ty")

    @property
    def short_name(self):
        """As signatures spell it: ``i32``, ``fp16``."""
        return _SHORT.get(self.name, self.name)

    def get_int_max_value(self):
        return (1 << (self.primitive_bitwidth - (self._kind == "int"))) - 1

    def get_int_min_value(self):
        return -(1 << (self.primitive_bitwidth - 1)) if self._kind == "int" else 0

    def kind(self):
        kinds = {
            "bool": self.KIND.BOOLEAN,
            "int": self.KIND.INTEGRAL,
            "uint": self.KIND.INTEGRAL,
            "float": self.KIND.FLOATING,
        }
        return kinds[self._kind]

    def is_int(self):
        return self._kind in ("int", "uint", "bool")

    def is_int_signed(self):
        return self._kind == "int"

    def is_int_unsigned(self):
        return self._kind in ("uint", "bool")

    def is_bool(self):
        return self._kind == "bool"

    def is_floating(self):
        return self._kind == "float"

    def is_standard_floating(self):
        return self.name in ("fp16", "bf16", "fp32", "fp64")

    def is_fp8(self):
        return self._kind == "float" and self.primitive_bitwidth == 8

    def is_numeric(self):
        return self._kind in ("int", "uint", "float")

    def is_void(self):
        return self._kind == "void"

    def is_ptr(self):
        return False

    def is_const(self):
        return False

    def is_block(self):
        return False

    @staticmethod
    def is_dtype(name):
        return SIGNATURE_NAMES.get(name, name) in _ROWS

    def __eq__(self, other):
        other = getattr(other, "value", other)
        return self is other

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"{prefix}.{_LONG.get(self.name, self.name)}"


_LONG = {
    "fp8e4nv": "float8e4nv",
    "fp8e5": "float8e5",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}


def _add_predicates():
    for name in (
        "fp8e4nv",
        "fp8e5",
        "fp16",
        "bf16",
        "fp32",
        "fp64",
        "int1",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "fp8e4b15",
        "fp8e4b8",
        "fp8e5b16",
    ):
        setattr(dtype, "is_" + name, lambda self, _name=name: self.name == _name)


_add_predicates()


class pointer_type(dtype):
    """Type of an address of elements of one type."""

    __slots__ = ("_element_ty", "address_space", "const")

    def __new__(cls, element_ty, address_space=1, const=False):
        self = object.__new__(cls)
        self._element_ty, self.address_space, self.const = element_ty, address_space, bool(const)
        self.name = f"pointer<{'const ' if const else ''}{element_ty}>"
        self.code = element_ty.code | POINTER | (CONST if const else 0)
        self.primitive_bitwidth, self._kind, self.fp_mantissa_width, self.exponent_bias = 64, "pointer", 0, 0
        return self

    def __reduce__(self):
        return pointer_type, (self._element_ty, self.address_space, self.const)

    @property
    def element_ty(self):
        return self._element_ty

    @property
    def short_name(self):
        return f"*{'k' if self.const else ''}{self._element_ty.short_name}"

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def __eq__(self, other):
        other = getattr(other, "value", other)
        return isinstance(other, pointer_type) and self.code == other.code

    def __hash__(self):
        return hash(self.code)

    def __repr__(self):
        return f"{prefix}.pointer_type({self._element_ty!r})"


class block_type(dtype):
    """Type of a tile: element type and shape."""

    __slots__ = ("_element_ty", "shape")

    def __new__(cls, element_ty, shape):
        self = object.__new__(cls)
        self._element_ty, self.shape = element_ty, tuple(int(getattr(s, "value", s)) for s in shape)
        self.name = f"<[{', '.join(map(str, self.shape))}], {element_ty}>"
        self.code, self.primitive_bitwidth, self._kind = element_ty.code, element_ty.primitive_bitwidth, "block"
        self.fp_mantissa_width, self.exponent_bias = element_ty.fp_mantissa_width, element_ty.exponent_bias
        return self

    def __reduce__(self):
        return block_type, (self._element_ty, self.shape)

    @property
    def element_ty(self):
        return self._element_ty

    @property
    def scalar(self):
        return self._element_ty

    @property
    def numel(self):
        n = 1
        for s in self.shape:
            n *= s
        return n

    def get_block_shapes(self):
        return self.shape

    def is_block(self):
        return True

    def __eq__(self, other):
        return isinstance(other, block_type) and self._element_ty == other._element_ty and self.shape == other.shape

    def __hash__(self):
        return hash((self._element_ty, self.shape))

    def __repr__(self):
        return f"{prefix}.block_type({self._element_ty!r}, {list(self.shape)})"


_SCALARS = {row[1]: dtype(row[0]) for row in _TABLE}
_POINTERS: dict = {}


def from_code(code):
    """The type with this number in the builder."""
    found = _SCALARS.get(code)
    if found is None:
        found = _POINTERS.get(code)
        if found is None:
            found = _POINTERS[code] = pointer_type(_SCALARS[code & 0xFF], const=bool(code & CONST))
    return found


void = dtype("void")
int1, int8, int16, int32, int64 = (dtype(n) for n in ("int1", "int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (dtype(n) for n in ("uint8", "uint16", "uint32", "uint64"))
float8e4nv, float8e5 = dtype("fp8e4nv"), dtype("fp8e5")
float16, bfloat16, float32, float64 = (dtype(n) for n in ("fp16", "bf16", "fp32", "fp64"))
pi32_t = pointer_type(int32)


def get_int_dtype(bitwidth, signed):
    """The integer type of a width: 1, 8, 16, 32 or 64 bits."""
    if bitwidth == 1:
        return int1
    return dtype(f"{'' if unwrap(signed) else 'u'}int{unwrap(bitwidth)}")


def str_to_ty(name, const=None):
    """Type from a signature's spelling: ``"*fp32"``, ``"i64"``."""
    if name.startswith("*"):
        rest = name[1:]
        is_const = rest.startswith("k")
        return pointer_type(dtype(rest[1:] if is_const else rest), const=is_const)
    return dtype(name)


class PropagateNan(enum.IntEnum):
    NONE = 0
    ALL = 0xFFFF


class const:
    """Annotation of a pointer parameter that is only read."""


class constexpr:
    """A value known at compile time; as an annotation, a parameter whose value is."""

    __slots__ = ("value",)

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __str__(self):
        return str(self.value)

    def __format__(self, spec):
        return format(self.value, spec)

    def __hash__(self):
        return hash((constexpr, self.value))

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return iter(self.value)

    def __getitem__(self, i):
        return self.value[unwrap(i)]

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.value, name)


def unwrap(x):
    """The plain object in a constexpr; anything else as it is."""
    return x.value if isinstance(x, constexpr) else x


def plain(x):
    """A constant as kernels see it: without constexpr, scalars of NumPy as numbers of Python."""
    x = unwrap(x)
    if type(x) is tuple:
        return tuple(map(plain, x))
    if type(x).__module__ == "numpy" and hasattr(x, "item") and getattr(x, "shape", None) == ():
        return x.item()
    return x


def _forward(name, function):
    def method(self, *others):
        result = function(self.value, *(unwrap(o) for o in others))
        return result if result is NotImplemented else constexpr(result)

    method.__name__ = name
    setattr(constexpr, name, method)


def _add_operators():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
        function = getattr(operator, name + ("_" if name in ("and", "or") else ""))
        _forward(f"__{name}__", function)
        _forward(f"__r{name}__", lambda x, y, f=function: f(y, x))
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "abs"):
        _forward(f"__{name}__", getattr(operator, name))
    constexpr.logical_and = lambda self, o: constexpr(self.value and unwrap(o))
    constexpr.logical_or = lambda self, o: constexpr(self.value or unwrap(o))
    constexpr.not_ = lambda self: constexpr(not self.value)


_add_operators()


class constexpr_type(base_type):
    """Type of a constexpr, where a type is asked for."""

    def __init__(self, value):
        self.value = unwrap(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash((constexpr_type, self.value))

    def __repr__(self):
        return f"constexpr_type[{self.value}]"


class tuple_type(base_type):
    """Type of a tuple: the types of its items, and their names if it has some."""

    def __init__(self, types, fields=None):
        self.types, self.fields = list(types), fields

    @property
    def name(self):
        names = map(str, self.types)
        if self.fields is not None:
            names = (f"{field}:{name}" for field, name in zip(self.fields, names))
        return f"[{','.join(names)}]"

    def __str__(self):
        return self.name

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return isinstance(other, tuple_type) and self.types == other.types and self.fields == other.fields

    def __hash__(self):
        return hash(tuple(self.types))


class tensor_descriptor_type(base_type):
    """Type of a descriptor: the type of the blocks that it loads and stores."""

    def __init__(self, block_type, shape_type=None, strides_type=None):
        rank = len(block_type.shape)
        self.block_type = block_type
        self.shape_type = shape_type or tuple_type([int32] * rank)
        self.strides_type = strides_type or tuple_type([int64] * rank)

    def __str__(self):
        return f"tensor_descriptor<{self.block_type}>"

    def __eq__(self, other):
        return isinstance(other, tensor_descriptor_type) and self.block_type == other.block_type

    def __hash__(self):
        return hash(self.block_type)

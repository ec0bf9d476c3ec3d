# What the launch path seldom needs, in Python. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# _pavage calls these by name: kinds of argument types and element types (once per type), arrays in unusual clothes,
# errors.
from __future__ import annotations

import os
import sys

NONE, DATA_PTR, FOREIGN, TENSOR = 1, 2, 3, 4

_CODES = {
    "bool": 1,
    "int8": 2,
    "int16": 3,
    "int32": 4,
    "int64": 5,
    "uint8": 6,
    "uint16": 7,
    "uint32": 8,
    "uint64": 9,
    "float8_e4m3fn": 10,
    "float8_e5m2": 11,
    "float16": 12,
    "bfloat16": 13,
    "float32": 14,
    "float64": 15,
    "int1": 1,
    "fp8e4nv": 10,
    "fp8e5": 11,
    "fp16": 12,
    "bf16": 13,
    "fp32": 14,
    "fp64": 15,
    "half": 12,
    "float": 14,
    "double": 15,
}
_KINDS = {
    ("b", 1): 1,
    ("i", 1): 2,
    ("i", 2): 3,
    ("i", 4): 4,
    ("i", 8): 5,
    ("u", 1): 6,
    ("u", 2): 7,
    ("u", 4): 8,
    ("u", 8): 9,
    ("f", 2): 12,
    ("f", 4): 14,
    ("f", 8): 15,
}


def dtype_code(dtype):
    """The builder's number for an element type of NumPy, torch or the language; 0 when there is none."""
    kind, size = getattr(dtype, "kind", None), getattr(dtype, "itemsize", None)
    if isinstance(kind, str):  # NumPy
        if getattr(dtype, "byteorder", "=") not in "=|" and dtype.byteorder != (
            "<" if sys.byteorder == "little" else ">"
        ):
            return 0
        return _KINDS.get((kind, size), 0) or _CODES.get(dtype.name, 0)
    code = getattr(dtype, "code", None)
    if isinstance(code, int):  # the language's own
        return code
    return _CODES.get(str(dtype).rpartition(".")[2], 0)


_PLAIN = (int, float, str, tuple, list, dict, set, frozenset, type, type(None))


def array_kind(cls):
    """How instances of a class are asked for their memory."""
    if getattr(cls, "__pavage_tensor__", False):
        return TENSOR
    if issubclass(cls, _PLAIN) or cls.__module__.startswith("pavage."):
        return DATA_PTR if hasattr(cls, "data_ptr") else NONE
    if hasattr(cls, "data_ptr") and (hasattr(cls, "dtype") or cls.__module__ != "builtins"):
        return DATA_PTR
    if cls.__module__ == "numpy" and not hasattr(cls, "__dlpack__"):
        return NONE  # scalars
    return FOREIGN


def environment_flag(name):
    """A variable that is 0 or 1, as the runtime reads them."""
    text = os.environ.get(name, "")
    if text not in ("", "0", "1", "false", "true", "off", "on", "no", "yes"):
        raise make_error(315, f"expected {name} to be 0 or 1, got '{text}'")
    return text in ("1", "true", "on", "yes")


def array(value, host):
    """(address, dtype, shape, strides in bytes or None, read-only, what to keep alive) of an array, else None."""
    try:
        return _array(value, host)
    except (TypeError, ValueError, LookupError, OverflowError) as e:
        if hasattr(e, "number"):  # one of ours, which may be a TypeError too
            raise
        raise make_error(
            307, f"expected an array that says what it is, got {type(value).__name__}: {type(e).__name__}: {e}"
        ) from e


def _array(value, host):
    if hasattr(value, "__dlpack__"):
        from ._arrays import from_dlpack

        return from_dlpack(value, host)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        from ._arrays import from_interface

        return from_interface(value, interface)
    if hasattr(value, "__cuda_array_interface__") and host:
        raise make_error(302, f"expected an array in the host's memory, got {type(value).__name__} on a CUDA device")
    try:
        view = memoryview(value)
    except TypeError:
        return None
    from ._arrays import from_buffer

    return from_buffer(view)


def is_constant_argument(value):
    """Objects that are constants without an annotation: types, jit functions, enumerations of the language."""
    types = sys.modules.get("pavage.language.types")
    if types is not None and isinstance(value, (types.dtype, types.PropagateNan)):
        return True
    return bool(
        getattr(value, "__pavage_kernel__", False)
        or getattr(value, "__pavage_builtin__", False)
        or getattr(value, "__pavage_constexpr__", False)
    )


# --- errors ---

_HERE = __file__.rpartition("_support.py")[0]


def caller():
    """(file, line, column) of the innermost frame that is not Pavage's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return "", 0, 0
    return place(frame.f_code, frame.f_lasti, frame.f_lineno)


def place(code, instruction, line):
    """(file, line, column) of an instruction."""
    column = 0
    positions = getattr(code, "co_positions", None)
    if positions is not None and instruction >= 0:
        import itertools

        at = next(itertools.islice(positions(), instruction // 2, None), None)
        if at and at[0] and at[2] is not None:
            line, column = at[0], at[2] + 1
    return code.co_filename, line, column


def make_error(number, text, file="", line=0, column=0, rendered=None):
    """The exception for a numbered error; without a place, that of the caller."""
    from . import errors

    if not file:
        file, line, column = caller()
        rendered = None
    return errors.make(number, text, file, line, column, rendered=rendered)


def error_parts(e):
    """(number, text, file, line, column) of any exception, for other threads."""
    from .errors import Error

    if isinstance(e, Error):
        return e.number, e.text, e.file, e.line, e.column
    return 317, f"{type(e).__name__}: {e}", "", 0, 0


def load_hosted(name):
    """Loads the library that has the device."""
    from ._context import native

    native()

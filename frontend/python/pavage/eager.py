# The eager sink: the author's Python runs, one program after another. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
#
# Each call of the language is evaluated at once by the interpreter of the op's meaning, so that breakpoints and
# prints see values. Python's own syntax is native; a few built-ins are replaced by those that kernels have.
from __future__ import annotations

import builtins
import itertools
import types as python_types

from ._context import active, native, state
from .errors import Error, InterpreterError, make
from .language import types
from .language.tensor import tensor, wrap


def launch(function, grid, args, kwargs):
    """Runs a grid. Gives None: nothing is compiled."""
    from .specialise import Specialisation
    from .trace.kernel import assemble

    values, _options, key, slots, arrays, sizes, keep = function._describe(grid, args, kwargs)
    if grid is None or 0 in sizes:
        return None
    spec = Specialisation(function.params, values, key)
    arguments = list(slots)
    for slot, address, shape, strides, itemsize, flags in arrays:
        count = 1
        for n in shape:
            count *= n
        if strides is None:
            strides, step = [0] * len(shape), 1
            for i in reversed(range(len(shape))):
                strides[i], step = step, step * shape[i]
        else:
            strides = [s // itemsize for s in strides]
        arguments[slot] = (address, list(shape), list(strides), count, bool(flags & 1), itemsize)
    for slot, (_, dtype, *_) in enumerate(spec.arguments):
        if dtype.is_ptr() and isinstance(arguments[slot], int):
            arguments[slot] = (arguments[slot], [], [], -1, False, dtype.element_ty.itemsize)
    builder = native().Builder()
    raw = [(n, t.code, d, m) for n, t, d, m in spec.arguments]
    code = function.fn.__code__
    body = runnable(function)
    with active(builder):
        builder.eager_begin(
            function.__name__, raw, arguments, list(sizes), code.co_filename, code.co_firstlineno, _print
        )
        try:
            for z, y, x in itertools.product(*(builtins.range(n) for n in reversed(sizes))):
                handles = builder.eager_program([x, y, z])
                given = {n: wrap(h) for (n, *_), h in zip(raw, handles)}
                bound = {p.name: assemble(p.name, spec.constants.get(p.name), given, builder) for p in function.params}
                _run(body, function, bound, (x, y, z))
            builder.eager_end()
        finally:
            builder.abandon()
    del keep
    return None


def _run(body, function, bound, program):
    try:
        body(**bound)
    except Error as e:
        if e.column:
            raise
        raise located(e, e.__traceback__, program) from None


def located(e, traceback, program):
    """The error with the place of the innermost line of the author's."""
    import os

    from ._support import place

    here = os.path.dirname(__file__) + os.sep
    found = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith(here):
            found = place(code, traceback.tb_lasti, traceback.tb_lineno)
        traceback = traceback.tb_next
    if found is None:
        return e
    return make(e.number, e.text, *found, [*e.notes, (f"in program {program}", "", 0, 0)])


def call(function, args, kwargs):
    """A jit function called by one that runs."""
    count = len(function.arg_names)
    bound = bind(function, args[:count] if function.rest else args, kwargs)
    if function.rest:
        return runnable(function)(*(bound[name] for name in function.arg_names), *args[count:])
    return runnable(function)(**bound)


def bind(function, args, kwargs):
    code = function.fn.__code__
    names = function.arg_names
    if len(args) > len(names):
        raise make(7, f"expected at most {len(names)} arguments for {function.__name__}, got {len(args)}")
    bound = dict(zip(names, args))
    for name, value in kwargs.items():
        if name not in names or name in bound:
            raise make(
                7,
                f"expected each parameter of {function._signature()} once, got '{name}'",
                code.co_filename,
                code.co_firstlineno,
            )
        bound[name] = value
    for p in function.params:
        if p.name not in bound:
            if not p.has_default:
                raise make(7, f"expected a value for the parameter '{p.name}' of {function.__name__}, got none")
            bound[p.name] = p.default
        bound[p.name] = types.unwrap(bound[p.name])
    return bound


# --- a function that runs natively, with the built-ins of kernels ---


def runnable(function):
    """The function with its own globals, but kernel built-ins and constants unwrapped."""
    fn = function.fn
    scope = dict(fn.__globals__)
    for name, value in scope.items():
        if type(value) is types.constexpr:
            scope[name] = value.value
    scope["__builtins__"] = _BUILTINS
    code = _code(function)
    if code is None:
        closure = fn.__closure__ and tuple(map(_plain_cell, fn.__closure__))
        made = python_types.FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, closure)
    else:
        exec(code, scope)  # noqa: S102  the author's own function
        captured = [types.unwrap(c.cell_contents) for c in fn.__closure__ or ()]
        made = scope["__pavage_make__"](*captured)
    made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
    return made


def _code(function):
    """The rewritten code, kept with the function; None where there is no source text: the function runs as it is."""
    version, code = getattr(function, "_eager_code", (None, None))
    if version != function.version:
        from .eager_rewrite import compiled

        try:
            code = compiled(function)
        except Error:
            code = None
        function._eager_code = (function.version, code)
    return code


def _plain_cell(cell):
    try:
        value = cell.cell_contents
    except ValueError:
        return cell
    return python_types.CellType(value.value) if type(value) is types.constexpr else cell


def _range(*args):
    if any(isinstance(a, tensor) for a in args):
        from .language import iterators

        start, end, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        return iter(iterators.range(start, end, step))
    return builtins.range(*(types.unwrap(a) for a in args))


def _extreme(name):
    plain = getattr(builtins, name)

    def function(*args, **kwargs):
        from .language import math, standard

        if len(args) == 1 and isinstance(args[0], tensor):
            return getattr(standard, name)(args[0], **kwargs)
        if any(isinstance(a, tensor) for a in args):
            result = args[0]
            for other in args[1:]:
                result = getattr(math, name + "imum")(result, other)
            return result
        return plain(*args, **kwargs)

    return function


class _Convert(type):
    """float and int that cast tiles; isinstance sees the real classes."""

    def __instancecheck__(cls, x):
        return isinstance(x, cls.__mro__[1])


class _Float(builtins.float, metaclass=_Convert):
    def __new__(cls, x=0.0):
        return x.to(types.float32) if isinstance(x, tensor) else builtins.float(x)


class _Int(builtins.int, metaclass=_Convert):
    def __new__(cls, x=0, *base):
        return x.to(types.int32) if isinstance(x, tensor) and x.handle.rank else builtins.int(x, *base)


def _builtins():
    from .eager_rewrite import HELPERS

    kernel = {"range": _range, "min": _extreme("min"), "max": _extreme("max"), "float": _Float, "int": _Int}
    return {**vars(builtins), **kernel, **HELPERS}


_BUILTINS = _builtins()


def _print(text):
    builtins.print(text, end="" if text.endswith("\n") else "\n", flush=True)


# --- values ---

_NUMPY = {
    "int1": "bool",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
}


def to_numpy(value):
    """The elements of a tile as a NumPy array (bf16 and fp8 as float32)."""
    import numpy as np

    b = state.builder
    if b is None or not b.is_eager():
        raise InterpreterError(
            4, f"expected a value that is there, got {value.handle.type_text} while a kernel is traced"
        )
    name = _NUMPY.get(value.dtype.name)
    if value.dtype.is_ptr():
        name = "uint64"
    if name is None:
        return to_numpy(value.to(types.float32))
    return np.frombuffer(b.read(value.handle), name).reshape(value.shape)

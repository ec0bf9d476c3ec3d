# From a specialised kernel to a module. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from .._context import active, native, state
from ..errors import Error, make
from ..language import types
from ..language.tensor import wrap
from ..source import too_deep
from .frame import Frame
from .statements import Retrace, Statements


def trace_kernel(function, parameters, constants, options, name=None):
    """The recorded module.

    parameters: (name, dtype, divisibility, memory) of every argument of the compiled function, in order, where memory
    is pv_param's; the name of a tuple's item is PARAMETER.INDEX. constants: values of all other parameters; for a
    tuple, with None where an argument goes.
    """
    if function.rest:
        source = function.source
        text = f"expected the parameters of a kernel to be fixed, got *{function.rest} in {function.__name__}"
        raise make(19, text, source.file, source.tree.lineno + source.line - 1)
    for p in function.params:
        if p.is_constexpr and p.do_not_specialize:
            text = f"expected '{p.name}' to be a constexpr or listed in do_not_specialize, got both"
            raise make(170, text, function.source.file, function.source.tree.lineno + function.source.line - 1)
    guarded = set()
    while True:
        try:
            return _trace(function, parameters, constants, options, name or function.__name__, guarded)
        except Retrace as again:
            guarded.add(again.loop)


def _trace(function, parameters, constants, options, kernel_name, guarded):
    builder = native().Builder()
    source = function.source
    raw = [(n, t.code, d, m) for n, t, d, m in parameters]
    with active(builder):
        try:
            builder.set_location(source.file, source.tree.lineno + source.line - 1, 0)
            handles = builder.kernel_begin(kernel_name, raw, source.file, source.tree.lineno + source.line - 1)
            values = {n: wrap(h) for (n, *_), h in zip(raw, handles)}
            bound = {p.name: assemble(p.name, constants.get(p.name), values, builder) for p in function.params}
            for key, value in options.items():
                if isinstance(value, (bool, int)):
                    builder.hint(key, int(value))
                elif isinstance(value, str):
                    builder.hint(key, value)
            frame = Frame(function, builder)
            frame.guarded = guarded
            Statements(frame).run(bound)
            return builder.kernel_end()
        except RecursionError:
            builder.abandon()
            raise too_deep(source) from None
        except Error as e:
            builder.abandon()
            raise e.with_traceback(None) from e.__cause__
        except BaseException:
            builder.abandon()
            raise


class Argument:
    """In a constant tuple: here stands an argument of the compiled function."""

    def __repr__(self):
        return "an argument"


ARGUMENT = Argument()


class One:
    """An integer argument that is 1: a constant of the argument's type, not a weak number."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __repr__(self):
        return "1"


def assemble(name, constant, values, builder):
    """The value of a parameter from constants and arguments."""
    if name in values:
        return values[name]
    if isinstance(constant, One):
        return wrap(builder.cast(1, constant.dtype.code, None))
    if isinstance(constant, tuple):
        items = [assemble(f"{name}.{i}", c, values, builder) for i, c in enumerate(constant)]
        return type(constant)._make(items) if hasattr(constant, "_make") else tuple(items)
    maker = getattr(constant, "__pavage_assemble__", None)
    if maker is not None and not isinstance(constant, type):
        return maker(name, values, builder)
    return types.unwrap(constant)


def inline_call(function, args, kwargs=None):
    """Calls a jit function on values of the language, from a combine function or Python code that runs meanwhile."""
    if not hasattr(function, "__pavage_kernel__"):
        return function(*args, **(kwargs or {}))
    builder = state.builder
    outer = state.frame or Frame(function, builder)
    place = builder.location()
    try:
        return Statements(outer).inline(function, args, kwargs or {}, None)
    except Retrace:
        if state.frame is None:
            builder.fail(1, "expected range instead of an unrolled loop in a combine function, got break at run time")
        raise
    finally:
        builder.set_location(*place)

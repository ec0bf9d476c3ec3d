# Names in one activation of a function. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# While the flow is straight, a name's value is kept here as what it is: a value of the builder, or a constant of
# Python (numbers stay weak, types and functions stay objects). Where control flow joins, values must be merged, and
# that is the builder's work: when a region begins, the names that it assigns become variables of the builder, and
# again when each of its blocks ends. What a loop does not assign is inside what it was outside.
from __future__ import annotations

import builtins as python_builtins
import types as python_types

from ..functions import constexpr_function
from ..language import types
from ..language.tensor import base_value, wrap
from .analysis import assigned

_PLAIN = (int, float, str, bool, type(None))


class Kind:
    """First item of a packed tuple: the class that the rest is an instance of."""

    __slots__ = ("cls",)
    _made: dict = {}

    def __new__(cls, of):
        found = cls._made.get(of)
        if found is None:
            found = cls._made[of] = object.__new__(cls)
            found.cls = of
        return found

    def __repr__(self):
        return self.cls.__name__


class Constant:
    """A constant that stays one where values merge."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return repr(self.value)


def is_constant(value):
    """Is there no value of the builder in it?"""
    if isinstance(value, base_value):
        return False
    if isinstance(value, tuple):
        return all(is_constant(v) for v in value)
    return not hasattr(value, "__pavage_fields__")


def pack(value, canon):
    """The value with classes of tuples kept, and equal constants being the same object."""
    if isinstance(value, (base_value, bool, int, float)):
        return value
    if isinstance(value, tuple):
        items = tuple(pack(v, canon) for v in value)
        return items if type(value) is tuple else (Kind(type(value)), *items)
    fields = getattr(value, "__pavage_fields__", None)
    if fields is not None and not isinstance(value, type):
        constant = value.__pavage_constant__
        return (Kind(type(value)), *(_keep(getattr(value, f), f in constant, canon) for f in fields))
    try:
        return canon.setdefault((type(value), value), value)
    except TypeError:
        return value


def _keep(value, is_constant_field, canon):
    value = types.unwrap(value)
    if is_constant_field and is_constant(value):
        return canon.setdefault((Constant, type(value), value), Constant(value))
    return pack(value, canon)


def unpack(value):
    """The inverse of pack."""
    if type(value) is tuple:
        if value and type(value[0]) is Kind:
            cls, items = value[0].cls, [unpack(v) for v in value[1:]]
            if hasattr(cls, "__pavage_fields__"):
                return cls.__pavage_make__(items)
            return cls._make(items) if hasattr(cls, "_make") else cls(items)
        return tuple(unpack(v) for v in value)
    return value.value if type(value) is Constant else value


_MISSING = object()


class Frame:
    """One activation of a jit function."""

    def __init__(self, function, b, parent=None):
        self.function, self.b, self.parent = function, b, parent
        self.depth = parent.depth + 1 if parent else 0
        self.canon = parent.canon if parent else {}
        self.guarded = parent.guarded if parent else set()  # unrolled loops that are left at run time
        self.source = function.source
        self.file = self.source.file
        self.locals = function.local_names
        self.constexprs = {p.name for p in function.params if p.is_constexpr}  # names declared tl.constexpr
        self.values: dict = {}
        self.vars: dict = {}
        self.regions = []  # names assigned in each open region, innermost last
        self.loops = []  # an entry per open loop: its regions' depth and what break leaves
        self.result = None  # value of an unconditional return
        self.has_result = False  # ... and whether there was one
        self.branch_returned = False  # a return inside a region: the value is in the builder

    # --- places and errors ---

    def at(self, node):
        line, column = self.source.place(node)
        self.b.set_location(self.file, line, column)

    def fail(self, number, text, node=None):
        if node is not None:
            self.at(node)
        self.b.fail(number, text)

    # --- names ---

    def assign(self, name, value):
        self.values[name] = types.unwrap(value)

    def _store(self, name, value):
        variable = self.vars.get(name)
        if variable is None:
            variable = self.vars[name] = self.b.declare(name, False)
        self.b.assign(variable, pack(value, self.canon))

    def delete(self, name, node):
        if name not in self.values and name not in self.vars:
            self.fail(2, f"expected a name that is defined, got '{name}'", node)
        self.values.pop(name, None)
        if name in self.vars:
            self.b.unassign(self.vars[name])

    def read(self, name, node):
        value = self.values.get(name, _MISSING)
        if value is not _MISSING:
            return value
        variable = self.vars.get(name)
        if variable is not None:
            self.at(node)
            return unpack(self.b.read_variable(variable, wrap))
        if name in self.locals:
            self.fail(
                2, f"expected '{name}' to have a value here, got none: it is assigned later or on another path", node
            )
        return self._outer(name, node)

    def _outer(self, name, node):
        value = self.function.lookup(name, _MISSING)
        if value is _MISSING:
            value = getattr(python_builtins, name, _MISSING)
            if value is not _MISSING:
                return value
            self.fail(2, f"expected a name that is defined, got '{name}'{_suggest(name, self)}", node)
        if isinstance(value, types.constexpr):
            if isinstance(value.value, python_types.FunctionType):
                return constexpr_function(value.value)  # @tl.constexpr over a def
            return types.plain(value)
        if usable_global(value) or self.function.is_constexpr_global(name):
            return list_to_tuple(value)
        self.fail(
            3,
            f"expected a global that is known at compile time, got '{name}' = {_short(value)}: write "
            f"{name} = tl.constexpr(...), or pass it as an argument",
            node,
        )

    # --- regions ---

    def flush(self, names):
        """Hands values to the builder, for a merge."""
        for name in names:
            value = self.values.get(name, _MISSING)
            if value is not _MISSING:
                self._store(name, value)

    def release(self, names):
        self.flush(names)
        for name in names:
            self.values.pop(name, None)

    def enter(self, nodes):
        """Before a region: what it assigns is a variable from here on."""
        names = assigned(nodes)
        self.release(names)
        self.regions.append(names)

    def leave(self):
        """At the end of each block of the region."""
        self.release(self.regions[-1])

    def close(self):
        self.regions.pop()

    def flush_loop(self):
        """Before break and continue: everything assigned since the loop began."""
        for names in self.regions[self.loops[-1] :]:
            self.flush(names)


def usable_global(value):
    """May a kernel use this global as it is?"""
    if value is None or isinstance(value, (python_types.ModuleType, type, types.dtype)):
        return True
    if isinstance(value, (python_types.BuiltinFunctionType, python_types.FunctionType, python_types.MethodType)):
        return True
    if isinstance(value, tuple):
        return all(isinstance(v, types.constexpr) or usable_global(v) for v in value)
    return (
        hasattr(value, "__pavage_kernel__")
        or getattr(value, "__pavage_builtin__", False)
        or isinstance(value, types.PropagateNan)
    )


def list_to_tuple(value):
    return tuple(map(types.plain, value)) if type(value) in (list, tuple) else value


def _short(value):
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _suggest(name, frame):
    import difflib

    known = {*frame.values, *frame.vars, *frame.function.fn.__globals__}
    close = difflib.get_close_matches(name, sorted(k for k in known if isinstance(k, str)), 1)
    return f" (did you mean '{close[0]}'?)" if close else ""

# From the key of a launch to what is traced. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# _pavage classifies arguments once, into the key's bytes; what it found is read back here, so that it is decided in one
# place. Layout: launch.h.
from __future__ import annotations

import struct

from .language import types
from .trace.kernel import ARGUMENT, One

DIVISIBLE, CONST = 1, 2


class Specialisation:
    """What a key says.

    arguments: (name, type, divisibility, memory) per slot. constants: values of all other parameters. words:
    per parameter, how a signature would say it. sharing: the groups of arguments that may reach the same memory."""

    def __init__(self, params, values, key):
        self.arguments, self.constants, self.words = [], {}, []
        self._key, self._at = key, 8
        while self._byte() == ord("o"):
            self._at += 1
            self._skip_constant()
        for p, value in zip(params, values):
            self.constants[p.name] = self._leaf(p.name, value)
            self.words.append((p.name, self._word))
        for name in [n for n, v in self.constants.items() if v is ARGUMENT]:
            del self.constants[name]
        memory = key[self._at :]
        self.arguments = [a[:3] + (memory[i],) for i, a in enumerate(self.arguments)]
        self.sharing = _sharing(self.arguments)

    def _byte(self):
        b = self._key[self._at]
        self._at += 1
        return b

    def _word64(self):
        (x,) = struct.unpack_from("<Q", self._key, self._at)
        self._at += 8
        return x

    def _skip_constant(self):
        kind = chr(self._byte())
        if kind in "nyz":
            return
        size = self._word64()
        if kind in "Isr":
            self._at += size
        elif kind == "k":
            self._skip_constant()
        elif kind == "t":
            self._at += 9
            for _ in range(size):
                self._skip_constant()

    def _leaf(self, name, value):
        tag = chr(self._byte())
        if tag == "P":
            code, flags = self._byte(), self._byte()
            self._add(name, types.pointer_type(types.from_code(code), const=bool(flags & CONST)), flags)
        elif tag == "I":
            code, flags = self._byte(), self._byte()
            self._add(name, types.from_code(code), flags)
        elif tag == "F":
            self._add(name, types.from_code(self._byte()), 0)
        elif tag == "B":
            self._add(name, types.int1, 0)
        elif tag == "1":
            dtype = types.from_code(self._byte())
            self._word = f"{dtype.short_name}=1"
            return One(dtype)
        elif tag == "C":
            self._skip_constant()
            value = types.plain(value)
            self._word = describe(value)
            return value
        elif tag == "O":
            self._at += 8
            return value.__pavage_rebuild__(self._leaf(name, value.__pavage_flatten__()))
        else:
            (count,) = struct.unpack_from("<H", self._key, self._at)
            self._at += 10
            words, items = [], []
            for i in range(count):
                items.append(self._leaf(f"{name}.{i}", value[i]))
                words.append(self._word)
            self._word = f"({', '.join(words)})"
            return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
        return ARGUMENT

    def _add(self, name, dtype, flags):
        divisibility = 16 if flags & DIVISIBLE else 1
        self.arguments.append((name, dtype, divisibility, 0))
        self._word = dtype.short_name + (":16" if flags & DIVISIBLE else "")


def _sharing(arguments):
    """Of x=1 y=2 z=1: "x~z"; "" when each array has its own memory. What is not known may share with all."""
    groups = {}
    for name, dtype, _, memory in arguments:
        if dtype.is_ptr():
            groups.setdefault(memory, []).append(name)
    return ", ".join("~".join(g) + (" unknown" if m == 0 else "") for m, g in groups.items() if len(g) > 1 or m == 0)


def describe(value):
    """A constant, in a form that is the same in every process."""
    if isinstance(value, (bool, int, float, str, type(None), types.dtype)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(describe, value))})"
    key = getattr(value, "cache_key", None)
    if isinstance(key, str):
        return f"{getattr(value, '__name__', '')}@{key}"
    if isinstance(value, types.constexpr):
        return describe(value.value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    function = getattr(value, "__wrapped__", value)
    if hasattr(function, "__code__"):
        return _describe_function(function, set())
    text = repr(value)
    return f"{type(value).__module__}.{type(value).__qualname__}" if " at 0x" in text else text


def _describe_function(function, seen):
    """Its code, and the plain globals and functions that the code names."""
    text = f"{function.__module__}.{function.__qualname__}" + _describe_code(function.__code__)
    if id(function) in seen:
        return text
    seen.add(id(function))
    for name in function.__code__.co_names:
        value = types.unwrap(function.__globals__.get(name))
        if isinstance(value, (bool, int, float, str, tuple)):
            text += f" {name}={value!r}"
        elif hasattr(getattr(value, "__wrapped__", value), "__code__") and not hasattr(value, "__pavage_kernel__"):
            text += f" {name}: {_describe_function(getattr(value, '__wrapped__', value), seen)}"
    return text


def _describe_code(code):
    constants = [_describe_code(c) if hasattr(c, "co_code") else repr(c) for c in code.co_consts]
    return f" {code.co_code.hex()} {code.co_names!r} {constants!r}"

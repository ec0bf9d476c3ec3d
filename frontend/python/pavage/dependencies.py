# What a jit function's meaning depends on besides its own text. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Globals, captured variables and attributes of modules that the text names: their values go into the source key, and a
# launch looks whether they are still the same objects.
from __future__ import annotations

import ast
import builtins
import types as python_types

from .language import types
from .specialise import describe

_MISSING = object()


class Dependencies:
    """words: texts for the key. watches: (owner, name, value) for the launch path. functions: jit functions called."""

    def __init__(self, function):
        self.words, self.watches, self.functions = [], [], []
        self._function = function
        self._seen = set()
        for node in (n for statement in function.source.tree.body for n in ast.walk(statement)):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._attribute(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._name(node.id)
        for p in function.params:
            if p.has_default:
                self.words.append(f"{p.name}={describe(types.unwrap(p.default))}")

    def _resolve(self, node):
        """(path, value, owner, name) of a dotted name that starts at a module, else None."""
        if isinstance(node, ast.Name):
            if node.id in self._function.local_names:
                return None
            owner, name, value = self._function.find(node.id, _MISSING)
            return None if value is _MISSING else (node.id, value, owner, name)
        if isinstance(node, ast.Attribute):
            base = self._resolve(node.value)
            if base is None or not isinstance(base[1], (python_types.ModuleType, type)):
                return None
            value = getattr(base[1], node.attr, _MISSING)
            if value is _MISSING:
                return None
            return f"{base[0]}.{node.attr}", value, getattr(base[1], "__dict__", None), node.attr
        return None

    def _attribute(self, node):
        found = self._resolve(node)
        if found is not None:
            self._add(*found)

    def _name(self, name):
        if name in self._function.local_names:
            return
        owner, key, value = self._function.find(name, _MISSING)
        if value is not _MISSING and value is not getattr(builtins, name, _MISSING):
            self._add(name, value, owner, key)

    def _add(self, path, value, owner, name):
        if path in self._seen:
            return
        self._seen.add(path)
        if isinstance(value, python_types.ModuleType) or getattr(value, "__pavage_builtin__", False):
            return
        module = getattr(value, "__module__", None)
        if isinstance(module, str) and module.partition(".")[0] == "pavage" and not isinstance(value, types.constexpr):
            return  # what Pavage itself is, the compiler's identity says
        if hasattr(value, "__pavage_kernel__"):
            self.functions.append(value)
        else:
            self.words.append(f"{path}={describe(value)}")
        if type(owner) in (dict, python_types.CellType):
            self.watches.append((owner, name, value))


def collect(function):
    """(words, watches) of a function and of all that it calls."""
    words, watches, done, todo = [], [], set(), [function]
    while todo:
        f = todo.pop()
        if id(f) in done:
            continue
        done.add(id(f))
        d = f.dependencies
        words.append(f"def {f.__name__} line {f.source.line}\n{f.source.text}")
        words += d.words
        watches += d.watches
        todo += d.functions
    return words, watches

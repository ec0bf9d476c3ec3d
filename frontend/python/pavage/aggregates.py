# Classes of values: a struct whose fields are values of the language. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
from __future__ import annotations


def aggregate(cls):
    """Decorator for a class with annotated fields; its jit methods may be called in kernels.

    Without an own ``__init__`` the fields are its parameters. Fields annotated ``tl.constexpr`` stay constants."""
    annotations = cls.__dict__.get("__annotations__", None) or getattr(cls, "__annotations__", {})
    fields = tuple(annotations)
    constant = frozenset(f for f, a in annotations.items() if "constexpr" in (a if isinstance(a, str) else repr(a)))
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    made = type(cls.__name__, (cls,), names)
    made.__pavage_fields__, made.__pavage_constant__ = fields, constant

    def make(items):
        self = object.__new__(made)
        for name, value in zip(fields, items):
            object.__setattr__(self, name, value)
        return self

    def init(self, *args, **kwargs):
        given = dict(zip(fields, args), **kwargs)
        if len(args) > len(fields) or len(given) != len(fields) or set(given) != set(fields):
            raise TypeError(f"expected values for {', '.join(fields)} of {cls.__name__}, got {', '.join(given)}")
        for name, value in given.items():
            object.__setattr__(self, name, value)

    if "__init__" not in cls.__dict__:
        made.__init__ = init
    made.__pavage_make__ = staticmethod(make)
    for name, value in list(vars(cls).items()):
        if hasattr(value, "__pavage_kernel__"):
            setattr(made, name, _Method(value))
    return made


class _Method:
    """A jit function as a method."""

    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return self.function if instance is None else BoundMethod(self.function, instance)


class BoundMethod:
    """A jit function with its first argument."""

    __pavage_method__ = True

    def __init__(self, function, instance):
        self.function, self.instance, self.__name__ = function, instance, function.__name__

    def __call__(self, *args, **kwargs):
        return self.function(self.instance, *args, **kwargs)


def aggregate_replace(instance, **changes):
    """A copy of an aggregate with some fields changed."""
    cls = type(instance)
    return cls.__pavage_make__([changes.get(f, getattr(instance, f)) for f in cls.__pavage_fields__])


aggregate_replace.__pavage_builtin__ = True

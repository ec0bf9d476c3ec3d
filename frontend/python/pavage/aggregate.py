# Classes of values: a struct whose fields are values of the language. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
from __future__ import annotations


def aggregate(cls):
    """Decorator for a class with annotated fields; its jit methods may be called in kernels."""
    fields = tuple(cls.__dict__.get("__annotations__", None) or getattr(cls, "__annotations__", {}))
    made = type(
        cls.__name__, (cls,), {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    )
    made.__pavage_fields__ = fields

    def make(items):
        self = object.__new__(made)
        for name, value in zip(fields, items):
            object.__setattr__(self, name, value)
        return self

    def trace(tracer, args, kwargs, node):
        self = object.__new__(made)
        init = cls.__dict__.get("__init__")
        if init is None:
            bound = dict(zip(fields, args), **kwargs)
            missing = [f for f in fields if f not in bound]
            if missing or len(args) > len(fields) or set(bound) - set(fields):
                tracer.frame.fail(
                    7, f"expected values for {', '.join(fields)} of {cls.__name__}, got {', '.join(bound)}", node
                )
            for name, value in bound.items():
                object.__setattr__(self, name, value)
        else:
            tracer.constant(node, lambda: init(self, *args, **kwargs))
        return self

    made.__pavage_make__ = staticmethod(make)
    made.__pavage_trace__ = staticmethod(trace)
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
    __pavage_method__ = True

    def __init__(self, function, instance):
        self.function, self.instance = function, instance
        self.__name__ = function.__name__

    def __call__(self, *args, **kwargs):
        return self.function(self.instance, *args, **kwargs)


def aggregate_replace(instance, **changes):
    """A copy of an aggregate with some fields changed."""
    cls = type(instance)
    return cls.__pavage_make__([changes.get(f, getattr(instance, f)) for f in cls.__pavage_fields__])


aggregate_replace.__pavage_builtin__ = True

# Classes of values: a struct whose fields are values of the language. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
from __future__ import annotations

from types import FunctionType

from ._context import state
from .language import types
from .language.tensor import base_value


def _own_annotations(cls):
    """The class's own annotations, with texts as what they name where that is known."""
    import sys

    found = cls.__dict__.get("__annotations__", None)
    if found is None:
        found = getattr(cls, "__annotations__", {})  # made on demand from Python 3.14 on
    names = vars(sys.modules.get(cls.__module__, object)) if cls.__module__ in sys.modules else {}

    def resolved(annotation):
        if isinstance(annotation, str):
            try:
                return eval(annotation, dict(names))  # noqa: S307  the author's own annotation
            except Exception:
                pass
        return annotation

    return {name: resolved(annotation) for name, annotation in found.items()}


def _is_constexpr(annotation):
    return "constexpr" in (annotation if isinstance(annotation, str) else repr(annotation))


def aggregate(cls):
    """Decorator for a class with annotated fields; its jit methods may be called in kernels.

    Fields come from aggregates that it inherits from, too. Without an own ``__init__`` the fields are its parameters,
    and a field with a value in the class may be left out. Fields annotated ``tl.constexpr`` stay constants. Instances
    do not change: see ``aggregate_replace``."""
    annotations, defaults = {}, {}
    for base in cls.__bases__:
        if base is not object and not hasattr(base, "__pavage_fields__"):
            raise TypeError(f"Aggregates can only inherit from other aggregates, got {base.__name__}")
        annotations.update(getattr(base, "__pavage_annotations__", {}))
        defaults.update(getattr(base, "__pavage_defaults__", {}))
    own = _own_annotations(cls)
    annotations.update(own)
    defaults.update({name: cls.__dict__[name] for name in own if name in cls.__dict__})
    fields = tuple(annotations)
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    made = type(cls.__name__, (cls,), names)
    made.__pavage_fields__, made.__pavage_annotations__, made.__pavage_defaults__ = fields, annotations, defaults
    made.__pavage_constant__ = frozenset(f for f, a in annotations.items() if _is_constexpr(a))

    def make(items):
        self = object.__new__(made)
        for name, value in zip(fields, items):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_pavage_done", True)
        return self

    def init(self, *args, **kwargs):
        given = {**defaults, **dict(zip(fields, args)), **kwargs}
        twice = set(fields[: len(args)]) & set(kwargs)
        if len(args) > len(fields) or set(given) != set(fields) or twice:
            raise TypeError(f"expected values for {', '.join(fields)} of {cls.__name__}, got {', '.join(given)}")
        for name in fields:
            object.__setattr__(self, name, _wrapped(given[name], name in made.__pavage_constant__))

    written = cls.__dict__.get("__init__") or next(
        (b.__pavage_init__ for b in cls.__bases__ if getattr(b, "__pavage_init__", None)), None
    )
    made.__pavage_init__ = written
    made.__init__ = _sealing(made, written or init)
    made.__setattr__ = _set_field
    made.__pavage_make__ = staticmethod(make)
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if hasattr(value, "__pavage_kernel__"):
                setattr(made, name, _Method(value))
            elif isinstance(getattr(value, "__func__", value), FunctionType):
                getattr(value, "__func__", value).__pavage_host__ = True
    return made


def _wrapped(value, is_constant):
    """On the host a constant shows as a tl.constexpr; kernels see what is in it."""
    if state.builder is not None:
        return value
    if is_constant and not isinstance(value, (base_value, types.constexpr)):
        return types.constexpr(value)
    if isinstance(value, tuple):
        items = [_wrapped(v, isinstance(v, (bool, int, float))) for v in value]
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
    return value


def _sealing(made, init):
    """The constructor, after which fields of an instance of that very class do not change."""

    def construct(self, *args, **kwargs):
        init(self, *args, **kwargs)
        if type(self) is made:
            object.__setattr__(self, "_pavage_done", True)

    return construct


def _set_field(self, name, value):
    if self.__dict__.get("_pavage_done"):
        raise AttributeError(f"cannot assign to field '{name}' on immutable aggregate {type(self).__name__}")
    object.__setattr__(self, name, value)


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
    if not hasattr(cls, "__pavage_fields__"):
        raise TypeError(f"aggregate_replace() expects an aggregate instance, got {cls.__name__}")
    for name in changes:
        if name not in cls.__pavage_fields__:
            raise TypeError(f"{cls.__name__} has no field '{name}'")
    constant = cls.__pavage_constant__
    items = [_wrapped(changes[f], f in constant) if f in changes else getattr(instance, f)
             for f in cls.__pavage_fields__]
    return cls.__pavage_make__(items)


aggregate_replace.__pavage_builtin__ = True

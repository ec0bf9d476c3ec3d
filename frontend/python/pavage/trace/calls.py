# Calls inside kernels: other jit functions, the language, what of Python is allowed. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import ast
import builtins
import types as python_types

from ..errors import Error
from ..language import types
from ..language.args import describe
from ..language.tensor import base_value, tensor
from .frame import Frame, is_constant

_DEPTH = 64


class Calls:
    """Mixed into the tracer."""

    def expr_Call(self, node):
        function = types.unwrap(self.visit(node.func))
        if node is self.alone:
            self.check_used(function, node)
        args = self._items(node.args)
        kwargs = {}
        for k in node.keywords:
            if k.arg is not None:
                kwargs[k.arg] = self.visit(k.value)
                continue
            more = self.visit(k.value)
            if not isinstance(more, dict):
                self.frame.fail(13, f"expected a dict after **, got {describe(more)}", k.value)
            kwargs.update(more)
        self.frame.at(node)
        return self.call(function, args, kwargs, node)

    def call(self, function, args, kwargs, node):
        device = getattr(function, "__pavage_device__", None)
        if device is not None and not all(map(is_constant, (*args, *kwargs.values()))):
            function = device
        if hasattr(function, "__pavage_kernel__"):
            return self.inline(function, args, kwargs, node)
        if hasattr(function, "__pavage_method__"):
            return self.inline(function.function, [function.instance, *args], kwargs, node)
        special = _BUILTINS.get(function) if _hashable(function) else None
        if special is not None:
            return self._special(special, function, args, kwargs, node)
        if getattr(function, "__pavage_builtin__", False) or isinstance(
            getattr(function, "__self__", None), base_value
        ):
            return self._forward(function, args, kwargs, node)
        if hasattr(function, "__pavage_constexpr__") or isinstance(function, type):
            return self._construct(function, args, kwargs, node)
        if isinstance(function, types.dtype):
            return self._forward(function, args, kwargs, node)
        if getattr(function, "__pavage_host__", False):
            # A method of an aggregate in plain Python: it runs now, on values of the language.
            return self.constant(node, lambda: function(*args, **kwargs))
        if _is_of_python(function):
            if all(map(is_constant, (*args, *kwargs.values()))):
                return types.plain(self.constant(node, lambda: function(*args, **kwargs)))
            self.frame.fail(
                5, f"expected constants for the Python function {_name(function)}, got values of the kernel", node
            )
        if not callable(function):
            self.frame.fail(5, f"expected a function, got {describe(function)}", node)
        self.frame.fail(
            5,
            f"expected a jit function, got the Python function {_name(function)}: decorate it with "
            "@pavage.jit, or @pavage.constexpr_function if it only computes constants",
            node,
        )

    def _special(self, special, function, args, kwargs, node):
        """A built-in of Python, in the version for kernels."""
        try:
            check_count(special, (self, node, *args), kwargs)
        except TypeError as e:
            self.frame.fail(7, f"expected arguments that {function.__name__} takes, got others: {e}", node)
        return special(self, node, *args, **kwargs)

    def _forward(self, function, args, kwargs, node):
        """A function of the language; wrong arguments become a numbered error here."""
        try:
            return types.unwrap(function(*args, **kwargs))
        except Error:
            raise
        except TypeError as e:
            self.frame.fail(7, _argument_text(function, args, kwargs, e), node)

    def _construct(self, function, args, kwargs, node):
        if function is types.constexpr:
            if len(args) == 1 and is_constant(args[0]):
                return args[0]
            self.frame.fail(
                4, f"expected a constant for tl.constexpr, got {describe(args[0]) if args else 'nothing'}", node
            )
        if isinstance(function, type) and issubclass(function, base_value):
            self.frame.fail(5, "expected a function of the language that makes values, got the class itself", node)
        if hasattr(function, "__pavage_fields__"):
            return self.constant(node, lambda: function(*args, **kwargs))
        constant = all(map(is_constant, (*args, *kwargs.values())))
        if not constant and hasattr(function, "__pavage_constexpr__"):
            # Constant scalars of the kernel count as what they are.
            args = [self._plain(a) for a in args]
            kwargs = {k: self._plain(v) for k, v in kwargs.items()}
            constant = all(map(is_constant, (*args, *kwargs.values())))
        is_tuple = isinstance(function, type) and issubclass(function, tuple)
        if not constant and not is_tuple:
            self.frame.fail(4, f"expected constants for {_name(function)}, got values known only at run time", node)
        return types.plain(self.constant(node, lambda: function(*args, **kwargs)))

    @staticmethod
    def _plain(value):
        if isinstance(value, tensor) and value.handle.numel == 1:
            known = value._constant()
            return value if known is None else known
        return value

    # --- jit functions ---

    def inline(self, function, args, kwargs, node):
        bound = self._bind(function, args, kwargs, node)
        frame = self.frame
        if frame.depth >= _DEPTH:
            self.frame.fail(162, f"expected calls to end, got {_DEPTH} nested calls at {function.__name__}", node)
        self.b.call_begin(function.__name__)
        inner = type(self)(Frame(function, self.b, frame))
        try:
            return inner.run(bound)
        finally:
            inner.release()

    def _bind(self, function, args, kwargs, node):
        params = function.params
        name = function.__name__
        bound = {}
        if function.rest:
            bound[function.rest] = tuple(args[len(params) :])
        elif len(args) > len(params):
            self.frame.fail(7, f"expected at most {len(params)} arguments for {name}, got {len(args)}", node)
        for p, value in zip(params, args):
            bound[p.name] = value
        known = {p.name for p in params}
        for key, value in kwargs.items():
            if key not in known:
                self.frame.fail(
                    7, f"expected one of {', '.join(p.name for p in params)} as argument of {name}, got '{key}'", node
                )
            if key in bound:
                self.frame.fail(7, f"expected one value for the parameter '{key}' of {name}, got two", node)
            bound[key] = value
        for p in params:
            if p.name not in bound:
                if not p.has_default:
                    self.frame.fail(7, f"expected a value for the parameter '{p.name}' of {name}, got none", node)
                bound[p.name] = p.default
            value = types.unwrap(bound[p.name])
            if p.is_constexpr and not is_constant(value):
                plain = self._plain(value)
                if not is_constant(plain):
                    self.frame.fail(
                        4,
                        f"expected a constant for the constexpr parameter '{p.name}' of {name}, got {describe(value)}",
                        node,
                    )
                value = plain
            bound[p.name] = value
        return bound

    # --- built-ins of Python ---

    def _numbers_only(self, node, name, args):
        for a in args:
            if not isinstance(a, (tensor, int, float)):
                self.frame.fail(107, f"expected tiles or numbers for {name}(), got {describe(a)}", node)

    def _extreme(self, node, name, function, args, kwargs):
        if len(args) == 1 and isinstance(args[0], tuple):
            args = args[0]
        if len(args) == 1 and isinstance(args[0], tensor):
            from ..language import standard

            return self._forward(getattr(standard, name), list(args), kwargs, node)
        if all(map(is_constant, args)):
            # Python's answer would depend on the order.
            for x in args:
                if isinstance(x, float) and (x != x or str(x) == "-0.0"):
                    self.frame.fail(9, f"expected constants other than NaN and -0.0 for {name}(), got {x}", node)
            return self.constant(node, lambda: getattr(builtins, name)(*args))
        self._numbers_only(node, name, args)
        result = args[0]
        for other in args[1:]:
            result = function(result, other)
        return result

    def py_min(self, node, *args, **kwargs):
        from ..language import math

        return self._extreme(node, "min", math.minimum, args, kwargs)

    def py_max(self, node, *args, **kwargs):
        from ..language import math

        return self._extreme(node, "max", math.maximum, args, kwargs)

    def py_abs(self, node, x):
        return self.constant(node, lambda: abs(x))

    def py_pow(self, node, x, y):
        return self.binary(ast.Pow, x, y, node)

    def _convert(self, node, x, cls, code):
        if isinstance(x, tensor):
            if not x.handle.rank:
                known = x._constant()
                if known is not None and cls is not float:
                    return self.constant(node, lambda: cls(known))
            return (
                tensor(self.b.cast(x, code) if cls is not bool else self.b.to_bool(x))
                if cls is bool
                else tensor(self.b.cast(x, code, None))
            )
        return self.constant(node, lambda: cls(x))

    def py_float(self, node, x=0.0):
        return self._convert(node, x, float, types.float32.code)

    def py_int(self, node, x=0):
        return self._convert(node, x, int, types.int32.code)

    def py_bool(self, node, x=False):
        return self._convert(node, x, bool, types.int1.code)

    def py_len(self, node, x):
        return self.constant(node, lambda: len(x))

    def py_range(self, node, *args):
        args = [self._plain(a) for a in args]
        if not all(isinstance(a, int) for a in args):
            self.frame.fail(
                13,
                "expected constant bounds of a range that is not the iterator of a for statement, got values "
                "known only at run time",
                node,
            )
        return self.constant(node, lambda: range(*args))

    def py_isinstance(self, node, x, cls):
        classes = cls if isinstance(cls, tuple) else (cls,)
        for c in classes:
            c = types.unwrap(c)
            if c is types.constexpr:
                if not isinstance(x, base_value):
                    return True
            elif self.constant(node, lambda c=c: isinstance(x, c)):
                return True
        return False

    def py_print(self, node, *args, **kwargs):
        from ..language import core

        if args and isinstance(args[0], str):
            prefix, values = args[0], args[1:]
        else:
            prefix, values = "", args
        numbers = []
        for v in values:
            if isinstance(v, (tensor, int, float)):
                numbers.append(v)
            else:
                prefix += f" {v}"
        return self._forward(
            core.device_print, [prefix, *numbers], {k: v for k, v in kwargs.items() if k == "hex"}, node
        )

    def py_getattr(self, node, x, name, *default):
        if default:
            return types.unwrap(self.constant(node, lambda: getattr(x, name, default[0])))
        return self.attribute(x, name, node)

    def py_hasattr(self, node, x, name):
        return self.constant(node, lambda: hasattr(x, name))

    def py_type(self, node, x):
        return x.type if isinstance(x, base_value) else type(x)

    def _plain_call(self, node, function, args, kwargs):
        return self.constant(node, lambda: function(*args, **kwargs))

    def py_sum(self, node, items, start=0):
        for item in self.sequence(items, node):
            start = self.binary(ast.Add, start, item, node)
        return start

    def py_any(self, node, items):
        return any(self.known_truth(i, node) for i in self.sequence(items, node))

    def py_all(self, node, items):
        return all(self.known_truth(i, node) for i in self.sequence(items, node))


def _plain(function, convert=None):

    def method(self, node, *args, **kwargs):
        value = self._plain_call(node, function, args, kwargs)
        return convert(value) if convert else value

    return method


_BUILTINS = {
    getattr(builtins, n): getattr(Calls, "py_" + n)
    for n in (
        "min",
        "max",
        "abs",
        "pow",
        "float",
        "int",
        "bool",
        "len",
        "range",
        "isinstance",
        "print",
        "getattr",
        "hasattr",
        "type",
        "sum",
        "any",
        "all",
    )
}
_BUILTINS.update({f: _plain(f) for f in (str, repr, round, divmod, callable, issubclass, bin, hex, dict, slice)})
_BUILTINS.update({f: _plain(f, tuple) for f in (tuple, list, zip, enumerate, reversed, sorted)})


def check_count(function, args, kwargs):
    """Raises TypeError unless the arguments fit."""
    code = function.__code__
    if kwargs or code.co_flags & 0x04:
        import inspect

        inspect.signature(function).bind(*args, **kwargs)
        return
    most, optional = code.co_argcount, len(function.__defaults__ or ())
    if not most - optional <= len(args) <= most:
        raise TypeError(f"{len(args) - 2} of them")


_OF_PYTHON = (
    python_types.BuiltinFunctionType,
    python_types.MethodType,
    python_types.MethodWrapperType,
    types.constexpr,
)


def _is_of_python(function):
    """Functions of modules like math, methods of constants; of the built-ins only those listed above."""
    if getattr(function, "__self__", None) is builtins:
        return False
    return isinstance(function, _OF_PYTHON) or type(function).__name__ == "ufunc"


def _hashable(function):
    return isinstance(function, (type, python_types.BuiltinFunctionType))


def _name(function):
    return getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)


def _argument_text(function, args, kwargs, error):
    import inspect

    name = getattr(function, "__name__", str(function))
    try:
        signature = inspect.signature(function)
        signature.bind(*args, **kwargs)
    except TypeError as e:
        return f"expected arguments as in {name}{signature}, got a call that does not fit: {e}"
    except ValueError:
        pass
    return f"expected arguments that {name} takes, got others: {str(error).splitlines()[0]}"

# Makes a kernel's Python runnable by Python itself. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Almost all of a kernel is Python as it stands. What is not is rewritten, with lines and columns kept: `and`, `or`,
# `not` and chained comparisons of tiles, methods of numbers (n.to(...) where n is 1), assert; and numbers that a loop
# or branch assigns become scalars of their own type, as they do when control flow is recorded.
from __future__ import annotations

import ast

from ._context import state
from .language import types
from .language.tensor import base_value, tensor
from .trace.analysis import assigned


def compiled(function):
    """The rewritten function's code as a maker: called with the captured values, it gives the function."""
    source = function.source
    tree = ast.parse(source.text, source.file).body[0]
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset += source.indent
            if node.end_col_offset is not None:
                node.end_col_offset += source.indent
    ast.increment_lineno(tree, source.line - 1)
    args = tree.args
    for a in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        a.annotation = None
    args.defaults = [_at(ast.Constant(None), tree) for _ in args.defaults]
    args.kw_defaults = [d and _at(ast.Constant(None), tree) for d in args.kw_defaults]
    tree.decorator_list, tree.returns = [], None
    tree.body = _Rewriter().block(tree.body)
    captured = function.fn.__code__.co_freevars
    maker = ast.FunctionDef(
        name="__pavage_make__",
        args=ast.arguments([], [ast.arg(n) for n in captured], None, [], [], None, []),
        body=[tree, ast.Return(ast.Name(tree.name, ast.Load()))],
        decorator_list=[],
        returns=None,
    )
    if hasattr(maker, "type_params"):
        maker.type_params = []
    module = ast.Module([_at(maker, tree)], [])
    ast.fix_missing_locations(module)
    return compile(module, source.file, "exec", dont_inherit=True)


def _at(new, old):
    return ast.copy_location(new, old)


def _call(name, args, node):
    return _at(ast.Call(_at(ast.Name(name, ast.Load()), node), args, []), node)


def _delayed(node):
    empty = ast.arguments([], [], None, [], [], None, [])
    return _at(ast.Lambda(empty, node), node)


_ATTRIBUTES = frozenset(n for n in dir(tensor) if not n.startswith("_")) | {"value"}


class _Rewriter(ast.NodeTransformer):

    def __init__(self):
        self._count = 0

    def block(self, nodes):
        out = []
        for node in nodes:
            new = self.visit(node)
            out += new if isinstance(new, list) else [new]
        return out

    # --- expressions ---

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        name = "__pavage_and__" if isinstance(node.op, ast.And) else "__pavage_or__"
        return _call(name, [_delayed(v) for v in node.values], node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _call("__pavage_not__", [node.operand], node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        # a < f() < c: every operand once, as arguments of nested functions.
        values = [node.left, *node.comparators]
        names = [f"__pavage_{k}" for k in range(len(values))]
        load = [_at(ast.Name(n, ast.Load()), node) for n in names]
        pairs = [_at(ast.Compare(a, [op], [b]), node) for a, op, b in zip(load, node.ops, load[1:])]
        body = _call("__pavage_and__", [_delayed(p) for p in pairs], node)
        args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
        return _at(ast.Call(_at(ast.Lambda(args, body), node), values, []), node)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.attr in _ATTRIBUTES:
            return _call("__pavage_attribute__", [node.value, _at(ast.Constant(node.attr), node)], node)
        return node

    # --- statements ---

    def visit_Assert(self, node):
        self.generic_visit(node)
        message = node.msg or _at(ast.Constant(""), node)
        return _at(ast.Expr(_call("__pavage_assert__", [node.test, _delayed(message)], node)), node)

    def visit_FunctionDef(self, node):
        return node

    def visit_For(self, node):
        names = sorted(assigned(node.body))
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range":
            node.iter.func.id = "__pavage_range__"
        return [*self._carry(names, node), self._loop(node), *self._carry(names, node)]

    def visit_While(self, node):
        names = sorted(assigned(node.body))
        return [*self._carry(names, node), self._loop(node), *self._carry(names, node)]

    def _loop(self, node):
        body, node.body = node.body, []
        self.generic_visit(node)
        node.body = self.block(body)
        return node

    def visit_If(self, node):
        names = sorted(assigned([*node.body, *node.orelse]))
        test = self.visit(node.test)
        body, orelse = self.block(node.body), self.block(node.orelse)
        if not names:
            return _at(ast.If(test, body, orelse), node)
        self._count += 1
        flag = f"__pavage_if_{self._count}"
        store = _at(ast.Assign([_at(ast.Name(flag, ast.Store()), node)], test), node)
        again = _at(ast.Name(flag, ast.Load()), node)
        carried = self._carry(names, node)
        runtime = _call("__pavage_is_value__", [again], node)
        before = _at(ast.If(runtime, carried, []), node)
        after = _at(ast.If(runtime, self._carry(names, node), []), node)
        return [store, before, _at(ast.If(again, body, orelse), node), after]

    @staticmethod
    def _carry(names, node):
        """name = carry(name), for those that have a value."""
        out = []
        for name in names:
            load, store = _at(ast.Name(name, ast.Load()), node), _at(ast.Name(name, ast.Store()), node)
            assign = _at(ast.Assign([store], _call("__pavage_carry__", [load], node)), node)
            handler = ast.ExceptHandler(_at(ast.Name("__pavage_unbound__", ast.Load()), node), None,
                                        [_at(ast.Pass(), node)])
            out.append(_at(ast.Try([assign], [_at(handler, node)], [], []), node))
        return out


# --- what the rewritten code calls ---


def _known(value):
    """True or False where Python decides, None where tiles do."""
    if isinstance(value, tensor):
        return bool(value) if not value.handle.rank else None
    return bool(value)


def _and(*values):
    result = values[0]()
    for value in values[1:]:
        known = _known(result)
        if known is False:
            return result
        result = value() if known else result.logical_and(value())
    return result


def _or(*values):
    result = values[0]()
    for value in values[1:]:
        known = _known(result)
        if known:
            return result
        result = value() if known is False else result.logical_or(value())
    return result


def _not(value):
    return value.logical_not() if isinstance(value, tensor) else not value


def _attribute(value, name):
    if isinstance(value, (int, float)) and not hasattr(value, name):
        if name == "value":
            return value
        value = tensor(state.builder.to_tensor(value))
    elif name == "value" and not hasattr(value, name):
        return value
    return types.unwrap(getattr(value, name))


def _assert(test, message):
    from .language import core

    if isinstance(test, base_value):
        core.device_assert(test, str(message()))
    elif not test:
        state.builder.fail(11, f"expected the assertion to hold, got false: {message()}".removesuffix(": "))


def _carry(value):
    if isinstance(value, (bool, int, float)) and type(value) in (bool, int, float):
        return tensor(state.builder.to_tensor(value))
    if type(value) is tuple:
        return tuple(_carry(v) for v in value)
    return value


def _range(*args):
    """The index of a loop is a value, whatever the bounds are."""
    from .language import iterators

    start, end, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return iter(iterators.range(start, end, step))


def _is_value(value):
    return isinstance(value, base_value)


HELPERS = {
    "__pavage_and__": _and,
    "__pavage_or__": _or,
    "__pavage_not__": _not,
    "__pavage_attribute__": _attribute,
    "__pavage_assert__": _assert,
    "__pavage_carry__": _carry,
    "__pavage_range__": _range,
    "__pavage_is_value__": _is_value,
    "__pavage_unbound__": NameError,
}

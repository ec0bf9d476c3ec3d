# Values: expressions of a kernel. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# An expression gives a constant of Python, or a value of the builder. On constants Python computes; as soon as a value
# of the builder takes part, the operator is the builder's.
from __future__ import annotations

import ast
import operator

from ..errors import Error
from ..language import types
from ..language.tensor import base_value, tensor, wrap
from .analysis import has_call
from .calls import Calls
from .frame import pack, unpack

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
}
_SYMBOL = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.MatMult: "@",
}
_COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_NUMBER = (int, float)


def describe(value):
    if isinstance(value, base_value):
        return value.handle.type_text
    if isinstance(value, (bool, int, float, str, type(None), types.dtype)):
        return repr(value)
    return f"{type(value).__name__} {getattr(value, '__name__', value)}"


class Expressions(Calls):
    """Mixed into the tracer; `visit` gives the value of an expression."""

    def visit(self, node):
        method = getattr(self, "expr_" + type(node).__name__, None)
        if method is None:
            self.frame.fail(1, f"expected syntax that kernels know, got {_name_of(node)}", node)
        return method(node)

    # --- atoms ---

    def expr_Constant(self, node):
        if isinstance(node.value, (complex, bytes)):
            self.frame.fail(1, f"expected a number, bool, text or None, got {node.value!r}", node)
        return node.value

    def expr_Name(self, node):
        return self.frame.read(node.id, node)

    def expr_Tuple(self, node):
        return tuple(self._items(node.elts))

    expr_List = expr_Tuple

    def _items(self, nodes):
        out = []
        for n in nodes:
            if isinstance(n, ast.Starred):
                out += self.sequence(self.visit(n.value), n)
            else:
                out.append(self.visit(n))
        return out

    def expr_Dict(self, node):
        out = {}
        for key, value in zip(node.keys, node.values):
            if key is None:
                out.update(self.visit(value))
            else:
                out[self.visit(key)] = self.visit(value)
        return out

    def expr_JoinedStr(self, node):
        return "".join(str(self.visit(v)) for v in node.values)

    def expr_FormattedValue(self, node):
        value = self.visit(node.value)
        spec = self.visit(node.format_spec) if node.format_spec else ""
        if isinstance(value, base_value):
            return repr(value)
        convert = {114: repr, 115: str, 97: ascii}.get(node.conversion, lambda v: v)
        return self.constant(node, lambda: format(convert(value), spec))

    def expr_NamedExpr(self, node):
        value = self.visit(node.value)
        self.frame.at(node)
        self.frame.assign(node.target.id, value)
        return value

    def expr_Slice(self, node):
        bound = [None if n is None else self.visit(n) for n in (node.lower, node.upper, node.step)]
        return slice(*bound)

    # --- operators ---

    def constant(self, node, compute):
        """A computation on constants; what Python raises becomes a numbered error here."""
        try:
            return compute()
        except Error:
            raise
        except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, AssertionError) as e:
            self.frame.fail(
                9, f"expected a constant expression that can be computed, got {type(e).__name__}: {e}", node
            )

    def binary(self, op, x, y, node):
        self.frame.at(node)
        if isinstance(x, base_value) or isinstance(y, base_value):
            # Division by zero and the like are defined for tiles; a type error is the builder's, or ours for other
            # objects.
            for side in (x, y):
                if not isinstance(side, (base_value, *_NUMBER)):
                    self.frame.fail(
                        107,
                        f"expected tiles or numbers around {_SYMBOL.get(op, 'an operator')}, got {describe(x)} and "
                        f"{describe(y)}",
                        node,
                    )
            try:
                return _BINARY[op](x, y)
            except TypeError:
                self.frame.fail(
                    107, f"expected tiles or numbers around {_SYMBOL[op]}, got {describe(x)} and {describe(y)}", node
                )
        if op is ast.Pow and isinstance(y, int) and isinstance(x, int) and abs(y) > 4096:
            self.frame.fail(9, f"expected a reasonable exponent in a constant expression, got {y}", node)
        if op is ast.LShift and isinstance(y, int) and y > 4096:
            self.frame.fail(9, f"expected a reasonable shift in a constant expression, got {y}", node)
        if op is ast.Mult and (_is_long(x, y) or _is_long(y, x)):
            self.frame.fail(9, "expected a reasonable length in a constant expression, got more", node)
        return self.constant(node, lambda: _BINARY[op](x, y))

    def expr_BinOp(self, node):
        # Long sums lean to the left; they are walked without recursion.
        chain = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        x = self.visit(chain[-1].left)
        for n in reversed(chain):
            x = self.binary(type(n.op), x, self.visit(n.right), n)
        return x

    def expr_UnaryOp(self, node):
        x = self.visit(node.operand)
        self.frame.at(node)
        if isinstance(node.op, ast.Not):
            if isinstance(x, tensor):
                known = x._constant() if x.handle.numel == 1 and not x.handle.rank else None
                return x.logical_not() if known is None else not known
            return not x
        op = _UNARY[type(node.op)]
        if isinstance(x, base_value) and not isinstance(x, tensor):
            self.frame.fail(107, f"expected a tile or number, got {describe(x)}", node)
        return self.constant(node, lambda: op(x))

    def expr_Compare(self, node):
        """a < b < c means a < b and b < c, with b evaluated once."""
        left, result = self.visit(node.left), None
        for op, right_node in zip(node.ops, node.comparators):
            right = self.visit(right_node)
            one = self.compare(op, left, right, node)
            result = one if result is None else self.conjunction(result, one, node)
            if result is False:
                return False
            left = right
        return result

    def compare(self, op, x, y, node):
        self.frame.at(node)
        if isinstance(op, (ast.Is, ast.IsNot)):
            same = (
                x is y
                or (isinstance(x, types.dtype) and x == y)
                or (isinstance(x, (bool, int)) and isinstance(y, bool) and x is y)
            )
            return same if isinstance(op, ast.Is) else not same
        if isinstance(op, (ast.In, ast.NotIn)):
            if isinstance(x, base_value) or not isinstance(y, (tuple, str, dict, range)):
                self.frame.fail(
                    4, f"expected a constant in a constant tuple or text, got {describe(x)} in {describe(y)}", node
                )
            found = self.constant(node, lambda: x in y)
            return found if isinstance(op, ast.In) else not found
        compute = _COMPARE[type(op)]
        if isinstance(x, base_value) or isinstance(y, base_value):
            for side in (x, y):
                if not isinstance(side, (base_value, *_NUMBER)):
                    # A tile is never equal to None, a type or a text.
                    if isinstance(op, ast.Eq):
                        return False
                    if isinstance(op, ast.NotEq):
                        return True
                    self.frame.fail(
                        107, f"expected tiles or numbers to compare, got {describe(x)} and {describe(y)}", node
                    )
        return self.constant(node, lambda: compute(x, y))

    def conjunction(self, x, y, node):
        if not isinstance(x, base_value):
            return y if x else x
        if not isinstance(y, base_value):
            return x if y else y
        self.frame.at(node)
        return x.logical_and(y)

    def expr_BoolOp(self, node):
        is_and = isinstance(node.op, ast.And)
        result = self.visit(node.values[0])
        for index, value_node in enumerate(node.values[1:]):
            known = self.known_truth(result, node.values[index])
            if known is not None:
                if known != is_and:
                    return result
                result = self.visit(value_node)
                continue
            if has_call(value_node) and not result.handle.rank:
                result = self._short_circuit(result, value_node, is_and, node)
                continue
            value = self.visit(value_node)
            self.frame.at(node)
            if not isinstance(value, (base_value, *_NUMBER)):
                self.frame.fail(107, f"expected a tile, number or bool, got {describe(value)}", value_node)
            result = result.logical_and(value) if is_and else result.logical_or(value)
        return result

    def _short_circuit(self, left, right_node, is_and, node):
        """The right side runs only where it counts: it may load from memory."""
        b = self.b
        self.frame.at(node)
        result = b.declare("", False)
        b.assign(result, tensor(b.to_bool(left)))
        self.frame.enter(right_node)
        enter = b.if_begin(left if is_and else left.logical_not())
        if enter:
            value = self.visit(right_node)
            self.frame.at(node)
            b.assign(result, tensor(b.to_bool(value)))
            self.frame.leave()
        b.if_end()
        self.frame.close()
        return self.read_temporary(result)

    def read_temporary(self, variable):
        value = unpack(self.b.read_variable(variable, wrap))
        self.b.drop(variable)
        return value

    def known_truth(self, value, node):
        """True or False where that is known now, else None."""
        if isinstance(value, tensor):
            if value.handle.numel == 1 and not value.handle.rank:
                constant = value._constant()
                return None if constant is None else bool(constant)
            return None
        if isinstance(value, base_value):
            self.frame.fail(156, f"expected a condition, got {describe(value)}", node)
        return self.constant(node, lambda: bool(value))

    def expr_IfExp(self, node):
        cond = self.visit(node.test)
        known = self.known_truth(cond, node.test)
        if known is not None:
            return self.visit(node.body if known else node.orelse)
        b, frame = self.b, self.frame
        frame.at(node)
        result = b.declare("the conditional expression", False)
        frame.enter([node.body, node.orelse])
        if b.if_begin(cond):
            b.assign(result, pack(self.visit(node.body), frame.canon))
            frame.leave()
        if b.else_begin():
            b.assign(result, pack(self.visit(node.orelse), frame.canon))
            frame.leave()
        frame.at(node)
        b.if_end()
        frame.close()
        return self.read_temporary(result)

    # --- parts ---

    def expr_Attribute(self, node):
        value = self.visit(node.value)
        if node.attr == "type" and not isinstance(value, base_value) and not hasattr(value, "type"):
            return self._type_of_constant(value, node.value)
        return self.attribute(value, node.attr, node)

    def _type_of_constant(self, value, node):
        """Numbers have the type that they become, but names declared tl.constexpr stay what they are."""
        declared = isinstance(node, ast.Name) and node.id in self.frame.constexprs
        return types.constexpr_type(value) if declared else self._weak_type(value)

    def _weak_type(self, value):
        if isinstance(value, tuple):
            return types.tuple_type(map(self._weak_type, value), getattr(value, "_fields", None))
        if isinstance(value, base_value):
            return value.type
        if isinstance(value, _NUMBER) and not isinstance(value, bool):
            return tensor(self.b.to_tensor(value)).type
        return types.constexpr_type(value)

    def attribute(self, value, name, node):
        if isinstance(value, (int, float)) and not hasattr(value, name):
            if name == "value":
                return value
            if hasattr(tensor, name):
                self.frame.at(node)
                value = tensor(self.b.to_tensor(value))
        elif name == "value" and not isinstance(value, base_value) and not hasattr(value, name):
            return value
        try:
            self.frame.at(node)
            result = getattr(value, name)
        except AttributeError as e:
            text = str(e)
            if not text.startswith("expected"):
                text = f"expected an attribute of {describe(value)}, got '{name}'"
            self.frame.fail(12, text, node)
        return types.unwrap(result)

    def expr_Subscript(self, node):
        value = self.visit(node.value)
        index = self.visit(node.slice)
        self.frame.at(node)
        if isinstance(value, tensor):
            return value[index]
        if isinstance(value, base_value):
            self.frame.fail(18, f"expected a tile or tuple before [, got {describe(value)}", node)
        if isinstance(value, (int, float)) and _is_new_axis(index):
            return tensor(self.b.to_tensor(value))[index]
        if isinstance(index, tensor):
            known = index._constant() if index.handle.numel == 1 else None
            if known is None:
                self.frame.fail(4, f"expected a constant index into a tuple, got {describe(index)}", node.slice)
            index = known
        if isinstance(value, (tuple, str)) and isinstance(index, int) and not -len(value) <= index < len(value):
            self.frame.fail(22, f"expected an index from {-len(value)} to {len(value) - 1}, got {index}", node)
        if isinstance(value, tuple) and isinstance(index, slice):
            index = slice(*(b if b is None else int(b) for b in (index.start, index.stop, index.step)))
        if not hasattr(value, "__getitem__"):
            self.frame.fail(18, f"expected a tile or tuple before [, got {describe(value)}", node)
        return types.unwrap(self.constant(node, lambda: value[index]))

    def expr_ListComp(self, node):
        return tuple(self._comprehension(node.generators, node.elt))

    expr_GeneratorExp = expr_ListComp

    def _comprehension(self, generators, element):
        if not generators:
            yield self.visit(element)
            return
        first, *rest = generators
        saved = dict(self.frame.values), dict(self.frame.vars)
        for item in self.sequence(self.visit(first.iter), first.iter):
            self.assign_target(first.target, item)
            if all(self.decided(test) for test in first.ifs):
                yield from self._comprehension(rest, element)
        self.frame.values, self.frame.vars = saved

    def decided(self, node):
        known = self.known_truth(self.visit(node), node)
        if known is None:
            self.frame.fail(4, "expected a condition known at compile time, got one known only at run time", node)
        return known

    def sequence(self, value, node):
        """Items of something that can be walked over while tracing."""
        from ..language.iterators import static_range

        if isinstance(value, (tuple, list, range, str, static_range, zip, enumerate)):
            return list(value)
        if isinstance(value, dict):
            return list(value)
        self.frame.fail(13, f"expected a tuple, list or range to iterate over, got {describe(value)}", node)


def _is_long(sequence, times):
    return isinstance(sequence, (str, tuple)) and isinstance(times, int) and len(sequence) * times > 1 << 20


def _is_new_axis(index):
    items = index if isinstance(index, tuple) else (index,)
    return all(i is None for i in items)


_WORDS = {
    "Lambda": "a lambda",
    "Yield": "yield",
    "YieldFrom": "yield",
    "Await": "await",
    "Set": "a set",
    "SetComp": "a set comprehension",
    "DictComp": "a dict comprehension",
    "Try": "try",
    "TryStar": "try",
    "With": "with",
    "ClassDef": "a class",
    "FunctionDef": "a nested function",
    "AsyncFunctionDef": "an async function",
    "Import": "import",
    "ImportFrom": "import",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Match": "match",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "TypeAlias": "a type alias",
    "TemplateStr": "a template string",
}


def _name_of(node):
    return _WORDS.get(type(node).__name__, type(node).__name__)

# What kind of value each parameter of a kernel takes, read off its text. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
#
#   tl.load(x + i, mask=i < n)   =>   x: pointer, i: integer, n: integer
#
# Every value gets a Kind; the statements are walked once and leave equations between kinds, which are then solved until
# nothing changes. Where an address leaves open which of its terms is the pointer, the leftmost is. Names are looked at
# last, for what usage leaves open.
from __future__ import annotations

import ast
import re

INT, FLOAT, BOOL, POINTER, DESCRIPTOR = "int", "float", "bool", "pointer", "descriptor"
_NUMBERS = (INT, FLOAT, BOOL)


class Kind:
    """An unknown of the equations: what a value is, and for pointers and descriptors what they point to."""

    def __init__(self, what=None, element=None):
        self._same, self.what, self._element = None, what, element

    def root(self):
        kind = self
        while kind._same is not None:
            kind = kind._same
        return kind

    @property
    def known(self):
        return self.root().what

    @property
    def element(self):
        root = self.root()
        if root._element is None:
            root._element = Kind()
        return root._element

    def set(self, what):
        """Whether that is news. What is known stays: code reuses names for values of other kinds."""
        root = self.root()
        if root.what is None and what is not None:
            root.what = what
            return True
        return False

    def join(self, other):
        a, b = self.root(), other.root()
        if a is b or (a.what and b.what and a.what != b.what):
            return False
        b._same, news = a, True
        a.what = a.what or b.what
        if a._element is None:
            a._element = b._element
        elif b._element is not None:
            a._element.join(b._element)
        return news


# Functions of the language by what they do to kinds.
_FLOATS = set("exp exp2 expm1 log log2 log10 log1p sqrt sqrt_rn rsqrt sin cos tan tanh sinh cosh erf erfc sigmoid "
              "floor ceil fdiv div_rn rand randn softmax pow lgamma atan atan2 acos asin rint trunc".split())
_INTEGERS = set("program_id num_programs arange cdiv multiple_count argmax argmin randint histogram popc clz ffs "
                "next_power_of_2".split())
_SAME = set("sum max min abs trans permute reshape view ravel broadcast_to expand_dims cumsum cumprod sort flip "
            "flatten multiple_of max_contiguous max_constancy squeeze unsqueeze reduce associative_scan topk".split())
_JOINED = set("maximum minimum where fma clamp cat join interleave".split())
_ATOMICS = set("atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas".split())
_LOGIC = (ast.BitAnd, ast.BitOr, ast.BitXor)


def kind_of_type(name):
    """The kind that a type's name says, or None: "float32", "int1", "*fp16"."""
    if name.startswith("*"):
        return POINTER
    if re.match(r"(u?int(8|16|32|64)|[iu](8|16|32|64))$", name):
        return INT
    if re.match(r"(float|bfloat|fp|bf)\d", name):
        return FLOAT
    return BOOL if name in ("int1", "i1", "bool") else None


class Usage:
    """The equations of one function. `kinds`: per parameter; `uses`: how a constant parameter is used."""

    def __init__(self, function, resolve):
        self.function, self._resolve = function, resolve
        self.kinds = {a.arg: Kind() for a in [*function.args.args, *function.args.kwonlyargs]}
        self.returned = Kind()
        self.calls = []  # (callee's Usage, {parameter: expression's name if it is one})
        self.compared = {name: [] for name in self.kinds}  # constants that a parameter is compared to
        self.roles = {name: set() for name in self.kinds}  # "extent", "truth", "type", "called", "none", "arithmetic"
        self.blocks = {}  # of descriptors, per axis: 1 where the offset is a program's number, else None
        self._programs = set()
        self._names = dict(self.kinds)
        self._sums, self._addresses, self._stored = [], [], []
        self._walk(function.body)
        self._solve()

    # --- statements ---

    def _walk(self, statements):
        for s in statements:
            method = getattr(self, "_on_" + type(s).__name__, None)
            if method:
                method(s)
            else:
                for child in ast.iter_child_nodes(s):
                    if isinstance(child, ast.expr):
                        self._kind(child)

    def _on_Assign(self, s):
        value = self._kind(s.value)
        for target in s.targets:
            self._bind(target, s.value, value)

    def _bind(self, target, node, value):
        if isinstance(target, ast.Name):
            self._names[target.id] = value
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("program_id"):
                self._programs.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
            for i, t in enumerate(target.elts):
                same = len(items) == len(target.elts)
                self._bind(t, items[i] if same else node, self._kind(items[i]) if same else Kind())

    def _on_AnnAssign(self, s):
        if s.value is not None:
            self._bind(s.target, s.value, self._kind(s.value))

    def _on_AugAssign(self, s):
        self._bind(s.target, s, self._operation(s.op, self._kind(s.target), self._kind(s.value)))

    def _on_For(self, s):
        self._kind(s.iter)
        self._bind(s.target, s.iter, Kind(INT))
        self._walk(s.body)
        self._walk(s.orelse)

    def _on_While(self, s):
        self._truth(s.test)
        self._walk(s.body)

    def _on_If(self, s):
        self._truth(s.test)
        before = dict(self._names)
        self._walk(s.body)
        after, self._names = self._names, dict(before)
        self._walk(s.orelse)
        for name, kind in after.items():
            mine = self._names.get(name)
            if mine is None or mine is before.get(name):
                self._names[name] = kind
                if mine is not None and mine.known is None and kind is not mine:
                    mine.join(kind)
            else:
                mine.join(kind)

    def _on_Return(self, s):
        if s.value is not None and not isinstance(s.value, ast.Tuple):
            self.returned.join(self._kind(s.value))
        elif s.value is not None:
            self._kind(s.value)

    def _on_FunctionDef(self, s):
        pass

    # --- expressions ---

    def _truth(self, node):
        if isinstance(node, ast.Name) and node.id in self.roles:
            self.roles[node.id].add("truth")
        elif isinstance(node, ast.BoolOp):
            for v in node.values:
                self._truth(v)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._truth(node.operand)
        else:
            self._kind(node)

    def _role(self, node, role):
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and n.id in self.roles:
                self.roles[n.id].add(role)

    def _kind(self, node):
        method = getattr(self, "_of_" + type(node).__name__, None)
        if method:
            return method(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._kind(child)
        return Kind()

    def _of_Name(self, node):
        return self._names.get(node.id) or Kind()

    def _of_Constant(self, node):
        value = node.value
        return Kind(FLOAT if isinstance(value, float) else None)

    def _of_BinOp(self, node):
        left, right = self._kind(node.left), self._kind(node.right)
        for side in (node.left, node.right):
            if isinstance(side, ast.Name) and side.id in self.roles:
                self.roles[side.id].add("arithmetic")
        return self._operation(node.op, left, right)

    def _operation(self, op, left, right):
        if isinstance(op, (ast.Add, ast.Sub)):
            result = Kind()
            self._sums.append((left, right, result))
            return result
        if isinstance(op, (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)):
            left.set(INT)
            right.set(INT)
            return Kind(INT)
        if isinstance(op, ast.Div):
            return Kind(FLOAT)
        if isinstance(op, _LOGIC):
            result = Kind()
            for k in (left, right):
                result.join(k)
            return result
        result = Kind()
        self._sums.append((left, right, result))
        return result

    def _of_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self._truth(node.operand)
            return Kind(BOOL)
        return self._kind(node.operand)

    def _of_BoolOp(self, node):
        self._truth(node)
        return Kind(BOOL)

    def _of_IfExp(self, node):
        self._truth(node.test)
        result = self._kind(node.body)
        result.join(self._kind(node.orelse))
        return result

    def _of_Compare(self, node):
        sides = [node.left, *node.comparators]
        for name, other, op in [(a, b, o) for a, b, o in zip(sides, sides[1:], node.ops)] + [
                (b, a, o) for a, b, o in zip(sides, sides[1:], node.ops)]:
            if isinstance(name, ast.Name) and name.id in self.roles:
                if isinstance(op, (ast.Is, ast.IsNot)):
                    self.roles[name.id].add("none")
                elif isinstance(other, ast.Constant):
                    self.compared[name.id].append(other.value)
                elif isinstance(other, ast.Attribute) and kind_of_type(other.attr):
                    self.roles[name.id].add("type")
                elif isinstance(other, (ast.Tuple, ast.List)):
                    self.compared[name.id] += [e.value for e in other.elts if isinstance(e, ast.Constant)]
        kinds = [self._kind(s) for s in sides]
        for a, b in zip(kinds, kinds[1:]):
            if not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
                a.join(b)
        return Kind(BOOL)

    def _of_Subscript(self, node):
        value = self._kind(node.value)
        for child in ast.walk(node.slice):
            if isinstance(child, ast.Name):
                self._kind(child)
        return value

    def _of_Attribute(self, node):
        value = self._kind(node.value)
        return value if node.attr == "T" else Kind()

    def _of_Call(self, node):
        args = [self._kind(a) for a in node.args]
        keywords = {k.arg: self._kind(k.value) for k in node.keywords}
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if isinstance(node.func, ast.Name) and node.func.id in self.roles:
            self.roles[node.func.id].add("called")
        callee = self._resolve(node.func)
        if callee is not None:
            return self._call(callee, node, args, keywords)
        is_method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
        if is_method:
            receiver = self._kind(node.func.value)
            return self._method(node, name, receiver, args, keywords)
        return self._function(node, name, args, keywords)

    def _method(self, node, name, receiver, args, keywords):
        if name == "load" or name == "gather" and len(args) >= 2:
            self._descriptor(node, receiver)
            return receiver.element
        if name in ("store", "scatter") or name in _ATOMICS and len(args) > 1:
            self._descriptor(node, receiver)
            if len(args) > 1:
                self._stored.append((receiver, args[1]))
            return Kind()
        if name in ("to", "cast"):
            return self._conversion(receiver, node.args[0] if node.args else None)
        if name in _FLOATS:
            return Kind(FLOAT)
        return receiver if name in _SAME else Kind()

    def _descriptor(self, node, receiver):
        receiver.set(DESCRIPTOR)
        offsets = getattr(node.args[0] if node.args else None, "elts", None)
        if offsets and isinstance(node.func.value, ast.Name):
            self.blocks[node.func.value.id] = [1 if getattr(o, "id", None) in self._programs else None for o in offsets]
            for o in offsets:
                self._kind(o).set(INT)

    def _conversion(self, value, to):
        if isinstance(to, ast.Name) and to.id in self.roles:
            self.roles[to.id].add("type")
        text = ast.unparse(to) if to is not None else ""
        kind = kind_of_type(text.rpartition(".")[2])
        if kind == INT:
            value.set(INT) if value.known is None and not self._is_loaded(value) else None
        if kind is None and "pointer_type" in text:
            return Kind(POINTER, Kind(kind_of_type(text.rpartition("tl.")[2].rstrip(")"))))
        return Kind(kind)

    def _is_loaded(self, value):
        return any(value.root() is p.element.root() for p, _ in self._addresses)

    def _function(self, node, name, args, keywords):
        first = args[0] if args else keywords.get("pointer") or keywords.get("input") or Kind()
        if name == "load":
            self._address(first, node.args[0] if node.args else None)
            if "other" in keywords:
                first.element.join(keywords["other"])
            return first.element
        if name == "store" or name in _ATOMICS:
            self._address(first, node.args[0] if node.args else None)
            value = args[1] if len(args) > 1 else keywords.get("value") or keywords.get("val")
            if value is not None:
                self._stored.append((first, value))
            return first.element
        if name == "make_block_ptr":
            base = args[0] if args else keywords.get("base", Kind())
            self._address(base, None)
            for part in [*node.args[1:], *(k.value for k in node.keywords if k.arg not in ("base", "order"))]:
                for item in getattr(part, "elts", []):
                    self._kind(item).set(INT)
            for part in [*node.args[4:5], *(k.value for k in node.keywords if k.arg == "block_shape")]:
                self._role(part, "extent")
            return base
        if name in ("make_tensor_descriptor", "_experimental_make_tensor_descriptor"):
            base = args[0] if args else keywords.get("base", Kind())
            self._address(base, None)
            for part in [*node.args[1:3], *(k.value for k in node.keywords if k.arg in ("shape", "strides"))]:
                for item in getattr(part, "elts", []):
                    self._kind(item).set(INT)
            return Kind(DESCRIPTOR, base.element)
        if name == "advance":
            return first
        if name == "arange":
            for a in node.args:
                self._role(a, "extent")
            return Kind(INT)
        if name in ("zeros", "full", "broadcast_to", "reshape", "view") and node.args:
            self._role(node.args[0] if name in ("zeros", "full") else node.args[-1], "extent")
            to = [k.value for k in node.keywords if k.arg == "dtype"] or node.args[1 if name == "zeros" else 2:][:1]
            return self._conversion(Kind(), to[0]) if to and name in ("zeros", "full") else first
        if name in ("cast", "to_tensor"):
            return self._conversion(first, node.args[1] if len(node.args) > 1 else None)
        if name == "dot":
            return Kind(FLOAT)
        if name in ("range", "static_range"):
            for a in args:
                a.set(INT)
            return Kind(INT)
        if name in _FLOATS:
            return Kind(FLOAT)
        if name in _INTEGERS:
            for a in args if name in ("cdiv",) else ():
                a.set(INT)
            return Kind(INT)
        if name in _JOINED or name in ("min", "max") and len(args) > 1:
            values = args[1:] if name == "where" else args
            result = Kind()
            for v in values:
                result.join(v)
            return result
        return first if name in _SAME or name in ("min", "max") else Kind()

    def _address(self, kind, node):
        kind.set(POINTER)
        self._addresses.append((kind, node))

    def _call(self, callee, node, args, keywords):
        names = list(callee.kinds)
        given = dict(zip(names, zip(args, node.args)))
        given.update({k.arg: (keywords[k.arg], k.value) for k in node.keywords if k.arg in callee.kinds})
        passed = {}
        for name, (kind, expression) in given.items():
            # A copy, not the callee's own: it may be called with values of several kinds.
            theirs = callee.kinds[name]
            if theirs.known is not None:
                kind.set(theirs.known)
                if theirs.known == POINTER:
                    kind.element.set(theirs.element.known)
            if isinstance(expression, ast.Name) and expression.id in self.roles:
                passed[name] = expression.id
                if name in callee.blocks:
                    self.blocks.setdefault(expression.id, callee.blocks[name])
                self.roles[expression.id] |= callee.roles[name]
                self.compared[expression.id] += callee.compared[name]
        self.calls.append((callee, passed))
        return Kind(callee.returned.known)

    # --- solving ---

    def _solve(self):
        news = True
        while news:
            news = self._propagate()
            if not news:
                news = self._choose_base()
        for pointer, value in self._stored:
            pointer.element.set(value.known)

    def _propagate(self):
        news = False
        for left, right, result in self._sums:
            a, b, s = left.known, right.known, result.known
            if a == POINTER:
                news |= result.join(left) | right.set(INT)
            elif b == POINTER:
                news |= result.join(right) | left.set(INT)
            elif s == POINTER and (b in _NUMBERS or a in _NUMBERS):
                news |= result.join(left if b in _NUMBERS else right)
            elif s == INT:
                news |= left.set(INT) | right.set(INT)
            elif a == FLOAT or b == FLOAT:
                news |= result.set(FLOAT)
            elif a == INT and b == INT:
                news |= result.set(INT)
        return bool(news)

    def _choose_base(self):
        """Of a pointer that is a sum of two unknowns, the left one."""
        for left, right, result in self._sums:
            if result.known == POINTER and left.known is None and right.known is None:
                return bool(result.join(left))
        return False


def _is_module(node):
    return isinstance(node, ast.Name) and node.id in ("tl", "triton", "math", "libdevice", "tldevice", "tle", "torch",
                                                      "language", "ext", "tl_extra_shim", "core", "np") or (
        isinstance(node, ast.Attribute) and _is_module(node.value))

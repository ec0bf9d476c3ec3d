# Statements of a kernel. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Conditions that are known while tracing choose a branch, and the other one is never looked at. All other control
# flow is the builder's: a body is visited once.
from __future__ import annotations

import ast
import builtins

from .._context import state
from ..language import iterators, types
from ..language.args import describe
from ..language.tensor import base_value, tensor, wrap
from .analysis import assigned
from .expressions import Expressions, _name_of
from .frame import is_constant, pack, unpack

_UNROLL_LIMIT = 100_000


class _Leave(Exception):
    """break or continue of a loop that is unrolled while tracing."""

    def __init__(self, is_break):
        self.is_break = is_break


class Retrace(Exception):
    """An unrolled loop turned out to be left at run time: the kernel is traced again, with that loop guarded."""

    def __init__(self, loop):
        super().__init__()
        self.loop = loop


class Statements(Expressions):
    def __init__(self, frame):
        self.frame, self.b = frame, frame.b
        self.alone = None  # the expression that is the whole statement
        self.unrolled = []  # (depth of regions, node) of each open unrolled loop; None for a loop of the builder

    # --- one activation ---

    def run(self, bound):
        """Traces the body; gives what the function returns."""
        frame, outer = self.frame, state.frame
        for name, value in bound.items():
            frame.assign(name, value)
        state.frame = frame
        try:
            self.block(frame.source.tree.body)
        finally:
            state.frame = outer
        returned = unpack(self.b.call_end(wrap)) if frame.parent else None
        return frame.result if frame.has_result and not frame.branch_returned else returned

    def release(self):
        for variable in self.frame.vars.values():
            self.b.drop(variable)
        self.frame.vars.clear()

    def block(self, nodes):
        for node in nodes:
            method = getattr(self, "stmt_" + type(node).__name__, None)
            if method is None:
                self.frame.fail(1, f"expected syntax that kernels know, got {_name_of(node)}", node)
            self.frame.at(node)
            method(node)
            if isinstance(node, (ast.Return, ast.Break, ast.Continue)) or self.frame.has_result or self.b.is_dead():
                return

    # --- simple statements ---

    def stmt_Pass(self, node):
        pass

    def stmt_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.alone = node.value
            self.visit(node.value)

    def check_used(self, function, node):
        """A call that stands alone as a statement is for its effects."""
        why = getattr(function, "__pavage_must_use__", None) or getattr(
            getattr(function, "function", None), "__pavage_must_use__", None
        )
        if why:
            more = f": {why}" if isinstance(why, str) else ""
            self.frame.fail(
                14, f"expected the result of {ast.unparse(node.func)} to be used, got none of it used{more}", node
            )

    def stmt_Return(self, node):
        frame = self.frame
        value = None if node.value is None else self.visit(node.value)
        frame.at(node)
        if frame.parent is None:
            if value is not None:
                frame.fail(
                    160,
                    f"expected a kernel to return nothing, got {describe(value)}: store results through a pointer",
                    node,
                )
            self.b.return_(None, True)
            return
        if not frame.regions and not frame.branch_returned:
            # Not under any condition: constants come back as constants.
            frame.result, frame.has_result = value, True
            return
        frame.branch_returned = True
        self.b.return_(pack(value, frame.canon), value is None)

    def stmt_Assign(self, node):
        value = self.visit(node.value)
        for target in node.targets:
            self.frame.at(node)
            self.assign_target(target, value)

    def assign_target(self, target, value):
        if isinstance(target, ast.Name):
            self.frame.assign(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Attribute):
            self.frame.fail(
                15, "expected a name to assign to, got an attribute: values of kernels do not change", target
            )
        elif isinstance(target, ast.Subscript):
            self.frame.fail(
                15,
                "expected a name to assign to, got a subscript: tiles do not change; use tl.where for a new "
                "one, or tl.store for memory",
                target,
            )
        else:
            self.frame.fail(15, f"expected a name to assign to, got {_name_of(target)}", target)

    def _unpack(self, target, value):
        value = types.unwrap(value)
        if not isinstance(value, (tuple, list)):
            self.frame.fail(8, f"expected a tuple to unpack, got {describe(value)}", target)
        names = target.elts
        star = [i for i, n in enumerate(names) if isinstance(n, ast.Starred)]
        if star:
            before, after = star[0], len(names) - star[0] - 1
            if len(value) < before + after:
                self.frame.fail(8, f"expected at least {before + after} values to unpack, got {len(value)}", target)
            middle = tuple(value[before : len(value) - after])
            value = (*value[:before], middle, *value[len(value) - after :])
            names = [n.value if isinstance(n, ast.Starred) else n for n in names]
        if len(value) != len(names):
            self.frame.fail(8, f"expected {len(names)} values to unpack, got {len(value)}", target)
        for name, item in zip(names, value):
            self.assign_target(name, item)

    def stmt_AugAssign(self, node):
        if not isinstance(node.target, ast.Name):
            self.assign_target(node.target, None)
        load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        old = self.visit(load)
        value = self.binary(type(node.op), old, self.visit(node.value), node)
        self.frame.at(node)
        self.frame.assign(node.target.id, value)

    def stmt_AnnAssign(self, node):
        is_constexpr = self._is_constexpr(node.annotation)
        if is_constexpr and isinstance(node.target, ast.Name):
            self.frame.constexprs.add(node.target.id)
        if node.value is None:
            return
        value = self.visit(node.value)
        if is_constexpr and not is_constant(value):
            plain = self._plain(value)
            if not is_constant(plain):
                self.frame.fail(
                    4, f"expected a constant for a name annotated tl.constexpr, got {describe(value)}", node.value
                )
            value = plain
        self.frame.at(node)
        self.assign_target(node.target, value)

    @staticmethod
    def _is_constexpr(annotation):
        return "constexpr" in (
            annotation.value
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
            else ast.unparse(annotation)
        )

    def stmt_Delete(self, node):
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.assign_target(target, None)
            self.frame.delete(target.id, target)

    def stmt_Assert(self, node):
        from ..language import core

        test = self.visit(node.test)
        message = "" if node.msg is None else self.visit(node.msg)
        self.frame.at(node)
        if not isinstance(test, base_value):
            if not self.constant(node, lambda: bool(test)):
                self.frame.fail(
                    11, f"expected the assertion to hold, got false{': ' + str(message) if message else ''}", node
                )
            return
        core.device_assert(test, str(message))

    def stmt_Raise(self, node):
        text = ast.unparse(node.exc) if node.exc is not None else ""
        self.frame.fail(25, f"expected kernel code that raises nothing, got raise {text}".rstrip(), node)

    def stmt_FunctionDef(self, node):
        self.frame.fail(
            1,
            f"expected kernels without nested functions, got def {node.name}: define it outside with @pavage.jit",
            node,
        )

    def stmt_Import(self, node):
        self.frame.fail(1, "expected imports at the top of the file, got one inside a kernel", node)

    stmt_ImportFrom = stmt_Import

    # --- branches ---

    def stmt_If(self, node):
        cond = self.visit(node.test)
        known = self.known_truth(cond, node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        frame, b = self.frame, self.b
        frame.at(node.test)
        frame.enter([*node.body, *node.orelse])
        if b.if_begin(cond):
            self.block(node.body)
            frame.leave()
        if node.orelse:
            frame.at(node)
            if b.else_begin():
                self.block(node.orelse)
                frame.leave()
        frame.at(node)
        b.if_end()
        frame.close()

    # --- loops ---

    def stmt_For(self, node):
        if node.orelse:
            self.frame.fail(1, "expected a for statement without else, got one with it", node.orelse[0])
        iterator = self._loop_range(node.iter)
        if iterator is None:
            value = self.visit(node.iter)
            self._unrolled(node, self.sequence(value, node.iter))
            return
        start, end, step, options = iterator
        for bound in (start, end, step):
            if not isinstance(bound, (tensor, int)) or (isinstance(bound, tensor) and bound.dtype.is_floating()):
                self.frame.fail(157, f"expected integers as bounds of a range, got {describe(bound)}", node.iter)
        if isinstance(step, int) and step == 0:
            self.frame.fail(157, "expected a step other than 0, got 0", node.iter)
        frame, b = self.frame, self.b
        frame.at(node)
        frame.enter([node.target, *node.body])
        frame.loops.append(len(frame.regions) - 1)
        self.unrolled.append(None)
        b.for_begin(start, end, step, options)
        while b.loop_next():
            frame.at(node.target)
            self.assign_target(node.target, tensor(b.for_index()))
            self.block(node.body)
            frame.leave()
        frame.at(node)
        b.loop_end()
        self.unrolled.pop()
        frame.loops.pop()
        frame.close()

    def _loop_range(self, node):
        """(start, end, step, options) of a loop at run time, or None."""
        if isinstance(node, ast.Call):
            function = types.unwrap(self.visit(node.func))
            if function is builtins.range:
                args = self._items(node.args)
                if not 1 <= len(args) <= 3 or node.keywords:
                    self.frame.fail(7, f"expected one to three arguments of range, got {len(args)}", node)
                args = [0, *args] if len(args) == 1 else args
                return args[0], args[1], args[2] if len(args) == 3 else 1, {}
            if function is iterators.range:
                r = self._forward(
                    function, self._items(node.args), {k.arg: self.visit(k.value) for k in node.keywords}, node
                )
                return types.unwrap(r.start), types.unwrap(r.end), types.unwrap(r.step), r.options
            if function is iterators.static_range:
                return None
        value = None
        if isinstance(node, ast.Name):
            value = self.visit(node)
        if isinstance(value, iterators.range):
            return types.unwrap(value.start), types.unwrap(value.end), types.unwrap(value.step), value.options
        return None

    def _unrolled(self, node, items):
        if len(items) > _UNROLL_LIMIT:
            self.frame.fail(
                13,
                f"expected at most {_UNROLL_LIMIT} repetitions of an unrolled loop, got {len(items)}: use "
                "range for a loop at run time",
                node.iter,
            )
        if node in self.frame.guarded:
            self._guarded(node, items)
            return
        self.unrolled.append((len(self.frame.regions), node))
        try:
            for item in items:
                self.frame.at(node.target)
                self.assign_target(node.target, item)
                try:
                    self.block(node.body)
                except _Leave as leave:
                    if leave.is_break:
                        break
                if self.frame.has_result or self.b.is_dead():
                    return
        finally:
            self.unrolled.pop()

    def _guarded(self, node, items):
        """An unrolled loop that is left by a condition at run time: a call around it, and one around each repetition,
        are what break and continue return from."""
        frame, b = self.frame, self.b
        if any(isinstance(n, ast.Return) for n in ast.walk(node)):
            frame.fail(1, "expected no return in an unrolled loop with break or continue at run time, got one", node)
        names = [node.target, *node.body]
        for name in assigned(names):
            if name not in frame.vars:
                frame.vars[name] = b.declare(name, False)
        frame.enter(names)
        frame.loops.append(len(frame.regions) - 1)
        broken = b.declare("", False)
        b.assign(broken, tensor(b.to_tensor(False)))
        b.call_begin(frame.function.__name__)
        for item in items:
            b.call_begin(frame.function.__name__)
            self.unrolled.append((-1, broken))
            frame.at(node.target)
            self.assign_target(node.target, item)
            self.block(node.body)
            frame.leave()
            self.unrolled.pop()
            b.call_end(wrap)
            frame.at(node)
            if b.if_begin(b.read_variable(broken, wrap)):
                b.return_(None, True)
            b.if_end()
        b.call_end(wrap)
        b.drop(broken)
        frame.loops.pop()
        frame.close()

    def stmt_While(self, node):
        if node.orelse:
            self.frame.fail(1, "expected a while statement without else, got one with it", node.orelse[0])
        frame, b = self.frame, self.b
        frame.enter([node.test, *node.body])
        frame.loops.append(len(frame.regions) - 1)
        self.unrolled.append(None)
        frame.at(node)
        b.while_begin()
        while b.loop_next():
            cond = self.visit(node.test)
            cond = cond.condition if isinstance(cond, iterators.condition) else cond
            known = self.known_truth(cond, node.test)
            frame.at(node.test)
            enter = b.while_condition(cond if known is None else known)
            if enter and known is not False:
                self.block(node.body)
            frame.leave()
        frame.at(node)
        b.loop_end()
        self.unrolled.pop()
        frame.loops.pop()
        frame.close()

    def _leave(self, node, is_break):
        word = "break" if is_break else "continue"
        if not self.unrolled:
            self.frame.fail(1, f"expected {word} inside a loop, got it outside", node)
        loop = self.unrolled[-1]
        if loop is not None and loop[0] >= 0:
            if loop[0] == len(self.frame.regions):
                raise _Leave(is_break)
            raise Retrace(loop[1])
        self.frame.flush_loop()
        self.frame.at(node)
        if loop is not None:
            if is_break:
                self.b.assign(loop[1], tensor(self.b.to_tensor(True)))
            self.b.return_(None, True)
        elif is_break:
            self.b.break_()
        else:
            self.b.continue_()

    def stmt_Break(self, node):
        self._leave(node, True)

    def stmt_Continue(self, node):
        self._leave(node, False)

# What a piece of syntax assigns. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import ast


def assigned(node):
    """Names that a statement (or a list of them) may assign; kept on the node."""
    if isinstance(node, list):
        return frozenset().union(*(assigned(n) for n in node)) if node else frozenset()
    found = getattr(node, "_pavage_assigned", None)
    if found is None:
        names = set()
        todo = [node]
        while todo:
            todo += _children(todo.pop(), names)
        found = node._pavage_assigned = frozenset(names)
    return found


def _children(node, names):
    """Adds what the node itself assigns; gives the parts to look at next."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        return ()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names.add(node.name)
        return ()
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Lambda)):
        # Their own names are their own; a walrus inside is not.
        names.update(child.target.id for child in ast.walk(node) if isinstance(child, ast.NamedExpr))
        return ()
    return ast.iter_child_nodes(node)


def has_call(node):
    """Does evaluating this do more than arithmetic on names?"""
    found = getattr(node, "_pavage_has_call", None)
    if found is None:
        found = node._pavage_has_call = any(isinstance(n, ast.Call) for n in ast.walk(node))
    return found

# Where a function's text is, and its syntax tree. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import linecache

from .errors import CompilationError


class Source:
    """Text of one function. `line` is that of its first line in `file`; columns are shifted by `indent`."""

    __slots__ = ("file", "line", "indent", "text", "_tree", "name")

    def __init__(self, name, file, line, indent, text):
        self.name, self.file, self.line, self.indent, self.text, self._tree = name, file, line, indent, text, None

    @property
    def tree(self):
        """The ast.FunctionDef."""
        if self._tree is None:
            import ast

            try:
                module = ast.parse(self.text, self.file)
            except RecursionError:
                raise too_deep(self) from None
            except SyntaxError as e:
                raise CompilationError(
                    1,
                    f"expected Python syntax, got {e.msg}",
                    self.file,
                    (e.lineno or 1) + self.line - 1,
                    (e.offset or 0) + self.indent,
                ) from None
            node = module.body[0] if module.body else None
            if not isinstance(node, ast.FunctionDef):
                what = "an async function" if isinstance(node, ast.AsyncFunctionDef) else "no function"
                raise CompilationError(24, f"expected a function defined with def, got {what}", self.file, self.line)
            self._tree = node
        return self._tree

    def place(self, node):
        """(line, column) of a node of the tree, both from 1."""
        return node.lineno + self.line - 1, node.col_offset + self.indent + 1


def too_deep(source):
    return CompilationError(
        162, "expected expressions and calls nested less deeply, got too many levels", source.file, source.line
    )


def of(fn):
    """The Source of a Python function, or a numbered error that says why there is none."""
    code = fn.__code__
    file, first = code.co_filename, code.co_firstlineno
    if fn.__name__ == "<lambda>":
        raise CompilationError(24, "expected a function defined with def, got a lambda", file, first)
    lines = linecache.getlines(file, fn.__globals__)
    if file in ("<string>", "<stdin>") and first > len(lines):
        lines = []  # names that everybody uses; what is there belongs to somebody else
    if not lines:
        raise CompilationError(
            6,
            f"expected the source text of {fn.__name__} in {file}, got nothing: code given to exec() or typed into an "
            "interactive session has no file; put the kernel into a file, or its text into linecache.cache",
            file,
            first,
        )
    import inspect

    if first > len(lines):
        raise CompilationError(
            6,
            f"expected {fn.__name__} at line {first} of {file}, got a file of {len(lines)} lines: it has changed since "
            "it was imported",
            file,
            0,
        )
    block = inspect.getblock(lines[first - 1 :])
    head = block[0]
    indent = len(head) - len(head.lstrip(" \t"))
    if indent:
        import textwrap

        # Comments may stand further left than the code; textwrap.dedent would then remove less.
        block = [
            line if line[:indent].isspace() or not line.strip().startswith("#") else head[:indent] + line.strip() + "\n"
            for line in block
        ]
        text = textwrap.dedent("".join(block))
    else:
        text = "".join(block)
    source = Source(fn.__name__, file, first, indent, text)
    if source.tree.name != fn.__name__:
        raise CompilationError(
            6,
            f"expected the definition of {fn.__name__} at line {first} of {file}, got that of {source.tree.name}: the "
            "file has changed since it was imported",
            file,
            first,
        )
    return source


def given(fn, text):
    """A Source made of a text that stands for the function's own."""
    import textwrap

    return Source(fn.__name__, fn.__code__.co_filename, fn.__code__.co_firstlineno, 0, textwrap.dedent(text))

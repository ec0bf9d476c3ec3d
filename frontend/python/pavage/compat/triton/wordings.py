# What Triton says where Pavage has an error of its own. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Code written for Triton may look for Triton's words in a message, and for its places: "at LINE:COLUMN:", counted from
# the def of the function. While the layer is installed, they stand below Pavage's own text. As in Triton, the words are
# the exception's __cause__; where the error lies in a function that the kernel calls, an exception of that place stands
# between.
from __future__ import annotations

import ast
import linecache
import re


def _found(text):
    """What a message says after `got`."""
    return text.partition("got ")[2].partition(";")[0]


def _operands(text):
    found = _found(text).split(" and ")
    return f"invalid operands of type {' and '.join(found)}"


def _signedness(text):
    operator = re.search(r"'(.*?)'", text)
    name = operator.group(1) if operator else "it"
    return f"Cannot use {name} with {_found(text)} because they have different signedness"


def _quoted(text):
    name = re.search(r"'(.*?)'", text)
    return name.group(1) if name else ""


def _axis(text):
    axis = re.search(r"got (\d+|-\d+)", text)
    if "program" in text or "grid" in text:
        return f"program_id axis must be 0, 1, or 2 but got {axis.group(1) if axis else ''}"
    twice = re.search(r"different new axes, got \[(.*?),", text)
    if twice:
        return f"duplicate axes, normalized axes = [{twice.group(1)}, {twice.group(1)}]"
    return f"invalid axis {axis.group(1) if axis else ''}"


def _types(text):
    if "conditional expression" in text or "ternary" in text:
        return "Ternary expression with dynamic condition has inconsistent types"
    names = re.findall("'(.*?)'", text)
    return f"Mismatched type for {names[0] if names else 'a name'}"


def _dot_option(text):
    found = re.match(r"expected max_num_imprecise_acc of at most K = (\d+).*got (\d+)", text)
    return f"max_num_imprecise_acc ({found.group(2)}) must be <= K ({found.group(1)})" if found else None


def _dot_shape(text):
    found = re.search(r"got (\d+) and (\d+) elements to a scale", text)
    if not found:
        return None
    return f"Operands must have the same scale factor; (lhs: {found.group(1)} vs rhs: {found.group(2)})"


def _declaration(text):
    if "do_not_specialize" not in text:
        return None
    return f"{_quoted(text)} marked as constexpr and listed in do_not_specialize"


WORDINGS = {
    2: lambda text: f"{_quoted(text)} is not defined",
    3: lambda text: f"Cannot access global variable {_quoted(text)} from within @jit'ed function",
    10: lambda text: f"type {_found(text).removeprefix('dtype ')} not supported in this architecture",
    14: lambda text: re.sub(r"expected the result of (.*?) to be used, got none of it used(: )?",
                            lambda m: f"The result of {m.group(1)} is not being used." + (" " if m.group(2) else ""),
                            text),
    17: lambda text: text.partition(", got")[0],
    101: lambda text: f"Scalar {_found(text)} is out of range for the type",
    103: _operands,
    105: _signedness,
    111: _axis,
    112: lambda text: f"reshape() or a shape: {text}",
    115: lambda text: "unsupported tensor index",
    123: lambda text: "Cannot store to a constant pointer",
    135: _dot_shape,
    137: _dot_option,
    152: _types,
    153: _types,
    159: lambda text: f"Return type mismatch: {text}",
    170: _declaration,
}


def _spot(file, line, column):
    """"at 2:4:" for a place in a file, counted from the innermost def around it; None where there is none."""
    lines = linecache.getlines(file)
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    best = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= line <= node.end_lineno:
            if best is None or node.lineno > best.lineno:
                best = node
    return best and f"at {line - best.lineno + 1}:{max(column - 1 - best.col_offset, 0)}:"


def dress(error):
    """Adds Triton's words and places to an error of a kernel's code."""
    if not 0 < error.number < 300:
        return error
    function = WORDINGS.get(error.number)
    words = function(error.text) if function else None
    places = [(error.file, error.line, error.column)] + [note[1:4] for note in error.notes]
    spots = [_spot(*place) for place in places if place[0] and place[1]]
    spots = [spot for spot in spots if spot]
    for spot in spots[1:]:
        error.append(spot)
    if spots or words:
        error.append("\n".join(filter(None, (*spots[:1], words))))
    if words:
        error.error_message = f"{error.text}\n{words}"
        error.__cause__ = ValueError(words)
    if len(spots) > 1:
        inner = type(error)(error.number, error.text, error.file, error.line, error.column)
        inner.append("\n".join(filter(None, (spots[0], words))))
        inner.__cause__, error.__cause__ = error.__cause__, inner
    return error

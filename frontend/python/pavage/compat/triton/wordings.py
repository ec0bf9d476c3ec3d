# What Triton says where Pavage has an error of its own. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Code written for Triton may look for Triton's words in a message. While the layer is installed, they stand in a note
# below Pavage's own text and are the exception's __cause__.
from __future__ import annotations

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


WORDINGS = {
    101: lambda text: f"Scalar {_found(text)} is out of range for the type",
    103: _operands,
    105: _signedness,
    111: _axis,
    112: lambda text: f"reshape() or a shape: {text}",
    115: lambda text: "unsupported tensor index",
    123: lambda text: "Cannot store to a constant pointer",
    152: _types,
    153: _types,
    159: lambda text: f"Return type mismatch: {text}",
}


def wording(number, text):
    """Triton's words for a numbered error, or None."""
    function = WORDINGS.get(number)
    return function(text) if function else None

"""Gives numbers to the arguments of functions that have none, so that Interp can run them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    func.func @f(%p: !tile.ptr<f32>, %n: i32)  ->  func.func @f(%p: !tile.ptr<f32> {tile.test = dense<"0x.."> :
                                                                tensor<4096xf32>}, %n: i32 {tile.test = 5 : i32})

Numbers are small and whole, so that no rounding hides behind another. A function that takes tiles of pointers, or has
attributes of its own on an argument, is left as it is.
"""

import re
import struct

ELEMENTS = 4096
BYTES = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d", "f16": "e"}
#: Bits of 0, 1, 2, 3, 4, -1, -2 where Python has no format for the type.
BITS = {
    "bf16": ("H", [0, 0x3F80, 0x4000, 0x4040, 0x4080, 0xBF80, 0xC000]),
    "f8E4M3FN": ("B", [0, 0x38, 0x40, 0x44, 0x48, 0xB8, 0xC0]),
    "f8E5M2": ("B", [0, 0x3C, 0x40, 0x42, 0x44, 0xBC, 0xC0]),
}
NUMBERS = [3, 1, 4, 1, 2, -1, 0, 2, -2, 1, 3]


def _elements(element, count, seed):
    """As the text between < and > of a dense attribute."""
    numbers = [NUMBERS[(seed + i * (1 + i // len(NUMBERS))) % len(NUMBERS)] for i in range(count)]
    if element == "i1":
        return None
    if element in BITS:
        code, table = BITS[element]
        data = struct.pack(f"<{count}{code}", *(table[n] for n in numbers))
    else:
        data = struct.pack(f"<{count}{BYTES[element]}", *numbers)
    return f'"0x{data.hex().upper()}"'


def value_of(type, seed):
    """An attribute for an argument of this type, or None."""
    pointer = re.fullmatch(r"!tile\.ptr<([\w]+)>", type)
    tile = re.fullmatch(r"tensor<((?:\d+x)+)(\w+)>", type)
    if pointer or tile:
        element = pointer[1] if pointer else tile[2]
        shape = f"{ELEMENTS}x" if pointer else tile[1]
        count = 1
        for extent in shape[:-1].split("x"):
            count *= int(extent)
        if element == "i1" and tile:
            flags = iter([(seed + i) % 3 != 0 for i in range(count)])
            return f"dense<{_nested([int(e) for e in shape[:-1].split('x')], flags)}> : {type}"
        if element not in BYTES and element not in BITS:
            return None
        return f"dense<{_elements(element, count, seed)}> : tensor<{shape}{element}>"
    if type == "i1":
        return "true"
    if re.fullmatch(r"i\d+", type):
        return f"{(5, 2, 7, 3)[seed % 4]} : {type}"
    if re.fullmatch(r"b?f\d+", type):
        return f"{(2.0, 0.5, 3.0)[seed % 3]} : {type}"
    return None


def _nested(extents, flags):
    if not extents:
        return "true" if next(flags) else "false"
    return "[" + ", ".join(_nested(extents[1:], flags) for _ in range(extents[0])) + "]"


def give_arguments(text):
    """The module's text with numbers at each argument that lacks them."""

    def fill(match):
        arguments = re.split(r",\s*(?=%)", match[2].strip())
        if any("{" in a for a in arguments):
            return match[0]
        filled = []
        for seed, argument in enumerate(arguments):
            name, _, type = argument.partition(":")
            value = value_of(type.strip(), seed)
            if value is None:
                return match[0]
            filled.append(f"{argument} {{tile.test = {value}}}")
        return f"{match[1]}({', '.join(filled)})"

    return re.sub(r"(func\.func @\w+)\(((?:\s*%\w+:\s*[^,(){}]+,?)+)\)", fill, text)

# The part of the command-line tool that needs Python: FILE.py:KERNEL becomes Tile IR. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
#
#   python -m pavage._cli record FILE.py:KERNEL --signature S [--num-warps N] [--num-stages N] [--option K=V]... [-o F]
#
# S has one item per parameter: `*fp32:16` (a pointer, 16-byte aligned), `i32`, `i32:16`, `fp32`; a plain number is a
# constant; at a constexpr: a number, True, False, None, the name of a dtype, else text. The IR goes to F, or to the
# standard output; errors to the standard error, with return code 1.
from __future__ import annotations

import sys

from .errors import Error, make


def load_kernel(target):
    """The jit function that FILE.py:KERNEL names."""
    import importlib.util
    import os

    path, separator, name = target.rpartition(":")
    if not separator or not path:
        raise make(812, f"expected FILE.py:KERNEL, got {target!r}")
    if not os.path.isfile(path):
        raise make(812, f"expected a Python file, got {path!r}: there is none")
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
        if spec is None or spec.loader is None:
            raise make(812, f"expected a Python file, got {path!r}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except Error:
            raise
        except (Exception, SystemExit) as e:
            raise make(812, f"expected {path} to be importable, got {type(e).__name__}: {e}") from e
    finally:
        sys.path.remove(folder)
    kernel = module
    for part in name.split("."):
        kernel = getattr(kernel, part, None)
    while kernel is not None and not hasattr(kernel, "__pavage_kernel__"):
        kernel = getattr(kernel, "fn", None)
    if kernel is None:
        from .jit import JITFunction

        have = sorted(n for n, v in vars(module).items() if isinstance(getattr(v, "base_fn", v), JITFunction))
        raise make(
            812, f"expected the name of a jit function in {path}, got '{name}'; there are: {', '.join(have) or 'none'}"
        )
    return kernel


def split_signature(text):
    """Items at commas outside brackets."""
    items, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            items.append(text[start:i].strip())
            start = i + 1
    items.append(text[start:].strip())
    return items if text.strip() else []


def _constant(text):
    from .language import types

    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for convert in (lambda s: int(s, 0), float):
        try:
            return convert(text)
        except ValueError:
            pass
    if text.startswith("("):
        if text.count("(") > 100:
            raise make(811, f"expected tuples in tuples at most 100 deep, got {text[:40]}...")
        return tuple(_constant(t) for t in split_signature(text[1:-1]) if t)
    if types.dtype.is_dtype(text.removeprefix("tl.")):
        return types.dtype(text.removeprefix("tl."))
    return text.strip("'\"")


def parse_signature(kernel, text):
    """(arguments, constants) as trace_kernel takes them."""
    from .language import types
    from .trace.kernel import One

    items = split_signature(text)
    params = kernel.params
    arguments, constants = [], {}
    if len(items) > len(params):
        raise make(
            811, f"expected at most {len(params)} items in the signature of {kernel._signature()}, got {len(items)}"
        )
    for i, p in enumerate(params):
        if i >= len(items):
            if not p.has_default:
                raise make(
                    811,
                    f"expected an item for the parameter '{p.name}' of {kernel._signature()}, got {len(items)} items",
                )
            constants[p.name] = types.unwrap(p.default)
            continue
        item = items[i]
        if p.is_constexpr:
            constants[p.name] = _constant(item)
            continue
        spelled, _, divisor = item.partition(":")
        try:
            dtype = types.str_to_ty(spelled)
        except ValueError:
            value = _constant(item)
            if isinstance(value, (str, types.dtype)):
                raise make(
                    811, f"expected a type like *fp32:16 or i32 for the parameter '{p.name}', got {item!r}"
                ) from None
            constants[p.name] = One(types.int32) if value == 1 and type(value) is int else value
            continue
        if divisor and not (divisor.isascii() and divisor.isdigit() and len(divisor) < 19 and int(divisor) > 0):
            raise make(
                811,
                f"expected a positive number below 10^18 after ':' for the parameter '{p.name}', got {divisor[:40]!r}",
            )
        arguments.append((p.name, dtype, int(divisor or 1), 0))
    return arguments, constants


def record(argv):
    import argparse

    parser = argparse.ArgumentParser(prog="pavage", description="Tile IR of a kernel")
    parser.add_argument("kernel", metavar="FILE.py:KERNEL")
    parser.add_argument("--signature", required=True)
    parser.add_argument("--num-warps", type=int)
    parser.add_argument("--num-stages", type=int)
    parser.add_argument("-o", dest="output", default="-")
    options = parser.parse_args(argv)
    from .trace import trace_kernel

    kernel = load_kernel(options.kernel)
    arguments, constants = parse_signature(kernel, options.signature)
    hints = {k: v for k, v in (("num_warps", options.num_warps), ("num_stages", options.num_stages)) if v is not None}
    text = trace_kernel(kernel, arguments, constants, hints).text(True)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w", encoding="utf-8") as f:
            f.write(text)
    return 0


def signature(argv):
    """Prints the parameters, one a line: name, tab, `constexpr` or `argument`. For tools that fill in arguments."""
    kernel = load_kernel(argv[0])
    for p in kernel.params:
        print(
            f"{p.name}\t{'constexpr' if p.is_constexpr else 'argument'}\t{p.default!r}"
            if p.has_default
            else f"{p.name}\t{'constexpr' if p.is_constexpr else 'argument'}"
        )
    return 0


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    commands = {"record": record, "signature": signature}
    if not argv or argv[0] not in commands:
        sys.stderr.write("usage: python -m pavage._cli record|signature FILE.py:KERNEL ...\n")
        return 2
    try:
        return commands[argv[0]](argv[1:])
    except Error as e:
        sys.stderr.write(f"{e}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())

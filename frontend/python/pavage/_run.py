# `pavage run FILE.py:KERNEL`: a launch from the command line. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   python -m pavage._run FILE.py:KERNEL --grid X[,Y[,Z]] --arg 'fp32[512,512]=randint' ... --args 512,512,... --out 0=F
#
# Pointers take the --arg in order, other parameters the values of --args in order, constexprs too. Without --out a line
# per output is printed. The device is PAVAGE_DEVICE, or --target.
from __future__ import annotations

import math
import os
import sys

from ._cli import _constant, load_kernel, split_signature
from .errors import Error, make

USAGE = """usage: pavage run FILE.py:KERNEL [OPTION...]

  --target T              cpu (the default), interp, or another device's name
  --grid X[,Y[,Z]]        programs along each axis (default 1)
  --arg 'f32[512]=FILL'   the next array: FILL is randint, zeros, arange, a number or FILE.npy;
                          out: before it marks an output, which may lack =FILL
  --args 512,3.5,...      the other parameters in order, constexprs too
  --num-warps N           launch option num_warps
  --num-stages N          launch option num_stages
  --seed N                of randint (default 0)
  --check                 compare every access with the extents of its array
  --out I=FILE.npy        write the I-th --arg there afterwards
  --help                  print this text
"""

VALUES = ("--target", "--grid", "--arg", "--args", "--num-warps", "--num-stages", "--seed", "--out")
FLAGS = ("--check", "--help")
# Names as in signatures and as PTX has them, to NumPy's, and what NumPy lacks as bits.
DTYPES = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "fp16": "float16",
    "f16": "float16",
    "fp32": "float32",
    "f32": "float32",
    "fp64": "float64",
    "f64": "float64",
    "bf16": "bfloat16",
    "fp8e4nv": "float8_e4m3fn",
    "fp8e5": "float8_e5m2",
}
BITS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}


def parse(argv):
    """(operands, options): each option's values in order."""
    operands, options, words = [], {}, list(argv)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            operands.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in FLAGS:
            if equals:
                raise make(811, f"option '{name}' takes no value, got '{value}'")
            options[name] = [True]
        elif name in VALUES:
            if not equals:
                if not words:
                    raise make(811, f"option '{name}' needs a value")
                value = words.pop(0)
            options.setdefault(name, []).append(value)
        else:
            raise make(810, f"unknown option '{name}': expected one of {', '.join(sorted(VALUES + FLAGS))}")
    return operands, options


def number(option, text, low=0):
    try:
        value = int(text, 0)
    except ValueError:
        value = None
    if value is None or value < low:
        raise make(811, f"option '{option}' expects a number from {low} up, got '{text}'")
    return value


class Bits:
    """An array of a dtype that NumPy lacks, as its bits."""

    def __init__(self, values, dtype):
        import numpy as np

        self.dtype, self.shape = dtype, values.shape
        self.bits = np.ascontiguousarray(encode(values.astype(np.float64), dtype))

    def data_ptr(self):
        return self.bits.ctypes.data

    def stride(self):
        return tuple(s // self.bits.itemsize for s in self.bits.strides)


def decode_table(dtype):
    """The value of each bit pattern of an eight-bit float."""
    import numpy as np

    exponent, mantissa, bias = (4, 3, 7) if dtype == "float8_e4m3fn" else (5, 2, 15)
    code = np.arange(256)
    e, m = (code >> mantissa) & ((1 << exponent) - 1), code & ((1 << mantissa) - 1)
    value = np.where(e == 0, m * 2.0 ** (1 - bias - mantissa), (1 + m / (1 << mantissa)) * 2.0 ** (e - bias))
    if dtype == "float8_e4m3fn":
        value = np.where((e == 15) & (m == 7), np.nan, value)
    else:
        value = np.where(e == 31, np.where(m == 0, np.inf, np.nan), value)
    return np.where(code & 128, -value, value)


def encode(values, dtype):
    """Bits of the nearest numbers, ties to even; beyond the range of eight bits the largest finite one."""
    import numpy as np

    if dtype == "bfloat16":
        word = values.astype(np.float32).view(np.uint32)
        rounded = ((word + 0x7FFF + ((word >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)
    table = decode_table(dtype)[:128]
    finite = np.flatnonzero(np.isfinite(table))
    distance = np.abs(np.abs(values)[..., None] - table[finite])
    nearest = distance == distance.min(axis=-1, keepdims=True)
    best = np.argmax(nearest * (2 - (finite & 1)), axis=-1)  # of two, the even code
    code = finite[best] | np.where(np.signbit(values), 128, 0)
    return np.where(np.isnan(values), 127, code).astype(np.uint8)


def decode(bits, dtype):
    import numpy as np

    if dtype == "bfloat16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return decode_table(dtype)[bits].astype(np.float32)


def make_array(spec, seed):
    """(array for the launch, whether it is an output) of one --arg."""
    import numpy as np

    text, is_output = spec.removeprefix("out:"), spec.startswith("out:")
    head, equals, fill = text.partition("=")
    name, bracket, shape = head.partition("[")

    def bad(why):
        return make(
            811,
            f"--arg '{spec}': {why}; expected DTYPE[shape]=randint|zeros|arange|NUMBER|FILE.npy, as in "
            "f32[4,5]=randint",
        )

    dtype = DTYPES.get(name, name if name in DTYPES.values() else None)
    if dtype is None:
        raise bad(f"unknown dtype '{name}'")
    if not bracket or not shape.endswith("]"):
        raise bad("no shape")
    try:
        extents = tuple(int(n) for n in shape[:-1].split(",") if n.strip())
    except ValueError:
        raise bad(f"bad shape '[{shape}'") from None
    if any(n < 0 for n in extents):
        raise bad("a negative extent")
    if math.prod(extents) > 1 << 40:
        raise bad(f"{math.prod(extents)} elements")
    if not equals:
        if not is_output:
            raise bad("nothing to fill it with")
        fill = "zeros"
    if fill == "randint":
        rng = np.random.default_rng(seed)
        least = 0 if dtype.startswith("u") or dtype == "bool" else -4
        values = rng.integers(least, least + (2 if dtype == "bool" else 9), extents)
    elif fill == "zeros":
        values = np.zeros(extents)
    elif fill == "arange":
        values = np.arange(int(np.prod(extents, dtype=np.int64))).reshape(extents)
    elif fill.endswith(".npy"):
        try:
            values = np.load(fill, allow_pickle=False)
        except (OSError, ValueError) as e:
            raise bad(f"cannot read '{fill}': {e}") from None
        if values.shape != extents:
            raise bad(f"'{fill}' has shape {list(values.shape)}")
    else:
        try:
            values = np.full(extents, float(fill))
        except ValueError:
            raise bad(f"unknown fill '{fill}'") from None
    if dtype in BITS:
        return Bits(values, dtype), is_output
    return np.ascontiguousarray(values.astype(dtype)), is_output


def bind(kernel, arrays, scalars):
    """The call's arguments by name: arrays at parameters that are used as pointers are given first to last."""
    values, arrays, scalars = {}, list(arrays), list(scalars)
    plain = [p for p in kernel.params if not p.is_constexpr]
    # Arrays go to the leading plain parameters, as pointers do in almost every kernel; the rest are numbers.
    pointers = {p.name for p in plain[: len(arrays)]}
    for p in kernel.params:
        if p.name in pointers:
            values[p.name] = arrays.pop(0)
        elif scalars:
            values[p.name] = _constant(scalars.pop(0))
        elif not p.has_default:
            raise make(811, f"parameter '{p.name}' of {kernel._signature()} has no value: give it in --args")
    if arrays:
        raise make(
            811, f"{kernel._signature()} has {len(plain)} parameters that take arrays, got {len(arrays)} more --arg"
        )
    if scalars:
        raise make(811, f"--args has {len(scalars)} values more than {kernel._signature()} has parameters")
    return values


def run(argv, shows=True):
    """Launches; without --out, prints the outputs if it `shows`."""
    operands, options = parse(argv)
    if "--help" in options:
        sys.stdout.write(USAGE)
        return 0
    if len(operands) != 1:
        raise make(812, f"expected one FILE.py:KERNEL, got {len(operands)}")
    if "--target" in options:
        os.environ["PAVAGE_DEVICE"] = options["--target"][-1]
    if "--check" in options:
        os.environ["PAVAGE_CHECK"] = "1"
    grid = tuple(number("--grid", n) for n in options.get("--grid", ["1"])[-1].split(","))
    seed = number("--seed", options.get("--seed", ["0"])[-1])
    outputs = {}
    for text in options.get("--out", []):
        index, equals, path = text.partition("=")
        is_number = bool(equals) and index.isascii() and index.isdigit() and len(index) < 9
        if not is_number or int(index) >= len(options.get("--arg", [])):
            raise make(811, f"option '--out' expects I=FILE.npy with I the number of an --arg from 0, got '{text}'")
        outputs[int(index)] = path

    import numpy as np

    arrays = []
    for i, spec in enumerate(options.get("--arg", [])):
        try:
            arrays.append(make_array(spec, seed + i))
        except MemoryError:
            raise make(811, f"--arg '{spec}': the array does not fit into memory") from None
    scalars = split_signature(",".join(options.get("--args", [])))
    kernel = load_kernel(operands[0])
    launch = {
        name: number("--" + name.replace("_", "-"), options["--" + name.replace("_", "-")][-1], 1)
        for name in ("num_warps", "num_stages")
        if "--" + name.replace("_", "-") in options
    }
    kernel[grid](**bind(kernel, [a for a, _ in arrays], scalars), **launch)

    for i, (array, is_output) in enumerate(arrays):
        if i not in outputs and (outputs or not is_output or not shows):
            continue
        values = decode(array.bits, array.dtype) if isinstance(array, Bits) else array
        if i in outputs:
            try:
                np.save(outputs[i], values, allow_pickle=False)
            except OSError as e:
                raise make(814, f"cannot write '{outputs[i]}': {e.strerror}") from None
        else:
            text = np.array2string(values, threshold=64, separator=", ").replace("\n", "\n  ")
            print(f"{i}: {array.dtype}{list(array.shape)}\n  {text}")
    return 0


def main(run=run):
    """Exit code of a command line; what is wrong with it goes to stderr."""
    try:
        return run(sys.argv[1:])
    except Error as e:
        sys.stderr.write(f"{e}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())

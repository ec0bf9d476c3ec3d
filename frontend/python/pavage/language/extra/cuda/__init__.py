# Functions that Triton keeps in triton.language.extra.cuda. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What only a GPU has is inline PTX: on other targets its numbered error says so.
from .. import libdevice
from ...._context import fail
from ...args import builtin, describe
from ...core import inline_asm_elementwise
from ...types import int32, int64, uint32


def _register(name, bits, dtype, is_pure):
    letter = {32: "r", 64: "l"}[bits]
    return inline_asm_elementwise(f"mov.u{bits} $0, %{name};", f"={letter}", [], dtype, is_pure, 1)


@builtin
def globaltimer():
    """Nanoseconds of the GPU's clock: int64."""
    return _register("globaltimer", 64, int64, False)


@builtin
def smid():
    """Number of the multiprocessor that runs this program: int32."""
    return _register("smid", 32, int32, True)


@builtin
def num_threads():
    """Threads of this program: uint32."""
    return _register("ntid.x", 32, uint32, True)


@builtin
def num_warps():
    """Warps of this program: uint32."""
    return num_threads() // 32


@builtin
def convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding=None):
    """Of fp8e4b15, an 8-bit float that Pavage has not: an error."""
    fail(10, f"expected an element type that Pavage has, got a conversion of {describe(arg)} to or from fp8e4b15")


convert_custom_float8_sm70 = convert_custom_float8_sm80


@builtin
def gdc_wait():
    """Waits for the launch before; launches here follow one another anyway."""


@builtin
def gdc_launch_dependents():
    """Lets the next launch begin; launches here follow one another anyway."""

# Functions that Triton keeps in triton.language.extra.cuda. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from .. import libdevice
from ...args import builtin


@builtin
def gdc_wait():
    """Waits for the launch before; launches here follow one another anyway."""


@builtin
def gdc_launch_dependents():
    """Lets the next launch begin; launches here follow one another anyway."""

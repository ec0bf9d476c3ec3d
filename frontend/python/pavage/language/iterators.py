# What `for` walks over in kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import builtins
import operator

from .._context import fail, state
from . import types
from .args import integer
from .ops import BINARY
from .tensor import tensor


class range:
    """A loop at run time; the options are hints for its schedule."""

    OPTIONS = (
        "num_stages",
        "loop_unroll_factor",
        "disallow_acc_multi_buffer",
        "flatten",
        "warp_specialize",
        "disable_licm",
    )

    def __init__(
        self,
        arg1,
        arg2=None,
        step=None,
        num_stages=None,
        loop_unroll_factor=None,
        disallow_acc_multi_buffer=False,
        flatten=False,
        warp_specialize=False,
        disable_licm=False,
    ):
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step
        given = (num_stages, loop_unroll_factor, disallow_acc_multi_buffer, flatten, warp_specialize, disable_licm)
        self.options = {name: int(types.unwrap(x)) for name, x in zip(self.OPTIONS, given) if types.unwrap(x)}

    def __iter__(self):
        b = state.builder
        if b is None or not b.is_eager():
            fail(13, "expected a for statement around tl.range, got another use of it")
        # Python's own loop: the body runs natively and may leave it in any way.
        add = BINARY["ADD"]
        bound = tensor(b.binary(add, tensor(b.to_tensor(self.start)), self.end))
        code = b.promote(add, bound, self.step)
        for i in builtins.range(*(operator.index(x) for x in (self.start, self.end, self.step))):
            yield tensor(b.cast(i, code, None))


class static_range:
    """A loop whose body is repeated at compile time; bounds are constants."""

    def __init__(self, arg1, arg2=None, step=None):
        if arg2 is None:
            arg1, arg2 = 0, arg1
        self.start = integer(arg1, "the start of static_range")
        self.end = integer(arg2, "the end of static_range")
        self.step = 1 if step is None else integer(step, "the step of static_range")
        if self.step == 0:
            fail(157, "expected a step other than 0 in static_range, got 0")

    def __iter__(self):
        return iter(builtins.range(self.start, self.end, self.step))


class condition:
    """The condition of a while loop with options."""

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1

    def __bool__(self):
        return bool(self.condition)

# Helpers by the names that Triton's tests of its front end import. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
#
# Those tests compare Triton's IR, which is not Pavage's. What they say about the language stays: whether a kernel is
# accepted.
from __future__ import annotations

import functools

from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

stub_target = GPUTarget("cuda", 100, 32)


def run_parser(kernel_fn, args=(), kwargs=None, target=stub_target):
    """Compiles a kernel for arguments without launching it."""
    return kernel_fn.warmup(*args, grid=(1,), **(kwargs or {}))


def run_filecheck_test(kernel_fn):
    """A kernel without arguments is accepted."""
    assert isinstance(kernel_fn, JITFunction)
    return run_parser(kernel_fn)


def filecheck_test(fn):
    @functools.wraps(fn.fn)
    def test_fn():
        run_filecheck_test(fn)

    del test_fn.__wrapped__  # the kernel's parameters are none of the test's
    return test_fn


def run_filecheck(name, module_str, check_template):
    raise NotImplementedError("expected checks of what a kernel does, got patterns of Triton's IR")

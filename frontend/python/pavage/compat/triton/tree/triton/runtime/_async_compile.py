# triton.runtime._async_compile: warm-ups in an executor. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   with ThreadPoolExecutor(4) as pool, triton.AsyncCompileMode(pool):
#       kernel.warmup(torch.float32, 128, grid=(1,))       # gives a FutureKernel at once
from __future__ import annotations

from pavage.jit import deferred as active_mode


class FutureKernel:
    """A kernel that is being compiled; any attribute waits for it."""

    def __init__(self, future):
        self.future = future

    def result(self, ignore_errors=False):
        try:
            return self.future.result()
        except Exception:
            if not ignore_errors:
                raise

    def __getattr__(self, name):
        return getattr(self.result(), name)


class AsyncCompileMode:
    """While it is open, `warmup` submits to an executor; leaving it waits, and raises what compilation raised."""

    def __init__(self, executor, *, ignore_errors=False):
        self.executor, self.ignore_errors, self.kernels = executor, ignore_errors, {}

    def submit(self, key, compile):
        if key not in self.kernels:
            self.kernels[key] = FutureKernel(self.executor.submit(compile))
        return self.kernels[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("expected one AsyncCompileMode at a time, got another one that is open")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, *exception):
        active_mode.reset(self._token)
        for kernel in self.kernels.values():
            kernel.result(self.ignore_errors)

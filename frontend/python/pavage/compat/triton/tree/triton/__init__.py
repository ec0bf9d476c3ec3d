# Stands for the package triton. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage import Config, autotune, cdiv, constexpr_function, heuristics, jit, next_power_of_2
from pavage.compat.triton import TRITON_VERSION as __version__
from pavage.language.types import constexpr as _constexpr

from . import language, runtime, tools  # noqa: I001
from .compiler import CompilationError, compile
from .errors import TritonError
from .runtime import Autotuner, InterpreterError, JITFunction, KernelInterface, MockTensor, OutOfResources
from .runtime._async_compile import AsyncCompileMode, FutureKernel
from .runtime._allocation import set_allocator
from .runtime.jit import TensorWrapper, reinterpret
from . import compiler, knobs, testing

constexpr = _constexpr
must_use_result = language.core.must_use_result

try:
    from pavage import aggregate
except ImportError:
    pass

__all__ = [
    "AsyncCompileMode", "Autotuner", "CompilationError", "Config", "FutureKernel", "InterpreterError",
    "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate",
    "autotune", "cdiv", "compile", "compiler", "constexpr_function", "heuristics", "jit", "knobs", "language",
    "must_use_result", "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools"
]

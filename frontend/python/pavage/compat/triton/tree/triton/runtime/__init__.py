# triton.runtime. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from . import cache, driver as _driver, errors, jit
from .autotuner import Autotuner, Config, Heuristics, autotune, heuristics
from .cache import RedisRemoteCacheBackend, RemoteCacheBackend
from .driver import driver
from .errors import InterpreterError, OutOfResources
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

__all__ = [
    "Autotuner", "Config", "Heuristics", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor",
    "OutOfResources", "RedisRemoteCacheBackend", "RemoteCacheBackend", "TensorWrapper", "autotune", "cache", "driver",
    "errors", "heuristics", "jit", "reinterpret"
]
_unused = _driver

# Pavage: a tile-based kernel compiler and language. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   import pavage
#   import pavage.language as tl
#
# Compiler and NumPy are loaded when they are needed.
from . import errors
from .errors import CompilationError, Error, OutOfResources, SimError
from .functions import cdiv, constexpr_function, next_power_of_2
from .jit import JITFunction, KernelInterface, jit

__version__ = "0.1.0"

_LAZY = {
    "autotune": ("tuning", "autotune"),
    "Config": ("tuning", "Config"),
    "heuristics": ("tuning", "heuristics"),
    "sim": ("sim", None),
    "Tensor": ("device_tensor", "Tensor"),
    "testing": ("testing", None),
    "language": ("language", None),
    "tools": ("tools", None),
    "compat": ("compat", None),
    "constexpr": ("language.types", "constexpr"),
    "device": ("host", "device"),
    "devices": ("host", "devices"),
    "interpret": ("host", "interpret"),
    "empty": ("host", "empty"),
    "zeros": ("host", "zeros"),
    "asarray": ("host", "asarray"),
    "to_numpy": ("host", "to_numpy"),
    "synchronize": ("host", "synchronize"),
    "aggregate": ("aggregates", "aggregate"),
    "explain": ("host", "explain"),
    "num_threads": ("host", "num_threads"),
    "reload_environment": ("host", "reload_environment"),
}

__all__ = [
    "CompilationError",
    "Error",
    "JITFunction",
    "KernelInterface",
    "OutOfResources",
    "SimError",
    "cdiv",
    "constexpr_function",
    "errors",
    "jit",
    "next_power_of_2",
    *(n for n in _LAZY if n != "compat"),
]


def __getattr__(name):
    found = _LAZY.get(name)
    if found is None:
        raise AttributeError(f"module 'pavage' has no attribute '{name}'")
    import importlib

    module = importlib.import_module("." + found[0], __name__)
    value = module if found[1] is None else getattr(module, found[1])
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})

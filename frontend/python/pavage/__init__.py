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
    "autotune": ("autotune", "autotune"),
    "Config": ("autotune", "Config"),
    "heuristics": ("autotune", "heuristics"),
    "testing": ("testing", None),
    "language": ("language", None),
    "tools": ("tools", None),
    "compat": ("compat", None),
    "constexpr": ("language.types", "constexpr"),
    "device": ("device", "device"),
    "devices": ("device", "devices"),
    "interpret": ("device", "interpret"),
    "empty": ("device", "empty"),
    "zeros": ("device", "zeros"),
    "asarray": ("device", "asarray"),
    "to_numpy": ("device", "to_numpy"),
    "synchronize": ("device", "synchronize"),
    "aggregate": ("aggregate", "aggregate"),
    "explain": ("device", "explain"),
    "num_threads": ("device", "num_threads"),
    "sim": ("sim", None),
    "reload_environment": ("device", "reload_environment"),
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
    *(n for n in _LAZY if n not in ("compat", "sim")),
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

# triton.language: Pavage's, with Triton's rule that extents are powers of two. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import importlib as _importlib

from pavage.language import *  # noqa: F403

# By name, since the line above brought Pavage's own modules of these names.
core, extra, math, random, semantic, standard, target_info = (
    _importlib.import_module("." + _name, __name__)
    for _name in ("core", "extra", "math", "random", "semantic", "standard", "target_info"))
from .core import *  # noqa: E402, F403
from .core import builtin, must_use_result  # noqa: E402, F401

# triton.runtime.autotuner. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.jit import KernelInterface  # noqa: F401
from pavage.tuning import Autotuner, Config, Heuristics, autotune, heuristics  # noqa: F401

from .errors import OutOfResources, PTXASError  # noqa: F401

# What editors and type checkers see of the package. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from . import errors as errors
from . import language as language
from . import testing as testing
from . import tools as tools
from .aggregate import aggregate as aggregate
from .autotune import Config as Config
from .autotune import autotune as autotune
from .autotune import heuristics as heuristics
from .device import asarray as asarray
from .device import device as device
from .device import devices as devices
from .device import empty as empty
from .device import explain as explain
from .device import interpret as interpret
from .device import num_threads as num_threads
from .device import reload_environment as reload_environment
from .device import synchronize as synchronize
from .device import to_numpy as to_numpy
from .device import zeros as zeros
from .errors import CompilationError as CompilationError
from .errors import Error as Error
from .errors import OutOfResources as OutOfResources
from .errors import SimError as SimError
from .functions import cdiv as cdiv
from .functions import constexpr_function as constexpr_function
from .functions import next_power_of_2 as next_power_of_2
from .jit import JITFunction as JITFunction
from .jit import KernelInterface as KernelInterface
from .jit import jit as jit
from .language.types import constexpr as constexpr

__version__: str

# What editors and type checkers see of the package. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from . import errors as errors
from . import language as language
from . import sim as sim
from . import testing as testing
from . import tools as tools
from .aggregates import aggregate as aggregate
from .device_tensor import Tensor as Tensor
from .tuning import Config as Config
from .tuning import autotune as autotune
from .tuning import heuristics as heuristics
from .host import asarray as asarray
from .host import device as device
from .host import devices as devices
from .host import empty as empty
from .host import explain as explain
from .host import interpret as interpret
from .host import num_threads as num_threads
from .host import reload_environment as reload_environment
from .host import synchronize as synchronize
from .host import to_numpy as to_numpy
from .host import zeros as zeros
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

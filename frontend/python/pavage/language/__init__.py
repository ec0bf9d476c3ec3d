# The language: what kernels are written with. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   import pavage.language as tl
from . import core, math, random, standard
from .core import *  # noqa: F403
from ..aggregates import aggregate_replace
from .iterators import condition, range, static_range
from .math import *  # noqa: F403
from .random import *  # noqa: F403
from .standard import *  # noqa: F403
from .tensor import base_value, block_pointer, tensor, tensor_descriptor, tensor_descriptor_base
from .types import (
    PropagateNan,
    base_type,
    bfloat16,
    block_type,
    const,
    constexpr,
    constexpr_type,
    dtype,
    float8e4nv,
    float8e5,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    str_to_ty,
    tensor_descriptor_type,
    tuple_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)

#: Tiles may have at most so many elements.
TRITON_MAX_TENSOR_NUMEL = MAX_TILE_NUMEL = 1 << 20
slice = slice
tuple = tuple


def __getattr__(name):
    # Seldom needed, so not loaded with the package.
    if name in ("extra", "target_info"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'pavage.language' has no attribute '{name}'")

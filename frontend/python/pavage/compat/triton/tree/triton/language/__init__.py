# triton.language: Pavage's, with Triton's rule that extents are powers of two. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
from pavage.language import *  # noqa: F403
from pavage.language import (PropagateNan, TRITON_MAX_TENSOR_NUMEL, bfloat16, block_type, const, constexpr,
                             constexpr_type, dtype, float16, float32, float64, float8e4nv, float8e5, int1, int16,
                             int32, int64, int8, pi32_t, pointer_type, range, slice, static_range, str_to_ty, tensor,
                             tensor_descriptor, tuple, uint16, uint32, uint64, uint8, void)

from . import core, extra, math, random, semantic, standard
from .core import *  # noqa: F403
from .core import builtin, must_use_result

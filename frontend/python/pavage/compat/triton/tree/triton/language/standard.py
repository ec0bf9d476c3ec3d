# triton.language.standard. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language import *  # noqa: F403
from pavage.language.standard import *  # noqa: F403
from pavage.functions import constexpr_function as _constexpr_function


@_constexpr_function
def _log2(i):
    """Logarithm of a power of two."""
    return int(i).bit_length() - 1

# triton.language.standard. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language import *  # noqa: F403
from pavage.language.standard import *  # noqa: F403
from pavage.functions import constexpr_function as _constexpr_function
from pavage.language.args import builtin as _builtin
from pavage.language.types import unwrap as _unwrap


@_constexpr_function
def _log2(i):
    """Logarithm of a power of two."""
    return int(i).bit_length() - 1


@_builtin
def sort_impl(x, k=None, dim=None, descending=False):
    """sort, or topk where k is given."""
    return sort(x, dim, descending) if _unwrap(k) is None else topk(x, k, dim, descending)  # noqa: F405

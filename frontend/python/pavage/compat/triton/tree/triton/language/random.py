# triton.language.random. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.random import *  # noqa: F403
from pavage.language.types import constexpr as _constexpr

#: Rounds of philox unless told otherwise.
N_ROUNDS_DEFAULT = _constexpr(10)

# triton.language.math. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.math import *  # noqa: F403

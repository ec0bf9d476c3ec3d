# triton.language.random. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.random import *  # noqa: F403

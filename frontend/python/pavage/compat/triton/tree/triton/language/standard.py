# triton.language.standard. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language import *  # noqa: F403
from pavage.language.standard import *  # noqa: F403

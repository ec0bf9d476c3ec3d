# triton.language.target_info. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.target_info import *  # noqa: F403

# triton.language.extra.libdevice. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.extra.libdevice import *  # noqa: F403

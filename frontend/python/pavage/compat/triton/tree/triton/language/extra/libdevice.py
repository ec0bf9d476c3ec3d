# triton.language.extra.libdevice. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.extra.libdevice import *  # noqa: F403
from pavage.language.extra.libdevice import __getattr__  # noqa: F401  names that are not there yet

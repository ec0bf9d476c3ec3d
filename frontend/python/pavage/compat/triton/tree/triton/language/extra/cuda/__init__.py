# triton.language.extra.cuda. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from . import libdevice

__all__ = ["libdevice"]

# Functions that Triton keeps in triton.language.extra. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from . import cuda, libdevice

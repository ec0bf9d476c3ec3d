# triton.language.extra.cuda. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.language.extra.cuda import (convert_custom_float8_sm70, convert_custom_float8_sm80, gdc_launch_dependents,
                                        gdc_wait, globaltimer, num_threads, num_warps, smid)

from . import libdevice

__all__ = [
    "convert_custom_float8_sm70", "convert_custom_float8_sm80", "gdc_launch_dependents", "gdc_wait", "globaltimer",
    "libdevice", "num_threads", "num_warps", "smid"
]

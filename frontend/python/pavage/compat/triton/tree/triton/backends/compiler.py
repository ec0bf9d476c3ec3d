# triton.backends.compiler. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class GPUTarget:
    """A back end ("cuda", "cpu"), its architecture, and the width of a warp."""

    backend: str
    arch: Union[int, str]
    warp_size: int

# Autotuning. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable, Sequence
from typing import Any

from .jit import JITFunction, KernelInterface

class Config:
    kwargs: dict[str, Any]
    num_warps: int
    num_stages: int
    num_ctas: int
    maxnreg: int | None
    pre_hook: Callable[[dict[str, Any]], Any] | None
    def __init__(
        self,
        kwargs: dict[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[[dict[str, Any]], Any] | None = None,
        ir_override: Any = None,
        num_cpu_threads: int = 0,
        **options: Any,
    ) -> None: ...
    def all_kwargs(self) -> dict[str, Any]: ...

class Autotuner(KernelInterface):
    best_config: Config | None
    cache: dict[Any, Config]
    configs: list[Config]
    configs_timings: dict[Config, float]
    refused: dict[Config, Exception]

class Heuristics(KernelInterface): ...

def base_of(fn: Any) -> JITFunction: ...
def autotune(
    configs: Sequence[Config],
    key: Sequence[str],
    prune_configs_by: dict[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Any = None,
    cache_results: bool = True,
) -> Callable[[Any], Autotuner]: ...
def heuristics(values: dict[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]: ...

# Kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable, Iterable
from typing import Any, Protocol, overload

class Launcher(Protocol):
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Param:
    name: str
    num: int
    default: Any
    has_default: bool
    is_constexpr: bool

class KernelInterface:
    def __getitem__(self, grid: Any) -> Launcher: ...
    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any: ...
    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any: ...

class JITFunction(KernelInterface):
    __name__: str
    fn: Callable[..., Any]
    params: list[Param]
    arg_names: list[str]
    src: str
    cache_key: str
    # Inside kernels a jit function is called like any other.
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def add_pre_run_hook(self, hook: Callable[..., Any]) -> None: ...
    def compiled(self) -> list[Any]: ...

@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(
    *,
    version: Any = None,
    repr: Any = None,
    launch_metadata: Any = None,
    do_not_specialize: Iterable[str | int] | None = None,
    do_not_specialize_on_alignment: Iterable[str | int] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...

OPTIONS: dict[str, int]
HINTS: tuple[str, ...]

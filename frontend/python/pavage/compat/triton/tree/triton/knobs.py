# Settings as attributes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs set some of Triton's knobs; each group takes any attribute. Those with a counterpart in Pavage say so.
from __future__ import annotations

import contextlib
import os


class base_knobs:
    """A group of settings: unset ones are None; `scope()` restores them on leaving."""

    _names: dict = {}  # attribute -> environment variable of Pavage

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        variable = type(self)._names.get(name)
        return os.environ.get(variable) if variable else None

    def __setattr__(self, name, value):
        variable = type(self)._names.get(name)
        if variable is None:
            object.__setattr__(self, name, value)
        elif value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = str(value)

    @contextlib.contextmanager
    def scope(self):
        before = dict(self.__dict__)
        variables = {v: os.environ.get(v) for v in type(self)._names.values()}
        try:
            yield self
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)
            for variable, value in variables.items():
                if value is None:
                    os.environ.pop(variable, None)
                else:
                    os.environ[variable] = value

    def copy(self):
        other = type(self)()
        other.__dict__.update(self.__dict__)
        return other

    def reset(self):
        self.__dict__.clear()
        return self

    @property
    def knob_descriptors(self):
        return {}


class cache_knobs(base_knobs):
    _names = {"dir": "PAVAGE_CACHE_DIR", "dump_dir": "PAVAGE_DUMP"}


class compilation_knobs(base_knobs):
    pass


class HookChain:
    """Functions that are called in the order in which they were added."""

    def __init__(self):
        self.calls = []

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)

    def __call__(self, *args, **kwargs):
        for function in self.calls:
            function(*args, **kwargs)


class runtime_knobs(base_knobs):
    """jit_cache_hook, jit_post_compile_hook and the chains kernel_load_start_hook and kernel_load_end_hook are called
    around each new variant of a kernel. Launches call no hook."""

    _chains = ("launch_enter_hook", "launch_exit_hook", "kernel_load_start_hook", "kernel_load_end_hook",
               "kernel_unload_hook")

    def __getattr__(self, name):
        if name in type(self)._chains:
            chain = HookChain()
            object.__setattr__(self, name, chain)
            return chain
        return super().__getattr__(name)


class language_knobs(base_knobs):
    pass


class autotuning_knobs(base_knobs):
    pass


class _target_knobs(base_knobs):
    pass


cache, compilation, runtime, language, autotuning = (cache_knobs(), compilation_knobs(), runtime_knobs(),
                                                     language_knobs(), autotuning_knobs())
build, redis, nvidia, amd, proton = (_target_knobs() for _ in range(5))
propagate_env = True

# Redirects torch code that says device="cuda". SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   torch.empty(4, device="cuda")   =>   torch.empty(4, device="cpu")
#
# A torch function mode rewrites the `device` of every call, `.to("cuda")` and `.cuda()`. What programs ask of
# torch.cuda gets answers that let them go on, as from one GPU of compute capability 8.0 whose work is done when a call
# returns. Device contexts, streams and events do nothing; an event knows when it was recorded.
from __future__ import annotations

import contextlib
import os
import types

#: Compute capability that programs see: the oldest that all of Triton's language works on.
CAPABILITY = (8, 0)


class _Event:
    """A point in time."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self._time = 0.0

    def record(self, stream=None):
        import time

        self._time = time.perf_counter()

    def elapsed_time(self, end):
        """Milliseconds from here to another event."""
        return 1000 * (end._time - self._time)

    def query(self):
        return True

    def synchronize(self):
        pass

    wait = record


class _Stream(contextlib.AbstractContextManager):
    """The one queue, always empty."""

    cuda_stream = stream_id = device_index = 0

    def __init__(self, device=None, priority=0, **kwargs):
        self.device, self.priority = device, priority

    def __exit__(self, *exc):
        return None

    def synchronize(self):
        pass

    def query(self):
        return True

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or _Event()
        event.record()
        return event


class _Context(contextlib.AbstractContextManager):
    """`with torch.cuda.device(...)`, `with torch.cuda.stream(...)`: nothing changes."""

    def __init__(self, *args):
        self.idx = 0

    def __exit__(self, *exc):
        return None


def _properties():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return types.SimpleNamespace(
        name="Pavage cpu", major=CAPABILITY[0], minor=CAPABILITY[1], total_memory=memory,
        multi_processor_count=os.cpu_count() or 1, warp_size=32, regs_per_multiprocessor=65536,
        max_threads_per_multi_processor=2048, shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10, shared_memory_per_multiprocessor=228 << 10, L2_cache_size=40 << 20,
        is_integrated=True, is_multi_gpu_board=False, gcnArchName="")


def _answers():
    """torch.cuda's functions by name. Each is its own object: torch keeps tables of them."""
    stream, properties = _Stream(), _properties()
    constants = {
        **dict.fromkeys(
            "synchronize set_device empty_cache init ipc_collect manual_seed manual_seed_all reset_peak_memory_stats "
            "reset_max_memory_allocated set_stream".split()),
        **dict.fromkeys(
            "current_device memory_allocated max_memory_allocated memory_reserved max_memory_reserved".split(), 0),
        **dict.fromkeys("is_available is_initialized is_bf16_supported".split(), True),
        **dict.fromkeys("current_stream default_stream".split(), stream),
        "device_count": 1, "get_device_name": properties.name, "get_device_capability": CAPABILITY,
        "get_device_properties": properties, "mem_get_info": (properties.total_memory // 2, properties.total_memory),
    }
    answers = {name: _giving(value) for name, value in constants.items()}
    contexts = {name: type(name, (_Context,), {}) for name in ("stream", "device", "device_of")}
    return {**answers, **contexts, "Stream": _Stream, "Event": _Event}


def _giving(value):
    return lambda *args, **kwargs: value


def _generators(original, moved):
    """torch.Generator, on a device that there is."""

    class Meta(type):
        def __call__(cls, device="cpu"):
            return original(moved(device))

        def __instancecheck__(cls, x):
            return isinstance(x, original)

    return Meta("Generator", (), {"__doc__": original.__doc__})


def redirect(device):
    """From here on, torch devices of type cuda mean `device`; returns the mode that sees to it."""
    import torch
    from torch.overrides import TorchFunctionMode

    target = torch.device(device)

    def moved(x):
        if isinstance(x, str) and x.partition(":")[0] == "cuda":
            return target
        if isinstance(x, torch.device) and x.type == "cuda":
            return target
        return x

    def moved_index(x):
        return target if type(x) is int else moved(x)

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = {k: moved_index(v) if k == "device" else v for k, v in (kwargs or {}).items()}
            if function is torch.Tensor.cuda:
                return args[0].to(target)
            if function is torch.Tensor.to and len(args) > 1:
                args = (args[0], moved_index(args[1]), *args[2:])
            else:
                args = tuple(moved(a) if isinstance(a, torch.device) else a for a in args)
            return function(*args, **kwargs)

    for name, answer in _answers().items():
        setattr(torch.cuda, name, answer)
    autocast = torch.amp.autocast_mode.autocast.__init__

    def redirected(self, device_type="cuda", *args, **kwargs):
        autocast(self, target.type if device_type == "cuda" else device_type, *args, **kwargs)

    torch.amp.autocast_mode.autocast.__init__ = redirected
    torch.Generator = _generators(torch.Generator, moved)
    mode = Redirect()
    mode.__enter__()  # for the life of the process
    return mode

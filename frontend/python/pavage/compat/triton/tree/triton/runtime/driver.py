# triton.runtime.driver: what programs ask about the device. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import sys

from ..backends.compiler import GPUTarget


class _Utils:
    @staticmethod
    def get_device_properties(device):
        """Of a device with a GPU's keys; on the CPU the caches take the place of shared memory."""
        return {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": os.cpu_count() or 1,
                "warpSize": 32, "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0}


class _DeviceInterface:
    """What torch.cuda offers to benchmarks, for a device without streams."""

    class Event:
        def __init__(self, enable_timing=False):
            self.time = 0.0

        def record(self, stream=None):
            import time

            self.time = time.perf_counter()

        def elapsed_time(self, end):
            return 1000 * (end.time - self.time)

        def synchronize(self):
            pass

    @staticmethod
    def synchronize(*args):
        pass

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def get_device_name(*args):
        return "cpu"

    @staticmethod
    def current_stream(*args):
        return None


class _Driver:
    """The active device."""

    utils = _Utils()

    def get_current_target(self):
        device = os.environ.get("PAVAGE_DEVICE", "cpu")
        if device.startswith("sim:sm_") or device.startswith("cuda"):
            digits = "".join(c for c in device.partition("sm_")[2] if c.isdigit()) or "80"
            return GPUTarget("cuda", int(digits), 32)
        return GPUTarget("cpu", "cpu", 1)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def set_current_device(self, device):
        pass

    def get_device_interface(self):
        return _DeviceInterface

    def get_active_torch_device(self):
        torch = sys.modules.get("torch")
        if torch is None:
            import torch
        return torch.device("cpu")

    def get_empty_cache_for_benchmark(self):
        """Data to write between timed runs, larger than any cache of the CPU."""
        import numpy

        return numpy.empty(64 << 20, numpy.int8)

    def clear_cache(self, cache):
        cache.fill(0)

    def get_benchmarker(self):
        from pavage.testing import do_bench

        return do_bench

    def set_active_to_cpu(self):
        pass

    @classmethod
    def is_active(cls):
        return True


class _DriverConfig:
    def __init__(self):
        self.active = self.default = _Driver()

    def set_active(self, driver):
        self.active = driver

    def reset_active(self):
        self.active = self.default

    def set_active_to_cpu(self):
        """The CPU is what kernels run on already, or a device that was asked for by name."""

    def set_active_to_gpu(self):
        """Which device kernels run on, pavage.device says."""


driver = _DriverConfig()
active = driver.active


def set_active(new):
    driver.set_active(new)


def reset_active():
    driver.reset_active()

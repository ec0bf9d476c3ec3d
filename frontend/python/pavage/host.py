# Devices and memory on them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations


from . import _pavage
from ._support import environment_flag


class device:
    """The device that kernels are launched on: ``pavage.device()``.

    With a name it becomes the current one, for good or, as in ``with pavage.device("interp"): ...``, for a while."""

    def __init__(self, name=None):
        self._previous = None
        if name is not None:
            self._previous = _pavage.device_info()[0]
            _pavage.set_device(name)
        self.name, self.target, self.is_host = _pavage.device_info()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self._previous is not None:
            _pavage.set_device(self._previous)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"device('{self.name}')"

    def __eq__(self, other):
        return self.name == (other.name if isinstance(other, device) else other)

    def __hash__(self):
        return hash(self.name)


class interpret:
    """Launches inside ``with pavage.interpret(): ...`` run as with PAVAGE_INTERPRET=1: the kernel's Python runs, each
    call evaluated at once."""

    def __init__(self, on=True):
        self._on = on

    def __enter__(self):
        self._before = _pavage.interpret(self._on)
        return self

    def __exit__(self, *exc):
        _pavage.interpret(self._before)


def devices():
    """Names of the devices that can be used here."""
    return _pavage.device_names()


def synchronize():
    """Waits until everything launched on the device has ended."""
    _pavage.synchronize()


def num_threads(count=None):
    """Host threads that run a grid; with a count, sets it (0 = the default)."""
    return _pavage.num_threads() if count is None else _pavage.num_threads(count)


def reload_environment():
    """Looks at the environment variables again."""
    _pavage.reload_environment(environment_flag("PAVAGE_CHECK"))


def explain(number):
    """What an error number means, or None: ``pavage.explain("PV0002")``."""
    found = _pavage.explain(str(number))
    if found is None:
        return None
    number, _name, summary, text = found
    return f"PV{number:04d}: {summary}\n\n{text}"


def _numpy_dtype(dtype):
    import numpy as np

    name = getattr(dtype, "name", None)
    if type(dtype).__module__.startswith("pavage"):
        names = {
            "int1": "bool",
            "fp16": "float16",
            "fp32": "float32",
            "fp64": "float64",
            "bf16": "bfloat16",
            "fp8e4nv": "float8_e4m3fn",
            "fp8e5": "float8_e5m2",
        }
        name = names.get(name, name)
        if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, name))
        return np.dtype(name)
    return np.dtype(dtype)


def _memory_of_device():
    """The name of the current device when it has memory of its own, else None."""
    name, _target, is_host = _pavage.device_info()
    return None if is_host else name


def empty(shape, dtype="float32"):
    """An array on the device, contents undefined: of NumPy where the device works on the host's memory, else a
    ``pavage.Tensor``. A virtual GPU reports values that are read before they are written."""
    device = _memory_of_device()
    if device is not None:
        from .device_tensor import Tensor

        return Tensor.new(device, shape, _numpy_dtype(dtype))
    import numpy as np

    return np.empty(shape, _numpy_dtype(dtype))


def zeros(shape, dtype="float32"):
    """An array of zeros on the device."""
    if _memory_of_device() is not None:
        return empty(shape, dtype).zero_()
    import numpy as np

    return np.zeros(shape, _numpy_dtype(dtype))


def asarray(x, dtype=None):
    """The values of an array, list or number on the device; what is there already is not copied."""
    import numpy as np

    from .device_tensor import Tensor

    device, dtype = _memory_of_device(), None if dtype is None else _numpy_dtype(dtype)
    if isinstance(x, Tensor):
        same = dtype is None or dtype == x.dtype
        if device is not None and x.memory == device.partition(":")[0] and same:
            return x
        x = x.numpy()
    elif hasattr(x, "__dlpack__") and not isinstance(x, np.ndarray):
        x = np.from_dlpack(x)
    values = np.asarray(x, dtype)
    return values if device is None else Tensor.new(device, values.shape, values.dtype).copy_(values)


def to_numpy(x):
    """The values of an array of the device as a NumPy array."""
    import numpy as np

    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "numpy"):
        return x.detach().cpu().numpy() if hasattr(x, "detach") else x.numpy()
    if hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    return np.asarray(x)

# Tensors in the memory of a device that has its own. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from . import _pavage


class _Memory:
    """Bytes on a device; given back when the last tensor in them goes."""

    __slots__ = ("device", "address", "bytes", "_free")

    def __init__(self, device, bytes):
        self.device, self.bytes = device, bytes
        self.address = _pavage.memory_new(device, bytes)
        self._free = _pavage.memory_free  # modules may be gone when the interpreter ends

    def __del__(self):
        if hasattr(self, "_free"):
            self._free(self.device, self.address)


class Tensor:
    """An array in a device's memory: ``pavage.empty((4, 5))`` on ``sim:sm_80``.

    Passed to kernels as it is, without a copy. ``numpy()`` gives the values; indexing with integers and slices, ``T``,
    ``reshape`` and ``transpose`` give views. ``stride()`` counts elements, ``strides`` bytes."""

    __pavage_tensor__ = True
    __slots__ = ("_memory", "_offset", "shape", "strides", "dtype", "__weakref__")

    def __init__(self, memory, offset, shape, strides, dtype):
        self._memory, self._offset = memory, offset
        self.shape, self.strides, self.dtype = tuple(shape), tuple(strides), dtype

    @classmethod
    def new(cls, device, shape, dtype):
        """A tensor in row-major order, contents undefined. dtype: of NumPy."""
        import operator

        try:
            shape = (operator.index(shape),)
        except TypeError:
            shape = tuple(operator.index(n) for n in shape)
        strides, step = [], dtype.itemsize
        for n in reversed(shape):
            if n < 0:
                from .errors import make

                raise make(307, f"expected extents of at least 0, got {shape}")
            strides.append(step)
            step *= n
        return cls(_Memory(device, step), 0, shape, reversed(strides), dtype)

    # --- what it is ---

    @property
    def device(self):
        """The device's name."""
        return self._memory.device

    @property
    def memory(self):
        """The kind of device whose memory it is in: all virtual GPUs share one."""
        return self._memory.device.partition(":")[0]

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        count = 1
        for n in self.shape:
            count *= n
        return count

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a tensor without axes")
        return self.shape[0]

    def data_ptr(self):
        """The address of its first element."""
        return self._memory.address + self._offset

    def stride(self, axis=None):
        """Strides in elements: all, or of one axis."""
        strides = tuple(s // self.itemsize for s in self.strides)
        return strides if axis is None else strides[axis]

    def is_contiguous(self):
        step = self.itemsize
        for n, s in zip(reversed(self.shape), reversed(self.strides)):
            if n != 1 and s != step:
                return self.size == 0
            step *= n
        return True

    # --- views ---

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if Ellipsis in index:
            at = index.index(Ellipsis)
            index = index[:at] + (slice(None),) * (self.ndim - len(index) + 1) + index[at + 1 :]
        if len(index) > self.ndim:
            raise IndexError(f"expected at most {self.ndim} indices, got {len(index)}")
        offset, shape, strides = self._offset, [], []
        for axis, (n, step) in enumerate(zip(self.shape, self.strides)):
            i = index[axis] if axis < len(index) else slice(None)
            if isinstance(i, slice):
                start, stop, by = i.indices(n)
                count = len(range(start, stop, by))
                offset += start * step if count else 0
                shape.append(count)
                strides.append(by * step)
            else:
                i = i.__index__()
                if not -n <= i < n:
                    raise IndexError(f"index {i} is out of range for axis {axis} with {n} elements")
                offset += (i + n if i < 0 else i) * step
        return Tensor(self._memory, offset, shape, strides, self.dtype)

    def __setitem__(self, index, value):
        self[index].copy_(value)

    def transpose(self, *axes):
        axes = axes or tuple(reversed(range(self.ndim)))
        if sorted(a % self.ndim for a in axes) != list(range(self.ndim)):
            raise ValueError(f"expected each of {self.ndim} axes once, got {axes}")
        return Tensor(
            self._memory, self._offset, [self.shape[a] for a in axes], [self.strides[a] for a in axes], self.dtype
        )

    @property
    def T(self):
        return self.transpose()

    def reshape(self, *shape):
        """The same elements in row-major order; the tensor must be without gaps."""
        shape = list(shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape)
        known = 1
        for n in shape:
            known *= n if n != -1 else 1
        if -1 in shape and known:
            shape[shape.index(-1)] = self.size // known
        made = Tensor(self._memory, self._offset, shape, [0] * len(shape), self.dtype)
        if made.size != self.size or not self.is_contiguous():
            raise ValueError(f"cannot reshape a tensor of shape {self.shape} and strides {self.strides} to {shape}")
        step = self.itemsize
        strides = []
        for n in reversed(shape):
            strides.append(step)
            step *= n
        made.strides = tuple(reversed(strides))
        return made

    # --- values ---

    def _range(self):
        """(first byte, past the last byte) of its elements, from the start of the memory."""
        low = high = self._offset
        for n, s in zip(self.shape, self.strides):
            low += min(0, (n - 1) * s)
            high += max(0, (n - 1) * s)
        return low, high + self.itemsize

    def _host_view(self, array, low):
        import numpy as np

        return np.ndarray(self.shape, self.dtype, array, self._offset - low, self.strides)

    def numpy(self):
        """The values as a NumPy array."""
        import numpy as np

        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        low, high = self._range()
        raw = np.empty(high - low, np.uint8)
        _pavage.memory_read(self.device, self._memory.address + low, raw)
        return self._host_view(raw, low).copy()

    def __array__(self, dtype=None, copy=None):
        values = self.numpy()
        return values if dtype is None else values.astype(dtype)

    def copy_(self, values):
        """Writes values, which are cast and broadcast as NumPy does. Gives the tensor."""
        import numpy as np

        from .host import to_numpy

        values = to_numpy(values) if isinstance(values, Tensor) or hasattr(values, "shape") else np.asarray(values)
        if self.size == 0:
            np.broadcast_to(values, self.shape)
            return self
        if self.is_contiguous():
            raw = np.empty(self.shape, self.dtype)
            raw[...] = values
            _pavage.memory_write(self.device, self.data_ptr(), raw.reshape(-1).view(np.uint8))
            return self
        low, high = self._range()
        raw = np.empty(high - low, np.uint8)
        _pavage.memory_read(self.device, self._memory.address + low, raw)
        self._host_view(raw, low)[...] = values
        _pavage.memory_write(self.device, self._memory.address + low, raw)
        return self

    def fill_(self, value):
        return self.copy_(value)

    def zero_(self):
        return self.copy_(0)

    def item(self):
        """The value of a tensor of one element."""
        return self.numpy().item()

    def tolist(self):
        return self.numpy().tolist()

    def __repr__(self):
        return f"pavage.Tensor(shape={self.shape}, dtype={self.dtype}, device='{self.device}')"

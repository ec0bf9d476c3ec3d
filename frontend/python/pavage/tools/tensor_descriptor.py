# Descriptors made on the host. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from .._support import caller
from ..errors import make


class TensorDescriptor:
    """An array as a kernel argument that is loaded and stored in blocks, clipped at its borders."""

    def __init__(self, base, shape, strides, block_shape, padding="zero", round_f32_to_tf32=False):
        self.base, self.shape, self.strides, self.block_shape = base, list(shape), list(strides), list(block_shape)
        self.padding, self.round_f32_to_tf32 = padding, round_f32_to_tf32
        rank = len(self.shape)
        if not 1 <= rank <= 5:
            self._fail(f"expected 1 to 5 axes in a descriptor, got {rank}")
        if len(self.strides) != rank or len(self.block_shape) != rank:
            self._fail(
                f"expected {rank} strides and extents of the block, got {len(self.strides)} and {len(self.block_shape)}"
            )
        if padding not in ("zero", "nan"):
            self._fail(f"expected zero or nan as padding, got {padding!r}")
        if self.strides[-1] != 1:
            self._fail(f"expected a last stride of 1 in a descriptor, got {self.strides[-1]}")

    @staticmethod
    def _fail(text):
        raise make(307, text, *caller())

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """The descriptor of a whole array."""
        if hasattr(tensor, "stride"):
            strides = list(tensor.stride())
        else:
            strides = [s // tensor.itemsize for s in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding, round_f32_to_tf32)

    # --- as an argument: see frontend/python/launch/arguments.c ---

    def __pavage_flatten__(self):
        from ..language.types import constexpr

        return (
            self.base,
            tuple(self.shape),
            tuple(self.strides),
            constexpr(tuple(self.block_shape)),
            constexpr(self.padding),
        )

    def __pavage_rebuild__(self, items):
        return Assembly(items)


class Assembly:
    """A descriptor parameter while it is traced."""

    def __init__(self, items):
        self.items = items

    def __pavage_assemble__(self, name, values, builder):
        from ..language.core import make_tensor_descriptor
        from ..trace.kernel import assemble

        base, shape, strides, block, padding = (
            assemble(f"{name}.{i}", v, values, builder) for i, v in enumerate(self.items)
        )
        # The last stride is 1 for every descriptor; saying so as a constant lets it be seen.
        strides = (*strides[:-1], 1)
        return make_tensor_descriptor(base, shape, strides, block, padding)

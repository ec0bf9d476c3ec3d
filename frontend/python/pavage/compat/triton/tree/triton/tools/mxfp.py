# triton.tools.mxfp: numbers in microscaling formats, as torch tensors. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
#
# What tl.dot_scaled multiplies: e2m1 elements of four bits, and e8m0 scales, which are exponents alone.
from __future__ import annotations

#: Magnitudes of the eight patterns of exponent and mantissa.
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
#: Where rounding goes from one magnitude to the next; ties go to the even pattern.
_LIMITS = tuple((a + b) / 2 for a, b in zip(_E2M1, _E2M1[1:]))


class _Packed:
    """Data given, or a size for random()."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("expected data or a size, got neither")
        self.device = device if data is None else data.device
        if data is None:
            self.size = size if isinstance(size, tuple) else (size,)
        else:
            self.data = self._from_float(data)

    def _random(self, low, high):
        import torch

        self.data = torch.randint(low, high, size=self.size, dtype=torch.uint8, device=self.device)
        return self


class MXFP4Tensor(_Packed):
    """Four-bit floats (e2m1), one to a uint8 in `data`: from a float32 tensor, or random."""

    def random(self):
        return self._random(0, 16)

    def to(self, dtype):
        import torch

        if dtype != torch.float32:
            raise AssertionError(f"expected torch.float32, got {dtype}")
        magnitude = torch.tensor(_E2M1, device=self.data.device)[(self.data & 7).long()]
        return torch.where(self.data & 8 != 0, -magnitude, magnitude)

    def _from_float(self, values):
        """The nearest value, ties to even; NaN and what is too large become the largest."""
        import torch

        magnitude = torch.nan_to_num(values.abs(), nan=_E2M1[-1], posinf=_E2M1[-1])
        # Above an even pattern a tie stays below the limit, above an odd one it goes up.
        limits = torch.tensor(_LIMITS, device=values.device)
        above = magnitude.unsqueeze(-1) > limits
        tie = (magnitude.unsqueeze(-1) == limits) & (torch.arange(len(_LIMITS), device=values.device) % 2 == 1)
        pattern = (above | tie).sum(-1)
        return (pattern | (torch.signbit(values).long() << 3)).to(torch.uint8)

    def to_packed_tensor(self, dim):
        """Two to a uint8 along an axis, the first in the low bits; an odd extent is padded with 0."""
        import torch

        if not 0 <= dim < self.data.ndim:
            raise AssertionError(f"expected an axis below {self.data.ndim}, got {dim}")
        low, high = (self.data.index_select(dim, torch.arange(first, self.data.size(dim), 2, device=self.data.device))
                     for first in (0, 1))
        if high.size(dim) < low.size(dim):
            high = torch.cat([high, torch.zeros_like(low.narrow(dim, 0, 1))], dim)
        return low | high << 4

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The inverse: one to a uint8, padding left out."""
        import torch

        both = torch.stack((packed_tensor & 15, packed_tensor >> 4), dim + 1).flatten(dim, dim + 1)
        return both.narrow(dim, 0, original_shape[dim]).to(torch.uint8)


class MXScaleTensor(_Packed):
    """Scales (e8m0): 2 ** (data - 127), where 255 is NaN; from a float32 tensor, or random between two floats."""

    def random(self, low=None, high=None):
        from math import floor, log2

        first = 0 if low is None else max(0, floor(log2(low)) + 127)
        last = 254 if high is None else min(254, max(0, floor(log2(high)) + 127))
        if first > last:
            raise AssertionError(f"expected low up to high, got {low} and {high}")
        return self._random(first, last + 1)

    def to(self, dtype):
        import torch

        if dtype != torch.float32:
            raise AssertionError(f"expected torch.float32, got {dtype}")
        value = torch.pow(2.0, self.data.float() - 127)
        return torch.where(self.data == 255, torch.nan, value)

    def _from_float(self, values):
        """The power of two below; NaN for NaN, infinity and what is not positive."""
        import torch

        good = torch.isfinite(values) & (values > 0)
        exponent = torch.floor(torch.log2(torch.where(good, values, 1.0))) + 127
        return torch.where(good, exponent.clamp(0, 254), 255).to(torch.uint8)

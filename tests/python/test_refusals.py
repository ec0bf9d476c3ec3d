# Errors of single operations and arguments that the other files do not meet. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import numpy as np
import pytest

import pavage
import pavage.language as tl


@pavage.jit
def copy(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@pavage.jit
def count(out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + i, 1, mask=i < n)


class OnGpu:
    """What an array of another library says that lies in the memory of a GPU."""

    dtype, shape, strides = np.dtype(np.float32), (8,), (4,)

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **kwargs):
        raise AssertionError("an array that cannot be used must not be exported")


def test_an_array_on_another_device():
    with pytest.raises(pavage.Error, match="expected an array in the host's memory") as caught:
        copy[(1,)](np.zeros(8, np.float32), OnGpu(), 8, BLOCK=8)
    assert "PV0302" in str(caught.value)


def test_an_atomic_on_elements_of_one_byte():
    with pytest.raises(pavage.Error, match="expected elements") as caught:
        count[(1,)](np.zeros(8, np.int8), 8, BLOCK=8)
    assert "PV0126" in str(caught.value) and ":19:" in str(caught.value)

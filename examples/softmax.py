# Fused softmax: one read, one write. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% NumPy needs five passes over memory for a softmax. Here one program holds a whole row in a tile, so the row is read
# once and written once. `BLOCK` is the row's length rounded up; masked-off elements count as minus infinity, which
# adds nothing to the sum.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def softmax(out, x, out_stride, x_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * x_stride + cols, mask=cols < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * out_stride + cols, e / tl.sum(e, axis=0), mask=cols < n)


# %% Strides are given in elements. The grid has one program per row.
def run(x):
    out = np.empty_like(x)
    rows, n = x.shape
    softmax[(rows,)](out, x, out.strides[0] // 4, x.strides[0] // 4, n, BLOCK=pavage.next_power_of_2(n))
    return out


def reference(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def main():
    x = np.random.default_rng(0).standard_normal((1823, 781), dtype=np.float32)
    out = run(x)
    pavage.testing.assert_close(out, reference(x), rtol=1e-5, atol=1e-7)
    print(f"softmax of {x.shape[0]} rows, largest difference to NumPy {np.abs(out - reference(x)).max():.1e}")


if __name__ == "__main__":
    main()

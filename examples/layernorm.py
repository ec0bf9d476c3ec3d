# Layer normalisation, forward and backward. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% The forward kernel keeps a row in a tile, so mean and variance cost no second read of memory. It stores mean and
# reciprocal deviation of each row for the backward pass.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def forward(y, x, weight, bias, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * stride + cols, mask=mask)
    mu = tl.sum(v, axis=0) / n
    centred = tl.where(mask, v - mu, 0.0)
    r = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    w = tl.load(weight + cols, mask=mask)
    b = tl.load(bias + cols, mask=mask)
    tl.store(y + row * stride + cols, centred * r * w + b, mask=mask)


# %% Backward in two kernels. The gradient of the input needs only the row itself. The gradients of weight and bias sum
# over all rows: each program takes a block of columns and walks down the rows, so no atomics are needed and the result
# is the same every time.
@pavage.jit
def backward_input(dx, dy, x, weight, mean, rstd, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    g = tl.load(dy + row * stride + cols, mask=mask) * tl.load(weight + cols, mask=mask)
    r = tl.load(rstd + row)
    xhat = tl.where(mask, (tl.load(x + row * stride + cols, mask=mask) - tl.load(mean + row)) * r, 0.0)
    a = tl.sum(xhat * g, axis=0) / n
    b = tl.sum(g, axis=0) / n
    tl.store(dx + row * stride + cols, (g - (xhat * a + b)) * r, mask=mask)


@pavage.jit
def backward_weight(dweight, dbias, dy, x, mean, rstd, stride, rows, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    dw = tl.zeros([ROWS, COLS], dtype=tl.float32)
    db = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        mask = (r[:, None] < rows) & (cols[None, :] < n)
        offsets = r[:, None] * stride + cols[None, :]
        g = tl.load(dy + offsets, mask=mask)
        v = tl.load(x + offsets, mask=mask)
        mu = tl.load(mean + r, mask=r < rows)
        s = tl.load(rstd + r, mask=r < rows)
        dw += g * (v - mu[:, None]) * s[:, None]
        db += g
    tl.store(dweight + cols, tl.sum(dw, axis=0), mask=cols < n)
    tl.store(dbias + cols, tl.sum(db, axis=0), mask=cols < n)


# %% The host functions allocate the results and choose the grid.
def run_forward(x, weight, bias, eps=1e-5):
    rows, n = x.shape
    y, mean, rstd = np.empty_like(x), np.empty(rows, np.float32), np.empty(rows, np.float32)
    forward[(rows,)](y, x, weight, bias, mean, rstd, n, n, eps, BLOCK=pavage.next_power_of_2(n))
    return y, mean, rstd


def run_backward(dy, x, weight, mean, rstd):
    rows, n = x.shape
    dx, dweight, dbias = np.empty_like(x), np.empty_like(weight), np.empty_like(weight)
    backward_input[(rows,)](dx, dy, x, weight, mean, rstd, n, n, BLOCK=pavage.next_power_of_2(n))
    backward_weight[(pavage.cdiv(n, 64),)](dweight, dbias, dy, x, mean, rstd, n, rows, n, ROWS=16, COLS=64)
    return dx, dweight, dbias


def reference(x, weight, bias, dy, eps=1e-5):
    x, dy = x.astype(np.float64), dy.astype(np.float64)
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    xhat = (x - mean) * rstd
    g = dy * weight
    dx = (g - xhat * (xhat * g).mean(axis=1, keepdims=True) - g.mean(axis=1, keepdims=True)) * rstd
    return xhat * weight + bias, dx, (dy * xhat).sum(axis=0), dy.sum(axis=0)


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((257, 1000), dtype=np.float32)
    dy = rng.standard_normal(x.shape, dtype=np.float32)
    weight, bias = rng.random(1000, dtype=np.float32), rng.random(1000, dtype=np.float32)
    y, mean, rstd = run_forward(x, weight, bias)
    got = (y, *run_backward(dy, x, weight, mean, rstd))
    for name, value, expected in zip(("y", "dx", "dweight", "dbias"), got, reference(x, weight, bias, dy)):
        pavage.testing.assert_close(value, expected.astype(np.float32), rtol=1e-4, atol=1e-4)
        print(f"{name:8} largest difference to float64 NumPy {np.abs(value - expected).max():.1e}")


if __name__ == "__main__":
    main()

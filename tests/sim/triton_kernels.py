"""Kernels for Triton's compiler in the manner of its tutorials, where examples/ has none of that form. Loaded with
`triton` importable only. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import triton
import triton.language as tl


@triton.jit
def softmax_persistent(out, x, out_stride, x_stride, rows, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """A program takes every num_programs-th row; loads of the next rows are under way meanwhile."""
    cols = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * x_stride + cols, mask=cols < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + row * out_stride + cols, e / tl.sum(e, axis=0), mask=cols < n)


@triton.jit
def layernorm_backward_locked(dx, dy, dw, db, x, weight, mean, rstd, locks, stride, n,
                              GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Gradient of the input; those of weight and bias are added up in GROUPS rows, each behind a spin lock."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * stride + cols, mask=mask, other=0.0)
    g = tl.load(dy + row * stride + cols, mask=mask, other=0.0)
    w = tl.load(weight + cols, mask=mask, other=0.0)
    r = tl.load(rstd + row)
    xhat = tl.where(mask, (v - tl.load(mean + row)) * r, 0.0)
    wg = w * g
    tl.store(dx + row * stride + cols, (wg - (xhat * (tl.sum(xhat * wg, axis=0) / n) + tl.sum(wg, axis=0) / n)) * r,
             mask=mask)
    group = row % GROUPS
    lock = locks + group
    used = locks + GROUPS + group
    my_dw = dw + group * n + cols
    my_db = db + group * n + cols
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    more_w = g * xhat
    more_b = g
    if tl.load(used) == 0:
        tl.atomic_xchg(used, 1)
    else:
        more_w += tl.load(my_dw, mask=mask)
        more_b += tl.load(my_db, mask=mask)
    tl.store(my_dw, more_w, mask=mask)
    tl.store(my_db, more_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def layernorm_backward_columns(total_w, total_b, dw, db, groups, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    sum_w = tl.zeros((ROWS, COLS), dtype=tl.float32)
    sum_b = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for first in range(0, groups, ROWS):
        rows = first + tl.arange(0, ROWS)
        mask = (rows[:, None] < groups) & (cols[None, :] < n)
        at = rows[:, None] * n + cols[None, :]
        sum_w += tl.load(dw + at, mask=mask, other=0.0)
        sum_b += tl.load(db + at, mask=mask, other=0.0)
    tl.store(total_w + cols, tl.sum(sum_w, axis=0), mask=cols < n)
    tl.store(total_b + cols, tl.sum(sum_b, axis=0), mask=cols < n)


@triton.jit
def matmul_integer(c, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        ta = tl.load(a + rows[:, None] * K + (k + ks)[None, :], mask=(rows[:, None] < M) & (k + ks[None, :] < K), other=0)
        tb = tl.load(b + (k + ks)[:, None] * N + cols[None, :], mask=(k + ks[:, None] < K) & (cols[None, :] < N), other=0)
        acc = tl.dot(ta, tb, acc, out_dtype=tl.int32)
    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def attention_forward(out, lse, q, k, v, n, scale, CAUSAL: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr,
                      D: tl.constexpr):
    """Flash attention in half precision; scale holds 1/sqrt(D) * log2(e)."""
    head = tl.program_id(1) * n * D
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    dims = tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + dims[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BQ,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BQ,), dtype=tl.float32)
    acc = tl.zeros((BQ, D), dtype=tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tl.program_id(0) + 1) * BQ)
    for start in range(0, end, BK):
        cols = start + tl.arange(0, BK)
        key = tl.load(k + head + cols[None, :] * D + dims[:, None], mask=cols[None, :] < n, other=0.0)
        allowed = cols[None, :] < n
        if CAUSAL:
            allowed = allowed & (cols[None, :] <= rows[:, None])
        score = tl.where(allowed, tl.dot(query, key) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(score, axis=1))
        p = tl.exp2(score - now[:, None])
        rescale = tl.exp2(largest - now)
        total = total * rescale + tl.sum(p, axis=1)
        value = tl.load(v + head + cols[:, None] * D + dims[None, :], mask=cols[:, None] < n, other=0.0)
        acc = tl.dot(p.to(value.dtype), value, acc * rescale[:, None])
        largest = now
    tl.store(out + head + rows[:, None] * D + dims[None, :], (acc / total[:, None]).to(out.dtype.element_ty),
             mask=rows[:, None] < n)
    tl.store(lse + tl.program_id(1) * n + rows, largest + tl.log2(total), mask=rows < n)


@triton.jit
def attention_backward(dq, dk, dv, do, q, k, v, lse, delta, n, scale, log2_scale, BQ: tl.constexpr, BK: tl.constexpr,
                       D: tl.constexpr):
    """A program takes a block of keys and walks over the queries; gradients of queries meet in atomics."""
    head = tl.program_id(1) * n * D
    cols = tl.program_id(0) * BK + tl.arange(0, BK)
    dims = tl.arange(0, D)
    at = head + cols[:, None] * D + dims[None, :]
    key = tl.load(k + at, mask=cols[:, None] < n, other=0.0)
    value = tl.load(v + at, mask=cols[:, None] < n, other=0.0)
    sum_k = tl.zeros((BK, D), dtype=tl.float32)
    sum_v = tl.zeros((BK, D), dtype=tl.float32)
    for start in range(0, n, BQ):
        rows = start + tl.arange(0, BQ)
        here = head + rows[:, None] * D + dims[None, :]
        query = tl.load(q + here, mask=rows[:, None] < n, other=0.0)
        grad = tl.load(do + here, mask=rows[:, None] < n, other=0.0)
        row_lse = tl.load(lse + tl.program_id(1) * n + rows, mask=rows < n, other=0.0)
        row_delta = tl.load(delta + tl.program_id(1) * n + rows, mask=rows < n, other=0.0)
        inside = (rows[None, :] < n) & (cols[:, None] < n)
        p = tl.where(inside, tl.exp2(tl.dot(key, tl.trans(query)) * log2_scale - row_lse[None, :]), 0.0)
        sum_v = tl.dot(p.to(grad.dtype), grad, sum_v)
        ds = (p * (tl.dot(value, tl.trans(grad)) - row_delta[None, :]) * scale).to(query.dtype)
        sum_k = tl.dot(ds, query, sum_k)
        tl.atomic_add(dq + here, tl.dot(tl.trans(ds), key), mask=rows[:, None] < n)
    tl.store(dk + at, sum_k, mask=cols[:, None] < n)
    tl.store(dv + at, sum_v, mask=cols[:, None] < n)

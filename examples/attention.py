# Attention that never stores the score matrix. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% A program takes a block of queries and walks over blocks of keys and values. It keeps, per query, the largest score
# so far, the sum of exponentials relative to it, and the weighted sum of values; when a larger score appears, both sums
# are rescaled. Memory grows with the sequence length, not with its square.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def attention(out, q, k, v, n, scale, CAUSAL: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    base = head * n * D
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    dims = tl.arange(0, D)
    query = tl.load(q + base + rows[:, None] * D + dims[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.full([BQ], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BQ], dtype=tl.float32)
    acc = tl.zeros([BQ, D], dtype=tl.float32)

    # %% With a causal mask, keys behind the last query of the block cannot matter: the loop ends there.
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tl.program_id(0) + 1) * BQ)
    for start in range(0, end, BK):
        cols = start + tl.arange(0, BK)
        key = tl.load(k + base + cols[None, :] * D + dims[:, None], mask=cols[None, :] < n, other=0.0)
        score = tl.dot(query, key) * scale
        allowed = cols[None, :] < n
        if CAUSAL:
            allowed = allowed & (cols[None, :] <= rows[:, None])
        score = tl.where(allowed, score, -float("inf"))
        new_largest = tl.maximum(largest, tl.max(score, axis=1))
        weight = tl.exp(score - new_largest[:, None])
        rescale = tl.exp(largest - new_largest)
        total = total * rescale + tl.sum(weight, axis=1)
        value = tl.load(v + base + cols[:, None] * D + dims[None, :], mask=cols[:, None] < n, other=0.0)
        acc = tl.dot(weight, value, acc * rescale[:, None])
        largest = new_largest
    tl.store(out + base + rows[:, None] * D + dims[None, :], acc / total[:, None], mask=rows[:, None] < n)


# %% One program per block of queries and head.
def run(q, k, v, causal=False, BQ=32, BK=32):
    heads, n, d = q.shape
    out = np.empty_like(q)
    attention[(pavage.cdiv(n, BQ), heads)](out, q, k, v, n, d ** -0.5, CAUSAL=causal, BQ=BQ, BK=BK, D=d)
    return out


def reference(q, k, v, causal):
    score = (q @ k.transpose(0, 2, 1)) * q.shape[-1] ** -0.5
    if causal:
        score = np.where(np.tri(q.shape[1], dtype=bool), score, -np.inf)
    e = np.exp(score - score.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def main():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((4, 200, 64), dtype=np.float32) for _ in range(3))
    for causal in (False, True):
        out = run(q, k, v, causal)
        pavage.testing.assert_close(out, reference(q, k, v, causal), rtol=1e-4, atol=1e-5)
        print(f"attention causal={causal}: largest difference {np.abs(out - reference(q, k, v, causal)).max():.1e}")


if __name__ == "__main__":
    main()

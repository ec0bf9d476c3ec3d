"""Loops with products on virtual GPUs: any trip count, stages, warps and neighbours, equal in every bit to NumPy.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Cases are drawn at random from a printed seed; `PAVAGE_TEST_GPU_LOOPS=N` draws N of them, `PAVAGE_TEST_SEED=S` from
another seed.
"""

import os

import numpy as np
import pytest

import pavage
import pavage.language as tl

CASES = int(os.environ.get("PAVAGE_TEST_GPU_LOOPS", "12"))
SEED = int(os.environ.get("PAVAGE_TEST_SEED", "1"))
BESIDE = ("nothing", "reduction", "atomic", "branch", "arithmetic")


@pavage.jit
def product(c, a, b, log, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BESIDE: tl.constexpr,
            SWAPPED: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    for k in range(0, K, BK):
        if SWAPPED:
            y = tl.load(b + (k + ks)[:, None] * N + cols[None, :], mask=((k + ks)[:, None] < K) & (cols[None, :] < N),
                        other=0.0)
        x = tl.load(a + rows[:, None] * K + (k + ks)[None, :], mask=(rows[:, None] < M) & ((k + ks)[None, :] < K),
                    other=0.0)
        if not SWAPPED:
            y = tl.load(b + (k + ks)[:, None] * N + cols[None, :], mask=((k + ks)[:, None] < K) & (cols[None, :] < N),
                        other=0.0)
        if BESIDE == "reduction":
            sums += tl.sum(x.to(tl.float32), 1)
        if BESIDE == "atomic":
            tl.atomic_add(log, 1)
        if BESIDE == "branch":
            if k % 64 == 0:
                tl.store(log + 1 + tl.program_id(0) * 8 + tl.program_id(1), k)
        if BESIDE == "arithmetic":
            x = x * 2
        acc = tl.dot(x, y, acc)
    acc += sums[:, None]
    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def draw(rng):
    block = int(rng.choice([16, 32, 64, 128])), int(rng.choice([16, 32, 64])), int(rng.choice([16, 32, 64]))
    stages, warps = int(rng.integers(1, 6)), int(2 ** rng.integers(0, 5))
    trips = int(rng.choice([0, 1, 2, max(0, stages - 1), stages, stages + 1]))
    cut = int(rng.integers(block[2])) if trips and rng.integers(2) else 0
    extents = [(block[0], block[1]), (block[0] + 8, 2 * block[1]), (block[0] - 3, block[1] - 5)][rng.integers(3)]
    dtype = [np.float16, np.float32][rng.integers(2)]
    return dtype, block, stages, warps, extents, trips * block[2] - cut, str(rng.choice(BESIDE)), bool(rng.integers(2))


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90"])
def test_loops(target):
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    for _ in range(CASES):
        case = dtype, (bm, bn, bk), stages, warps, (m, n), depth, beside, swapped = draw(rng)
        a = rng.integers(-3, 4, (m, max(depth, 1))).astype(dtype)
        b = rng.integers(-3, 4, (max(depth, 1), n)).astype(dtype)
        c, log = np.full((m, n), -1, np.float32), np.zeros(64, np.int32)
        grid = (pavage.cdiv(m, bm), pavage.cdiv(n, bn))
        with pavage.device(f"sim:{target}"):
            product[grid](c, a, b, log, m, n, depth, BM=bm, BN=bn, BK=bk, BESIDE=beside, SWAPPED=swapped,
                          num_warps=warps, num_stages=stages)
        rows, columns = a[:, :depth].astype(np.float64), b[:depth].astype(np.float64)
        want = rows @ columns * (2 if beside == "arithmetic" else 1)
        if beside == "reduction":
            want += rows.sum(1)[:, None]
        np.testing.assert_array_equal(c, want, err_msg=str(case))
        findings = pavage.sim.findings(clear=True)
        assert not findings, f"{case}\n{findings[0]}"
        if beside == "atomic":
            assert log[0] == grid[0] * grid[1] * pavage.cdiv(depth, bk)

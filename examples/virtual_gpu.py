# A kernel's GPU code, checked and counted without a GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% `pavage.device("sim:sm_80")` is a GPU that exists in software: it runs the very PTX that a real one would get,
# checks every access and counts exactly. Nothing about the kernel changes.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def row_sums(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * stride + cols, mask=cols < n, other=0.0), axis=0))


@pavage.jit
def column_sums(out, x, rows, stride, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out + column, tl.sum(tl.load(x + at * stride + column, mask=at < rows, other=0.0), axis=0))


# %% Both sum 96 numbers per program. One walks along memory, the other across it. The profile tells what that costs: a
# GPU fetches sectors of 32 bytes, and `sectors_ideal` is how many the data would fill.
def counts(kernel, *arguments):
    with pavage.sim.profile() as p:
        kernel[(96,)](*arguments, BLOCK=128, num_warps=1)
    return p.counters["sectors"], p.counters["sectors_ideal"]


def compare(x):
    along, across = np.empty(96, np.float32), np.empty(96, np.float32)
    good, bad = counts(row_sums, along, x, 96, 96), counts(column_sums, across, x, 96, 96)
    assert np.allclose(along, x.sum(axis=1), rtol=1e-5) and np.allclose(across, x.sum(axis=0), rtol=1e-5)
    print(f"along memory: {good[0]} sectors, {good[1]} would do; across: {bad[0]}, {bad[1]} would do")
    assert bad[0] > 4 * good[0]


# %% A mask that is missing reads behind the array. On a real GPU that may go unnoticed for months; here the launch
# fails, at the author's line.
@pavage.jit
def increment(out, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + 1)


def find_missing_mask():
    x = np.zeros(1000, np.float32)
    try:
        increment[(4,)](np.empty_like(x), x, BLOCK=256)
    except pavage.SimError as error:
        print(error)
    else:
        raise AssertionError("the read behind the array was not found")


# %% Faults stop a launch. Other findings do not: here two programs write one element, and which of them wins is chance.
# They are in `pavage.sim.findings()`; in tests, the fixture `pavage_sim` fails on any.
@pavage.jit
def last_one(out, x):
    tl.store(out, tl.load(x + tl.program_id(0)))


def find_race():
    last_one[(8,)](np.empty(1, np.float32), np.arange(8, dtype=np.float32))
    kinds = {finding.kind for finding in pavage.sim.findings(clear=True)}
    print("found:", ", ".join(sorted(kinds)))
    assert kinds == {"race-global"}


def main():
    with pavage.device("sim:sm_80"):
        compare(np.random.default_rng(0).random((96, 96), np.float32))
        assert pavage.sim.findings() == []
        find_missing_mask()
        pavage.sim.clear_findings()
        find_race()


if __name__ == "__main__":
    main()

"""Counted budgets: code size and compile time do not grow with the tile; an import loads little."""

import os
import statistics
import subprocess
import sys
import time

import numpy as np
import pavage
import pavage.language as tl

TILES = ((16, 64), (4, 65536), (1024, 1024))
GROWTH = 1.5


@pavage.jit
def softmax_of_a_tile(out, x, ROWS: tl.constexpr, COLS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(out + i, e / tl.sum(e, axis=1)[:, None])


@pavage.jit
def scaled_sum(out, x, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows, cols = tl.arange(0, ROWS)[:, None], tl.arange(0, COLS)[None, :]
    acc = tl.zeros((ROWS, COLS), tl.float32)
    for k in range(n):
        acc += tl.load(x + k + rows * COLS + cols, mask=cols < n, other=0.0) * 2.0
    tl.store(out + rows * COLS + cols, acc)


def variants(kernel, *scalars):
    x = np.zeros(4, np.float32)
    return [kernel.warmup(x, x, *scalars, ROWS=rows, COLS=cols, grid=(1,)) for rows, cols in TILES]


def worst(values):
    return max(values) / min(values)


def test_code_size_does_not_grow_with_the_tile():
    for compiled in (variants(softmax_of_a_tile), variants(scaled_sum, 100)):
        sizes = [len(variant.asm["obj"]) for variant in compiled]
        assert worst(sizes) <= GROWTH, sizes


def test_compile_time_does_not_grow_with_the_tile():
    """Least of several, since other tests run beside this one; the first compile of a process is not counted."""
    variants(softmax_of_a_tile)
    times = [[] for _ in TILES]
    for repeat in range(5):
        for column, (rows, cols) in zip(times, TILES):
            # Another number of rows is another kernel, of the same size.
            x = np.zeros(4, np.float32)
            compiled = softmax_of_a_tile.warmup(x, x, ROWS=rows + repeat + 1, COLS=cols, grid=(1,))
            column.append(compiled.milliseconds)
    least = [min(column) for column in times]
    assert worst(least) <= GROWTH, least


def test_import_loads_neither_compiler_nor_numpy():
    code = "import sys; import pavage, pavage.language; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert not loaded & {"numpy", "torch", "pavage._pavage_builder", "inspect", "dataclasses", "tempfile", "asyncio"}


def test_import_takes_at_most_60_ms():
    def seconds(code):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})
        return time.perf_counter() - start

    seconds("import pavage")
    pairs = [(seconds("import pavage"), seconds("pass")) for _ in range(11)]
    beyond = min(min(a for a, _ in pairs) - min(b for _, b in pairs), statistics.median(a - b for a, b in pairs))
    assert beyond <= 0.060, f"{beyond * 1e3:.1f} ms beyond Python's own start"

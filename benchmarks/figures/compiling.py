"""Compile time and code size. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Every compile runs in a process of its own with an empty cache. Loops stay rolled, so neither time nor bytes may grow
with the tile: the worst of three tiles may cost at most 1.5 x the best.
"""

import os
import statistics
import subprocess
import sys
import tempfile

from harness import ROOT, Figure, figure

GROWTH = 1.5
RUNS = 5

TILE = """
import pavage, pavage.language as tl

@pavage.jit
def kernel(out, x, ROWS: tl.constexpr, COLS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(out + i, e / tl.sum(e, axis=1)[:, None])

def compile():
    import numpy as np
    x = np.zeros(8, np.float32)
    return kernel.warmup(x, x, ROWS={rows}, COLS={cols}, grid=(1,))
"""

EXAMPLES = {
    "vector_add": "add.warmup(f, f, f, 1000, BLOCK=4096, grid=(1,))",
    "softmax": "softmax.warmup(f, f, 1000, 1000, 781, BLOCK=1024, grid=(1,))",
    "layernorm": "forward.warmup(f, f, f, f, f, f, 1000, 1000, 1e-5, BLOCK=1024, grid=(1,))",
    "matmul": "matmul.warmup(f, f, f, f, 500, 500, 500, 500, 1, 500, 1, 500, 1, ACTIVATION=None, BM=64, BN=64, BK=32,"
              " GROUP=8, grid=(1,))",
    "attention": "attention.warmup(f, f, f, f, 512, 0.125, CAUSAL=True, BQ=32, BK=32, D=64, grid=(1,))",
}
EXAMPLE = """
import sys
sys.path.insert(0, {examples!r})
import numpy as np
from {module} import *
f = np.zeros(8, np.float32)

def compile():
    return {call}
"""

REPORT = """
import time
start = time.perf_counter()
compiled = compile()
print((time.perf_counter() - start) * 1e3, len(compiled.asm["obj"]))
"""


def cold(source):
    """(milliseconds of the first compile of a process, bytes of code): the median of several processes."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "kernel_of_a_benchmark.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(source + REPORT)
        for run in range(RUNS):
            environment = {**os.environ, "PAVAGE_CACHE_DIR": os.path.join(folder, f"cache{run}")}
            output = subprocess.check_output([sys.executable, program], env=environment, text=True)
            milliseconds, size = output.split()[-2:]
            results.append((float(milliseconds), int(size)))
    return statistics.median(ms for ms, _ in results), results[0][1]


@figure
def growth_with_the_tile():
    milliseconds, size = {}, {}
    for rows, cols in ((16, 64), (4, 65536), (1024, 1024)):
        name = f"{rows}x{cols}"
        milliseconds[name], size[name] = cold(TILE.format(rows=rows, cols=cols))
    for label, values, unit in (("compile time", milliseconds, "ms"), ("code size", size, "bytes")):
        text = ", ".join(f"{name} {value:.0f}" for name, value in values.items()) + f" {unit}"
        ratio = max(values.values()) / min(values.values())
        yield Figure(f"{label}, worst / best tile", ratio, "x", text, GROWTH, True)


@figure
def compile_time():
    for module, call in EXAMPLES.items():
        milliseconds, size = cold(EXAMPLE.format(examples=str(ROOT / "examples"), module=module, call=call))
        yield Figure(f"first compile, {module}", milliseconds, "ms", f"{size} bytes of code; process without a cache")

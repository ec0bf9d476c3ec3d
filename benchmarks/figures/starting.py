"""What a process pays before and around its kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import statistics
import subprocess
import sys
import time

import numpy as np
import vector_add
from harness import Figure, figure, race

IMPORT_BUDGET_MS = 60


def process_seconds(code):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


@figure
def import_time():
    """Python's own start, measured in turns with it, is taken off."""
    process_seconds("import pavage")
    pairs = [(process_seconds("import pavage"), process_seconds("pass")) for _ in range(15)]
    beyond = statistics.median(a - b for a, b in pairs) * 1e3
    bare = statistics.median(b for _, b in pairs) * 1e3
    yield Figure("import pavage, beyond Python", beyond, "ms", f"python -c pass: {bare:.1f} ms", IMPORT_BUDGET_MS, True)


@figure
def launch_time():
    """Host time of a launch that has next to nothing to do, beside NumPy's call for the same."""
    a, b, out = (np.ones(16, np.float32) for _ in range(3))
    launch = vector_add.add[(1,)]
    mine, theirs, _ = race(lambda: launch(out, a, b, 16, BLOCK=16), lambda: np.add(a, b, out=out), seconds=0.5)
    yield Figure("launch of 16 elements", mine * 1e6, "us", f"np.add(a, b, out): {theirs * 1e6:.2f} us")

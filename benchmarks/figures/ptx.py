"""Source to PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The first compile of a kernel in a process that has compiled another one: the author's text is read, traced, scheduled
and becomes PTX for sm_80. Several processes with empty caches; the figure is their median.
"""

import os
import statistics
import subprocess
import sys
import tempfile

from figures.compiling import EXAMPLE, EXAMPLES, TILE
from harness import ROOT, Figure, figure

RUNS = 5

OTHER = """
import pavage as _pavage
import pavage.language as _tl

@_pavage.jit
def _other(out, x, N: _tl.constexpr):
    i = _tl.arange(0, N)
    _tl.store(out + i, _tl.load(x + i) * 2 + _tl.sum(_tl.load(x + i), axis=0))

import numpy as _np
_x = _np.zeros(128, _np.float32)
_other.warmup(_x, _x, N=128, grid=(1,))
"""

REPORT = """
import time
start = time.perf_counter()
compiled = compile()
print((time.perf_counter() - start) * 1e3, len(compiled.asm["ptx"]))
"""

IEEE_DOT = """
import pavage, pavage.language as tl

@pavage.jit
def kernel(out, x):
    i = tl.arange(0, 128)[:, None] * 64 + tl.arange(0, 64)[None, :]
    j = tl.arange(0, 64)[:, None] * 128 + tl.arange(0, 128)[None, :]
    d = tl.dot(tl.load(x + i), tl.load(x + j), input_precision="ieee")
    tl.store(out + tl.arange(0, 128)[:, None] * 128 + tl.arange(0, 128)[None, :], d)

def compile():
    import numpy as np
    x = np.zeros(8, np.float32)
    return kernel.warmup(x, x, grid=(1,))
"""

ADD = EXAMPLES["vector_add"].replace("BLOCK=4096", "BLOCK=1024")
MATMUL = EXAMPLES["matmul"].replace("BM=64, BN=64, BK=32", "BM=128, BN=128, BK=32").replace("500", "512")
MATMUL = MATMUL.replace("f, f, f, f", "h, h, h, h", 1)

def example(module, call):
    return EXAMPLE.format(examples=str(ROOT / "examples"), module=module, call=call)


#: Name -> (source, milliseconds allowed).
KERNELS = {
    "vector_add": (example("vector_add", ADD), 15),
    "softmax": (example("softmax", EXAMPLES["softmax"]), 25),
    "layernorm": (example("layernorm", EXAMPLES["layernorm"]), None),
    "matmul f16 128x128x32": (example("matmul", MATMUL) + "\nh = np.zeros(8, np.float16)\n", 70),
    "attention": (example("attention", EXAMPLES["attention"]), 120),
    "ieee dot 128x128x64": (IEEE_DOT, 150),
    "tile 4x65536": (TILE.format(rows=4, cols=65536), 300),
}


def first(source):
    """(milliseconds of the first compile of this kernel in a warm process, bytes of PTX)."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "kernel_of_a_benchmark.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(OTHER + source + REPORT)
        for run in range(RUNS):
            environment = {
                **os.environ, "PAVAGE_DEVICE": "sim:sm_80", "PAVAGE_CACHE_DIR": os.path.join(folder, f"cache{run}"),
            }
            output = subprocess.check_output([sys.executable, program], env=environment, text=True)
            milliseconds, size = output.split()[-2:]
            results.append((float(milliseconds), int(size)))
    return statistics.median(ms for ms, _ in results), results[0][1]


@figure
def source_to_ptx():
    for name, (source, bar) in KERNELS.items():
        milliseconds, size = first(source)
        yield Figure(f"source to PTX, {name}", milliseconds, "ms", f"{size} bytes of PTX; warm process", bar, True)

"""Source to PTX beside Triton. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The same kernels, specialised alike, for sm_80 in a warm process on both sides; ptxas counts for neither.
PAVAGE_TRITON_PYTHON names a Python that has Triton 3.9 (`scripts/triton_ptx_corpus.py --install FOLDER` makes one);
without it the figures are absent.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from figures.ptx import OTHER
from harness import ROOT, Figure, figure

RUNS = 5

#: Case of tests/sim/triton_cases.py -> how many times as fast Pavage must be.
CASES = {
    "add-1024-8": 3,
    "softmax-781-4": 3,
    "layernorm-forward-8": 6,
    "matmul-f16-4": 6,
    "matmul-f16-wide": 6,
    "attention-f16-True-4-3": 10,
}

COMPILE = """
import sys, time, types, importlib.util
import numpy as np
sys.path.insert(0, {tests!r})
import pavage.language as tl
import triton_cases
stand_in = types.ModuleType("triton")
stand_in.jit, stand_in.language, stand_in.cdiv = _pavage.jit, tl, _pavage.cdiv
stand_in.__path__ = []
sys.modules["triton"], sys.modules["triton.language"] = stand_in, tl
case = next(case for case in triton_cases.cases() if case.name == {name!r})
spec = importlib.util.spec_from_file_location("kernels", {root!r} + "/" + case.source)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
arguments = {{b.name: np.zeros(64, b.element) for b in case.buffers}} | case.scalars
arguments |= {{name: getattr(module, value[:-2]) if isinstance(value, str) else value
              for name, value in case.constants.items()}}
start = time.perf_counter()
getattr(module, case.kernel).warmup(**arguments, grid=(1,), num_warps=case.num_warps, num_stages=case.num_stages)
print((time.perf_counter() - start) * 1e3)
"""


def ours(name):
    """Milliseconds of the first compile of this kernel in a process that has compiled another one."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "kernel_of_a_benchmark.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(OTHER + COMPILE.format(tests=str(ROOT / "tests/sim"), root=str(ROOT), name=name))
        for run in range(RUNS):
            environment = {
                **os.environ, "PAVAGE_DEVICE": "sim:sm_80", "PAVAGE_CACHE_DIR": os.path.join(folder, f"cache{run}"),
            }
            output = subprocess.check_output([sys.executable, program], env=environment, text=True)
            results.append(float(output.split()[-1]))
    return statistics.median(results)


def theirs(python):
    """Case -> milliseconds, and Triton's version."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TRITON_CACHE_DIR": folder, "TRITON_DEFAULT_FP_FUSION": "1"}
        script = ROOT / "scripts/triton_ptx_corpus.py"
        subprocess.run([python, script, "-o", folder, "--time", str(RUNS), *CASES], env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "corpus.json"), encoding="utf-8") as file:
            index = json.load(file)
    return {name: facts["milliseconds"] for name, facts in index["cases"].items()}, index["triton"]


@figure
def source_to_ptx_beside_triton():
    python = os.environ.get("PAVAGE_TRITON_PYTHON")
    if not python:
        yield Figure("source to PTX beside Triton", float("nan"), "x", "absent: PAVAGE_TRITON_PYTHON is not set")
        return
    rival, version = theirs(python)
    for name, bar in CASES.items():
        mine = ours(name)
        yield Figure(f"source to PTX, {name}", rival[name] / mine, "x",
                     f"Triton {version}: {rival[name]:.1f} ms, Pavage {mine:.1f} ms", bar)

"""How fast the virtual GPU executes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Warp instructions per second and host core of two CUDA samples: a product on tensor cores with a cp.async pipeline, and
a stencil through shared memory. Time is that of the core, so that other load counts little. Without nvcc there is no
PTX to run, and no figure."""

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import ROOT, Figure, figure

sys.path.insert(0, str(ROOT / "tests" / "sim"))
BOUNDS = "oob,misaligned"


def rate(ptx, kernel, *arguments):
    """(millions of warp instructions per second and core, seconds of the launch) of one run."""
    import samples

    run = subprocess.run([samples.SIM, f"{ptx}:{kernel}", *arguments], capture_output=True, text=True, check=True)
    found = re.search(r"0 findings, ([\d.]+) s, ([\d.]+) M warp", run.stdout)
    assert found, run.stdout + run.stderr
    return float(found[2]), float(found[1])


@figure
def virtual_gpu():
    import samples

    if not samples.NVCC:
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        gemm = [samples.compile_ptx("gemm_mma", 80, 3, folder), "gemm", "--grid", "8,8", "--block", "256"]
        gemm += ["--arg", "f16[1024,1024]=randint", "--arg", "f16[1024,1024]=randint", "--arg", "out:f32[1024,1024]"]
        gemm += ["--args", "1024,1024,1024"]
        stencil = [samples.compile_ptx("stencil", 80, 3, folder), "five_point", "--grid", "64,256", "--block", "32,8"]
        stencil += ["--arg", "f32[2048,2048]=1", "--arg", "out:f32[2048,2048]", "--args", "2048,2048"]
        for name, command, checks, bar in (("mma product, bounds", gemm, BOUNDS, 40),
                                           ("mma product, all checks", gemm, "all", 20),
                                           ("stencil, bounds", stencil, BOUNDS, 40),
                                           ("stencil, all checks", stencil, "all", 20)):
            rates = [rate(*command, "--check", checks, "--threads", "1")[0] for _ in range(7)]
            yield Figure(f"virtual GPU: {name}", statistics.median(rates), "M/s core",
                         f"warp instructions; best of 7: {max(rates):.1f}", bar)
        runs = [rate(*gemm, "--check", "all")[1] for _ in range(3)]
        yield Figure("virtual GPU: 1024^3 f16, all checks", statistics.median(runs), "s", "", 5, True)

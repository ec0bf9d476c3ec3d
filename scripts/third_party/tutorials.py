# Runs Triton's tutorials, each as its own program. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   python -m third_party.tutorials FILE    (one tutorial in this process)
#
# Benchmarks are cut to the least: do_bench calls a function once, and a perf_report measures the smallest of its
# points. What a tutorial checks, by assert or by saying that results differ, decides. Tests that a tutorial has for
# pytest are run, too, on the first values of their parameters.
from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile

#: What the programs print when their own comparison fails.
DIFFERS = ("❌", "differ", "mismatch", "not supported", "requires")
#: Seconds for one.
LIMIT = 600


def wanted(checkout):
    """The tutorials of a checkout that are programs."""
    folder = os.path.join(checkout, "python", "tutorials")
    return [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f[:2].isdigit() and f.endswith(".py")]


def run(path, device, verbose=False):
    """(how it went: passed, failed or skipped; why)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "third_party.tutorials", path]
        scripts = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        search = os.pathsep.join(p for p in (scripts, os.environ.get("PYTHONPATH")) if p)
        environment = dict(os.environ, PYTHONPATH=search, PAVAGE_DEVICE=device, MPLBACKEND="Agg")
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "failed", f"no end after {LIMIT} s"
    if verbose:
        print(done.stdout, done.stderr)
    bad = [line for line in done.stdout.splitlines() if any(word in line for word in DIFFERS)]
    if done.returncode:
        lines = [x for x in done.stderr.strip().splitlines() if x.strip()]
        numbered = [x for x in lines if "error PV" in x]
        return "failed", (numbered or lines or ["no output"])[-1 if not numbered else 0]
    if bad:
        says_skip = any(word in bad[0] for word in ("not supported", "requires"))
        return ("skipped" if says_skip else "failed"), bad[0]
    return "passed", ""


def _once(fn, *args, quantiles=None, return_mode="mean", **kwargs):
    fn()
    return [1.0] * len(quantiles) if quantiles is not None and len(quantiles) > 1 else 1.0


def _smallest(mark):
    """Leaves one point of each plot of a perf_report."""
    many = isinstance(mark.benchmarks, (list, tuple))
    for b in mark.benchmarks if many else [mark.benchmarks]:
        b.x_vals = [min(b.x_vals, key=lambda x: sum(x) if isinstance(x, (list, tuple)) else x)]
    if many:
        mark.benchmarks = list(mark.benchmarks)[:2]
    return mark


def _run_tests(names):
    """Calls test functions with one value of each parameter of pytest.mark.parametrize."""
    for name, test in list(names.items()):
        if not name.startswith("test_") or not hasattr(test, "pytestmark"):
            continue
        chosen = {}
        for mark in test.pytestmark:
            if mark.name == "parametrize":
                keys = [k.strip() for k in mark.args[0].split(",")] if isinstance(mark.args[0], str) else mark.args[0]
                first = next(iter(mark.args[1]))
                chosen.update(zip(keys, first if len(keys) > 1 else [first]))
        test(**chosen)
        print(f"{name}{chosen} passed")


def main(path):
    """Runs one tutorial."""
    from pavage.compat import triton as layer
    from pavage.compat.triton.torch_device import redirect

    layer.install()
    redirect("cpu")
    import triton.testing

    report = triton.testing.perf_report
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = _once
    triton.testing.perf_report = lambda benchmarks: lambda fn: _smallest(report(benchmarks)(fn))
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    _run_tests(runpy.run_path(path, run_name="__main__"))


if __name__ == "__main__":
    main(sys.argv[1])

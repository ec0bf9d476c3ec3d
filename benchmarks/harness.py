"""How figures are measured: a registry, and races against a rival in the same run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib
import os
import platform
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REGISTRY: dict = {}


@dataclass
class Figure:
    """One measured number. `bar` is what must be reached: at least it, or at most it where `at_most` is set."""

    name: str
    value: float
    unit: str
    rival: str = ""
    bar: float | None = None
    at_most: bool = False

    @property
    def verdict(self):
        if self.bar is None:
            return "-"
        return "met" if (self.value <= self.bar if self.at_most else self.value >= self.bar) else "short"

    def line(self):
        bar = "" if self.bar is None else f"{'<=' if self.at_most else '>='} {self.bar:g}"
        return f"{self.name:34} {self.value:10.3g} {self.unit:10} {self.rival:60} {bar:9} {self.verdict}"

    def as_json(self):
        return {**asdict(self), "verdict": self.verdict}


def figure(function):
    """Registers a function that returns a list of Figures under its own name."""
    REGISTRY[function.__name__] = function
    return function


def load_figures():
    sys.path.insert(0, str(ROOT / "examples"))
    for path in sorted((ROOT / "benchmarks" / "figures").glob("*.py")):
        importlib.import_module(f"figures.{path.stem}")
    return REGISTRY


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def race(ours, theirs, seconds=1.0, rounds=15):
    """(our seconds, their seconds, their time / ours), each a median over rounds in which the two alternate.

    A round repeats each call until it lasts long enough for the clock; the first call of each is not counted.
    """
    ours(), theirs()
    once = max(min(seconds_of(ours) for _ in range(3)) + min(seconds_of(theirs) for _ in range(3)), 1e-7)
    repeat = max(1, int(seconds / rounds / once))
    pairs = []
    for _ in range(rounds):
        pair = []
        for call in (ours, theirs):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            pair.append((time.perf_counter() - start) / repeat)
        pairs.append(pair)
        if sum(map(sum, pairs)) * repeat > 10 * seconds and len(pairs) >= 3:
            break
    return (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
            statistics.median(b / a for a, b in pairs))


def cpu_name():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def threads():
    return int(os.environ.get("PAVAGE_NUM_THREADS") or len(os.sched_getaffinity(0)))


def numpy_configuration():
    """What the rival runs with: NumPy's version, its BLAS, the BLAS kernel chosen and its threads."""
    import numpy
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    text = f"NumPy {numpy.__version__}"
    for pool in threadpool_info():
        if pool.get("user_api") == "blas":
            text += f", {pool['internal_api']} {pool['version']} {pool.get('architecture', '')}"
            text += f" {pool['num_threads']} threads"
            break
    return text

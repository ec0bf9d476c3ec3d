# The pytest plugin of run_triton_tests.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the layer, and times compilation per case.

JUDGE_FOLDER: where each process leaves compile-PID.json, {case: milliseconds}. JUDGE_ONLY: a file of node ids; other
cases are not run. JUDGE_OPEN=1: the tests are not told that the device is a CPU. They skip what other CPU back ends
cannot do; so asked, they run it.
"""
import collections
import json
import os
import time

import pavage.compat.triton

pavage.compat.triton.install()

_times = collections.defaultdict(float)
_case = [None]


def _time_compilation():
    from pavage import _pavage, compiler

    get_variant = compiler.get_variant

    def timed(*args, **kwargs):
        start = time.perf_counter()
        variant = get_variant(*args, **kwargs)
        if _case[0] and _pavage.variant_info(variant)[0] == 0:  # compiled, not read from disk
            _times[_case[0]] += 1000 * (time.perf_counter() - start)
        return variant

    compiler.get_variant = timed


def _hide_the_cpu():
    from triton import _internal_testing

    _internal_testing.is_cpu = lambda: False


_time_compilation()
if os.environ.get("JUDGE_OPEN"):
    _hide_the_cpu()


def pytest_collection_modifyitems(config, items):
    path = os.environ.get("JUDGE_ONLY")
    if path:
        with open(path, encoding="utf-8") as f:
            wanted = set(f.read().splitlines())
        kept = [i for i in items if _name(i.nodeid) in wanted]
        config.hook.pytest_deselected(items=[i for i in items if _name(i.nodeid) not in wanted])
        items[:] = kept


def _name(nodeid):
    """FILE::CASE, however pytest spells the folder."""
    path, _, case = nodeid.partition("::")
    return f"{os.path.basename(path)}::{case}"


def pytest_runtest_logstart(nodeid):
    _case[0] = _name(nodeid)


def pytest_sessionfinish():
    folder = os.environ.get("JUDGE_FOLDER")
    if folder and _times:
        with open(os.path.join(folder, f"compile-{os.getpid()}.json"), "w", encoding="utf-8") as f:
            json.dump(_times, f)

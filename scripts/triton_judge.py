# The pytest plugin of run_triton_tests.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the layer, and writes what happens to a file of JSON lines, as it happens.

JUDGE_RECORD: the file; each line {"case": "FILE::CASE", "outcome": started|passed|failed|skipped, "reason": text,
"compile": milliseconds}. Cases that have an outcome there already are not run.
JUDGE_OPEN=1: cases that were skipped are run, and the tests are not told that the device is a CPU: they skip what
other CPU back ends cannot do, and so asked, they run it.
"""
import json
import os
import time

import pytest

import pavage.compat.triton

pavage.compat.triton.install()

_RECORD, _OPEN = os.environ["JUDGE_RECORD"], bool(os.environ.get("JUDGE_OPEN"))
_compiled = [0.0]


def _time_compilation():
    from pavage import _pavage, compiler

    get_variant = compiler.get_variant

    def timed(*args, **kwargs):
        start = time.perf_counter()
        variant = get_variant(*args, **kwargs)
        if _pavage.variant_info(variant)[0] == 0:  # compiled, not read from disk
            _compiled[0] += 1000 * (time.perf_counter() - start)
        return variant

    compiler.get_variant = timed


_time_compilation()
if _OPEN:
    from triton import _internal_testing

    _internal_testing.is_cpu = lambda: False


def _name(nodeid):
    """FILE::CASE, however pytest spells the folder."""
    path, _, case = nodeid.partition("::")
    return f"{os.path.basename(path)}::{case}"


def _write(case, outcome, reason="", compile=0.0):
    line = {"case": case, "outcome": outcome, "reason": reason, "compile": round(compile, 2), "open": _OPEN}
    with open(_RECORD, "a", encoding="utf-8") as f:
        f.write(json.dumps(line) + "\n")


def _wanted():
    """(whether a case is to be run) by what the record says."""
    known = {}
    if os.path.exists(_RECORD):
        with open(_RECORD, encoding="utf-8") as f:
            for line in map(json.loads, f):
                known[line["case"]] = line["outcome"], line["open"]
    if _OPEN:
        return lambda case: known.get(case) == ("skipped", False)
    return lambda case: case not in known


def pytest_collection_modifyitems(config, items):
    wanted = _wanted()
    kept = [i for i in items if wanted(_name(i.nodeid))]
    config.hook.pytest_deselected(items=[i for i in items if not wanted(_name(i.nodeid))])
    items[:] = kept


def pytest_collectreport(report):
    if report.failed and not _OPEN:
        _write(f"{os.path.basename(report.nodeid)}::(collection)", "failed", _reason(report.longreprtext))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _compiled[0] = 0.0
    _write(_name(item.nodeid), "started")
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    case = _name(item.nodeid)
    if report.failed:
        _write(case, "failed", _reason(report.longreprtext), _compiled[0])
    elif report.skipped:
        reason = getattr(report, "wasxfail", None)
        reason = f"xfail: {reason}" if reason is not None else report.longrepr[2] if report.longrepr else ""
        _write(case, "skipped", str(reason).removeprefix("Skipped: ")[:150])
    elif report.when == "call":
        _write(case, "passed", "", _compiled[0])


def _reason(text):
    """The line of a failure that says most."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = next((x for x in lines if ": error PV" in x), None) or next((x for x in lines if "Error" in x), None)
    line = found or (lines[-1] if lines else "")
    return line[line.find("error PV") if ": error PV" in line else 0 :].removeprefix("E ").strip()[:300]

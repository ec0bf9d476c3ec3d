#!/usr/bin/env python3
# Runs Triton's own language tests on Pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's language tests as the judge of `pavage.compat.triton`.

    python scripts/run_triton_tests.py CHECKOUT [--device cpu|interp] [--file test_core.py]... [-k EXPRESSION] [-n JOBS]

CHECKOUT is a checkout of triton-lang/triton-cpu outside of this project. Runs with the Python that runs this script,
which must import pavage, torch, numpy and pytest (with pytest-xdist for -n). Prints a table: per test function how
many cases passed, failed and were skipped, then the reasons of failures by frequency. Nothing of the checkout is
changed or kept.
"""
from __future__ import annotations

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

_PLUGIN = """
import pavage.compat.triton
pavage.compat.triton.install()
"""


def run(options, folder):
    """Runs pytest; returns the path of its JUnit report."""
    with open(os.path.join(folder, "pavage_judge.py"), "w", encoding="utf-8") as f:
        f.write(_PLUGIN)
    report = os.path.join(folder, "report.xml")
    tests = os.path.join(options.checkout, "python", "test", "unit")
    files = [os.path.join(tests, f) if "/" in f else os.path.join(tests, "language", f) for f in options.file]
    command = [sys.executable, "-m", "pytest", "-p", "pavage_judge", "-q", "-x" if options.stop else "-q", "--tb=line",
               "--device", "cpu", f"--junitxml={report}", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", *files]
    if options.jobs > 1:
        command += ["-n", str(options.jobs), "--max-worker-restart=1000"]
    if options.k:
        command += ["-k", options.k]
    path = os.pathsep.join(p for p in (folder, os.environ.get("PYTHONPATH")) if p)
    environment = dict(os.environ, PYTHONPATH=path, PAVAGE_DEVICE=options.device)
    subprocess.run(command, cwd=folder, env=environment, stdout=None if options.verbose else subprocess.DEVNULL)
    return report


def _reason(text):
    """The first line of a failure, without numbers and names that differ from case to case."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    line = next((x for x in lines if "PV0" in x or "Error" in x), lines[0] if lines else "")
    found = re.search(r"(error PV\d+: .*)", line) or re.search(r"((?:\w+Error|Exception|Failed).*)", line)
    return re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?\b", "N", (found.group(1) if found else line))[:150]


def summarise(report, seconds):
    """Prints the tables; returns how many failed."""
    by_test = collections.defaultdict(collections.Counter)
    reasons = collections.Counter()
    skips = collections.Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.get("name", "").partition("[")[0]
        failure = case.find("failure")
        failure = case.find("error") if failure is None else failure
        skipped = case.find("skipped")
        if failure is not None:
            by_test[name]["failed"] += 1
            reasons[_reason(failure.get("message") or failure.text or "")] += 1
        elif skipped is not None:
            by_test[name]["skipped"] += 1
            skips[(skipped.get("message") or "")[:100]] += 1
        else:
            by_test[name]["passed"] += 1
    total = sum(by_test.values(), collections.Counter())
    print(f"{'test':44} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for name, counts in sorted(by_test.items(), key=lambda item: (-item[1]["failed"], item[0])):
        print(f"{name:44} {counts['passed']:7} {counts['failed']:7} {counts['skipped']:8}")
    print(f"{'all':44} {total['passed']:7} {total['failed']:7} {total['skipped']:8}   {seconds:.0f} s")
    for title, counter in (("reasons of failures", reasons), ("reasons of skips", skips)):
        if counter:
            print(f"\n{title}:")
            for text, count in counter.most_common(40):
                print(f"{count:6}  {text}")
    return total["failed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--file", action="append", help="default: test_core.py")
    parser.add_argument("-k", help="as pytest's -k")
    parser.add_argument("-n", "--jobs", type=int, default=1)
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    parser.add_argument("-v", "--verbose", action="store_true", help="show pytest's output")
    options = parser.parse_args()
    options.checkout = os.path.abspath(options.checkout)
    options.file = options.file or ["test_core.py"]
    if not os.path.isdir(os.path.join(options.checkout, "python", "test", "unit", "language")):
        sys.exit(f"expected a checkout of triton-lang/triton-cpu, got {options.checkout}")
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        report = run(options, folder)
        if not os.path.exists(report):
            sys.exit("pytest left no report; run again with --verbose")
        return 1 if summarise(report, time.monotonic() - start) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Runs Triton's own language tests on Pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's own tests as the judge of `pavage.compat.triton`.

    python scripts/run_triton_tests.py CHECKOUT [--device cpu|interp] [--file language/test_core.py]... [--all]
                                       [-k EXPRESSION] [-n JOBS]

CHECKOUT is a checkout of triton-lang/triton-cpu outside of this project. Runs with the Python that runs this script,
which must import pavage, torch, numpy and pytest (pytest-xdist for -n, expecttest for some files). `triton_tests.toml`
says which files are judged, and which cases of them are not and why; `--list` prints it.

Cases that skip themselves because "the CPU cannot do this" run a second time without being told that there is a CPU.
Prints: per test function how many cases passed, failed and were skipped; the reasons of failures and skips; the
median time of compilation per case. Nothing of the checkout is changed or kept.
"""
from __future__ import annotations

import argparse
import collections
import glob
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))


def read_table():
    with open(os.path.join(HERE, "triton_tests.toml"), "rb") as f:
        return tomllib.load(f)


def run_pytest(options, folder, files, only=None, is_open=False):
    """Runs pytest on the files; returns the path of its JUnit report."""
    report = os.path.join(folder, f"report{'-open' if is_open else ''}.xml")
    tests = os.path.join(options.checkout, "python", "test", "unit")
    command = [sys.executable, "-m", "pytest", "-p", "triton_judge", "-q", "-x" if options.stop else "-q", "--tb=line",
               "--device", "cpu", f"--junitxml={report}", "-p", "no:cacheprovider", "--continue-on-collection-errors", "-o", "junit_family=xunit1",
               "--rootdir", tests, *(os.path.join(tests, f) for f in files)]
    if importlib.util.find_spec("pytest_timeout"):
        command += ["--timeout", str(options.timeout)]
    if options.jobs > 1:
        command += ["-n", str(options.jobs), "--max-worker-restart=1000"]
    if options.k:
        command += ["-k", options.k]
    path = os.pathsep.join(p for p in (HERE, os.environ.get("PYTHONPATH")) if p)
    environment = dict(os.environ, PYTHONPATH=path, PAVAGE_DEVICE=options.device, JUDGE_FOLDER=folder)
    environment["PAVAGE_CACHE_DIR"] = os.path.join(folder, "cache")
    if only is not None:
        environment["JUDGE_ONLY"] = only
    if is_open:
        environment["JUDGE_OPEN"] = "1"
    subprocess.run(command, cwd=folder, env=environment, stdout=None if options.verbose else subprocess.DEVNULL)
    return report


def reason_of(text):
    """The first line of a failure, without numbers and names that differ from case to case."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    line = next((x for x in lines if "PV0" in x or "Error" in x), lines[0] if lines else "")
    found = re.search(r"(error PV\d+: .*)", line) or re.search(r"((?:\w+Error|Exception|Failed).*)", line)
    return re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?\b", "N", (found.group(1) if found else line))[:150]


def read_report(report):
    """{FILE::CASE: (outcome, reason)}; outcome is passed, failed or skipped."""
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        where, name = case.get("classname", ""), case.get("name", "")
        failure = case.find("failure")
        failure = case.find("error") if failure is None else failure
        skipped = case.find("skipped")
        key = f"{where.rpartition('.')[2]}.py::{name}"
        if failure is not None:
            found[key] = "failed", reason_of(failure.get("message") or failure.text or "")
        elif skipped is not None:
            found[key] = "skipped", (skipped.get("message") or skipped.get("type") or "")[:100]
        else:
            found[key] = "passed", ""
    return found


def judge(options, folder, files):
    """All outcomes, those of the second run put in place of skips; and how many the second run added."""
    outcomes = read_report(run_pytest(options, folder, files))
    again = [key for key, (outcome, _) in outcomes.items() if outcome == "skipped"]
    added = 0
    if again and not options.once:
        path = os.path.join(folder, "again.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(again))
        report = run_pytest(options, folder, files, only=path, is_open=True)
        if os.path.exists(report):
            second = {k: v for k, v in read_report(report).items() if k in outcomes}
            added = sum(v[0] == "passed" for v in second.values())
            outcomes.update(second)
    return outcomes, added


def excuse(outcomes, table):
    """Takes out what the table says is not judged: {reason: count}."""
    rules = {}
    for entry in table["file"]:
        for rule in entry.get("not_judged", ()):
            for test in rule["tests"]:
                rules[os.path.basename(entry["name"]), test] = rule["why"]
    left_out = collections.Counter()
    for key in list(outcomes):
        file, _, case = key.partition("::")
        why = rules.get((file, case)) or rules.get((file, case.partition("[")[0]))
        if why and outcomes[key][0] != "passed":
            left_out[why] += 1
            del outcomes[key]
    return left_out


def summarise(outcomes, left_out, added, folder, seconds):
    """Prints the tables; returns how many failed."""
    by_test, reasons = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    by_file = collections.defaultdict(collections.Counter)
    for key, (outcome, reason) in outcomes.items():
        file, _, case = key.partition("::")
        by_test[case.partition("[")[0]][outcome] += 1
        by_file[file][outcome] += 1
        if reason:
            reasons[outcome][reason] += 1
    columns = "passed", "failed", "skipped"
    for title, rows in (("test", by_test), ("file", by_file)):
        print(f"\n{title:56} {columns[0]:>7} {columns[1]:>7} {columns[2]:>8}")
        for name, counts in sorted(rows.items(), key=lambda item: (-item[1]["failed"], item[0])):
            print(f"{name:56} {counts['passed']:7} {counts['failed']:7} {counts['skipped']:8}")
    total = sum(by_test.values(), collections.Counter())
    for title, counter in (("failures", reasons["failed"]), ("skips", reasons["skipped"]), ("not judged", left_out)):
        if counter:
            print(f"\n{title}:")
            for text, count in counter.most_common(60):
                print(f"{count:6}  {text}")
    times = {}
    for path in glob.glob(os.path.join(folder, "compile-*.json")):
        with open(path, encoding="utf-8") as f:
            times.update(json.load(f))
    judged = total["passed"] + total["failed"]
    print(f"\nall: {total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped, "
          f"{sum(left_out.values())} not judged; {added} of the passed ones skip themselves on a CPU")
    if judged:
        print(f"{100 * total['passed'] / judged:.2f} % of what was judged passed, in {seconds:.0f} s")
    if times:
        ordered = sorted(times.values())
        print(f"compilation per case: median {statistics.median(ordered):.1f} ms, 90 % within "
              f"{ordered[int(0.9 * (len(ordered) - 1))]:.1f} ms, longest {ordered[-1]:.0f} ms, {len(ordered)} cases")
    return total["failed"]


def list_table(table):
    for entry in table["file"]:
        print(f"{entry['name']}: {'judged' if entry['judged'] else 'not judged: ' + entry['why']}")
        for rule in entry.get("not_judged", ()):
            print(f"    but {', '.join(rule['tests'])}: {rule['why']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--file", action="append", help="below python/test/unit; default: language/test_core.py")
    parser.add_argument("--all", action="store_true", help="every file that the table says is judged")
    parser.add_argument("--list", action="store_true", help="print the table")
    parser.add_argument("-k", help="as pytest's -k")
    parser.add_argument("-n", "--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=120, help="seconds per case, where pytest-timeout is there")
    parser.add_argument("--once", action="store_true", help="leave cases that skip themselves alone")
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    parser.add_argument("-v", "--verbose", action="store_true", help="show pytest's output")
    options = parser.parse_args()
    table = read_table()
    if options.list:
        list_table(table)
        return 0
    options.checkout = os.path.abspath(options.checkout or "")
    files = [entry["name"] for entry in table["file"] if entry["judged"]] if options.all else options.file
    files = [f if "/" in f else f"language/{f}" for f in files or ["test_core.py"]]
    if not os.path.isdir(os.path.join(options.checkout, "python", "test", "unit", "language")):
        sys.exit(f"expected a checkout of triton-lang/triton-cpu, got {options.checkout}")
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        outcomes, added = judge(options, folder, files)
        left_out = excuse(outcomes, table)
        return 1 if summarise(outcomes, left_out, added, folder, time.monotonic() - start) else 0


if __name__ == "__main__":
    sys.exit(main())

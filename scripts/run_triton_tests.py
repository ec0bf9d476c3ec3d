#!/usr/bin/env python3
# Runs Triton's own language tests on Pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's own tests as the judge of `pavage.compat.triton`.

    python scripts/run_triton_tests.py CHECKOUT [--device cpu|interp] [--file language/test_core.py]... [--all]
                                       [-k EXPRESSION] [-n JOBS] [--record FILE [--summary]]

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

HERE = os.path.dirname(os.path.abspath(__file__))


def read_table():
    with open(os.path.join(HERE, "triton_tests.toml"), "rb") as f:
        return tomllib.load(f)


def run_pytest(options, folder, record, files, is_open=False):
    """Runs what the record lacks, again after a crash, which is a failure of the case that ran."""
    tests = os.path.join(options.checkout, "python", "test", "unit")
    command = [sys.executable, "-m", "pytest", "-p", "triton_judge", "-q", "--tb=short", "--device", "cpu", "-p",
               "no:cacheprovider", "--continue-on-collection-errors", "--rootdir", tests]
    command += [os.path.join(tests, f) for f in files]
    if importlib.util.find_spec("pytest_timeout"):
        command += ["--timeout", str(options.timeout)]
    if options.jobs > 1:
        command += ["-n", str(options.jobs), "--max-worker-restart=1000"]
    if options.k:
        command += ["-k", options.k]
    # Programs that the tests start find the layer, too.
    with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as f:
        f.write("import pavage.compat.triton\npavage.compat.triton.install()\n")
    path = os.pathsep.join(p for p in (folder, HERE, os.environ.get("PYTHONPATH")) if p)
    environment = dict(os.environ, PYTHONPATH=path, PAVAGE_DEVICE=options.device, JUDGE_RECORD=record)
    environment.setdefault("PAVAGE_CACHE_DIR", os.path.join(folder, "cache"))
    if is_open:
        environment["JUDGE_OPEN"] = "1"
    for _ in range(100):
        done = subprocess.run(command, cwd=folder, env=environment,
                              stdout=None if options.verbose else subprocess.DEVNULL)
        if done.returncode in (0, 1, 5):  # all passed, some failed, none to run
            return
        crashed = [case for case, line in read_record(record).items() if line["outcome"] == "started"]
        if not crashed:
            sys.exit(f"pytest ended with {done.returncode}; run again with --verbose")
        with open(record, "a", encoding="utf-8") as f:
            for case in crashed:
                line = {"case": case, "outcome": "failed", "reason": f"crashed ({done.returncode})", "compile": 0}
                f.write(json.dumps({**line, "open": is_open}) + "\n")


def read_record(record):
    """{FILE::CASE: its last line}."""
    if not os.path.exists(record):
        return {}
    with open(record, encoding="utf-8") as f:
        return {line["case"]: line for line in map(json.loads, f)}


def general(reason):
    """A reason without numbers and names that differ from case to case."""
    return re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?\b", "N", reason)[:150]


def judge(options, folder, record, files):
    """{FILE::CASE: line of the record}; cases that skipped themselves on a CPU have run without being told of one."""
    run_pytest(options, folder, record, files)
    if not options.once:
        run_pytest(options, folder, record, files, is_open=True)
    return read_record(record)


def excuse(outcomes, table):
    """Takes out what the table says is not judged: {reason: count}. What passes nevertheless stays."""
    rules = {}
    for entry in table["file"]:
        for rule in entry.get("not_judged", ()):
            for test in rule["tests"]:
                rules[os.path.basename(entry["name"]), test] = rule["why"]
    left_out = collections.Counter()
    for key in list(outcomes):
        file, _, case = key.partition("::")
        why = rules.get((file, case)) or rules.get((file, case.partition("[")[0]))
        if why and outcomes[key]["outcome"] != "passed":
            left_out[why] += 1
            del outcomes[key]
    return left_out


def summarise(outcomes, left_out, seconds):
    """Prints the tables; returns how many failed."""
    by_test, by_file, reasons = (collections.defaultdict(collections.Counter) for _ in range(3))
    for key, line in outcomes.items():
        file, _, case = key.partition("::")
        by_test[f"{file.removesuffix('.py')} {case.partition('[')[0]}"][line["outcome"]] += 1
        by_file[file][line["outcome"]] += 1
        if line["reason"]:
            reasons[line["outcome"]][general(line["reason"])] += 1
    columns = "passed", "failed", "skipped"
    for title, rows in (("test", by_test), ("file", by_file)):
        print(f"\n{title:72} {columns[0]:>7} {columns[1]:>7} {columns[2]:>8}")
        for name, counts in sorted(rows.items(), key=lambda item: (-item[1]["failed"], item[0])):
            print(f"{name:72} {counts['passed']:7} {counts['failed']:7} {counts['skipped']:8}")
    total = sum(by_file.values(), collections.Counter())
    for title, counter in (("failures", reasons["failed"]), ("skips", reasons["skipped"]), ("not judged", left_out)):
        if counter:
            print(f"\n{title}:")
            for text, count in counter.most_common(60):
                print(f"{count:6}  {text}")
    opened = sum(line["open"] and line["outcome"] == "passed" for line in outcomes.values())
    print(f"\nall: {total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped, "
          f"{sum(left_out.values())} not judged; {opened} of the passed ones skip themselves where a CPU is named")
    judged = total["passed"] + total["failed"]
    if judged:
        print(f"{100 * total['passed'] / judged:.2f} % of what was judged passed, in {seconds:.0f} s")
    times = sorted(line["compile"] for line in outcomes.values() if line["compile"])
    if times:
        print(f"compilation per case: median {statistics.median(times):.1f} ms, 90 % within "
              f"{times[int(0.9 * (len(times) - 1))]:.1f} ms, longest {times[-1]:.0f} ms, {len(times)} cases")
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
    parser.add_argument("--record", help="file of outcomes, kept; cases that are in it are not run again")
    parser.add_argument("--summary", action="store_true", help="run nothing; print what the record says")
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
        record = os.path.abspath(options.record) if options.record else os.path.join(folder, "record.jsonl")
        if options.summary:
            outcomes = {key: line for key, line in read_record(record).items() if line["outcome"] != "started"}
        else:
            outcomes = judge(options, folder, record, files)
        left_out = excuse(outcomes, table)
        return 1 if summarise(outcomes, left_out, time.monotonic() - start) else 0


if __name__ == "__main__":
    sys.exit(main())

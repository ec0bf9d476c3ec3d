#!/usr/bin/env python3
"""Runs ctest in a build folder and sums up the JUnit files that each entry leaves.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    scripts/run_tests.py build [--label 'unit|lit'] [--jobs N]

The last line is `N passed, N failed, N skipped`. An entry that fails without naming a failed test (a crash, a
time-out), that leaves no file, or that ran no test counts as one failure. Exit code 0 only when nothing failed and
something passed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def sum_up(path):
    """(passed, failed, skipped, names of the failed) of one JUnit file."""
    passed, skipped, failed = 0, 0, []
    for case in ET.parse(path).iter("testcase"):
        tags = {child.tag for child in case}
        if tags & {"failure", "error"}:
            failed.append(f"{case.get('classname') or ''}.{case.get('name')}".lstrip("."))
        elif "skipped" in tags or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def junit_of(entry, results):
    """The file that an entry of ctest said on its command line that it would write."""
    for word in entry.get("command", []):
        match = re.search(r"=(?:xml:)?(.*\.xml)$", word)
        if match and Path(match.group(1)).is_relative_to(results):
            return Path(match.group(1))
    return None


def judge(name, status, junit):
    """(passed, failed, skipped, complaints) of one ctest entry."""
    if junit is None or not junit.is_file():
        return 0, 1, 0, [f"{name}: {status}, left no result file"]
    try:
        passed, failed, skipped = sum_up(junit)
    except ET.ParseError as error:
        return 0, 1, 0, [f"{name}: {status}, result file is damaged ({error})"]
    complaints = [f"{name}: {case}" for case in failed]
    if status != "run" and not failed:
        complaints.append(f"{name}: {status} although each of its tests passed (a crash or a time-out?)")
    elif not (passed or failed or skipped):
        complaints.append(f"{name}: ran no test")
    return passed, len(complaints), skipped, complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--label", help="only entries whose label matches this regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    results = build / "test-results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)

    select = ["-L", arguments.label] if arguments.label else []
    ctest = ["ctest", "--test-dir", str(build), *select]
    listing = subprocess.run([*ctest, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    entries = json.loads(listing.stdout)["tests"]
    for entry in entries:  # lit makes no folder for its file
        (junit_of(entry, results) or results).parent.mkdir(parents=True, exist_ok=True)
    overview = results / "ctest.xml"
    subprocess.run([*ctest, "--output-on-failure", "--no-tests=error", "-j", str(arguments.jobs),
                    "--output-junit", str(overview)])
    statuses = {}
    if overview.is_file():
        statuses = {case.get("name"): case.get("status") for case in ET.parse(overview).iter("testcase")}

    total_passed = total_failed = total_skipped = 0
    complaints = []
    print()
    for entry in entries:
        name = entry["name"]
        passed, failed, skipped, more = judge(name, statuses.get(name, "not run"), junit_of(entry, results))
        print(f"{name:40} {passed:6} passed {failed:4} failed {skipped:4} skipped")
        complaints += more
        total_passed += passed
        total_failed += failed
        total_skipped += skipped
    for complaint in complaints:
        print(f"FAILED {complaint}")
    print(f"{total_passed} passed, {total_failed} failed, {total_skipped} skipped", flush=True)
    return 0 if total_passed and not total_failed else 1


if __name__ == "__main__":
    sys.exit(main())

# Runs tests that a library brings along. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

_PLUGIN = """
import pavage.compat.triton
pavage.compat.triton.install()
"""


def run(checkout, files, device, expression=None, seconds=3600, verbose=False):
    """(passed, failed, skipped), reasons of failures and of skips, of pytest over files of a checkout.

    The checkout's `src` is on the path; the library chooses its own device, which without a GPU is the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "pavage_third_party.py"), "w", encoding="utf-8") as f:
            f.write(_PLUGIN)
        report = os.path.join(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-p", "pavage_third_party", "-q", "--tb=short",
                   "-p", "no:cacheprovider", f"--rootdir={checkout}", f"--junitxml={report}", *files]
        if expression:
            command += ["-k", expression]
        search = [folder, os.path.join(checkout, "src"), checkout, os.environ.get("PYTHONPATH", "")]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in search if p), PAVAGE_DEVICE=device,
                           HF_HUB_OFFLINE="1")
        try:
            where = None if verbose else subprocess.DEVNULL
            subprocess.run(command, cwd=checkout, env=environment, timeout=seconds, stdout=where, stderr=where)
        except subprocess.TimeoutExpired:
            return collections.Counter(), collections.Counter({f"no end after {seconds} s": 1}), collections.Counter()
        if not os.path.exists(report):
            return collections.Counter(), collections.Counter({"pytest left no report": 1}), collections.Counter()
        return _read(report)


def _read(report):
    counts, failures, skips = collections.Counter(), collections.Counter(), collections.Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        bad = case.find("failure")
        bad = case.find("error") if bad is None else bad
        skipped = case.find("skipped")
        how = "failed" if bad is not None else "skipped" if skipped is not None else "passed"
        counts[how] += 1
        if bad is not None:
            failures[f"{case.get('name', '').partition('[')[0]}: {_first(bad.get('message') or bad.text or '')}"] += 1
        elif skipped is not None:
            skips[_first(skipped.get("message") or "")] += 1
    return counts, failures, skips


def _first(text):
    lines = [line for line in text.splitlines() if line.strip()]
    line = next((x for x in lines if "error PV" in x), lines[0] if lines else "")
    return re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?(e[-+]\d+)?\b", "N", line)[:160]

#!/usr/bin/env python3
# Runs and compiles kernels that others wrote for Triton. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Third-party code, unchanged, as a judge of `pavage.compat.triton`.

    python scripts/run_third_party.py NAME=CHECKOUT ... [--target cpu|sm_80] [--device cpu] [--seed 0] [--count 300]
                                      [--only tutorials|compile|tests] [--out FOLDER]

NAME says what the checkout is and what is done with it:

    triton-cpu, triton   the tutorials run, and check what they check
    liger                all jit functions compile; the library's tests of norms, geglu, swiglu, rope and cross-entropy
    fla, flaggems        a sample of both together, drawn with --seed, compiles

Signatures come from annotations, decorators, usage and names (third_party/signatures.py), several per kernel; one that
compiles counts. A function that only other kernels call counts through them. Runs with the Python that runs this
script, which must import pavage, torch, numpy and pytest, for Liger's tests also transformers. Nothing of a checkout
is changed or kept.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from third_party import suites, tutorials
from third_party.compile_all import functions_of

#: Package by name of a checkout: (folder that is imported from, package, folders that are left out).
PACKAGES = {
    "liger": ("src", "liger_kernel", ()),
    "fla": ("", "fla", ()),
    "flaggems": ("src", "flag_gems", ("runtime/backend/_",)),
}
SAMPLED = ("fla", "flaggems")
LIGER_TESTS = ("rms_norm", "layer_norm", "group_norm", "fused_add_rms_norm", "poly_norm", "dyt", "geglu", "swiglu",
               "rope", "llama4_rope", "qwen2vl_mrope", "cross_entropy")
KERNEL_SECONDS = 60


def kernels_of(name, checkout):
    """(root of imports, package, [(file, line, function)])."""
    folder, package, without = PACKAGES[name]
    root = os.path.realpath(os.path.join(checkout, folder))
    found = []
    for place, folders, files in os.walk(os.path.join(root, package)):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(place, file)
            inside = os.path.relpath(path, os.path.join(root, package))
            if file.endswith(".py") and not inside.startswith(tuple(without) or ("\0",)):
                found += [(path, line, function) for line, function, _ in functions_of(path)]
    return root, package, found


def compile_kernels(root, package, kernels, names, options):
    """How it went with each of `names` (None: all): dicts with file, line, name, how, error, attempt."""
    files = sorted({k[0] for k in (names or kernels)})
    with tempfile.TemporaryDirectory() as folder:
        request, out = os.path.join(folder, "request.json"), os.path.join(folder, "out.json")
        with open(request, "w", encoding="utf-8") as f:
            json.dump({"root": root, "package": package, "files": files, "names": names, "target": options.target,
                       "seconds": KERNEL_SECONDS, "out": out}, f)
        here = os.path.dirname(os.path.abspath(__file__))
        search = os.pathsep.join(p for p in (here, os.environ.get("PYTHONPATH")) if p)
        environment = dict(os.environ, PYTHONPATH=search, PAVAGE_DEVICE=options.device)
        subprocess.run([sys.executable, "-m", "third_party.compile_all", request], env=environment, cwd=folder,
                       stdout=None if options.verbose else subprocess.DEVNULL,
                       stderr=None if options.verbose else subprocess.DEVNULL)
        if not os.path.exists(out):
            return [{"file": k[0], "line": k[1], "name": k[2], "how": "failed", "error": "the compiling process died"}
                    for k in (names or kernels)]
        with open(out, encoding="utf-8") as f:
            return json.load(f)


def reason(text):
    """The first line of an error without numbers that differ from case to case."""
    lines = [line for line in (text or "").splitlines() if line.strip()]
    line = next((x for x in lines if "error PV" in x), lines[0] if lines else "")
    line = re.sub(r"^.*?(error PV\d+)", r"\1", line)
    return re.sub(r"(?<!PV)\b\d+(\.\d+)?\b", "N", line)[:140]


def report(title, rows, options):
    """Prints the table of one collection; returns how many did not compile."""
    hows = collections.Counter(r["how"] for r in rows)
    first = sum(r["how"] == "compiled" and r.get("attempt") == 1 for r in rows)
    good = sum(n for how, n in hows.items() if how not in ("failed", "not imported"))
    print(f"\n{title}: {good} of {len(rows)} jit functions compile for {options.target}")
    for how, count in hows.most_common():
        more = f" ({first} with the first signature)" if how == "compiled" else ""
        print(f"{count:6}  {how}{more}")
    reasons = collections.defaultdict(list)
    for r in rows:
        if r["how"] in ("failed", "not imported"):
            reasons[reason(r["error"])].append(f"{r['file']}:{r['line']}")
    for text, places in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(places):6}  {text}   {places[0]}")
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, re.sub(r"\W+", "-", title) + ".json"), "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
    return len(rows) - good


def compile_whole(name, checkout, options):
    root, package, kernels = kernels_of(name, checkout)
    return report(name, compile_kernels(root, package, kernels, None, options), options)


def compile_sample(checkouts, options):
    """A sample of the jit functions of several collections."""
    everything = []
    for name, checkout in checkouts:
        root, package, kernels = kernels_of(name, checkout)
        everything += [(name, root, package, k) for k in kernels]
    count = min(options.count, len(everything))
    chosen = random.Random(options.seed).sample(everything, count)
    print(f"seed {options.seed}: {count} of {len(everything)} jit functions of {', '.join(n for n, _ in checkouts)}")
    bad, rows = 0, []
    for name, _ in checkouts:
        mine = [(root, package, k) for n, root, package, k in chosen if n == name]
        if mine:
            found = compile_kernels(mine[0][0], mine[0][1], None, [k for _, _, k in mine], options)
            bad += report(f"{name} (sample)", found, options)
            rows += found
    good = len(rows) - bad
    print(f"\nsample: {good} of {len(rows)} compile for {options.target} (seed {options.seed})")
    return bad


def run_tutorials(name, checkout, options):
    print(f"\ntutorials of {name} on {options.device}")
    bad = 0
    for path in tutorials.wanted(checkout):
        start = time.monotonic()
        how, why = tutorials.run(path, options.device, options.verbose)
        bad += how == "failed"
        print(f"{how:8} {time.monotonic() - start:6.1f} s  {os.path.basename(path):34} {why[:200]}", flush=True)
    return bad


def run_liger_tests(checkout, options):
    print(f"\nLiger's tests on {options.device}")
    print(f"{'file':34} {'passed':>7} {'failed':>7} {'skipped':>8}")
    total, bad, skipped = collections.Counter(), collections.Counter(), collections.Counter()
    for name in LIGER_TESTS:
        file = os.path.join("test", "transformers", f"test_{name}.py")
        start = time.monotonic()
        counts, failures, skips = suites.run(checkout, [file], options.device, options.k, verbose=options.verbose)
        total.update(counts)
        bad.update(failures)
        skipped.update(skips)
        if not counts:
            total["failed"] += 1
        print(f"{'test_' + name + '.py':34} {counts['passed']:7} {counts['failed']:7} {counts['skipped']:8}   "
              f"{time.monotonic() - start:.0f} s", flush=True)
    print(f"{'all':34} {total['passed']:7} {total['failed']:7} {total['skipped']:8}")
    for title, counter in (("failures", bad), ("skips", skipped)):
        for text, count in counter.most_common(20):
            print(f"{count:6}  {title[:-1]}: {text}")
    return total["failed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs="+", metavar="NAME=CHECKOUT",
                        help="of " + ", ".join(["triton-cpu", "triton", *PACKAGES]))
    parser.add_argument("--target", default="cpu", help="cpu, or the GPU architecture to make PTX for")
    parser.add_argument("--device", default="cpu", help="where tutorials and tests run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300, help="size of the sample")
    parser.add_argument("--only", choices=("tutorials", "compile", "tests"))
    parser.add_argument("-k", help="of Liger's tests, those that pytest's -k selects")
    parser.add_argument("--out", help="folder for the details as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what programs and tests print")
    options = parser.parse_args()
    known = {"triton-cpu", "triton", *PACKAGES}
    checkouts = []
    for item in options.checkouts:
        name, equals, path = item.partition("=")
        if name not in known or not equals or not os.path.isdir(path):
            sys.exit(f"expected NAME=CHECKOUT with a NAME of {', '.join(sorted(known))} and a folder, got {item}")
        checkouts.append((name, os.path.realpath(path)))
    bad = 0
    for name, path in checkouts:
        if name.startswith("triton") and options.only in (None, "tutorials"):
            bad += run_tutorials(name, path, options)
        if name == "liger" and options.only in (None, "compile"):
            bad += compile_whole(name, path, options)
        if name == "liger" and options.only in (None, "tests"):
            bad += run_liger_tests(path, options)
    sampled = [c for c in checkouts if c[0] in SAMPLED]
    if sampled and options.only in (None, "compile"):
        bad += compile_sample(sampled, options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

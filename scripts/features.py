#!/usr/bin/env python3
"""Runs the commands of docs/features.md, a row each, and says which fail; --update writes what they printed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    scripts/features.py                 run all rows, after `make build`
    scripts/features.py --only 4        rows whose number starts with 4
    scripts/features.py --update        also put the last line of each command's output into its row

A row is `| number | what | `command` | `printed` |`. Commands run in the repository's root under bash, with build/bin,
.venv/bin and LLVM's tools on PATH. One that is expected to end in an error says so itself (`! command`).
"""

import argparse
import os
import re
import subprocess
import sys
import time

from tree import ROOT

PAGE = ROOT / "docs/features.md"
ROW = re.compile(r"^\| ([\d.]+\w*) \| (.*?) \| `(.+?)` \| (?:`(.*?)`)? *\|$")
LONGEST = 140
TOOLS = ("build/bin", ".venv/bin")


def run(command):
    """(return code, last line printed, seconds)."""
    path = os.pathsep.join([*(str(ROOT / folder) for folder in TOOLS), "/usr/lib/llvm-22/bin", os.environ["PATH"]])
    start = time.perf_counter()
    # A | in a table's code is written \|.
    result = subprocess.run(["bash", "-c", command.replace(r"\|", "|")], cwd=ROOT, capture_output=True, text=True,
                            env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL)
    lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
    return result.returncode, lines[-1].strip() if lines else "", time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="rows whose number starts with this")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    lines, failed, count = PAGE.read_text(encoding="utf-8").split("\n"), [], 0
    for index, line in enumerate(lines):
        match = ROW.match(line)
        if not match or not match.group(1).startswith(arguments.only):
            continue
        number, what, command, _ = match.groups()
        code, printed, seconds = run(command)
        count += 1
        print(f"{'ok  ' if code == 0 else 'FAIL'} {number:5} {seconds:6.1f} s  {printed[:100]}", flush=True)
        if code:
            failed.append(number)
        elif arguments.update:
            printed = printed.replace("|", "\\|").replace("`", "'")[:LONGEST]
            lines[index] = f"| {number} | {what} | `{command}` | `{printed}` |"
    if arguments.update:
        PAGE.write_text("\n".join(lines), encoding="utf-8")
    print(f"{count - len(failed)} passed, {len(failed)} failed" + (f": {', '.join(failed)}" if failed else ""))
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
